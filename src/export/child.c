/* SPDX-License-Identifier: MIT */
#include "export/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct answer {
	int status;
	struct export_result result;
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

static int killed(const struct export_request *request, pid_t child, int wait_status,
		  struct error *error)
{
	if (request->ops->killed)
		request->ops->killed(request->out, child);
	error_set_mend(error, "is there room on the disk?");
	if (WIFSIGNALED(wait_status))
		return error_add(error, -EIO, "%s: the library that writes it ended by signal %d",
				 request->out, WTERMSIG(wait_status));
	return error_add(error, -EIO, "%s: the library that writes it ended", request->out);
}

int export_child(int (*make)(const struct export_request *request, struct export_result *result,
			     struct error *error),
		 const struct export_request *request, struct export_result *result,
		 struct error *error)
{
	struct answer answer = {.status = 0, .error = ERROR_INIT};
	pid_t parent = getpid(), child;
	int ends[2], wait_status = 0;
	bool answered;

	if (pipe2(ends, O_CLOEXEC))
		return error_add(error, -errno, "%s: %s", request->out, strerror(errno));
	fflush(NULL);
	child = fork();
	if (child < 0) {
		close(ends[0]);
		close(ends[1]);
		return error_add(error, -errno, "%s: %s", request->out, strerror(errno));
	}
	if (!child) {
		/* Ctrl-C reaches both; a kill of the parent alone must not leave it. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
		answer.status = make(request, &answer.result, &answer.error);
		fflush(NULL);
		_exit(!write_all(ends[1], &answer, sizeof(answer)));
	}
	close(ends[1]);
	answered = read_all(ends[0], &answer, sizeof(answer));
	close(ends[0]);
	while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
		;
	if (!answered)
		return killed(request, child, wait_status, error);
	*result = answer.result;
	if (error)
		*error = answer.error;
	return answer.status;
}
