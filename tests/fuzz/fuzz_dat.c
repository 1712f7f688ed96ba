/* SPDX-License-Identifier: MIT */
/* Fuzz target of the reader of trace-cmd's files: any bytes as a trace.dat. */
#include <string.h>

#include "look.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct error error = ERROR_INIT;
	char path[256];

	scratch_put("trace.dat", data, bytes);
	strcpy(stpcpy(path, scratch()), "/trace.dat");
	external_dat_read(path, &look_sink, &error);
	return 0;
}
