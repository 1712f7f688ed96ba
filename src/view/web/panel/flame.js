/* SPDX-License-Identifier: MIT */
/* The flame graph of a selection: the functions of its CPU samples as they call each other, the
 * outermost on top, each as wide as its share of the samples. A click shows one function and what it
 * calls alone. */
"use strict";

const FLAME_LINE = 19;
const FLAME_LEAST_PIXELS = 0.5;

class Flame {
	constructor(app) {
		this.app = app;
		this.sheet = byId("flame");
		this.canvas = element("canvas", {tabindex: 0, "aria-label": "Flame graph"});
		this.root = null; /* {name, file, self, total, children, depth} */
		this.top = null; /* of what is shown */
		this.boxes = [];
		this.asked = 0;
		byId("tab-flame").hidden = !app.model.sessions.some((session) => session.sample_period_ns);
		this.listen();
	}

	get open() {
		return !this.sheet.hidden;
	}

	/* Of the selection, or everything; of the rows that are summed up. */
	async refresh() {
		const {app} = this;
		const asked = ++this.asked;
		if (!this.open)
			return;
		const {begin, end} = app.selection || {begin: app.range.first, end: app.range.last};
		let answers;
		try {
			answers = await Promise.all(app.model.sessions.map((session, number) => {
				const rows = app.panel.rowsOf(number);
				return rows && !rows.length ? null :
					app.source.stacks(number, begin - session.offset_ns, end - session.offset_ns, rows);
			}));
		} catch (error) {
			if (asked === this.asked)
				this.sheet.replaceChildren(element("p", {class: "wrong"}, error.message));
			app.failUnlessRefused(error);
			return;
		}
		if (asked !== this.asked)
			return;
		this.root = this.top = stackTree(answers.filter((answer) => answer));
		const notice = element("span", {class: "dim"}, "click a function to show it and what it calls");
		this.sheet.replaceChildren(element("p", {class: "actions"},
			element("strong", {}, plural(this.root.total, "CPU sample")),
			element("span", {class: "dim"}, app.selection ? "in the selected range" : "full trace"),
			app.panel.scopes(() => this.refresh()),
			element("button", {id: "flame-all", onclick: () => this.zoom(this.root)}, "Show all"), notice),
		this.root.total ? this.canvas : element("p", {class: "empty"}, "No samples in this range."));
		this.draw();
	}

	zoom(node) {
		this.top = node;
		this.draw();
	}

	/* From the top function's callers down. */
	draw() {
		const {app, canvas} = this;
		if (!this.open || !this.root || !canvas.isConnected)
			return;
		const width = Math.max(1, this.sheet.clientWidth - 28);
		const above = [];
		for (let node = this.top.parent; node; node = node.parent)
			above.unshift(node);
		this.boxes = above.map((node, depth) => ({node, x: 0, width, depth}));
		this.place(this.top, 0, width, above.length);
		const height = (1 + Math.max(...this.boxes.map((box) => box.depth))) * FLAME_LINE;
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
		const context = canvasFit(canvas, width, height);
		context.clearRect(0, 0, width, height);
		context.font = TEXT_FONT;
		context.textBaseline = "middle";
		for (const box of this.boxes)
			this.drawBox(context, box, app.painter, above.includes(box.node));
	}

	place(node, x, width, depth) {
		this.boxes.push({node, x, width, depth});
		let at = x;
		for (const child of node.children) {
			const share = child.total / node.total * width;
			if (share >= FLAME_LEAST_PIXELS)
				this.place(child, at, share, depth + 1);
			at += share;
		}
	}

	drawBox(context, {node, x, width, depth}, painter, caller) {
		const y = depth * FLAME_LINE, label = node.label;
		const wanted = !painter.searching || this.matches(node.name);
		context.globalAlpha = wanted ? caller ? 0.55 : 1 : 0.2;
		context.fillStyle = node === this.root ? this.app.style.line : label.colour;
		context.fillRect(x, y, Math.max(0.5, width - 1), FLAME_LINE - 1);
		if (width >= TEXT_LEAST) {
			context.fillStyle = node === this.root ? this.app.style.text : label.dark ? "#fff" : "#10151c";
			context.fillText(painter.fitName(context, label.shown, width - 2 * TEXT_PADDING), x + TEXT_PADDING,
				y + FLAME_LINE / 2);
		}
		context.globalAlpha = 1;
	}

	matches(name) {
		return this.app.search.names.some((one) => one.kind === "sample" && one.name === name);
	}

	at(event) {
		const box = this.canvas.getBoundingClientRect();
		const x = event.clientX - box.left, depth = Math.floor((event.clientY - box.top) / FLAME_LINE);
		return this.boxes.find((one) => one.depth === depth && x >= one.x && x < one.x + Math.max(1, one.width));
	}

	listen() {
		const {app, canvas} = this;
		canvas.addEventListener("pointermove", (event) => {
			const box = this.at(event);
			canvas.style.cursor = box ? "pointer" : "default";
			if (box)
				app.tooltip.showStack(box.node, this.root.total, event.clientX, event.clientY);
			else
				app.tooltip.hide();
		});
		canvas.addEventListener("pointerleave", () => app.tooltip.hide());
		canvas.addEventListener("click", (event) => {
			const box = this.at(event);
			if (box)
				this.zoom(box.node);
		});
		canvas.addEventListener("keydown", (event) => {
			if (event.key === "Escape" && this.top !== this.root) {
				event.stopPropagation();
				this.zoom(this.root);
			}
		});
	}
}

/* Answers (src/view/query/stacks.h) of several sessions as one tree, the largest child first. */
function stackTree(answers) {
	const made = (name, file, parent) => ({name, file, parent, self: 0, total: 0, children: [],
		label: new Label(name, "sample", 0, 0, 0)});
	const root = made("all samples", "", null);
	for (const {samples, nodes} of answers) {
		const places = [];
		for (const [parent, name, file, self, total] of nodes) {
			const above = parent < 0 ? root : places[parent];
			let node = above.children.find((child) => child.name === name && child.file === file);
			if (!node) {
				node = made(name, file, above);
				above.children.push(node);
			}
			node.self += self;
			node.total += total;
			places.push(node);
		}
		root.total += samples;
	}
	const sort = (node) => {
		node.children.sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
		node.children.forEach(sort);
	};
	sort(root);
	root.self = root.total - root.children.reduce((sum, child) => sum + child.total, 0);
	return root;
}
