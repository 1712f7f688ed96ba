/* SPDX-License-Identifier: MIT */
/* The names of a pane's rows: only those of rows on the screen are made. */
"use strict";

class RowNames {
	constructor(pane) {
		this.pane = pane;
		this.elements = new Map(); /* row -> its name's element */
	}

	draw(rows) {
		const wanted = new Set(rows);
		for (const [row, made] of this.elements) {
			if (!wanted.has(row)) {
				made.remove();
				this.elements.delete(row);
			}
		}
		for (const row of rows) {
			let made = this.elements.get(row);
			if (!made) {
				made = this.make(row);
				this.elements.set(row, made);
				this.pane.names.append(made);
			}
			this.place(row, made);
		}
	}

	place(row, made) {
		const {app, pinned} = this.pane;
		made.style.top = this.pane.top(row) + "px";
		made.style.height = row.height + "px";
		made.classList.toggle("focused", row === app.focused && !pinned);
		made.classList.toggle("group", row.isHeading);
		made.classList.toggle("pinned", row.pinned);
		made.classList.toggle("chosen", row.chosen);
		if (!pinned) {
			if (row.children.length)
				made.setAttribute("aria-expanded", String(!row.folded));
			made.setAttribute("aria-selected", String(row === app.focused));
		}
		made.querySelector(".fold").textContent =
			!row.children.length || pinned ? "" : row.folded ? "\u25b8" : "\u25be";
		const pin = made.querySelector(".pin");
		pin.setAttribute("aria-pressed", String(row.pinned));
		pin.title = row.pinned ? "Unpin row (P)" : "Pin row (P)";
	}

	make(row) {
		const {app, pinned} = this.pane;
		const indent = pinned ? 0 : row.depth * 13;
		const title = [row.words, ...row.marks.map((mark) => MARK_WORDS[mark][1]), row.note].filter((text) => text).join("\n");
		const made = element("div", {
			class: "name kind-" + row.kind, role: pinned ? "listitem" : "treeitem",
			title: title.length > 2000 ? title.slice(0, 2000) + "\u2026" : title,
			"aria-level": pinned ? null : row.depth + 1, draggable: pinned ? null : "true",
			id: (pinned ? "pinned-" : "row-") + row.session + "-" + row.number,
		},
		element("button", {class: "fold", tabindex: -1, "aria-hidden": "true"}),
		element("span", {class: "mark", "aria-hidden": "true"}, ROW_MARKS[row.kind] || ""),
		element("span", {class: "text"}, pinned ? pathWords(row) : row.name),
		element("span", {class: "number"}, pinned ? "" : row.numberWords),
		...row.marks.map((mark) => element("span", {class: "chip", title: MARK_WORDS[mark][1]}, MARK_WORDS[mark][0])),
		element("span", {class: "space-after"}),
		element("button", {class: "pin", tabindex: -1, "aria-label": "Pin row"}));
		made.style.paddingLeft = 4 + indent + "px";
		made.addEventListener("click", (event) => {
			if (event.target.classList.contains("pin"))
				app.pin(row, !row.pinned);
			else if (event.target.classList.contains("fold"))
				app.fold(row, !row.folded);
			else if (event.ctrlKey || event.metaKey)
				app.chooseRow(row, !row.chosen);
			else
				app.focus(row);
		});
		made.addEventListener("dblclick", (event) => {
			if (event.target.tagName !== "BUTTON")
				app.fold(row, !row.folded);
		});
		if (!pinned)
			this.listenDrag(row, made);
		return made;
	}

	/* A row is put elsewhere among those of its parent. */
	listenDrag(row, made) {
		const {app} = this.pane;
		const after = (event) => event.offsetY > made.clientHeight / 2;
		const fits = () => app.dragged && app.dragged !== row &&
			app.rows.siblings(app.dragged) === app.rows.siblings(row);
		made.addEventListener("dragstart", (event) => {
			app.dragged = row;
			event.dataTransfer.setData("text/plain", row.words);
			event.dataTransfer.effectAllowed = "move";
		});
		made.addEventListener("dragend", () => {
			app.dragged = null;
		});
		made.addEventListener("dragover", (event) => {
			if (!fits())
				return;
			event.preventDefault();
			made.classList.toggle("drop-after", after(event));
			made.classList.toggle("drop-before", !after(event));
		});
		const clear = () => made.classList.remove("drop-after", "drop-before");
		made.addEventListener("dragleave", clear);
		made.addEventListener("drop", (event) => {
			event.preventDefault();
			clear();
			if (!fits())
				return;
			const siblings = app.rows.siblings(row);
			const at = siblings.indexOf(row) + (after(event) ? 1 : 0);
			app.moveRow(app.dragged, siblings[at] === app.dragged ? siblings[at + 1] || null :
				siblings[at] || null);
		});
	}
}

/* "mandelbrot 13935 › queue 1 › kernels": a row without its tree. */
function pathWords(row) {
	const parts = [];
	for (let one = row; one && one.kind !== "session"; one = one.parent)
		/* A main thread has the name and the number of its process. */
		if (one === row || (["process", "device", "queue"].includes(one.kind) && one.words !== parts[0]))
			parts.unshift(one.words);
	return parts.join(" \u203a ");
}
