/* SPDX-License-Identifier: MIT */
#include "trace/session/process_open.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/directory.h"
#include "schema/control.h"
#include "trace/schema/metadata.h"
#include "trace/session/session.h"
#include "trace/stream/file.h"
#include "util/array.h"
#include "util/order/compare.h"

/* TSDL of every domain is some 100 KiB; more is not ours. */
#define METADATA_MAX_BYTES (8u << 20)

static struct trace_stream *process_stream(struct trace_process *process, uint64_t number)
{
	struct trace_stream *stream;

	if (array_reserve(&process->streams, &process->stream_capacity, process->stream_count + 1,
			  sizeof(*process->streams)))
		return NULL;
	stream = &process->streams[process->stream_count++];
	*stream = (struct trace_stream){
		.process = process, .number = number, .first_ticks = UINT64_MAX};
	return stream;
}

static char *file_path(const struct trace_process *process, const char *kind, uint64_t number)
{
	char name[DIRECTORY_NAME_BYTES], *path;

	directory_put(name, kind, number, 0);
	return asprintf(&path, "%s/%s", process->path, name) < 0 ? NULL : path;
}

static int process_add_file(struct trace_process *process, const char *name)
{
	struct directory_number number;
	struct trace_stream *stream;

	/* The first part has no number, and none has a larger one than fits. */
	if ((!directory_parse(name, DIRECTORY_STREAM, &number) &&
	     !directory_parse(name, DIRECTORY_WINDOW, &number)) ||
	    number.part == 1 || number.part > UINT_MAX)
		return 0;
	stream = process_stream(process, number.number);
	if (!stream)
		return -ENOMEM;
	stream->part = (unsigned)number.part;
	stream->stream_path = file_path(process, DIRECTORY_STREAM, number.number);
	stream->window_path = file_path(process, DIRECTORY_WINDOW, number.number);
	return stream->stream_path && stream->window_path ? 0 : -ENOMEM;
}

/* The path of the part that `stream` stands for. */
static int stream_add_part(struct trace_stream *to, const struct trace_stream *stream)
{
	char *path;

	if (!stream->part)
		return 0;
	if (array_reserve(&to->part_paths, &to->part_capacity, to->part_count + 1,
			  sizeof(*to->part_paths)) ||
	    asprintf(&path, "%s.%u", stream->stream_path, stream->part) < 0)
		return -ENOMEM;
	to->part_paths[to->part_count++] = path;
	return 0;
}

static int stream_compare(const void *a, const void *b)
{
	const struct trace_stream *left = a, *right = b;

	return COMPARE(left->number, right->number) ?: COMPARE(left->part, right->part);
}

/* Each file came as a stream: one is kept of those with one number, with their parts. */
static int process_join_files(struct trace_process *process)
{
	size_t kept = 0;
	int status = 0;

	if (process->stream_count)
		qsort(process->streams, process->stream_count, sizeof(*process->streams),
		      stream_compare);
	for (size_t i = 0; i < process->stream_count; i++) {
		struct trace_stream *stream = &process->streams[i];
		bool same = kept && process->streams[kept - 1].number == stream->number;

		if (!same)
			process->streams[kept] = *stream;
		if (!status)
			status = stream_add_part(&process->streams[same ? kept - 1 : kept], stream);
		if (same)
			trace_stream_free(stream);
		else
			kept++;
	}
	process->stream_count = kept;
	return status;
}

static int process_scan(struct trace_process *process, struct trace_problems *problems)
{
	int fd = trace_files_folder(process->files, process->path);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int status = 0, joined;

	if (!folder) {
		status = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		trace_problem(problems, process->path, 0, "cannot be read: %s", strerror(-status));
		return status == -ENOMEM ? status : 0;
	}
	while (!status && (entry = readdir(folder))) {
		status = process_add_file(process, entry->d_name);
		process->session->streams_held +=
			directory_holds_stream(dirfd(folder), entry->d_name);
	}
	closedir(folder);
	joined = process_join_files(process);
	return status ? status : joined;
}

static bool parse_uuid(const char *text, uint8_t uuid[16])
{
	unsigned digits = 0;

	for (; *text && digits < 32; text++) {
		unsigned value;

		if (*text == '-')
			continue;
		if (*text >= '0' && *text <= '9')
			value = (unsigned)(*text - '0');
		else if ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'f')
			value = (unsigned)((*text | 0x20) - 'a') + 10;
		else
			return false;
		uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | value);
		digits++;
	}
	return digits == 32 && !*text;
}

static int parse_level(const char *text, enum tandem_args_level *level)
{
	static const char *const words[] = {"none", "basic", "full"};

	for (unsigned i = 0; i < 3; i++) {
		if (!strcmp(text, words[i]) || (text[0] == (char)('0' + i) && !text[1])) {
			*level = (enum tandem_args_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int process_take(struct trace_process *process, const struct trace_metadata *metadata,
			bool cut, const char *file, struct trace_problems *problems)
{
	const char *level = trace_metadata_get(metadata, "env", "args_level", "");
	const char *boot = trace_metadata_get(metadata, "env", "boot_id", "");
	const struct trace_run *run = &process->session->run;

	const struct trace_run_host *host = trace_run_host(run, process->pid);

	/* The clocks of several hosts were joined when their traces were read. */
	if (*boot && *run->boot_id && strcmp(boot, host ? host->boot_id : run->boot_id) != 0) {
		process->elsewhere = true;
		trace_problem(
			problems, file, 0,
			"recorded on %.80s in another boot (%.40s) than the session (on %.80s, "
			"%.40s): their clocks can't be joined, so that it is left out",
			trace_metadata_get(metadata, "env", "hostname", "?"), boot, run->host,
			run->boot_id);
	}
	if (parse_level(level, &process->level) && !cut)
		trace_problem(problems, file, 0,
			      "says no level of arguments; the session's is "
			      "taken");
	process->has_uuid =
		parse_uuid(trace_metadata_get(metadata, "trace", "uuid", ""), process->uuid);
	process->ppid = trace_metadata_number(metadata, "env", "ppid", 0);
	process->ticks_hz = trace_metadata_number(metadata, "clock", "freq", 0);
	process->name = strdup(trace_metadata_get(metadata, "env", "procname", ""));
	process->command = strdup(trace_metadata_get(metadata, "env", "command", ""));
	return 0;
}

/* What the metadata says of events. */
static int process_describe(struct trace_process *process, const char *file, const char *text,
			    size_t bytes, struct trace_problems *problems)
{
	struct trace_session *session = process->session;
	struct trace_schema_said said;
	int status = trace_schema_add(&session->schema, process->level, text, bytes, &said);

	if (status)
		return status;
	if (said.bad)
		trace_problem(problems, file, said.bad_offset,
			      "%u descriptions of events that make no sense; events of which "
			      "nothing else was recorded are left out",
			      said.bad);
	for (unsigned i = 0; i < TRACE_DOMAINS; i++)
		if (said.conflicts >> i & 1)
			trace_problem(problems, file, TRACE_PROBLEM_WHOLE(i),
				      "describes domain %u otherwise than the session does: its "
				      "events of this process are left out",
				      i);
	process->left_out = said.conflicts;
	return 0;
}

/* Lines are whole, and first come the blocks that every process has. What was converted from another
 * trace describes no events. */
static bool metadata_is_cut(const struct trace_session *session,
			    const struct trace_metadata *metadata, const char *text, size_t bytes)
{
	bool recorded = *trace_metadata_get(metadata, "trace", "uuid", "");

	return text[bytes - 1] != '\n' || !metadata->whole ||
	       (recorded && trace_schema_is_cut(&session->schema, text, bytes));
}

static int process_read_metadata(struct trace_process *process, struct trace_problems *problems)
{
	struct trace_metadata metadata;
	char *file = NULL, *text = NULL;
	size_t bytes = 0;
	bool ours, cut;
	int status;

	if (asprintf(&file, "%s/" DIRECTORY_METADATA, process->path) < 0)
		return -ENOMEM;
	status = trace_file_load(process->files, file, METADATA_MAX_BYTES, &text, &bytes);
	if (!status && !bytes)
		trace_problem(problems, file, 0, "the file is empty");
	else if (status && status != -ENOMEM)
		trace_problem(problems, file, 0, "cannot be read: %s", strerror(-status));
	if (!status && bytes) {
		status = trace_metadata_parse(&metadata, text, bytes);
		cut = !status && metadata_is_cut(process->session, &metadata, text, bytes);
		if (cut)
			trace_problem(
				problems, file, bytes,
				"the file is cut off here: copy the session again; events are "
				"read as the session's schema describes them, and other readers "
				"of CTF can't read this folder");
		if (!status)
			status = process_take(process, &metadata, cut, file, problems);
		/* The hash of this very build: all is as it knows. */
		ours = !strcmp(trace_metadata_get(&metadata, "env", "schema", ""),
			       tandem_schema_hash);
		trace_metadata_free(&metadata);
		/* The line that is not whole says nothing. */
		while (cut && bytes && text[bytes - 1] != '\n')
			bytes--;
		if (!status && !ours)
			status = process_describe(process, file, text, bytes, problems);
	} else if (status != -ENOMEM) {
		status = 0;
	}
	free(text);
	free(file);
	return status;
}

/* Where its metadata does not say its name, session.json may. */
static const char *name_in_run(const struct trace_process *process)
{
	const struct trace_run *run = &process->session->run;

	for (size_t i = 0; i < run->process_count; i++)
		if (run->processes[i].pid == process->pid)
			return run->processes[i].name;
	return "";
}

int trace_process_open(struct trace_process *process, struct trace_session *session,
		       struct trace_files *files, const char *path, struct trace_problems *problems,
		       struct error *error)
{
	const char *name = strrchr(path, '/');
	struct directory_number number;
	int status;

	name = name ? name + 1 : path;
	*process = (struct trace_process){
		.session = session, .files = files, .level = session->args_level};
	/* A process's, or the operating system's. */
	process->kernel = !directory_parse(name, DIRECTORY_PROCESS, &number);
	if (!process->kernel) {
		process->pid = number.number;
		process->instance = number.part;
	}
	process->path = strdup(path);
	status = process->path ? process_read_metadata(process, problems) : -ENOMEM;
	if (!status)
		status = process_scan(process, problems);
	if (!process->name || !*process->name) {
		free(process->name);
		process->name = strdup(process->kernel ? "" : name_in_run(process));
	}
	if (!process->command)
		process->command = strdup("");
	if (!status && (!process->name || !process->command))
		status = -ENOMEM;
	if (status == -ENOMEM)
		error_add(error, status, "%s: out of memory", path);
	if (status)
		trace_process_close(process);
	return status;
}

void trace_process_close(struct trace_process *process)
{
	for (size_t i = 0; i < process->stream_count; i++)
		trace_stream_free(&process->streams[i]);
	free(process->streams);
	free(process->path);
	free(process->name);
	free(process->command);
	trace_layouts_destroy(process->own_layouts);
	*process = (struct trace_process){.session = NULL};
}
