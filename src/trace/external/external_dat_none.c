/* SPDX-License-Identifier: MIT */
/* trace-cmd's files in a build without libtraceevent. */
#include <errno.h>

#include "trace/external/external_trace.h"

int external_dat_read(const char *path, const struct external_sink *sink, struct error *error)
{
	(void)sink;
	error_set_hint(error, "install libtraceevent-dev and build tandem again");
	return error_add(error, -ENOTSUP, "%s: this tandem reads no files of trace-cmd", path);
}
