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

/* What tasks do (src/analysis/tasks/tasks.h): words and colours. */
const TASK_KINDS = {
	kernel: ["kernel", "#3f7fd9"],
	host_task: ["host task", "#d9a21b"],
	transfer: ["transfer", "#12938a"],
	allocation: ["allocation", "#9a5fc2"],
	release: ["release", "#7a86b8"],
	external: ["event of another task", "#a8b0ba"],
	other: ["other task", "#8794a8"],
};

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
		const list = this.byTime ? [entry("none", this.timeColour(0)), entry(lengthWords(this.shown.most), this.timeColour(1))] :
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
		if (at >= 0 && at !== this.chosen) {
			this.chosen = at;
			this.showInfo();
			if (centre)
				this.centre(at);
			this.draw();
		}
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
		if (at < 0)
			return;
		this.chosen = at;
		this.showInfo();
		this.centre(at);
		this.draw();
	}

	async choose(at, centre) {
		const {app, shown} = this;
		this.chosen = at;
		this.showInfo();
		if (centre)
			this.centre(at);
		this.draw();
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
			this.paint();
		});
	}

	paint() {
		const {canvas, view, app} = this;
		const {width, height} = this;
		const context = canvasFit(canvas, width, height);
		context.fillStyle = app.style.row;
		context.fillRect(0, 0, width, height);
		context.translate(view.x, view.y);
		context.scale(view.scale, view.scale);
		/* In the graph's own measure. */
		const seen = {left: -view.x / view.scale, top: -view.y / view.scale,
			right: (width - view.x) / view.scale, bottom: (height - view.y) / view.scale};
		this.paintEdges(context, seen);
		this.paintNodes(context, seen);
	}

	paintEdges(context, seen) {
		const {shown, chosen, app, view} = this;
		const {x, y} = shown.layout;
		const bold = [];
		const thin = Math.max(1, 0.7 / view.scale);
		context.beginPath();
		for (const edge of shown.edges) {
			const {from, to} = edge;
			if (Math.max(x[from], x[to]) + GRAPH_WIDTH < seen.left || Math.min(x[from], x[to]) - GRAPH_WIDTH > seen.right ||
				Math.max(y[from], y[to]) + GRAPH_STEP_Y < seen.top || Math.min(y[from], y[to]) - GRAPH_STEP_Y > seen.bottom)
				continue;
			if (edge.critical || from === chosen || to === chosen)
				bold.push(edge);
			else
				this.edgePath(context, from, to);
		}
		context.strokeStyle = app.style.arrowWait;
		context.lineWidth = thin;
		context.globalAlpha = 0.75;
		context.stroke();
		context.globalAlpha = 1;
		for (const edge of bold) {
			context.beginPath();
			this.edgePath(context, edge.from, edge.to);
			context.strokeStyle = edge.from === chosen || edge.to === chosen ? app.style.accent : app.style.finding;
			context.lineWidth = 2.4 * thin;
			context.stroke();
		}
		if (view.scale < GRAPH_TEXT_LEAST || !shown.folded)
			return;
		context.font = TEXT_FONT;
		context.textAlign = "center";
		context.textBaseline = "bottom";
		context.fillStyle = app.style.dim;
		for (const {from, to, count} of shown.edges)
			if (count > 1)
				context.fillText("\u00d7" + countWords(count), (x[from] + x[to]) / 2,
					from === to ? y[from] - GRAPH_HEIGHT - 1 : (y[from] + y[to]) / 2 - 3);
		context.textAlign = "left";
	}

	/* From the right of one to the left of the other, with a head; to itself a loop above. */
	edgePath(context, from, to) {
		const {x, y} = this.shown.layout;
		const x0 = x[from] + GRAPH_WIDTH / 2, x1 = x[to] - GRAPH_WIDTH / 2;
		if (from === to) {
			const top = y[from] - GRAPH_HEIGHT / 2;
			context.moveTo(x[from] + 30, top);
			context.bezierCurveTo(x[from] + 36, top - 24, x[from] - 36, top - 24, x[from] - 30, top - 1);
			this.headPath(context, x[from] - 30, top - 1, 0, 1);
			return;
		}
		const bend = x1 > x0 ? Math.max(20, (x1 - x0) / 2) : 60 + (x0 - x1) / 6;
		context.moveTo(x0, y[from]);
		context.bezierCurveTo(x0 + bend, y[from], x1 - bend, y[to], x1 - 1, y[to]);
		this.headPath(context, x1 - 1, y[to], 1, 0);
	}

	headPath(context, x, y, dx, dy) {
		context.moveTo(x - 6 * dx - 3.5 * dy, y - 6 * dy - 3.5 * dx);
		context.lineTo(x, y);
		context.lineTo(x - 6 * dx + 3.5 * dy, y - 6 * dy + 3.5 * dx);
	}

	paintNodes(context, seen) {
		const {shown, chosen, app, view} = this;
		const {x, y} = shown.layout;
		const named = view.scale >= GRAPH_TEXT_LEAST;
		context.textBaseline = "middle";
		for (let i = 0; i < shown.nodes.length; i++) {
			const left = x[i] - GRAPH_WIDTH / 2, top = y[i] - GRAPH_HEIGHT / 2;
			if (left > seen.right || left + GRAPH_WIDTH < seen.left || top > seen.bottom || top + GRAPH_HEIGHT < seen.top)
				continue;
			const node = shown.nodes[i];
			const colour = this.byTime ? this.timeColour(node.deviceNs / shown.most) : node.colour;
			/* From afar at least a point of the screen. */
			const width = Math.max(GRAPH_WIDTH, 1.5 / view.scale), height = Math.max(GRAPH_HEIGHT, 1.5 / view.scale);
			context.fillStyle = colour;
			context.fillRect(left, top, width, height);
			if (node.critical || i === chosen || i === this.hovered) {
				context.strokeStyle = i === chosen || i === this.hovered ? app.style.hover : app.style.finding;
				context.lineWidth = Math.max(2.4, (i === chosen ? 2 : 1) / view.scale);
				context.strokeRect(left, top, width, height);
			}
			if (named)
				this.paintName(context, node, left, top, isDark(colour));
		}
	}

	paintName(context, node, left, top, dark) {
		const {painter} = this.app;
		const room = GRAPH_WIDTH - 2 * TEXT_PADDING;
		context.fillStyle = dark ? "#fff" : "#10151c";
		context.font = TEXT_FONT;
		context.fillText(painter.fitName(context, visible(node.name), room), left + TEXT_PADDING, top + 10);
		const second = [visible(node.place), node.words, node.deviceNs ? lengthWords(node.deviceNs) : ""].filter((text) => text);
		context.fillText(painter.fitName(context, second.join(" \u00b7 "), room), left + TEXT_PADDING, top + 24);
	}

	/* Between the colour of the ground and the strongest one, by the root of the share. */
	timeColour(share) {
		const low = this.app.dark ? [44, 54, 68] : [226, 233, 242], high = this.app.dark ? [132, 196, 255] : [10, 72, 150];
		const part = Math.sqrt(share);
		return "#" + low.map((from, i) => Math.round(from + (high[i] - from) * part).toString(16).padStart(2, "0")).join("");
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

/* An answer (src/view/query/graph.h) with names. */
function readGraph(answer) {
	const places = answer.places.map(([name, kind, place, device, process, count, deviceNs, operations, critical], of) =>
		({of, name, kind: kind || "other", place, device, process, count, deviceNs, operations, critical,
			colour: (TASK_KINDS[kind] || TASK_KINDS.other)[1]}));
	const drawn = (track, item) => track < 0 ? null : {track, item};
	return {
		total: answer.total, totalEdges: answer.total_edges, chainNs: answer.chain_ns,
		chain: places.reduce((sum, place) => sum + place.critical, 0), places,
		placeEdges: answer.place_edges.map(([from, to, count]) => ({from, to, count})),
		nodes: answer.nodes.map(([of, task, at, deviceNs, critical, track, item, operationTrack, operationItem], number) =>
			({number, of, task: drawn(track, item), operation: drawn(operationTrack, operationItem), at, deviceNs, critical: critical > 0, inChain: critical,
				name: places[of].name, kind: places[of].kind, place: places[of].place, colour: places[of].colour,
				process: places[of].process, device: places[of].device, words: "#" + countWords(task)})),
		edges: answer.edges.map(([from, to, access, buffer]) => ({from, to, access, buffer})),
	};
}

/* One node for each place that has any, with how many tasks it submits. */
function placesOf(graph) {
	const used = graph.places.filter((place) => place.count);
	const numbers = new Map(used.map((place, i) => [place.of, i]));
	const nodes = used.map((place) => ({...place, words: "\u00d7" + countWords(place.count), critical: place.critical > 0}));
	const edges = graph.placeEdges.map(({from, to, count}) => ({from: numbers.get(from), to: numbers.get(to), count}));
	for (const edge of edges)
		edge.critical = nodes[edge.from].critical && nodes[edge.to].critical;
	return {folded: true, nodes, edges};
}

/* Tasks one by one, those that are wanted (null: all); several edges between two are one. */
function tasksOf(graph, wanted) {
	const nodes = wanted ? graph.nodes.filter(wanted) : graph.nodes;
	const numbers = new Map(nodes.map((node, i) => [node.number, i]));
	const edges = new Map();
	for (const edge of graph.edges) {
		const from = numbers.get(edge.from), to = numbers.get(edge.to);
		if (from !== undefined && to !== undefined)
			edges.set(from * nodes.length + to, {from, to, count: 1, critical: nodes[from].critical &&
				nodes[to].inChain === nodes[from].inChain + 1});
	}
	return {folded: false, nodes, edges: [...edges.values()]};
}

/* Whether white letters are read better on a colour. */
function isDark(colour) {
	const [r, g, b] = rgb(colour);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b < 138;
}
