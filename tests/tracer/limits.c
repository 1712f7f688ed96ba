/* SPDX-License-Identifier: MIT */
/* What the tracer's pools do where the system gives no thread, and where a callback does not return
 * when the program exits. In children, each with a limit of its own. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tandem/tracer.h"

#define STATUS 7
#define HANGS_SECONDS 60

/* How the child ended: its status, or -1. */
static int in_child(void (*what)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(HANGS_SECONDS);
		what();
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char space[64 * 1024];

static void allocate(char **ptr, size_t bytes, void *arg)
{
	(void)arg;
	*ptr = *ptr || bytes > sizeof(space) ? NULL : space;
}

static void unused_delivery(const struct tandem_tracer_record *begin,
			    const struct tandem_tracer_record *end, void *arg)
{
	(void)begin, (void)end, (void)arg;
}

/* No memory for a thread's stack; then there is, and the same pool opens. */
static void no_thread(void)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .buffer_bytes = 1,
							   .deliver = unused_delivery,
							   .allocate = allocate};
	struct rlimit before, none;
	tandem_tracer_pool_t pool = 1;
	int error;

	tandem_tracer_error(); /* what the thread itself needs */
	getrlimit(RLIMIT_AS, &before);
	none = before;
	none.rlim_cur = 4096;
	setrlimit(RLIMIT_AS, &none);
	error = tandem_tracer_pool_open(&properties, &pool);
	setrlimit(RLIMIT_AS, &before);
	if (error != -EAGAIN || pool != 1 || strcmp(tandem_tracer_error(), "no thread for a pool"))
		_exit(1);
	if (tandem_tracer_pool_open(&properties, &pool) || tandem_tracer_pool_close(pool))
		_exit(2);
	_exit(STATUS);
}

static _Atomic bool delivering;

static void never_returns(const struct tandem_tracer_record *begin,
			  const struct tandem_tracer_record *end, void *arg)
{
	(void)begin, (void)end, (void)arg;
	delivering = true;
	for (;;)
		pause();
}

/* The program ends, with its own status, though the pool's callback never does. */
static void exits(void)
{
	struct tandem_tracer_pool_properties properties = {
		.struct_size = sizeof(properties), .buffer_bytes = 1, .deliver = never_returns};
	struct tandem_tracer *tracer;
	tandem_tracer_pool_t pool;
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
	if (tandem_tracer_create(&tracer) || tandem_tracer_pool_open(&properties, &pool) ||
	    tandem_tracer_activity_enable(tracer, (uint32_t)tandem_tracer_domain("opencl"), 0,
					  TANDEM_TRACER_ALL, pool))
		_exit(1);
	for (int i = 0; i < 100; i++)
		clGetPlatformIDs(0, NULL, &count);
	WAIT_FOR(delivering);
	if (!delivering)
		_exit(2);
	exit(STATUS);
}

static struct tandem_tracer *ending;
static tandem_tracer_pool_t ended_pool;
static _Atomic unsigned at_exit;

static void counts(const struct tandem_tracer_record *begin, const struct tandem_tracer_record *end,
		   void *arg)
{
	(void)arg;
	at_exit += (unsigned)(end - begin);
}

/* An exit handler of before: it is called after the library's own. */
static void after_the_end(void)
{
	unsigned before = at_exit;
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
	if (before != 3 || tandem_tracer_pool_flush(ended_pool) ||
	    tandem_tracer_pool_close(ended_pool) || tandem_tracer_pool_close(ended_pool) ||
	    at_exit != 3)
		_exit(3);
	_exit(STATUS);
}

/* What is recorded is delivered when the program ends, and nothing afterwards. */
static void delivers_at_exit(void)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .deliver = counts};
	cl_uint count;

	atexit(after_the_end);
	clGetPlatformIDs(0, NULL, &count);
	if (tandem_tracer_create(&ending) || tandem_tracer_pool_open(&properties, &ended_pool) ||
	    tandem_tracer_activity_enable(ending, (uint32_t)tandem_tracer_domain("opencl"), 0,
					  TANDEM_TRACER_ALL, ended_pool))
		_exit(1);
	for (int i = 0; i < 3; i++)
		clGetPlatformIDs(0, NULL, &count);
	exit(0);
}

int main(void)
{
	int status;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	puts("ok 1 # SKIP a sanitizer needs memory, too");
	return 0;
#endif
	status = in_child(no_thread);
	OK(status == STATUS, "no thread: -EAGAIN, and nothing has changed (%d)", status);
	status = in_child(exits);
	OK(status == STATUS,
	   "a callback that never returns does not keep a program from ending (%d)", status);
	status = in_child(delivers_at_exit);
	OK(status == STATUS,
	   "a pool is closed at the exit; closing or flushing it then is no error (%d)", status);
	return tap_end();
}
