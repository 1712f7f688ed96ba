/* SPDX-License-Identifier: MIT */
#include "recorder/lttng_session.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHANNEL "tandem"
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

/* The daemon that lttng(1) may start keeps what it is given: no pipe of ours. So the
 * command's words go to a file without a name. */
static int lttng_run(char *const words[], struct error *error)
{
	posix_spawn_file_actions_t actions;
	char said[512] = "";
	int fd = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600), status = 0, failed;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (fd >= 0) {
		posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
		posix_spawn_file_actions_adddup2(&actions, fd, STDERR_FILENO);
	}
	failed = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (fd >= 0) {
		lseek(fd, 0, SEEK_SET);
		said_keep(fd, said, sizeof(said));
		close(fd);
	}
	if (failed) {
		error_set_hint(error, "install lttng-tools");
		return error_add(error, -failed, "cannot run lttng: %s", strerror(failed));
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
		snprintf(session->name, sizeof(session->name), "tandem-%d", (int)getpid());
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
