/* SPDX-License-Identifier: MIT */
/* Objects that were made and never released, with where they were made, where they became more while
 * the program ran: what it has once, and leaves to the system at its end, is no leak. Of
 * programs that ended by themselves: one that was killed had no time to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_value.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/leaks/growth.h"
#include "analysis/findings/leaks/leaks.h"
#include "schema/gen/kernel_records.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

struct leak_object {			/* alive */
	const struct tandem_event *api; /* that made it */
	int64_t refs, ns;
	uint64_t call; /* of the process: which it was */
	uint64_t bytes;
	uint32_t stream, took_ns; /* of an address: its call */
	uint8_t type;		  /* enum tandem_object */
	bool address;		  /* memory without an object */
	uint32_t next_free;	  /* + 1 */
};

/* A process; its events that it took and gave back, where their number was recorded. */
struct leak_process {
	uint64_t calls, faults;
	uint64_t given, most;
	int64_t counted;		/* made, and retained, without those that were released */
	const struct tandem_event *api; /* that gave the most */
};

/* Fewer are no growth: of objects; of events, which have no time of their own; of addresses. */
#define OBJECTS_LEAST 4u
#define EVENTS_LEAST 8u
#define GROWS_LEAST 16u

/* Of objects this part was made in the second half of the process's calls. */
#define LATE_PART 4u

#define PAGE_BYTES 4096u
#define AGAIN_PART 20u

struct leaks {
	struct growth *addresses; /* of allocations without an object, by index of the process */
	struct map known;	  /* process, type and number -> object */
	struct leak_object *objects;
	size_t count, capacity;
	uint32_t free_list;		/* + 1 */
	struct map events;		/* operation_key() -> 1; that are held */
	struct leak_object event;	/* the first such that was seen */
	struct leak_process *processes; /* by index */
};

/* Numbers of objects are 32 bits, types 4, processes the rest. */
static uint64_t leak_key(uint32_t process, unsigned type, uint32_t number)
{
	return (uint64_t)process << 36 | (uint64_t)type << 32 | number;
}

static int leaks_begin(struct findings *findings, void *state)
{
	struct leaks *leaks = state;

	leaks->processes = calloc(findings->session->process_count + 1, sizeof(*leaks->processes));
	leaks->addresses = calloc(findings->session->process_count + 1, sizeof(*leaks->addresses));
	return leaks->processes && leaks->addresses ? 0 : -ENOMEM;
}

static int object_make(struct leaks *leaks, uint64_t key, const struct leak_object *made)
{
	uint32_t index = leaks->free_list - 1;

	if (leaks->free_list) {
		leaks->free_list = leaks->objects[index].next_free;
	} else {
		if (array_reserve(&leaks->objects, &leaks->capacity, leaks->count + 1,
				  sizeof(*leaks->objects)))
			return -ENOMEM;
		index = (uint32_t)leaks->count++;
	}
	leaks->objects[index] = *made;
	return map_set(&leaks->known, key, index);
}

static void object_count(struct leaks *leaks, uint64_t key, int64_t change)
{
	uint64_t index = map_get(&leaks->known, key);
	struct leak_object *object;

	if (index == MAP_NONE)
		return;
	object = &leaks->objects[index];
	object->refs += change;
	if (object->refs > 0)
		return;
	map_remove(&leaks->known, key);
	object->next_free = leaks->free_list;
	leaks->free_list = (uint32_t)index + 1;
}

static bool is_counted(const struct tandem_field *field)
{
	/* Events and devices are many, small, and not made by one call. */
	switch (field->object) {
	case TANDEM_OBJECT_memory:
	case TANDEM_OBJECT_context:
	case TANDEM_OBJECT_queue:
	case TANDEM_OBJECT_program:
	case TANDEM_OBJECT_kernel:
	case TANDEM_OBJECT_sampler:
	case TANDEM_OBJECT_command_buffer:
	case TANDEM_OBJECT_semaphore:
		return true;
	default:
		return false;
	}
}

/* Events are operations, which a program may hold without our knowing it: what it names in a
 * call is held, until it is released. */
static int hold_event(struct leaks *leaks, const struct trace_event *event, uint64_t op)
{
	uint64_t key = operation_key(event->stream->process->index, op);

	if (!op || map_get(&leaks->events, key) != MAP_NONE)
		return 0;
	if (!leaks->event.api)
		leaks->event = (struct leak_object){.api = event->layout->event,
						    .ns = event->ns,
						    .stream = event->stream->index};
	return map_set(&leaks->events, key, 1);
}

static void count_given(struct findings *findings, struct leaks *leaks,
			const struct trace_event *event)
{
	const struct tandem_rec_events_given *record = (const void *)event->record;
	struct leak_process *events = &leaks->processes[event->stream->process->index];

	events->given += record->count;
	if (record->count <= events->most)
		return;
	events->most = record->count;
	events->api = trace_session_event(findings->session, record->api);
}

/* What a call that made, retained or released an event changes of their number. */
static int held_by(const struct trace_event *event)
{
	const struct tandem_field *made = trace_field_role(event->layout, TANDEM_ROLE_returned);
	const struct tandem_field *one = trace_field_role(event->layout, TANDEM_ROLE_event);
	bool is_one = one && one->kind == TANDEM_FIELD_OP && !one->variable;

	switch (event->layout->event->class) {
	case TANDEM_CLASS_CREATE:
		return made && made->kind == TANDEM_FIELD_OP;
	case TANDEM_CLASS_RETAIN:
		return is_one;
	case TANDEM_CLASS_RELEASE:
		return -is_one;
	default:
		return 0;
	}
}

static int leaks_event(struct leaks *leaks, const struct trace_event *event)
{
	const struct tandem_field *one = trace_field_role(event->layout, TANDEM_ROLE_event);
	const struct tandem_field *list = trace_field_role(event->layout, TANDEM_ROLE_events);
	uint8_t class = event->layout->event->class;
	const uint8_t *elements;
	size_t count;

	if (one && one->kind == TANDEM_FIELD_OP && !one->variable) {
		uint64_t op = trace_field_unsigned(event, one);

		if (class == TANDEM_CLASS_RELEASE)
			map_remove(&leaks->events,
				   operation_key(event->stream->process->index, op));
		else if (class != TANDEM_CLASS_RETAIN && hold_event(leaks, event, op))
			return -ENOMEM;
	}
	if (!list || list->kind != TANDEM_FIELD_OP || !list->variable)
		return 0;
	elements = trace_field_elements(event, list, &count);
	for (size_t i = 0; i < count; i++) {
		if (hold_event(leaks, event,
			       trace_element_unsigned(list, elements + i * list->bytes)))
			return -ENOMEM;
	}
	return 0;
}

static int leaks_call(struct leaks *leaks, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_event *api = event->layout->event;
	uint32_t process = event->stream->process->index;
	const struct tandem_field *field;
	struct leak_object made = {.api = api,
				   .refs = 1,
				   .ns = event->ns,
				   .call = ++leaks->processes[process].calls,
				   .stream = event->stream->index};
	uint64_t key;

	growth_sample(&leaks->addresses[process]);
	if (trace_event_failed(event))
		return 0;
	leaks->processes[process].counted += held_by(event);
	if (leaks_event(leaks, event))
		return -ENOMEM;
	field = api->class == TANDEM_CLASS_CREATE
			? trace_field_role(event->layout, TANDEM_ROLE_returned)
			: trace_field_object(event->layout);
	if (!field || !is_counted(field))
		return 0;
	made.type = field->object;
	key = leak_key(process, field->object, (uint32_t)trace_field_unsigned(event, field));
	if (api->class == TANDEM_CLASS_CREATE)
		return (uint32_t)key && event->end_ticks ? object_make(leaks, key, &made) : 0;
	if (api->class == TANDEM_CLASS_RELEASE)
		object_count(leaks, key, -1);
	else if (api->class == TANDEM_CLASS_RETAIN)
		object_count(leaks, key, 1);
	return 0;
}

/* Memory that is no object but an address, which nobody retains or releases. */
static bool is_object(uint8_t kind)
{
	return kind == TANDEM_MEMORY_KIND_buffer || kind == TANDEM_MEMORY_KIND_image ||
	       kind == TANDEM_MEMORY_KIND_pipe || kind == TANDEM_MEMORY_KIND_sub_buffer;
}

static int leaks_memory(const struct findings *findings, struct leaks *leaks,
			const struct event_item *item)
{
	const struct trace_event *event = item->event;
	uint32_t process = event->stream->process->index;
	const struct tandem_rec_memory *record = (const void *)event->record;
	const struct finding_call *call = &findings->calls[event->stream->index];
	struct leak_object made = {
		.api = call->api,
		.refs = 1,
		.ns = event->ns,
		.stream = event->stream->index,
		.type = TANDEM_OBJECT_memory,
		.address = true,
	};
	uint64_t key = leak_key(process, TANDEM_OBJECT_memory, record->memory), known;

	if (event->record->id == TANDEM_EVENT_memory_free) {
		known = map_get(&leaks->known, key);
		if (known == MAP_NONE || !leaks->objects[known].address)
			return 0;
		leaks->addresses[process].now--;
		object_count(leaks, key, -1);
		return 0;
	}
	/* Objects are counted by their calls: the driver may hold one longer. */
	known = map_get(&leaks->known, key);
	if (known != MAP_NONE && record->kind != TANDEM_MEMORY_KIND_sub_buffer)
		leaks->objects[known].bytes = record->bytes;
	if (known != MAP_NONE || is_object(record->kind))
		return 0;
	made.bytes = record->bytes;
	if (call->end_ns > call->begin_ns && call->end_ns - call->begin_ns < UINT32_MAX)
		made.took_ns = (uint32_t)(call->end_ns - call->begin_ns);
	leaks->addresses[process].now++;
	return object_make(leaks, key, &made);
}

static int leaks_item(struct findings *findings, void *state, const struct event_item *item)
{
	if (item->kind == ITEM_OTHER && item->event->record->id == TANDEM_EVENT_events_given)
		count_given(findings, state, item->event);
	if (item->kind == ITEM_CALL)
		return leaks_call(state, item);
	if (item->kind == ITEM_MEMORY)
		return leaks_memory(findings, state, item);
	return 0;
}

/* What fresh memory costs at its first touch. */
static int leaks_system(struct findings *findings, void *state, const struct trace_event *event,
			bool inside)
{
	const struct tandem_kernel_page_faults *record = (const void *)event->record;
	struct leaks *leaks = state;

	for (size_t i = 0; inside && i < findings->session->process_count; i++) {
		const struct trace_process *process = &findings->session->processes[i];

		if (process->pid == record->pid && !process->kernel) {
			leaks->processes[i].faults += record->count;
			break;
		}
	}
	return 0;
}

struct leak_row { /* made by one function */
	const struct leak_object *first;
	uint64_t count, bytes;
	uint64_t late;		      /* made in the second half of the process's calls */
	uint64_t took_ns, longest_ns; /* of the calls */
};

static bool grows(const struct findings *findings, const struct leak_row *row)
{
	if (row->count <= leaks_lost_calls(findings))
		return false;
	if (row->first->address)
		return row->count >= GROWS_LEAST;
	return row->count >= OBJECTS_LEAST && LATE_PART * row->late >= row->count;
}

/* Memory that was used again would not be allocated, but for once, nor touched for the first time; less than
 * a twentieth of the run is not what a leak is about. */
static uint64_t again_ns(const struct findings *findings, const struct leaks *leaks,
			 const struct leak_row *row)
{
	uint32_t process = findings_stream(findings, row->first->stream)->process->index;
	uint64_t pages = row->bytes / PAGE_BYTES / row->count * (row->count - 1), ns;

	if (pages > leaks->processes[process].faults)
		pages = leaks->processes[process].faults;
	ns = (uint64_t)((double)pages * findings->session->run.page_fault_ns) + row->took_ns -
	     row->longest_ns;
	return ns >= findings->duration_ns / AGAIN_PART ? ns : 0;
}

static struct leak_row *row_find(struct leak_row *rows, size_t *count,
				 const struct leak_object *object)
{
	for (size_t i = 0; i < *count; i++) {
		if (rows[i].first->api == object->api && rows[i].first->type == object->type)
			return &rows[i];
	}
	rows[*count] = (struct leak_row){.first = object};
	return &rows[(*count)++];
}

bool leaks_are_seen(const struct findings *findings)
{
	const struct trace_run *run = &findings->session->run;

	return run->has_end && run->has_exit && !run->exit_signal;
}

uint64_t leaks_lost_calls(const struct findings *findings)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < TANDEM_LOSS_COUNT; i++)
		if (i != TANDEM_LOSS_operations && i != TANDEM_LOSS_kernel_buffer)
			lost += findings->session->lost[i];
	return lost;
}

static int add_row(struct findings *findings, const struct leaks *leaks, const struct leak_row *row)
{
	const char *maker = row->first->api ? row->first->api->name : "the program";
	const char *noun = event_object_noun(row->first->type);
	char count[UNITS_BYTES], bytes[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "leaks", noun);

	if (!finding)
		return -ENOMEM;
	units_count(count, row->count);
	finding->what =
		row->bytes ? findings_text(findings,
					   "%s %s object%s made by %s (%s) %s never "
					   "released",
					   count, noun, row->count == 1 ? "" : "s", maker,
					   units_bytes(bytes, (double)row->bytes),
					   row->count == 1 ? "was" : "were")
			   : findings_text(findings, "%s %s object%s made by %s %s never released",
					   count, noun, row->count == 1 ? "" : "s", maker,
					   row->count == 1 ? "was" : "were");
	finding->always_report = true;
	finding->cost_ns = again_ns(findings, leaks, row);
	finding->object = maker;
	finding->count = row->count;
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = finding->cost_ns
			       ? "no call that released it was recorded; the cost is that of "
				 "allocating fresh memory, whose pages are touched for the first "
				 "time"
			       : "no call that released it was recorded";
	finding->suggestion =
		findings_text(findings, "release each %s object when it is no longer needed", noun);
	finding_place(findings, finding, row->first->stream);
	finding_time(findings, finding, row->first->ns, row->first->ns);
	return 0;
}

/* Of a process whose events were all counted. */
static int add_given(struct findings *findings, const struct leak_process *events, uint64_t pid)
{
	int64_t left = (int64_t)events->given + events->counted;
	char count[UNITS_BYTES];
	struct finding *finding;

	if (left < (int64_t)EVENTS_LEAST || !events->given ||
	    (uint64_t)left <= leaks_lost_calls(findings))
		return 0;
	finding = findings_add(findings, "leaks", "event");
	if (!finding)
		return -ENOMEM;
	finding->always_report = true;
	finding->count = (uint64_t)left;
	finding->pid = pid;
	finding->object = events->api ? events->api->name : "";
	finding->what = findings_text(findings, "%s event%s, mainly of %s, %s never released",
				      units_count(count, finding->count), left == 1 ? "" : "s",
				      *finding->object ? finding->object : "enqueues",
				      left == 1 ? "was" : "were");
	finding->confidence = CONFIDENCE_HIGH;
	finding->why = "the program took so many more than it released, in all of the run";
	finding->suggestion = "release each event when it is needed no more, or pass NULL where "
			      "none is needed: it keeps its command and all that is part of it";
	return 0;
}

static int add_all_given(struct findings *findings, const struct leaks *leaks)
{
	const struct trace_session *session = findings->session;
	int status = 0;

	for (size_t i = 0; !status && i < session->process_count; i++)
		status = add_given(findings, &leaks->processes[i], session->processes[i].pid);
	return status;
}

static int add_events(struct findings *findings, const struct leaks *leaks)
{
	char count[UNITS_BYTES];
	struct finding *finding;

	for (size_t i = 0; i < findings->session->process_count; i++) {
		if (leaks->processes[i].given)
			return add_all_given(findings, leaks);
	}
	if (leaks->events.count < EVENTS_LEAST || leaks->events.count <= leaks_lost_calls(findings))
		return 0;
	finding = findings_add(findings, "leaks", "event");
	if (!finding)
		return -ENOMEM;
	finding->always_report = true;
	finding->count = leaks->events.count;
	finding->object = leaks->event.api->name;
	finding->what = findings_text(
		findings, "%s event%s that calls such as %s were given %s never released",
		units_count(count, finding->count), finding->count == 1 ? "" : "s", finding->object,
		finding->count == 1 ? "was" : "were");
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "no call that released it was recorded; events that no call named are not "
		       "counted";
	finding->suggestion = "release each event when it is needed no more: it keeps its command "
			      "and all that is part of it";
	finding_place(findings, finding, leaks->event.stream);
	finding_time(findings, finding, leaks->event.ns, leaks->event.ns);
	return 0;
}

static int leaks_end(struct findings *findings, void *state)
{
	struct leaks *leaks = state;
	struct leak_row *rows;
	size_t count = 0, at = 0;
	uint64_t key, index;
	int status = 0;

	if (!leaks_are_seen(findings))
		return 0;
	status = add_events(findings, leaks);
	if (status || !leaks->known.count)
		return status;
	rows = calloc(leaks->known.count, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	while (map_next(&leaks->known, &at, &key, &index)) {
		const struct leak_object *object = &leaks->objects[index];
		struct leak_row *row;

		if (!range_holds(&findings->range, object->ns) ||
		    (object->address &&
		     !growth_is_there(&leaks->addresses[findings_stream(findings, object->stream)
								->process->index])))
			continue;
		row = row_find(rows, &count, object);
		row->count++;
		row->bytes += object->bytes;
		row->took_ns += object->took_ns;
		if (object->took_ns > row->longest_ns)
			row->longest_ns = object->took_ns;
		row->late +=
			2 * object->call >=
			leaks->processes[findings_stream(findings, object->stream)->process->index]
				.calls;
		if (object->ns < row->first->ns)
			row->first = object;
	}
	for (size_t i = 0; !status && i < count; i++)
		if (grows(findings, &rows[i]))
			status = add_row(findings, leaks, &rows[i]);
	free(rows);
	return status;
}

static void leaks_release(struct findings *findings, void *state)
{
	struct leaks *leaks = state;

	(void)findings;
	map_free(&leaks->known);
	map_free(&leaks->events);
	free(leaks->objects);
	free(leaks->addresses);
	free(leaks->processes);
}

const struct finding_ops finding_leaks = {
	.name = "leaks",
	.words = "objects that were never released",
	.state_bytes = sizeof(struct leaks),
	.system = leaks_system,
	.systems = FINDING_SYSTEM(page_faults),
	.begin = leaks_begin,
	.item = leaks_item,
	.items = 1u << ITEM_CALL | 1u << ITEM_MEMORY | 1u << ITEM_OTHER,
	.whole = true, /* what was made in a part may be released after it */
	.end = leaks_end,
	.release = leaks_release,
};
