/* SPDX-License-Identifier: MIT */
#include "recorder/lttng_daemon.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/system.h"

#define SYSTEM_FOLDER "/var/run/lttng"
#define USER_FOLDER ".lttng"
#define PID_FILE "lttng-sessiond.pid"
#define SESSION_DAEMON "lttng-sessiond"
#define CONSUMER_DAEMON "lttng-consumerd"

struct process {
	char comm[32], state;
	int parent;
};

/* proc(5): "pid (comm) state ppid ..."; comm may have any characters. */
static bool process_read(int pid, struct process *process)
{
	char path[64], text[512];
	const char *begin, *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (system_read_text(path, text, sizeof(text)) <= 0)
		return false;
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || end < begin)
		return false;
	snprintf(process->comm, sizeof(process->comm), "%.*s", (int)(end - begin - 1), begin + 1);
	if (end[1] != ' ' || !end[2] || end[3] != ' ')
		return false;
	process->state = end[2];
	process->parent = (int)strtol(end + 4, NULL, 10);
	return true;
}

static bool is_stopped(const struct process *process, int pid, const char *name,
		       struct lttng_daemon *daemon)
{
	if ((process->state != 'T' && process->state != 't') ||
	    strncmp(process->comm, name, strlen(name)) != 0)
		return false;
	daemon->pid = pid;
	snprintf(daemon->name, sizeof(daemon->name), "%s", name);
	return true;
}

/* The number that the daemon wrote; 0: none, or its daemon has ended. */
static int session_daemon(const char *folder)
{
	char path[PATH_MAX], text[32];
	struct process process;
	long pid;

	if (snprintf(path, sizeof(path), "%s/" PID_FILE, folder) >= (int)sizeof(path) ||
	    system_read_text(path, text, sizeof(text)) <= 0)
		return 0;
	pid = strtol(text, NULL, 10);
	if (pid <= 0 || pid > INT_MAX || !process_read((int)pid, &process) ||
	    strncmp(process.comm, SESSION_DAEMON, strlen(SESSION_DAEMON)) != 0)
		return 0;
	return (int)pid;
}

static bool find_below(int session, struct lttng_daemon *daemon)
{
	struct process process;
	struct dirent *entry;
	bool found = process_read(session, &process) &&
		     is_stopped(&process, session, SESSION_DAEMON, daemon);
	DIR *list = found ? NULL : opendir("/proc");

	while (list && !found && (entry = readdir(list))) {
		int pid = (int)strtol(entry->d_name, NULL, 10);

		found = pid > 0 && process_read(pid, &process) && process.parent == session &&
			is_stopped(&process, pid, CONSUMER_DAEMON, daemon);
	}
	if (list)
		closedir(list);
	return found;
}

bool lttng_daemon_find_stopped(struct lttng_daemon *daemon)
{
	const char *home = getenv("LTTNG_HOME");
	char folder[PATH_MAX - sizeof(PID_FILE) - 1];
	int session = session_daemon(SYSTEM_FOLDER);

	if (session && find_below(session, daemon))
		return true;
	if (!home || !*home)
		home = getenv("HOME");
	if (!home || !*home)
		return false;
	snprintf(folder, sizeof(folder), "%.*s/" USER_FOLDER, PATH_MAX / 2, home);
	session = session_daemon(folder);
	return session && find_below(session, daemon);
}
