/* SPDX-License-Identifier: MIT */
/* A description of what is under the pointer: the summary at once, the rest as soon as
 * the server has answered. */
"use strict";

const DETAIL_AFTER_MS = 60;
const NAME_IN_TOOLTIP = 1500;
const STACK_IN_TOOLTIP = 14;
const TOOLTIP_EDGE = 4; /* of the window, which stays free */

class Tooltip {
	constructor(node, app) {
		this.node = node;
		this.app = app;
		this.key = null;
		this.at = {x: 0, y: 0};
		/* What comes later makes it larger. */
		new ResizeObserver(() => this.place()).observe(node);
	}

	hide() {
		this.node.hidden = true;
		this.key = null;
		clearTimeout(this.timer);
	}

	show(hit, x, y) {
		const key = hit.spans ? hit.track.key + ":" + hit.item + ":" + hit.spans :
			hit.track.key + ":" + hit.value;
		if (key !== this.key) {
			this.key = key;
			this.fill(hit);
		}
		this.showAt(x, y);
	}

	showAt(x, y) {
		this.node.hidden = false;
		this.at = {x, y};
		this.place();
	}

	/* Next to the pointer, on the side that has room, never beyond the window. */
	place() {
		if (this.node.hidden)
			return;
		const {x, y} = this.at;
		const {width, height} = this.node.getBoundingClientRect();
		const side = (at, size, room, after, before) => {
			const place = at + after + size <= room - TOOLTIP_EDGE || at - before < room - at - after ?
				at + after : at - before - size;
			return clamp(place, TOOLTIP_EDGE, Math.max(TOOLTIP_EDGE, room - TOOLTIP_EDGE - size));
		};
		this.node.style.left = side(x, width, innerWidth, 16, 12) + "px";
		this.node.style.top = side(y, height, innerHeight, 18, 12) + "px";
	}

	/* Something else than an event: its key, and what it holds. */
	showOther(key, x, y, ...nodes) {
		if (key !== this.key) {
			clearTimeout(this.timer);
			this.key = key;
			this.node.replaceChildren(...nodes);
		}
		this.showAt(x, y);
	}

	showFinding(finding, x, y) {
		const cost = finding.cost_ns ? `${percentWords(finding.percent / 100)}, ${lengthWords(finding.cost_ns)}` : "";
		const swatch = element("span", {class: "swatch finding-mark"});
		const marked = Findings.markWords(finding);
		this.showOther(finding, x, y,
			element("div", {class: "head"}, swatch, element("span", {class: "what"},
				visible(finding.name + (finding.cause ? ", " + finding.cause : "")))),
			element("div", {class: "kind"}, "finding" + (cost ? ": " + cost : "")),
			element("div", {}, visible(finding.description)),
			...marked ? [facts([["marked here", marked]])] : [],
			element("div", {class: "hint"}, "Click to show its details"));
	}

	/* A function of the flame graph. */
	showStack(node, all, x, y) {
		const swatch = element("span", {class: "swatch"});
		swatch.style.background = node.label.colour;
		const count = (samples) => `${countWords(samples)} (${percentWords(samples / all)})`;
		this.showOther(node, x, y,
			element("div", {class: "head"}, swatch, element("span", {class: "what"}, node.label.shown)),
			element("div", {class: "kind"}, visible(node.file)),
			facts([["total", count(node.total) + " samples"], ["self", count(node.self) + " samples"]]));
	}

	/* A node of the task graph. */
	showTask(node, x, y) {
		const swatch = element("span", {class: "swatch"});
		swatch.style.background = node.colour;
		this.showOther(node, x, y,
			element("div", {class: "head"}, swatch, element("span", {class: "what"}, visible(node.name))),
			element("div", {class: "kind"}, (TASK_KINDS[node.kind] || TASK_KINDS.other)[0] + ", " + node.words +
				(node.critical ? ", on the critical chain" : "")),
			facts([["place", node.place], ["process", node.process], ["device", node.device],
				["device time", node.deviceNs ? lengthWords(node.deviceNs) : ""]]
				.filter(([, words]) => words).map(([is, words]) => [is, visible(words)])));
	}

	fill(hit) {
		clearTimeout(this.timer);
		this.node.replaceChildren();
		if (!hit.spans)
			this.fillValue(hit);
		else if (hit.spans > 1)
			this.fillMany(hit);
		else
			this.fillOne(hit);
	}

	head(label) {
		const name = label.name.length > NAME_IN_TOOLTIP ?
			visible(label.name.slice(0, NAME_IN_TOOLTIP)) + "\u2026" : label.shown;
		const swatch = element("span", {class: "swatch"});
		swatch.style.background = label.colour;
		return element("div", {class: "head"}, swatch, element("span", {class: "what"}, name));
	}

	fillOne(hit) {
		const {label} = hit;
		this.node.append(this.head(label),
			element("div", {class: "kind"}, kindWords(label.kind), ...flagWords(label.flags)),
			facts(hit.track.type === "samples" ? [["at", timeWords(hit.begin)]] :
				[["duration", exactWords(hit.end - hit.begin)], ["start", timeWords(hit.begin)]]));
		if (hit.track.type === "activity" || hit.track.type === "cover")
			return;
		const key = this.key;
		this.timer = setTimeout(async () => {
			const detail = await this.app.details(hit);
			if (this.key !== key || !detail)
				return;
			this.node.append(facts(detailPairs(detail)));
			if (detail.stack)
				this.node.append(stackList(detail.stack, STACK_IN_TOOLTIP));
			this.place();
		}, DETAIL_AFTER_MS);
	}

	fillMany(hit) {
		const length = hit.end - hit.begin;
		if (hit.track.type === "samples") {
			this.node.append(this.head(hit.label),
				element("div", {class: "kind"}, `most often of ${countWords(hit.spans)} CPU samples`),
				facts([["start", timeWords(hit.begin)],
					["CPU time", lengthWords(hit.spans * hit.track.period)]]),
				element("div", {class: "hint"}, "Zoom in to separate them (double click)"));
			return;
		}
		this.node.append(this.head(hit.label),
			element("div", {class: "kind"}, `and others: ${plural(hit.spans, "event")} in ${lengthWords(length)}`),
			facts([["start", timeWords(hit.begin)], ["covered", percentWords(hit.busy)]]),
			element("div", {class: "hint"}, "Zoom in to separate them (double click)"));
	}

	fillValue(hit) {
		const {row} = hit.track;
		this.node.append(element("div", {class: "head"}, element("span", {class: "what"}, row.name)),
			element("div", {class: "kind"}, row.note),
			facts([["value", row.kind === "memory" ? bytesWords(hit.value) + " (" +
				countWords(hit.value) + " B)" : countWords(hit.value)], ["at", timeWords(hit.at)]]));
	}
}

function flagWords(flags) {
	const found = [];
	for (const [name, bit] of Object.entries(FLAG))
		if (flags & bit)
			found.push(element("span", {class: "flag"}, FLAG_WORDS[name]));
	return found;
}

/* A list of words and values. */
function facts(pairs) {
	const list = element("dl", {class: "facts"});
	for (const [is, value] of pairs)
		list.append(element("dt", {}, is), element("dd", {}, value));
	return list;
}

function factWords(fact) {
	if (fact.ns !== undefined)
		return exactWords(fact.ns);
	if (fact.at_ns !== undefined)
		return timeWords(fact.at_ns);
	if (fact.bytes !== undefined)
		return fact.bytes < 1000 ? bytesWords(fact.bytes) :
			bytesWords(fact.bytes) + " (" + countWords(fact.bytes) + " B)";
	if (fact.rate !== undefined)
		return bytesWords(fact.rate) + "/s";
	if (fact.count !== undefined)
		return countWords(fact.count);
	return visible(fact.text);
}

/* An argument as the program gave it. */
function argumentWords(value) {
	if (value === null)
		return "unknown";
	if (Array.isArray(value))
		return "[" + value.map(argumentWords).join(", ") + "]";
	return typeof value === "string" ? visible(value) : String(value);
}

/* "kernel" 1 and "kernel_name" "blur" are one argument; `op` is none of the
 * program's. */
function argumentPairs(args) {
	const pairs = [];
	for (const [name, value] of Object.entries(args || {})) {
		if (name === "op" || (name.endsWith("_name") && name.slice(0, -5) in args))
			continue;
		const named = args[name + "_name"];
		pairs.push([name, named !== undefined ? `${visible(named)} (${value})` : argumentWords(value)]);
	}
	return pairs;
}

function detailPairs(detail) {
	const pairs = (detail.facts || []).map((fact) => [fact.is, factWords(fact)]);
	/* A command's own facts say what matters of its call's arguments. */
	const all = isCommandKind(detail.kind) ? pairs : pairs.concat(argumentPairs(detail.args));
	return all.slice(0, 24).map(([is, value]) =>
		[is, value.length > 300 ? value.slice(0, 300) + "\u2026" : value]);
}
