/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/ticks.h"
#include "recorder/session/folder.h"
#include "recorder/session/live_processes.h"
#include "recorder/snapshot/snapshot_description.h"
#include "recorder/snapshot/snapshot_folder.h"
#include "recorder/snapshot/snapshot_lttng.h"
#include "recorder/snapshot/watch_rings.h"
#include "schema/control.h"
#include "util/array.h"
#include "util/folder/open_below.h"
#include "util/folder/tree_remove.h"
#include "util/system_calls.h"

#define PAIR_TRIES 4u

struct snapshot {
	const struct snapshot_request *request;
	bool traced_only; /* without the operating system's side, and code */
	bool drafted;	  /* its folder is ours, and there */
	int from, to;	  /* folders */
	struct tandem_control control;
	struct snapshot_window window;
	struct snapshot_folder *folders;
	size_t count, capacity;
	struct snapshot_description description;
	char lttng[LTTNG_NAME_BYTES]; /* "": the rings are ours */
	struct lttng_window lttng_window;
	struct error *error;
};

/* What is in the session's folder, one after the other. */
static int each_entry(struct snapshot *snapshot, int (*visit)(struct snapshot *, const char *name))
{
	int copy = openat(snapshot->from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	DIR *list = copy < 0 ? NULL : fdopendir(copy);

	if (!list) {
		error = -errno;
		if (copy >= 0)
			close(copy);
		return error;
	}
	for (struct dirent *entry; !error && (entry = readdir(list));)
		error = visit(snapshot, entry->d_name);
	closedir(list);
	return error;
}

static bool has_streams(const struct snapshot *snapshot, const char *name)
{
	return directory_is_process(name) ||
	       (!snapshot->traced_only && !strcmp(name, DIRECTORY_SYSTEM));
}

static int entry_read(struct snapshot *snapshot, const char *name)
{
	struct snapshot_folder *folder;
	int error;

	if (!has_streams(snapshot, name))
		return 0;
	error = array_reserve(&snapshot->folders, &snapshot->capacity, snapshot->count + 1,
			      sizeof(*snapshot->folders));
	if (error)
		return error;
	folder = &snapshot->folders[snapshot->count];
	error = snapshot_folder_read(folder, snapshot->from, name, &snapshot->window);
	snapshot->count++;
	/* A process's that has just been taken away. */
	return error == -ENOENT ? 0 : error;
}

static int entry_copy(struct snapshot *snapshot, const char *name)
{
	int error;

	if ((snapshot->traced_only ||
	     strncmp(name, DIRECTORY_CUBIN "-", strlen(DIRECTORY_CUBIN "-")) != 0) &&
	    strcmp(name, DIRECTORY_SCHEMA) != 0)
		return 0;
	error = snapshot_file_copy(snapshot->from, snapshot->to, name);
	return error == -ENOENT ? 0 : error;
}

static int control_read(struct snapshot *snapshot)
{
	int fd = open_below(snapshot->from, DIRECTORY_CONTROL);
	ssize_t bytes = fd < 0 ? fd : pread(fd, &snapshot->control, sizeof(snapshot->control), 0);

	if (fd >= 0)
		close(fd);
	if (bytes != (ssize_t)sizeof(snapshot->control) ||
	    snapshot->control.magic != TANDEM_CONTROL_MAGIC)
		return fd < 0 ? fd : -ENOMSG;
	if (snapshot->control.version != TANDEM_CONTROL_VERSION)
		return -EPROTO;
	/* Of one that was saved, or has ended, all is there. */
	if (!snapshot->traced_only && snapshot->control.external)
		return snapshot->control.state == TANDEM_STATE_STOPPED ||
				       snapshot_lttng_name(snapshot->from, snapshot->lttng)
			       ? -ENOTSUP
			       : 0;
	return snapshot->control.ring_bytes ? 0 : -ENOTSUP;
}

static int control_write(struct snapshot *snapshot)
{
	struct tandem_control *control = &snapshot->control;
	int fd = openat(snapshot->to, DIRECTORY_CONTROL, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0600);
	int error = 0;

	if (fd < 0)
		return -errno;
	control->ring_bytes = 0;
	control->recording = 0;
	control->recorder_pid = 0;
	control->state = TANDEM_STATE_STOPPED;
	control->start_ticks = snapshot->description.start_ticks;
	control->start_monotonic_ns = snapshot->description.start_monotonic_ns;
	control->start_realtime_ns = snapshot->description.start_realtime_ns;
	if (*snapshot->lttng)
		watch_rings_forget(control);
	if (write(fd, control, sizeof(*control)) != (ssize_t)sizeof(*control))
		error = -ENOSPC;
	close(fd);
	return error;
}

/* LTTng's clock is the session's. It may take seconds until all that it has copied is on disk. */
static void lttng_times_set(struct snapshot *snapshot)
{
	const struct lttng_window *window = &snapshot->lttng_window;
	struct snapshot_description *description = &snapshot->description;

	if (window->begin_ns > description->start_monotonic_ns) {
		description->start_realtime_ns +=
			window->begin_ns - description->start_monotonic_ns;
		description->start_ticks = description->start_monotonic_ns = window->begin_ns;
	}
	if (window->end_ns > description->start_monotonic_ns &&
	    window->end_ns < description->end_monotonic_ns) {
		description->end_realtime_ns -= description->end_monotonic_ns - window->end_ns;
		description->end_ticks = description->end_monotonic_ns = window->end_ns;
	}
}

/* The session's begin, or where its streams are complete from. */
static void times_set(struct snapshot *snapshot)
{
	const struct tandem_packet_header *near = &snapshot->window.near;
	struct tandem_control *control = &snapshot->control;
	struct snapshot_description *description = &snapshot->description;

	description->start_ticks = control->start_ticks;
	description->start_monotonic_ns = control->start_monotonic_ns;
	description->start_realtime_ns = control->start_realtime_ns;
	lttng_times_set(snapshot);
	if (!near->magic || !control->ticks_hz)
		return;
	description->start_ticks = snapshot->window.from;
	description->start_monotonic_ns =
		near->monotonic_ns + (uint64_t)((double)(snapshot->window.from - near->ticks) *
						1e9 / (double)control->ticks_hz);
	description->start_realtime_ns +=
		description->start_monotonic_ns - control->start_monotonic_ns;
}

/* Now. */
static void end_set(struct snapshot *snapshot)
{
	struct snapshot_description *description = &snapshot->description;
	struct ticks_pair pair;
	struct timespec now;

	ticks_pair_read(&pair, snapshot->control.clock_source, PAIR_TRIES);
	clock_gettime(CLOCK_REALTIME, &now);
	description->end_ticks = pair.ticks;
	description->end_monotonic_ns = pair.monotonic_ns;
	description->end_realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool is_recorded(const struct snapshot *snapshot)
{
	const char *directory = snapshot->request->directory;

	return folder_is_locked(directory) || live_processes_find(directory, 1, NULL, NULL) ||
	       live_processes_count_streams(directory);
}

/* Of one that was killed: where its last event is. */
static void end_move(struct snapshot *snapshot)
{
	struct snapshot_description *description = &snapshot->description;
	uint64_t last = snapshot->window.last_ticks, ns;

	if (last < description->start_ticks || last >= description->end_ticks ||
	    !snapshot->control.ticks_hz || is_recorded(snapshot))
		return;
	ns = (uint64_t)((double)(last - description->start_ticks) * 1e9 /
			(double)snapshot->control.ticks_hz);
	description->end_ticks = last;
	description->end_monotonic_ns = description->start_monotonic_ns + ns;
	description->end_realtime_ns = description->start_realtime_ns + ns;
}

static int copy_all(struct snapshot *snapshot)
{
	struct snapshot_description *description = &snapshot->description;
	int error;

	snapshot->window.subbuffer_bytes = snapshot->control.subbuffer_bytes;
	error = *snapshot->lttng
			? snapshot_lttng_save(snapshot->lttng, snapshot->from, snapshot->to,
					      &snapshot->lttng_window, snapshot->error)
			: each_entry(snapshot, entry_read);
	end_set(snapshot);
	times_set(snapshot);
	for (size_t i = 0; !error && i < snapshot->count; i++)
		error = snapshot_folder_write(&snapshot->folders[i], snapshot->to,
					      &snapshot->window);
	if (!snapshot->traced_only)
		end_move(snapshot);
	if (!error)
		error = each_entry(snapshot, entry_copy);
	if (error)
		return error;
	description->streams = snapshot->window.streams;
	error = snapshot_description_copy(snapshot->from, snapshot->to, description);
	return error ? error : control_write(snapshot);
}

static int explain(const struct snapshot_request *request, const char *output, int status,
		   struct error *error)
{
	switch (status) {
	case -ENOTSUP:
		error_set_hint(error, "record with `tandem record --snapshot` to save moments of a "
				      "run that goes on");
		return error_add(
			error, status,
			"%s is not a flight recorder's session: all of it is there to read",
			request->directory);
	case -EEXIST:
		return error_add(error, status, "%s already exists: give another name with -o",
				 output);
	case -ENODATA:
		return error_add(error, status, "%s: LTTng's rings hold no event of Tandem's",
				 request->directory);
	case -EPROTO:
		return error_add(error, status, "%s was made by another version of tandem",
				 request->directory);
	case -ENOMSG:
		return error_add(error, status, "%s is not a session: its control page is damaged",
				 request->directory);
	default:
		return error_add(error, status, "cannot save %s as %s: %s", request->directory,
				 output, strerror(-status));
	}
}

/* A name that is free. */
static int output_choose(const struct snapshot_request *request, char output[PATH_MAX])
{
	size_t length = strlen(request->directory);
	struct stat status;

	while (length > 1 && request->directory[length - 1] == '/')
		length--;
	if (length + 32 > PATH_MAX)
		return -ENAMETOOLONG;
	if (request->output) {
		if (snprintf(output, PATH_MAX, "%s", request->output) + 8 >= PATH_MAX)
			return -ENAMETOOLONG;
		return lstat(output, &status) ? 0 : -EEXIST;
	}
	for (unsigned n = 1; n < 100000; n++) {
		snprintf(output, PATH_MAX, "%.*s-snapshot-%u", (int)length, request->directory, n);
		if (lstat(output, &status) && errno == ENOENT)
			return 0;
	}
	return -EEXIST;
}

/* What LTTng saved there as well. */
static void draft_remove(const char *draft)
{
	char trace[PATH_MAX + 16];

	snprintf(trace, sizeof(trace), "%s/" DIRECTORY_LTTNG, draft);
	tree_remove(trace);
	folder_remove(draft);
}

/* Gives it its name, when it is whole. */
static int complete(const struct snapshot *snapshot, const char *draft,
		    struct snapshot_result *result)
{
	int status = 0;

	if (*snapshot->lttng && snapshot->request->import)
		status = snapshot->request->import(draft);
	result->unread = status && status != -ENODATA;
	if (status == -ENODATA)
		return status;
	return rename(draft, result->output) ? -errno : 0;
}

/* Under another name until it is complete. */
static int save(struct snapshot *snapshot, const char *draft)
{
	int error = control_read(snapshot);

	if (error)
		return error;
	/* One that was given a name may be anybody's. */
	if (snapshot->request->output)
		folder_remove(draft);
	else
		draft_remove(draft);
	if (mkdir(draft, 0700))
		return -errno;
	snapshot->drafted = true;
	snapshot->to = open_folder(draft);
	error = snapshot->to < 0 ? snapshot->to : copy_all(snapshot);
	if (snapshot->to >= 0)
		close(snapshot->to);
	for (size_t i = 0; i < snapshot->count; i++)
		snapshot_folder_free(&snapshot->folders[i]);
	free(snapshot->folders);
	return error;
}

int snapshot_save(const struct snapshot_request *request, struct snapshot_result *result,
		  struct error *error)
{
	struct snapshot snapshot = {
		.request = request,
		.from = open_folder(request->directory),
		.description = {.directory = request->directory,
				.reason = request->reason,
				.at_monotonic_ns = request->at_monotonic_ns},
		.error = error,
	};
	char draft[PATH_MAX + 8];
	int status = snapshot.from < 0 ? snapshot.from : output_choose(request, result->output);

	if (!status) {
		snprintf(draft, sizeof(draft), "%s.part", result->output);
		status = save(&snapshot, draft);
		if (!status)
			status = complete(&snapshot, draft, result);
		if (status && snapshot.drafted)
			draft_remove(draft);
	}
	if (snapshot.from >= 0)
		close(snapshot.from);
	if (status)
		return explain(request, result->output, status, error);
	result->lttng = *snapshot.lttng;
	result->records = snapshot.window.records;
	result->bytes = snapshot.window.bytes;
	result->begin_monotonic_ns = snapshot.description.start_monotonic_ns;
	result->window_ns =
		snapshot.description.end_monotonic_ns - snapshot.description.start_monotonic_ns;
	return 0;
}

/* A thread may have been interrupted between the time stamp of a record and its commit. */
static uint64_t look_since(const struct snapshot *snapshot, uint64_t ticks)
{
	uint64_t before = snapshot->control.ticks_hz / 10;

	return ticks > before ? ticks - before : 0;
}

int snapshot_look(struct snapshot_look *look, struct error *error)
{
	struct snapshot_request request = {.directory = look->directory};
	struct snapshot snapshot = {.request = &request,
				    .traced_only = true,
				    .from = open_folder(look->directory),
				    .description = {.directory = "", .reason = ""}};
	struct ticks_pair pair;
	int status = snapshot.from;

	if (status >= 0)
		status = control_read(&snapshot);
	if (!status) {
		ticks_pair_read(&pair, snapshot.control.clock_source, PAIR_TRIES);
		look->at_ticks = pair.ticks;
		look->at_monotonic_ns = pair.monotonic_ns;
		snapshot.window.since = snapshot.window.from = look_since(&snapshot, look->since);
		status = save(&snapshot, look->output);
	}
	if (snapshot.from >= 0)
		close(snapshot.from);
	look->overwritten = snapshot.window.overwritten;
	return status ? explain(&request, look->output, status, error) : 0;
}

int snapshot_finish(const char *directory, struct error *error)
{
	struct snapshot_request request = {.directory = directory};
	struct snapshot snapshot = {.request = &request,
				    .from = open_folder(directory),
				    .description = {.directory = "", .reason = ""}};
	char draft[PATH_MAX + 8];
	int status = snapshot.from;

	snprintf(draft, sizeof(draft), "%.*s.part", PATH_MAX - 1, directory);
	if (status >= 0)
		status = save(&snapshot, draft);
	/* One or the other is there at any moment. */
	if (!status && system_rename(draft, directory, RENAME_EXCHANGE))
		status = -errno;
	if (snapshot.from >= 0)
		close(snapshot.from);
	folder_remove(draft);
	if (!status)
		return 0;
	error_set_hint(error, "`tandem snapshot %s -o OUT` saves it elsewhere", directory);
	return error_add(error, status, "cannot make %s one that every command reads: %s",
			 directory, strerror(-status));
}
