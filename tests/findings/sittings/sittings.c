/* SPDX-License-Identifier: MIT */
#include "sittings.h"

#include <stdlib.h>

cl_mem seeded(const struct app *app, size_t bytes, unsigned seed)
{
	float *data = floats(bytes / sizeof(*data), seed);
	cl_mem buffer = buffer_new(app, bytes);

	put_now(app->queue, buffer, bytes, data);
	free(data);
	return buffer;
}

void put_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, NULL));
}

void get_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, NULL));
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, sitting_##name, NULL},
		SITTINGS(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
