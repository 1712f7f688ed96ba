/* SPDX-License-Identifier: MIT */
/* Forks while another thread enables and disables callbacks: whatever that thread held at
 * the moment is free in the child, which uses the tracer, and goes on. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tandem/tracer.h"

#define FORKS 300 /* or as many as there are in SECONDS */
#define SECONDS 8
#define LIMIT_SECONDS 20

static struct tandem_tracer *tracer;
static uint32_t opencl, get_platforms;
static _Atomic bool done;
static _Atomic uint64_t changes, entries;

static void called(const struct tandem_tracer_call *call, void *arg)
{
	(void)arg;
	entries += call->phase == TANDEM_TRACER_ENTER;
}

static void *change(void *unused)
{
	while (!done) {
		tandem_tracer_callback_enable(tracer, opencl, get_platforms, called, NULL);
		tandem_tracer_callback_disable(tracer, opencl, get_platforms);
		changes++;
	}
	return unused;
}

static int child(void)
{
	cl_uint count;
	int failed;

	alarm(LIMIT_SECONDS);
	entries = 0;
	failed = !!tandem_tracer_callback_enable(tracer, opencl, get_platforms, called, NULL);
	clGetPlatformIDs(0, NULL, &count);
	failed |= (entries != 1) << 1;
	failed |= !!tandem_tracer_callback_disable(tracer, opencl, get_platforms) << 2;
	return failed;
}

int main(void)
{
	unsigned forks, hung = 0, failed = 0, how = 0;
	time_t end = time(NULL) + SECONDS;
	pthread_t thread;
	cl_uint count;
	uint32_t kind;

#ifdef __SANITIZE_THREAD__ /* whose own locks are held in a child of several threads */
	printf("ok 1 - forks # SKIP the thread sanitizer\nok 2 - # SKIP the same\n");
	return 0;
#endif
	opencl = (uint32_t)tandem_tracer_domain("opencl");
	tandem_tracer_op_code(opencl, "clGetPlatformIDs", &get_platforms, &kind);
	clGetPlatformIDs(0, NULL, &count);
	OK(!tandem_tracer_create(&tracer), "a tracer");
	pthread_create(&thread, NULL, change, NULL);
	for (forks = 0; forks < FORKS && !hung && time(NULL) < end; forks++) {
		pid_t pid = fork();
		int status = 0;

		if (!pid)
			_exit(child());
		waitpid(pid, &status, 0);
		hung += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
		failed += status != 0;
		how |= WEXITSTATUS(status);
	}
	done = true;
	pthread_join(thread, NULL);
	OK(!hung && !failed && forks > 10 && changes > forks / 10,
	   "%u children enable, are called and disable, beside %lu changes (%u hang, %u fail: %u)",
	   forks, (unsigned long)changes, hung, failed, how);
	return tap_end();
}
