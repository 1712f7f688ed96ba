/* SPDX-License-Identifier: MIT */
/* Tiles that were asked for before. What is not there yet is drawn from a coarser
 * tile and asked for; a tile in which nothing was gathered serves all finer
 * levels. Memory is bounded: tiles that were not drawn for long go first. */
"use strict";

const TILE_BINS = 1024;
const TILE_BYTES_MOST = 96 << 20;
/* Requests for tiles at once: further ones would only be late. */
const REQUESTS_MOST = 3;
const TILES_IN_REQUEST = 1024;

function tileNs(level) {
	return TILE_BINS * Math.pow(2, level);
}

/* The level whose bins are nearest to a pixel. */
function levelOf(ns, pixels) {
	return clamp(Math.round(Math.log2(ns / Math.max(1, pixels))), 0, 50);
}

class Tiles {
	constructor(source, changed) {
		this.source = source;
		this.changed = changed; /* called when tiles came */
		this.failed = null; /* called with what went wrong */
		this.tracks = new Map(); /* "session:track" -> Map of "level:number" -> tile */
		this.bytes = 0;
		this.clock = 0; /* of drawing, for the age of tiles */
		this.missing = new Map(); /* request key -> what to ask for */
		this.asked = new Set(); /* "session:track:level:number" on their way */
		this.requests = 0; /* on their way: each one's end draws again, and so asks for the rest */
	}

	of(track) {
		let tiles = this.tracks.get(track.key);
		if (!tiles) {
			tiles = new Map();
			this.tracks.set(track.key, tiles);
		}
		return tiles;
	}

	/* Begins a picture: what was missing in the last one no longer matters. */
	begin() {
		this.clock++;
		this.missing.clear();
	}

	/* Calls visit(tile, from, to) for what covers from..to of a track, at a level:
	 * only the stretch of a tile that is meant. `ask`: what is missing is wanted.
	 * Returns whether everything was there. */
	visit(track, level, from, to, ask, visit) {
		const width = tileNs(level);
		const first = Math.floor(from / width), last = Math.floor((to - 1e-6) / width);
		const tiles = this.of(track);
		let whole = true;
		for (let number = first; number <= last; number++) {
			const begin = Math.max(from, number * width);
			const end = Math.min(to, (number + 1) * width);
			const tile = this.find(tiles, level, number);
			if (tile) {
				tile.used = this.clock;
				visit(tile, begin, end);
				continue;
			}
			whole = false;
			if (ask)
				this.want(track, level, number);
			this.visitOther(tiles, level, number, begin, end, visit);
		}
		return whole;
	}

	/* The tile itself, or a coarser one that has all there is. */
	find(tiles, level, number) {
		let tile = tiles.get(level + ":" + number);
		for (let up = level + 1; !tile && up <= level + 24 && up <= 50; up++) {
			number = Math.floor(number / 2);
			const coarse = tiles.get(up + ":" + number);
			if (coarse && coarse.whole)
				tile = coarse;
		}
		return tile;
	}

	/* Something until the right one comes: a coarser tile, or finer ones. */
	visitOther(tiles, level, number, from, to, visit) {
		let up = number;
		for (let coarse = level + 1; coarse <= level + 12; coarse++) {
			up = Math.floor(up / 2);
			const tile = tiles.get(coarse + ":" + up);
			if (tile) {
				tile.used = this.clock;
				visit(tile, from, to);
				return;
			}
		}
		for (let down = 1; down <= 3 && level >= down; down++) {
			const width = tileNs(level - down);
			let found = false;
			for (let i = 0; i < 1 << down; i++) {
				const fine = number * (1 << down) + i;
				const tile = tiles.get((level - down) + ":" + fine);
				if (!tile)
					continue;
				found = true;
				visit(tile, Math.max(from, fine * width), Math.min(to, (fine + 1) * width));
			}
			if (found)
				return;
		}
	}

	want(track, level, number) {
		const key = track.session + ":" + level;
		let wanted = this.missing.get(key);
		if (this.asked.has(track.key + ":" + level + ":" + number))
			return;
		if (!wanted) {
			wanted = {session: track.session, level, first: number, last: number,
				tracks: new Set()};
			this.missing.set(key, wanted);
		}
		wanted.first = Math.min(wanted.first, number);
		wanted.last = Math.max(wanted.last, number);
		wanted.tracks.add(track.number);
	}

	/* Ends a picture: asks for what it lacked. */
	end() {
		for (const wanted of this.missing.values()) {
			if (this.requests >= REQUESTS_MOST)
				break;
			this.request(wanted);
		}
		this.missing.clear();
		if (this.bytes > TILE_BYTES_MOST)
			this.prune();
	}

	async request(wanted) {
		const width = wanted.last - wanted.first + 1;
		const tracks = [...wanted.tracks].slice(0, Math.max(1, Math.floor(TILES_IN_REQUEST / width)));
		const keys = [];
		for (const track of tracks)
			for (let number = wanted.first; number <= wanted.last; number++)
				keys.push(`${wanted.session}:${track}:${wanted.level}:${number}`);
		keys.forEach((key) => this.asked.add(key));
		this.requests++;
		try {
			const tiles = await this.source.tiles(wanted.session, wanted.level, wanted.first,
				wanted.last, tracks);
			for (const tile of tiles)
				this.keep(wanted.session, wanted.level, tile);
		} catch (error) {
			if (this.failed)
				this.failed(error);
			return; /* and do not ask again at once */
		} finally {
			this.requests--;
			keys.forEach((key) => this.asked.delete(key));
		}
		this.changed();
	}

	keep(session, level, tile) {
		const tiles = this.of({key: session + ":" + tile.track});
		const key = level + ":" + tile.number;
		const old = tiles.get(key);
		tile.used = this.clock;
		tile.level = level;
		this.bytes += tile.bytes - (old ? old.bytes : 0);
		tiles.set(key, tile);
	}

	prune() {
		const all = [];
		for (const tiles of this.tracks.values())
			for (const [key, tile] of tiles)
				all.push([tile.used, tiles, key, tile]);
		all.sort((a, b) => a[0] - b[0]);
		for (const [used, tiles, key, tile] of all) {
			if (this.bytes < TILE_BYTES_MOST * 0.75 || used === this.clock)
				break;
			tiles.delete(key);
			this.bytes -= tile.bytes;
		}
	}
}

/* First element at or behind `value`; columns are sorted. */
function lowerBound(column, value) {
	let low = 0, high = column.length;
	while (low < high) {
		const middle = low + high >>> 1;
		if (column[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
