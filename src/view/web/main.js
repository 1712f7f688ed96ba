/* SPDX-License-Identifier: MIT */
/* Puts the page together: one object that knows what is shown, chosen and looked
 * for, and a picture drawn whenever any of it changed. */
"use strict";

const DETAILS_KEPT = 400;
const SNAP_PIXELS = 8;
const NAMES_LEAST = 90;
const NAMED_MOST = 4;
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
		this.measuring = false;
		this.measured = null; /* {from, to} */
		this.marked = []; /* findings: {row, begin, end} */
		this.trail = []; /* where the arrows came from */
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
		this.setTheme(null);
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
		this.showRun();
		this.showNotes();
		byId("fit-devices").hidden = !this.model.sessions.some((session) => session.devices_ns);
		this.listen();
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

	showRun() {
		const {sessions} = this.model;
		const one = sessions[0];
		const run = byId("run");
		const names = sessions.map((session) => session.words);
		const exit = one.exit_signal ? `, died of signal ${one.exit_signal}` :
			one.exit_code ? `, exit status ${one.exit_code}` : one.ended ? "" : ", still running when it was read";
		const about = sessions.length > 1 ? `${sessions.length} sessions` :
			`${lengthWords(one.duration_ns)} on ${visible(one.host || "an unknown host")}, ` +
			`${one.events ? plural(one.events, "event") : "no GPU API calls"}${exit}`;
		run.append(element("strong", {}, names.join(" \u00b7 ")), element("span", {class: "dim"}, about));
		run.title = sessions.map((session) => `${session.command}\n${session.start}\n${session.path}`).join("\n\n");
		document.title = names.join(", ") + " \u2013 Tandem";
		/* Where their bands are too narrow for names, the rows have them. */
		const named = sessions.length === 1 ? ["Full trace"] : sessions.length > NAMED_MOST ? [about] : names;
		byId("overview-names").append(...named.map((words) => element("span", {}, words)));
	}

	/* What is missing or wrong in the trace, never hidden. */
	showNotes() {
		const notes = this.model.sessions.flatMap((session) => session.notes.map((note) =>
			({...note, of: this.model.sessions.length > 1 ? session.words + ": " : ""})));
		const button = byId("notes"), dialog = byId("notes-dialog");
		if (!notes.length)
			return;
		button.hidden = false;
		button.textContent = "\u26a0 " + plural(notes.length, "note");
		button.classList.toggle("warning", notes.some((note) => note.warning));
		dialog.append(element("form", {method: "dialog"},
			element("h2", {id: "notes-title"}, "Trace warnings"),
			element("button", {class: "close", "aria-label": "Close"}, "\u2715")),
		element("ul", {}, ...notes.map((note) =>
			element("li", {class: note.warning ? "warning" : ""}, note.of + visible(note.text)))));
		button.addEventListener("click", () => dialog.showModal());
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
		if (this.measuring)
			words.push(this.measured && this.measured.to === null ? "click the second point" : "click the first point");
		else if (this.measured)
			words.push("measured " + exactWords(Math.abs(this.measured.to - this.measured.from)));
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

	/* null: as the system wants it. */
	setTheme(theme) {
		const system = matchMedia("(prefers-color-scheme: dark)");
		const dark = theme ? theme === "dark" : system.matches;
		this.themeChosen = theme !== null;
		document.documentElement.dataset.theme = dark ? "dark" : "light";
		const computed = getComputedStyle(document.documentElement);
		const style = {};
		for (const name of ["text", "dim", "row", "group", "focus", "line", "grid", "accent", "onAccent",
			"hover", "outside", "shade", "measure", "cursor", "match", "finding", "arrow", "arrowBack",
			"arrowWait", "arrowTask", "badge", "tick", "coverFill", "coverLine", "counterFill", "counterLine",
			"activityCalls", "activityDevice", "hatchLine"])
			style[name] = computed.getPropertyValue("--" + name.replace(/[A-Z]/g, (c) => "-" + c.toLowerCase())).trim();
		style.hatch = hatchPattern(style.hatchLine);
		this.style = style;
		this.dark = dark;
		this.painter.setStyle(style);
		this.overviewPainter.setStyle(style);
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
		if (this.measuring) {
			this.measureAt(pane, hit, time);
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

	/* Along the arrows: on to the command and to what saw its end, or back. */
	async follow(back) {
		const {detail} = this;
		if (back && this.trail.length) {
			const from = this.trail.pop();
			await this.goTo(from.session, from);
			return;
		}
		if (!detail || !detail.links)
			return;
		const order = back ? ["call", "after", "ended", "task", "predecessor"] :
			["command", "operation", "seen", "ended", "waker", "successor"];
		const link = order.map((is) => detail.links.find((one) => one.is === is)).find((one) => one);
		if (!link)
			return;
		const {track, item} = detail.span;
		if (!back)
			this.trail.push({session: track.session, track: track.number, item});
		await this.goTo(track.session, link);
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

	setMeasuring(on) {
		this.measuring = on;
		if (on)
			this.measured = null;
		byId("measure").setAttribute("aria-pressed", String(on));
		document.body.classList.toggle("measuring", on);
		this.redraw();
	}

	/* To the edge of an event that is near. */
	snapped(pane, hit, time) {
		if (!hit || !hit.spans)
			return time;
		const near = SNAP_PIXELS / pane.width * this.range.span;
		const edges = [hit.begin, hit.end].map((edge) => edge + hit.track.offset);
		const best = Math.abs(edges[0] - time) <= Math.abs(edges[1] - time) ? edges[0] : edges[1];
		return Math.abs(best - time) <= near ? best : time;
	}

	measureAt(pane, hit, time) {
		const at = this.snapped(pane, hit, time);
		if (!this.measured || this.measured.to !== null) {
			this.measured = {from: at, to: null};
		} else {
			this.measured.to = at;
			this.setMeasuringDone();
		}
		this.redraw();
	}

	setMeasuringDone() {
		this.measuring = false;
		byId("measure").setAttribute("aria-pressed", "false");
		document.body.classList.remove("measuring");
	}

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
		if (this.measuring || this.measured) {
			this.setMeasuringDone();
			this.measured = null;
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

	toggleTheme() {
		this.setTheme(this.dark ? "light" : "dark");
		this.redraw();
	}

	key(event) {
		const {range} = this;
		const around = this.cursor === null ? undefined : this.cursor;
		const plain = {
			w: () => range.zoom(0.7, around), s: () => range.zoom(1 / 0.7, around),
			a: () => range.pan(-0.2), d: () => range.pan(0.2),
			f: () => this.fit(), g: () => this.fitDevices(), m: () => this.setMeasuring(!this.measuring),
			home: () => range.glide(range.first, range.first + range.span),
			end: () => range.glide(range.last - range.span, range.last),
			",": () => this.stepEvent(-1), ".": () => this.stepEvent(1),
			"[": () => this.follow(true), "]": () => this.follow(false),
			"/": () => byId("search").select(), r: () => byId("filter").select(),
			n: () => this.search.step(event.shiftKey),
			p: () => this.focused && this.pin(this.focused, !this.focused.pinned),
			x: () => this.focused && this.chooseRow(this.focused, !this.focused.chosen),
			t: () => this.toggleTheme(), q: () => this.panel.fold(),
			"?": () => byId("help-dialog").showModal(),
			escape: () => this.clearSelection(), enter: () => this.chooseMiddle(),
			arrowup: () => this.focusBy(-1), arrowdown: () => this.focusBy(1),
			arrowleft: () => this.foldKey(true), arrowright: () => this.foldKey(false),
		};
		const name = event.key.toLowerCase();
		if ((event.ctrlKey || event.metaKey) && name === "f") {
			byId("search").select();
			return true;
		}
		if (event.ctrlKey || event.metaKey)
			return false;
		if (event.altKey) {
			const step = {arrowup: -1, arrowdown: 1}[name];
			if (step && this.focused && this.rows.moveBy(this.focused, step))
				this.redraw();
			return !!step;
		}
		if (!plain[name])
			return false;
		plain[name]();
		return true;
	}

	listen() {
		document.addEventListener("keydown", (event) => {
			const {target} = event;
			if (target.matches("input, select, textarea") || document.querySelector("dialog[open]"))
				return;
			if (target.matches("button") && (event.key === "Enter" || event.key === " "))
				return;
			if (this.key(event))
				event.preventDefault();
		});
		const on = (id, act) => byId(id).addEventListener("click", act);
		on("zoom-in", () => this.range.zoom(0.5));
		on("zoom-out", () => this.range.zoom(2));
		on("fit", () => this.fit());
		on("fit-devices", () => this.fitDevices());
		on("measure", () => this.setMeasuring(!this.measuring));
		on("theme", () => this.toggleTheme());
		on("help", () => byId("help-dialog").showModal());
		fillHelp(byId("help-dialog"));
		byId("filter").addEventListener("input", (event) => this.filter(event.target.value));
		byId("filter").addEventListener("keydown", (event) => {
			if (event.key !== "Escape")
				return;
			event.target.value = "";
			this.filter("");
			event.target.blur();
		});
		for (const dialog of document.querySelectorAll("dialog"))
			dialog.addEventListener("click", (event) => {
				if (event.target === dialog)
					dialog.close();
			});
		addEventListener("resize", () => {
			if (this.namesChosen)
				this.setNamesWidth(this.namesWidth);
			else
				this.namesWidth = this.usualNamesWidth();
			this.resized();
			if (this.search.active)
				this.search.mark();
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
			if (!this.themeChosen)
				this.setTheme(null);
			this.redraw();
		});
		listenSeparator(byId("names-edge"), (event) => this.setNamesWidth(event.clientX),
			(step) => this.setNamesWidth(this.namesWidth + step), "ArrowLeft", "ArrowRight");
		const panel = byId("panel");
		listenSeparator(byId("panel-edge"), (event) => this.panel.setHeight(innerHeight - event.clientY),
			(step) => this.panel.setHeight(panel.clientHeight - step), "ArrowUp", "ArrowDown");
	}
}

/* A span of which only its details are known. */
function spanOfDetail(track, item, detail) {
	const flags = detail.flags.reduce((sum, flag) => sum | FLAG[flag], 0);
	return {track, item: detail.item === undefined ? item : detail.item, spans: detail.spans || 1, busy: 1,
		begin: detail.begin_ns, end: detail.end_ns, label: new Label(detail.name, detail.kind, flags, 0, 0)};
}

/* An edge that is dragged, or moved by two keys. */
function listenSeparator(node, drag, step, less, more) {
	node.addEventListener("pointerdown", (event) => {
		event.preventDefault();
		node.setPointerCapture(event.pointerId);
		node.classList.add("taken");
	});
	node.addEventListener("pointermove", (event) => {
		if (node.classList.contains("taken"))
			drag(event);
	});
	for (const end of ["pointerup", "pointercancel"])
		node.addEventListener(end, () => node.classList.remove("taken"));
	node.addEventListener("keydown", (event) => {
		if (event.key !== less && event.key !== more)
			return;
		event.preventDefault();
		event.stopPropagation();
		step(event.key === more ? 16 : -16);
	});
}

/* The program without its folders; the session's own name behind it where several have
 * the same program. */
function nameSessions(sessions) {
	const last = (path) => path.replace(/\/+$/, "").replace(/.*\//, "");
	const program = (session) => last(session.program || "");
	for (const session of sessions) {
		const name = program(session), own = last(session.path);
		const alike = sessions.some((other) => other !== session && program(other) === name);
		session.words = visible(!name ? own : alike ? `${name} (${own})` : name);
	}
}

function hatchPattern(colour) {
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = 8;
	const context = canvas.getContext("2d");
	context.strokeStyle = colour;
	context.lineWidth = 2;
	context.beginPath();
	for (const x of [-8, 0, 8]) {
		context.moveTo(x, 8);
		context.lineTo(x + 8, 0);
	}
	context.stroke();
	return context.createPattern(canvas, "repeat");
}

const app = new App(typeof LocalSource === "undefined" ? new ServerSource() : new LocalSource());
window.tandem = app; /* for tests, and for the curious */
app.start().catch((error) => app.fail(error));
