/* SPDX-License-Identifier: MIT */
/* A table that its columns sort, and that is copied as CSV. */
"use strict";

/* A table with more columns has the panel's width for itself. */
const COLUMNS_NARROW = 10;

class Table {
	/* columns: [{key, heading, words(value), number: true}]; rows: objects. */
	constructor(name, columns, rows, picked) {
		this.name = name;
		this.columns = columns;
		this.rows = rows;
		this.picked = picked;
		this.sortBy = columns.findIndex((column) => column.sorted);
		this.down = true;
		this.wide = columns.length > COLUMNS_NARROW;
		this.node = element("table", {class: "table" + (this.wide ? " wide" : "")});
		this.draw();
	}

	sorted() {
		if (this.sortBy < 0)
			return this.rows;
		const {key} = this.columns[this.sortBy];
		const order = this.down ? -1 : 1;
		return [...this.rows].sort((a, b) => {
			const left = a[key], right = b[key];
			if (typeof left === "string")
				return order * left.localeCompare(right);
			return order * (left - right);
		});
	}

	draw() {
		const head = element("tr", {});
		this.columns.forEach((column, i) => {
			const sort = i !== this.sortBy ? "none" : this.down ? "descending" : "ascending";
			head.append(element("th", {scope: "col", class: column.number ? "number" : "",
				"aria-sort": sort},
			element("button", {onclick: () => this.sort(i)}, column.heading,
				element("span", {class: "arrow", "aria-hidden": "true"},
					sort === "none" ? "" : this.down ? " \u25be" : " \u25b4"))));
		});
		const body = element("tbody", {});
		for (const row of this.sorted())
			body.append(this.line(row));
		this.node.replaceChildren(element("caption", {}, this.name), element("thead", {}, head), body);
	}

	line(row) {
		const line = element("tr", {});
		for (const column of this.columns) {
			const words = column.words ? column.words(row[column.key]) : visible(String(row[column.key]));
			const cell = element("td", {class: column.number ? "number" : "words",
				title: column.number ? countWords(row[column.key]) : words});
			const picks = typeof column.picks === "function" ? column.picks(row) : column.picks;
			if (picks && this.picked)
				cell.append(element("button", {class: "pick", onclick: () => this.picked(row)}, words));
			else
				cell.append(words);
			line.append(cell);
		}
		return line;
	}

	sort(i) {
		if (this.sortBy === i) {
			this.down = !this.down;
		} else {
			this.sortBy = i;
			this.down = !!this.columns[i].number;
		}
		this.draw();
		this.node.querySelectorAll("th button")[i].focus();
	}

	/* As RFC 4180 has it; numbers without separators, times in ns. A cell that a
	 * spreadsheet would take for a formula is told to be text. */
	csv() {
		const quote = (value) => {
			let text = String(value);
			if (typeof value === "string" && /^[=+\-@\t\r]/.test(text))
				text = "'" + text;
			return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
		};
		const lines = [this.columns.map((column) => quote(column.key)).join(",")];
		for (const row of this.sorted())
			lines.push(this.columns.map((column) => quote(row[column.key])).join(","));
		return lines.join("\n") + "\n";
	}
}

/* The clipboard is not there in every page and browser: then a text that is
 * selected serves. Returns whether it worked. */
async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch (error) {
		const area = element("textarea", {class: "copy"});
		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");
		area.remove();
		return done;
	}
}
