/* SPDX-License-Identifier: MIT */
/* A span, as everything but the tiles has it: {track, item, spans, busy, begin, end, label}. */
"use strict";

/* An item of a tile, as everybody else knows it. Times are of its session. */
function spanOf(track, tile, i, labels) {
	return {track, begin: tile.begin[i], end: tile.end[i], spans: tile.spans[i],
		item: tile.item[i], busy: tile.busy[i],
		label: labels[track.session][tile.label[i]] || labels[track.session].unknown};
}

/* A span of which only its details are known. */
function spanOfDetail(track, item, detail) {
	const flags = detail.flags.reduce((sum, flag) => sum | FLAG[flag], 0);
	return {track, item: detail.item === undefined ? item : detail.item, spans: detail.spans || 1, busy: 1,
		begin: detail.begin_ns, end: detail.end_ns, label: new Label(detail.name, detail.kind, flags, 0, 0)};
}
