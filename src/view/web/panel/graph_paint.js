/* SPDX-License-Identifier: MIT */
/* The picture of a task graph: edges, the critical chain bold, and nodes in the colour of what they do
 * or of their device time. */
"use strict";

class GraphPainter {
	constructor(graph) {
		this.graph = graph;
	}

	paint() {
		const {canvas, view, app, width, height} = this.graph;
		const context = canvasFit(canvas, width, height);
		context.fillStyle = app.style.row;
		context.fillRect(0, 0, width, height);
		context.translate(view.x, view.y);
		context.scale(view.scale, view.scale);
		/* In the graph's own measure. */
		const seen = {left: -view.x / view.scale, top: -view.y / view.scale,
			right: (width - view.x) / view.scale, bottom: (height - view.y) / view.scale};
		this.paintEdges(context, seen);
		this.paintNodes(context, seen);
	}

	paintEdges(context, seen) {
		const {shown, chosen, app, view} = this.graph;
		const {x, y} = shown.layout;
		const bold = [];
		const thin = Math.max(1, 0.7 / view.scale);
		context.beginPath();
		for (const edge of shown.edges) {
			const {from, to} = edge;
			if (Math.max(x[from], x[to]) + GRAPH_WIDTH < seen.left || Math.min(x[from], x[to]) - GRAPH_WIDTH > seen.right ||
				Math.max(y[from], y[to]) + GRAPH_STEP_Y < seen.top || Math.min(y[from], y[to]) - GRAPH_STEP_Y > seen.bottom)
				continue;
			if (edge.critical || from === chosen || to === chosen)
				bold.push(edge);
			else
				this.edgePath(context, from, to);
		}
		context.strokeStyle = app.style.arrowWait;
		context.lineWidth = thin;
		context.globalAlpha = 0.75;
		context.stroke();
		context.globalAlpha = 1;
		for (const edge of bold) {
			context.beginPath();
			this.edgePath(context, edge.from, edge.to);
			context.strokeStyle = edge.from === chosen || edge.to === chosen ? app.style.accent : app.style.finding;
			context.lineWidth = 2.4 * thin;
			context.stroke();
		}
		if (view.scale < GRAPH_TEXT_LEAST || !shown.folded)
			return;
		context.font = TEXT_FONT;
		context.textAlign = "center";
		context.textBaseline = "bottom";
		context.fillStyle = app.style.dim;
		for (const {from, to, count} of shown.edges)
			if (count > 1)
				context.fillText("\u00d7" + countWords(count), (x[from] + x[to]) / 2,
					from === to ? y[from] - GRAPH_HEIGHT - 1 : (y[from] + y[to]) / 2 - 3);
		context.textAlign = "left";
	}

	/* From the right of one to the left of the other, with a head; to itself a loop above. */
	edgePath(context, from, to) {
		const {x, y} = this.graph.shown.layout;
		const x0 = x[from] + GRAPH_WIDTH / 2, x1 = x[to] - GRAPH_WIDTH / 2;
		if (from === to) {
			const top = y[from] - GRAPH_HEIGHT / 2;
			context.moveTo(x[from] + 30, top);
			context.bezierCurveTo(x[from] + 36, top - 24, x[from] - 36, top - 24, x[from] - 30, top - 1);
			this.headPath(context, x[from] - 30, top - 1, 0, 1);
			return;
		}
		const bend = x1 > x0 ? Math.max(20, (x1 - x0) / 2) : 60 + (x0 - x1) / 6;
		context.moveTo(x0, y[from]);
		context.bezierCurveTo(x0 + bend, y[from], x1 - bend, y[to], x1 - 1, y[to]);
		this.headPath(context, x1 - 1, y[to], 1, 0);
	}

	headPath(context, x, y, dx, dy) {
		context.moveTo(x - 6 * dx - 3.5 * dy, y - 6 * dy - 3.5 * dx);
		context.lineTo(x, y);
		context.lineTo(x - 6 * dx + 3.5 * dy, y - 6 * dy + 3.5 * dx);
	}

	paintNodes(context, seen) {
		const {shown, chosen, app, view} = this.graph;
		const {x, y} = shown.layout;
		const named = view.scale >= GRAPH_TEXT_LEAST;
		context.textBaseline = "middle";
		for (let i = 0; i < shown.nodes.length; i++) {
			const left = x[i] - GRAPH_WIDTH / 2, top = y[i] - GRAPH_HEIGHT / 2;
			if (left > seen.right || left + GRAPH_WIDTH < seen.left || top > seen.bottom || top + GRAPH_HEIGHT < seen.top)
				continue;
			const node = shown.nodes[i];
			const colour = this.graph.byTime ? this.timeColour(node.deviceNs / shown.most) : node.colour;
			/* From afar at least a point of the screen. */
			const width = Math.max(GRAPH_WIDTH, 1.5 / view.scale), height = Math.max(GRAPH_HEIGHT, 1.5 / view.scale);
			context.fillStyle = colour;
			context.fillRect(left, top, width, height);
			if (node.critical || i === chosen || i === this.graph.hovered) {
				context.strokeStyle = i === chosen || i === this.graph.hovered ? app.style.hover : app.style.finding;
				context.lineWidth = Math.max(2.4, (i === chosen ? 2 : 1) / view.scale);
				context.strokeRect(left, top, width, height);
			}
			if (named)
				this.paintName(context, node, left, top, isDark(colour));
		}
	}

	paintName(context, node, left, top, dark) {
		const {painter} = this.graph.app;
		const room = GRAPH_WIDTH - 2 * TEXT_PADDING;
		context.fillStyle = dark ? "#fff" : "#10151c";
		context.font = TEXT_FONT;
		context.fillText(painter.fitName(context, visible(node.name), room), left + TEXT_PADDING, top + 10);
		const second = [visible(node.place), node.words, node.deviceNs ? lengthWords(node.deviceNs) : ""].filter((text) => text);
		context.fillText(painter.fitName(context, second.join(" \u00b7 "), room), left + TEXT_PADDING, top + 24);
	}

	/* Between the colour of the ground and the strongest one, by the root of the share. */
	timeColour(share) {
		const low = this.graph.app.theme.dark ? [44, 54, 68] : [226, 233, 242], high = this.graph.app.theme.dark ? [132, 196, 255] : [10, 72, 150];
		const part = Math.sqrt(share);
		return "#" + low.map((from, i) => Math.round(from + (high[i] - from) * part).toString(16).padStart(2, "0")).join("");
	}
}

/* Whether white letters are read better on a colour. */
function isDark(colour) {
	const [r, g, b] = rgb(colour);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b < 138;
}
