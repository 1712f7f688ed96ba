/* SPDX-License-Identifier: MIT */
/* Programs that make processes.
 *
 *   processes fork     fork before OpenCL is used; both sides use it
 *   processes after    fork after it was used; the child calls what needs no
 *                      state of the driver, and ends by _exit
 *   processes exec     fork, and the child runs this program anew
 *   processes replace  exec without fork, in the middle
 *   processes vfork    vfork and exec
 *   processes raw [N]  N (2, up to 4) ways to fork without the handlers of pthread_atfork()
 *   processes many N   N children, of which twenty live at a time; five calls each
 *   processes storm    forks while other threads are calling
 *   processes cut      exec while other threads are calling
 *   processes daemon   detaches as a daemon does; writes FILE when it is done
 *   processes nest     a child, its child and so on, four deep
 */
#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 100 };

static void work(void)
{
	struct world world;

	world_create(&world, 0, 0);

	cl_mem numbers = numbers_create(&world, COUNT);

	numbers_add(&world, numbers, COUNT, 5, NULL);
	numbers_check(&world, numbers, COUNT, 5);
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
}

static void light_work(void)
{
	cl_uint count;

	for (int i = 0; i < 10; i++)
		CL(clGetPlatformIDs(0, NULL, &count));
}

static void child_wait(pid_t child)
{
	int status;

	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void run_anew(char *program)
{
	char *const arguments[] = {program, "work", NULL};

	execv("/proc/self/exe", arguments);
	_exit(126);
}

static _Atomic bool endless;

static void *caller_main(void *unused)
{
	cl_uint count;

	(void)unused;
	for (int i = 0; i < 20000 || endless; i++)
		CL(clGetPlatformIDs(0, NULL, &count));
	return NULL;
}

/* Runs `during` while THREADS others are calling; each makes 20,000 calls. */
static void among_threads(void (*during)(void))
{
	enum { THREADS = 3 };
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, caller_main, NULL));
	during();
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

static void storm(void)
{
	for (int i = 0; i < 30; i++) {
		pid_t child = fork();

		if (!child) {
			light_work();
			_exit(0);
		}
		light_work();
		child_wait(child);
	}
}

static void many(int children)
{
	cl_uint count;

	for (int i = 0; i < children; i++) {
		pid_t child = fork();

		CHECK(child >= 0);
		if (!child) {
			for (int j = 0; j < 5; j++)
				CL(clGetPlatformIDs(0, NULL, &count));
			_exit(0);
		}
		for (int j = 0; j < 20 && i % 20 == 19; j++) {
			int status;

			CHECK(wait(&status) > 0 && status == 0);
		}
	}
}

static int light_child(void *unused)
{
	(void)unused;
	light_work();
	_exit(0);
}

/* Forks that run no handlers of pthread_atfork(). */
static pid_t raw_fork(int way)
{
	static char stack[256 * 1024] __attribute__((aligned(64)));
	uint64_t args[8] = {[4] = SIGCHLD};
	pid_t child = way == 0	 ? _Fork()
		      : way == 1 ? clone(light_child, stack + sizeof(stack), SIGCHLD, NULL)
		      : way == 2 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
				 : (pid_t)syscall(SYS_clone3, args, sizeof(args));

	if (!child)
		light_child(NULL);
	return child;
}

static void raw(int ways)
{
	light_work();
	for (int way = 0; way < ways; way++) {
		pid_t child = raw_fork(way);

		CHECK(child > 0);
		light_work();
		child_wait(child);
	}
	CHECK(clone(NULL, NULL, SIGCHLD, NULL) == -1 && errno == EINVAL);
	CHECK(syscall(SYS_clone3, (void *)1, 64) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_clone3, NULL, 0) == -1 && errno == EINVAL);
}

static void cut(void)
{
	usleep(10000);
	run_anew("processes");
}

static void nest(int depth)
{
	work();
	if (depth == 1)
		return;
	fflush(stdout);

	pid_t child = fork();

	if (!child) {
		light_work();
		char left[12];
		char *const arguments[] = {"processes", "nest", left, NULL};

		snprintf(left, sizeof(left), "%d", depth - 1);
		execv("/proc/self/exe", arguments);
		_exit(126);
	}
	child_wait(child);
}

static void daemonise(const char *file)
{
	light_work();
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
	CHECK(chdir("/") == 0);
	umask(0);

	int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < 3; i++)
		dup2(null, i);
	for (int i = 3; i < 1024; i++) /* as daemons do: ours too, if we had any */
		close(i);
	work();

	int done = open(file, O_WRONLY | O_CREAT, 0600);

	CHECK(done >= 0 && write(done, "done\n", 5) == 5);
	exit(0);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "work";
	pid_t child;

	if (!strcmp(way, "work")) {
		work();
	} else if (!strcmp(way, "fork")) {
		child = fork();
		work();
		if (!child)
			return 0;
		child_wait(child);
	} else if (!strcmp(way, "after")) {
		light_work();
		for (int i = 0; i < 3; i++) {
			child = fork();
			if (!child) {
				light_work();
				_exit(0);
			}
			light_work();
			child_wait(child);
		}
	} else if (!strcmp(way, "many")) {
		many(atoi(argv[2]));
	} else if (!strcmp(way, "exec")) {
		work();
		child = fork();
		if (!child)
			run_anew(argv[0]);
		child_wait(child);
		work();
	} else if (!strcmp(way, "replace")) {
		work();
		puts("first half");
		fflush(stdout);
		run_anew(argv[0]);
	} else if (!strcmp(way, "vfork")) {
		light_work();
		child = vfork();
		if (!child)
			run_anew(argv[0]);
		child_wait(child);
		light_work();
	} else if (!strcmp(way, "storm")) {
		light_work();
		among_threads(storm);
	} else if (!strcmp(way, "raw")) {
		raw(argc > 2 ? atoi(argv[2]) : 2);
	} else if (!strcmp(way, "cut")) {
		endless = true;
		among_threads(cut);
	} else if (!strcmp(way, "daemon") && argc > 2) {
		daemonise(argv[2]);
	} else if (!strcmp(way, "nest")) {
		nest(argc > 2 ? atoi(argv[2]) : 4);
	} else {
		return 2;
	}
	puts("done");
	return 0;
}
