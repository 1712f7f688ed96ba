/* SPDX-License-Identifier: MIT */
#include "trace/external/external_trace.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/external/external_pipe.h"
#include "trace/watch.h"

/* Of CPU time; a trace of gigabytes is opened in a few seconds. */
#define STUCK_S 60

/* In the process that libbabeltrace2 may end. */
static _Noreturn void read_and_exit(external_ctf_fn *read, const char *path,
				    const struct external_sink *wanted, pid_t parent, int fd)
{
	static const struct rlimit no_core;
	FILE *file = fdopen(fd, "w");
	struct external_sink sink = external_pipe_sink(file);
	int nowhere = open("/dev/null", O_WRONLY);
	char why[400] = "";

	sink.messages = wanted->messages;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGPIPE, SIG_IGN);
	setrlimit(RLIMIT_CORE, &no_core);
	watch_begin(STUCK_S);
	/* Its last words are of its own source. What it has to say comes by `why`. */
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	if (file)
		external_pipe_end(file, read(path, &sink, why, sizeof(why)), why);
	_exit(0);
}

static int read_apart(const char *path, external_ctf_fn *read, const struct external_sink *sink,
		      struct error *error)
{
	char why[400] = "";
	int ends[2], status, ended = 0;
	pid_t child, parent = getpid();
	FILE *file;

	if (pipe2(ends, O_CLOEXEC))
		return error_add(error, -errno, "%s: %s", path, strerror(errno));
	fflush(NULL);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		read_and_exit(read, path, sink, parent, ends[1]);
	}
	close(ends[1]);
	file = child < 0 ? NULL : fdopen(ends[0], "r");
	if (!file) {
		status = -errno;
		close(ends[0]);
	} else {
		status = external_pipe_read(file, sink, why, sizeof(why));
		fclose(file);
	}
	if (child > 0) {
		if (status && status != -EPIPE)
			kill(child, SIGKILL);
		while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
			;
	}
	if (status == -EPIPE) {
		error_set_hint(error, "`babeltrace2 %s` may say more", path);
		return error_add(error, -EBADMSG, "%s: damaged: libbabeltrace2 gave up on it (%s)",
				 path,
				 !WIFSIGNALED(ended)	      ? "no reason"
				 : WTERMSIG(ended) == SIGPROF ? "it came no further"
							      : strsignal(WTERMSIG(ended)));
	}
	if (*why)
		error_add(error, status, "%s: %s", path, why);
	return status;
}

static int ctf_read(const char *path, const char *module, const struct external_sink *sink,
		    struct error *error)
{
	void *library = module ? dlopen(module, RTLD_NOW | RTLD_LOCAL) : NULL;
	external_ctf_fn *read;
	void *symbol;

	if (!library) {
		error_set_hint(error, "install libbabeltrace2-dev and build tandem again");
		return error_add(error, -ENOTSUP, "%s: this tandem reads no CTF of other tools%s%s",
				 path, module ? ": " : "", module ? dlerror() : "");
	}
	symbol = dlsym(library, EXTERNAL_CTF_SYMBOL);
	memcpy(&read, &symbol, sizeof(read));
	/* Stays loaded: what it brings along can't be unloaded in safety. */
	return read ? read_apart(path, read, sink, error) : -ENOTSUP;
}

int external_read(const char *path, const char *module, const struct external_sink *sink,
		  struct error *error)
{
	struct stat status;

	if (stat(path, &status))
		return error_add(error, -errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return ctf_read(path, module, sink, error);
	return external_dat_read(path, sink, error);
}
