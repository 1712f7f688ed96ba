/* SPDX-License-Identifier: MIT */
/* What is shown, in the page's address behind the "#": a reload keeps it, and whoever gets the
 * address of the same trace sees the same. Rows are SESSION.ROW, events SESSION.TRACK.ITEM; what is
 * as it is at the start is left out.
 *
 *	r  visible range, ns       s  selected range, ns       e  selected event
 *	p  pinned rows             c  chosen rows              o  rows folded or unfolded
 *	q  search  k  of a kind    f  filter of rows           t  theme     w  tab of the panel
 *	g  task graph: places or tasks, coloured by time
 */
"use strict";

const ADDRESS_AFTER_MS = 250;

class Address {
	constructor(app) {
		this.app = app;
		this.written = location.hash;
		addEventListener("hashchange", () => {
			if (location.hash !== this.written)
				this.apply();
		});
	}

	/* What is shown now, as text. */
	text() {
		const {app} = this;
		const {range, rows} = app;
		const found = new URLSearchParams();
		const add = (key, value) => value && found.set(key, value);
		const names = (wanted) => rows.all.filter(wanted).map((row) => row.session + "." + row.number).join("~");
		const span = (stretch) => Math.round(stretch.begin) + "~" + Math.round(stretch.end);
		if (range.target.begin !== app.atFirst.begin || range.target.end !== app.atFirst.end)
			add("r", span(range.target));
		add("s", app.selection && span(app.selection));
		add("e", app.selected && app.selected.spans === 1 &&
			[app.selected.track.session, app.selected.track.number, app.selected.item].join("."));
		add("p", names((row) => row.pinned));
		add("c", names((row) => row.chosen));
		add("o", names((row) => row.folded !== row.foldedAtStart));
		add("q", app.search.input.value);
		add("k", app.search.input.value && app.search.only);
		add("f", byId("filter").value);
		add("t", app.theme.chosen && (app.theme.dark ? "dark" : "light"));
		add("g", app.graph.look.join("~"));
		add("w", app.panel.chosenByUser && app.panel.sheet);
		return found.toString().replace(/%7E/g, "~");
	}

	/* Some time after the last change. */
	changed() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.write(), ADDRESS_AFTER_MS);
	}

	write() {
		const text = this.text();
		const hash = text ? "#" + text : "";
		if (hash === this.written)
			return;
		this.written = hash;
		history.replaceState(null, "", hash || location.pathname + location.search);
	}

	/* Shows what the address says; what it does not name, as at the start. */
	async apply() {
		const {app} = this;
		const {range, rows} = app;
		const given = new URLSearchParams(location.hash.slice(1));
		this.written = location.hash;
		const stretch = (key) => {
			const [begin, end] = (given.get(key) || "").split("~").map(Number);
			return Number.isFinite(begin) && Number.isFinite(end) && end > begin ? {begin, end} : null;
		};
		const named = (key) => new Set((given.get(key) || "").split("~"));
		const [pinned, chosen, toggled] = ["p", "c", "o"].map(named);
		for (const row of rows.all) {
			const name = row.session + "." + row.number;
			row.pinned = pinned.has(name);
			row.chosen = chosen.has(name);
			row.folded = row.foldedAtStart !== (toggled.has(name) && row.children.length > 0);
		}
		if (given.get("t") || app.theme.chosen)
			app.theme.set(["dark", "light"].includes(given.get("t")) ? given.get("t") : null);
		byId("filter").value = given.get("f") || "";
		app.filter(byId("filter").value);
		const shown = stretch("r") || app.atFirst;
		range.set(shown.begin, shown.end);
		app.panel.chosenRows();
		const selection = stretch("s");
		if (selection || app.selection)
			app.select(selection, true);
		app.search.input.value = given.get("q") || "";
		app.search.only = given.get("k");
		await app.search.find();
		app.graph.setLook(named("g"));
		await this.applyEvent(given.get("e"));
		if (app.panel.sheets.includes(given.get("w")) && !byId("tab-" + given.get("w")).hidden) {
			app.panel.chosenByUser = true;
			app.panel.open(given.get("w"));
		}
		app.redraw();
	}

	async applyEvent(text) {
		const {app} = this;
		const [session, number, item] = (text || "").split(".").map(Number);
		const track = app.rows.byTrack.get(session + ":" + number);
		if (!text || !track || track.type === "counter" || !(item >= 0 && item < track.items))
			return app.selected ? app.choose(null) : null;
		const detail = await app.details({track, item});
		return detail && app.choose(spanOfDetail(track, item, detail));
	}
}
