/* SPDX-License-Identifier: MIT */
/* Findings: what is wrong, listed below and marked on the rows; a click goes to
 * where it happened. The server makes them while the picture is there already. */
"use strict";

const FINDINGS_AGAIN_MS = [150, 300, 600, 1500];
/* What cost less of the run is listed only when asked for. */
const FINDING_LEAST_PERCENT = 2;
/* What is marked of many occurrences is short: what goes on around it is shown, too. */
const AROUND_ONE_OF_MANY = 4;

class Findings {
	constructor(app) {
		this.app = app;
		this.found = []; /* dearest first */
		this.failed = [];
		this.all = false;
		this.chosen = null;
		this.done = false;
	}

	async load() {
		const {app} = this;
		const states = app.model.sessions.map(() => null);
		for (let turn = 0; ; turn++) {
			try {
				await Promise.all(states.map(async (state, session) => {
					if (!state || state.state === "working")
						states[session] = await app.source.findings(session);
				}));
			} catch (error) {
				app.fail(error);
				return;
			}
			const working = states.filter((state) => state && state.state === "working");
			this.report(working);
			if (!working.length)
				break;
			await new Promise((done) => setTimeout(done,
				FINDINGS_AGAIN_MS[Math.min(turn, FINDINGS_AGAIN_MS.length - 1)]));
		}
		this.take(states);
	}

	report(working) {
		const tab = byId("tab-findings");
		tab.hidden = false;
		if (working.length)
			byId("findings").replaceChildren(element("p", {class: "empty"},
				`Analysing: ${percentWords(working[0].done)} of the trace read\u2026`));
	}

	take(states) {
		const {app} = this;
		states.forEach((state, session) => {
			if (state && state.state === "failed")
				this.failed.push(state.error);
			(state && state.findings || []).forEach((finding, rank) =>
				this.found.push({...finding, session, rank, rows: this.rowsOf(session, finding.where || {})}));
		});
		/* As `tandem findings` ranks them: by what is likely to be saved, symptoms behind causes. */
		this.found.sort((a, b) => a.rank - b.rank || b.cost_ns - a.cost_ns);
		this.done = true;
		this.show();
		app.panel.showFindings(this.listed.length > 0);
	}

	/* What `tandem findings` would show: without a cost it matters all the same. */
	get listed() {
		return this.found.filter((one) => this.all || one.percent >= FINDING_LEAST_PERCENT || !one.cost_ns);
	}

	/* Rows that it is about, the one to go to first. */
	rowsOf(session, where) {
		const rows = this.app.rows.all.filter((row) => row.session === session);
		const within = (row, pid) => {
			for (let one = row; one; one = one.parent)
				if (one.kind === "process")
					return one.id === pid;
			return false;
		};
		const found = [
			where.thread && rows.find((row) => row.kind === "thread" && row.id === where.thread &&
				within(row, where.process)),
			where.queue && rows.find((row) => ["kernels", "transfers"].includes(row.kind) &&
				row.id === where.queue && (!where.process || within(row, where.process))),
			where.device && rows.find((row) => row.kind === "device" && row.name === visible(where.device)),
			!where.thread && where.process && rows.find((row) => row.kind === "process" &&
				row.id === where.process),
		];
		return found.filter((row) => row);
	}

	/* The row of its process where that has to be said: there are several, and the row to go to is
	 * in none of them, as a device's. */
	processOf({session, rows, where = {}}) {
		const processes = this.app.rows.all.filter((row) => row.session === session && row.kind === "process");
		for (let row = rows[0]; row; row = row.parent)
			if (row.kind === "process")
				return null;
		return processes.length > 1 && processes.find((row) => row.id === where.process) || null;
	}

	show() {
		const {app} = this;
		const sheet = byId("findings");
		const listed = this.listed, hidden = this.found.length - listed.length;
		app.marked = listed.flatMap((finding) => finding.where && finding.where.end_ns !== undefined ?
			this.marksOf(finding) : []);
		const tab = byId("tab-findings");
		tab.textContent = listed.length ? `Findings (${listed.length})` : "Findings";
		const parts = this.failed.map((error) => element("p", {class: "wrong"}, visible(error)));
		if (!listed.length && !this.failed.length)
			parts.push(element("p", {class: "empty"}, hidden ?
				"No finding costs 1 % of the run or more." : "No findings."));
		if (listed.length)
			parts.push(element("ol", {class: "findings"}, ...listed.map((finding) => this.entry(finding))));
		if (hidden || this.all)
			parts.push(element("p", {class: "actions"}, element("button", {id: "findings-all",
				"aria-pressed": String(this.all), onclick: () => {
					this.all = !this.all;
					this.show();
				}}, this.all ? `Hide findings below ${FINDING_LEAST_PERCENT} %` : `Show ${plural(hidden, "smaller finding")}`)));
		if (listed.length > 1)
			parts.push(element("p", {class: "hint"}, "Costs of different findings overlap and do not add up."));
		sheet.replaceChildren(...parts);
		app.redraw();
	}

	marksOf(finding) {
		const {offset_ns: offset} = this.app.model.sessions[finding.session];
		return finding.rows.map((row) => ({row, begin: finding.where.begin_ns + offset,
			end: finding.where.end_ns + offset, finding}));
	}

	/* What is marked of a finding, and shown by a click: of several occurrences only one. */
	static markWords({count, where}) {
		const length = where.end_ns > where.begin_ns ? lengthWords(where.end_ns - where.begin_ns).replace(" ", "\u00a0") : "";
		const one = count > 1 ? `one of ${countWords(count)} occurrences` : "";
		return [one, length].filter((words) => words).join(", ");
	}

	entry(finding) {
		const {app} = this;
		const {where = {}} = finding;
		const place = [];
		const process = this.processOf(finding);
		if (process)
			place.push(process.words);
		if (finding.rows.length)
			place.push(pathWords(finding.rows[0]));
		if (where.device && (!finding.rows.length || finding.rows[0].kind !== "device"))
			place.push("on " + visible(where.device));
		if (where.begin_ns !== undefined)
			place.push(`at ${timeWords(where.begin_ns)}` + (Findings.markWords(finding) ? ` (${Findings.markWords(finding)})` : ""));
		const pairs = [];
		if (place.length)
			pairs.push(["Location", place.join(", ")]);
		if (finding.culprits)
			pairs.push(["Caused by", visible(finding.culprits)]);
		pairs.push(["Confidence", finding.confidence +
			(finding.evidence ? ": " + visible(finding.evidence) : "")], ["Suggestion", visible(finding.suggestion)]);
		const name = visible(finding.name + (finding.cause ? ", " + finding.cause : ""));
		const goes = finding.rows.length > 0;
		const cost = finding.cost_ns ? `${lengthWords(finding.cost_ns)}, ${percentWords(finding.percent / 100)}` : "";
		return element("li", {class: "finding" + (finding === this.chosen ? " chosen" : "")},
			element("div", {class: "cost"}, element("strong", {}, finding.cost_ns ?
				percentWords(finding.percent / 100) : "\u2014"),
			element("span", {class: "dim", title: cost}, finding.cost_ns ? lengthWords(finding.cost_ns) : "")),
			element("div", {class: "words"},
				goes ? element("button", {class: "link", title: "Go there", onclick: () => this.goTo(finding)}, name) :
					element("strong", {}, name),
				app.model.sessions.length > 1 ? element("span", {class: "dim"}, " in " +
					app.model.sessions[finding.session].words) : null,
				element("p", {}, visible(finding.description)), facts(pairs)));
	}

	goTo(finding) {
		const {app} = this;
		const row = finding.rows[0];
		if (!app.rows.revealRow(row, null))
			byId("filter").value = "";
		app.focus(row);
		app.pane.measure();
		app.pane.scrollTo(row);
		this.chosen = finding;
		const mark = this.marksOf(finding)[0];
		if (finding.where.end_ns !== undefined)
			this.fit(mark, finding.count > 1 ? AROUND_ONE_OF_MANY : 0);
		this.show();
	}

	/* Shows what is marked, with so many times its length before and after. */
	fit({begin, end}, times) {
		const {range} = this.app, around = (end - begin) * times;
		range.fit(Math.max(begin - around, Math.min(begin, range.first)), Math.min(end + around, Math.max(end, range.last)));
	}

	/* The finding whose mark in the overview is near a moment, the shortest one first. */
	near(at, reach) {
		const marks = this.app.marked.filter(({begin, end}) => begin - reach <= at && end + reach >= at);
		const shortest = marks.sort((a, b) => (a.end - a.begin) - (b.end - b.begin))[0];
		return shortest ? shortest.finding : null;
	}

	/* Shows one in the list. */
	reveal(finding) {
		this.chosen = finding;
		this.show();
		this.app.panel.open("findings");
		const chosen = byId("findings").querySelector(".chosen");
		if (chosen)
			chosen.scrollIntoView({block: "nearest"});
	}
}
