/* SPDX-License-Identifier: MIT */
/* The page's questions, answered from the data that lie in the page itself
 * (src/view/serve/bundle.h): the same methods as the server's (server.js). */
"use strict";

const DETAILS_IN_CHUNK = 1024;
const CHUNKS_KEPT = 24;

/* Bytes of one data element of the page. */
async function unpacked(id) {
	const node = byId(id);
	if (!node)
		throw new Error("This file is incomplete: " + id + " is missing.");
	const letters = atob(node.textContent);
	const bytes = new Uint8Array(letters.length);
	for (let i = 0; i < letters.length; i++)
		bytes[i] = letters.charCodeAt(i);
	if (typeof DecompressionStream === "undefined")
		throw new Error("This browser is too old for this file: it needs DecompressionStream.");
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	try {
		return new Uint8Array(await new Response(stream).arrayBuffer());
	} catch (error) {
		throw new Error("This file is damaged: " + id + " cannot be read.");
	}
}

async function unpackedText(id) {
	return new TextDecoder().decode(await unpacked(id));
}

async function unpackedJson(id) {
	return JSON.parse(await unpackedText(id));
}

/* Unsigned LEB128 numbers. */
class Numbers {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	next() {
		let value = 0, factor = 1, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * factor;
			factor *= 128;
		} while (byte > 127);
		return value;
	}

	nextSigned() {
		const value = this.next();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	column(array, signed) {
		for (let i = 0; i < array.length; i++)
			array[i] = signed ? this.nextSigned() : this.next();
		return array;
	}

	/* Numbers, each as its difference from the one before. */
	steps(array) {
		let value = 0;
		for (let i = 0; i < array.length; i++) {
			value += this.nextSigned();
			array[i] = value;
		}
		return array;
	}
}

class LocalSource {
	constructor() {
		this.sessions = []; /* {bundle, tracks} */
		this.chunks = new Map(); /* of details, the latest last */
	}

	async model() {
		this.data = await unpackedJson("data-model");
		this.sessions = await Promise.all(this.data.sessions.map(async (session, number) => {
			const bundle = await unpackedJson("data-bundle-" + number);
			const tracks = this.readTracks(session, new Numbers(await unpacked("data-tracks-" + number)));
			if (bundle.bin_ns)
				session.notes.unshift({warning: true, text: "This file is downsampled: events closer together than " +
					lengthWords(bundle.bin_ns) + ` are gathered (${countWords(bundle.items)} items represent ` +
					`${countWords(bundle.of_items)}). \`tandem view\` shows each of them.`});
			return {bundle, tracks};
		}));
		return this.data;
	}

	/* Whether not every event is in the file; sums of the full trace are. */
	get downsampled() {
		return this.sessions.some(({bundle}) => bundle.bin_ns);
	}

	readTracks(session, numbers) {
		const tracks = new Array(numbers.next());
		let details = 0;
		session.rows.forEach((row, rowNumber) => {
			for (const [number, type, , again] of row.tracks) {
				tracks[number] = {number, type, again, row: rowNumber, device: row.device};
			}
		});
		for (const track of tracks) {
			track.count = numbers.next();
			track.more = numbers.next();
			track.begin = numbers.steps(new Float64Array(track.count));
			if (track.type === "counter")
				this.readPoints(track, numbers);
			else
				details = this.readSpans(track, numbers, details);
		}
		return tracks;
	}

	readPoints(track, numbers) {
		track.least = numbers.column(new Float64Array(track.count));
		track.most = numbers.column(new Float64Array(track.count));
		track.last = numbers.column(new Float64Array(track.count));
	}

	/* Returns the number of details before the next track. */
	readSpans(track, numbers, details) {
		const {count} = track;
		track.end = numbers.column(new Float64Array(count));
		for (let i = 0; i < count; i++)
			track.end[i] += track.begin[i];
		track.label = numbers.column(new Uint32Array(count));
		track.spans = numbers.column(new Uint32Array(count));
		track.busy = new Float64Array(count);
		for (let i = 0; i < count; i++)
			track.busy[i] = track.spans[i] > 1 ? numbers.next() : track.end[i] - track.begin[i];
		track.item = numbers.steps(new Float64Array(count));
		track.bytes = track.more === 1 ? numbers.column(new Float64Array(count)) : null;
		track.stack = track.more === 2 ? numbers.column(new Uint32Array(count)) : null;
		track.deviceNs = track.more === 3 ? numbers.column(new Float64Array(count)) : null;
		/* The latest end so far, by which what reaches into a stretch is found. */
		track.reach = new Float64Array(count);
		for (let i = 0, reach = -Infinity; i < count; i++) {
			reach = Math.max(reach, track.end[i]);
			track.reach[i] = reach;
		}
		if (!isNamed(track))
			return details;
		track.detail = new Int32Array(count);
		for (let i = 0; i < count; i++)
			track.detail[i] = track.spans[i] === 1 ? details++ : -1;
		return details;
	}

	/* --- details */

	async chunk(session, number) {
		const id = `data-details-${session}-${number}`;
		let lines = this.chunks.get(id);
		if (!lines) {
			lines = unpackedText(id).then((text) => text.split("\n"));
			this.chunks.set(id, lines);
			if (this.chunks.size > CHUNKS_KEPT)
				this.chunks.delete(this.chunks.keys().next().value);
		}
		return lines;
	}

	async detail(session, number, item) {
		const track = this.sessions[session].tracks[number];
		const at = track && track.item ? lowerBound(track.item, item + 1) - 1 : -1;
		if (at < 0)
			throw new Error("This file does not hold that event.");
		const detail = track.detail ? track.detail[at] : -1;
		if (detail >= 0 && track.item[at] === item) {
			const lines = await this.chunk(session, Math.floor(detail / DETAILS_IN_CHUNK));
			return JSON.parse(lines[detail % DETAILS_IN_CHUNK]);
		}
		const described = this.data.sessions[session];
		const [name, kind, flags] = described.labels[track.label[at]];
		return {name, kind: described.kinds[kind][0], row: track.row, begin_ns: track.begin[at], end_ns: track.end[at],
			spans: track.spans[at], item: track.item[at],
			flags: Object.keys(FLAG).filter((flag) => FLAG[flag] & flags)};
	}

	graph(session) {
		return unpackedJson("data-graph-" + session);
	}

	findings(session) {
		return unpackedJson("data-findings-" + session);
	}

	/* --- what the other files answer */

	async tiles(session, level, first, last, tracks) {
		const found = [];
		for (const number of tracks)
			for (let tile = first; tile <= last; tile++)
				found.push(localTile(this.sessions[session].tracks[number], level, tile));
		return found;
	}

	async select(session, from, to, rows) {
		const {bundle, tracks} = this.sessions[session];
		return localSelect(this.data.sessions[session], bundle, tracks, from, to, rows);
	}

	async stacks(session, from, to, rows) {
		const {bundle, tracks} = this.sessions[session];
		return localStacks(this.data.sessions[session], bundle, tracks, from, to, rows);
	}

	async counts(session, labels) {
		const {bundle, tracks} = this.sessions[session];
		const counts = bundle.counts || localCounts(tracks);
		return [...labels].sort((a, b) => a - b).filter((label) => counts[label])
			.map((label) => [label, counts[label]]);
	}

	async instances(session, labels, from, to, rows, list) {
		const {bundle, tracks} = this.sessions[session];
		return localInstances(this.data.sessions[session], bundle, tracks, labels, from, to, rows, list);
	}

	async count(session, labels) {
		const {bundle, tracks} = this.sessions[session];
		if (!bundle.counts)
			return localCount(tracks, labels);
		return [...labels].reduce((sum, label) => sum + bundle.counts[label], 0);
	}

	async step(session, labels, hit, back) {
		return localStep(this.sessions[session].tracks, labels, hit, back);
	}

	async marks(session, labels, from, to, bins) {
		return localMarks(this.sessions[session].tracks, labels, from, to, bins);
	}
}
