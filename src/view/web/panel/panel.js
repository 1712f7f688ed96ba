/* SPDX-License-Identifier: MIT */
/* The panel below: details of a span, tables of a time range; findings, the events of one name and
 * the flame graph have their sheets in it. */
"use strict";

const PANEL_LEAST = 60;
const SUMS_KEPT = 32;
const NOTICE_AFTER_MS = 300;

const TIME_COLUMNS = [
	{key: "total_ns", heading: "total", number: true, words: lengthWords, sorted: true},
	{key: "mean_ns", heading: "mean", number: true, words: lengthWords},
	{key: "min_ns", heading: "min", number: true, words: lengthWords},
	{key: "p50_ns", heading: "p50", number: true, words: lengthWords},
	{key: "p99_ns", heading: "p99", number: true, words: lengthWords},
	{key: "max_ns", heading: "max", number: true, words: lengthWords},
	{key: "within_ns", heading: "in range", number: true, words: lengthWords},
];

/* Tables of a time range: their names and columns. */
const TABLES = {
	ranges: ["Ranges", [
		{key: "name", heading: "range", picks: true},
		{key: "kind", heading: "kind", words: kindWords},
		{key: "count", heading: "count", number: true, words: countWords},
		{key: "device_ns", heading: "device time", number: true, words: lengthWords},
		...TIME_COLUMNS,
	]],
	calls: ["API calls", [
		{key: "name", heading: "function", picks: true},
		{key: "calls", heading: "calls", number: true, words: countWords},
		{key: "errors", heading: "errors", number: true, words: countWords},
		...TIME_COLUMNS,
	]],
	device: ["Device operations", [
		{key: "name", heading: "name", picks: true},
		{key: "kind", heading: "kind"},
		{key: "device", heading: "device"},
		{key: "count", heading: "count", number: true, words: countWords},
		{key: "failed", heading: "failed", number: true, words: countWords},
		{key: "bytes", heading: "bytes", number: true, words: bytesWords},
		...TIME_COLUMNS,
	]],
	states: ["Thread states", [
		{key: "name", heading: "state"},
		{key: "count", heading: "count", number: true, words: countWords},
		{key: "within_ns", heading: "in range", number: true, words: lengthWords, sorted: true},
	]],
	samples: ["CPU samples", [
		{key: "name", heading: "function", picks: (row) => row.self > 0},
		{key: "self", heading: "self", number: true, words: countWords, sorted: true},
		{key: "self_percent", heading: "self %", number: true, words: percentNumber},
		{key: "total", heading: "total", number: true, words: countWords},
		{key: "total_percent", heading: "total %", number: true, words: percentNumber},
		{key: "file", heading: "file"},
	]],
	tasks: ["CPU usage", [
		{key: "name", heading: "thread", picks: true},
		{key: "count", heading: "times", number: true, words: countWords},
		{key: "within_ns", heading: "in range", number: true, words: lengthWords, sorted: true},
	]],
};

class Panel {
	constructor(node, app) {
		this.node = node;
		this.app = app;
		this.sheets = ["findings", "selection", "instances", "flame", "graph", "details"];
		this.sheet = "details"; /* that is open */
		this.scope = ""; /* rows that are summed up: all, "focus", "chosen", or SESSION:ROW */
		for (const sheet of this.sheets)
			byId("tab-" + sheet).addEventListener("click", () => {
				this.chosenByUser = true;
				this.open(sheet);
				this.app.address.changed();
			});
		node.querySelector(".tabs").addEventListener("keydown", (event) => this.tabKey(event));
		byId("panel-close").addEventListener("click", () => this.fold());
		this.tables = [];
		this.asked = 0;
		this.known = new Map(); /* sums, by what was asked */
		this.clear();
	}

	tabKey(event) {
		const tabs = this.sheets.map((sheet) => byId("tab-" + sheet)).filter((tab) => !tab.hidden);
		const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
		const at = tabs.indexOf(document.activeElement);
		if (!step || at < 0)
			return;
		event.stopPropagation();
		const tab = tabs[(at + step + tabs.length) % tabs.length];
		tab.click();
		tab.focus();
	}

	open(sheet) {
		this.opened = true;
		this.sheet = sheet;
		if (this.node.classList.contains("folded"))
			this.fold();
		for (const one of this.sheets) {
			byId(one).hidden = one !== sheet;
			byId("tab-" + one).setAttribute("aria-selected", String(one === sheet));
			byId("tab-" + one).tabIndex = one === sheet ? 0 : -1;
		}
		if (sheet === "flame")
			this.app.flame.refresh();
		if (sheet === "graph")
			this.app.graph.refresh();
		this.app.resized();
	}

	fold() {
		const folded = this.node.classList.toggle("folded");
		byId("panel-close").textContent = folded ? "\u2303" : "\u2304";
		byId("panel-close").title = folded ? "Open the panel" : "Fold the panel";
		this.app.resized();
	}

	setHeight(pixels) {
		const most = Math.max(PANEL_LEAST, innerHeight * 0.7);
		this.node.style.height = clamp(pixels, PANEL_LEAST, most) + "px";
		this.app.resized();
	}

	/* --- details */

	clear() {
		byId("details").replaceChildren(element("p", {class: "empty"},
			"Click an event to see its details. Drag over the picture to aggregate a time range."));
	}

	showMany(span) {
		const {app} = this;
		const samples = span.track.type === "samples", stretch = stretchOf(span);
		byId("details").replaceChildren(
			element("h2", {}, plural(span.spans, samples ? "CPU sample" : "event")),
			element("p", {}, `in ${lengthWords(span.end - span.begin)}, too close together to be distinguished here; ` +
				`${visible(span.label.name)} ${samples ? "was found most often" : "has the most of the time"}.`),
			element("p", {class: "actions"},
				element("button", {onclick: () => app.range.fit(stretch.begin, stretch.end)}, "Zoom in"),
				element("button", {onclick: () => app.select({begin: span.begin + span.track.offset,
					end: span.end + span.track.offset + (samples ? 1 : 0)}, true)}, "Aggregate")));
		this.open("details");
	}

	showWait() {
		byId("details").replaceChildren(element("p", {class: "empty"}, "\u2026"));
		this.openDetails();
	}

	showDetail(span, detail) {
		const {app} = this;
		const {label} = span;
		const swatch = element("span", {class: "swatch"});
		swatch.style.background = label.colour;
		const sheet = byId("details");
		const left = detail.stack ? [["at", timeWords(detail.begin_ns)]] :
			[["duration", exactWords(detail.end_ns - detail.begin_ns)],
				["start", timeWords(detail.begin_ns)], ["end", timeWords(detail.end_ns)]];
		left.push(["row", pathWords(span.track.row)]);
		const stretch = stretchOf(span);
		sheet.replaceChildren(
			element("h2", {}, swatch, element("span", {class: "what"}, visible(detail.name)),
				element("small", {}, kindWords(detail.kind), ...flagWords(label.flags))),
			element("p", {class: "actions"},
				element("button", {onclick: () => app.range.fit(stretch.begin, stretch.end)}, "Fit"),
				detail.stack ? null :
					element("button", {onclick: () => app.select(stretch, true)}, "Select this range"),
				searchKind(detail.kind) ? element("button", {id: "find-all",
					onclick: () => app.findAll(detail.name, detail.kind)}, "Find all by name") : null));
		const columns = element("div", {class: "columns"});
		const group = (title, pairs) => {
			if (pairs.length)
				columns.append(element("section", {}, element("h3", {}, title), facts(pairs)));
		};
		const [times, others] = [true, false].map((wanted) => (detail.facts || [])
			.filter((fact) => (isTime(fact) && !detail.stack) === wanted).map((fact) => [fact.is, factWords(fact)]));
		group("Event", left.concat(others));
		if (detail.stack)
			columns.append(element("section", {},
				element("h3", {}, "Stack, innermost first"), stackList(detail.stack, Infinity)));
		group("Timing", times);
		if (detail.task)
			columns.append(element("section", {id: "task"}, element("h3", {}, "Node of the task graph"),
				facts(detail.task.facts.map((fact) => [fact.is, factWords(fact)])),
				element("p", {class: "actions"}, element("button", {id: "show-graph", onclick: () =>
					app.graph.reveal(span.track.session, detail.task.node)}, "Show in the task graph"))));
		group(isCommandKind(detail.kind) ? "Arguments of its call" : "Arguments",
			argumentPairs(detail.args));
		if (detail.links && detail.links.length)
			columns.append(element("section", {class: "related"}, element("h3", {}, "Related events"), this.links(span, detail)));
		sheet.append(columns);
		this.openDetails();
	}

	/* Who goes along the task graph keeps it in sight. */
	openDetails() {
		if (!this.staying)
			this.open("details");
	}

	links(span, detail) {
		const words = {
			call: "enqueued by", command: isCommandKind(detail.kind) ? "in its queue" : "enqueues",
			seen: "completion seen by", after: "waits for", ended: "sees completion of", waker: "woken by",
			during: "within the call", projected: "on the device", range: "range",
			task: "of the task", operation: "executes as", predecessor: "predecessor", successor: "successor",
		};
		const list = element("ul", {class: "links"});
		detail.links.forEach((link, i) => {
			const next = detail.links[i + 1], more = (detail.more_links || {})[link.is];
			const last = more && (!next || next.is !== link.is);
			const cut = link.is === "predecessor" || link.is === "successor";
			/* Of many the last one is there, as it is what was waited for. */
			if (last && !cut)
				list.append(element("li", {class: "dim more"}, element("span", {class: "is"}), " ",
					`\u2026 ${countWords(more)} more, then the last one`));
			list.append(element("li", {}, element("span", {class: "is"}, words[link.is] || link.is), " ",
				element("button", {class: "link", onclick: () => this.app.goTo(span.track.session, link)},
					visible(link.name)),
				element("span", {class: "dim"}, " " + lengthWords(link.end_ns - link.begin_ns))));
			if (last && cut)
				list.append(element("li", {class: "dim more"}, element("span", {class: "is"}), " ",
					`\u2026 and ${countWords(more)} more`));
		});
		return list;
	}

	/* --- findings */

	/* The first thing that a user sees, unless something else was opened. */
	showFindings(any) {
		const {app, node} = this;
		if (any && !this.chosenByUser && !app.selected && !app.selection && !node.classList.contains("folded"))
			this.open("findings");
	}

	/* --- selection */

	/* Nothing is selected: then everything is. */
	showWhole() {
		this.showSelection(true);
	}

	/* Which rows are summed up; `changed` is called when that changes. */
	scopes(changed) {
		const {app} = this;
		const chosen = app.rows.all.filter((row) => row.chosen);
		const choice = element("select", {"aria-label": "Rows to aggregate",
			onchange: (event) => {
				this.scope = event.target.value;
				changed();
			}}, element("option", {value: ""}, "all rows"));
		if (chosen.length)
			choice.append(element("option", {value: "chosen"}, chosen.length === 1 ? "chosen row: " + pathWords(chosen[0]) :
				`${chosen.length} chosen rows`));
		if (app.focused)
			choice.append(element("option", {value: "focus"}, "row " + pathWords(app.focused)));
		for (const row of app.rows.all)
			if (row.kind === "process" || row.kind === "device" ||
				(row.kind === "session" && app.rows.sessions.length > 1))
				choice.append(element("option", {value: row.session + ":" + row.number}, row.words));
		choice.value = this.scope;
		if (choice.selectedIndex < 0)
			choice.value = this.scope = "";
		return choice;
	}

	/* Numbers of a session's rows that are summed up; null: all of them. */
	rowsOf(session) {
		const {app, scope} = this;
		if (scope === "chosen" && app.rows.all.some((row) => row.chosen))
			return app.rows.all.filter((row) => row.chosen && row.session === session).map((row) => row.number);
		if (scope === "focus" && app.focused)
			return app.focused.session === session ? [app.focused.number] : [];
		if (!scope || scope === "focus" || scope === "chosen")
			return null;
		const [of, row] = scope.split(":").map(Number);
		return of === session ? [row] : [];
	}

	/* Rows were chosen: they are what is summed up now. */
	chosenRows() {
		const any = this.app.rows.all.some((row) => row.chosen);
		if (!any && this.scope !== "chosen")
			return;
		this.scope = any ? "chosen" : "";
		this.showSelection(this.sheet !== "details" && this.sheet !== "findings");
	}

	async showSelection(quietly) {
		const {app} = this;
		const asked = ++this.asked;
		const {begin, end} = app.selection || {begin: app.range.first, end: app.range.last};
		const sheet = byId("selection");
		const choice = this.scopes(() => this.showSelection(true));
		const notice = element("output", {class: "notice"});
		const copy = element("button", {id: "copy-csv", onclick: async () => {
			const done = await copyText(this.csv());
			notice.textContent = done ? "Copied." : "The browser refused to copy.";
		}}, "Copy as CSV");
		copy.disabled = true; /* until there is something */
		const head = element("p", {class: "actions"},
			element("strong", {}, app.selection ? lengthWords(end - begin) : "Full trace"),
			element("span", {class: "dim"}, app.selection ? `from ${timeWords(begin)} to ${timeWords(end)}` :
				"drag over the picture or its scale to aggregate a time range"), choice,
			app.selection ? element("button", {onclick: () => app.range.fit(begin, end)}, "Fit") : null,
			copy,
			app.selection ? element("button", {onclick: () => app.select(null)}, "Clear") : null, notice);
		sheet.replaceChildren(head);
		this.tables = [];
		if (this.app.instances.name)
			this.app.instances.refresh();
		this.app.flame.refresh();
		this.app.graph.refresh();
		if (!quietly || (!this.opened && !this.node.classList.contains("folded")))
			this.open("selection");
		let answers;
		const late = setTimeout(() => {
			notice.textContent = "Aggregating\u2026";
		}, NOTICE_AFTER_MS);
		try {
			answers = await this.ask(begin, end);
		} catch (error) {
			if (asked === this.asked)
				sheet.replaceChildren(head, element("p", {class: "wrong"}, error.message));
			app.failUnlessRefused(error);
			return;
		} finally {
			clearTimeout(late);
			notice.textContent = "";
		}
		if (asked !== this.asked)
			return;
		for (const [key, [title, columns]] of Object.entries(TABLES)) {
			const rows = withShares(merged(answers.map((answer) => rowsOfTable(answer, key)), key), key);
			if (!rows.length)
				continue;
			const used = columns.filter((column) => !["errors", "failed", "bytes"].includes(column.key) ||
				rows.some((row) => row[column.key]));
			this.tables.push(new Table(title, used, rows,
				(row) => app.findAll(row.name, {calls: "call", samples: "sample", tasks: "task"}[key] || row.kind)));
		}
		/* One alone leaves no half of the panel empty. */
		const narrow = this.tables.filter((table) => !table.wide);
		if (narrow.length === 1)
			narrow[0].node.classList.add("wide");
		const note = element("p", {class: "hint"},
			"Counts and durations are of what begins in the range, each with its full duration; \u201cin range\u201d is the " +
			"part inside the range." + (app.source.downsampled ? " They are of every event, though this file's picture is " +
			"downsampled." : "") + this.sampleWords());
		copy.disabled = !this.tables.length;
		sheet.replaceChildren(head, element("div", {class: "tables"}, ...this.tables.map((table) => table.node)),
			this.tables.length ? note : element("p", {class: "empty"}, "No events in this range."));
	}

	/* What a sample is worth, where there are any. */
	sampleWords() {
		const periods = new Set(this.app.model.sessions.map((session) => session.sample_period_ns));
		periods.delete(0);
		if (!periods.size || !this.tables.some((table) => table.name === TABLES.samples[0]))
			return "";
		return ` A sample represents ${[...periods].map(lengthWords).join(" or ")} of CPU time: \u201cself\u201d counts ` +
			"samples in the function itself, \u201ctotal\u201d those with it on their stack.";
	}

	ask(begin, end) {
		const {app} = this;
		const questions = [];
		app.model.sessions.forEach((session, number) => {
			const rows = this.rowsOf(number);
			if (!rows || rows.length)
				questions.push(this.sums(number, begin - session.offset_ns, end - session.offset_ns, rows));
		});
		return Promise.all(questions);
	}

	/* Of a large trace they take seconds, and those of the whole run are asked for again
	 * and again. */
	sums(...question) {
		const key = JSON.stringify(question);
		let answer = this.known.get(key);
		if (!answer) {
			answer = this.app.source.select(...question);
			this.known.set(key, answer);
			answer.catch(() => this.known.delete(key));
			if (this.known.size > SUMS_KEPT)
				this.known.delete(this.known.keys().next().value);
		}
		return answer;
	}

	csv() {
		return this.tables.map((table) => table.csv()).join("\n");
	}
}

function isTime(fact) {
	return fact.ns !== undefined || fact.at_ns !== undefined;
}

/* What ran on the CPUs is no state of a traced thread. */
function rowsOfTable(answer, key) {
	if (key === "tasks" || key === "states")
		return answer.states.filter((row) => (GROUPS.get(row.state) === "task") === (key === "tasks"));
	return answer[key];
}

/* Of samples, how many of all each function has. */
function withShares(rows, key) {
	if (key !== "samples")
		return rows;
	const all = rows.reduce((sum, row) => sum + row.self, 0);
	return rows.map((row) => ({...row, self_percent: Math.round(row.self / all * 1000) / 10,
		total_percent: Math.round(row.total / all * 1000) / 10}));
}

/* Rows of several sessions under one name: sums where sums make sense. */
function merged(lists, key) {
	if (lists.length === 1)
		return lists[0];
	const rows = new Map();
	for (const row of lists.flat()) {
		const name = [key, row.name, row.kind, row.device, row.file].join("\0");
		const known = rows.get(name);
		if (!known) {
			rows.set(name, {...row});
			continue;
		}
		const count = (known.calls || known.count) + (row.calls || row.count);
		for (const sum of ["calls", "count", "errors", "failed", "bytes", "total_ns", "within_ns", "device_ns", "self", "total"])
			if (known[sum] !== undefined)
				known[sum] += row[sum];
		known.mean_ns = count ? known.total_ns / count : 0;
		known.min_ns = Math.min(known.min_ns, row.min_ns);
		known.max_ns = Math.max(known.max_ns, row.max_ns);
		/* Of two distributions only bounds are known. */
		known.p50_ns = Math.max(known.p50_ns, row.p50_ns);
		known.p99_ns = Math.max(known.p99_ns, row.p99_ns);
	}
	return [...rows.values()];
}
