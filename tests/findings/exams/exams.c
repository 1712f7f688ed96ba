/* SPDX-License-Identifier: MIT */
#include "exams.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

void launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
	    const size_t *global, const size_t *local)
{
	TRY(clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL,
				   NULL));
}

void put_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, data, 0, NULL, NULL));
}

void get_at(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, data, 0, NULL, NULL));
}

cl_command_queue loose_queue(const struct app *app)
{
	return queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

int process_start(const struct app *app, const char *name, const char *word, int in)
{
	char *const words[] = {(char *)app->self, (char *)name, (char *)word, NULL};
	posix_spawn_file_actions_t actions;
	pid_t process;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
	if (in >= 0)
		posix_spawn_file_actions_adddup2(&actions, in, 0);
	if (posix_spawn(&process, app->self, &actions, NULL, words, environ))
		must(-1, "posix_spawn");
	posix_spawn_file_actions_destroy(&actions);
	return process;
}

void process_end(int process)
{
	int status;

	if (waitpid(process, &status, 0) != process || status)
		must(-1, "waitpid");
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
		{"spawned_pin", exam_spawned_pin, spawned_pin_early},
#define X(name) {#name, exam_##name, NULL},
		EXAMS(X)
#undef X
			{"pin_half", exam_pin_half, NULL},
		{"probe", exam_probe, NULL},
		{"second_shift", exam_second_shift, NULL},
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
