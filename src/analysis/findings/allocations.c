/* SPDX-License-Identifier: MIT */
/* Memory that is allocated and freed again and again: an allocation inside a
 * loop. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/finding.h"
#include "analysis/stats/running_median.h"
#include "schema/gen/kernel_records.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

/* So often is a loop, if no more than a quarter of them lived at a time: without those that a program keeps
 * next to it. */
#define LOOP_COUNT 8u
#define LOOP_LIVE_PART 4u

/* Larger ones make fewer faults than are expected here. */
#define PAGE_BYTES 4096u

/* Faults follow each other without much in between in one of so many cases. What a page's way into the
 * caches and out of them takes at the most: 163 to 185 ns on a Zen 5 EPYC, of 16 to 64 MiB. */
#define LOW_PARTS 10u
#define CACHES_MOST_NS 200

/* Where another thread has faults as well, both wait for what the kernel locks: 2.1 to 2.4 us each where one
 * alone takes 1.1 (two cores of a virtual machine; what a repair saved says the same). */
#define BESIDE_TIMES 2

struct allocation_row { /* one function, and sizes up to the next power of two */
	const struct tandem_event *api;
	uint64_t bytes; /* of all */
	bool parts;	/* of other memory: what is touched is that one's */
	bool shared;	/* with the host */
	uint64_t count, freed, live, most_live;
	uint64_t kept; /* that were there whenever one was made after the first was freed */
	/* Of the calls that made and freed them: of all, and of as many as lived at a time. */
	uint64_t ns, first_ns;
	uint32_t stream;
	int64_t begin_ns, end_ns; /* of the second */
};

struct allocation_process {	    /* what was allocated again */
	uint64_t live, live_shared; /* shared: the host touches it as well, in no call */
	uint64_t pages;		    /* that may still be touched for the first time */
	/* Of those, what was freed while commands may have used it: it lives until these are over. */
	uint64_t left, left_shared;
	bool in_flight;	   /* a command was enqueued, and nothing waited since */
	int64_t waited_ns; /* for all that was freed before; INT64_MAX: nothing was */
};

struct allocations {
	struct allocation_row *rows;
	size_t count, capacity;
	struct map row_of; /* function and class of sizes -> row */
	struct map live;   /* process and number -> row, twice, + 1: it was allocated again */
	/* By stream: row, + 1, of what was freed, where the call that frees it comes behind. */
	size_t *freeing;
	struct allocation_process *processes;
	struct map process_of; /* pid -> index */
	uint64_t faults;       /* that count */
	double faults_ns;      /* that they took */
	struct map faulted; /* thread -> when it had its latest faults, from the session's start */
	uint64_t latest_faulted; /* who had the latest, and when */
	uint64_t latest_ns;
	/* Records of faults with none of another thread's since that thread's last, and with some. */
	uint64_t alone, beside;
	/* What passes for each of faults that follow each other, of those that count. */
	struct running_median price;
};

static int allocations_begin(struct findings *findings, void *state)
{
	struct allocations *allocations = state;

	allocations->processes =
		calloc(findings->session->process_count + 1, sizeof(*allocations->processes));
	allocations->freeing =
		calloc(findings->session->stream_count + 1, sizeof(*allocations->freeing));
	if (!allocations->processes || !allocations->freeing)
		return -ENOMEM;
	for (uint32_t i = 0; i < findings->session->process_count; i++) {
		const struct trace_process *process = &findings->session->processes[i];

		if (!process->kernel && map_set(&allocations->process_of, process->pid, i))
			return -ENOMEM;
	}
	return 0;
}

static int row_find(struct allocations *allocations, const struct tandem_event *api, uint64_t bytes,
		    size_t *row)
{
	uint64_t class = (uint64_t)(63 - __builtin_clzll(bytes | 1));
	uint64_t key = class << 32 | api->id;
	uint64_t known = map_get(&allocations->row_of, key);

	*row = (size_t)known;
	if (known != MAP_NONE)
		return 0;
	*row = allocations->count;
	if (map_set(&allocations->row_of, key, *row) ||
	    array_reserve(&allocations->rows, &allocations->capacity, allocations->count + 1,
			  sizeof(*allocations->rows)))
		return -ENOMEM;
	allocations->rows[allocations->count++] = (struct allocation_row){.api = api};
	return 0;
}

static uint64_t call_ns(const struct finding_call *call)
{
	return call->end_ns > call->begin_ns ? (uint64_t)(call->end_ns - call->begin_ns) : 0;
}

static int count_new(struct findings *findings, struct allocations *allocations,
		     const struct event_item *item, uint64_t key)
{
	const struct trace_event *event = item->event;
	const struct tandem_rec_memory *record = (const void *)event->record;
	const struct finding_call *call = &findings->calls[event->stream->index];
	struct allocation_process *process;
	struct allocation_row *row;
	bool is_first;
	size_t index;

	/* What is described anew is no new one. */
	if (!call->api || call->api->class != TANDEM_CLASS_CREATE ||
	    map_get(&allocations->live, key) != MAP_NONE)
		return 0;
	if (row_find(allocations, call->api, record->bytes, &index))
		return -ENOMEM;
	row = &allocations->rows[index];
	if (!row->freed || row->live < row->kept)
		row->kept = row->live;
	row->parts = record->kind == TANDEM_MEMORY_KIND_sub_buffer;
	row->shared = record->kind == TANDEM_MEMORY_KIND_svm ||
		      record->kind == TANDEM_MEMORY_KIND_usm_shared ||
		      record->kind == TANDEM_MEMORY_KIND_managed;
	row->count++;
	row->bytes += record->bytes;
	row->ns += call_ns(call);
	is_first = ++row->live > row->most_live;
	if (map_set(&allocations->live, key, 2 * index + !is_first))
		return -ENOMEM;
	if (is_first) {
		row->most_live = row->live;
		row->first_ns += call_ns(call);
	}
	if (row->count == 2) {
		row->stream = event->stream->index;
		row->begin_ns = call->begin_ns;
		row->end_ns = call->end_ns;
	}
	if (is_first)
		return 0;
	process = &allocations->processes[event->stream->process->index];
	if (!row->parts) {
		process->live++;
		process->live_shared += row->shared;
		process->pages += record->bytes / PAGE_BYTES;
	}
	return graph_remove(findings->graph, item->call, GRAPH_ALLOCATION);
}

static void process_drop(struct allocation_process *process, uint64_t count, uint64_t shared)
{
	process->live_shared -= shared < process->live_shared ? shared : process->live_shared;
	process->live -= count < process->live ? count : process->live;
	if (!process->live)
		process->pages = 0;
}

static void process_free(struct allocation_process *process, bool shared)
{
	if (!process->in_flight) {
		process_drop(process, 1, shared);
		return;
	}
	process->left++;
	process->left_shared += shared;
	process->waited_ns = INT64_MAX;
}

/* What was freed before the latest wait is no longer there. */
static void process_settle(struct allocation_process *process, int64_t now_ns)
{
	if (!process->left || now_ns <= process->waited_ns)
		return;
	process_drop(process, process->left, process->left_shared);
	process->left = process->left_shared = 0;
}

/* Whether commands are in flight. */
static void process_call(struct allocation_process *process, const struct event_item *item)
{
	const struct trace_event *event = item->event;

	if (event->layout->event->class == TANDEM_CLASS_WAIT || trace_event_blocks(event)) {
		process->in_flight = false;
		if (process->left && process->waited_ns == INT64_MAX)
			process->waited_ns = item->end_ns;
	} else if (trace_event_op(event) && !trace_event_failed(event)) {
		process->in_flight = true;
	}
}

static int count_free(struct findings *findings, struct allocations *allocations,
		      const struct event_item *item, uint64_t key)
{
	const struct trace_event *event = item->event;
	const struct finding_call *call = &findings->calls[event->stream->index];
	uint64_t known = map_remove(&allocations->live, key), index = known / 2;
	struct allocation_process *process;
	struct allocation_row *row;

	if (known == MAP_NONE)
		return 0;
	row = &allocations->rows[index];
	row->live--;
	row->freed++;
	process = &allocations->processes[event->stream->process->index];
	if (known % 2 && !row->parts)
		process_free(process, row->shared);
	if (!call->api || call->api->class != TANDEM_CLASS_RELEASE) {
		allocations->freeing[event->stream->index] = (size_t)index + 1;
		return 0;
	}
	row->ns += call_ns(call);
	if (row->freed > row->most_live)
		return graph_remove(findings->graph, item->call, GRAPH_ALLOCATION);
	row->first_ns += call_ns(call);
	return 0;
}

/* A call that releases, of which the record was before it. */
static int count_call(struct findings *findings, struct allocations *allocations,
		      const struct event_item *item)
{
	size_t *freeing = &allocations->freeing[item->event->stream->index], index = *freeing;
	struct allocation_row *row;
	uint64_t ns;

	*freeing = 0;
	if (!index || item->end_ns < item->event->ns ||
	    item->event->layout->event->class != TANDEM_CLASS_RELEASE)
		return 0;
	row = &allocations->rows[index - 1];
	ns = (uint64_t)(item->end_ns - item->event->ns);
	row->ns += ns;
	if (row->freed > row->most_live)
		return graph_remove(findings->graph, item->call, GRAPH_ALLOCATION);
	row->first_ns += ns;
	return 0;
}

static int allocations_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct allocations *allocations = state;
	const struct trace_event *event = item->event;
	const struct tandem_rec_memory *record;
	uint64_t key;

	if (item->kind == ITEM_CALL) {
		process_call(&allocations->processes[event->stream->process->index], item);
		return count_call(findings, allocations, item);
	}
	if (item->kind != ITEM_MEMORY)
		return 0;
	/* Both records begin with the number. */
	record = (const void *)event->record;
	key = (uint64_t)event->stream->process->index << 32 | record->memory;
	if (event->record->id == TANDEM_EVENT_memory)
		return count_new(findings, allocations, item, key);
	return count_free(findings, allocations, item, key);
}

/* What a fault takes: as the recorder measured it on pages that caches hold, or what passes between
 * those of a thread that touches one page after another, which has their way into the caches in it. */
static double fault_ns(const struct findings *findings, const struct allocations *allocations)
{
	double measured = findings->session->run.page_fault_ns, seen, most;

	if (allocations->price.count < RUNNING_MEDIAN_LEAST)
		return measured;
	seen = (double)running_median_low(&allocations->price, LOW_PARTS);
	most = (allocations->beside > allocations->alone ? BESIDE_TIMES : 1) * measured +
	       CACHES_MOST_NS;
	return seen < measured ? measured : seen > most ? most : seen;
}

static int price_add(const struct findings *findings, struct allocations *allocations,
		     const struct trace_event *event)
{
	const struct tandem_kernel_page_faults *record = (const void *)event->record;
	uint64_t now = (uint64_t)(event->ns - findings->session->start_ns);
	uint64_t before = map_get(&allocations->faulted, record->local_tid);

	if (before != MAP_NONE && now > before && record->count)
		running_median_add(&allocations->price, (int64_t)((now - before) / record->count));
	if (before != MAP_NONE && allocations->latest_faulted != record->local_tid &&
	    allocations->latest_ns > before)
		allocations->beside++;
	else
		allocations->alone++;
	allocations->latest_faulted = record->local_tid;
	allocations->latest_ns = now;
	return map_set(&allocations->faulted, record->local_tid, now);
}

/* First touches while there is memory that was allocated again: by a thread in a call, by one of
 * the driver's, or, of memory that the host shares, by any. */
static int allocations_system(struct findings *findings, void *state,
			      const struct trace_event *event, bool inside)
{
	struct allocations *allocations = state;
	const struct tandem_kernel_page_faults *record = (const void *)event->record;
	uint64_t index = map_get(&allocations->process_of, record->pid);
	double took_ns = findings->session->run.page_fault_ns;
	const struct states_thread *thread;
	const struct wait_thread *waiter;
	struct allocation_process *process;
	uint32_t stream;

	if (!inside)
		return 0;
	process = index == MAP_NONE ? NULL : &allocations->processes[index];
	if (process)
		process_settle(process, event->ns);
	if (!process || !process->live || process->pages < record->count || !(took_ns > 0))
		return 0;
	if (price_add(findings, allocations, event))
		return -ENOMEM;
	took_ns = record->count * fault_ns(findings, allocations);
	allocations->faults_ns += took_ns;
	process->pages -= record->count;
	allocations->faults += record->count;
	thread = states_find(&findings->waits->states, record->local_tid);
	waiter = thread ? thread->user : NULL;
	stream = waiter && waiter->stream ? waiter->stream - 1 : TRACE_NONE;
	return graph_faults(findings->graph, (uint32_t)index, stream, event->ns - (int64_t)took_ns,
			    event->ns, process->live_shared > 0);
}

static int add_row(struct findings *findings, const struct allocations *allocations,
		   const struct allocation_row *row)
{
	uint64_t faults = row->parts ? 0 : allocations->faults;
	struct finding *finding = findings_add(findings, "allocations", "loop");
	char count[UNITS_BYTES], bytes[UNITS_BYTES], live[UNITS_BYTES], touched[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = row->ns - row->first_ns;
	finding->removes = GRAPH_ALLOCATION;
	finding->object = row->api->name;
	finding->what = findings_text(
		findings,
		row->parts ? "%s made parts of memory, of %s, %s times and at most %s of them were "
			     "in use at a time"
			   : "%s allocated %s %s times and at most %s of them were in use "
			     "at a time",
		row->api->name, units_bytes(bytes, (double)row->bytes / (double)row->count),
		units_count(count, row->count), units_count(live, row->most_live));
	if (faults)
		finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		faults ? findings_text(
				 findings,
				 "the calls' own time, and %s page faults while such memory was in "
				 "use, at %.0f ns (%.0f as measured on this machine)",
				 units_count(touched, faults),
				 allocations->faults_ns / (double)faults,
				 findings->session->run.page_fault_ns)
		: row->parts ? "the calls' own time"
			     : "the calls' own time; first uses of fresh memory cost more";
	finding->suggestion = row->parts ? "make each part once before the loop and use it again, "
					   "or give the kernel an offset"
					 : "allocate once before the loop and use it again";
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

static bool is_loop(const struct allocation_row *row)
{
	uint64_t again = row->count - row->kept;

	return row->freed >= LOOP_COUNT && again >= LOOP_COUNT &&
	       row->most_live - row->kept <= again / LOOP_LIVE_PART;
}

/* Growing sizes fall into several rows: the first stands for all of one function. */
static void row_merge(struct allocation_row *row, const struct allocation_row *other)
{
	row->bytes += other->bytes;
	row->count += other->count;
	row->ns += other->ns;
	row->first_ns += other->first_ns;
	if (other->most_live > row->most_live)
		row->most_live = other->most_live;
}

/* By another function, of the same loop: by its thread, and about as often. */
static bool is_beside(const struct allocation_row *row, const struct allocation_row *other)
{
	return other != row && is_loop(other) && !row->parts && !other->parts &&
	       other->stream == row->stream && other->count <= 2 * row->count &&
	       row->count <= 2 * other->count;
}

static void beside_join(struct findings *findings, struct finding *finding,
			const struct allocation_row *other)
{
	char count[UNITS_BYTES], bytes[UNITS_BYTES];

	finding->cost_ns += other->ns - other->first_ns;
	finding->what =
		findings_text(findings, "%s; %s %s %s times", finding->what, other->api->name,
			      units_bytes(bytes, (double)other->bytes / (double)other->count),
			      units_count(count, other->count));
}

static bool is_longest(const struct allocations *allocations, const struct allocation_row *row)
{
	for (size_t i = 0; i < allocations->count; i++) {
		if (is_beside(row, &allocations->rows[i]) && allocations->rows[i].ns > row->ns)
			return false;
	}
	return true;
}

/* The one that takes the longest stands for all of a loop. */
static int add_loop(struct findings *findings, const struct allocations *allocations,
		    const struct allocation_row *row)
{
	size_t count = findings->count;
	int status;

	for (size_t i = 0; i < allocations->count; i++) {
		const struct allocation_row *other = &allocations->rows[i];

		if (is_beside(row, other) && other->ns > row->ns && is_longest(allocations, other))
			return 0;
	}
	status = add_row(findings, allocations, row);
	if (status || !is_longest(allocations, row))
		return status;
	for (size_t i = 0; i < allocations->count; i++) {
		if (is_beside(row, &allocations->rows[i]))
			beside_join(findings, &findings->items[count], &allocations->rows[i]);
	}
	return 0;
}

static int allocations_end(struct findings *findings, void *state)
{
	struct allocations *allocations = state;
	int status = 0;

	for (size_t i = 0; i < allocations->count; i++) {
		struct allocation_row *row = &allocations->rows[i];

		for (size_t j = i + 1; is_loop(row) && j < allocations->count; j++) {
			struct allocation_row *other = &allocations->rows[j];

			if (!is_loop(other) || other->api != row->api)
				continue;
			row_merge(row, other);
			other->freed = 0;
		}
	}
	for (size_t i = 0; !status && i < allocations->count; i++) {
		if (is_loop(&allocations->rows[i]))
			status = add_loop(findings, allocations, &allocations->rows[i]);
	}
	return status;
}

static void allocations_release(struct findings *findings, void *state)
{
	struct allocations *allocations = state;

	(void)findings;
	free(allocations->rows);
	free(allocations->processes);
	free(allocations->freeing);
	map_free(&allocations->process_of);
	map_free(&allocations->row_of);
	map_free(&allocations->live);
	map_free(&allocations->faulted);
}

const struct finding_ops finding_allocations = {
	.name = "allocations",
	.words = "memory that is allocated and freed in a loop",
	.state_bytes = sizeof(struct allocations),
	.waits = true,
	.graph = true,
	.system = allocations_system,
	.systems = FINDING_SYSTEM(page_faults),
	.begin = allocations_begin,
	.item = allocations_item,
	.items = 1u << ITEM_CALL | 1u << ITEM_MEMORY,
	.end = allocations_end,
	.release = allocations_release,
};
