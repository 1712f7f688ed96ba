/* SPDX-License-Identifier: MIT */
#include "panels.h"

#include <stdlib.h>

cl_mem filled(const struct app *app, size_t bytes, unsigned seed)
{
	cl_mem buffer = buffer_new(app, bytes);
	float *data = floats(bytes / sizeof(*data), seed);

	put_now(app->queue, buffer, bytes, data);
	free(data);
	return buffer;
}

void put_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, NULL));
}

void get_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, data, 0, NULL, NULL));
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, panel_##name, NULL},
		PANELS(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
