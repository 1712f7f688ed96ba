/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Nothing of the caller's but standard error, so that whoever reads the program's output sees its
 * end; it closes what else it is given. */
static int files_set(posix_spawn_file_actions_t *files, int end)
{
	int error = posix_spawn_file_actions_adddup2(files, end, WATCHER_FD);

	if (!error)
		error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_addopen(files, 1, "/dev/null", O_WRONLY, 0);
	return error;
}

/* Signals of the terminal's are the recorder's business: it ends with that. */
static int signals_set(posix_spawnattr_t *attributes)
{
	sigset_t none;
	int error;

	sigemptyset(&none);
	error = posix_spawnattr_setsigmask(attributes, &none);
	return error ? error : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
}

static int spawn(pid_t *pid, const char *path, char **words, int end)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&files);

	if (error)
		return -error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		error = files_set(&files, end);
		if (!error)
			error = signals_set(&attributes);
		if (!error)
			error = posix_spawn(pid, path, &files, &attributes, words, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	return -error;
}

int watcher_start(struct watcher *watcher, const struct watcher_request *request,
		  struct error *error)
{
	const char **words;
	int ends[2], status;

	*watcher = (struct watcher){.end = -1};
	if (!request->count)
		return 0;
	words = calloc(request->count + 5, sizeof(*words));
	if (!words || pipe2(ends, O_CLOEXEC)) {
		status = words ? -errno : -ENOMEM;
		free(words);
		return error_add(error, status, "cannot watch the recording: %s",
				 strerror(-status));
	}
	words[0] = request->reader;
	words[1] = WATCHER_WORD;
	words[2] = request->quiet ? WATCHER_QUIET : WATCHER_SAYING;
	words[3] = request->directory;
	memcpy(words + 4, request->conditions, request->count * sizeof(*words));
	status = spawn(&watcher->pid, request->reader, (char **)(uintptr_t)words, ends[0]);
	free(words);
	close(ends[0]);
	if (!status) {
		watcher->end = ends[1];
		return 0;
	}
	close(ends[1]);
	watcher->pid = 0;
	return error_add(error, status, "cannot run %s: %s", request->reader, strerror(-status));
}

static bool reap(struct watcher *watcher)
{
	int status;
	pid_t ended;

	close(watcher->end);
	while ((ended = waitpid(watcher->pid, &status, 0)) < 0 && errno == EINTR)
		;
	*watcher = (struct watcher){.end = -1};
	return ended > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

bool watcher_finish(struct watcher *watcher)
{
	/* SIGPIPE is ignored by now (child.c). */
	bool there = !watcher->pid || write(watcher->end, "e", 1) == 1;

	return !watcher->pid || (reap(watcher) && there);
}

void watcher_cancel(struct watcher *watcher)
{
	if (!watcher->pid)
		return;
	kill(watcher->pid, SIGKILL);
	reap(watcher);
}
