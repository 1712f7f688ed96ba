/* SPDX-License-Identifier: MIT */
/*
 * Reports tasks from threads that end and from a forked child, and more from an exit handler and
 * a destructor, after everything was finalised. Prints whether each thread returned.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xpti/xpti_trace_framework.h"

#define STREAM "test.threads"

static xpti_stream_id_t stream;
static xpti_event_data_t *event;

static void report_task(void)
{
	xptiNotifySubscribers(stream, xpti_task_begin, NULL, event, 1, NULL);
	xptiNotifySubscribers(stream, xpti_task_end, NULL, event, 1, NULL);
}

static void *run(void *unused)
{
	(void)unused;
	report_task();
	return (void *)1;
}

static void late(void)
{
	char *table;

	report_task();
	xptiLookupString(xptiRegisterString("late", &table));
	xptiCheckTraceEnabled(stream, 0);
	xptiFinalize(STREAM);
}

__attribute__((destructor)) static void later(void)
{
	late();
	xptiFrameworkFinalize();
}

int main(void)
{
	xpti_payload_data_t place = {.name = "task", .flags = xpti_payload_NameAvailable};
	uint64_t instance;
	void *returned[4];
	pthread_t threads[4];
	pid_t child;
	int status;

	atexit(late);
	xptiFrameworkInitialize();
	stream = xptiRegisterStream(STREAM);
	xptiInitialize(STREAM, 1, 0, "1.0");
	event = xptiMakeEvent("task", &place, xpti_event_algorithm, xpti_activity_active,
			      &instance);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], &returned[i]);
	for (int i = 0; i < 4; i++)
		printf("thread %d: %d\n", i, (int)(intptr_t)returned[i]);
	fflush(stdout);
	child = fork();
	if (!child) {
		report_task();
		_exit(event ? 3 : 4);
	}
	waitpid(child, &status, 0);
	printf("child: %d\n", WEXITSTATUS(status));
	xptiFinalize(STREAM);
	xptiFrameworkFinalize();
	report_task();
	return 0;
}
