/* SPDX-License-Identifier: MIT */
#include "recorder/session/session_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/ring.h"
#include "recorder/session/description.h"
#include "recorder/session/directory_name.h"
#include "recorder/session/folder.h"
#include "recorder/session/schema.h"

/* A stream's packets: each has a pair of clock readings, and a header that a reader may
 * look at alone. */
#define WINDOW_BYTES (1024u * 1024)
#define WINDOW_LEAST (16u * 1024)
/* Kernel names, build options and arrays longer than this are cut. */
#define CUT_BYTES 1024u

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* tandem-PROGRAM-DATE-TIME, with -2, -3... when two start in one second. */
static int make_named_after_program(struct session *session)
{
	char stem[SESSION_PATH_BYTES];
	char stamp[32];
	time_t now = (time_t)(session->early.realtime_ns / 1000000000u);
	struct tm local;

	localtime_r(&now, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
	snprintf(stem, sizeof(stem), "tandem-%.200s-%s", base_name(session->command[0]), stamp);
	strcpy(session->directory, stem);
	for (unsigned n = 2; n < 10000; n++) {
		if (!mkdir(session->directory, 0700))
			return 0;
		if (errno != EEXIST)
			return -errno;
		snprintf(session->directory, sizeof(session->directory), "%.2000s-%u", stem, n);
	}
	return -EEXIST;
}

static int make_as_asked(struct session *session)
{
	const char *directory = session->directory, *wrong;
	int status = directory_name_expand(session->directory, sizeof(session->directory),
					   session->options->directory, session->command[0],
					   session->early.realtime_ns, &wrong);

	if (!status)
		status = directory_name_make_parents(directory);
	if (status)
		return status;
	if (!mkdir(directory, 0700))
		return 0;
	if (errno != EEXIST || !session->options->force)
		return -errno;
	return folder_replace(directory);
}

static int explain_directory(const struct session *session, int status, struct error *error)
{
	const char *directory = session->directory;

	switch (status) {
	case -EEXIST:
		return error_add(error, status,
				 "%s already exists: give another name, or --force to replace a "
				 "session",
				 directory);
	case -ENOTEMPTY:
		return error_add(error, status,
				 "%s is not a session directory, so --force does not "
				 "replace it",
				 directory);
	case -EBUSY:
		return error_add(error, status,
				 "%s is still being recorded: stop that program first", directory);
	case -EINVAL:
	case -ENOKEY:
		return error_add(error, status, "-o %s: %s", session->options->directory,
				 status == -EINVAL
					 ? "after a % there is p, t, h, q{NAME} or another %"
					 : "the environment has no variable of that name");
	case -ENAMETOOLONG:
		return error_add(error, status, "the directory's name is too long");
	default:
		return error_add(error, status, "cannot make the directory %s: %s%s", directory,
				 strerror(-status),
				 session->options->directory ? ""
							     : " (-o DIR names another place)");
	}
}

/* The name that traced processes use, wherever they go. */
static int find_absolute(struct session *session)
{
	size_t length;

	if (session->directory[0] == '/') {
		strcpy(session->absolute, session->directory);
	} else {
		if (!getcwd(session->absolute, sizeof(session->absolute)))
			return -errno;
		length = strlen(session->absolute);
		if (snprintf(session->absolute + length, sizeof(session->absolute) - length, "%s%s",
			     length > 1 ? "/" : "",
			     session->directory) >= (int)(sizeof(session->absolute) - length))
			return -ENAMETOOLONG;
	}
	return strlen(session->absolute) + SESSION_PATH_ROOM > sizeof(session->absolute)
		       ? -ENAMETOOLONG
		       : 0;
}

static int make_directory(struct session *session, struct error *error)
{
	int status = session->options->directory ? make_as_asked(session)
						 : make_named_after_program(session);

	if (status)
		return explain_directory(session, status, error);
	status = find_absolute(session);
	if (!status)
		return 0;
	rmdir(session->directory);
	return error_add(error, status, "cannot find out where %s is: %s", session->directory,
			 strerror(-status));
}

static int map_control(struct session *session)
{
	static const char zeros[TANDEM_CONTROL_BYTES];
	char path[SESSION_PATH_BYTES + 16];
	ssize_t written;
	int error = 0;
	void *page;
	int fd;

	snprintf(path, sizeof(path), "%s/control", session->directory);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	/* Written, not truncated to size: its block must be there when the disk
	 * is full later. */
	written = write(fd, zeros, sizeof(zeros));
	if (written != (ssize_t)sizeof(zeros)) {
		error = written < 0 ? -errno : -ENOSPC;
	} else {
		page = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (page == MAP_FAILED)
			error = -errno;
		else
			session->control = page;
	}
	close(fd);
	return error;
}

/* A session that may hold little has packets that fit into it several times. */
static uint32_t subbuffer_bytes(uint64_t limit_bytes)
{
	uint32_t bytes = WINDOW_BYTES;

	while (limit_bytes && bytes > WINDOW_LEAST && bytes > limit_bytes / 4)
		bytes /= 2;
	return bytes;
}

static void fill_control(struct session *session)
{
	const struct session_options *options = session->options;
	struct tandem_control *control = session->control;

	control->args_level = options->args_level;
	control->device_timing = options->device_timing;
	control->clock_source = session->clock.source;
	control->max_string_bytes = CUT_BYTES;
	control->exit_wait_ms = options->exit_wait_ms;
	for (unsigned i = 0; i < TANDEM_DOMAINS_MOST; i++) {
		control->domain[i].choices = options->choices[i];
		control->domain[i].interval_ms = options->drain_ms;
	}
	strcpy(control->capture, options->capture);
	control->ring_bytes = options->ring_bytes;
	control->subbuffer_bytes = options->ring_bytes ? ring_subbuffer_bytes(options->ring_bytes)
						       : subbuffer_bytes(options->limit_bytes);
	control->version = TANDEM_CONTROL_VERSION;
	control->domains = options->domains;
	control->external = options->lttng.enabled;
	control->recorder_pid = getpid();
	control->start_ticks = session->start.ticks;
	control->start_monotonic_ns = session->start.monotonic_ns;
	control->start_realtime_ns = session->start.realtime_ns;
	control->recording_since_ns = options->start_paused ? 0 : session->start.monotonic_ns;
	control->limit_bytes = options->limit_bytes;
	control->state = options->start_paused ? TANDEM_STATE_PAUSED : TANDEM_STATE_RECORDING;
	/* LTTng says itself what it records. */
	control->recording =
		options->start_paused || (options->lttng.enabled && !options->ring_bytes)
			? 0
			: options->domains;
	control->magic = TANDEM_CONTROL_MAGIC;
}

static int cannot_write(const struct session *session, int status, struct error *error)
{
	return error_add(error, status, "cannot write into %s: %s", session->directory,
			 strerror(-status));
}

int session_create(struct session *session, struct error *error)
{
	char path[SESSION_PATH_BYTES + 16];
	int status = make_directory(session, error);

	if (status)
		return status;
	session->lock = -1;
	status = map_control(session);
	/* Not every file system has locks: best effort. */
	if (!status)
		session->lock = folder_lock(session->directory);
	if (status) {
		session_remove(session);
		return cannot_write(session, status, error);
	}
	clock_pair_read(session->clock.source, &session->start);
	fill_control(session);
	snprintf(path, sizeof(path), "%s/schema", session->directory);
	status = schema_write(path, (enum tandem_args_level)session->options->args_level);
	if (status) {
		session_remove(session);
		return cannot_write(session, status, error);
	}
	return 0;
}

int session_describe(struct session *session, struct error *error)
{
	struct clock_pair late;
	int status;

	clock_pair_read(session->clock.source, &late);
	clock_rate(&session->clock, &session->early, &late);
	session->control->ticks_hz = session->clock.ticks_hz;
	status = description_write(session, NULL);
	return status ? cannot_write(session, status, error) : 0;
}

int session_finish(struct session *session, int wait_status)
{
	int error;

	clock_pair_read(session->clock.source, &session->end);
	error = description_write(session, &wait_status);
	session->control->recorder_pid = 0;
	/* From here on --force may replace the directory. */
	folder_unlock(session->lock);
	session->lock = -1;
	return error;
}

void session_remove(struct session *session)
{
	if (session->control)
		munmap(session->control, TANDEM_CONTROL_BYTES);
	session->control = NULL;
	folder_unlock(session->lock);
	session->lock = -1;
	folder_remove(session->directory);
}
