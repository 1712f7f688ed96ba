/* SPDX-License-Identifier: MIT */
#include "trace/external/hosts/host_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/external/external_trace.h"
#include "util/array.h"
#include "util/order/compare.h"

/* A hundred MB; what comes after says little more. */
#define MESSAGES_MOST (4u << 20)
#define CPUS_MOST 65536u
#define GAP_PARTS 8

struct message {
	int64_t key;
	uint32_t host;
	bool received;
	uint64_t ns; /* on its host's clock */
};

struct gathering {
	struct hosts *hosts;
	uint32_t *host_of; /* by trace */
	size_t trace_count, trace_capacity;
	struct message *messages;
	size_t count, capacity;
};

struct pair {		      /* of hosts: what the messages between them say */
	struct clockfit *fit; /* of the clock of `from` to that of `to` */
	size_t from, to;
	uint64_t lower, upper;
	uint64_t bound_ns;
};

static int on_begin(void *user, const struct external_description *description)
{
	struct gathering *gathering = user;
	size_t host = hosts_get(gathering->hosts, description->host, description->boot_id, 0);

	return host == SIZE_MAX ? -ENOMEM
				: ARRAY_ADD(gathering->host_of, gathering->trace_capacity,
					    gathering->trace_count, (uint32_t)host);
}

static void note_moment(struct host *host, uint64_t ns)
{
	if (!host->last_ns || ns < host->first_ns)
		host->first_ns = ns;
	if (ns > host->last_ns)
		host->last_ns = ns;
}

static int on_event(void *user, const struct external_event *event)
{
	struct gathering *gathering = user;
	uint32_t host;

	if (event->trace >= gathering->trace_count)
		return 0;
	host = gathering->host_of[event->trace];
	if (event->cpu < CPUS_MOST && event->cpu >= gathering->hosts->list[host].cpus)
		gathering->hosts->list[host].cpus = event->cpu + 1;
	note_moment(&gathering->hosts->list[host], event->ns);
	if ((event->kind != EXTERNAL_SENT && event->kind != EXTERNAL_RECEIVED) ||
	    event->ns > INT64_MAX || gathering->count == MESSAGES_MOST)
		return 0;
	if (array_reserve(&gathering->messages, &gathering->capacity, gathering->count + 1,
			  sizeof(*gathering->messages)))
		return -ENOMEM;
	while (gathering->hosts->list[host].clock == TRACE_HOST_SAME_BOOT)
		host = (uint32_t)gathering->hosts->list[host].towards;
	gathering->messages[gathering->count++] =
		(struct message){.key = event->value,
				 .host = host,
				 .received = event->kind == EXTERNAL_RECEIVED,
				 .ns = event->ns};
	return 0;
}

static int message_compare(const void *a, const void *b)
{
	const struct message *left = a, *right = b;

	return COMPARE(left->key, right->key)
	       ?: COMPARE(left->host, right->host)
	       ?: COMPARE(left->received, right->received)
	       ?: COMPARE(left->ns, right->ns);
}

static struct pair *pair_get(struct pair *pairs, size_t hosts, size_t from, size_t to)
{
	struct pair *pair = &pairs[from * hosts + to];
	struct clockfit_options options = CLOCKFIT_DEFAULTS;

	/* Both clocks are slewed, so that the one may go by twice as much against the other. */
	options.drift_ppm *= 2;
	options.wander_ppm *= 2;
	if (!pair->fit && clockfit_create(&pair->fit, CLOCKFIT_STREAM, &options))
		return NULL;
	pair->from = from;
	pair->to = to;
	return pair;
}

/* In both directions: who is joined by whom is not known yet. */
static int pair_add(struct pair *pairs, size_t hosts, const struct message *sent,
		    const struct message *received)
{
	struct pair *there = pair_get(pairs, hosts, sent->host, received->host);
	struct pair *back = pair_get(pairs, hosts, received->host, sent->host);
	int64_t sent_ns = (int64_t)sent->ns, received_ns = (int64_t)received->ns;
	int status = there && back ? clockfit_add_upper(there->fit, sent_ns, received_ns) : -ENOMEM;

	if (!status)
		status = clockfit_add_lower(back->fit, received_ns, sent_ns);
	if (!status) {
		there->upper++;
		back->lower++;
	}
	return status == -ERANGE ? 0 : status;
}

/* The messages [from, to) have one key. The first time that it was sent is before the first
 * time that another host received it, however often it was repeated or forwarded. */
static int match(struct pair *pairs, size_t hosts, const struct message *messages, size_t from,
		 size_t to)
{
	int status = 0;

	for (size_t i = from; i < to && !status; i++) {
		if (messages[i].received || (i > from && messages[i - 1].host == messages[i].host))
			continue;
		for (size_t k = from; k < to && !status; k++)
			if (messages[k].received && messages[k].host != messages[i].host &&
			    (k == from || messages[k - 1].host != messages[k].host ||
			     !messages[k - 1].received))
				status = pair_add(pairs, hosts, &messages[i], &messages[k]);
	}
	return status;
}

static int pairs_finish(struct pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct clockfit_line *lines;
		size_t line_count;

		pairs[i].bound_ns = CLOCKFIT_UNBOUNDED;
		if (!pairs[i].lower || !pairs[i].upper)
			continue;
		if (clockfit_finish(pairs[i].fit))
			return -ENOMEM;
		lines = clockfit_lines(pairs[i].fit, &line_count);
		pairs[i].bound_ns = line_count ? 0 : CLOCKFIT_UNBOUNDED;
		for (size_t k = 0; k < line_count; k++)
			if (lines[k].bound_ns > pairs[i].bound_ns)
				pairs[i].bound_ns = lines[k].bound_ns;
	}
	return 0;
}

static bool joined(const struct hosts *hosts, size_t host)
{
	return hosts->list[host].clock != TRACE_HOST_TIME_OF_DAY;
}

static uint64_t bound_by(const struct hosts *hosts, const struct pair *pair)
{
	uint64_t before = hosts->list[pair->to].bound_ns;

	return pair->bound_ns > CLOCKFIT_UNBOUNDED - before ? CLOCKFIT_UNBOUNDED
							    : pair->bound_ns + before;
}

static void host_take(struct hosts *hosts, struct pair *pair)
{
	struct host *host = &hosts->list[pair->from];
	size_t count;
	const struct clockfit_line *line = clockfit_lines(pair->fit, &count);

	host->clock = TRACE_HOST_MESSAGES;
	host->towards = pair->to;
	host->bound_ns = bound_by(hosts, pair);
	host->messages = pair->lower + pair->upper;
	host->moved_ns = line->host_ns - line->device_ns + hosts->list[pair->to].moved_ns;
	host->drift_ppm = line->drift_ppm;
	host->fit = pair->fit;
	pair->fit = NULL;
}

/* The host that can be joined best, by those that are; the next one; as long as there is one. */
static void hosts_take(struct hosts *hosts, struct pair *pairs)
{
	struct pair *best;

	do {
		best = NULL;
		for (size_t i = 0; i < hosts->count * hosts->count; i++) {
			struct pair *pair = &pairs[i];

			if (pair->fit && pair->bound_ns != CLOCKFIT_UNBOUNDED &&
			    !joined(hosts, pair->from) && joined(hosts, pair->to) &&
			    (!best || bound_by(hosts, pair) < bound_by(hosts, best)))
				best = pair;
		}
		if (best)
			host_take(hosts, best);
	} while (best);
	/* Containers go with the host whose boot they are of. */
	for (size_t i = 0; i < hosts->count; i++)
		if (hosts->list[i].clock == TRACE_HOST_SAME_BOOT) {
			hosts->list[i].moved_ns = hosts->list[hosts->list[i].towards].moved_ns;
			hosts->list[i].bound_ns = hosts->list[hosts->list[i].towards].bound_ns;
		}
}

static int64_t device_at(const struct clockfit_line *line, int64_t host_ns)
{
	return line->device_ns +
	       (int64_t)((double)(host_ns - line->host_ns) / (1 + line->drift_ppm / 1e6));
}

/* Between two segments the one clock was set, or slept. Where nothing is known of a moment there,
 * its host most likely had none: it slept. */
static void use_gaps(struct hosts *hosts, size_t host)
{
	size_t count = 0;
	const struct host *from = &hosts->list[host];
	const struct clockfit_line *lines = from->fit ? clockfit_lines(from->fit, &count) : NULL;

	for (size_t i = 1; i < count; i++) {
		const struct clockfit_line *before = &lines[i - 1], *line = &lines[i];
		int64_t end = device_at(before, before->end_ns);
		int64_t begin = device_at(line, line->begin_ns);

		for (int part = 0; part <= GAP_PARTS && begin > end && end > 0; part++) {
			uint64_t at = (uint64_t)(end + (begin - end) / GAP_PARTS * part);
			uint64_t bound_ns;

			hosts_ns(hosts, host, at, &bound_ns);
			if (bound_ns != CLOCKFIT_UNBOUNDED)
				hosts_use(hosts, host, at);
		}
	}
}

/* What is said of the clocks holds of all of the kernels' events, not of the messages alone. */
static void bounds_widen(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++) {
		if (!hosts->list[i].last_ns)
			continue;
		hosts_use(hosts, i, hosts->list[i].first_ns);
		hosts_use(hosts, i, hosts->list[i].last_ns);
		use_gaps(hosts, i);
	}
}

static int join(struct gathering *gathering)
{
	size_t hosts = gathering->hosts->count, next;
	struct pair *pairs = calloc(hosts * hosts, sizeof(*pairs));
	int status = pairs ? 0 : -ENOMEM;

	if (gathering->count)
		qsort(gathering->messages, gathering->count, sizeof(*gathering->messages),
		      message_compare);
	for (size_t i = 0; i < gathering->count && !status; i = next) {
		for (next = i + 1; next < gathering->count &&
				   gathering->messages[next].key == gathering->messages[i].key;)
			next++;
		status = match(pairs, hosts, gathering->messages, i, next);
	}
	if (!status)
		status = pairs_finish(pairs, hosts * hosts);
	if (!status) {
		hosts_take(gathering->hosts, pairs);
		bounds_widen(gathering->hosts);
	}
	for (size_t i = 0; pairs && i < hosts * hosts; i++)
		clockfit_destroy(pairs[i].fit);
	free(pairs);
	return status;
}

int host_messages_join(struct hosts *hosts, const char *path, const char *module,
		       struct error *error)
{
	struct gathering gathering = {.hosts = hosts};
	const struct external_sink sink = {
		.begin = on_begin, .event = on_event, .user = &gathering, .messages = true};
	int status = external_read(path, module, &sink, error);
	uint32_t cpus = 0;

	if (!status)
		status = join(&gathering);
	for (size_t i = 0; i < hosts->count; i++) {
		hosts->list[i].first_cpu = cpus;
		cpus += hosts->list[i].cpus;
	}
	free(gathering.host_of);
	free(gathering.messages);
	return status;
}
