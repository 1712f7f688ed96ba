/* SPDX-License-Identifier: MIT */
#include "analysis/findings/callbacks/host_functions.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/field.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer are no habit; shorter ones than this do what such a function is for: its way to a thread of
 * the driver's takes half of that. */
#define HABIT_COUNT 16u
#define HEAVY_NS 100000

/* One that does nothing delays what comes behind it by 120 to 190 us in the mean (H100): up to so much that is
 * told only where it makes a twentieth of the run. */
#define WAY_NS 200000u
#define WAY_PART 20u

/* From its end to the return of a wait for it. */
#define WAKE_NS 50000

/* Of a command: such a function is before it; or it is one, as OpenCL's native kernels are. */
enum { BEHIND = 1, IS_FUNCTION };

static struct host_function_queue *queue_find(struct host_functions *functions, uint32_t process,
					      uint32_t number)
{
	const struct host_function_queue fresh = {.process = process, .number = number};

	return keyed_row(&functions->queue_of, (uint64_t)process << 32 | number, &functions->queues,
			 &functions->capacity, &functions->count, &fresh, sizeof(fresh));
}

static int note_giver(struct host_functions *functions, uint32_t process,
		      const struct tandem_event *api)
{
	const struct host_function_process fresh = {.given = api};

	return keyed_row(&functions->process_of, process, &functions->processes,
			 &functions->process_capacity, &functions->process_count, &fresh,
			 sizeof(fresh))
		       ? 0
		       : -ENOMEM;
}

static const struct tandem_event *giver_of(const struct host_functions *functions, uint32_t process)
{
	uint64_t row = map_get(&functions->process_of, process);

	return row == MAP_NONE ? NULL : functions->processes[row].given;
}

static bool note_longest(struct host_function_queue *queue, int64_t from_ns, int64_t to_ns)
{
	if (to_ns - from_ns < HEAVY_NS)
		return false;
	if ((uint64_t)(to_ns - from_ns) <= queue->longest_ns)
		return true;
	queue->longest_ns = (uint64_t)(to_ns - from_ns);
	queue->from_ns = from_ns;
	queue->to_ns = to_ns;
	return true;
}

static void count_function(struct host_function_queue *queue, int64_t from_ns, int64_t to_ns)
{
	if (!note_longest(queue, from_ns, to_ns))
		return;
	queue->count++;
	queue->ns += (uint64_t)(to_ns - from_ns);
}

/* Now and then a thread that waits lacks a CPU as well; and it wakes up behind the function. */
static void count_wait(struct host_function_queue *queue, int64_t from_ns, int64_t to_ns)
{
	queue->waits++;
	if (to_ns - from_ns < WAKE_NS || !note_longest(queue, from_ns + WAKE_NS, to_ns))
		return;
	queue->long_waits++;
	queue->long_wait_ns += (uint64_t)(to_ns - from_ns - WAKE_NS);
}

/* With its waits, if most were long. */
static uint64_t queue_count(const struct host_function_queue *queue)
{
	return queue->count + (2 * queue->long_waits > queue->waits ? queue->long_waits : 0);
}

static uint64_t queue_ns(const struct host_function_queue *queue)
{
	return queue->ns + (2 * queue->long_waits > queue->waits ? queue->long_wait_ns : 0);
}

/* What a wait lasts beyond the end of the last command before the function. */
static int note_wait(struct host_functions *functions, struct host_function_queue *queue,
		     int64_t begin_ns, int64_t end_ns)
{
	uint64_t key = operation_key(queue->process, queue->op);

	if (!queue->api || !queue->op || end_ns < begin_ns)
		return 0;
	queue->api = NULL;
	if (queue->ended_op == queue->op) {
		count_wait(queue, begin_ns > queue->end_ns ? begin_ns : queue->end_ns, end_ns);
		return 0;
	}
	return map_set(&functions->wait_from, key, (uint64_t)begin_ns)
		       ?: map_set(&functions->wait_until, key, (uint64_t)end_ns);
}

/* A wait for all queues says so only of the one that there is. */
static int note_waits(struct host_functions *functions, uint32_t process, int64_t begin_ns,
		      int64_t end_ns)
{
	struct host_function_queue *only = NULL;

	for (size_t i = 0; i < functions->count; i++) {
		if (functions->queues[i].process != process)
			continue;
		if (only)
			return 0;
		only = &functions->queues[i];
	}
	return only ? note_wait(functions, only, begin_ns, end_ns) : 0;
}

static int note_function(struct host_functions *functions, struct host_function_queue *queue,
			 const struct trace_event *event, uint64_t op)
{
	queue->given = event->layout->event;
	queue->stream = event->stream->index;
	queue->api = op ? NULL : queue->given;
	if (!op)
		return 0;
	queue->op = op;
	return map_set(&functions->behind, operation_key(queue->process, op), IS_FUNCTION);
}

static int note_command(struct host_functions *functions, struct host_function_queue *queue,
			uint64_t op)
{
	bool behind = queue->api != NULL;

	queue->api = NULL;
	queue->op = op;
	return behind ? map_set(&functions->behind, operation_key(queue->process, op), BEHIND) : 0;
}

/* A graph may have such functions where its process gave one: they are between its commands and
 * those of the next. */
static int note_graph(struct host_functions *functions, struct host_function_queue *queue,
		      const struct trace_event *event, const struct tandem_event *given)
{
	int status;

	if (!queue->api && queue->in_graph)
		queue->api = given;
	status = note_command(functions, queue, trace_event_op(event));
	queue->in_graph = true;
	queue->api = given;
	if (!queue->given) {
		queue->given = given;
		queue->stream = event->stream->index;
	}
	return status;
}

static bool waits_for_queues(const struct tandem_event *api)
{
	return api->class == TANDEM_CLASS_WAIT &&
	       (api->traits.wait == TANDEM_WAIT_queue || api->traits.wait == TANDEM_WAIT_device ||
		api->traits.wait == TANDEM_WAIT_all);
}

int host_functions_call(struct host_functions *functions, const struct trace_event *event,
			int64_t end_ns)
{
	const struct tandem_event *api = event->layout->event;
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_queue);
	uint32_t process = event->stream->process->index;
	bool gives = api->traits.wait == TANDEM_WAIT_host;
	bool waits = functions->count && !gives && waits_for_queues(api);
	const struct tandem_event *given = api->traits.graph ? giver_of(functions, process) : NULL;
	struct host_function_queue *queue;
	uint64_t op = trace_event_op(event);

	/* Most programs have none. */
	if (trace_event_failed(event) || !(gives || waits || (op && (functions->count || given))))
		return 0;
	if (gives && note_giver(functions, process, api))
		return -ENOMEM;
	if (!field)
		return waits && api->traits.wait != TANDEM_WAIT_queue
			       ? note_waits(functions, process, event->ns, end_ns)
			       : 0;
	queue = queue_find(functions, process, (uint32_t)trace_field_unsigned(event, field));
	if (!queue)
		return -ENOMEM;
	if (gives)
		return note_function(functions, queue, event, op);
	if (waits)
		return note_wait(functions, queue, event->ns, end_ns);
	return given ? note_graph(functions, queue, event, given)
		     : note_command(functions, queue, op);
}

/* Behind it was a function, and then a wait for the queue. */
static void count_awaited(struct host_functions *functions, struct host_function_queue *queue,
			  const struct operation *operation)
{
	uint64_t key = operation_key(operation->process, operation->op), from, until;

	until = map_remove(&functions->wait_until, key);
	from = map_remove(&functions->wait_from, key);
	if (until == MAP_NONE || from == MAP_NONE)
		return;
	count_wait(queue,
		   (int64_t)from > operation->times.end_ns ? (int64_t)from
							   : operation->times.end_ns,
		   (int64_t)until);
}

static struct recent *engine_of(struct host_functions *functions, const struct operation *operation)
{
	const struct host_function_device fresh = {.busy = {{.count = 0}}};
	struct host_function_device *device = keyed_row(
		&functions->device_of, operation->device, &functions->devices,
		&functions->device_capacity, &functions->device_count, &fresh, sizeof(fresh));

	if (!device)
		return NULL;
	return &device->busy[operation->kind == TANDEM_OPERATION_KIND_copy_h2d ? FUNCTION_TO_DEVICE
			     : operation->kind == TANDEM_OPERATION_KIND_copy_d2h
				     ? FUNCTION_TO_HOST
				     : FUNCTION_COMPUTE];
}

int host_functions_operation(struct host_functions *functions, const struct operation *operation)
{
	struct host_function_queue *queue;
	struct recent *engine;
	int64_t before_ns;
	uint64_t what;

	if (!functions->count || !operation->placed)
		return 0;
	queue = queue_find(functions, operation->process, operation->queue_number);
	if (!queue)
		return -ENOMEM;
	engine = engine_of(functions, operation);
	if (!engine)
		return -ENOMEM;
	what = map_remove(&functions->behind, operation_key(operation->process, operation->op));
	before_ns = queue->end_ns;
	queue->end_ns = operation->times.end_ns;
	queue->ended_op = operation->op;
	queue->device = operation->device;
	count_awaited(functions, queue, operation);
	/* One that is a command has times of its own; of another one it is what is between the commands
	 * around it. */
	if (what == IS_FUNCTION)
		count_function(queue, operation->times.start_ns, operation->times.end_ns);
	else if (what == BEHIND && before_ns && operation->times.queued_ns <= before_ns)
		count_function(queue,
			       before_ns +
				       recent_within(engine, before_ns, operation->times.start_ns),
			       operation->times.start_ns);
	return recent_add(engine, operation->times.start_ns, operation->times.end_ns);
}

/* What they do remains to be done, by a thread besides. */
static uint64_t saved_ns(const struct findings *findings, const struct host_function_queue *queue)
{
	uint64_t ns = queue_ns(queue), run_ns = findings->duration_ns;

	return ns < run_ns && ns > run_ns - ns ? run_ns - ns : ns;
}

/* Of a process: queues run at the same time, so that no more is saved than by the one that waited
 * the longest. */
static int add_process(struct findings *findings, const struct host_function_queue *most,
		       uint64_t functions_count, uint64_t all_ns)
{
	char count[UNITS_BYTES], each[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "callbacks", "heavy");
	const char *queue = findings_domain(findings, most->device)->queue;

	if (!finding)
		return -ENOMEM;
	finding->count = functions_count;
	finding->cost_ns = saved_ns(findings, most);
	finding->queue = most->number;
	finding->object = most->given->name;
	finding_device(findings, finding, most->device);
	finding->what = findings_text(
		findings,
		"%s host functions in %ss (%s) delayed what came behind them by %s on average",
		units_count(count, functions_count), queue, most->given->name,
		units_ns(each, (double)all_ns / (double)functions_count));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = findings_text(
		findings,
		"the time between two commands of a %s, both enqueued by then, with a "
		"host function between them, or from a command's end to that of a wait for the "
		"function behind it; the cost is that of the %s that waited the "
		"longest",
		queue, queue);
	finding->suggestion =
		"only signal in the host function (a flag, a condition variable), and do "
		"the work in a thread of the program's own";
	finding_place(findings, finding, most->stream);
	finding_time(findings, finding, most->from_ns, most->to_ns);
	return 0;
}

int host_functions_add(const struct host_functions *functions, struct findings *findings)
{
	int status = 0;

	for (uint32_t i = 0; !status && functions->count && i < findings->session->process_count;
	     i++) {
		const struct host_function_queue *most = NULL;
		uint64_t count = 0, ns = 0;

		for (size_t j = 0; j < functions->count; j++) {
			const struct host_function_queue *queue = &functions->queues[j];

			if (queue->process != i || !queue->given)
				continue;
			count += queue_count(queue);
			ns += queue_ns(queue);
			if (!most || queue_ns(queue) > queue_ns(most))
				most = queue;
		}
		if (count >= HABIT_COUNT &&
		    (ns >= count * WAY_NS || queue_ns(most) * WAY_PART >= findings->duration_ns))
			status = add_process(findings, most, count, ns);
	}
	return status;
}

void host_functions_free(struct host_functions *functions)
{
	for (size_t i = 0; i < functions->device_count; i++) {
		for (unsigned j = 0; j < FUNCTION_ENGINES; j++)
			recent_free(&functions->devices[i].busy[j]);
	}
	free(functions->devices);
	map_free(&functions->device_of);
	map_free(&functions->process_of);
	free(functions->processes);
	map_free(&functions->queue_of);
	free(functions->queues);
	map_free(&functions->behind);
	map_free(&functions->wait_from);
	map_free(&functions->wait_until);
}
