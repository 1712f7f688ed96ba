/* SPDX-License-Identifier: MIT */
#include "recorder/lttng_session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHANNEL "tandem"
#define PREFIX "tandem-" /* of a session that was given no name */
/* A busy program makes some 50 MB a second; two sub-buffers more than LTTng's own. */
#define SUB_BUFFER "1M"
#define SUB_BUFFERS "8"

/* What lttng(1) says, kept for an error. */
static void said_keep(int fd, char *text, size_t bytes)
{
	size_t length = 0;
	ssize_t count;
	char rest[256];

	while ((count = read(fd, length + 1 < bytes ? text + length : rest,
			     length + 1 < bytes ? bytes - 1 - length : sizeof(rest))) > 0)
		if (length + 1 < bytes)
			length += (size_t)count;
	text[length] = '\0';
	/* Its last line says why. */
	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	if (strrchr(text, '\n'))
		memmove(text, strrchr(text, '\n') + 1, strlen(strrchr(text, '\n') + 1) + 1);
	if (!strncmp(text, "Error: ", strlen("Error: ")))
		memmove(text, text + strlen("Error: "), strlen(text + strlen("Error: ")) + 1);
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
 * command's words go to a file without a name. Its wait status, or -errno. */
static int lttng_spawn(char *const words[], int said)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int status = 0, failed;
	pid_t pid;

	attributes_make(&attributes);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (said >= 0)
		posix_spawn_file_actions_adddup2(&actions, said, STDOUT_FILENO);
	else
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	failed = posix_spawnp(&pid, words[0], &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return failed ? -failed : status;
}

static int lttng_run(char *const words[], struct error *error)
{
	int fd = memfd_create("lttng", MFD_CLOEXEC), status = lttng_spawn(words, fd);
	char said[512] = "";

	if (fd >= 0) {
		lseek(fd, 0, SEEK_SET);
		said_keep(fd, said, sizeof(said));
		close(fd);
	}
	if (status < 0) {
		error_set_hint(error, "install lttng-tools");
		return error_add(error, status, "cannot run lttng: %s", strerror(-status));
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return error_add(error, -EIO, "lttng %s: %s", words[1], *said ? said : "failed");
}

#define RUN(error, ...) lttng_run((char *const[]){(char *)"lttng", __VA_ARGS__, NULL}, error)

static int create(struct lttng_session *session, const struct lttng_options *options,
		  const char *folder, struct error *error)
{
	char output[4200];

	if (options->live) {
		snprintf(output, sizeof(output), "--set-url=%s", options->live);
		return RUN(error, (char *)"create", session->name, (char *)"--live", output);
	}
	if (options->relay)
		snprintf(output, sizeof(output), "--set-url=%s", options->relay);
	else
		snprintf(output, sizeof(output), "--output=%s", folder);
	return RUN(error, (char *)"create", session->name, output);
}

int lttng_session_start(struct lttng_session *session, const struct lttng_options *options,
			const char *folder, struct error *error)
{
	char *name = session->name;
	int status;

	if (options->name)
		snprintf(session->name, sizeof(session->name), "%s", options->name);
	else
		snprintf(session->name, sizeof(session->name), PREFIX "%d", (int)getpid());
	status = create(session, options, folder, error);
	if (status) {
		session->name[0] = '\0';
		return status;
	}
	status = RUN(error, (char *)"enable-channel", (char *)"--userspace", (char *)"--session",
		     name, (char *)"--subbuf-size=" SUB_BUFFER, (char *)"--num-subbuf=" SUB_BUFFERS,
		     (char *)CHANNEL);
	if (!status)
		status = RUN(error, (char *)"add-context", (char *)"--userspace",
			     (char *)"--session", name, (char *)"--channel", (char *)CHANNEL,
			     (char *)"--type=vpid", (char *)"--type=vtid",
			     (char *)"--type=procname");
	if (!status)
		status = RUN(error, (char *)"enable-event", (char *)"--userspace",
			     (char *)"--session", name, (char *)"--channel", (char *)CHANNEL,
			     (char *)"tandem_*");
	if (!status)
		status = RUN(error, (char *)"start", name);
	if (status) {
		RUN(NULL, (char *)"destroy", name);
		session->name[0] = '\0';
	}
	return status;
}

/* The process that a session has in its name, as "  1) tandem-123 [active]"; 0: another's. */
static pid_t session_recorder(const char *line)
{
	const char *at = strstr(line, ") " PREFIX);
	long pid = at ? strtol(at + strlen(") " PREFIX), NULL, 10) : 0;

	return pid > 0 && pid <= INT_MAX && strstr(line, "[active]") ? (pid_t)pid : 0;
}

bool lttng_session_left(char *name, size_t bytes)
{
	int fd = memfd_create("lttng", MFD_CLOEXEC);
	int status = lttng_spawn(
		(char *const[]){(char *)"lttng", (char *)"--no-sessiond", (char *)"list", NULL},
		fd);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	bool found = false;
	char line[512];

	if (file)
		rewind(file);
	while (file && !status && !found && fgets(line, sizeof(line), file)) {
		pid_t pid = session_recorder(line);

		found = pid && kill(pid, 0) && errno == ESRCH;
		if (found)
			snprintf(name, bytes, PREFIX "%d", (int)pid);
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return found;
}

int lttng_session_stop(struct lttng_session *session, struct error *error)
{
	int status;

	if (!session->name[0])
		return 0;
	/* Both wait for what the daemons still have to write. */
	status = RUN(error, (char *)"stop", session->name);
	if (RUN(status ? NULL : error, (char *)"destroy", session->name) && !status)
		status = -EIO;
	session->name[0] = '\0';
	return status;
}
