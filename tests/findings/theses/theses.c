/* SPDX-License-Identifier: MIT */
#include "theses.h"

#include <stdlib.h>

void put_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, NULL));
}

void get_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, data, 0, NULL, NULL));
}

cl_mem blank(const struct app *app, size_t bytes)
{
	cl_mem buffer = buffer_new(app, bytes);
	cl_float zero = 0;

	TRY(clEnqueueFillBuffer(app->queue, buffer, &zero, sizeof(zero), 0, bytes, 0, NULL, NULL));
	return buffer;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, thesis_##name, NULL},
		THESES(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
