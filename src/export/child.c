/* SPDX-License-Identifier: MIT */
#include "export/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct answer {
	int status;
	struct error error;
};

static bool write_all(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count) {
		ssize_t written = write(fd, at, count);

		if (written < 0 && errno != EINTR)
			return false;
		if (written > 0) {
			at += written;
			count -= (size_t)written;
		}
	}
	return true;
}

static bool read_all(int fd, void *bytes, size_t count)
{
	char *at = bytes;

	while (count) {
		ssize_t got = read(fd, at, count);

		if (!got || (got < 0 && errno != EINTR))
			return false;
		if (got > 0) {
			at += got;
			count -= (size_t)got;
		}
	}
	return true;
}

int child_run(const struct child_work *work, pid_t *child, int *wait_status, struct error *error)
{
	struct answer answer = {.status = 0, .error = ERROR_INIT};
	pid_t parent = getpid();
	int ends[2];
	bool answered;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	*child = fork();
	if (*child < 0) {
		int status = -errno;

		close(ends[0]);
		close(ends[1]);
		return status;
	}
	if (!*child) {
		/* Ctrl-C reaches both; a kill of the parent alone must not leave it. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
		answer.status = work->run(work->request, work->result, &answer.error);
		fflush(NULL);
		_exit(!write_all(ends[1], &answer, sizeof(answer)) ||
		      !write_all(ends[1], work->result, work->result_bytes));
	}
	close(ends[1]);
	answered = read_all(ends[0], &answer, sizeof(answer)) &&
		   read_all(ends[0], work->result, work->result_bytes);
	close(ends[0]);
	while (waitpid(*child, wait_status, 0) < 0 && errno == EINTR)
		;
	if (!answered)
		return -ECHILD;
	if (error)
		*error = answer.error;
	return answer.status;
}
