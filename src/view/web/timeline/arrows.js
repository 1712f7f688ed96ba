/* SPDX-License-Identifier: MIT */
/* The arrows from the selected event to those it is related to, and going along them. */
"use strict";

class Trail {
	constructor(app) {
		this.app = app;
		this.from = []; /* where the arrows came from */
	}

	/* Along the arrows: on to the command and to what saw its end, or back. */
	async follow(back) {
		const {app} = this, {detail} = app;
		if (back && this.from.length) {
			const from = this.from.pop();
			await app.goTo(from.session, from);
			return;
		}
		if (!detail || !detail.links)
			return;
		const order = back ? ["call", "after", "ended", "task", "predecessor"] :
			["command", "operation", "seen", "ended", "waker", "successor"];
		const link = order.map((is) => detail.links.find((one) => one.is === is)).find((one) => one);
		if (!link)
			return;
		const {track, item} = detail.span;
		if (!back)
			this.from.push({session: track.session, track: track.number, item});
		await app.goTo(track.session, link);
	}
}

/* From the call to its command, and from there to the call that saw it end. */
function drawArrows(pane, context, span) {
	const {app} = pane;
	const detail = app.detail;
	if (!detail || detail.span !== span || !detail.links)
		return;
	const to = (link) => {
		const track = app.rows.byTrack.get(span.track.session + ":" + link.track);
		return track && {track, begin: link.begin_ns, end: link.end_ns};
	};
	const linked = (is) => detail.links.some((link) => link.is === is);
	for (const link of detail.links) {
		const other = to(link);
		if (!other)
			continue;
		if (link.is === "command" && isCallKind(detail.kind))
			drawArrow(pane, context, span, "begin", other, "begin", app.style.arrow);
		else if (link.is === "call")
			drawArrow(pane, context, other, "begin", span, "begin", app.style.arrow);
		else if (link.is === "seen")
			drawArrow(pane, context, span, "end", other, "end", app.style.arrowBack);
		else if (link.is === "ended")
			drawArrow(pane, context, other, "end", span, "end", app.style.arrowBack);
		else if (link.is === "task" && !linked("call"))
			drawArrow(pane, context, other, "begin", span, "begin", app.style.arrow);
		else if (link.is === "operation" && !linked("command"))
			drawArrow(pane, context, span, "begin", other, "begin", app.style.arrow);
		else if (link.is === "predecessor")
			drawArrow(pane, context, other, "end", span, "begin", app.style.arrowTask);
		else if (link.is === "successor")
			drawArrow(pane, context, span, "end", other, "begin", app.style.arrowTask);
		else if (link.is === "after")
			drawArrow(pane, context, other, "end", span, "begin", app.style.arrowWait);
		else if (link.is === "waker")
			/* The waker did it at that moment, whatever else it was doing. */
			drawArrow(pane, context, {...other, begin: span.end, end: span.end}, "begin", span, "end",
				app.style.arrowWait);
	}
}

function drawArrow(pane, context, from, fromEdge, to, toEdge, colour) {
	const {app} = pane;
	const a = pane.box(from), b = pane.box(to);
	if (!a || !b)
		return;
	const edge = (box, which) => clamp(which === "begin" ? box.left : box.right, -200, pane.width + 200);
	const down = b.top >= a.top;
	const x0 = edge(a, fromEdge), x1 = edge(b, toEdge);
	const y0 = down ? a.bottom : a.top, y1 = down ? b.top : b.bottom;
	const bend = Math.max(14, Math.min(60, Math.abs(y1 - y0) / 2)) * (down ? 1 : -1);
	context.beginPath();
	context.moveTo(x0, y0);
	context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
	/* A rim sets it off from whatever it crosses. */
	for (const [stroke, width] of [[app.style.row, 4.5], [colour, 1.75]]) {
		context.strokeStyle = stroke;
		context.lineWidth = width;
		context.stroke();
	}
	context.fillStyle = colour;
	context.beginPath();
	context.moveTo(x1, y1);
	context.lineTo(x1 - 4, y1 - (down ? 7 : -7));
	context.lineTo(x1 + 4, y1 - (down ? 7 : -7));
	context.closePath();
	context.fill();
}
