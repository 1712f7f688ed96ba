/* SPDX-License-Identifier: MIT */
/* Numbers and texts as people read them, and elements made of them. */
"use strict";

const NS_UNITS = [[1, "ns"], [1e3, "us"], [1e6, "ms"], [1e9, "s"]];

/* "950 ns", "1.23 us", "45.6 ms": three digits that matter. */
function lengthWords(ns) {
	const sign = ns < 0 ? "\u2212" : "";
	ns = Math.abs(ns);
	if (ns < 1 && ns > 0)
		return sign + ns.toPrecision(2) + " ns";
	let unit = NS_UNITS[0];
	for (const one of NS_UNITS)
		if (ns >= one[0] * 0.9995)
			unit = one;
	const value = ns / unit[0];
	if (unit[0] === 1)
		return sign + Math.round(value) + " ns";
	return sign + (value >= 1000 ? countWords(Math.round(value)) :
		value.toPrecision(3).replace(/e.*/, "")) + " " + unit[1];
}

/* The same, and all of its digits: "1.23 ms (1,234,567 ns)". */
function exactWords(ns) {
	const short = lengthWords(ns);
	return Math.abs(ns) < 1000 ? short : short + " (" + countWords(Math.round(ns)) + " ns)";
}

/* A moment, since the start: "0.414 582 130 s". */
function timeWords(ns) {
	const sign = ns < 0 ? "\u2212" : "";
	ns = Math.round(Math.abs(ns));
	const digits = String(ns % 1e9).padStart(9, "0");
	return sign + countWords(Math.floor(ns / 1e9)) + "." + digits.slice(0, 3) + "\u202f" +
		digits.slice(3, 6) + "\u202f" + digits.slice(6) + " s";
}

function countWords(count) {
	return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/* "1.23 MB": powers of 1000. */
function bytesWords(bytes) {
	const units = ["B", "kB", "MB", "GB", "TB", "PB"];
	let at = 0;
	while (bytes >= 999.5 && at < units.length - 1) {
		bytes /= 1000;
		at++;
	}
	return (at ? bytes.toPrecision(3) : Math.round(bytes)) + " " + units[at];
}

function percentWords(part) {
	const percent = part * 100;
	return (percent >= 9.95 ? percent.toFixed(0) : percent.toFixed(1)) + " %";
}

function percentNumber(percent) {
	return percent.toFixed(1) + " %";
}

function plural(count, one, many) {
	return countWords(count) + " " + (count === 1 ? one : many || one + "s");
}

/* Control characters, and those that turn the direction of writing, would hide
 * what a name really is. */
function visible(text) {
	return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
		(c) => c === "\n" ? "\u23ce" : c === "\t" ? "\u21e5" :
			"\\u{" + c.charCodeAt(0).toString(16) + "}");
}

/* element("div", {class: "x", onclick: f}, "text", other): texts are texts, never
 * markup. */
function element(tag, attributes, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith("on"))
			made.addEventListener(name.slice(2), value);
		else if (value === true)
			made.setAttribute(name, "");
		else if (value !== false && value !== null && value !== undefined)
			made.setAttribute(name, value);
	}
	made.append(...children.filter((child) => child !== null && child !== undefined));
	return made;
}

function byId(id) {
	return document.getElementById(id);
}

function clamp(value, least, most) {
	return Math.max(least, Math.min(most, value));
}
