/* SPDX-License-Identifier: MIT */
/* Draws tracks. Spans become one line of pixels for each track, written into
 * memory, and are then stretched to the track's height: the cost of a picture
 * depends on its width and not on how many spans there are. Names, hatches and
 * curves are drawn on top. */
"use strict";

const TEXT_FONT = "11px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/* A name is written where at least so many pixels are there for it. */
const TEXT_LEAST = 26;
const TEXT_PADDING = 4;

/* A name that is cut has its end as well from so many letters on. */
const NAME_BOTH_ENDS = 9;

/* Alpha of a pixel that is covered for a moment only: never invisible. */
const ALPHA_LEAST = 96;
const ALPHA_DIMMED = 36;

/* The context of a canvas of that size on the page, in the page's pixels. */
function canvasFit(canvas, width, height) {
	const ratio = devicePixelRatio || 1;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	const context = canvas.getContext("2d");
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return context;
}

class Painter {
	constructor(tiles, labels) {
		this.tiles = tiles;
		this.labels = labels; /* by session */
		this.lines = document.createElement("canvas");
		this.widths = new Map(); /* of texts */
		this.searching = false;
		this.dark = false;
		this.style = null;
	}

	/* Colours that depend on the theme. */
	setStyle(style) {
		this.style = style;
	}

	/* Draws tracks at their places: [{track, y, height}], in device pixels scaled by
	 * `ratio`; from..to over the canvas's width. Returns whether all was there. */
	draw(context, places, width, ratio, from, to) {
		const pixels = Math.max(1, Math.round(width * ratio));
		const level = levelOf(to - from, pixels);
		const frame = {context, width, ratio, from, to, pixels, level,
			scale: pixels / (to - from), whole: true};
		const spans = places.filter(({track}) =>
			track.type === "spans" || track.type === "state" || track.type === "activity");
		this.drawSpans(frame, spans);
		for (const place of places) {
			if (place.track.type === "cover")
				this.drawCover(frame, place);
			else if (place.track.type === "counter")
				this.drawCounter(frame, place);
			else if (place.track.type === "samples")
				drawSamples(this, frame, place);
		}
		return frame.whole;
	}

	drawSpans(frame, places) {
		if (!places.length)
			return;
		const {context, pixels, width} = frame;
		const lines = places.flatMap(linesOf);
		this.prepareLines(pixels, lines.length);
		const wide = [];
		lines.forEach((line, number) => this.fillLine(frame, line, number, wide));
		const image = this.lines.getContext("2d");
		image.putImageData(this.image, 0, 0, 0, 0, pixels, lines.length);
		context.imageSmoothingEnabled = false;
		lines.forEach(({y, height}, number) => {
			context.drawImage(this.lines, 0, number, pixels, 1, 0, y, width, height);
		});
		context.font = TEXT_FONT;
		context.textBaseline = "middle";
		for (const one of wide)
			this.drawWide(frame, one);
	}

	prepareLines(pixels, lines) {
		if (!this.image || this.image.width !== pixels || this.image.height < lines) {
			const height = Math.max(lines, this.image ? this.image.height : 0, 32);
			this.lines.width = pixels;
			this.lines.height = height;
			this.image = new ImageData(pixels, height);
			this.memory = new Uint32Array(this.image.data.buffer);
		}
		this.memory.fill(0, 0, pixels * lines);
	}

	/* One line of pixels: every span leaves at least one. */
	fillLine(frame, {place, least}, line, wide) {
		const {from, to, scale, pixels, ratio} = frame;
		const {track} = place;
		const labels = this.labels[track.session];
		const memory = this.memory, base = line * pixels;
		const colour = track.type === "activity" ? activityPixel(this, track) : 0;
		const textLeast = place.height >= 14 ? TEXT_LEAST * ratio : Infinity;
		const offset = track.offset;
		const searching = this.searching && track.type !== "activity";
		const whole = this.tiles.visit(track, frame.level, from - offset, to - offset, true,
			(tile, begin, end) => {
				for (let i = firstItem(tile, begin); i < tile.count && tile.begin[i] < end; i++) {
					const x = (tile.begin[i] + offset - from) * scale;
					const right = (tile.end[i] + offset - from) * scale;
					const label = labels[tile.label[i]] || labels.unknown;
					if (label.level < least)
						continue;
					const dimmed = searching && !label.wanted;
					const pixel = colour || label.pixel;
					let left = x < 0 ? 0 : x | 0;
					if (left >= pixels)
						break;
					/* What reaches over several tiles is named once, and what
					 * is narrow drawn with the tile that it begins in. */
					const again = tile.begin[i] < begin && begin > from - offset;
					if (right - x < 1.5) {
						if (again)
							continue;
						/* What is gathered is as strong as it is dense. */
						const share = tile.spans[i] > 1 ? tile.busy[i] * Math.min(1, right - x + 0.5) : 1;
						const alpha = dimmed ? ALPHA_DIMMED :
							ALPHA_LEAST + (255 - ALPHA_LEAST) * Math.min(1, share) | 0;
						/* In front of what is weaker there, and of what
						 * is not looked for. */
						if (memory[base + left] >>> 24 <= alpha)
							memory[base + left] = (pixel | alpha << 24) >>> 0;
						continue;
					}
					/* Rounded as the end of the one before it is, or it would lie on the gap
					 * between them. */
					left = x < 0 ? 0 : Math.min(pixels - 1, Math.round(x));
					let last = right > pixels ? pixels : Math.round(right);
					if (last <= left)
						last = left + 1;
					/* A gap tells two spans of one name apart. */
					const gap = last - left >= 4 * ratio && tile.spans[i] === 1 && right <= pixels ? 1 : 0;
					const alpha = dimmed ? ALPHA_DIMMED : tile.spans[i] > 1 ?
						ALPHA_LEAST + (255 - ALPHA_LEAST) * tile.busy[i] | 0 : 255;
					memory.fill((pixel | alpha << 24) >>> 0, base + left, base + last - gap);
					if (!again && tile.spans[i] === 1 && (last - left >= textLeast || (label.hatched && last - left > 2)))
						wide.push({place, label, left: left / ratio, right: (last - gap) / ratio,
							length: tile.end[i] - tile.begin[i], dimmed});
				}
			});
		frame.whole = whole && frame.whole;
	}

	drawWide(frame, {place, label, left, right, length, dimmed}) {
		const {context} = frame;
		const {y, height} = place;
		if (label.hatched) {
			context.fillStyle = this.style.hatch;
			context.fillRect(left, y, right - left, height);
		}
		if (height < 14 || right - left < TEXT_LEAST || dimmed)
			return;
		const room = right - left - 2 * TEXT_PADDING;
		const text = this.fitText(context, label, room, length);
		if (!text)
			return;
		context.fillStyle = label.dark ? "#fff" : "#10151c";
		context.fillText(text, left + TEXT_PADDING, y + height / 2 + 0.5);
	}

	width(context, text) {
		let width = this.widths.get(text);
		if (width === undefined) {
			if (this.widths.size > 4000)
				this.widths.clear();
			width = context.measureText(text).width;
			this.widths.set(text, width);
		}
		return width;
	}

	/* The name, with its length where there is room, or as much of it as fits. */
	fitText(context, label, room, length) {
		const width = this.width(context, label.shown);
		if (width <= room) {
			const words = label.shown + "  " + lengthWords(length);
			return width + 70 <= room || this.width(context, words) <= room ? words : label.shown;
		}
		return this.fitName(context, label.brief, room);
	}

	fitName(context, name, room) {
		const briefWidth = this.width(context, name);
		if (briefWidth <= room)
			return name;
		/* In the middle, as names that begin alike often differ at their ends; of a few letters the
		 * first ones say more. */
		for (let letters = Math.floor(name.length * room / briefWidth); letters > 1; letters--) {
			const head = letters < NAME_BOTH_ENDS ? letters : Math.ceil(letters * 0.6);
			const cut = name.slice(0, head) + "\u2026" + (letters > head ? name.slice(head - letters) : "");
			if (this.width(context, cut) <= room)
				return cut;
		}
		return "";
	}

	/* The share of each pixel's time that is covered, as a filled curve. */
	drawCover(frame, {track, y, height}) {
		const {context, from, to, scale, pixels, ratio} = frame;
		const share = new Float32Array(pixels);
		const offset = track.offset;
		const whole = this.tiles.visit(track, frame.level, from - offset, to - offset, true,
			(tile, begin, end) => {
				for (let i = firstItem(tile, begin); i < tile.count && tile.begin[i] < end; i++) {
					const left = (Math.max(tile.begin[i], begin) + offset - from) * scale;
					const right = (Math.min(tile.end[i], end) + offset - from) * scale;
					addShare(share, left, right, tile.busy[i]);
				}
			});
		frame.whole = whole && frame.whole;
		context.fillStyle = this.style.coverFill;
		context.strokeStyle = this.style.coverLine;
		drawColumns(context, y, height, pixels, ratio, (i) => Math.min(1, share[i]));
	}

	/* A counter's least and most in each pixel. */
	drawCounter(frame, {track, y, height}) {
		const {context, from, to, scale, pixels, ratio} = frame;
		const most = new Float64Array(pixels), least = new Float64Array(pixels);
		const offset = track.offset;
		const set = (left, right, low, high) => {
			const first = Math.max(0, Math.floor(left)), last = Math.min(pixels - 1, Math.floor(right));
			for (let i = first; i <= last; i++) {
				most[i] = Math.max(most[i], high);
				least[i] = seen[i] ? Math.min(least[i], low) : low;
				seen[i] = 1;
			}
		};
		const seen = new Uint8Array(pixels);
		const whole = this.tiles.visit(track, frame.level, from - offset, to - offset, true,
			(tile, begin, end) => {
				let i = Math.max(0, lowerBound(tile.begin, begin) - 1);
				for (; i < tile.count && tile.begin[i] < end; i++) {
					const next = i + 1 < tile.count ? Math.min(tile.begin[i + 1], end) : end;
					const at = (Math.max(tile.begin[i], begin) + offset - from) * scale;
					if (tile.begin[i] >= begin)
						set(at, at, tile.least[i], tile.most[i]);
					set(at, (next + offset - from) * scale, tile.last[i], tile.last[i]);
				}
			});
		frame.whole = whole && frame.whole;
		/* The most that it ever is, so that the scale does not change while one moves through it. */
		const top = track.top;
		context.fillStyle = this.style.counterFill;
		context.strokeStyle = this.style.counterLine;
		drawColumns(context, y, height, pixels, ratio, (i) => top ? most[i] / top : 0);
	}
}

/* One line for each track, but of a thread's state three, one above the other:
 * waiting for a CPU fills them all, running two, being blocked one. So states are
 * told apart without their colours. */
function linesOf(place) {
	const {track, y} = place;
	if (track.type !== "state")
		return [{place, least: 0, y, height: place.height}];
	const height = place.height / 3;
	return [2, 1, 0].map((least, i) => ({place, least, y: y + i * height, height}));
}

/* The first item that may reach beyond `begin`. */
function firstItem(tile, begin) {
	if (!tile.reach) {
		/* Where spans overlap, a later one may end earlier. */
		tile.reach = new Float64Array(tile.count);
		for (let i = 0, reach = -Infinity; i < tile.count; i++) {
			reach = Math.max(reach, tile.end[i]);
			tile.reach[i] = reach;
		}
		tile.bytes += 8 * tile.count;
	}
	return lowerBound(tile.reach, begin);
}

/* Strips have no names: the first is of API calls, the second of the device. */
function activityPixel(painter, track) {
	const [r, g, b] = rgb(track.lane ? painter.style.activityDevice : painter.style.activityCalls);
	return b << 16 | g << 8 | r;
}

function addShare(share, left, right, busy) {
	const first = Math.max(0, Math.floor(left)), last = Math.min(share.length - 1, Math.floor(right));
	for (let i = first; i <= last; i++)
		share[i] += busy * (Math.min(right, i + 1) - Math.max(left, i));
}

/* A filled curve of a height from 0 to 1 for each pixel, and its upper line. */
function drawColumns(context, y, height, pixels, ratio, part) {
	const line = new Path2D();
	for (let i = 0; i < pixels; i++) {
		const top = y + height - part(i) * (height - 2);
		line.lineTo(i / ratio, top);
		line.lineTo((i + 1) / ratio, top);
	}
	const area = new Path2D(line);
	area.lineTo(pixels / ratio, y + height);
	area.lineTo(0, y + height);
	context.fill(area);
	context.lineWidth = 1;
	context.stroke(line);
}
