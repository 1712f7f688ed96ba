/* SPDX-License-Identifier: MIT */
/* Tiles made in the page, of the same form as the server's (src/view/query/tiles.h). */
"use strict";

const LOCAL_VOTES = 8;

function localTile(track, level, number) {
	return track.type === "counter" ? localPoints(track, level, number) : localSpans(track, level, number);
}

/* Columns that grow. */
class TileColumns {
	constructor() {
		this.begin = [];
		this.end = [];
		this.label = [];
		this.spans = [];
		this.item = [];
		this.busy = [];
	}

	add(begin, end, label, spans, item, busyNs) {
		this.begin.push(begin);
		this.end.push(end);
		this.label.push(label);
		this.spans.push(spans);
		this.item.push(item);
		this.busy.push(end > begin && busyNs !== null ? busyNs / (end - begin) : 1);
	}

	tile(track, number, whole) {
		const count = this.begin.length;
		return {track: track.number, count, whole, number, bytes: 32 * count + 200,
			begin: Float64Array.from(this.begin), end: Float64Array.from(this.end),
			label: Uint32Array.from(this.label), spans: Uint32Array.from(this.spans),
			item: Float64Array.from(this.item), busy: Float32Array.from(this.busy)};
	}
}

/* Spans of one bin, together. */
class TileGroup {
	constructor() {
		this.spans = 0;
	}

	add(bin, track, i) {
		if (!this.spans) {
			this.bin = bin;
			this.begin = track.begin[i];
			this.end = track.end[i];
			this.item = track.item[i];
			this.busy = track.stack ? null : 0;
			this.votes = new Map();
		}
		this.spans += track.spans[i];
		/* Samples have no length: each counts as much as another. */
		const weight = track.stack ? track.spans[i] : track.busy[i];
		if (!track.stack)
			this.busy += weight;
		this.end = Math.max(this.end, track.end[i]);
		const votes = this.votes.get(track.label[i]);
		if (votes !== undefined || this.votes.size < LOCAL_VOTES)
			this.votes.set(track.label[i], (votes || 0) + weight);
	}

	/* Returns whether anything was gathered. */
	close(columns) {
		const {spans} = this;
		if (!spans)
			return false;
		let best = null;
		for (const [label, ns] of this.votes)
			if (best === null || ns > this.votes.get(best))
				best = label;
		columns.add(this.begin, this.end, best, spans, this.item, this.busy);
		this.spans = 0;
		return spans > 1;
	}
}

function localSpans(track, level, number) {
	const bin = Math.pow(2, level), begin = number * TILE_BINS * bin, end = begin + TILE_BINS * bin;
	const columns = new TileColumns(), group = new TileGroup();
	let gathered = false;
	/* What touches the tile's begin reaches into it, but for what ends there. */
	for (let i = lowerBound(track.reach, begin); i < track.count && track.begin[i] < end; i++) {
		if (track.end[i] <= begin && track.begin[i] < begin)
			continue;
		const at = Math.floor(track.begin[i] / bin);
		if (track.end[i] - track.begin[i] >= bin || track.begin[i] < begin) {
			gathered = group.close(columns) || track.spans[i] > 1 || gathered;
			columns.add(track.begin[i], track.end[i], track.label[i], track.spans[i], track.item[i],
				track.busy[i]);
			continue;
		}
		if (group.spans && group.bin !== at)
			gathered = group.close(columns) || gathered;
		group.add(at, track, i);
	}
	gathered = group.close(columns) || gathered;
	return columns.tile(track, number, !gathered);
}

function localPoints(track, level, number) {
	const bin = Math.pow(2, level), begin = number * TILE_BINS * bin, end = begin + TILE_BINS * bin;
	const at = [], least = [], most = [], last = [];
	let gathered = false;
	const first = lowerBound(track.begin, begin);
	if (first > 0) {
		at.push(begin);
		for (const column of [least, most, last])
			column.push(track.last[first - 1]);
	}
	for (let i = first; i < track.count && track.begin[i] < end; i++) {
		const top = at.length - 1;
		/* Of an overview: a point that stands for several. */
		gathered = gathered || track.least[i] !== track.most[i];
		/* The value that the tile begins with stands alone. */
		if (top >= (first > 0 ? 1 : 0) && Math.floor(at[top] / bin) === Math.floor(track.begin[i] / bin)) {
			least[top] = Math.min(least[top], track.least[i]);
			most[top] = Math.max(most[top], track.most[i]);
			last[top] = track.last[i];
			gathered = true;
			continue;
		}
		at.push(track.begin[i]);
		least.push(track.least[i]);
		most.push(track.most[i]);
		last.push(track.last[i]);
	}
	const values = Float64Array.from(least);
	return {track: track.number, count: at.length, whole: !gathered, number, bytes: 32 * at.length + 200,
		begin: Float64Array.from(at), end: values, least: values, most: Float64Array.from(most),
		last: Float64Array.from(last)};
}
