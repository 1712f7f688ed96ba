/* SPDX-License-Identifier: MIT */
/* The stretch of time that is shown: where it may lie, and how it gets from one
 * place to another. Times are ns on the picture's axis. */
"use strict";

const LEAST_NS = 20;
const GLIDE_MS = 140;

class Range {
	constructor(begin, end, changed) {
		/* Some room on both sides, so that the first and the last event do not
		 * touch the edge. */
		const room = Math.max((end - begin) * 0.01, LEAST_NS);
		this.first = begin - room;
		this.last = end + room;
		this.begin = this.first;
		this.end = this.last;
		this.goal = null;
		this.changed = changed;
		this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
	}

	get span() {
		return this.end - this.begin;
	}

	clamped(begin, end) {
		const span = clamp(end - begin, LEAST_NS, this.last - this.first);
		begin = clamp((begin + end - span) / 2, this.first, this.last - span);
		return [begin, begin + span];
	}

	/* At once. */
	set(begin, end) {
		this.goal = null;
		[this.begin, this.end] = this.clamped(begin, end);
		this.changed();
	}

	/* In a short glide, so that the eye can follow. */
	glide(begin, end) {
		if (this.still) {
			this.set(begin, end);
			return;
		}
		[begin, end] = this.clamped(begin, end);
		this.goal = {begin, end, fromBegin: this.begin, fromEnd: this.end,
			at: performance.now()};
		this.changed();
	}

	/* Where it is, or is going to. */
	get target() {
		return this.goal || this;
	}

	/* One step of a glide; called for each picture. */
	advance(now) {
		const goal = this.goal;
		if (!goal)
			return;
		const part = clamp((now - goal.at) / GLIDE_MS, 0, 1);
		const eased = 1 - (1 - part) * (1 - part);
		this.begin = goal.fromBegin + (goal.begin - goal.fromBegin) * eased;
		this.end = goal.fromEnd + (goal.end - goal.fromEnd) * eased;
		if (part === 1)
			this.goal = null;
		this.changed();
	}

	/* Around a moment that stays where it is on the screen. */
	zoom(factor, around) {
		const {begin, end} = this.target;
		if (around === undefined)
			around = (begin + end) / 2;
		this.glide(around - (around - begin) * factor, around + (end - around) * factor);
	}

	zoomNow(factor, around) {
		this.set(around - (around - this.begin) * factor, around + (this.end - around) * factor);
	}

	pan(part) {
		const {begin, end} = this.target;
		const by = (end - begin) * part;
		this.glide(begin + by, end + by);
	}

	panNow(ns) {
		this.set(this.begin + ns, this.end + ns);
	}

	/* Shows from..to with some room around. */
	fit(from, to) {
		const room = Math.max((to - from) * 0.1, LEAST_NS / 2);
		this.glide(from - room, to + room);
	}

	fitAll() {
		this.glide(this.first, this.last);
	}

	/* Brings a moment on the screen, at the scale that there is. */
	revealMoment(at) {
		const {begin, end} = this.target;
		if (at < begin || at > end)
			this.glide(at - (end - begin) / 2, at + (end - begin) / 2);
	}

	/* Brings from..to on the screen, wide enough to be seen. */
	reveal(from, to, width) {
		const {begin, end} = this.target;
		const span = end - begin;
		const pixels = (to - from) / span * width;
		if (from >= begin && to <= end && pixels >= 3)
			return;
		if (pixels < 3)
			this.fit(from - Math.max(to - from, LEAST_NS) * 12, to + Math.max(to - from, LEAST_NS) * 12);
		else if (pixels > width * 0.9)
			this.fit(from, to);
		else
			this.glide((from + to - span) / 2, (from + to + span) / 2);
	}
}
