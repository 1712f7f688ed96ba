/* SPDX-License-Identifier: MIT */
/* The task graph of a session, drawn: tasks one by one, or folded into the places of the program
 * that submit them. A click shows a task in the timeline, and an event of the timeline has its task
 * here. The longest chain is marked: the graph takes no less, on however many devices. */
"use strict";

const GRAPH_WIDTH = 176; /* of a node */
const GRAPH_HEIGHT = 34;
const GRAPH_SCALE_LEAST = 0.004;
const GRAPH_SCALE_MOST = 3;
const GRAPH_TEXT_LEAST = 0.42; /* scale from which on there are names */
/* More tasks are folded at first. */
const GRAPH_UNFOLDED_MOST = 300;
const GRAPH_MARGIN = 24;
/* Room for an edge from a node to itself, and its count. */
const GRAPH_LOOP = 34;
/* A scale at which a graph cannot be read at all. */
const GRAPH_BEGIN_BELOW = 0.1;

class Graph {
	constructor(app) {
		this.app = app;
		this.sheet = byId("graph");
		this.canvas = element("canvas", {tabindex: 0, role: "img", "aria-label": "Task graph: arrows follow edges, + and - zoom"});
		this.known = new Map(); /* graphs, by session */
		this.session = app.model.sessions.findIndex((session) => session.task_nodes);
		this.folded = null; /* null: as the number of tasks says */
		this.byTime = false;
		this.shown = null; /* {nodes, edges, layout, ...} */
		this.chosen = null; /* what of it is selected: its index */
		this.view = {x: 0, y: 0, scale: 1};
		this.painter = new GraphPainter(this);
		byId("tab-graph").hidden = this.session < 0;
		this.listen();
		new ResizeObserver(() => this.draw()).observe(this.sheet);
	}

	get open() {
		return !this.sheet.hidden;
	}

	async graph(session) {
		if (!this.known.has(session)) {
			const asked = this.app.source.graph(session).then(readGraph);
			this.known.set(session, asked);
			asked.catch(() => this.known.delete(session));
		}
		return this.known.get(session);
	}

	/* Of the selection where it is unfolded, else of all. */
	async refresh() {
		const {app} = this;
		if (!this.open || this.session < 0)
			return;
		let graph;
		try {
			graph = await this.graph(this.session);
		} catch (error) {
			app.fail(error);
			return;
		}
		if (!this.open)
			return;
		const wanted = this.wanted();
		if (wanted !== this.made) {
			this.made = wanted;
			this.make(graph);
		}
		this.showHead(graph);
		this.chooseSelected(false);
		this.draw();
	}

	get isFolded() {
		const {app} = this;
		return this.folded !== null ? this.folded :
			app.model.sessions[this.session].task_nodes > GRAPH_UNFOLDED_MOST && !app.selection;
	}

	/* What is drawn depends on these. */
	wanted() {
		const {app} = this;
		return JSON.stringify([this.session, this.isFolded, this.isFolded ? null : app.selection]);
	}

	make(graph) {
		const {app} = this;
		const offset = app.model.sessions[this.session].offset_ns, {selection} = app;
		if (this.isFolded) {
			this.shown = placesOf(graph);
		} else {
			this.shown = tasksOf(graph, selection && ((node) => node.at !== null && node.at + offset >= selection.begin &&
				node.at + offset < selection.end));
		}
		this.shown.layout = layoutGraph(this.shown.nodes.length, this.shown.edges);
		this.shown.most = Math.max(1, ...this.shown.nodes.map((node) => node.deviceNs));
		this.chosen = null;
		this.fitted = false;
	}

	/* --- what stands above the picture */

	showHead(graph) {
		const {app, shown} = this;
		const button = (id, words, title, act, pressed) => element("button", {id, title,
			"aria-pressed": pressed === undefined ? null : String(pressed), onclick: act}, words);
		const sessions = app.model.sessions.map((session, number) => [session, number]).filter(([session]) => session.task_nodes);
		const choice = sessions.length < 2 ? null : element("select", {"aria-label": "Session", onchange: (event) => {
			this.session = Number(event.target.value);
			this.refresh();
		}}, ...sessions.map(([session, number]) => element("option", {value: number}, session.words)));
		if (choice)
			choice.value = String(this.session);
		const kinds = [...new Set(shown.nodes.map((node) => node.kind))];
		this.info = element("span", {class: "info"});
		this.sheet.replaceChildren(
			element("p", {class: "actions"},
				element("strong", {}, shown.folded ? plural(shown.nodes.length, "place") : plural(shown.nodes.length, "task")),
				element("span", {class: "dim"}, this.headWords(graph)), choice,
				button("graph-fold", "Fold by place", "One node for each place of the program, or one for each task",
					() => this.fold(!this.isFolded), shown.folded),
				button("graph-time", "Colour by device time", "The darker, the more device time",
					() => this.colourByTime(!this.byTime), this.byTime),
				element("span", {class: "together"},
					button("graph-out", "\u2212", "Zoom out (\u2212)", () => this.zoom(1 / 1.4)),
					button("graph-in", "+", "Zoom in (+)", () => this.zoom(1.4)),
					button("graph-fit", "Fit", "The full graph (F)", () => this.fit())),
				element("span", {class: "legend-line"}, ...this.legend(kinds))),
			shown.nodes.length ? this.canvas : element("p", {class: "empty"}, "No task was submitted in this range."),
			element("p", {class: "actions below"}, this.info));
		this.showInfo();
	}

	headWords(graph) {
		const parts = [];
		if (this.shown.folded)
			parts.push(`that submit ${plural(graph.total, "task")}`);
		else if (this.app.selection)
			parts.push(`submitted in the selected range, of ${countWords(graph.total)}`);
		else if (this.shown.nodes.length < graph.total)
			parts.push(`the first of ${countWords(graph.total)}: select a range for others`);
		parts.push(plural(graph.totalEdges, "edge"));
		if (graph.chainNs)
			parts.push(`critical chain: ${plural(graph.chain, "task")}, ${lengthWords(graph.chainNs)} of device time`);
		return parts.join(" \u00b7 ");
	}

	legend(kinds) {
		const entry = (words, colour) => {
			const swatch = element("span", {class: "swatch"});
			swatch.style.background = colour;
			return element("span", {}, swatch, " ", words);
		};
		const list = this.byTime ? [entry("none", this.painter.timeColour(0)), entry(lengthWords(this.shown.most), this.painter.timeColour(1))] :
			kinds.map((kind) => entry(...TASK_KINDS[kind] || TASK_KINDS.other));
		return [...list, entry("critical chain", this.app.style.finding)];
	}

	/* What is known of the one that is selected, and where to go from it. */
	showInfo() {
		const {app, shown, chosen} = this;
		if (!this.info)
			return;
		if (chosen === null) {
			this.info.replaceChildren(element("span", {class: "dim"}, shown.folded ?
				"Click a place to select it; drag to pan, Ctrl and the wheel to zoom." :
				"Click a task to show it in the timeline; drag to pan, Ctrl and the wheel to zoom."));
			return;
		}
		const node = shown.nodes[chosen], {next, last} = shown.layout;
		const joined = (list, one) => list.length ? plural(list.length, one) : "no " + one;
		this.info.replaceChildren(element("strong", {}, visible(node.name)), " ",
			element("span", {class: "dim"}, [visible(node.place), node.words, node.deviceNs ? lengthWords(node.deviceNs) + " device time" : "",
				joined(last[chosen], "predecessor"), joined(next[chosen], "successor"),
				node.critical ? "on the critical chain" : ""].filter((text) => text).join(" \u00b7 ")), " ",
			shown.folded ? element("button", {id: "graph-tasks", onclick: () => this.unfold(node)}, "Show its tasks") :
				element("button", {id: "graph-details", onclick: () => app.panel.open("details")}, "Details"));
	}

	fold(folded) {
		this.folded = folded;
		this.app.address.changed();
		this.refresh();
	}

	colourByTime(byTime) {
		this.byTime = byTime;
		this.app.address.changed();
		this.refresh();
	}

	/* How it is drawn, where that was chosen: in the page's address. */
	get look() {
		return [...this.folded === null ? [] : [this.folded ? "places" : "tasks"], ...this.byTime ? ["time"] : []];
	}

	setLook(words) {
		this.folded = words.has("places") ? true : words.has("tasks") ? false : null;
		this.byTime = words.has("time");
		this.refresh();
	}

	/* The tasks of a place: the first one is selected, in the middle. */
	async unfold(place) {
		this.folded = false;
		this.app.address.changed();
		await this.refresh();
		const first = this.shown.nodes.findIndex((node) => node.of === place.of);
		if (first >= 0)
			this.choose(first, true);
	}

	/* --- what is selected */

	/* The task of the event that is selected in the timeline. */
	chooseSelected(centre) {
		const {app, shown} = this;
		const task = app.detail && app.detail.task;
		if (!task || !shown || shown.folded || app.detail.span.track.session !== this.session)
			return;
		const at = shown.nodes.findIndex((node) => node.number === task.node);
		if (at >= 0 && at !== this.chosen)
			this.setChosen(at, centre);
	}

	setChosen(at, centre) {
		this.chosen = at;
		this.showInfo();
		if (centre)
			this.centre(at);
		this.draw();
	}

	/* Of an event's details: its task, in the middle. */
	async reveal(session, number) {
		this.session = session;
		this.folded = false;
		this.app.address.changed();
		this.app.panel.chosenByUser = true;
		this.app.panel.open("graph");
		await this.refresh();
		const at = this.shown.nodes.findIndex((node) => node.number === number);
		if (at >= 0)
			this.setChosen(at, true);
	}

	async choose(at, centre) {
		const {app, shown} = this;
		this.setChosen(at, centre);
		const drawn = at === null || shown.folded ? null : shown.nodes[at].operation || shown.nodes[at].task;
		if (drawn)
			await app.goTo(this.session, drawn, true);
	}

	centre(at) {
		const {x, y} = this.shown.layout;
		const scale = clamp(Math.max(this.view.scale, 0.8), GRAPH_SCALE_LEAST, 1);
		this.view = {scale, x: this.width / 2 - x[at] * scale, y: this.height / 2 - y[at] * scale};
		this.fitted = true;
	}

	/* --- the picture */

	get width() {
		return Math.max(1, this.canvas.clientWidth);
	}

	get height() {
		return Math.max(1, this.canvas.clientHeight);
	}

	fit() {
		const {layout, nodes, edges} = this.shown;
		if (!nodes.length)
			return;
		const loops = new Set(edges.filter(({from, to}) => from === to).map(({from}) => from));
		let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
		for (let i = 0; i < nodes.length; i++) {
			left = Math.min(left, layout.x[i]);
			right = Math.max(right, layout.x[i]);
			top = Math.min(top, layout.y[i] - (loops.has(i) ? GRAPH_LOOP : 0));
			bottom = Math.max(bottom, layout.y[i]);
		}
		const wide = right - left + GRAPH_WIDTH + 2 * GRAPH_MARGIN, high = bottom - top + GRAPH_HEIGHT + 2 * GRAPH_MARGIN;
		const scale = clamp(Math.min(this.width / wide, this.height / high), GRAPH_SCALE_LEAST, 1.1);
		this.view = {scale, x: this.width / 2 - (left + right) / 2 * scale, y: this.height / 2 - (top + bottom) / 2 * scale};
		this.fitted = true;
		this.draw();
	}

	/* Where the longest chain begins, or the first task. */
	showBegin() {
		const {layout, nodes} = this.shown;
		const first = nodes.findIndex((node) => node.inChain === 1), at = first < 0 ? 0 : first;
		const scale = 0.8;
		this.view = {scale, x: (GRAPH_MARGIN + GRAPH_WIDTH / 2) - layout.x[at] * scale, y: this.height / 2 - layout.y[at] * scale};
		this.draw();
	}

	zoom(factor, x = this.width / 2, y = this.height / 2) {
		const {view} = this;
		const scale = clamp(view.scale * factor, GRAPH_SCALE_LEAST, GRAPH_SCALE_MOST);
		this.view = {scale, x: x - (x - view.x) * scale / view.scale, y: y - (y - view.y) * scale / view.scale};
		this.draw();
	}

	pan(x, y) {
		this.view.x += x;
		this.view.y += y;
		this.draw();
	}

	draw() {
		const {canvas, shown} = this;
		if (!this.open || !shown || !canvas.isConnected || !shown.nodes.length || this.drawing)
			return;
		this.drawing = true;
		requestAnimationFrame(() => {
			this.drawing = false;
			if (!this.open || !canvas.isConnected)
				return;
			if (!this.fitted) {
				this.fit();
				/* Of a graph that is a line from afar, the begin. */
				if (this.view.scale < GRAPH_BEGIN_BELOW)
					this.showBegin();
				return;
			}
			this.painter.paint();
		});
	}

	/* --- pointer and keys */

	at(event) {
		const box = this.canvas.getBoundingClientRect(), {view, shown} = this;
		if (!shown)
			return null;
		const x = (event.clientX - box.left - view.x) / view.scale, y = (event.clientY - box.top - view.y) / view.scale;
		const reach = 2 / view.scale;
		for (let i = 0; i < shown.nodes.length; i++)
			if (Math.abs(shown.layout.x[i] - x) <= GRAPH_WIDTH / 2 + reach && Math.abs(shown.layout.y[i] - y) <= GRAPH_HEIGHT / 2 + reach)
				return i;
		return null;
	}

	hover(at, event) {
		const {app, canvas, shown} = this;
		canvas.style.cursor = at === null ? "grab" : "pointer";
		if (at === null)
			app.tooltip.hide();
		else
			app.tooltip.showTask(shown.nodes[at], event.clientX, event.clientY);
		if (this.hovered !== at) {
			this.hovered = at;
			this.draw();
		}
	}

	listen() {
		const {app, canvas} = this;
		let down = null;
		canvas.addEventListener("pointerdown", (event) => {
			if (event.button > 1)
				return;
			canvas.setPointerCapture(event.pointerId);
			down = {x: event.clientX, y: event.clientY, moved: false};
		});
		canvas.addEventListener("pointermove", (event) => {
			if (!down) {
				this.hover(this.at(event), event);
				return;
			}
			const x = event.clientX - down.x, y = event.clientY - down.y;
			if (!down.moved && Math.abs(x) + Math.abs(y) <= CLICK_PIXELS)
				return;
			this.hover(null);
			this.pan(x, y);
			down = {x: event.clientX, y: event.clientY, moved: true};
		});
		canvas.addEventListener("pointerup", (event) => {
			if (down && !down.moved)
				this.choose(this.at(event), false);
			down = null;
		});
		canvas.addEventListener("pointercancel", () => {
			down = null;
		});
		canvas.addEventListener("pointerleave", () => this.hover(null));
		canvas.addEventListener("dblclick", (event) => {
			const at = this.at(event);
			if (at !== null && this.shown.folded)
				this.unfold(this.shown.nodes[at]);
			else if (at !== null)
				app.panel.open("details");
		});
		canvas.addEventListener("wheel", (event) => {
			const box = canvas.getBoundingClientRect(), step = event.deltaMode === 1 ? 16 : 1;
			event.preventDefault();
			if (event.ctrlKey || event.metaKey)
				this.zoom(Math.exp(clamp(-event.deltaY * step, -300, 300) * 0.0025), event.clientX - box.left, event.clientY - box.top);
			else if (event.shiftKey)
				this.pan(-(event.deltaX || event.deltaY) * step, 0);
			else
				this.pan(-event.deltaX * step, -event.deltaY * step);
		}, {passive: false});
		canvas.addEventListener("keydown", (event) => {
			if (event.ctrlKey || event.metaKey || event.altKey || !this.shown || !this.key(event.key))
				return;
			event.preventDefault();
			event.stopPropagation();
		});
	}

	/* Along the edges, the critical chain first; up and down in the layer. */
	key(name) {
		const {shown, chosen, app} = this;
		const plain = {"+": () => this.zoom(1.4), "=": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4), f: () => this.fit(),
			Escape: () => this.choose(null), Enter: () => shown.folded ? chosen !== null && this.unfold(shown.nodes[chosen]) :
				app.panel.open("details")};
		if (plain[name]) {
			plain[name]();
			return true;
		}
		if (!name.startsWith("Arrow") || !shown.nodes.length)
			return false;
		const {next, last, layer, y} = shown.layout;
		let to = null;
		if (chosen === null) {
			to = 0;
		} else if (name === "ArrowLeft" || name === "ArrowRight") {
			const joined = (name === "ArrowLeft" ? last : next)[chosen];
			to = joined.find((node) => shown.nodes[node].critical);
			to = to === undefined ? joined[0] : to;
		} else {
			const step = name === "ArrowUp" ? -1 : 1;
			for (let i = 0; i < shown.nodes.length; i++)
				if (i !== chosen && layer[i] === layer[chosen] && (y[i] - y[chosen]) * step > 0 &&
					(to === null || (y[i] - y[to]) * step < 0))
					to = i;
		}
		if (to !== null && to !== undefined)
			this.choose(to, true);
		return true;
	}
}
