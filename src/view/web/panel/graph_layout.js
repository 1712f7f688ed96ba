/* SPDX-License-Identifier: MIT */
/* Places of a graph's nodes: in layers from the left to the right, so that what depends on something
 * is to the right of it; in a layer so that few edges cross. Nodes without edges are in a block
 * below. All steps take a time that grows with nodes and edges only. */
"use strict";

const GRAPH_STEP_X = 230; /* from layer to layer, and from node to node in one */
const GRAPH_STEP_Y = 52;
const GRAPH_BLOCK_LEAST = 6; /* columns of the block below */
const GRAPH_SWEEPS = 4;

/* `edges`: {from, to}, indices. Returns {x, y} (of each node's middle, arrays), and of each node
 * `layer` and its neighbours `next` and `last` as arrays of indices. */
function layoutGraph(count, edges) {
	const next = Array.from({length: count}, () => []), last = Array.from({length: count}, () => []);
	for (const {from, to} of edges) {
		if (from === to)
			continue;
		next[from].push(to);
		last[to].push(from);
	}
	const ahead = withoutCycles(count, next);
	const layer = layersOf(count, ahead);
	const layers = [];
	const alone = [];
	for (let node = 0; node < count; node++) {
		if (!next[node].length && !last[node].length)
			alone.push(node);
		else
			(layers[layer[node]] = layers[layer[node]] || []).push(node);
	}
	orderLayers(layers, next, last);
	const x = new Float64Array(count), y = new Float64Array(count);
	placeLayers(layers, next, last, x, y);
	placeBlock(alone, layers.length, x, y);
	return {x, y, layer, next, last};
}

/* Edges that lead on, without those that would close a cycle. */
function withoutCycles(count, next) {
	const state = new Uint8Array(count); /* 1: on the way, 2: done */
	const ahead = next.map(() => []);
	for (let root = 0; root < count; root++) {
		if (state[root])
			continue;
		const way = [[root, 0]];
		state[root] = 1;
		while (way.length) {
			const top = way[way.length - 1], node = top[0];
			if (top[1] === next[node].length) {
				state[node] = 2;
				way.pop();
				continue;
			}
			const to = next[node][top[1]++];
			if (state[to] === 1)
				continue;
			ahead[node].push(to);
			if (!state[to]) {
				state[to] = 1;
				way.push([to, 0]);
			}
		}
	}
	return ahead;
}

/* Of each node the length of the longest way to it. */
function layersOf(count, ahead) {
	const layer = new Uint32Array(count), waits = new Uint32Array(count);
	for (const targets of ahead)
		for (const to of targets)
			waits[to]++;
	const ready = [];
	for (let node = 0; node < count; node++)
		if (!waits[node])
			ready.push(node);
	for (let at = 0; at < ready.length; at++)
		for (const to of ahead[ready[at]]) {
			layer[to] = Math.max(layer[to], layer[ready[at]] + 1);
			if (!--waits[to])
				ready.push(to);
		}
	return layer;
}

/* Each node near the middle of those that it is joined to, from the left and from the right. */
function orderLayers(layers, next, last) {
	const place = new Map();
	const number = (nodes) => nodes.forEach((node, i) => place.set(node, i));
	layers.forEach(number);
	for (let sweep = 0; sweep < GRAPH_SWEEPS; sweep++) {
		const near = sweep % 2 ? next : last;
		const order = sweep % 2 ? [...layers].reverse() : layers;
		for (const nodes of order) {
			if (nodes.length < 2)
				continue;
			const wanted = new Map(nodes.map((node) => [node, near[node].length ?
				near[node].reduce((sum, other) => sum + place.get(other), 0) / near[node].length : place.get(node)]));
			nodes.sort((a, b) => wanted.get(a) - wanted.get(b) || a - b);
			number(nodes);
		}
	}
}

/* Beside what a node depends on, as far as those above leave room. */
function placeLayers(layers, next, last, x, y) {
	layers.forEach((nodes, number) => {
		/* What leads on stays on its line, so that a chain is straight. */
		const weight = (node) => next[node].length ? 1000 : 1;
		let below = -Infinity, off = 0, weights = 0;
		nodes.forEach((node, i) => {
			const known = last[node].filter((other) => x[other] < number * GRAPH_STEP_X);
			const wanted = known.length && number ? known.reduce((sum, other) => sum + y[other], 0) / known.length :
				(i - (nodes.length - 1) / 2) * GRAPH_STEP_Y;
			x[node] = number * GRAPH_STEP_X;
			y[node] = Math.max(wanted, below + GRAPH_STEP_Y);
			below = y[node];
			off += (y[node] - wanted) * weight(node);
			weights += weight(node);
		});
		for (const node of nodes)
			y[node] -= off / weights;
	});
}

function placeBlock(nodes, layers, x, y) {
	const columns = Math.max(GRAPH_BLOCK_LEAST, Math.min(layers, 2 * GRAPH_BLOCK_LEAST), Math.ceil(Math.sqrt(nodes.length)));
	const inBlock = new Set(nodes);
	let top = 0;
	for (let node = 0; node < y.length; node++)
		if (!inBlock.has(node))
			top = Math.max(top, y[node] + 1.5 * GRAPH_STEP_Y);
	nodes.forEach((node, i) => {
		x[node] = i % columns * GRAPH_STEP_X;
		y[node] = top + Math.floor(i / columns) * GRAPH_STEP_Y;
	});
}
