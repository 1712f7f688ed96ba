/* SPDX-License-Identifier: MIT */
/* Keys, buttons and edges that can be dragged, and what each does. */
"use strict";

class Controls {
	constructor(app) {
		this.app = app;
		this.listen();
	}

	key(event) {
		const {app} = this, {range} = app;
		const around = app.cursor === null ? undefined : app.cursor;
		const plain = {
			w: () => range.zoom(0.7, around), s: () => range.zoom(1 / 0.7, around),
			a: () => range.pan(-0.2), d: () => range.pan(0.2),
			f: () => app.fit(), g: () => app.fitDevices(), m: () => app.measure.set(!app.measure.active),
			home: () => range.glide(range.first, range.first + range.span),
			end: () => range.glide(range.last - range.span, range.last),
			",": () => app.stepEvent(-1), ".": () => app.stepEvent(1),
			"[": () => app.trail.follow(true), "]": () => app.trail.follow(false),
			"/": () => byId("search").select(), r: () => byId("filter").select(),
			n: () => app.search.step(event.shiftKey),
			p: () => app.focused && app.pin(app.focused, !app.focused.pinned),
			x: () => app.focused && app.chooseRow(app.focused, !app.focused.chosen),
			t: () => app.theme.toggle(), q: () => app.panel.fold(),
			"?": () => byId("help-dialog").showModal(),
			escape: () => app.clearSelection(), enter: () => app.chooseMiddle(),
			arrowup: () => app.focusBy(-1), arrowdown: () => app.focusBy(1),
			arrowleft: () => app.foldKey(true), arrowright: () => app.foldKey(false),
		};
		const name = event.key.toLowerCase();
		if ((event.ctrlKey || event.metaKey) && name === "f") {
			byId("search").select();
			return true;
		}
		if (event.ctrlKey || event.metaKey)
			return false;
		if (event.altKey) {
			const step = {arrowup: -1, arrowdown: 1}[name];
			if (step && app.focused && app.rows.moveBy(app.focused, step))
				app.redraw();
			return !!step;
		}
		if (!plain[name])
			return false;
		plain[name]();
		return true;
	}

	listen() {
		const {app} = this;
		document.addEventListener("keydown", (event) => {
			const {target} = event;
			if (target.matches("input, select, textarea") || document.querySelector("dialog[open]"))
				return;
			if (target.matches("button") && (event.key === "Enter" || event.key === " "))
				return;
			if (this.key(event))
				event.preventDefault();
		});
		const on = (id, act) => byId(id).addEventListener("click", act);
		on("zoom-in", () => app.range.zoom(0.5));
		on("zoom-out", () => app.range.zoom(2));
		on("fit", () => app.fit());
		on("fit-devices", () => app.fitDevices());
		on("measure", () => app.measure.set(!app.measure.active));
		on("theme", () => app.theme.toggle());
		on("help", () => byId("help-dialog").showModal());
		fillHelp(byId("help-dialog"));
		byId("filter").addEventListener("input", (event) => app.filter(event.target.value));
		byId("filter").addEventListener("keydown", (event) => {
			if (event.key !== "Escape")
				return;
			event.target.value = "";
			app.filter("");
			event.target.blur();
		});
		for (const dialog of document.querySelectorAll("dialog"))
			dialog.addEventListener("click", (event) => {
				if (event.target === dialog)
					dialog.close();
			});
		addEventListener("resize", () => {
			if (app.namesChosen)
				app.setNamesWidth(app.namesWidth);
			else
				app.namesWidth = app.usualNamesWidth();
			app.resized();
			if (app.search.active)
				app.search.mark();
		});
		listenSeparator(byId("names-edge"), (event) => app.setNamesWidth(event.clientX),
			(step) => app.setNamesWidth(app.namesWidth + step), "ArrowLeft", "ArrowRight");
		const panel = byId("panel");
		listenSeparator(byId("panel-edge"), (event) => app.panel.setHeight(innerHeight - event.clientY),
			(step) => app.panel.setHeight(panel.clientHeight - step), "ArrowUp", "ArrowDown");
	}
}

/* An edge that is dragged, or moved by two keys. */
function listenSeparator(node, drag, step, less, more) {
	node.addEventListener("pointerdown", (event) => {
		event.preventDefault();
		node.setPointerCapture(event.pointerId);
		node.classList.add("taken");
	});
	node.addEventListener("pointermove", (event) => {
		if (node.classList.contains("taken"))
			drag(event);
	});
	for (const end of ["pointerup", "pointercancel"])
		node.addEventListener(end, () => node.classList.remove("taken"));
	node.addEventListener("keydown", (event) => {
		if (event.key !== less && event.key !== more)
			return;
		event.preventDefault();
		event.stopPropagation();
		step(event.key === more ? 16 : -16);
	});
}
