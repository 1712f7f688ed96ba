/* SPDX-License-Identifier: MIT */
/* format.h in a build without libtraceevent. */
#include <errno.h>

#include "linux/tracepoint/format.h"
#include "schema/gen/kernel_records.h"

bool linux_formats_supported(void)
{
	return false;
}

int linux_formats_read(struct linux_formats *formats, int events, enum linux_tracepoint tracepoint)
{
	(void)formats, (void)events, (void)tracepoint;
	return -ENOTSUP;
}

uint8_t linux_formats_state(const struct linux_formats *formats, uint64_t prev_state)
{
	(void)formats, (void)prev_state;
	return TANDEM_TASK_STATE_unknown;
}
