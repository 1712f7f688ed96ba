/* SPDX-License-Identifier: MIT */
/* Search by name: a regular expression over the names of calls, commands, ranges, functions and
 * tasks, with a list of what matches, calls and kernels first. What matches is marked in the
 * overview and stands out in the rows. */
"use strict";

const SEARCH_AFTER_MS = 150;
const NAMES_LISTED = 200;

/* Comes after every track. */
const NO_TRACK = 4294967295;

/* Kinds of names: by which the list is filtered, and how it is ordered: the lower, the earlier. */
const SEARCH_KINDS = [
	{key: "call", words: "API calls", rank: 0, has: (kind) => isCallKind(kind)},
	{key: "kernel", words: "kernels", rank: 0, has: (kind) => kind === "kernel"},
	{key: "range", words: "ranges", rank: 1, has: (kind) => GROUPS.get(kind) === "range"},
	{key: "command", words: "transfers", rank: 1, has: (kind) => isCommandKind(kind) && kind !== "kernel"},
	{key: "graph", words: "tasks", rank: 1, has: (kind) => GROUPS.get(kind) === "graph"},
	{key: "runtime", words: "overhead, faults, modules", rank: 2, has: (kind) => GROUPS.get(kind) === "runtime"},
	{key: "sample", words: "samples", rank: 2, has: (kind) => kind === "sample"},
	{key: "task", words: "CPU usage", rank: 3, has: (kind) => GROUPS.get(kind) === "task"},
];

/* What a name is searched as; undefined: it is not (states of threads, activity). */
function searchKind(kind) {
	return SEARCH_KINDS.find((one) => one.has(kind));
}

class Search {
	constructor(app) {
		this.app = app;
		this.input = byId("search");
		this.output = byId("search-count");
		this.list = byId("search-list");
		this.binCount = 1;
		this.at = null; /* the latest match that was gone to */
		this.sets = []; /* labels, by session */
		this.names = []; /* what matches: {name, kind, of, sets, count} */
		this.only = null; /* a key of SEARCH_KINDS */
		this.picked = -1; /* in the list */
		this.input.addEventListener("input", () => {
			clearTimeout(this.timer);
			this.only = null;
			this.timer = setTimeout(() => this.find(), SEARCH_AFTER_MS);
		});
		this.input.addEventListener("focus", () => this.openList());
		this.input.addEventListener("keydown", (event) => this.key(event));
		document.addEventListener("pointerdown", (event) => {
			if (!event.target.closest(".search"))
				this.closeList();
		});
		byId("search-next").addEventListener("click", () => this.step(false));
		byId("search-back").addEventListener("click", () => this.step(true));
	}

	get active() {
		return this.sets.length > 0;
	}

	async key(event) {
		const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
		if (step && this.shown.length) {
			event.preventDefault();
			this.openList();
			this.pick(clamp(this.picked + step, -1, this.shown.length - 1));
		} else if (event.key === "Enter") {
			event.preventDefault();
			if (this.timer)
				await this.find();
			if (this.picked >= 0)
				this.openName(this.shown[this.picked]);
			else
				await this.step(event.shiftKey);
		} else if (event.key === "Escape") {
			event.stopPropagation();
			this.clear();
			this.input.blur();
		}
	}

	/* Only this name, as a kind of things: "wait" as a call. */
	exactly(name, kind) {
		const of = searchKind(kind);
		this.input.value = "^" + name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + "$";
		this.only = of ? of.key : null;
		return this.find();
	}

	clear() {
		this.input.value = "";
		this.only = null;
		this.closeList();
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
		this.names = [];
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
		this.fillList();
		app.redraw();
	}

	async match(pattern, text) {
		const {app} = this;
		const sets = app.labels.map((labels) => new Set(labels.map((label, number) =>
			searchKind(label.kind) && pattern.test(label.name) ? number : -1).filter((number) => number >= 0)));
		try {
			const counts = await Promise.all(sets.map((set, session) =>
				set.size ? app.source.counts(session, set) : []));
			if (this.input.value !== text)
				return;
			this.names = this.namesOf(counts, text);
			await this.apply();
		} catch (error) {
			app.fail(error);
		}
	}

	/* Labels that differ in their flags, or are of several sessions, are one name. */
	namesOf(counts, text) {
		const {app} = this;
		const names = new Map();
		counts.forEach((list, session) => {
			for (const [number, count] of list) {
				const label = app.labels[session][number], of = searchKind(label.kind);
				const key = of.key + "\0" + label.kind + "\0" + label.name;
				let name = names.get(key);
				if (!name) {
					const plain = app.labels[session][label.plain] || label;
					name = {name: label.name, kind: label.kind, of, label: plain, count: 0,
						sets: app.labels.map(() => new Set())};
					names.set(key, name);
				}
				name.count += count;
				name.sets[session].add(number);
			}
		});
		/* What is the text, or begins with it, is meant more likely than what holds it. */
		const plain = text.replace(/^\^|\$$/g, "").toLowerCase();
		const far = ({name}) => {
			const at = name.toLowerCase().indexOf(plain);
			return at < 0 ? 3 : at > 0 ? 2 : name.length > plain.length ? 1 : 0;
		};
		return [...names.values()].sort((a, b) => a.of.rank - b.of.rank || far(a) - far(b) || b.count - a.count ||
			a.name.localeCompare(b.name) || SEARCH_KINDS.indexOf(a.of) - SEARCH_KINDS.indexOf(b.of));
	}

	/* Names of the kind that is asked for. */
	get shown() {
		return this.names.filter(({of}) => !this.only || of.key === this.only);
	}

	/* Marks what the list holds. */
	async apply() {
		const {app} = this;
		const sets = app.labels.map(() => new Set());
		for (const name of this.shown)
			name.sets.forEach((set, session) => set.forEach((number) => sets[session].add(number)));
		app.labels.forEach((labels, session) => labels.forEach((label, number) => {
			label.wanted = sets[session].has(number);
		}));
		this.at = null;
		this.sets = sets;
		app.painter.searching = true;
		this.total = this.shown.reduce((sum, {count}) => sum + count, 0);
		this.say(this.total ? plural(this.total, "match", "matches") : "no match", !this.total);
		await this.mark();
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

	/* --- the list */

	openList() {
		this.setOpen(this.names.length > 0);
	}

	setOpen(open) {
		this.list.hidden = !open;
		this.list.style.left = "";
		const beyond = open ? this.list.getBoundingClientRect().right + 8 - innerWidth : 0;
		if (beyond > 0)
			this.list.style.left = -beyond + "px";
		this.input.setAttribute("aria-expanded", String(open));
	}

	closeList() {
		this.setOpen(false);
		this.pick(-1);
	}

	fillList() {
		const {names, list} = this;
		this.picked = -1;
		this.input.removeAttribute("aria-activedescendant");
		const kinds = SEARCH_KINDS.map((kind) => ({...kind, count: names.filter(({of}) => of.key === kind.key).length}))
			.filter(({count}) => count);
		const chip = (key, words, count) => element("button", {class: "kind", "aria-pressed": String(this.only === key),
			onclick: async () => {
				this.only = key;
				await this.apply();
				this.fillList();
				this.input.focus();
			}}, words + " ", element("span", {class: "dim"}, countWords(count)));
		const entries = this.shown.slice(0, NAMES_LISTED).map((name, number) => this.entry(name, number));
		const hidden = this.shown.length - entries.length;
		list.replaceChildren(
			element("div", {class: "kinds", role: "group", "aria-label": "Kinds of names"},
				chip(null, "all", names.length), ...kinds.map(({key, words, count}) => chip(key, words, count))),
			element("ul", {role: "listbox", id: "search-names", "aria-label": "Matching names"}, ...entries),
			hidden ? element("p", {class: "hint"}, `and ${plural(hidden, "more name")}`) : "");
		this.setOpen(names.length > 0 && document.activeElement === this.input);
	}

	entry(name, number) {
		const swatch = element("span", {class: "swatch"});
		swatch.style.background = name.label.colour;
		return element("li", {role: "option", id: "search-name-" + number, "aria-selected": "false",
			title: visible(name.name), onclick: () => this.openName(name)},
		swatch, element("span", {class: "what"}, visible(name.name)),
		element("span", {class: "dim"}, kindWords(name.kind)),
		element("span", {class: "count"}, countWords(name.count)));
	}

	pick(number) {
		const entries = this.list.querySelectorAll("[role=option]");
		this.picked = number < entries.length ? number : -1;
		entries.forEach((entry, i) => entry.setAttribute("aria-selected", String(i === this.picked)));
		if (this.picked >= 0) {
			entries[this.picked].scrollIntoView({block: "nearest"});
			this.input.setAttribute("aria-activedescendant", entries[this.picked].id);
		} else {
			this.input.removeAttribute("aria-activedescendant");
		}
	}

	/* All of one name: its table, and only it is marked. */
	async openName(name) {
		this.closeList();
		await this.exactly(name.name, name.kind);
		this.closeList();
		this.input.blur();
		this.app.instances.show(name);
	}

	/* --- from match to match */

	/* From the latest match, or else from what is selected or shown. */
	async step(back) {
		const {app} = this;
		if (!this.active || !this.total)
			return;
		this.closeList();
		const from = this.at || (app.selected && {session: app.selected.track.session,
			begin: app.selected.begin, track: app.selected.track.number, item: app.selected.item}) ||
			{session: -1, begin: back ? app.range.end : app.range.begin, fresh: true};
		try {
			/* After the last one comes the first again. */
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
			/* Elsewhere than at the match itself: before or after all tracks
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
