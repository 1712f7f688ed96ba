/* SPDX-License-Identifier: MIT */
#include "trace/session/session_open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/helper.h"
#include "format/ticks.h"
#include "trace/session/process_open.h"
#include "trace/session/session_files.h"
#include "trace/stream/index.h"
#include "trace/stream/threads.h"
#include "util/array.h"
#include "util/folder/open_below.h"
#include "util/map.h"
#include "util/order/compare.h"

static int process_compare(const void *a, const void *b)
{
	const struct trace_process *left = a, *right = b;

	return COMPARE(left->kernel, right->kernel)
	       ?: COMPARE(left->pid, right->pid) ?: COMPARE(left->instance, right->instance);
}

/* Whether the process was killed while it began: its folder is there, and what it would
 * have held has no name yet. Nothing was recorded, and nothing is damaged. */
static bool process_has_not_begun(const struct trace_session *session, const char *name)
{
	int fd = open_folder_below(session->files.folder, name);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	bool empty = folder != NULL;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (struct dirent *entry; empty && (entry = readdir(folder));)
		empty = entry->d_name[0] == '.';
	closedir(folder);
	return empty;
}

static int session_add_process(struct trace_session *session, size_t *capacity, const char *name,
			       struct error *error)
{
	char *path;
	int status = -ENOMEM;

	if (process_has_not_begun(session, name))
		return 0;
	path = trace_session_file(session, name);
	if (path && !array_reserve(&session->processes, capacity, session->process_count + 1,
				   sizeof(*session->processes))) {
		status = trace_process_open(&session->processes[session->process_count], session,
					    &session->files, path, session->problems, error);
		if (!status && session->processes[session->process_count].elsewhere)
			trace_process_close(&session->processes[session->process_count]);
		else if (!status)
			session->process_count++;
	}
	free(path);
	return status;
}

static int session_add_one(struct trace_session *session, size_t *capacity, size_t number)
{
	const struct trace_run *run = &session->run;
	const struct trace_run_process *known = &run->processes[number];
	struct trace_process *process;

	if (array_reserve(&session->processes, capacity, session->process_count + 1,
			  sizeof(*session->processes)))
		return -ENOMEM;
	process = &session->processes[session->process_count++];
	*process = (struct trace_process){
		.session = session,
		.files = &session->files,
		.path = strdup(""),
		.untraced = true,
		.pid = known->pid,
		.ppid = known->ppid,
		.name = strdup(known->name),
		.command = strdup(number ? "" : run->command),
		.level = session->args_level,
		.ticks_hz = run->ticks_hz,
	};
	return process->path && process->name && process->command ? 0 : -ENOMEM;
}

enum { TRACED, UNTRACED };

static bool is_helper(const struct trace_run_process *process, const struct map *traced)
{
	return format_is_helper(process->exec, process->name, process->lived_ns,
				map_get(traced, process->ppid) == TRACED);
}

/* Older recorders with --sample listed a forked process twice, and gave the first its begin only. */
static bool is_listed_again(const struct trace_run *run, size_t number, const struct map *latest)
{
	const struct trace_run_process *process = &run->processes[number];
	uint64_t again = map_get(latest, process->pid);

	return !process->exec && !process->lived_ns && again != number && again != MAP_NONE &&
	       run->processes[again].ppid == process->ppid;
}

/* Processes that the recording started and that recorded nothing themselves. */
static int session_add_untraced(struct trace_session *session, size_t *capacity)
{
	const struct trace_run *run = &session->run;
	struct map pids = {.count = 0}, latest = {.count = 0};
	int status = 0;

	for (size_t i = 0; !status && i < run->process_count; i++)
		status = map_set(&latest, run->processes[i].pid, i);
	for (size_t i = 0; !status && i < session->process_count; i++)
		if (!session->processes[i].kernel)
			status = map_set(&pids, session->processes[i].pid, TRACED);
	for (size_t i = 0; !status && i < run->process_count; i++) {
		if (is_listed_again(run, i, &latest))
			continue;
		if (run->processes[i].pid && map_get(&pids, run->processes[i].pid) == MAP_NONE &&
		    !is_helper(&run->processes[i], &pids))
			status = session_add_one(session, capacity, i);
		/* A number that is used again is one process to all that follows. */
		if (!status && map_get(&pids, run->processes[i].pid) == MAP_NONE)
			status = map_set(&pids, run->processes[i].pid, UNTRACED);
	}
	map_free(&latest);
	map_free(&pids);
	return status;
}

static int session_scan(struct trace_session *session, struct error *error)
{
	int fd = open_folder_below(session->files.folder, ".");
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t capacity = 0;
	int status = 0;

	if (!folder) {
		status = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return error_add(error, status, "%s: %s", session->path, strerror(-status));
	}
	while (!status && (entry = readdir(folder))) {
		if (!strcmp(entry->d_name, DIRECTORY_SYSTEM) || directory_is_process(entry->d_name))
			status = session_add_process(session, &capacity, entry->d_name, error);
	}
	closedir(folder);
	if (!status)
		status = session_add_untraced(session, &capacity);
	for (size_t i = 0; i < session->process_count; i++)
		session->traced_count += !session->processes[i].kernel;
	if (session->process_count)
		qsort(session->processes, session->process_count, sizeof(*session->processes),
		      process_compare);
	return status;
}

/* Clocks are not that exact: what is so near to the end of the run belongs to it. */
#define OUTLIVED_LEAST_NS INT64_C(1000000)

/* A program may leave processes behind, which go on recording. */
static uint64_t session_outlived_ns(struct trace_session *session, uint64_t last_ticks)
{
	const struct trace_run *run = &session->run;
	int64_t after_ns;

	if (!run->has_end || !run->end_monotonic_ns || run->stopped_monotonic_ns || !last_ticks)
		return 0;
	after_ns = trace_clock_ns(&session->clock, last_ticks) - (int64_t)run->end_monotonic_ns;
	return after_ns >= OUTLIVED_LEAST_NS ? (uint64_t)after_ns : 0;
}

/* Headers of all packets: numbers of the streams, pairs of the clock. */
static void session_index(struct trace_session *session)
{
	struct trace_clock *clock = &session->clock;
	const struct trace_run *run = &session->run;
	uint64_t hz = run->ticks_hz, first = UINT64_MAX, traced_last = 0;

	for (size_t i = 0; !hz && i < session->process_count; i++)
		hz = session->processes[i].ticks_hz;
	trace_clock_init(clock, hz);
	if (run->start_ticks && run->start_monotonic_ns)
		trace_clock_add(clock, run->start_ticks, run->start_monotonic_ns, 0);
	if (run->has_end && run->end_ticks)
		trace_clock_add(clock, run->end_ticks, run->end_monotonic_ns, 0);
	for (size_t i = 0; i < session->process_count; i++) {
		struct trace_process *process = &session->processes[i];

		process->index = (unsigned)i;
		for (size_t j = 0; j < process->stream_count; j++)
			process->streams[j].process = process;
		if (!process->kernel)
			trace_process_split_threads(process);
		for (size_t j = 0; j < process->stream_count; j++) {
			struct trace_stream *stream = &process->streams[j];

			/* They were at another address while the array grew. */
			stream->process = process;
			stream->index = (unsigned)session->stream_count++;
			trace_stream_index(stream, clock);
			session->content_bytes += stream->content_bytes;
			if (stream->first_ticks < first)
				first = stream->first_ticks;
			if (stream->last_ticks > session->last_ticks)
				session->last_ticks = stream->last_ticks;
			if (!process->kernel && stream->last_ticks > traced_last)
				traced_last = stream->last_ticks;
		}
	}
	trace_clock_finish(clock);
	session->start_ticks = run->start_ticks ? run->start_ticks : first;
	session->start_ns = run->start_monotonic_ns
				    ? (int64_t)run->start_monotonic_ns
				    : (first == UINT64_MAX ? 0 : trace_clock_ns(clock, first));
	session->outlived_ns = session_outlived_ns(session, traced_last);
}

/* After processes have come or gone: their numbers and those of their streams. */
static void session_renumber(struct trace_session *session)
{
	session->stream_count = 0;
	session->content_bytes = 0;
	for (size_t i = 0; i < session->process_count; i++) {
		struct trace_process *process = &session->processes[i];

		process->index = (unsigned)i;
		for (size_t j = 0; j < process->stream_count; j++) {
			process->streams[j].process = process;
			process->streams[j].index = (unsigned)session->stream_count++;
			session->content_bytes += process->streams[j].content_bytes;
		}
	}
}

/* What this build writes itself is laid out as it knows, whatever the session's own
 * records are. */
static const struct trace_layouts *builtin_layouts(struct trace_session *session,
						   enum tandem_args_level level)
{
	const struct trace_schema_domain *of = &session->schema.domains[TANDEM_DOMAIN_kernel];

	if (of->domain == tandem_domain_get(TANDEM_DOMAIN_kernel))
		return trace_session_layouts(session, level);
	if (!session->builtin) {
		session->builtin = trace_layouts_create(NULL, level);
		if (!session->builtin)
			return NULL;
		trace_layouts_number(session->builtin, session->event_count);
		session->event_count += trace_layouts_count(session->builtin);
	}
	return session->builtin;
}

int trace_session_replace_kernel(struct trace_session *session, const char *folder,
				 struct error *error)
{
	struct trace_process *processes = calloc(session->traced_count + 1, sizeof(*processes));
	/* What its packets say of the clock was computed from the clock. */
	struct trace_clock *unused = calloc(1, sizeof(*unused));
	char *from = strdup(folder);
	struct trace_process *kernel = processes ? &processes[session->traced_count] : NULL;
	struct trace_files files, *kernel_files = &session->kernel_files;
	int status = trace_files_open(&files, folder);

	if (status)
		error_add(error, status, "%s: %s", folder, strerror(-status));
	else if (!processes || !unused || !from)
		status = -ENOMEM;
	if (!status)
		status = trace_process_open(kernel, session, &files, folder, session->problems,
					    error);
	if (!status) {
		kernel->layouts = builtin_layouts(session, kernel->level);
		status = kernel->layouts ? 0 : -ENOMEM;
	}
	if (status) {
		trace_files_close(&files);
		free(processes);
		free(unused);
		free(from);
		return status;
	}
	if (session->traced_count)
		memcpy(processes, session->processes, session->traced_count * sizeof(*processes));
	for (size_t i = session->traced_count; i < session->process_count; i++)
		trace_process_close(&session->processes[i]);
	free(session->processes);
	free(session->kernel_from);
	trace_files_close(kernel_files);
	*kernel_files = files;
	kernel->files = kernel_files;
	session->kernel_from = from;
	session->processes = processes;
	session->process_count = session->traced_count + 1;
	session_renumber(session);
	trace_clock_init(unused, session->run.ticks_hz);
	for (size_t i = 0; i < kernel->stream_count; i++)
		trace_stream_index(&kernel->streams[i], unused);
	free(unused);
	session_renumber(session);
	return 0;
}

/* Whether the directory is there, and one of ours. */
static int session_check(const struct trace_session *session, struct error *error)
{
	struct stat status;
	int folder = session->files.folder;

	if (folder == -ENOTDIR) {
		error_set_hint(error, "give the directory that `tandem record` made");
		return error_add(error, -ENOTDIR, "%s: not a directory", session->path);
	}
	if (folder < 0)
		return error_add(error, folder, "%s: %s", session->path, strerror(-folder));
	return !fstatat(folder, DIRECTORY_CONTROL, &status, AT_SYMLINK_NOFOLLOW) ||
			       !fstatat(folder, DIRECTORY_DESCRIPTION, &status, AT_SYMLINK_NOFOLLOW)
		       ? 0
		       : -EINVAL;
}

/* Once all metadata is read: what the streams hold. */
static int session_lay_out(struct trace_session *session)
{
	int status = trace_schema_finish(&session->schema);

	for (size_t i = 0; !status && i < session->process_count; i++) {
		struct trace_process *process = &session->processes[i];

		process->layouts = trace_session_layouts(session, process->level);
		if (process->layouts && process->left_out)
			process->layouts = process->own_layouts = trace_layouts_without(
				process->layouts, &session->schema, process->left_out);
		if (!process->layouts)
			status = -ENOMEM;
	}
	for (unsigned i = 0; !status && i < TRACE_DOMAINS; i++)
		if (session->schema.domains[i].domain && !session->schema.domains[i].known)
			trace_problem(session->problems, session->path, TRACE_PROBLEM_WHOLE(i),
				      "holds events of the domain %s, which this tandem does not "
				      "have: they are shown as the session describes them",
				      session->schema.domains[i].row->name);
	/* Whatever the processes are: others ask for the number of events. */
	if (!status && !trace_session_layouts(session, session->args_level))
		status = -ENOMEM;
	return status;
}

static int session_load(struct trace_session *session, struct error *error)
{
	int ours = session_check(session, error);
	int status = ours == -EINVAL ? 0 : ours;

	if (!status)
		status = trace_session_read_control(session, ours ? NULL : session->problems);
	if (!status && session->has_rings) {
		error_set_hint(error, "`tandem snapshot %s` saves what it holds, to be read",
			       session->path);
		return error_add(error, -EBUSY,
				 "%s is a flight recorder's, and holds its events in rings",
				 session->path);
	}
	if (!status)
		status = trace_session_read_run(session, ours ? NULL : session->problems);
	if (status)
		return status;
	status = trace_session_read_schema(session);
	if (!status)
		status = session_scan(session, error);
	if (!status && session->streams_held < session->run.streams)
		trace_problem(session->problems, session->path, TRACE_PROBLEM_WHOLE(UINT8_MAX),
			      "%" PRIu64 " of %" PRIu64
			      " streams are missing or empty: copy the session again",
			      session->run.streams - session->streams_held, session->run.streams);
	if (!status)
		status = session_lay_out(session);
	if (!status && ours && !session->process_count) {
		error_set_hint(error, "give the directory that `tandem record` made");
		return error_add(error, -EINVAL, "%s: not a recorded session", session->path);
	}
	return status;
}

int trace_session_open(struct trace_session *session, const char *path,
		       struct trace_problems *problems, struct error *error)
{
	size_t length = strlen(path);
	int status;

	while (length > 1 && path[length - 1] == '/')
		length--;
	*session = (struct trace_session){.problems = problems,
					  .args_level = TANDEM_ARGS_BASIC,
					  .path = strndup(path, length)};
	session->given = session->path;
	trace_run_init(&session->run);
	session->files.folder = session->kernel_files.folder = -1;
	if (session->path)
		trace_files_open(&session->files, session->path);
	status = session->path ? session_load(session, error) : -ENOMEM;
	if (!status)
		session_index(session);
	else if (status == -ENOMEM)
		error_add(error, status, "%s: out of memory", path);
	if (status)
		trace_session_close(session);
	return status;
}

void trace_session_close(struct trace_session *session)
{
	for (size_t i = 0; i < session->process_count; i++)
		trace_process_close(&session->processes[i]);
	for (unsigned i = 0; i < 3; i++)
		trace_layouts_destroy(session->layouts[i]);
	trace_layouts_destroy(session->builtin);
	trace_schema_free(&session->schema);
	trace_run_free(&session->run);
	trace_files_close(&session->files);
	trace_files_close(&session->kernel_files);
	free(session->processes);
	free(session->kernel_from);
	free(session->path);
	*session = (struct trace_session){.path = NULL};
}
