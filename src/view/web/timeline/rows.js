/* SPDX-License-Identifier: MIT */
/* The tree of rows: what is folded, pinned, in which order, and which rows the
 * filter leaves; and from that the list of rows as they stand on the screen. */
"use strict";

/* Heights of tracks, in CSS pixels. */
const TRACK_HEIGHTS = {spans: 19, state: 12, activity: 6, cover: 30, counter: 30, samples: 16};
const TRACK_GAP = 1;
const ROW_PADDING = 3;
const ROW_LEAST = 25;

/* So many rows are unfolded at the start; so many devices and CPUs. */
const ROWS_AT_START = 80;
const DEVICES_AT_START = 2;
const CPUS_AT_START = 8;

/* A folded queue or device shows what is below it in its own row: these kinds of rows,
 * from top to bottom, the height of a lane of each, and how many lanes at most. */
const FOLDED_LANES = {
	queue: [["kernels", 19, 6], ["transfers", 9, 4], ["sync", 6, 2], ["untimed", 9, 2]],
	device: [["utilisation", 30, 1], ["ranges", 13, 1], ["kernels", 19, 4], ["transfers", 9, 3], ["faults", 9, 1]],
};

class Row {
	constructor(number, session, described) {
		this.number = number;
		this.session = session;
		this.kind = described.kind;
		this.name = visible(described.name);
		this.note = visible(described.note);
		this.id = described.number;
		this.device = described.device;
		this.bound = described.bound_ns;
		this.marks = described.marks || [];
		this.parent = null;
		this.children = [];
		this.folded = false;
		this.opened = false; /* by the filter, folded or not */
		this.pinned = false;
		this.chosen = false; /* for a selection of rows */
		this.depth = 0;
		this.tracks = described.tracks.map(([track, type, items, again, top], lane) => ({
			key: session + ":" + track, session, number: track, type, items, again, top, lane, row: this,
		}));
		this.measure();
	}

	/* Makes `lanes`, the tracks that are drawn in this row and where. */
	measure() {
		const below = this.folded && !this.opened && FOLDED_LANES[this.kind] || [];
		const own = this.stateBelow ? [this.stateBelow] : this.tracks;
		const lanes = own.map((track) => ({track, height: TRACK_HEIGHTS[track.type]}));
		for (const [kind, height, most] of below)
			for (const child of this.children.filter((one) => one.kind === kind))
				lanes.push(...child.tracks.slice(0, most).map((track) => ({track, height})));
		let y = ROW_PADDING;
		for (const lane of lanes) {
			lane.y = y;
			y += lane.height + TRACK_GAP;
		}
		const needed = y - TRACK_GAP + ROW_PADDING;
		this.height = Math.max(ROW_LEAST, needed);
		/* A single narrow track is in the middle. */
		const off = Math.floor((this.height - needed) / 2);
		for (const lane of lanes)
			lane.y += off;
		this.lanes = lanes;
	}

	/* Of a folded process without calls: the states of its first thread; null: none. */
	get stateBelow() {
		if (this.kind !== "process" || !this.folded || this.opened || this.hasActivity)
			return null;
		const first = (row) => row.kind === "thread" ? row : row.children.map(first).find((one) => one);
		const thread = first(this);
		return thread && thread.tracks.find((track) => track.type === "state") || null;
	}

	/* A process that made calls, or whose commands ran. */
	get hasActivity() {
		return this.tracks.some((track) => track.items);
	}

	/* It has no picture but those of the rows below it. */
	get isHeading() {
		return this.children.length > 0 && !(this.folded && this.lanes.some(({track}) => track.row !== this));
	}

	/* Where a track is drawn in this row; undefined: nowhere. */
	laneOf(track) {
		return this.lanes.find((lane) => lane.track === track);
	}

	/* "worker-1 1001": the number that tells namesakes apart. */
	get numberWords() {
		return this.kind === "process" || this.kind === "thread" ? String(this.id) : "";
	}

	get words() {
		const words = this.numberWords;
		return words ? this.name + " " + words : this.name;
	}

	get items() {
		return this.tracks.reduce((sum, track) => sum + track.items, 0) +
			this.children.reduce((sum, child) => sum + child.items, 0);
	}
}

class Rows {
	constructor(model) {
		this.roots = [];
		this.all = [];
		this.byTrack = new Map(); /* "session:track" -> track */
		this.pattern = null;
		model.sessions.forEach((described, session) => this.add(described, session));
		/* The one session's own row says nothing that the page's head does not. */
		this.sessions = this.roots;
		if (this.roots.length === 1)
			this.roots = this.roots[0].children;
		for (const root of this.roots)
			this.setDepth(root, 0);
		this.foldAtStart();
		for (const row of this.all)
			row.foldedAtStart = row.folded;
		this.layout();
	}

	add(described, session) {
		const rows = described.rows.map((row, number) => new Row(number, session,
			row.kind === "session" ? {...row, name: described.words} : row));
		described.rows.forEach((row, number) => {
			if (row.parent < 0) {
				this.roots.push(rows[number]);
			} else {
				rows[number].parent = rows[row.parent];
				rows[row.parent].children.push(rows[number]);
			}
			for (const track of rows[number].tracks)
				this.byTrack.set(track.key, track);
		});
		this.all.push(...rows);
	}

	setDepth(row, depth) {
		row.depth = depth;
		row.children.forEach((child) => this.setDepth(child, depth + 1));
	}

	/* Queues are one row each, so are idle threads, processes without calls where others make some,
	 * and devices and CPUs where there are many. Whatever does not fit on a few screens then is folded, too: contexts, then the
	 * processes with the least in them; never the one with the most. */
	foldAtStart() {
		const many = {queue: 0, idle: 0, device: DEVICES_AT_START};
		const withoutCalls = this.all.filter((row) => row.kind === "process" && row.children.length && !row.hasActivity);
		if (this.all.some((row) => row.kind === "process" && row.hasActivity))
			withoutCalls.forEach((row) => {
				row.folded = true;
			});
		for (const [kind, most] of Object.entries(many)) {
			const rows = this.all.filter((row) => row.kind === kind && row.children.length);
			if (rows.length > most)
				rows.forEach((row) => {
					row.folded = true;
				});
		}
		for (const row of this.all)
			if (row.kind === "host" && row.children.length > CPUS_AT_START &&
			    !row.children.some((child) => child.kind === "process"))
				row.folded = true;
		const shownBelow = (row) => row.folded ? 0 :
			row.children.reduce((sum, child) => sum + 1 + shownBelow(child), 0);
		const byItems = (kinds) => this.all.filter((row) => kinds.includes(row.kind) && row.children.length)
			.map((row) => [row.items, row]).sort((a, b) => a[0] - b[0]).map(([, row]) => row);
		const processes = byItems(["process"]);
		let rows = this.roots.reduce((sum, root) => sum + 1 + shownBelow(root), 0);
		for (const row of [...byItems(["context"]), ...processes.slice(0, -1)]) {
			if (rows <= ROWS_AT_START)
				break;
			rows -= shownBelow(row);
			row.folded = true;
		}
	}

	setFilter(pattern) {
		this.pattern = pattern;
		this.layout();
	}

	matches(row) {
		return this.pattern.test(row.words) || this.pattern.test(row.note);
	}

	/* Rows that the filter leaves: those that match, what is below them and what
	 * they are part of. */
	filtered() {
		const kept = new Set();
		const visit = (row, above) => {
			const here = above || this.matches(row);
			let any = here;
			for (const child of row.children)
				any = visit(child, here) || any;
			if (any)
				kept.add(row);
			return any;
		};
		this.roots.forEach((root) => visit(root, false));
		return kept;
	}

	/* Makes `shown`, the rows from top to bottom with their y, and `pinned`. */
	layout() {
		const kept = this.pattern ? this.filtered() : null;
		this.shown = [];
		let y = 0;
		const place = (row) => {
			if (kept && !kept.has(row))
				return;
			row.opened = kept !== null;
			row.measure();
			row.y = y;
			y += row.height;
			this.shown.push(row);
			if (!row.folded || kept)
				row.children.forEach(place);
		};
		this.all.forEach((row) => {
			row.y = null;
		});
		this.roots.forEach(place);
		this.height = y;
		this.pinned = this.all.filter((row) => row.pinned);
		let pinnedY = 0;
		for (const row of this.pinned) {
			row.measure();
			row.pinnedY = pinnedY;
			pinnedY += row.height;
		}
		this.pinnedHeight = pinnedY;
	}

	setFolded(row, folded) {
		if (!row.children.length || row.folded === folded)
			return false;
		row.folded = folded;
		this.layout();
		return true;
	}

	setPinned(row, pinned) {
		row.pinned = pinned;
		this.layout();
	}

	/* Unfolds whatever hides a track, and drops a filter that does; false: it did. A folded queue
	 * or device that shows the track itself stays folded. */
	reveal(track) {
		return this.revealRow(track.row, track);
	}

	revealRow(row, track) {
		for (let above = row.parent; above; above = above.parent)
			if (!(track && above.folded && above.laneOf(track)))
				above.folded = false;
		this.layout();
		if (!this.standIn(row)) {
			this.pattern = null;
			this.layout();
			return false;
		}
		return true;
	}

	siblings(row) {
		return row.parent && this.roots !== row.parent.children ? row.parent.children : this.roots;
	}

	/* Puts a row before another one of the same parent (null: at the end). */
	move(row, before) {
		const siblings = this.siblings(row);
		if (before && !siblings.includes(before))
			return false;
		siblings.splice(siblings.indexOf(row), 1);
		siblings.splice(before ? siblings.indexOf(before) : siblings.length, 0, row);
		this.layout();
		return true;
	}

	moveBy(row, step) {
		const siblings = this.siblings(row);
		const at = siblings.indexOf(row) + step;
		if (at < 0 || at >= siblings.length)
			return false;
		return this.move(row, siblings[step > 0 ? at + 1 : at] || null);
	}

	/* The row itself, or the nearest one above it that is on the screen. */
	standIn(row) {
		while (row && row.y === null)
			row = row.parent;
		return row;
	}
}
