/* SPDX-License-Identifier: MIT */
#include "recorder/lttng_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/lttng_daemon.h"
#include "recorder/program/child.h"
#include "util/counter.h"

#define LOOK_MS 100
#define LOOK_WITHOUT_PIDFD_MS 5
/* After a Ctrl-C: what is half made is ended, if the daemon answers. */
#define PATIENCE_INTERRUPTED_S 10u
#define FOLDER_DEPTH 8u

struct request {
	char *const *words;
	int said;	    /* a file that gets what it prints */
	const char *folder; /* where the daemons write meanwhile; NULL: nowhere */
	unsigned patience_s;
};

/* Its last line says why. */
static void said_read(int fd, char *text, size_t bytes)
{
	struct stat file;
	ssize_t count = 0;
	size_t length;
	char *line;

	if (!fstat(fd, &file))
		count = pread(fd, text, bytes - 1,
			      (size_t)file.st_size < bytes ? 0 : file.st_size - (off_t)bytes + 1);
	length = count > 0 ? (size_t)count : 0;
	text[length] = '\0';
	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (!strncmp(line, "Error: ", strlen("Error: ")))
		line += strlen("Error: ");
	memmove(text, line, strlen(line) + 1);
}

/* In a process group of its own, where Ctrl-C does not reach it, and with no signal blocked,
 * which it waits for itself. */
static void attributes_make(posix_spawnattr_t *attributes)
{
	sigset_t none;

	sigemptyset(&none);
	posix_spawnattr_init(attributes);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setpgroup(attributes, 0);
}

/* The daemon that lttng(1) may start keeps what it is given: no pipe of ours. So the
 * command's words go to a file without a name. */
static int spawn(pid_t *pid, char *const words[], int said)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int failed;

	attributes_make(&attributes);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (said >= 0)
		posix_spawn_file_actions_adddup2(&actions, said, STDOUT_FILENO);
	else
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	failed = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return -failed;
}

static off_t said_bytes(int said)
{
	struct stat file;

	return said >= 0 && !fstat(said, &file) ? file.st_size : 0;
}

/* Of all files below it: they grow while a daemon writes. */
static off_t folder_bytes(int at, const char *name, unsigned depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	off_t bytes = 0;

	while (list && (entry = readdir(list))) {
		struct stat file;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(fd, entry->d_name, &file, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISREG(file.st_mode))
			bytes += file.st_size + 1;
		else if (S_ISDIR(file.st_mode) && depth)
			bytes += 1 + folder_bytes(fd, entry->d_name, depth - 1);
	}
	if (list)
		closedir(list);
	else if (fd >= 0)
		close(fd);
	return bytes;
}

static off_t progress_of(const struct request *request)
{
	off_t bytes = said_bytes(request->said);

	return request->folder ? bytes + folder_bytes(AT_FDCWD, request->folder, FOLDER_DEPTH)
			       : bytes;
}

static bool is_in_vain(const struct request *request, uint64_t silent_ns)
{
	unsigned most_s = request->patience_s;
	struct lttng_daemon stopped;

	if (child_signals_wait() && most_s > PATIENCE_INTERRUPTED_S)
		most_s = PATIENCE_INTERRUPTED_S;
	if (silent_ns > most_s * UINT64_C(1000000000))
		return true;
	return request->folder && silent_ns > LTTNG_PATIENCE_STOPPED_S * UINT64_C(1000000000) &&
	       lttng_daemon_find_stopped(&stopped);
}

/* False: it did not end, and nothing happens any more. */
static bool wait_for(pid_t pid, const struct request *request, int *status, unsigned *silent_s)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	uint64_t since_ns = counter_clock_ns(CLOCK_MONOTONIC);
	off_t progress = progress_of(request);
	pid_t ended;

	while (!(ended = waitpid(pid, status, WNOHANG))) {
		uint64_t silent_ns;
		off_t now;

		poll(&end, 1, end.fd >= 0 ? LOOK_MS : LOOK_WITHOUT_PIDFD_MS);
		now = progress_of(request);
		if (now != progress)
			since_ns = counter_clock_ns(CLOCK_MONOTONIC);
		progress = now;
		silent_ns = counter_clock_ns(CLOCK_MONOTONIC) - since_ns;
		*silent_s = (unsigned)(silent_ns / 1000000000);
		if (is_in_vain(request, silent_ns))
			break;
	}
	if (end.fd >= 0)
		close(end.fd);
	return ended != 0;
}

/* Its wait status, or -errno. */
static int execute(const struct request *request, unsigned *silent_s)
{
	int status = 0, failed;
	pid_t pid;

	failed = spawn(&pid, request->words, request->said);
	if (failed)
		return failed;
	if (wait_for(pid, request, &status, silent_s))
		return status;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return -ETIMEDOUT;
}

int lttng_command_into(char *const words[], int said, unsigned patience_s)
{
	const struct request request = {.words = words, .said = said, .patience_s = patience_s};
	unsigned silent_s;

	return execute(&request, &silent_s);
}

int lttng_command_unanswered(struct error *error, const char *command, unsigned patience_s)
{
	struct lttng_daemon stopped;

	if (lttng_daemon_find_stopped(&stopped)) {
		error_set_hint(error, "`kill -CONT %d` continues it", (int)stopped.pid);
		return error_add(error, -ETIMEDOUT,
				 "lttng %s: %s (process %d), which is stopped, did not answer for "
				 "%u s",
				 command, stopped.name, (int)stopped.pid, patience_s);
	}
	error_set_hint(error, "`lttng list` has to answer: continue or restart lttng-sessiond");
	return error_add(error, -ETIMEDOUT,
			 "lttng %s: LTTng's session daemon did not answer for %u s", command,
			 patience_s);
}

/* lttng(1) does not know that it speaks to a daemon of another version: it can't read the
 * answer, and at times it dies of it, without a word. */
static bool is_misunderstood(const char *said)
{
	return !*said || strstr(said, "No session daemon is available") ||
	       strstr(said, "Unknown error code");
}

/* "Warning: 123 events were discarded, please ...", "Warning: 4 packets were lost, ...". */
static uint64_t count_lost(int fd)
{
	static const char *const what[] = {" events were discarded", " event was discarded",
					   " packets were lost", " packet was lost"};
	char line[4096];
	ssize_t count = pread(fd, line, sizeof(line) - 1, 0);
	uint64_t lost = 0;

	line[count > 0 ? count : 0] = '\0';
	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++)
		for (const char *at = line; (at = strstr(at, what[i])); at++) {
			const char *digits = at;

			while (digits > line && digits[-1] >= '0' && digits[-1] <= '9')
				digits--;
			lost += strtoull(digits, NULL, 10);
		}
	return lost;
}

static int run(struct request *request, uint64_t *lost, struct error *error)
{
	char *const *words = request->words;
	const char *command = words[strcmp(words[1], LTTNG_NO_DAEMON) ? 1 : 2];
	unsigned silent_s = request->patience_s;
	char said[512] = "";
	int status;

	request->said = memfd_create("lttng", MFD_CLOEXEC);
	status = execute(request, &silent_s);
	if (request->said >= 0) {
		said_read(request->said, said, sizeof(said));
		if (lost)
			*lost += count_lost(request->said);
		close(request->said);
	}
	if (status == -ETIMEDOUT)
		return lttng_command_unanswered(error, command, silent_s);
	if (status < 0) {
		error_set_hint(error, "install lttng-tools");
		return error_add(error, status, "cannot run lttng: %s", strerror(-status));
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (is_misunderstood(said))
		error_set_hint(error,
			       "restart lttng-sessiond, which may be of another version than "
			       "`lttng --version`");
	return error_add(error, -EIO, "lttng %s: %s", command, *said ? said : "failed");
}

int lttng_command_counting(char *const words[], unsigned patience_s, uint64_t *lost,
			   struct error *error)
{
	struct request request = {.words = words, .patience_s = patience_s};

	return run(&request, lost, error);
}

int lttng_command_saving(char *const words[], const char *folder, struct error *error)
{
	struct request request = {.words = words, .folder = folder, .patience_s = LTTNG_PATIENCE_S};

	return run(&request, NULL, error);
}

int lttng_command(char *const words[], unsigned patience_s, struct error *error)
{
	return lttng_command_counting(words, patience_s, NULL, error);
}
