/* SPDX-License-Identifier: MIT */
/* Ranges and marks of the tool's, or of the program by the tool's interface. */
#include <errno.h>
#include <stdatomic.h>

#include "core/annotate.h"
#include "schema/gen/annotation_records.h"
#include "tandem/tracer.h"
#include "tracer/error.h"
#include "tracer/thread.h"

#define SOURCE TANDEM_ANNOTATION_INTERFACE_tracer

static _Atomic uint64_t last_range;

int tandem_tracer_mark(const char *text)
{
	if (!text)
		return error_set(-EINVAL, "a mark without a text");
	tandem_annotation_begin(SOURCE, TANDEM_ANNOTATION_KIND_marker, 0, text);
	return 0;
}

int tandem_tracer_range_push(const char *text)
{
	struct tracer_thread *thread = tracer_thread();

	if (!text)
		return error_set(-EINVAL, "a range without a text");
	if (!thread)
		return -ENOMEM;
	tandem_annotation_begin(SOURCE, TANDEM_ANNOTATION_KIND_nested, 0, text);
	return (int)thread->range_level++;
}

int tandem_tracer_range_pop(void)
{
	struct tracer_thread *thread = tracer_thread();

	if (!thread || !thread->range_level)
		return error_set(-ENOENT, "no range is open in this thread");
	tandem_annotation_end(SOURCE, 0);
	return (int)--thread->range_level;
}

int tandem_tracer_range_start(const char *text, uint64_t *range)
{
	if (!text || !range)
		return error_set(-EINVAL, "a range without a text, or no place for its number");
	*range = atomic_fetch_add(&last_range, 1) + 1;
	tandem_annotation_begin(SOURCE, TANDEM_ANNOTATION_KIND_start_end, *range, text);
	return 0;
}

int tandem_tracer_range_stop(uint64_t range)
{
	if (!range || range > atomic_load(&last_range))
		return error_set(-EINVAL, "no range has that number");
	tandem_annotation_end(SOURCE, range);
	return 0;
}
