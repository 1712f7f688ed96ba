/* SPDX-License-Identifier: MIT */
/* One scrolling list of rows: names on the left, the picture beside them. There
 * are two, for pinned rows and for all. Only what is on the screen is made. */
"use strict";

/* A span so near to the pointer is meant. */
const REACH_PIXELS = 4;
const REACH_SAMPLE_PIXELS = 10;
/* A pointer that moved less was a click. */
const CLICK_PIXELS = 4;

/* The mark of a finding. */
const FINDING_BAR = 3;
const FLAG_WIDTH = 7;
const FLAG_HEIGHT = 7;

class Pane {
	constructor(node, app, pinned) {
		this.node = node;
		this.app = app;
		this.pinned = pinned;
		this.space = node.querySelector(".space");
		this.picture = node.querySelector(".picture");
		this.overlay = node.querySelector(".overlay");
		this.names = node.querySelector(".names");
		this.rowNames = new RowNames(this);
		node.addEventListener("scroll", () => app.redraw());
		this.listen();
	}

	get rows() {
		return this.pinned ? this.app.rows.pinned : this.app.rows.shown;
	}

	top(row) {
		return this.pinned ? row.pinnedY : row.y;
	}

	get height() {
		return this.pinned ? this.app.rows.pinnedHeight : this.app.rows.height;
	}

	get width() {
		return this.picture.clientWidth;
	}

	/* Rows on the screen. */
	visible() {
		const first = this.node.scrollTop, last = first + this.node.clientHeight;
		const rows = this.rows;
		let low = 0, high = rows.length;
		while (low < high) {
			const middle = low + high >>> 1;
			if (this.top(rows[middle]) + rows[middle].height <= first)
				low = middle + 1;
			else
				high = middle;
		}
		const found = [];
		for (let i = low; i < rows.length && this.top(rows[i]) < last; i++)
			found.push(rows[i]);
		return found;
	}

	measure() {
		const ratio = devicePixelRatio || 1;
		const height = this.node.clientHeight;
		this.space.style.height = Math.max(this.height, this.pinned ? 0 : height) + "px";
		const width = Math.max(1, this.node.clientWidth - this.app.namesWidth);
		for (const canvas of [this.picture, this.overlay]) {
			const pixels = [Math.round(width * ratio), Math.round(height * ratio)];
			if (canvas.width !== pixels[0] || canvas.height !== pixels[1])
				[canvas.width, canvas.height] = pixels;
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
		}
		this.overlay.style.marginTop = -height + "px";
		this.ratio = ratio;
	}

	/* --- drawing */

	draw() {
		const {app} = this;
		const context = this.picture.getContext("2d");
		const rows = this.visible();
		const scroll = this.node.scrollTop;
		const width = this.width, height = this.node.clientHeight;
		context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		const places = [];
		for (const row of rows) {
			const y = this.top(row) - scroll;
			this.drawBackground(context, row, y, width);
			for (const lane of row.lanes)
				places.push({...lane, y: y + lane.y});
		}
		this.drawGrid(context, height);
		const whole = app.painter.draw(context, places, width, this.ratio, app.range.begin,
			app.range.end);
		for (const {track, y} of places)
			if (track.type === "counter" || track.type === "cover")
				this.drawScale(context, track, y);
		this.rowNames.draw(rows);
		this.drawOverlay();
		return whole;
	}

	/* Asks for what the picture needs, without drawing it. */
	ask() {
		const {app} = this, {range, tiles} = app;
		for (const {lanes} of this.visible())
			for (const {track} of lanes)
				tiles.visit(track, this.level, range.begin - track.offset, range.end - track.offset, true, () => {});
	}

	drawBackground(context, row, y, width) {
		const {style} = this.app;
		if (row === this.app.focused)
			context.fillStyle = style.focus;
		else
			context.fillStyle = row.isHeading ? style.group : style.row;
		context.fillRect(0, y, width, row.height);
		context.fillStyle = style.line;
		context.fillRect(0, y + row.height - 1, width, 1);
	}

	drawGrid(context, height) {
		const {app} = this;
		context.fillStyle = app.style.grid;
		for (const {x} of app.ruler.ticks(this.width))
			context.fillRect(Math.round(x), 0, 1, height);
	}

	/* The value at the top of a curve. */
	drawScale(context, track, y) {
		const words = track.type === "cover" ? "100 %" : track.top === undefined ? "" :
			track.row.kind === "memory" ? bytesWords(track.top) : countWords(track.top);
		if (!words)
			return;
		context.font = "10px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
		context.textBaseline = "top";
		const width = context.measureText(words).width;
		context.fillStyle = this.app.style.badge;
		context.fillRect(3, y + 1, width + 6, 13);
		context.fillStyle = this.app.style.dim;
		context.fillText(words, 6, y + 3);
	}

	x(ns) {
		const {range} = this.app;
		return (ns - range.begin) / range.span * this.width;
	}

	time(x) {
		const {range} = this.app;
		return range.begin + x / this.width * range.span;
	}

	drawOverlay() {
		const {app} = this;
		const context = this.overlay.getContext("2d");
		const width = this.width, height = this.node.clientHeight;
		context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		if (app.selection)
			this.drawStretch(context, app.selection, height);
		if (app.measure.span)
			this.drawMeasure(context, app.measure.span, height);
		if (app.cursor !== null) {
			context.fillStyle = app.style.cursor;
			context.fillRect(Math.round(this.x(app.cursor)), 0, 1, height);
		}
		for (const finding of app.marked || [])
			this.drawFinding(context, finding);
		if (app.hovered && app.hovered.spans)
			this.drawOutline(context, app.hovered, app.style.hover, 1);
		if (app.selected) {
			this.drawOutline(context, app.selected, app.style.text, 2);
			if (!this.pinned)
				drawArrows(this, context, app.selected);
		}
	}

	drawStretch(context, {begin, end}, height) {
		const left = this.x(begin), right = this.x(end);
		context.fillStyle = this.app.style.outside;
		context.fillRect(0, 0, left, height);
		context.fillRect(right, 0, this.width - right, height);
		context.fillStyle = this.app.style.accent;
		context.fillRect(Math.round(left), 0, 1, height);
		context.fillRect(Math.round(right), 0, 1, height);
	}

	drawMeasure(context, {from, to}, height) {
		context.fillStyle = this.app.style.measure;
		context.fillRect(Math.round(this.x(from)), 0, 1, height);
		if (to !== null)
			context.fillRect(Math.round(this.x(to)), 0, 1, height);
	}

	/* Where the mark of a finding is: a bar along the row's lower edge with a flag at its left;
	 * null where its row is not here. */
	placeFinding({row, begin, end}) {
		const shown = this.pinned ? row.pinned && row : this.app.rows.standIn(row);
		if (!shown)
			return null;
		const left = this.x(begin);
		return {shown, y: this.top(shown) - this.node.scrollTop, left, right: Math.max(left + 3, this.x(end))};
	}

	/* The finding whose mark is at a point, or null; of several the shortest. */
	findingAt(x, y) {
		let best = null, bestLength = Infinity;
		for (const mark of this.app.marked) {
			const place = this.placeFinding(mark);
			const up = place && place.y + place.shown.height - y;
			if (!place || up < -1 || x < place.left - 2)
				continue;
			const onFlag = up <= FLAG_HEIGHT + 1 && x <= place.left + FLAG_WIDTH + 2;
			const onBar = up <= FINDING_BAR + 1 && x <= place.right + 2;
			if ((onFlag || onBar) && mark.end - mark.begin < bestLength) {
				best = mark.finding;
				bestLength = mark.end - mark.begin;
			}
		}
		return best;
	}

	drawFinding(context, mark) {
		const place = this.placeFinding(mark);
		if (!place)
			return;
		const {shown, y, left, right} = place;
		const {finding} = mark;
		const {style} = this.app, low = y + shown.height;
		/* A bar, and a flag, so that a short one is seen as well; a rim sets both off from states,
		 * which may have the same colour. */
		context.beginPath();
		context.moveTo(left, low);
		context.lineTo(left, low - FLAG_HEIGHT);
		context.lineTo(left + FLAG_WIDTH, low - (FLAG_HEIGHT + FINDING_BAR) / 2);
		context.lineTo(left, low - FINDING_BAR);
		context.rect(left, low - FINDING_BAR, right - left, FINDING_BAR);
		context.strokeStyle = style.row;
		context.lineWidth = 2.5;
		context.stroke();
		context.fillStyle = style.finding;
		context.fill();
		if (finding === this.app.findings.chosen) {
			context.strokeStyle = style.finding;
			context.lineWidth = 2;
			context.strokeRect(clamp(left, -5, this.width), y + 1,
				clamp(right, 0, this.width + 5) - clamp(left, -5, this.width), shown.height - 2);
		}
	}

	/* Where a span is on the screen, or null where its row is hidden. */
	box({track, begin, end}) {
		const {row} = track;
		const shown = this.pinned ? row.pinned && row : this.app.rows.standIn(row);
		if (!shown)
			return null;
		const lane = shown.laneOf(track) || {y: shown.height / 2 - 4, height: 8};
		const y = this.top(shown) - this.node.scrollTop + lane.y;
		const left = this.x(begin + track.offset), right = this.x(end + track.offset);
		return {left, right: Math.max(right, left + 2), top: y, bottom: y + lane.height};
	}

	drawOutline(context, span, colour, width) {
		const box = this.box(span);
		if (!box || box.right < -10 || box.left > this.width + 10)
			return;
		const left = Math.max(box.left, -10), right = Math.min(box.right, this.width + 10);
		context.strokeStyle = colour;
		context.lineWidth = width;
		context.strokeRect(left - 0.5, box.top - 0.5, right - left + 1, box.bottom - box.top + 1);
	}

	/* --- names */

	/* --- pointer */

	rowAt(y) {
		y += this.node.scrollTop;
		return this.visible().find((row) => y >= this.top(row) && y < this.top(row) + row.height);
	}

	/* What is at a point of the picture, or null. */
	hit(x, y) {
		const row = this.rowAt(y);
		if (!row)
			return null;
		const within = y + this.node.scrollTop - this.top(row);
		const lane = row.lanes.find((one) => within >= one.y - 1 && within <= one.y + one.height + 1);
		if (!lane)
			return null;
		const {track} = lane;
		if (track.type === "counter")
			return this.hitCounter(track, x);
		return this.hitSpan(track, x);
	}

	get level() {
		return levelOf(this.app.range.span, this.width * this.ratio);
	}

	/* Of samples, which are moments, the nearest is meant. */
	reach(track) {
		return track.type === "samples" ?
			clamp(track.period / this.app.range.span * this.width / 2, REACH_PIXELS, REACH_SAMPLE_PIXELS) : REACH_PIXELS;
	}

	hitSpan(track, x) {
		const at = this.time(x) - track.offset;
		const reach = this.reach(track) / this.width * this.app.range.span;
		let best = null, bestDistance = Infinity;
		this.app.tiles.visit(track, this.level, at - reach, at + reach, false, (tile) => {
			for (let i = firstItem(tile, at - reach); i < tile.count && tile.begin[i] < at + reach; i++) {
				/* The innermost of those around the point, else the nearest. */
				const outside = Math.max(tile.begin[i] - at, at - tile.end[i], 0);
				const distance = outside > 0 ? 1 + outside : (tile.end[i] - tile.begin[i]) / 1e20;
				if (distance < bestDistance) {
					bestDistance = distance;
					best = spanOf(track, tile, i, this.app.labels);
				}
			}
		});
		return best;
	}

	hitCounter(track, x) {
		const at = this.time(x) - track.offset;
		let value = null;
		this.app.tiles.visit(track, this.level, at, at + 1, false, (tile) => {
			const i = lowerBound(tile.begin, at + 1e-3) - 1;
			if (i >= 0)
				value = tile.last[i];
		});
		return value === null ? null : {track, value, at: at + track.offset};
	}

	listen() {
		const {overlay, app} = this;
		let down = null;
		const point = (event) => {
			const box = overlay.getBoundingClientRect();
			return {x: event.clientX - box.left, y: event.clientY - box.top};
		};
		overlay.addEventListener("pointerdown", (event) => {
			const {x, y} = point(event);
			if (event.button > 1)
				return;
			event.preventDefault();
			overlay.setPointerCapture(event.pointerId);
			down = {x, y, lastX: x, moved: false, from: this.time(x),
				pan: event.button === 1 || event.shiftKey};
			app.pane.names.focus({preventScroll: true});
		});
		overlay.addEventListener("pointermove", (event) => {
			const {x, y} = point(event);
			app.pointerAt(this.time(x));
			if (!down) {
				const finding = this.findingAt(x, y);
				overlay.classList.toggle("on-finding", finding !== null);
				app.hover(finding ? null : this.hit(x, y), event, finding);
				return;
			}
			down.moved = down.moved || Math.abs(x - down.x) > CLICK_PIXELS ||
				(down.pan && Math.abs(y - down.y) > CLICK_PIXELS);
			if (!down.moved)
				return;
			app.hover(null);
			if (down.pan) {
				app.range.panNow((down.lastX - x) / this.width * app.range.span);
				down.lastX = x;
			} else if (!app.measure.active) {
				app.select({begin: Math.min(down.from, this.time(x)),
					end: Math.max(down.from, this.time(x))}, false);
			}
		});
		overlay.addEventListener("pointerup", (event) => {
			const {x, y} = point(event);
			app.tooltip.hide();
			if (down && !down.moved)
				app.clicked(this, this.hit(x, y), this.rowAt(y), this.time(x), this.findingAt(x, y));
			else if (down && !down.pan && !app.measure.active && app.selection)
				app.select(app.selection, true);
			down = null;
		});
		overlay.addEventListener("pointercancel", () => {
			down = null;
		});
		overlay.addEventListener("pointerleave", () => {
			app.hover(null);
			app.pointerAt(null);
		});
		overlay.addEventListener("dblclick", (event) => {
			const {x, y} = point(event);
			const hit = this.hit(x, y);
			if (!hit || !hit.spans)
				return;
			const {begin, end} = stretchOf(hit);
			app.range.fit(begin, end);
		});
		this.node.addEventListener("wheel", (event) => this.wheel(event, point(event)),
			{passive: false});
	}

	/* As in Perfetto: the wheel scrolls, with Ctrl it zooms, with Shift or
	 * sideways it moves through time. */
	wheel(event, {x}) {
		const {range} = this.app;
		const step = event.deltaMode === 1 ? 16 : 1;
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			range.zoomNow(Math.exp(clamp(event.deltaY * step, -300, 300) * 0.0025), this.time(Math.max(0, x)));
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			range.panNow((event.deltaX || event.deltaY) * step / this.width * range.span);
		}
	}

	scrollTo(row) {
		const top = this.top(row), node = this.node;
		if (top < node.scrollTop || top + row.height > node.scrollTop + node.clientHeight)
			node.scrollTop = top - (node.clientHeight - row.height) / 2;
	}
}
