/* SPDX-License-Identifier: MIT */
/* What the keys and the pointer do; one list, from which the keys are read too. */
"use strict";

const KEYS = [
	["Move through time", [
		["W / S", "zoom in, zoom out, around the pointer"],
		["A / D", "pan left, pan right"],
		["Ctrl + wheel", "zoom around the pointer"],
		["Shift + wheel, Shift + drag", "move through time"],
		["F", "fit what is selected; again: the full trace"],
		["G", "zoom to where the devices work; again: the full trace"],
		["Home / End", "go to start, go to end"],
		["double click", "zoom to an event"],
	]],
	["Select", [
		["click", "an event: its details, and arrows to related events"],
		["drag", "a time range: tables and a flame graph of it"],
		[", / .", "previous, next event in the row"],
		["[ / ]", "follow the arrows backward, forward"],
		["M", "measure: two clicks, which snap to events"],
		["Escape", "clear selection"],
	]],
	["Search", [
		["/ or Ctrl + F", "search names (regular expression)"],
		["\u2191 / \u2193, Enter", "a name of the list: all its events"],
		["Enter / Shift + Enter", "next match, previous match"],
		["N / Shift + N", "the same, outside the search field"],
	]],
	["Rows", [
		["\u2191 / \u2193", "previous row, next row"],
		["\u2190 / \u2192", "fold, unfold"],
		["Enter", "the event in the middle of the row"],
		["P", "pin row"],
		["X, Ctrl + click", "choose rows: a selection is of them alone"],
		["Alt + \u2191 / \u2193, drag", "move the row"],
		["R", "filter rows by name"],
	]],
	["Task graph", [
		["click", "a task: its place in the timeline; twice: its details"],
		["\u2190 / \u2192", "along the edges: predecessor, successor"],
		["\u2191 / \u2193", "tasks of the same depth"],
		["+ / \u2212, Ctrl + wheel", "zoom"],
		["F", "the full graph"],
	]],
	["Other", [
		["T", "light or dark"],
		["Q", "fold or open the panel"],
		["?", "this list"],
	]],
];

function fillHelp(dialog) {
	const body = element("div", {class: "keys"});
	for (const [title, keys] of KEYS) {
		const list = element("dl", {});
		for (const [key, words] of keys)
			list.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, words));
		body.append(element("section", {}, element("h3", {}, title), list));
	}
	body.append(element("section", {}, element("h3", {}, "Colours"), legend()));
	dialog.replaceChildren(
		element("form", {method: "dialog"}, element("h2", {id: "help-title"}, "Keys and colours"),
			element("button", {class: "close", "aria-label": "Close"}, "\u2715")), body);
}

function legend() {
	const list = element("ul", {class: "legend"});
	const add = (colour, words, hatched) => {
		const swatch = element("span", {class: "swatch" + (hatched ? " hatched" : "")});
		swatch.style.backgroundColor = colour;
		list.append(element("li", {}, swatch, words));
	};
	for (const [words, colour] of Object.values(KINDS))
		if (colour && words !== "active")
			add(colour, words);
	add(NAME_COLOURS[0], "kernels, tasks, sampled functions: one colour per name");
	add(OTHER_COLOURS[0], "CPU usage: threads of other programs");
	add(FAILED_COLOUR, "\u2715 failed");
	add("#8794a8", "no device times, or completion not recorded", true);
	return list;
}
