/* SPDX-License-Identifier: MIT */
/* foreign-count TRACE [MODULE]: how many events of each kind the readers of other
 * tools' traces hand out, whether they come in order of time on each CPU, from where
 * the trace is, and what GPU engines did in it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/engines.h"
#include "schema/gen/kernel_records.h"
#include "trace/external/external_trace.h"

enum { KINDS = EXTERNAL_LOST + 1, CPUS = 256 };

static const char *const words[KINDS] = {
	"switch", "waking", "wakeup", "wakeup_new", "migrate", "fork",
	"exit",	  "task",   "entry",  "leave",	    "driver",  "lost",
};

static uint64_t counts[KINDS], backwards, last[CPUS], names, states[16];

/* Events of drivers, to be put into their order over all CPUs. */
struct driver_event {
	uint64_t ns; /* bytes 0: a CPU's stream begins */
	uint32_t tid, format, bytes;
	uint8_t data[256];
};
static struct driver_event *drivers;
static size_t driver_count;
static struct tracepoints *tracepoints;

static struct driver_event *keep(uint64_t ns)
{
	drivers = realloc(drivers, (driver_count + 1) * sizeof(*drivers));
	if (!drivers)
		abort();
	drivers[driver_count] = (struct driver_event){.ns = ns};
	return &drivers[driver_count++];
}

static void keep_driver(const struct external_event *event)
{
	struct driver_event *kept = keep(event->ns);

	kept->tid = event->tid;
	kept->format = event->format->id;
	kept->bytes = event->bytes < sizeof(kept->data) ? event->bytes : sizeof(kept->data);
	memcpy(kept->data, event->data, kept->bytes);
	tracepoints_describe(tracepoints, event->format->id, event->format->system,
			     event->format->name, event->format->text, strlen(event->format->text));
}

static int driver_compare(const void *a, const void *b)
{
	const struct driver_event *left = a, *right = b;

	return left->ns < right->ns ? -1 : left->ns > right->ns;
}

static void print_engines(void)
{
	struct engines engines;

	if (!counts[EXTERNAL_DRIVER])
		return;
	qsort(drivers, driver_count, sizeof(*drivers), driver_compare);
	engines_init(&engines, (int64_t)drivers[0].ns, NULL, NULL, NULL);
	for (size_t i = 0; i < driver_count; i++) {
		const struct tracepoint *kind = tracepoints_find(tracepoints, drivers[i].format);
		struct tracepoint_data data = {drivers[i].data, drivers[i].bytes};

		if (!drivers[i].bytes)
			engines_lost(&engines, (int64_t)drivers[i].ns);
		else if (kind)
			engines_event(&engines, (int64_t)drivers[i].ns, drivers[i].tid, kind,
				      &data);
	}
	engines_finish(&engines, (int64_t)drivers[driver_count - 1].ns);
	for (size_t i = 0; i < engines.count; i++) {
		const struct engine *engine = &engines.engines[i];

		printf("engine.%s=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", engine->name,
		       engine->jobs, engine->busy_ns, engine->host_most, engine->device_most);
	}
	engines_free(&engines);
}

static int on_begin(void *user, const struct external_description *description)
{
	(void)user;
	printf("tool=%s host=%s release=%s boot=%s clock=%s\n", description->tool,
	       description->host, description->release, description->boot_id, description->clock);
	return 0;
}

static int on_event(void *user, const struct external_event *event)
{
	(void)user;
	counts[event->kind]++;
	if (event->cpu < CPUS) {
		if (!last[event->cpu])
			keep(event->ns);
		backwards += event->ns < last[event->cpu];
		last[event->cpu] = event->ns;
	}
	names += event->kind == EXTERNAL_SWITCH && event->name && event->other_name &&
		 *event->name && *event->other_name;
	if (event->kind == EXTERNAL_DRIVER)
		keep_driver(event);
	if (event->kind == EXTERNAL_SWITCH)
		states[event->state & 15]++;
	return 0;
}

int main(int argc, char **argv)
{
	const struct external_sink sink = {.begin = on_begin, .event = on_event};
	struct error error = ERROR_INIT;
	int status;

	if (argc < 2)
		return 2;
	tracepoints = tracepoints_create();
	status = external_read(argv[1], argc > 2 ? argv[2] : NULL, &sink, &error);
	for (unsigned i = 0; i < error.count; i++)
		fprintf(stderr, "%s\n", error.causes[i]);
	for (int i = 0; i < KINDS; i++)
		printf("%s=%" PRIu64 " ", words[i], counts[i]);
	printf("backwards=%" PRIu64 " names=%" PRIu64 "\n", backwards, names);
	printf("runnable=%" PRIu64 " preempted=%" PRIu64 " sleeping=%" PRIu64 " dead=%" PRIu64 "\n",
	       states[TANDEM_TASK_STATE_runnable], states[TANDEM_TASK_STATE_preempted],
	       states[TANDEM_TASK_STATE_sleeping], states[TANDEM_TASK_STATE_dead]);
	print_engines();
	tracepoints_destroy(tracepoints);
	free(drivers);
	return status ? 1 : 0;
}
