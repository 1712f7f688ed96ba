/* SPDX-License-Identifier: MIT */
/* Puts the page together: one object that knows what is shown, chosen and looked
 * for, and a picture drawn whenever any of it changed. */
"use strict";

const DETAILS_KEPT = 400;
const NAMES_LEAST = 90;
const HEIGHT_FOR_PANEL = 460;
const FAILURE_MS = 8000;

class App {
	constructor(source) {
		this.source = source;
		this.selection = null; /* {begin, end}, on the axis */
		this.selected = null; /* a span */
		this.detail = null; /* of it */
		this.hovered = null;
		this.cursor = null; /* the pointer's moment */
		this.focused = null; /* a row */
		this.marked = []; /* findings: {row, begin, end} */
		this.measure = new Measure(this);
		this.trail = new Trail(this);
		this.known = new Map(); /* details */
		this.drawing = false;
	}

	async start() {
		this.model = await this.source.model();
		nameSessions(this.model.sessions);
		this.model.sessions.forEach((session) => setGroups(session.kinds));
		this.labels = this.model.sessions.map((session) => {
			const labels = session.labels.map(([name, kind, flags, plain, brief]) =>
				new Label(name, session.kinds[kind][0], flags, plain, brief));
			labels.unknown = new Label("unknown", "unknown", 0, 0, 0);
			return labels;
		});
		this.rows = new Rows(this.model);
		this.placeSessions();
		this.muteOthers();
		this.tiles = new Tiles(this.source, () => this.redraw());
		this.tiles.failed = (error) => this.fail(error);
		this.painter = new Painter(this.tiles, this.labels);
		this.overviewPainter = new Painter(this.tiles, this.labels);
		this.namesWidth = this.usualNamesWidth();
		this.namesChosen = false;
		this.ruler = new Ruler(byId("ruler"), this);
		this.overview = new Overview(byId("overview"), this);
		this.panes = [new Pane(byId("pinned"), this, true), new Pane(byId("rows"), this, false)];
		this.tooltip = new Tooltip(byId("tooltip"), this);
		this.theme = new Theme(this);
		this.panel = new Panel(byId("panel"), this);
		/* On a small screen the rows come first. */
		if (innerHeight < HEIGHT_FOR_PANEL)
			this.panel.fold();
		this.search = new Search(this);
		this.instances = new Instances(this);
		this.flame = new Flame(this);
		this.graph = new Graph(this);
		this.findings = new Findings(this);
		this.address = new Address(this);
		showRun(this.model);
		showNotes(this.model);
		byId("fit-devices").hidden = !this.model.sessions.some((session) => session.devices_ns);
		new Controls(this);
		this.focused = this.rows.shown[0] || null;
		byId("message").hidden = this.rows.shown.length > 0;
		byId("message").textContent = "This trace holds no rows.";
		this.resized();
		this.range.set(this.atFirst.begin, this.atFirst.end);
		if (location.hash.length > 1)
			await this.address.apply();
		this.running = new Follow(this);
		this.askFirst();
	}

	/* The first drawing of everything takes longer than others: what it lacks is on its way
	 * meanwhile. */
	askFirst() {
		this.tiles.begin();
		for (const pane of this.panes)
			pane.measure();
		this.pane.ask();
		this.overview.ask();
		this.tiles.end();
	}

	get style() {
		return this.theme.style;
	}

	get pane() {
		return this.panes[1];
	}

	/* Where each session is on the axis, and the range of all of them. */
	placeSessions() {
		let first = Infinity, last = -Infinity;
		for (const session of this.model.sessions) {
			first = Math.min(first, session.offset_ns);
			last = Math.max(last, session.offset_ns + Math.max(session.last_ns, session.duration_ns, 1));
		}
		for (const track of this.rows.byTrack.values()) {
			const session = this.model.sessions[track.session];
			track.offset = session.offset_ns;
			track.period = session.sample_period_ns;
			track.extent = {first: 0, last: Math.max(session.last_ns, session.duration_ns, 1)};
		}
		this.range = new Range(first, last, () => this.redraw());
		/* What was asked for on the command line. */
		this.atFirst = {begin: this.range.first, end: this.range.last};
		for (const {shown, offset_ns} of this.model.sessions.filter((session) => session.shown).reverse())
			this.atFirst = {begin: offset_ns + shown.begin_ns, end: offset_ns + shown.end_ns};
	}

	/* On the CPUs the program's own threads stand out. */
	muteOthers() {
		this.labels.forEach((labels, session) => {
			const own = new Set(this.rows.all.filter((row) => row.kind === "thread" && row.session === session)
				.map((row) => row.id));
			for (const label of labels) {
				const tid = label.kind === "task" && / \((\d+)\)$/.exec(label.name);
				if (tid && !own.has(Number(tid[1])))
					label.setOther();
			}
		});
	}

	/* What went wrong stays until it is read; once there is a picture, not for ever. */
	fail(error) {
		const message = byId("message");
		clearTimeout(this.failing);
		if (this.first)
			this.failing = setTimeout(() => {
				message.hidden = true;
			}, FAILURE_MS);
		message.textContent = error.message;
		message.classList.add("wrong");
		message.hidden = false;
	}

	/* What a file with an overview cannot answer is said in the sheet that asked. */
	failUnlessRefused(error) {
		if (!error.refused)
			this.fail(error);
	}

	/* --- drawing */

	redraw() {
		if (this.drawing)
			return;
		this.drawing = true;
		requestAnimationFrame((now) => {
			this.drawing = false;
			this.draw(now);
		});
	}

	draw(now) {
		this.range.advance(now);
		this.tiles.begin();
		byId("pinned").hidden = !this.rows.pinned.length;
		byId("pinned").style.height = Math.min(this.rows.pinnedHeight, innerHeight * 0.35) + "px";
		for (const pane of this.panes)
			pane.measure();
		/* All pictures are as wide as the one beside the scroll bar. */
		document.documentElement.style.setProperty("--bar",
			this.pane.node.offsetWidth - this.pane.node.clientWidth + "px");
		this.ruler.draw();
		this.overview.draw();
		let whole = true;
		for (const pane of this.panes)
			if (!pane.node.hidden)
				whole = pane.draw() && whole;
		this.tiles.end();
		this.showState();
		this.flame.draw();
		this.address.changed();
		document.body.dataset.whole = String(whole && !this.range.goal);
		if (whole && !this.first) {
			this.first = true;
			performance.mark("first-picture");
			if (!this.selection)
				this.panel.showWhole();
			this.findings.load();
		}
	}

	redrawOverlay() {
		for (const pane of this.panes)
			if (!pane.node.hidden)
				pane.drawOverlay();
		this.showState();
	}

	showState() {
		const {range} = this;
		const whole = range.span >= (range.last - range.first) * 0.999;
		const words = [whole ? "full trace" : "visible range " + lengthWords(range.span)];
		if (this.cursor !== null)
			words.push("pointer at " + timeWords(this.cursor));
		if (this.measure.words)
			words.push(this.measure.words);
		if (this.running && this.running.more)
			words.push("more has been recorded: reload to see it");
		byId("state").textContent = words.join("  \u00b7  ");
	}

	resized() {
		document.documentElement.style.setProperty("--names", this.namesWidth + "px");
		this.redraw();
	}

	usualNamesWidth() {
		return clamp(innerWidth * 0.22, 130, 300);
	}

	setNamesWidth(pixels) {
		this.namesChosen = true;
		this.namesWidth = clamp(pixels, NAMES_LEAST, innerWidth * 0.6);
		this.resized();
	}

	/* --- what is chosen */

	pointerAt(time) {
		this.cursor = time;
		if (!this.drawing)
			this.redrawOverlay();
	}

	/* `finding`: one whose mark is under the pointer. */
	hover(hit, event, finding) {
		this.hovered = finding ? null : hit;
		if (finding)
			this.tooltip.showFinding(finding, event.clientX, event.clientY);
		else if (hit)
			this.tooltip.show(hit, event.clientX, event.clientY);
		else
			this.tooltip.hide();
	}

	/* What the server knows of a span; asked for once. */
	async details(span) {
		const key = span.track.key + ":" + span.item;
		let detail = this.known.get(key);
		if (!detail) {
			detail = this.source.detail(span.track.session, span.track.number, span.item);
			this.known.set(key, detail);
			if (this.known.size > DETAILS_KEPT)
				this.known.delete(this.known.keys().next().value);
		}
		try {
			return await detail;
		} catch (error) {
			this.known.delete(key);
			this.fail(error);
			return null;
		}
	}

	clicked(pane, hit, row, time, finding) {
		if (this.measure.active) {
			this.measure.at(pane, hit, time);
			return;
		}
		if (row)
			this.focus(row);
		if (finding) {
			this.findings.reveal(finding);
			return;
		}
		this.choose(hit && hit.spans ? hit : null);
	}

	/* `stay`: the sheet that is open stays. */
	async choose(span, stay) {
		this.panel.staying = stay === true;
		this.selected = span;
		this.detail = null;
		this.redraw();
		if (!span) {
			this.panel.clear();
			return;
		}
		if (span.spans > 1) {
			this.panel.showMany(span);
			return;
		}
		this.panel.showWait();
		const detail = await this.details(span);
		if (this.selected !== span || !detail)
			return;
		this.detail = {...detail, span};
		this.panel.showDetail(span, detail);
		this.graph.chooseSelected(!stay);
		this.redraw();
	}

	/* Goes to a span of which only its place is known. */
	async goTo(session, {track: number, item}, stay) {
		const track = this.rows.byTrack.get(session + ":" + number);
		if (!track)
			return;
		const detail = await this.details({track, item});
		if (!detail)
			return;
		if (!this.rows.reveal(track))
			byId("filter").value = "";
		const span = spanOfDetail(track, item, detail);
		if (track.type === "samples")
			this.range.revealMoment(span.begin + track.offset);
		else
			this.range.reveal(span.begin + track.offset, span.end + track.offset, this.pane.width);
		const row = this.rows.standIn(track.row);
		this.focus(row);
		this.pane.measure();
		this.pane.scrollTo(row);
		await this.choose(span, stay);
	}

	/* All events of a name: their table, and they stand out in the picture. */
	async findAll(name, kind) {
		await this.search.exactly(name, kind);
		this.search.closeList();
		await this.instances.showNamed(name, kind);
	}

	/* The span before or after the one that is selected, in its track. */
	async stepEvent(step) {
		const {selected} = this;
		if (!selected) {
			this.chooseMiddle();
			return;
		}
		const item = selected.item + (step > 0 ? selected.spans : -1);
		if (item >= 0 && item < selected.track.items)
			await this.goTo(selected.track.session, {track: selected.track.number, item});
	}

	/* The event in the middle of the focused row. */
	chooseMiddle() {
		const {focused, pane} = this;
		if (!focused)
			return;
		for (const {track} of focused.lanes) {
			if (track.type === "counter" || track.type === "cover")
				continue;
			for (let off = 0; off < pane.width / 2; off += REACH_PIXELS) {
				for (const x of [pane.width / 2 + off, pane.width / 2 - off]) {
					const hit = pane.hitSpan(track, x);
					if (hit) {
						this.choose(hit);
						return;
					}
				}
			}
		}
	}

	select(stretch, done) {
		this.selection = stretch;
		if (stretch && done)
			this.panel.showSelection();
		else if (!stretch)
			this.panel.showWhole();
		this.redraw();
	}

	/* --- measuring */

	/* --- rows */

	focus(row) {
		this.focused = row;
		const names = this.pane.names;
		names.setAttribute("aria-activedescendant", "row-" + row.session + "-" + row.number);
		this.redraw();
	}

	focusBy(step) {
		const {shown} = this.rows;
		const at = shown.indexOf(this.focused);
		const row = shown[clamp(at < 0 ? 0 : at + step, 0, shown.length - 1)];
		if (!row)
			return;
		this.focus(row);
		this.pane.scrollTo(row);
	}

	fold(row, folded) {
		if (this.rows.setFolded(row, folded))
			this.redraw();
	}

	/* Left folds, or goes to the row above; right unfolds. */
	foldKey(folded) {
		const {focused} = this;
		if (!focused)
			return;
		if (focused.children.length && focused.folded !== folded)
			this.fold(focused, folded);
		else if (folded && focused.parent && focused.parent.y !== null)
			this.focus(focused.parent);
	}

	pin(row, pinned) {
		this.rows.setPinned(row, pinned);
		this.redraw();
	}

	/* Adds a row to those that a selection is of, or takes it out. */
	chooseRow(row, chosen) {
		row.chosen = chosen;
		this.panel.chosenRows();
		this.redraw();
	}

	chooseNoRows() {
		this.rows.all.forEach((row) => {
			row.chosen = false;
		});
		this.panel.chosenRows();
		this.redraw();
	}

	moveRow(row, before) {
		if (this.rows.move(row, before))
			this.redraw();
	}

	filter(text) {
		let pattern = null;
		const input = byId("filter");
		try {
			pattern = text ? new RegExp(text, "i") : null;
			input.classList.remove("wrong");
		} catch (error) {
			input.classList.add("wrong");
			return;
		}
		this.rows.setFilter(pattern);
		byId("message").textContent = "No row has such a name.";
		byId("message").hidden = this.rows.shown.length > 0;
		this.redraw();
	}

	/* --- keys and buttons */

	/* First what is selected, then everything. */
	fit() {
		const {range} = this;
		const goal = this.selection || (this.selected && stretchOf(this.selected));
		const before = [range.target.begin, range.target.end];
		if (goal)
			range.fit(goal.begin, goal.end);
		const same = Math.abs(range.target.begin - before[0]) + Math.abs(range.target.end - before[1]) <
			range.span * 0.01;
		if (!goal || same)
			range.fitAll();
	}

	/* Where devices work, in all sessions; again: everything. */
	fitDevices() {
		const {range} = this;
		const worked = this.model.sessions.filter((session) => session.devices_ns);
		if (!worked.length)
			return;
		const begin = Math.min(...worked.map((session) => session.offset_ns + session.devices_ns[0]));
		const end = Math.max(...worked.map((session) => session.offset_ns + session.devices_ns[1]));
		const room = Math.max((end - begin) * 0.02, LEAST_NS / 2);
		const before = [range.target.begin, range.target.end];
		range.glide(begin - room, end + room);
		if (Math.abs(range.target.begin - before[0]) + Math.abs(range.target.end - before[1]) < (end - begin) * 0.01)
			range.fitAll();
	}

	clearSelection() {
		if (this.measure.active || this.measure.span) {
			this.measure.end();
			this.measure.span = null;
		} else if (this.selected) {
			this.choose(null);
		} else if (this.selection) {
			this.select(null);
		} else if (this.rows.all.some((row) => row.chosen)) {
			this.chooseNoRows();
		} else if (this.search.active) {
			this.search.clear();
		}
		this.redraw();
	}

}

const app = new App(typeof LocalSource === "undefined" ? new ServerSource() : new LocalSource());
window.tandem = app; /* for tests, and for the curious */
app.start().catch((error) => app.fail(error));
