/* SPDX-License-Identifier: MIT */
/* Search by name: a regular expression over all names; what matches is marked in
 * the overview and stands out in the rows. */
"use strict";

const SEARCH_AFTER_MS = 150;

/* Comes behind every track. */
const NO_TRACK = 4294967295;

class Search {
	constructor(app) {
		this.app = app;
		this.input = byId("search");
		this.output = byId("search-count");
		this.binCount = 1;
		this.at = null; /* the latest match that was gone to */
		this.sets = []; /* labels, by session */
		this.input.addEventListener("input", () => {
			clearTimeout(this.timer);
			this.timer = setTimeout(() => this.find(), SEARCH_AFTER_MS);
		});
		this.input.addEventListener("keydown", async (event) => {
			if (event.key === "Enter") {
				event.preventDefault();
				if (this.timer)
					await this.find();
				await this.step(event.shiftKey);
			} else if (event.key === "Escape") {
				this.clear();
				this.input.blur();
			}
		});
		byId("search-next").addEventListener("click", () => this.step(false));
		byId("search-back").addEventListener("click", () => this.step(true));
	}

	get active() {
		return this.sets.length > 0;
	}

	exactly(name) {
		this.input.value = "^" + name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + "$";
		return this.find();
	}

	clear() {
		this.input.value = "";
		return this.find();
	}

	say(words, wrong) {
		this.output.textContent = words;
		this.output.classList.toggle("wrong", !!wrong);
	}

	async find() {
		const {app} = this;
		const text = this.input.value;
		clearTimeout(this.timer);
		this.timer = null;
		this.at = null;
		this.sets = [];
		app.overview.bins = [];
		app.painter.searching = false;
		let pattern = null;
		try {
			pattern = text && new RegExp(text, "i");
		} catch (error) {
			this.say("not a regular expression", true);
		}
		if (pattern)
			await this.match(pattern, text);
		else if (!text)
			this.say("");
		app.redraw();
	}

	async match(pattern, text) {
		const {app} = this;
		const sets = app.labels.map((labels) => {
			const set = new Set();
			labels.forEach((label, number) => {
				label.wanted = label.kind !== "active" && pattern.test(label.name);
				if (label.wanted)
					set.add(number);
			});
			return set;
		});
		try {
			const totals = await Promise.all(sets.map((set, session) =>
				set.size ? app.source.count(session, set) : 0));
			if (this.input.value !== text)
				return;
			this.sets = sets;
			app.painter.searching = true;
			this.total = totals.reduce((a, b) => a + b, 0);
			this.say(this.total ? plural(this.total, "match", "matches") : "no match", !this.total);
			await this.mark();
		} catch (error) {
			app.fail(error);
		}
	}

	/* Marks for the overview, one bin for each pixel. */
	async mark() {
		const {app} = this;
		const bins = new Set();
		const sets = this.sets;
		this.binCount = Math.max(1, Math.min(4096, app.overview.canvas.clientWidth));
		await Promise.all(sets.map(async (set, session) => {
			if (!set.size)
				return;
			const {offset_ns: offset} = app.model.sessions[session];
			const found = await app.source.marks(session, set, app.range.first - offset,
				app.range.last - offset, this.binCount);
			found.forEach((bin) => bins.add(bin));
		}));
		if (sets === this.sets)
			app.overview.bins = [...bins];
		app.redraw();
	}

	/* From the latest match, or else from what is selected or shown. */
	async step(back) {
		const {app} = this;
		if (!this.active || !this.total)
			return;
		const from = this.at || (app.selected && {session: app.selected.track.session,
			begin: app.selected.begin, track: app.selected.track.number, item: app.selected.item}) ||
			{session: -1, begin: back ? app.range.end : app.range.begin, fresh: true};
		try {
			/* Behind the last one comes the first again. */
			const hit = await this.next(from, back) || await this.next(
				{session: -1, begin: back ? app.range.last : app.range.first, fresh: true}, back);
			if (!hit)
				return;
			this.at = hit;
			await app.goTo(hit.session, {track: hit.track, item: hit.item, begin_ns: hit.begin,
				end_ns: hit.end});
		} catch (error) {
			app.fail(error);
		}
	}

	/* The nearest of the next ones of all sessions. */
	async next(from, back) {
		const {app} = this;
		const axis = from.begin + (from.fresh ? 0 : app.model.sessions[from.session].offset_ns);
		const found = await Promise.all(this.sets.map(async (set, session) => {
			if (!set.size)
				return null;
			const {offset_ns: offset} = app.model.sessions[session];
			/* Elsewhere than at the match itself: before or behind all tracks
			 * of that moment, ties going by the order of the sessions. */
			const tie = back ? !from.fresh && session > from.session :
				from.fresh || session > from.session;
			const place = session === from.session ? from :
				{begin: axis - offset - (tie ? 1 : 0), track: NO_TRACK, item: 0};
			const hit = await app.source.step(session, set, place, back);
			return hit && {session, track: hit.track, item: hit.item, begin: hit.begin_ns,
				end: hit.end_ns, axis: hit.begin_ns + offset};
		}));
		const order = back ? -1 : 1;
		return found.filter((hit) => hit)
			.sort((a, b) => order * (a.axis - b.axis || a.session - b.session))[0] || null;
	}
}
