/* format.h in a build without libtraceevent. */
#include <errno.h>

#include "linux/format.h"
#include "schema/gen/kernel_records.h"

bool kernel_formats_supported(void)
{
	return false;
}

int kernel_formats_read(struct kernel_formats *formats, int events,
			enum kernel_tracepoint tracepoint)
{
	(void)formats, (void)events, (void)tracepoint;
	return -ENOTSUP;
}

uint8_t kernel_formats_state(const struct kernel_formats *formats, uint64_t prev_state)
{
	(void)formats, (void)prev_state;
	return TANDEM_TASK_STATE_unknown;
}
