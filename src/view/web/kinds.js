/* SPDX-License-Identifier: MIT */
/* What the kinds of spans, rows and flags are called, and their colours: chosen to
 * be told apart without seeing red from green (after Okabe and Ito, and Tol), and
 * never the only sign of anything. */
"use strict";

const FLAG = {failed: 1, unfinished: 2, untimed: 4, noncausal: 8};

const FLAG_WORDS = {
	failed: "failed",
	unfinished: "completion not recorded",
	untimed: "no device times: drawn from its call to its completion",
	noncausal: "starts before its call: the clocks disagree",
};

const KINDS = {
	call: ["API call", "#8794a8"],
	enqueue: ["enqueue call", "#3f7fd9"],
	wait: ["wait call", "#d9a21b"],
	blocking: ["enqueue call that waits (blocking)", "#d9a21b"],
	create: ["create call", "#2a9d98"],
	release: ["release call", "#7a86b8"],
	build: ["build call", "#9a5fc2"],
	kernel: ["kernel", null],
	copy_h2d: ["copy, host to device", "#0e7fc2"],
	copy_d2h: ["copy, device to host", "#e8833a"],
	copy_d2d: ["copy, device to device", "#12938a"],
	fill: ["fill", "#a3a13c"],
	map: ["map", "#45b3d6"],
	unmap: ["unmap", "#8ec5dd"],
	migrate: ["migrate", "#d6588f"],
	barrier: ["barrier", "#7f8894"],
	marker: ["marker", "#9aa2ad"],
	other: ["other command", "#7f8894"],
	running: ["running on a CPU", "#0c9a70"],
	wait_cpu: ["runnable", "#d9601a"],
	wait_blocked: ["blocked", "#e8cf52"],
	unknown: ["state unknown", "#a8b0ba"],
	task: ["on this CPU", null],
	task_unknown: ["unknown task", "#c9ced6"],
	active: ["active", "#5b8cc9"],
	sample: ["CPU sample", null],
	range: ["range", null],
	range_device: ["range on the device", null],
	mark: ["marker", null],
	overhead: ["overhead of the runtime and its tracing", "#b06a3b"],
	fault: ["page fault", "#b5446e"],
	module: ["module loaded", "#6a8f3c"],
	graph_task: ["task", null],
	/* In no other row: its pieces are no states and no calls. */
	path_before: ["critical path: before the first call", "#9c8c8c"],
	path_host: ["critical path: the host, between calls", "#7d4a1e"],
	path_call: ["critical path: in an API call", "#4352cf"],
	path_launch: ["critical path: from the call to the command's start", "#b3a8f5"],
	path_behind: ["critical path: from the end of the command before to the start", "#765074"],
	path_execution: ["critical path: command executing", "#f2a091"],
	path_return: ["critical path: from the command's end to the wait's return", "#c4cf50"],
	path_after: ["critical path: after the last call", "#9c8c8c"],
	path_several: ["critical path: several pieces, the longest of them", "#64645c"],
};

/* Pieces of the critical path that have no name of their own (graph_part_kind_words()), where there is
 * little room. */
const PATH_BRIEFS = {
	"before the first call": "before",
	"host, between calls": "host",
	"in an API call": "call",
	"from the call to the command's start": "start",
	"from the end of the command before to the start": "gap",
	"command executing": "executing",
	"from the command's end to the wait's return": "return",
	"after the last call": "after",
};

/* Which group each kind is of (src/view/index/kinds.h): the session says. */
const GROUPS = new Map();

function setGroups(kinds) {
	for (const [kind, group] of kinds)
		GROUPS.set(kind, group);
}

function isCallKind(kind) {
	return GROUPS.get(kind) === "call";
}

function isCommandKind(kind) {
	return GROUPS.get(kind) === "command";
}

/* Of kernels, tasks and the functions of samples, by name. */
const NAME_COLOURS = ["#0072b2", "#009e73", "#cc6fa2", "#d98f00", "#4ba3dc", "#8c3062",
	"#8f8f2c", "#a3489a", "#23784a", "#5b53b8"];

/* Of tasks that are none of the program's: they are seen, but do not stand out. */
const OTHER_COLOURS = ["#a3adba", "#b8aba0", "#a6b39d", "#b4a0ac", "#8f9cab", "#adac9c"];

/* How high a state stands in its band, from 0. */
const STATE_LEVELS = {wait_blocked: 0, running: 1};

const FAILED_COLOUR = "#c4302b";

/* Kinds of rows, for the eye: a mark before the name. */
const ROW_MARKS = {
	session: "\u25c6", process: "\u25a3", thread: "\u2261", context: "\u25a2", queue: "\u2630",
	transfers: "\u21c4", kernels: "\u25b6", sync: "\u2503", untimed: "\u25cc",
	ranges: "\u2503", faults: "\u26a1", overhead: "\u25d4", modules: "\u25a5", tasks: "\u25c7", idle: "\u22ef", host: "\u2756", critical_path: "\u21dd", cpu: "\u25a4", device: "\u25a9", host_queue: "\u25e2",
	device_queue: "\u25e2", utilisation: "\u25e2", memory: "\u25e2",
};

/* Marks of threads: what is written behind the name, and what it means. */
const MARK_WORDS = {
	main: ["main", "the process's main thread"],
	launches: ["launches", "enqueues commands"],
};

/* Tracks whose spans are events with names, which have details and are found. */
function isNamed(track) {
	return track.type === "spans" || track.type === "state" || track.type === "samples";
}

function hashText(text) {
	let hash = 2166136261;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return hash >>> 0;
}

function kindWords(kind) {
	return KINDS[kind] ? KINDS[kind][0] : kind;
}

/* "#rrggbb" to [r, g, b] */
function rgb(colour) {
	const number = parseInt(colour.slice(1), 16);
	return [number >> 16, number >> 8 & 255, number & 255];
}

/* One name of one kind, as it is drawn. Tiles refer to it by its number. */
class Label {
	constructor(name, kind, flags, plain, brief) {
		this.name = name;
		this.shown = visible(name);
		/* Where there is little room, what all names of a runtime begin with
		 * says nothing: it is left out. The runtime's row knows that
		 * beginning (src/schema/domains.def). */
		this.brief = PATH_BRIEFS[name] && kind.startsWith("path_") ? PATH_BRIEFS[name] : visible(name.slice(brief));
		this.kind = kind;
		this.flags = flags;
		this.plain = plain;
		const given = KINDS[kind] && KINDS[kind][1];
		this.colour = flags & FLAG.failed ? FAILED_COLOUR :
			given || NAME_COLOURS[hashText(name) % NAME_COLOURS.length];
		this.setPixel();
		this.level = kind in STATE_LEVELS ? STATE_LEVELS[kind] : 2;
		this.hatched = (flags & (FLAG.unfinished | FLAG.untimed)) !== 0 ||
			kind === "unknown" || kind === "task_unknown";
		const sign = flags & FLAG.failed ? "\u2715 " : flags & FLAG.noncausal ? "! " : "";
		this.shown = sign + this.shown;
		this.brief = sign + this.brief;
		this.wanted = true; /* by the search, or there is none */
	}

	/* A task that is none of the program's. */
	setOther() {
		this.colour = OTHER_COLOURS[hashText(this.name) % OTHER_COLOURS.length];
		this.setPixel();
	}

	setPixel() {
		const [r, g, b] = rgb(this.colour);
		/* As ImageData wants it, without its alpha. */
		this.pixel = b << 16 | g << 8 | r;
		/* sRGB's luminance, near enough: dark letters on light colours. */
		this.dark = 0.2126 * r + 0.7152 * g + 0.0722 * b < 138;
	}
}
