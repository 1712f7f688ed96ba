/* SPDX-License-Identifier: MIT */
#include "cli/view/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* A browser has its own say on stdout, which is ours. */
static int spawn(const char *program, const char *address)
{
	char *const arguments[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)address, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t pid;
	int status;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	/* Ctrl-C ends the server, not the user's browser. */
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
	status = posix_spawnp(&pid, program, &files, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return -status;
}

int browser_open(const char *address)
{
	static const char *const openers[] = {"xdg-open", "sensible-browser", "x-www-browser"};
	const char *wanted = getenv("BROWSER");
	int status = -ENOENT;

	/* A list of programs, or a command line, is the opener's business. */
	if (wanted && *wanted && !strpbrk(wanted, ":% "))
		status = spawn(wanted, address);
	if (status && !is_set("BROWSER") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
		return -ENOENT;
	for (size_t i = 0; status && i < sizeof(openers) / sizeof(*openers); i++)
		status = spawn(openers[i], address);
	return status;
}
