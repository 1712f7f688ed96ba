/* SPDX-License-Identifier: MIT */
#include "finals.h"

cl_mem loaded(const struct app *app, size_t bytes, const void *data)
{
	cl_mem buffer = buffer_new(app, bytes);

	put_now(app->queue, buffer, bytes, data);
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

void forget(cl_event event)
{
	DROP(event);
}

cl_command_queue unordered_queue(const struct app *app)
{
	return queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

uint32_t checksum(const void *data, size_t bytes)
{
	const unsigned char *byte = data;
	uint32_t sum = 2166136261u;

	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ byte[i]) * 16777619u;
	return sum;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, final_##name, NULL},
		FINALS(X)
#undef X
			{"standby", final_standby, NULL},
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
