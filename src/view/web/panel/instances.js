/* SPDX-License-Identifier: MIT */
/* All events of one name: how many, how long they are as a histogram, and a list of them, the
 * slowest first or chronologically. Each leads to its place in the picture. */
"use strict";

const INSTANCES_ON_PAGE = 100;
/* Bars of the histogram: so many at most, none narrower than a bucket of it (3 %). */
const BARS_MOST = 72;
const BAR_FACTOR = 1.033;

class Instances {
	constructor(app) {
		this.app = app;
		this.sheet = byId("instances");
		this.name = null; /* {name, kind, label, sets} */
		this.list = null;
		this.asked = 0;
	}

	/* A name as Search has it. */
	show(name) {
		this.name = name;
		this.list = {byLength: !this.areMoments, least: 0, most: Infinity, skip: 0, count: INSTANCES_ON_PAGE};
		byId("tab-instances").hidden = false;
		this.app.panel.open("instances");
		return this.refresh();
	}

	/* Samples, marks and modules have no length. */
	get areMoments() {
		return ["sample", "mark", "module"].includes(this.name.kind);
	}

	/* By its name and kind alone, as tables and details know them. */
	showNamed(text, kind) {
		const {app} = this;
		const of = searchKind(kind);
		const sets = app.labels.map((labels) => new Set([...labels.keys()].filter((number) =>
			labels[number].name === text && (of ? of.has(labels[number].kind) : labels[number].kind === kind))));
		const session = sets.findIndex((set) => set.size);
		if (session < 0)
			return null;
		const label = app.labels[session][app.labels[session][Math.min(...sets[session])].plain];
		return this.show({name: text, kind, label, sets});
	}

	change(change) {
		this.list = {...this.list, skip: 0, ...change};
		return this.refresh();
	}

	/* The selection, or everything; of the rows that are summed up. */
	async refresh() {
		const {app, name} = this;
		if (!name)
			return;
		const asked = ++this.asked;
		const {begin, end} = app.selection || {begin: app.range.first, end: app.range.last};
		try {
			const answers = await Promise.all(app.model.sessions.map((session, number) => {
				const rows = app.panel.rowsOf(number);
				if (!name.sets[number].size || (rows && !rows.length))
					return null;
				/* Of several sessions, what is skipped may be of any. */
				return app.source.instances(number, name.sets[number], begin - session.offset_ns,
					end - session.offset_ns, rows, {...this.list, skip: 0, count: this.list.skip + this.list.count});
			}));
			if (asked === this.asked)
				this.draw(this.merged(answers));
		} catch (error) {
			if (asked === this.asked)
				this.sheet.replaceChildren(element("h2", {}, visible(name.name)), element("p", {class: "wrong"}, error.message));
			app.failUnlessRefused(error);
		}
	}

	/* Of all sessions; percentiles are the largest of any. */
	merged(answers) {
		const all = {count: 0, failed: 0, total_ns: 0, min_ns: Infinity, cpu_ns: 0, p50_ns: 0, p99_ns: 0, max_ns: 0, matching: 0,
			histogram: [], spans: []};
		let timed = 0;
		answers.forEach((answer, session) => {
			if (!answer)
				return;
			for (const key of ["count", "failed", "total_ns", "matching"])
				all[key] += answer[key];
			all.cpu_ns += answer.count * this.app.model.sessions[session].sample_period_ns;
			for (const key of ["p50_ns", "p99_ns", "max_ns"])
				all[key] = Math.max(all[key], answer[key]);
			if (answer.histogram.length)
				all.min_ns = Math.min(all.min_ns, answer.min_ns);
			timed += answer.histogram.reduce((sum, [, , count]) => sum + count, 0);
			all.histogram.push(...answer.histogram);
			all.spans.push(...answer.spans.map((span) => ({...span, session,
				at: span.begin_ns + this.app.model.sessions[session].offset_ns, length: span.end_ns - span.begin_ns})));
		});
		all.spans.sort((a, b) => (this.list.byLength ? b.length - a.length : 0) || a.at - b.at);
		all.spans = all.spans.slice(this.list.skip, this.list.skip + this.list.count);
		all.mean_ns = timed ? all.total_ns / timed : 0;
		all.min_ns = timed ? all.min_ns : 0;
		return all;
	}

	draw(all) {
		const {app, name, list, sheet} = this;
		const swatch = element("span", {class: "swatch"});
		swatch.style.background = name.label.colour;
		const order = (byLength, words) => element("button", {"aria-pressed": String(list.byLength === byLength),
			onclick: () => this.change({byLength})}, words);
		const samples = this.areMoments;
		const limited = list.least > 0 || list.most < Infinity;
		const last = Math.min(list.skip + list.count, all.matching);
		sheet.replaceChildren(
			element("h2", {}, swatch, element("span", {class: "what"}, visible(name.name)),
				element("small", {}, kindWords(name.kind) + (app.selection ? ", in the selected range" : ", full trace") +
					(app.panel.scope ? ", of the selected rows" : ""))),
			element("div", {class: "columns instances"},
				samples ? element("section", {}, facts(name.kind === "sample" ? [["samples", countWords(all.count)],
					["CPU time", lengthWords(all.cpu_ns)]] : [["count", countWords(all.count)]])) :
				element("section", {}, facts([["count", countWords(all.count) +
					(all.failed ? ` (${countWords(all.failed)} failed)` : "")],
				["total", lengthWords(all.total_ns)], ["mean", lengthWords(all.mean_ns)],
				["min", lengthWords(all.min_ns)], ["p50", lengthWords(all.p50_ns)],
				["p99", lengthWords(all.p99_ns)], ["max", lengthWords(all.max_ns)]])),
				samples ? null : element("section", {class: "wide"}, element("h3", {}, "Durations"), this.histogram(all)),
				element("section", {class: "wide"},
					element("p", {class: "actions"}, ...samples ? [] : [order(true, "Slowest first"), order(false, "Chronologically")],
						limited ? element("button", {id: "instances-all", onclick: () =>
							this.change({least: 0, most: Infinity})},
						`${lengthWords(list.least)} to ${lengthWords(list.most)} \u2715`) : null,
						element("span", {class: "dim"}, all.matching ?
							`${countWords(list.skip + 1)} to ${countWords(last)} of ${countWords(all.matching)}` : "none"),
						list.skip ? element("button", {onclick: () =>
							this.change({skip: Math.max(0, list.skip - list.count)})}, "Previous") : null,
						last < all.matching ? element("button", {id: "instances-next", onclick: () =>
							this.change({skip: list.skip + list.count})}, "Next") : null),
					this.table(all))));
	}

	table(all) {
		const {app} = this;
		const samples = this.areMoments;
		const most = Math.max(1, ...all.spans.map((span) => span.length));
		const body = element("tbody", {}, ...all.spans.map((span, number) => {
			const track = app.rows.byTrack.get(span.session + ":" + span.track);
			const bar = element("span", {class: "bar"});
			bar.style.width = Math.max(1, span.length / most * 100) + "%";
			return element("tr", {},
				element("td", {class: "number dim"}, countWords(this.list.skip + number + 1)),
				element("td", {class: "number"}, element("button", {class: "pick", title: "Go there",
					onclick: () => app.goTo(span.session, span)}, samples ? timeWords(span.at) : lengthWords(span.length))),
				samples ? null : element("td", {class: "bars"}, bar),
				samples ? null : element("td", {class: "number"}, timeWords(span.at)),
				element("td", {class: "words"}, track ? pathWords(track.row) : ""));
		}));
		return element("table", {class: "table"}, element("thead", {}, element("tr", {},
			...(samples ? ["#", "at", "row"] : ["#", "duration", "", "start", "row"]).map((words) => element("th", {scope: "col"}, words)))), body);
	}

	/* Bars of equal width on a logarithmic axis; each limits the list to its durations. */
	histogram(all) {
		if (!all.histogram.length)
			return element("p", {class: "empty"}, "No durations are known.");
		const bars = barsOf(all.histogram);
		const most = Math.max(...bars.map((bar) => bar.count));
		const box = element("div", {class: "histogram", role: "group", "aria-label": "Histogram of durations"});
		for (const bar of bars) {
			const words = `${lengthWords(bar.least)} to ${lengthWords(bar.most)}: ${plural(bar.count, "event")}`;
			const made = element("button", {title: words, "aria-label": words, disabled: !bar.count,
				"aria-pressed": String(this.list.least === bar.least && this.list.most === bar.most),
				onclick: () => this.change({least: bar.least, most: bar.most})});
			const fill = element("span", {});
			fill.style.height = bar.count ? Math.max(2, bar.count / most * 100) + "%" : "0";
			fill.style.background = this.name.label.colour;
			made.append(fill);
			box.append(made);
		}
		return element("div", {}, box, element("div", {class: "axis dim"},
			element("span", {}, lengthWords(bars[0].least)),
			element("span", {}, `at most ${plural(most, "event")} in a bar`),
			element("span", {}, lengthWords(bars[bars.length - 1].most))));
	}
}

/* Buckets [smallest, largest, count] gathered into bars {least, most, count}. */
function barsOf(buckets) {
	const sorted = [...buckets].sort((a, b) => a[0] - b[0]);
	const first = Math.max(1, sorted[0][0]), last = Math.max(first, sorted[sorted.length - 1][1]);
	const wanted = clamp(Math.ceil(Math.log((last + 1) / first) / Math.log(BAR_FACTOR)), 1, BARS_MOST);
	const factor = Math.pow((last + 1) / first, 1 / wanted);
	const bars = [];
	/* A bucket goes whole into the bar that its smallest value is in. */
	for (let i = 0; i < wanted; i++)
		bars.push({from: i ? first * Math.pow(factor, i) : 0, least: Infinity, most: -Infinity, count: 0});
	for (const [least, most, count] of sorted) {
		const bar = bars.filter((one) => one.from <= least + 1e-6).pop();
		bar.count += count;
		bar.least = Math.min(bar.least, least);
		bar.most = Math.max(bar.most, most);
	}
	for (const bar of bars)
		if (!bar.count)
			bar.least = bar.most = Math.round(bar.from);
	return bars;
}
