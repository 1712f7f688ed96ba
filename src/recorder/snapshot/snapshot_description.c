/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/snapshot_description.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/directory.h"
#include "util/folder/open_below.h"
#include "util/json.h"
#include "util/text.h"

/* Our own text, a member a line (recorder/description.c): whether the line is that member's. */
static bool is_member(const char *line, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(line, "  \"", 3) && !strncmp(line + 3, name, length) &&
	       !strncmp(line + 3 + length, "\": ", 3);
}

static void add_number(struct text *text, const char *name, uint64_t number)
{
	text_format(text, "  \"%s\": %llu,\n", name, (unsigned long long)number);
}

static void add_start(struct text *text, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	char stamp[32];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &utc);
	text_format(text, "  \"start\": \"%s.%09u+00:00\",\n", stamp,
		    (unsigned)(realtime_ns % 1000000000u));
}

static void add_snapshot(struct text *text, const struct snapshot_description *description)
{
	struct text object = TEXT_INIT;
	struct json json;

	json_init(&json, &object, false);
	json_begin_object(&json, NULL);
	json_string(&json, "of", description->directory);
	json_string(&json, "reason", description->reason);
	if (description->at_monotonic_ns)
		json_unsigned(&json, "at_monotonic_ns", description->at_monotonic_ns);
	json_end_object(&json);
	text_format(text, "  \"snapshot\": %s,\n", object.data ? object.data : "{}");
	text_free(&object);
}

static void add_end(struct text *text, const struct snapshot_description *description)
{
	text_format(text, "  \"end\": {\"ticks\": %llu, \"monotonic_ns\": %llu, ",
		    (unsigned long long)description->end_ticks,
		    (unsigned long long)description->end_monotonic_ns);
	text_format(text, "\"realtime_ns\": %llu},\n",
		    (unsigned long long)description->end_realtime_ns);
}

static void add_line(struct text *text, const char *line, size_t length,
		     const struct snapshot_description *description)
{
	if (is_member(line, "start"))
		add_start(text, description->start_realtime_ns);
	else if (is_member(line, "start_realtime_ns"))
		add_number(text, "start_realtime_ns", description->start_realtime_ns);
	else if (is_member(line, "start_monotonic_ns"))
		add_number(text, "start_monotonic_ns", description->start_monotonic_ns);
	else if (is_member(line, "start_ticks"))
		add_number(text, "start_ticks", description->start_ticks);
	else
		text_add(text, line, length);
}

static void compose(struct text *text, const char *from,
		    const struct snapshot_description *description)
{
	bool ended = strstr(from, "\n  \"end\": ");

	for (const char *line = from; *line;) {
		const char *end = strchr(line, '\n');
		size_t length = end ? (size_t)(end - line) + 1 : strlen(line);

		add_line(text, line, length, description);
		if (line == from) {
			if (*description->directory)
				add_snapshot(text, description);
			if (!ended)
				add_end(text, description);
			if (description->streams)
				add_number(text, "streams", description->streams);
		}
		line += length;
	}
}

static char *text_read(int folder)
{
	int fd = open_below(folder, DIRECTORY_DESCRIPTION);
	off_t bytes = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	char *text = bytes < 0 ? NULL : calloc(1, (size_t)bytes + 1);

	if (text && pread(fd, text, (size_t)bytes, 0) != bytes) {
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

int snapshot_description_copy(int from, int to, const struct snapshot_description *description)
{
	struct text text = TEXT_INIT;
	char *before = text_read(from);
	int fd, error = 0;

	if (!before)
		return -ENOENT;
	compose(&text, before, description);
	free(before);
	fd = openat(to, DIRECTORY_DESCRIPTION, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		error = -errno;
	else if (text.failed)
		error = -ENOMEM;
	else if (write(fd, text.data, text.length) != (ssize_t)text.length)
		error = -ENOSPC;
	if (fd >= 0)
		close(fd);
	text_free(&text);
	return error;
}
