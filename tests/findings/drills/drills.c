/* SPDX-License-Identifier: MIT */
#include "drills.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

cl_command_queue loose_queue(const struct app *app)
{
	return queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

cl_mem filled(const struct app *app, size_t bytes, unsigned seed)
{
	float *data = floats(bytes / sizeof(*data), seed);
	cl_mem buffer = buffer_new(app, bytes);

	put_now(app->queue, buffer, bytes, data);
	free(data);
	return buffer;
}

void put_piece(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, NULL));
}

void get_piece(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, NULL));
}

cl_event user_event(const struct app *app)
{
	cl_int status;
	cl_event event = clCreateUserEvent(app->context, &status);

	must(status, "clCreateUserEvent");
	return event;
}

pid_t self_start(const struct app *app, const char *name, int *in, int *out)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1};

	if ((in && pipe2(to, O_CLOEXEC)) || (out && pipe2(from, O_CLOEXEC)))
		must(-1, "pipe2");

	pid_t process = fork();

	if (process < 0)
		must(-1, "fork");
	if (!process) {
		int nothing = open("/dev/null", O_WRONLY);

		if (in)
			dup2(to[0], 0);
		dup2(out ? from[1] : nothing, 1);
		execl(app->self, app->self, name, app->word, (char *)NULL);
		_exit(127);
	}
	if (in) {
		close(to[0]);
		*in = to[1];
	}
	if (out) {
		close(from[1]);
		*out = from[0];
	}
	return process;
}

void self_end(pid_t process)
{
	int status;

	if (waitpid(process, &status, 0) != process || status)
		must(-1, "waitpid");
}

void read_all(int file, void *data, size_t bytes)
{
	for (char *at = data; bytes;) {
		ssize_t done = read(file, at, bytes);

		if (done <= 0)
			must(-1, "read");
		at += done;
		bytes -= (size_t)done;
	}
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, drill_##name, NULL},
		DRILLS(X)
#undef X
			{"mesh_source", drill_mesh_source, NULL},
		{"replica", drill_replica, NULL},
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
