/* SPDX-License-Identifier: MIT */
/* The scale of time above the rows, and on it the selection and the measure. */
"use strict";

const TICK_PIXELS = 110;
/* A base is written with so much room around it. */
const BASE_PIXELS = 96;
const RULER_BASES = [1e3, 1e6, 1e9];
/* Between two bases are so many ticks at least. */
const TICKS_OF_BASE = 10;

class Ruler {
	constructor(canvas, app) {
		this.canvas = canvas;
		this.app = app;
		this.listen();
	}

	/* A round step, so that ticks stand about TICK_PIXELS apart. */
	step(width) {
		const rough = this.app.range.span / Math.max(1, width / TICK_PIXELS);
		const power = Math.pow(10, Math.floor(Math.log10(rough)));
		for (const factor of [1, 2, 5, 10])
			if (factor * power >= rough)
				return factor * power;
		return 10 * power;
	}

	ticks(width) {
		const {range} = this.app;
		const step = this.step(width);
		const found = [];
		for (let at = Math.ceil(range.begin / step) * step; at <= range.end; at += step)
			found.push({at, x: (at - range.begin) / range.span * width});
		return found;
	}

	/* Ticks are written as what they are after a base: the latest whole second, millisecond or
	 * microsecond, which a tick of its own, or the left edge, names. So a base is the begin of each
	 * number that it stands for, whatever the step. 0: ticks are written in full. */
	baseUnit(step) {
		return RULER_BASES.find((unit) => unit >= step * TICKS_OF_BASE) || 0;
	}

	draw() {
		const {app, canvas} = this;
		const width = canvas.clientWidth, height = canvas.clientHeight;
		const context = canvasFit(canvas, width, height);
		context.clearRect(0, 0, width, height);
		context.font = TEXT_FONT;
		context.textBaseline = "middle";
		const stretches = this.stretches(context, width);
		for (const {x} of this.ticks(width)) {
			context.fillStyle = app.style.tick;
			context.fillRect(Math.round(x), height - 6, 1, 6);
		}
		let from = -Infinity;
		for (const {x, words, base} of this.words(width)) {
			const end = x + 5 + context.measureText(words).width;
			if (x < from || end > width || stretches.some(({badge}) => end > badge.left - 4 && x < badge.right))
				continue;
			from = end + 6;
			context.fillStyle = base ? app.style.text : app.style.dim;
			context.fillText(words, x + 5, height / 2);
		}
		for (const stretch of stretches)
			this.drawStretch(context, stretch);
	}

	/* What is written, bases first: [{x, at, words, base}]. */
	words(width) {
		const {range} = this.app;
		const step = this.step(width), unit = this.baseUnit(step);
		const baseOf = (at) => unit ? Math.floor(at / unit + 1e-9) * unit : 0;
		const left = baseOf(range.begin);
		const bases = [], others = [];
		for (const {at, x} of this.ticks(width)) {
			const base = baseOf(at);
			if (unit && Math.abs(at - base) < step / 2 && base > 0)
				bases.push({x, at: base, words: baseWords(base, unit), base: true});
			else
				others.push({x, at, words: (base > 0 ? "+" : "") + tickWords(at - base, step), base: false});
		}
		/* At the left edge, unless its own tick is just there. */
		if (left > 0 && !bases.some(({x}) => x < TICK_PIXELS))
			bases.unshift({x: 0, at: left, words: baseWords(left, unit), base: true});
		return [...bases, ...others].sort((a, b) => b.base - a.base || a.x - b.x).map((one, i, all) =>
			one.base || !all.some((other) => other.base && one.x > other.x - BASE_PIXELS && one.x < other.x + BASE_PIXELS) ?
				one : null).filter((one) => one).sort((a, b) => a.x - b.x);
	}

	/* What is selected and what is measured, where it is on the screen. */
	stretches(context, width) {
		const {selection, style} = this.app, measured = this.app.measure.span;
		const found = [];
		const add = (from, to, colour) => {
			const left = Math.max(this.x(Math.min(from, to)), -1);
			const right = Math.min(this.x(Math.max(from, to)), width + 1);
			if (right < 0 || left > width)
				return;
			const words = lengthWords(Math.abs(to - from));
			const room = context.measureText(words).width + 10;
			const middle = clamp((left + right) / 2, room / 2, width - room / 2);
			found.push({left, right, colour, words,
				badge: {left: middle - room / 2, right: middle + room / 2}});
		};
		if (selection)
			add(selection.begin, selection.end, style.accent);
		if (measured && measured.to !== null)
			add(measured.from, measured.to, style.measure);
		return found;
	}

	x(ns) {
		const {range} = this.app;
		return (ns - range.begin) / range.span * this.canvas.clientWidth;
	}

	/* A bracket with the length in its middle. */
	drawStretch(context, {left, right, colour, words, badge}) {
		context.fillStyle = colour;
		context.fillRect(left, 0, Math.max(1, right - left), 4);
		context.fillRect(badge.left, 0, badge.right - badge.left, 17);
		context.fillStyle = this.app.style.onAccent;
		context.fillText(words, badge.left + 5, 9);
	}

	/* Dragging selects; an edge of the selection can be taken and moved. */
	listen() {
		const {app, canvas} = this;
		let fixed = null;
		const time = (event) => {
			const box = canvas.getBoundingClientRect();
			return app.range.begin + (event.clientX - box.left) / box.width * app.range.span;
		};
		const edge = (at) => {
			const near = 6 / canvas.clientWidth * app.range.span;
			if (!app.selection)
				return null;
			if (Math.abs(at - app.selection.begin) < near)
				return app.selection.end;
			return Math.abs(at - app.selection.end) < near ? app.selection.begin : null;
		};
		canvas.addEventListener("pointerdown", (event) => {
			const at = time(event);
			const other = edge(at);
			fixed = {at: other === null ? at : other, moved: other !== null, x: event.clientX};
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointermove", (event) => {
			const at = time(event);
			canvas.style.cursor = edge(at) === null ? "crosshair" : "ew-resize";
			app.pointerAt(at);
			if (!fixed)
				return;
			fixed.moved = fixed.moved || Math.abs(event.clientX - fixed.x) > CLICK_PIXELS;
			if (fixed.moved)
				app.select({begin: Math.min(fixed.at, at), end: Math.max(fixed.at, at)}, false);
		});
		canvas.addEventListener("pointerup", () => {
			if (fixed && fixed.moved && app.selection)
				app.select(app.selection, true);
			else if (fixed)
				app.select(null);
			fixed = null;
		});
		canvas.addEventListener("pointerleave", () => app.pointerAt(null));
		canvas.addEventListener("wheel", (event) => {
			event.preventDefault();
			app.range.zoomNow(Math.exp(clamp(event.deltaY, -300, 300) * 0.0025), time(event));
		}, {passive: false});
	}
}

/* A base, up to its own unit: "17.345 s" of a millisecond. */
function baseWords(ns, unit) {
	const digits = {1e9: 0, 1e6: 3, 1e3: 6}[unit];
	const [whole, part = ""] = (ns / 1e9).toFixed(digits).split(".");
	return countWords(whole) + (part ? "." + part.replace(/(...)(?=.)/g, "$1\u2009") : "") + " s";
}

/* A tick's moment with as many digits as the step needs. */
function tickWords(ns, step) {
	let unit = NS_UNITS[0];
	for (const one of NS_UNITS)
		if (Math.abs(ns) >= one[0] || step >= one[0])
			unit = one;
	const digits = clamp(-Math.floor(Math.log10(step / unit[0] * 1.0001)), 0, 9);
	return (ns / unit[0]).toFixed(digits) + " " + unit[1];
}
