/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/lttng_convert.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/directory.h"
#include "trace/external/ctf_import.h"
#include "trace/external/hosts/host_messages.h"
#include "trace/external/hosts/hosts.h"
#include "trace/external/hosts/trace_folders.h"
#include "trace/external/lttng/lttng_read.h"
#include "trace/session/session_open.h"
#include "util/folder/tree_remove.h"

#define WHY_BYTES 400

struct answer {
	int status;
	char why[WHY_BYTES];
};

static _Noreturn void read_and_exit(lttng_read_fn *read, const char *from, const char *to,
				    bool whole, struct hosts *hosts, pid_t parent, int fd)
{
	static const struct rlimit no_core;
	struct answer answer = {.status = -EBADMSG};
	int nowhere = open("/dev/null", O_WRONLY);

	/* A live session may go on for ever: not for nobody. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setrlimit(RLIMIT_CORE, &no_core);
	/* libbabeltrace2's last words are of its own source. */
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	answer.status = read(from, to, whole, hosts, answer.why, sizeof(answer.why));
	if (write(fd, &answer, sizeof(answer)) < 0)
		_exit(1);
	_exit(0);
}

/* `hosts` is read in the child. */
static pid_t begin(const char *from, const char *to, bool whole, struct hosts *hosts,
		   const char *module, int *fd, struct error *error)
{
	void *library = module ? dlopen(module, RTLD_NOW | RTLD_LOCAL) : NULL;
	void *symbol = library ? dlsym(library, LTTNG_READ_SYMBOL) : NULL;
	lttng_read_fn *read_it;
	pid_t child, parent = getpid();
	int ends[2];

	if (!symbol) {
		error_set_hint(error, "install libbabeltrace2-dev and build tandem again");
		return error_add(error, -ENOTSUP, "%s: this tandem reads no traces of LTTng%s%s",
				 from, module ? ": " : "", module ? dlerror() : "");
	}
	memcpy(&read_it, &symbol, sizeof(read_it));
	if (pipe2(ends, O_CLOEXEC))
		return error_add(error, -errno, "%s: %s", from, strerror(errno));
	fflush(NULL);
	child = fork();
	if (!child) {
		close(ends[0]);
		read_and_exit(read_it, from, to, whole, hosts, parent, ends[1]);
	}
	close(ends[1]);
	*fd = ends[0];
	if (child > 0)
		return child;
	close(ends[0]);
	return error_add(error, -EAGAIN, "%s: no process can be made to read it", from);
}

pid_t lttng_convert_begin(const char *from, const char *to, const char *module, int *fd,
			  struct error *error)
{
	struct hosts hosts = {.count = 0};

	return begin(from, to, true, &hosts, module, fd, error);
}

int lttng_convert_end(const char *from, pid_t child, int fd, struct error *error)
{
	struct answer answer = {.status = -EBADMSG};
	ssize_t count = read(fd, &answer, sizeof(answer));
	int ended = 0;

	close(fd);
	while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
		;
	if (count != (ssize_t)sizeof(answer)) {
		error_set_hint(error, "`babeltrace2 %s` may say more", from);
		return error_add(error, -EBADMSG, "%s: damaged: libbabeltrace2 gave up on it",
				 from);
	}
	answer.why[WHY_BYTES - 1] = '\0';
	return answer.status ? error_add(error, answer.status, "%s: %s", from,
					 *answer.why ? answer.why : strerror(-answer.status))
			     : 0;
}

static int convert(const char *from, const char *to, bool whole, struct hosts *hosts,
		   const char *module, struct error *error)
{
	int fd;
	pid_t child = begin(from, to, whole, hosts, module, &fd, error);

	return child < 0 ? (int)child : lttng_convert_end(from, child, fd, error);
}

/* Of a live session they come with the events. */
static int find_hosts(struct hosts *hosts, const char *from, struct error *error)
{
	struct trace_folders folders;
	int status;

	*hosts = (struct hosts){.count = 0};
	if (strstr(from, "://"))
		return 0;
	status = trace_folders_find(&folders, from);
	if (!status) {
		status = hosts_find(hosts, &folders);
		trace_folders_free(&folders);
	}
	return status ? error_add(error, status, "%s: out of memory, or more than %u hosts", from,
				  TRACE_HOSTS_MOST)
		      : 0;
}

int lttng_convert_into(const char *from, const char *to, const char *module, struct error *error)
{
	struct hosts hosts;
	int status = find_hosts(&hosts, from, error);

	if (!status)
		status = convert(from, to, false, &hosts, module, error);
	hosts_free(&hosts);
	return status;
}

/* The kernels' side of the session at `to`. */
static int add_kernel(const char *from, const char *to, const struct hosts *hosts,
		      const char *module, struct error *error)
{
	struct trace_session session;
	char *folder;
	int status = asprintf(&folder, "%s/" DIRECTORY_SYSTEM, to) < 0
			     ? -ENOMEM
			     : trace_session_open(&session, to, NULL, error);

	if (status)
		return status;
	status = ctf_import_write(&session, folder, from, module, hosts, error);
	trace_session_close(&session);
	if (status)
		tree_remove(folder);
	free(folder);
	return status;
}

/* What could not be made of the trace: whoever reads the session says it. */
static int tell(const char *to, const struct error *error)
{
	char *path;
	FILE *file;

	if (asprintf(&path, "%s/" LTTNG_CONVERT_PROBLEM, to) < 0)
		return -ENOMEM;
	file = fopen(path, "wxe");
	free(path);
	if (!file)
		return -errno;
	fprintf(file, "%s%s%s", error->count ? error->causes[0] : "out of memory",
		*error->hint ? "; " : "", error->hint);
	return fclose(file) ? -errno : 0;
}

static bool have_kernel(const struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		if (hosts->list[i].kernel)
			return true;
	return false;
}

static bool have_ours(const struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		if (hosts->list[i].ours)
			return true;
	return false;
}

static int convert_hosts(const char *from, const char *to, struct hosts *hosts,
			 const struct lttng_modules *modules, struct error *error)
{
	bool kernel = have_kernel(hosts);
	struct error problem = ERROR_INIT;
	int status, damaged = 0;

	if (kernel && hosts->count > 1)
		damaged = host_messages_join(hosts, from, modules->kernel, &problem);
	status = convert(from, to, true, hosts, modules->user, error);
	if (!status && kernel && !damaged)
		damaged = add_kernel(from, to, hosts, modules->kernel, &problem);
	if (status || !damaged)
		return status;
	if (have_ours(hosts))
		return tell(to, &problem);
	*error = problem; /* nothing is left of it */
	return damaged;
}

int lttng_convert(const char *from, const char *to, const struct lttng_modules *modules,
		  struct error *error)
{
	struct hosts hosts;
	int status = find_hosts(&hosts, from, error);

	if (!status)
		status = convert_hosts(from, to, &hosts, modules, error);
	hosts_free(&hosts);
	return status;
}
