/* SPDX-License-Identifier: MIT */
/* Measuring: the time between two points, which snap to the edges of events. */
"use strict";

const SNAP_PIXELS = 8;

class Measure {
	constructor(app) {
		this.app = app;
		this.active = false;
		this.span = null; /* {from, to}; to: null until the second point is there */
	}

	set(on) {
		this.active = on;
		if (on)
			this.span = null;
		byId("measure").setAttribute("aria-pressed", String(on));
		document.body.classList.toggle("measuring", on);
		this.app.redraw();
	}

	/* To the edge of an event that is near. */
	snapped(pane, hit, time) {
		if (!hit || !hit.spans)
			return time;
		const near = SNAP_PIXELS / pane.width * this.app.range.span;
		const edges = [hit.begin, hit.end].map((edge) => edge + hit.track.offset);
		const best = Math.abs(edges[0] - time) <= Math.abs(edges[1] - time) ? edges[0] : edges[1];
		return Math.abs(best - time) <= near ? best : time;
	}

	at(pane, hit, time) {
		const edge = this.snapped(pane, hit, time);
		if (!this.span || this.span.to !== null) {
			this.span = {from: edge, to: null};
		} else {
			this.span.to = edge;
			this.end();
		}
		this.app.redraw();
	}

	end() {
		this.active = false;
		byId("measure").setAttribute("aria-pressed", "false");
		document.body.classList.remove("measuring");
	}

	/* What the line of state says of it, or null. */
	get words() {
		const {active, span} = this;
		if (active)
			return span && span.to === null ? "click the second point" : "click the first point";
		return span && "measured " + exactWords(Math.abs(span.to - span.from));
	}
}
