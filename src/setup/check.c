/* SPDX-License-Identifier: MIT */
#include "setup/check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/counter.h"

static struct check *append(struct checks *checks)
{
	struct check *list = reallocarray(checks->list, checks->count + 1, sizeof(*list));

	if (!list) {
		checks->failed = true;
		return NULL;
	}
	checks->list = list;
	return &list[checks->count++];
}

struct check *check_add(struct checks *checks, enum check_state state, const char *area,
			const char *name, const char *fix, const char *format, ...)
{
	struct check *check = append(checks);
	va_list arguments;

	if (!check)
		return NULL;
	*check = (struct check){.state = state, .area = area};
	snprintf(check->name, sizeof(check->name), "%s", name);
	snprintf(check->fix, sizeof(check->fix), "%s", fix ? fix : "");
	va_start(arguments, format);
	vsnprintf(check->words, sizeof(check->words), format, arguments);
	va_end(arguments);
	return check;
}

/* The child sends its structs as they are: same program, same layout, and each
 * is shorter than what a pipe takes at once. */
static void __attribute__((noreturn))
child_work(int out, unsigned seconds, void (*work)(struct checks *checks, const void *data),
	   const void *data)
{
	struct checks checks = {.list = NULL};
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* Drivers like to talk. */
	for (int fd = 0; fd < 3 && nowhere >= 0; fd++)
		dup2(nowhere, fd);
	alarm(seconds);
	work(&checks, data);
	for (size_t i = 0; i < checks.count; i++)
		if (write(out, &checks.list[i], sizeof(*checks.list)) < 0)
			break;
	/* Drivers' exit handlers are none of our business. */
	_exit(0);
}

/* Until the end, or until nobody can be expected to write any more: a driver may
 * leave a process behind that holds the pipe. */
static void receive(struct checks *checks, int in, const char *area, unsigned seconds)
{
	uint64_t deadline_ns = counter_clock_ns(CLOCK_MONOTONIC) + (seconds + 1) * 1000000000ull;
	struct pollfd ready = {.fd = in, .events = POLLIN};
	struct check check;

	for (;;) {
		uint64_t now_ns = counter_clock_ns(CLOCK_MONOTONIC);
		struct check *copy;

		if (now_ns >= deadline_ns ||
		    poll(&ready, 1, (int)((deadline_ns - now_ns) / 1000000) + 1) <= 0)
			return;
		if (read(in, &check, sizeof(check)) != (ssize_t)sizeof(check))
			return;
		copy = append(checks);
		if (!copy)
			return;
		*copy = check;
		copy->area = area; /* the child's pointer, valid here by chance only */
	}
}

void check_apart(struct checks *checks, const char *area, const char *name, unsigned seconds,
		 void (*work)(struct checks *checks, const void *data), const void *data)
{
	int ends[2], status = 0;
	pid_t child;

	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC)) {
		check_add(checks, CHECK_MISSING, area, name, NULL, "not checked: %s",
			  strerror(errno));
		return;
	}
	child = fork();
	if (child == 0)
		child_work(ends[1], seconds, work, data);
	close(ends[1]);
	if (child > 0) {
		receive(checks, ends[0], area, seconds);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	if (child < 0)
		check_add(checks, CHECK_MISSING, area, name, NULL, "not checked: %s",
			  strerror(errno));
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		check_add(checks, CHECK_MISSING, area, name, NULL, "no answer within %u s",
			  seconds);
	else if (WIFSIGNALED(status))
		check_add(checks, CHECK_MISSING, area, name, NULL, "crashes: %s",
			  strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		check_add(checks, CHECK_MISSING, area, name, NULL, "ends with status %d",
			  WEXITSTATUS(status));
}

void checks_free(struct checks *checks)
{
	free(checks->list);
	*checks = (struct checks){.list = NULL};
}
