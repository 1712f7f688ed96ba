/* SPDX-License-Identifier: MIT */
/* The whole run in one strip: when there were API calls and when a device was
 * busy (or what threads did), what is shown of it, where the search found something, where findings
 * lie. */
"use strict";

/* Of each session two bands, as high as leaves room for the rows. */
const BAND_HEIGHT = 9;
const BAND_LEAST = 2;
const BANDS_MOST = 92;
const MARKS_HEIGHT = 6;

class Overview {
	constructor(canvas, app) {
		this.canvas = canvas;
		this.app = app;
		this.bins = [];
		/* Before anything is measured: a canvas without a height takes the rows' room. */
		canvas.style.height = this.height + "px";
		this.listen();
	}

	get band() {
		return clamp(Math.floor((BANDS_MOST / this.app.rows.sessions.length - 3) / 2), BAND_LEAST, BAND_HEIGHT);
	}

	/* From one session to the next. */
	get step() {
		return 2 * this.band + (this.band === BAND_HEIGHT ? 5 : 3);
	}

	get height() {
		return this.app.rows.sessions.length * this.step + MARKS_HEIGHT + 6;
	}

	x(ns) {
		const {range} = this.app;
		return (ns - range.first) / (range.last - range.first) * this.canvas.clientWidth;
	}

	time(x) {
		const {range} = this.app;
		return range.first + x / this.canvas.clientWidth * (range.last - range.first);
	}

	draw() {
		const {app, canvas} = this;
		const width = canvas.clientWidth, height = this.height;
		const context = canvasFit(canvas, width, height);
		context.clearRect(0, 0, width, height);
		const places = [], band = this.band;
		app.rows.sessions.forEach((session, i) => {
			this.tracksOf(session).forEach((track, j) => {
				places.push({track, height: band, y: 4 + i * this.step + j * (band + 1)});
			});
		});
		context.fillStyle = app.style.row;
		for (const {y} of places)
			context.fillRect(0, y, width, band);
		app.overviewPainter.draw(context, places, width, devicePixelRatio || 1, app.range.first, app.range.last);
		this.drawMarks(context, width, height);
		this.drawWindow(context, width, height);
	}

	/* When there were calls and when a device worked; of a program without either, the states of
	 * the two threads that have the most. */
	tracksOf(session) {
		if (!this.chosen)
			this.chosen = new Map();
		let tracks = this.chosen.get(session);
		if (!tracks) {
			const states = session.tracks.some((track) => track.items) ? [] : this.app.rows.all
				.filter((row) => row.session === session.session && row.kind === "thread")
				.flatMap((row) => row.tracks.filter((track) => track.type === "state" && track.items));
			const most = [...states].sort((a, b) => b.items - a.items).slice(0, 2);
			tracks = most.length ? states.filter((track) => most.includes(track)) : session.tracks;
			this.chosen.set(session, tracks);
		}
		return tracks;
	}

	/* Asks for what the strip needs, without drawing it. */
	ask() {
		const {rows, range, tiles} = this.app;
		const level = levelOf(range.last - range.first, Math.max(1, Math.round(this.canvas.clientWidth * (devicePixelRatio || 1))));
		for (const session of rows.sessions)
			for (const track of this.tracksOf(session))
				tiles.visit(track, level, range.first - track.offset, range.last - track.offset, true, () => {});
	}

	drawMarks(context, width, height) {
		const {app} = this;
		const y = height - MARKS_HEIGHT - 1;
		context.fillStyle = app.style.match;
		for (const bin of this.bins)
			context.fillRect(bin * width / app.search.binCount, y, Math.max(1.5, width / app.search.binCount),
				MARKS_HEIGHT);
		context.fillStyle = app.style.finding;
		for (const {begin, end} of app.marked || [])
			context.fillRect(this.x(begin), y, Math.max(2, this.x(end) - this.x(begin)), MARKS_HEIGHT);
	}

	/* The finding whose mark is at a point of the canvas, or null. */
	findingAt(x, y) {
		if (y < this.height - MARKS_HEIGHT - 3)
			return null;
		return this.app.findings.near(this.time(x), 3 / this.canvas.clientWidth * (this.app.range.last - this.app.range.first));
	}

	drawWindow(context, width, height) {
		const {app} = this;
		const left = this.x(app.range.begin), right = this.x(app.range.end);
		context.fillStyle = app.style.shade;
		context.fillRect(0, 0, left, height);
		context.fillRect(right, 0, width - right, height);
		if (app.selection) {
			context.fillStyle = app.style.accent;
			const at = this.x(app.selection.begin);
			context.fillRect(at, 0, Math.max(1, this.x(app.selection.end) - at), 2);
		}
		context.strokeStyle = app.style.accent;
		context.lineWidth = 1;
		context.strokeRect(Math.max(0.5, left), 0.5, Math.max(2, Math.min(width - 0.5, right) - Math.max(0.5, left)),
			height - 1);
		context.fillStyle = app.style.accent;
		for (const x of [left, right])
			context.fillRect(clamp(x - 2, 0, width - 4), height / 2 - 6, 4, 12);
	}

	/* The window is dragged as a whole or by an edge; beside it a drag spans a new
	 * one, a click moves it there. */
	listen() {
		const {app, canvas} = this;
		let taken = null;
		const place = (event) => event.clientX - canvas.getBoundingClientRect().left;
		const finding = (event) => this.findingAt(place(event), event.clientY - canvas.getBoundingClientRect().top);
		const part = (x) => {
			const left = this.x(app.range.begin), right = this.x(app.range.end);
			if (Math.abs(x - left) < 6)
				return "begin";
			if (Math.abs(x - right) < 6)
				return "end";
			return x > left && x < right ? "all" : "new";
		};
		canvas.addEventListener("pointerdown", (event) => {
			const x = place(event);
			taken = {part: part(x), finding: finding(event), x, at: this.time(x), begin: app.range.begin, end: app.range.end,
				moved: false};
			/* All of it is shown: there is nothing to move, only to choose. */
			if (taken.part === "all" && app.range.span > (app.range.last - app.range.first) * 0.98)
				taken.part = "new";
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointermove", (event) => {
			const x = place(event), at = this.time(x);
			const cursors = {begin: "ew-resize", end: "ew-resize", all: "grab", new: "crosshair"};
			const found = taken ? null : finding(event);
			canvas.style.cursor = found ? "pointer" : cursors[taken ? taken.part : part(x)];
			app.hover(null, event, found);
			if (!taken)
				return;
			taken.moved = taken.moved || Math.abs(x - taken.x) > CLICK_PIXELS;
			if (!taken.moved)
				return;
			if (taken.part === "begin")
				app.range.set(Math.min(at, taken.end - LEAST_NS), taken.end);
			else if (taken.part === "end")
				app.range.set(taken.begin, Math.max(at, taken.begin + LEAST_NS));
			else if (taken.part === "all")
				app.range.set(taken.begin + at - taken.at, taken.end + at - taken.at);
			else
				app.range.set(Math.min(at, taken.at), Math.max(at, taken.at));
		});
		canvas.addEventListener("pointerup", () => {
			if (taken && !taken.moved && taken.finding) {
				app.findings.goTo(taken.finding);
				app.findings.reveal(taken.finding);
			} else if (taken && !taken.moved) {
				const half = app.range.span / 2;
				app.range.glide(taken.at - half, taken.at + half);
			}
			taken = null;
		});
		canvas.addEventListener("pointerleave", () => app.hover(null));
		canvas.addEventListener("wheel", (event) => {
			event.preventDefault();
			app.range.zoomNow(Math.exp(clamp(event.deltaY, -300, 300) * 0.0025), this.time(place(event)));
		}, {passive: false});
	}
}
