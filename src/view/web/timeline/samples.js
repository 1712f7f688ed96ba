/* SPDX-License-Identifier: MIT */
/* Samples of a thread's stack: a mark for each, in the colour of its innermost
 * function; where they are too dense for that, columns as high as the share of the
 * time that the thread was found on a CPU. */
"use strict";

/* Marks stand apart by as much at least, in CSS pixels. */
const SAMPLE_MARKS_FROM = 3;
const SAMPLE_COLUMN = 4;
const SAMPLE_NAME_FROM = 60;

/* Of what is not looked for. */
const SAMPLE_DIMMED = 0.15;

function drawSamples(painter, frame, place) {
	const {context} = frame;
	const period = place.track.period * frame.scale / frame.ratio;
	context.fillStyle = painter.style.line;
	context.fillRect(0, place.y + place.height - 1, frame.width, 1);
	if (period < SAMPLE_MARKS_FROM)
		drawSampleColumns(painter, frame, place);
	else
		drawSampleMarks(painter, frame, place, period);
	context.globalAlpha = 1;
}

/* Calls take(label, x, count, room) for whatever is in the picture: x in CSS pixels,
 * `room` up to the next one. */
function visitSamples(painter, frame, {track}, take) {
	const {from, to, scale, ratio, width} = frame;
	const labels = painter.labels[track.session];
	const {offset} = track;
	const reach = SAMPLE_COLUMN * ratio / scale;
	let before = null;
	const give = (x) => {
		if (before)
			take(before.label, before.x, before.count, x - before.x);
	};
	const whole = painter.tiles.visit(track, frame.level, from - offset - reach, to - offset + reach, true,
		(tile, begin, end) => {
			for (let i = lowerBound(tile.begin, begin); i < tile.count && tile.begin[i] < end; i++) {
				const x = (tile.begin[i] + offset - from) * scale / ratio;
				give(x);
				before = {x, count: tile.spans[i], label: labels[tile.label[i]] || labels.unknown};
			}
		});
	give(width);
	frame.whole = whole && frame.whole;
}

function drawSampleMarks(painter, frame, place, period) {
	const {context} = frame;
	const {y, height} = place;
	const width = period < 6 ? 1.5 : period < 16 ? 2 : 3;
	context.font = TEXT_FONT;
	context.textBaseline = "middle";
	visitSamples(painter, frame, place, (label, x, count, room) => {
		context.globalAlpha = painter.searching && !label.wanted ? SAMPLE_DIMMED : 1;
		context.fillStyle = label.colour;
		context.fillRect(x - width / 2, y, width, height);
		if (period < SAMPLE_NAME_FROM)
			return;
		const text = painter.fitName(context, label.shown, Math.min(room, period) - width - 6);
		context.fillStyle = painter.style.text;
		context.fillText(text, x + width / 2 + 3, y + height / 2 + 0.5);
	});
}

/* Columns keep their places in time, so that they do not flicker while one moves. */
function drawSampleColumns(painter, frame, place) {
	const {context, from, scale, ratio} = frame;
	const {y, track, height: most} = place;
	const ns = SAMPLE_COLUMN * ratio / scale;
	const columns = new Map();
	visitSamples(painter, frame, place, (label, x, count) => {
		const at = Math.floor((from + x * ratio / scale) / ns);
		let column = columns.get(at);
		if (!column) {
			column = {count: 0, labels: new Map()};
			columns.set(at, column);
		}
		column.count += count;
		/* What is looked for is seen, however little it is. */
		const weight = count * (painter.searching && label.wanted ? 1e6 : 1);
		column.labels.set(label, (column.labels.get(label) || 0) + weight);
	});
	for (const [at, {count, labels}] of columns) {
		const [label] = [...labels].reduce((a, b) => b[1] > a[1] ? b : a);
		const share = Math.min(1, count * track.period / ns);
		const height = Math.max(2, share * (most - 1));
		context.globalAlpha = painter.searching && !label.wanted ? SAMPLE_DIMMED : 1;
		context.fillStyle = label.colour;
		context.fillRect((at * ns - from) * scale / ratio, y + most - height, SAMPLE_COLUMN - 0.5, height);
	}
}

/* A span's stretch of time on the axis; around a sample, which has no length, as much
 * as shows its neighbours. */
function stretchOf(span) {
	const room = span.track.type === "samples" ? 10 * span.track.period : 0;
	return {begin: span.begin + span.track.offset - room, end: span.end + span.track.offset + room};
}

/* Functions of a stack, innermost first; `most`: of more than that only how many. */
function stackList(stack, most) {
	const list = element("ol", {class: "stack"});
	const shown = stack.length > most + 1 ? stack.slice(0, most) : stack;
	for (const [name, file] of shown)
		list.append(element("li", {title: visible(file)}, element("span", {class: "what"}, visible(name)),
			element("span", {class: "dim"}, visible(file.replace(/.*\//, "")))));
	if (shown.length < stack.length)
		list.append(element("li", {class: "more dim"}, `and ${stack.length - shown.length} more`));
	return list;
}
