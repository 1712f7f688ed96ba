/* SPDX-License-Identifier: MIT */
#include "resits.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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

struct peer peer_start(const struct app *app, const char *name)
{
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		exit(1);

	int pid = fork();

	if (pid < 0)
		exit(1);
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		execl(app->self, app->self, name, app->word, (char *)NULL);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	return (struct peer){in[1], out[0], pid};
}

void peer_end(const struct peer *peer)
{
	int status;

	close(peer->in);
	if (waitpid(peer->pid, &status, 0) < 0 || status)
		exit(1);
	close(peer->out);
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, resit_##name, NULL},
		RESITS(X)
#undef X
			{"gateway", NULL, resit_gateway},
		{"tile_helper", resit_tile_helper, NULL},
		{"table_maker", resit_table_maker, NULL},
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
