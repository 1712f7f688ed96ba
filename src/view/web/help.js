/* SPDX-License-Identifier: MIT */
/* What the keys and the pointer do; one list, from which the keys are read too. */
"use strict";

const KEYS = [
	["Move through time", [
		["W / S", "zoom in, zoom out, around the pointer"],
		["A / D", "go back, go on"],
		["Ctrl + wheel", "zoom around the pointer"],
		["Shift + wheel, Shift + drag", "move through time"],
		["F", "fit what is selected; again: the whole run"],
		["Home / End", "to the begin, to the end"],
		["double click", "zoom to an event"],
	]],
	["Select", [
		["click", "an event: its details, and arrows to what belongs to it"],
		["drag", "a stretch of time: tables of what it holds"],
		[", / .", "the event before, the next one, in the same row"],
		["[ / ]", "follow the arrows, back or on"],
		["M", "measure: two clicks, which snap to events"],
		["Escape", "let go"],
	]],
	["Search", [
		["/ or Ctrl + F", "search names: a regular expression"],
		["Enter / Shift + Enter", "the next match, the one before"],
		["N / Shift + N", "the same, outside the search field"],
	]],
	["Rows", [
		["\u2191 / \u2193", "the row above, the row below"],
		["\u2190 / \u2192", "fold, unfold"],
		["Enter", "the event in the middle of the row"],
		["P", "keep the row on top"],
		["Alt + \u2191 / \u2193, drag", "move the row"],
		["R", "filter rows by name"],
	]],
	["Else", [
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
	add(NAME_COLOURS[0], "kernels, tasks, functions of samples: a colour for each name");
	add(OTHER_COLOURS[0], "on a CPU: threads of other programs");
	add(FAILED_COLOUR, "\u2715 failed");
	add("#8794a8", "no device times, or its end was not seen", true);
	return list;
}
