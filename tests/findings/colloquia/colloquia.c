/* SPDX-License-Identifier: MIT */
#include "colloquia.h"

#include <stdlib.h>
#include <string.h>

cl_command_queue loose_queue(const struct app *app)
{
	return queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* Of a block that is repeated, so that it takes the host next to no time. */
cl_mem filled(const struct app *app, size_t bytes, unsigned seed)
{
	size_t block = bytes < 16 * KIB ? bytes : 16 * KIB;
	float *part = floats(block / sizeof(*part), seed);
	char *data = memory(bytes);
	cl_mem buffer = buffer_new(app, bytes);

	for (size_t at = 0; at < bytes; at += block)
		memcpy(data + at, part, at + block < bytes ? block : bytes - at);
	put_now(app->queue, buffer, bytes, data);
	free(data);
	free(part);
	return buffer;
}

void write_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data,
	      cl_event *event)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, event));
}

void read_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data,
	     cl_event *event)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, event));
}

void read_now(cl_command_queue queue, cl_mem buffer, size_t bytes, void *data)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
}

int main(int argc, char **argv)
{
	static struct app_entry entries[] = {
#define X(name) {#name, colloquium_##name, NULL},
		COLLOQUIA(X)
#undef X
	};
	size_t count = sizeof(entries) / sizeof(*entries);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(entries[i].name, "tape_deck"))
			entries[i].early = early_tape_deck;
	}
	return apps_main(argc, argv, entries, count);
}
