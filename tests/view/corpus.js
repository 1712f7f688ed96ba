/* SPDX-License-Identifier: MIT */
/* The page in one file against tests/data/view (README.md there): the answers of LocalSource, asked
 * as the page asks. corpus.py runs it, in Node.js or in a browser, after the page's own scripts. */
"use strict";

/* Lines that are an answer, as tests/unit/view_corpus.c writes tiles. */
function tileLines(tiles, types) {
	const short = (number) => String(Number(number.toPrecision(4)));
	const lines = [];
	for (const tile of tiles) {
		lines.push(`tile ${tile.track} ${tile.number}${tile.whole ? "" : " gathered"}`);
		for (let i = 0; i < tile.count; i++)
			lines.push(types[tile.track] === "counter" ?
				[tile.begin[i], tile.least[i], tile.most[i], tile.last[i]].join(" ") :
				[tile.begin[i], tile.end[i], tile.label[i], tile.spans[i], tile.item[i],
					short(tile.busy[i])].join(" "));
	}
	return lines;
}

function numberList(text) {
	return text.split(",").filter((part) => part).flatMap((part) => {
		const [first, last = first] = part.split("-").map(Number);
		return Array.from({length: last - first + 1}, (_, i) => first + i);
	});
}

async function corpusAnswer(source, types, name, given) {
	const number = (key) => Number(given[key]);
	const labels = () => new Set(numberList(given.labels));
	const rows = () => "row" in given ? numberList(given.row) : null;
	const hit = () => ({begin: number("at"), track: number("track"), item: number("item")});
	switch (name) {
	case "tiles":
		return tileLines(await source.tiles(0, number("level"), number("first"), number("last"),
			numberList(given.tracks)), types);
	case "select":
		return source.select(0, number("from"), number("to"), rows());
	case "stacks":
		return source.stacks(0, number("from"), number("to"), rows());
	case "counts":
		return source.counts(0, labels());
	case "instances":
		return source.instances(0, labels(), number("from"), number("to"), rows(), {
			byLength: given.by_length === "1", least: Number(given.least || 0),
			most: "most" in given ? number("most") : Infinity, skip: Number(given.skip || 0),
			count: number("count")});
	case "search":
		return {total: await source.count(0, labels())};
	case "step":
		return source.step(0, labels(), hit(), given.back === "1");
	case "marks":
		return source.marks(0, labels(), number("from"), number("to"), number("bins"));
	}
	throw new Error("no such question: " + name);
}

/* The same whatever the order of an object's members. */
function canonical(value) {
	if (Array.isArray(value))
		return value.map(canonical);
	if (value && typeof value === "object")
		return Object.fromEntries(Object.keys(value).sort().map((key) => [key, canonical(value[key])]));
	return value;
}

/* What a page that holds an overview can say: tiles no finer than its own, search, and sums of all. */
function fits(level, name, given) {
	return !level || (name === "tiles" && Number(given.level) >= level) || name === "search" || name === "counts";
}

/* Returns {asked, wrong: [what, wanted, given]...}. */
async function runCorpus(text, source) {
	const model = await source.model();
	const types = {};
	for (const row of model.sessions[0].rows)
		for (const [number, type] of row.tracks)
			types[number] = type;
	const lines = text.split("\n"), wrong = [];
	let asked = 0;
	for (let i = 0; i < lines.length;) {
		const line = lines[i++];
		if (!line.startsWith("ask "))
			continue;
		const wanted = [];
		while (i < lines.length && lines[i].startsWith("= "))
			wanted.push(lines[i++].slice(2));
		const [, name, ...rest] = line.split(" ");
		const given = Object.fromEntries(rest.map((word) => word.split("=")));
		if (!fits(model.level, name, given))
			continue;
		asked++;
		const answer = await corpusAnswer(source, types, name, given);
		const plain = (value) => JSON.stringify(canonical(value));
		const said = name === "tiles" ? answer.join("\n") : plain(answer);
		const right = name === "tiles" ? wanted.join("\n") : plain(JSON.parse(wanted.join("")));
		if (said !== right)
			wrong.push([line, right, said]);
	}
	return {asked, wrong};
}
