/* SPDX-License-Identifier: MIT */
/* A signal after each instruction of a HIP call whose operation has the call's id, which its record
 * does not: what the handler marks has an id of its own, and both tools get the same.
 *
 *   hip-steps [EACH]      every instruction, or one of EACH */
#include <string.h>

#include "check.h"
#include "step.h"
#include "stubs/hip/hip.h"
#include "tandem/tracer.h"

#define ALL TANDEM_TRACER_ALL
#define MOST 60000u

static void *event;
static uint32_t record_event;
static uint64_t calls[2][MOST], marks[MOST], barriers[MOST];
static unsigned call_count[2], mark_count, barrier_count;

static void called(const struct tandem_tracer_call *call, void *arg)
{
	unsigned tool = (unsigned)(uintptr_t)arg;

	if (call->op == record_event && call->phase == TANDEM_TRACER_ENTER)
		calls[tool][call_count[tool]++ % MOST] = call->correlation_id;
}

static void marked(const struct tandem_tracer_call *call, void *arg)
{
	(void)arg;
	marks[mark_count++ % MOST] = call->correlation_id;
}

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	for (; begin < end; begin++)
		if (begin->op == TANDEM_TRACER_BARRIER)
			barriers[barrier_count++ % MOST] = begin->correlation_id;
}

static void record(void)
{
	hipEventRecord(event, NULL);
}

static void mark(void)
{
	tandem_tracer_mark("in a handler");
}

static bool is_among(const uint64_t *ids, unsigned count, uint64_t id)
{
	for (unsigned i = 0; i < count && i < MOST; i++)
		if (ids[i] == id)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered};
	uint32_t hip = (uint32_t)tandem_tracer_domain("hip");
	uint32_t annotation = (uint32_t)tandem_tracer_domain("annotation");
	unsigned stride = argc > 1 ? (unsigned)atoi(argv[1]) : 1, instruction = 1, stolen = 0,
		 lost = 0;
	struct tandem_tracer *tracer[2];
	tandem_tracer_pool_t pool;

#if !defined(__x86_64__)
	puts("ok 1 # SKIP single steps are of x86-64 here");
	return 0;
#endif
	steps_begin();
	tandem_tracer_op_code(hip, "hipEventRecord", &record_event, NULL);
	OK(!tandem_tracer_create(&tracer[0]) && !tandem_tracer_create(&tracer[1]) &&
		   !tandem_tracer_pool_open(&properties, &pool),
	   "two tools");
	for (uintptr_t i = 0; i < 2; i++)
		OK(!tandem_tracer_callback_enable(tracer[i], hip, ALL, called, (void *)i), "calls");
	OK(!tandem_tracer_callback_enable(tracer[0], annotation, ALL, marked, NULL) &&
		   !tandem_tracer_activity_enable(tracer[0], hip, TANDEM_TRACER_OPERATION, ALL,
						  pool),
	   "marks and operations");
	hipEventCreate(&event);
	record();
	while (instruction < MOST && run_to(instruction, record, mark))
		instruction += stride;
	hipDeviceSynchronize();
	OK(!tandem_tracer_pool_close(pool), "closed");
	OK(instruction > 300 && instruction < MOST && mark_count, "%u instructions, %u marks",
	   instruction, mark_count);
	for (unsigned i = 0; i < mark_count; i++)
		stolen += is_among(calls[0], call_count[0], marks[i]) ||
			  is_among(barriers, barrier_count, marks[i]);
	for (unsigned i = 0; i < barrier_count; i++)
		lost += !is_among(calls[0], call_count[0], barriers[i]);
	OK(!stolen, "no mark has a call's id, or an operation's (%u have)", stolen);
	OK(barrier_count >= mark_count && !lost, "%u operations have their calls' (%u do not)",
	   barrier_count, lost);
	OK(call_count[0] == call_count[1] && !memcmp(calls[0], calls[1], sizeof(calls[0])),
	   "both tools have the same");
	OK(!tandem_tracer_destroy(tracer[0]) && !tandem_tracer_destroy(tracer[1]), "destroyed");
	return tap_end();
}
