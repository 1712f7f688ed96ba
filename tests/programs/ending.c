/* SPDX-License-Identifier: MIT */
/* Programs that end in unusual ways, with work done before.
 *
 *   ending _exit | quick_exit | abort | segv | kill | term
 *   ending busy        exit() with commands still in the queue
 *   ending release     lets everything go with commands still in the queue
 *   ending outlive     main returns by pthread_exit while a thread works on
 *   ending running     exit() while another thread is calling
 *   ending atexit      calls OpenCL in an exit handler and in a destructor
 *   ending catch       catches every signal, and sends itself each
 */
#include "world.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 100 };

static struct world world;
static bool calls_at_exit;

static void calls_make(int count)
{
	cl_uint platforms;

	for (int i = 0; i < count; i++)
		CL(clGetPlatformIDs(0, NULL, &platforms));
}

static void at_exit(void)
{
	calls_make(7);
	puts("exit handler");
}

__attribute__((destructor)) static void at_end(void)
{
	if (calls_at_exit)
		calls_make(5);
}

static void *outlive_main(void *unused)
{
	(void)unused;
	usleep(50 * 1000);

	cl_mem numbers = numbers_create(&world, COUNT);

	numbers_add(&world, numbers, COUNT, 1, NULL);
	numbers_check(&world, numbers, COUNT, 1);
	CL(clReleaseMemObject(numbers));
	puts("the thread is done");
	exit(5);
}

static void *run_main(void *unused)
{
	(void)unused;
	for (;;)
		calls_make(100);
	return NULL;
}

static volatile sig_atomic_t caught;

static void handler(int signal)
{
	(void)signal;
	caught++;
}

static void catch_all(void)
{
	int sent = 0;

	for (int i = 1; i < 32; i++) {
		const struct sigaction action = {.sa_handler = handler};

		if (i == SIGKILL || i == SIGSTOP || sigaction(i, &action, NULL))
			continue;
		raise(i);
		sent++;
		calls_make(1);
	}
	CHECK(sent == caught);
	printf("caught %d\n", sent);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "exit";
	pthread_t thread;

	world_create(&world, 0, 0);
	calls_make(10);

	cl_mem numbers = numbers_create(&world, COUNT);

	numbers_add(&world, numbers, COUNT, 3, NULL);
	numbers_check(&world, numbers, COUNT, 3);
	puts("worked");
	fflush(stdout);

	if (!strcmp(way, "_exit"))
		_exit(3);
	if (!strcmp(way, "quick_exit"))
		quick_exit(4);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "kill"))
		raise(SIGKILL);
	if (!strcmp(way, "term"))
		raise(SIGTERM);
	if (!strcmp(way, "segv")) {
		volatile int *nowhere = NULL;

		*nowhere = 1;
	}
	if (!strcmp(way, "busy")) {
		for (int i = 0; i < 200; i++)
			numbers_add(&world, numbers, COUNT, 1, NULL);
		CL(clFlush(world.queue));
		exit(0);
	}
	if (!strcmp(way, "outlive")) {
		CHECK(!pthread_create(&thread, NULL, outlive_main, NULL));
		pthread_exit(NULL);
	}
	if (!strcmp(way, "running")) {
		CHECK(!pthread_create(&thread, NULL, run_main, NULL));
		usleep(20 * 1000);
		exit(0);
	}
	if (!strcmp(way, "atexit")) {
		calls_at_exit = true;
		atexit(at_exit);
	}
	if (!strcmp(way, "catch"))
		catch_all();
	if (!strcmp(way, "release"))
		for (int i = 0; i < 200; i++)
			numbers_add(&world, numbers, COUNT, 1, NULL);
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
	return 0;
}
