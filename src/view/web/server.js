/* SPDX-License-Identifier: MIT */
/* The page's questions, asked of the local server (src/view/serve/answer.h). The page in
 * one file has a class of the same methods in its place (local.js). */
"use strict";

class ServerSource {
	async ask(name, parameters, binary) {
		const query = new URLSearchParams(parameters).toString();
		try {
			const response = await fetch(name + (query ? "?" + query : ""));
			if (!response.ok)
				throw new Error(response.status === 403 ?
					"The server refused: this page's address is of an earlier run." :
					`The server answered ${response.status}.`);
			return binary ? await response.arrayBuffer() : await response.json();
		} catch (error) {
			if (error instanceof TypeError)
				throw new Error("The server does not answer: `tandem view` has ended.");
			throw error;
		}
	}

	model() {
		return this.ask("model");
	}

	async tiles(session, level, first, last, tracks) {
		const bytes = await this.ask("tiles",
			{session, level, first, last, tracks: listWords(tracks)}, true);
		return readTiles(bytes);
	}

	detail(session, track, item) {
		return this.ask("detail", {session, track, item});
	}

	/* `rows`: numbers of rows, or null for all. */
	select(session, from, to, rows) {
		return this.ask("select", ofRows({session, from: Math.round(from), to: Math.round(to)}, rows));
	}

	stacks(session, from, to, rows) {
		return this.ask("stacks", ofRows({session, from: Math.round(from), to: Math.round(to)}, rows));
	}

	/* [label, number of spans] of each label that has any. */
	counts(session, labels) {
		return this.ask("counts", {session, labels: listWords(labels)});
	}

	/* `list`: {byLength, least, most, skip, count} (src/view/query/instances.h). */
	instances(session, labels, from, to, rows, list) {
		return this.ask("instances", ofRows({session, labels: listWords(labels), from: Math.round(from),
			to: Math.round(to), by_length: list.byLength ? 1 : 0, least: list.least,
			...list.most === Infinity ? {} : {most: list.most}, skip: list.skip, count: list.count}, rows));
	}

	async count(session, labels) {
		return (await this.ask("search", {session, labels: listWords(labels)})).total;
	}

	step(session, labels, hit, back) {
		return this.ask("step", {session, labels: listWords(labels), at: Math.round(hit.begin),
			track: hit.track, item: hit.item, back: back ? 1 : 0});
	}

	/* The task graph (src/view/query/graph.h). */
	graph(session) {
		return this.ask("graph", {session});
	}

	follow() {
		return this.ask("follow");
	}

	findings(session) {
		return this.ask("findings", {session});
	}

	marks(session, labels, from, to, bins) {
		return this.ask("marks", {session, labels: listWords(labels), from: Math.round(from),
			to: Math.round(to), bins});
	}
}

function ofRows(parameters, rows) {
	return rows === null ? parameters : {...parameters, row: listWords(rows)};
}

/* [1, 2, 3, 7] to "1-3,7" */
function listWords(numbers) {
	const sorted = [...numbers].sort((a, b) => a - b);
	const words = [];
	for (let i = 0; i < sorted.length;) {
		let end = i;
		while (sorted[end + 1] === sorted[end] + 1)
			end++;
		words.push(end > i ? sorted[i] + "-" + sorted[end] : String(sorted[i]));
		i = end + 1;
	}
	return words.join(",");
}

/* Tiles as src/view/query/tiles.h describes them. Both kinds have the same columns, of
 * which counters read the last four as numbers: least, most, last. */
function readTiles(bytes) {
	const view = new DataView(bytes);
	const tiles = [];
	for (let at = 0; at < bytes.byteLength;) {
		const count = view.getUint32(at + 4, true);
		const tile = {
			track: view.getUint32(at, true),
			count,
			whole: (view.getUint32(at + 8, true) & 1) !== 0,
			number: view.getFloat64(at + 16, true),
			bytes: 32 * count + 200,
		};
		at += 24;
		tile.begin = new Float64Array(bytes, at, count);
		tile.end = new Float64Array(bytes, at + 8 * count, count);
		tile.label = new Uint32Array(bytes, at + 16 * count, count);
		tile.spans = new Uint32Array(bytes, at + 20 * count, count);
		tile.item = new Uint32Array(bytes, at + 24 * count, count);
		tile.busy = new Float32Array(bytes, at + 28 * count, count);
		tile.least = tile.end;
		tile.most = new Float64Array(bytes, at + 16 * count, count);
		tile.last = new Float64Array(bytes, at + 24 * count, count);
		tiles.push(tile);
		at += 32 * count;
	}
	return tiles;
}
