/* SPDX-License-Identifier: MIT */
/* Sums of a stretch of time, made of the page's own data: as src/view/query/select.h and
 * src/analysis/stats/histogram.h, number for number. */
"use strict";

const HISTOGRAM_STEPS = 32;

/* As printf() rounds: of two that are as near, the even one. With one decimal such
 * a middle is a quarter, or three. */
function oneDecimal(value) {
	const part = value % 1;
	return part === 0.25 ? Math.floor(value) + 0.2 : Number(value.toFixed(1));
}

class Histogram {
	constructor() {
		this.count = 0;
		this.sum = 0;
		this.least = 0;
		this.most = 0;
		this.buckets = new Map();
	}

	add(value) {
		/* The number of binary digits, right also where a logarithm is rounded. */
		let bits = Math.floor(Math.log2(Math.max(value, HISTOGRAM_STEPS))) + 1;
		if (value >= HISTOGRAM_STEPS && Math.pow(2, bits - 1) > value)
			bits--;
		else if (Math.pow(2, bits) <= value)
			bits++;
		const page = value < HISTOGRAM_STEPS ? 0 : bits - 5;
		const step = Math.floor(value / Math.pow(2, Math.max(0, page - 1))) % HISTOGRAM_STEPS;
		const bucket = page * HISTOGRAM_STEPS + step;
		this.buckets.set(bucket, (this.buckets.get(bucket) || 0) + 1);
		this.least = this.count ? Math.min(this.least, value) : value;
		this.most = Math.max(this.most, value);
		this.count++;
		this.sum += value;
	}

	percentile(part) {
		const wanted = Math.max(1, Math.ceil(part * this.count));
		let seen = 0;
		for (const bucket of [...this.buckets.keys()].sort((a, b) => a - b)) {
			seen += this.buckets.get(bucket);
			if (seen >= wanted)
				return clamp(this.middle(bucket), this.least, this.most);
		}
		return this.most;
	}

	middle(bucket) {
		const page = Math.floor(bucket / HISTOGRAM_STEPS), step = bucket % HISTOGRAM_STEPS;
		if (!page)
			return step;
		const width = Math.pow(2, page - 1);
		return (HISTOGRAM_STEPS + step) * width + Math.floor((width - 1) / 2);
	}

	/* [smallest, largest, count] of each bucket that has any. */
	get ranges() {
		return [...this.buckets.keys()].sort((a, b) => a - b).map((bucket) => {
			const page = Math.floor(bucket / HISTOGRAM_STEPS), step = bucket % HISTOGRAM_STEPS;
			const width = page ? Math.pow(2, page - 1) : 1;
			const least = page ? (HISTOGRAM_STEPS + step) * width : step;
			return [least, least + width - 1, this.buckets.get(bucket)];
		});
	}

	get times() {
		return {total_ns: this.sum, mean_ns: this.count ? oneDecimal(this.sum / this.count) : 0,
			min_ns: this.least, p50_ns: this.percentile(0.5), p99_ns: this.percentile(0.99), max_ns: this.most};
	}
}

/* As src/view/query/row_set.h: tracks of these rows (null: all), those that show what others
 * show, too, only where one that does, or one above it, was named. */
function tracksOfRows(session, tracks, rows) {
	const OUT = 0, IN = 1, SHARED = 2;
	const ofProcess = (row) => {
		for (; row >= 0; row = session.rows[row].parent)
			if (session.rows[row].kind === "process")
				return true;
		return false;
	};
	const named = new Map((rows || []).map((row) =>
		[row, session.rows[row].kind === "session" || ofProcess(row) ? IN : SHARED]));
	const how = (row) => {
		if (rows === null)
			return IN;
		let most = OUT;
		for (; row >= 0; row = session.rows[row].parent)
			most = Math.max(most, named.get(row) || OUT);
		return most;
	};
	const hows = session.rows.map((row, number) => how(number));
	return tracks.filter((track) => isNamed(track) && hows[track.row] >= (track.again ? SHARED : IN));
}

function localSelect(session, bundle, tracks, from, to, rows) {
	if (bundle.select) {
		const whole = from <= 0 && to >= Math.max(session.last_ns, session.duration_ns);
		const known = rows === null ? bundle.select[-1] : rows.length === 1 && bundle.select[rows[0]];
		if (whole && known)
			return known;
		refuseOverview();
	}
	const sums = new Map(), stacks = new Map();
	for (const track of tracksOfRows(session, tracks, rows)) {
		if (track.stack)
			countStacks(track, from, to, stacks);
		else
			sumTrack(session, track, from, to, sums);
	}
	return {...selectTables(session, [...sums.values()]), samples: localFunctions(bundle, stacks)};
}

function refuseOverview() {
	throw Object.assign(new Error("This file is downsampled, its events are not there one by one: " +
		"`tandem view` shows this."), {refused: true});
}

function countStacks(track, from, to, stacks) {
	for (let i = lowerBound(track.begin, from); i < track.count && track.begin[i] < to; i++)
		stacks.set(track.stack[i], (stacks.get(track.stack[i]) || 0) + 1);
}

/* As src/view/query/stacks.h. */
function localStacks(session, bundle, tracks, from, to, rows) {
	/* Of an overview only those of the whole run are known. */
	if (bundle.bin_ns && rows === null && bundle.stacks_of_all && from <= 0 && to >= Math.max(session.last_ns, session.duration_ns))
		return bundle.stacks_of_all;
	if (bundle.bin_ns)
		refuseOverview();
	const counts = new Map(), self = new Array(bundle.stacks.length).fill(0);
	for (const track of tracksOfRows(session, tracks, rows))
		if (track.stack)
			countStacks(track, from, to, counts);
	let samples = 0;
	for (const [stack, count] of counts) {
		self[stack] = count;
		samples += count;
	}
	const total = self.slice(), places = [], nodes = [];
	for (let i = total.length - 1; i > 0; i--)
		total[bundle.stacks[i][0]] += total[i];
	for (let i = 1; i < total.length; i++) {
		if (!total[i])
			continue;
		const [parent, frame] = bundle.stacks[i];
		places[i] = nodes.length;
		nodes.push([parent ? places[parent] : -1, ...bundle.frames[frame], self[i], total[i]]);
	}
	return {samples, nodes};
}

/* As src/view/query/instances.h. */
function localInstances(session, bundle, tracks, labels, from, to, rows, list) {
	if (bundle.bin_ns)
		refuseOverview();
	const lengths = new Histogram(), spans = [];
	let count = 0, failed = 0;
	for (const track of tracksOfRows(session, tracks, rows)) {
		for (let i = lowerBound(track.begin, from); i < track.count && track.begin[i] < to; i++) {
			const label = track.label[i];
			if (!labels.has(label))
				continue;
			const flags = session.labels[label][2], length = track.end[i] - track.begin[i];
			count++;
			failed += flags & FLAG.failed ? 1 : 0;
			if (flags & (FLAG.untimed | FLAG.unfinished))
				continue;
			lengths.add(length);
			if (length >= list.least && length <= list.most)
				spans.push({track: track.number, item: track.item[i], label, begin_ns: track.begin[i],
					end_ns: track.end[i]});
		}
	}
	const length = (span) => span.end_ns - span.begin_ns;
	spans.sort((a, b) => (list.byLength ? length(b) - length(a) : 0) || a.begin_ns - b.begin_ns ||
		a.track - b.track || a.item - b.item);
	return {count, failed, ...lengths.times, histogram: lengths.ranges, matching: spans.length,
		spans: spans.slice(list.skip, list.skip + list.count)};
}

/* As src/view/query/select_samples.h. */
function localFunctions(bundle, stacks) {
	const functions = new Map();
	const of = (frame) => {
		if (!functions.has(frame)) {
			const [name, file] = bundle.frames[frame];
			functions.set(frame, {frame, latest: 0, name, self: 0, total: 0, file});
		}
		return functions.get(frame);
	};
	for (const [stack, count] of stacks) {
		if (!stack)
			continue;
		of(bundle.stacks[stack][1]).self += count;
		for (let at = stack; at; at = bundle.stacks[at][0]) {
			const one = of(bundle.stacks[at][1]);
			/* One that calls itself counts once for each stack. */
			if (one.latest !== stack)
				one.total += count;
			one.latest = stack;
		}
	}
	return [...functions.values()]
		.sort((a, b) => b.self - a.self || b.total - a.total || a.frame - b.frame)
		.map(({name, self, total, file}) => ({name, self, total, file}));
}

function sumTrack(session, track, from, to, sums) {
	const device = track.bytes ? track.device : -1;
	for (let i = lowerBound(track.reach, from); i < track.count && track.begin[i] < to; i++) {
		if (track.end[i] <= from && track.begin[i] < from)
			continue;
		const [, , flags, plain] = session.labels[track.label[i]];
		const label = flags ? plain : track.label[i];
		/* What never ended is not among what the device did. */
		if (track.bytes && flags & FLAG.unfinished)
			continue;
		const key = device + ":" + label;
		let sum = sums.get(key);
		if (!sum) {
			sum = {label, device, count: 0, failed: 0, untimed: 0, bytes: 0, within: 0, deviceNs: 0, times: new Histogram()};
			sums.set(key, sum);
		}
		sum.within += Math.max(0, Math.min(track.end[i], to) - Math.max(track.begin[i], from));
		if (track.begin[i] < from)
			continue;
		sum.count++;
		sum.failed += flags & FLAG.failed ? 1 : 0;
		sum.bytes += track.bytes ? track.bytes[i] : 0;
		sum.deviceNs += track.deviceNs ? track.deviceNs[i] : 0;
		if (flags & (FLAG.untimed | FLAG.unfinished))
			sum.untimed++;
		else
			sum.times.add(track.end[i] - track.begin[i]);
	}
}

function selectTables(session, sums) {
	const found = {calls: [], device: [], states: [], ranges: []};
	sums.sort((a, b) => b.times.sum - a.times.sum || b.within - a.within || a.label - b.label);
	for (const sum of sums) {
		const [name, kindNumber] = session.labels[sum.label];
		const [kind, group] = session.kinds[kindNumber];
		const times = {...sum.times.times, within_ns: sum.within};
		if (group === "call")
			found.calls.push({label: sum.label, name, calls: sum.count, errors: sum.failed, ...times});
		else if (group === "command")
			found.device.push({label: sum.label, device: sum.device >= 0 ? session.rows[sum.device].name : "",
				kind, name, count: sum.count, failed: sum.failed, untimed: sum.untimed, bytes: sum.bytes, ...times});
		else if (group === "range")
			found.ranges.push({label: sum.label, kind, name, count: sum.count, device_ns: sum.deviceNs, ...times});
		else if (group === "state" || group === "task")
			found.states.push({label: sum.label, state: kind, name, count: sum.count, ...times});
	}
	return found;
}
