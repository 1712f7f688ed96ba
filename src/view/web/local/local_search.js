/* SPDX-License-Identifier: MIT */
/* Search in the page's own data: as src/view/query/search.h. */
"use strict";

function searched(track) {
	return !track.again && isNamed(track);
}

function localCount(tracks, labels) {
	let total = 0;
	for (const track of tracks)
		if (searched(track))
			for (let i = 0; i < track.count; i++)
				total += labels.has(track.label[i]) ? track.spans[i] : 0;
	return total;
}

/* Spans of each label. */
function localCounts(tracks) {
	const counts = [];
	for (const track of tracks)
		if (searched(track))
			for (let i = 0; i < track.count; i++)
				counts[track.label[i]] = (counts[track.label[i]] || 0) + track.spans[i];
	return counts;
}

/* The first item behind the place `hit`, or the last one before it. */
function localStep(tracks, labels, hit, back) {
	let best = null;
	for (const track of tracks) {
		if (!searched(track))
			continue;
		let i;
		if (track.number === hit.track)
			i = lowerBound(track.item, back ? hit.item : hit.item + 1);
		else
			i = lowerBound(track.begin, hit.begin + (track.number < hit.track ? 1 : 0));
		if (back)
			for (i--; i >= 0 && !labels.has(track.label[i]);)
				i--;
		else
			while (i < track.count && !labels.has(track.label[i]))
				i++;
		if (i < 0 || i >= track.count)
			continue;
		/* Of equal ones the first track is next, the last one is before. */
		if (!best || (back ? track.begin[i] >= best.begin_ns : track.begin[i] < best.begin_ns))
			best = {track: track.number, item: track.item[i], label: track.label[i],
				begin_ns: track.begin[i], end_ns: track.end[i]};
	}
	return best;
}

function localMarks(tracks, labels, from, to, bins) {
	const marks = new Uint8Array(bins), width = (to - from) / bins;
	for (const track of tracks) {
		if (!searched(track))
			continue;
		for (let i = lowerBound(track.reach, from); i < track.count && track.begin[i] < to; i++) {
			if (!labels.has(track.label[i]) || track.end[i] < from)
				continue;
			const first = Math.max(0, Math.floor((track.begin[i] - from) / width));
			const last = Math.floor((track.end[i] - from) / width);
			for (let bin = first; bin <= last && bin < bins; bin++)
				marks[bin] = 1;
		}
	}
	return [...marks.keys()].filter((bin) => marks[bin]);
}
