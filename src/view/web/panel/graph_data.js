/* SPDX-License-Identifier: MIT */
/* What a task graph is made of: an answer of the source with names, as places or as tasks. */
"use strict";

/* What tasks do (src/analysis/tasks/tasks.h): words and colours. */
const TASK_KINDS = {
	kernel: ["kernel", "#3f7fd9"],
	host_task: ["host task", "#d9a21b"],
	transfer: ["transfer", "#12938a"],
	allocation: ["allocation", "#9a5fc2"],
	release: ["release", "#7a86b8"],
	external: ["event of another task", "#a8b0ba"],
	other: ["other task", "#8794a8"],
};

/* An answer (src/view/query/graph.h) with names. */
function readGraph(answer) {
	const places = answer.places.map(([name, kind, place, device, process, count, deviceNs, operations, critical], of) =>
		({of, name, kind: kind || "other", place, device, process, count, deviceNs, operations, critical,
			colour: (TASK_KINDS[kind] || TASK_KINDS.other)[1]}));
	const drawn = (track, item) => track < 0 ? null : {track, item};
	return {
		total: answer.total, totalEdges: answer.total_edges, chainNs: answer.chain_ns,
		chain: places.reduce((sum, place) => sum + place.critical, 0), places,
		placeEdges: answer.place_edges.map(([from, to, count]) => ({from, to, count})),
		nodes: answer.nodes.map(([of, task, at, deviceNs, critical, track, item, operationTrack, operationItem], number) =>
			({number, of, task: drawn(track, item), operation: drawn(operationTrack, operationItem), at, deviceNs, critical: critical > 0, inChain: critical,
				name: places[of].name, kind: places[of].kind, place: places[of].place, colour: places[of].colour,
				process: places[of].process, device: places[of].device, words: "#" + countWords(task)})),
		edges: answer.edges.map(([from, to, access, buffer]) => ({from, to, access, buffer})),
	};
}

/* One node for each place that has any, with how many tasks it submits. */
function placesOf(graph) {
	const used = graph.places.filter((place) => place.count);
	const numbers = new Map(used.map((place, i) => [place.of, i]));
	const nodes = used.map((place) => ({...place, words: "\u00d7" + countWords(place.count), critical: place.critical > 0}));
	const edges = graph.placeEdges.map(({from, to, count}) => ({from: numbers.get(from), to: numbers.get(to), count}));
	for (const edge of edges)
		edge.critical = nodes[edge.from].critical && nodes[edge.to].critical;
	return {folded: true, nodes, edges};
}

/* Tasks one by one, those that are wanted (null: all); several edges between two are one. */
function tasksOf(graph, wanted) {
	const nodes = wanted ? graph.nodes.filter(wanted) : graph.nodes;
	const numbers = new Map(nodes.map((node, i) => [node.number, i]));
	const edges = new Map();
	for (const edge of graph.edges) {
		const from = numbers.get(edge.from), to = numbers.get(edge.to);
		if (from !== undefined && to !== undefined)
			edges.set(from * nodes.length + to, {from, to, count: 1, critical: nodes[from].critical &&
				nodes[to].inChain === nodes[from].inChain + 1});
	}
	return {folded: false, nodes, edges: [...edges.values()]};
}
