/* SPDX-License-Identifier: MIT */
#include "trace/external/external_pipe.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "trace/watch.h"

/* Longer names of threads and system calls do not occur; longer words are cut. */
#define TEXT_BYTES 512

enum message { MESSAGE_BEGIN = 1, MESSAGE_EVENT, MESSAGE_END };

/* Its length and 1, or 0: there is none; then its bytes. */
static void text_write(FILE *file, const char *text)
{
	size_t length = text ? strnlen(text, TEXT_BYTES - 1) : 0;
	uint16_t told = text ? (uint16_t)(length + 1) : 0;

	fwrite(&told, sizeof(told), 1, file);
	if (length)
		fwrite(text, 1, length, file);
}

/* False: the file ended. *text is NULL where there is none. */
static bool text_read(FILE *file, char room[TEXT_BYTES], const char **text)
{
	uint16_t told;

	*text = NULL;
	if (fread(&told, sizeof(told), 1, file) != 1 || told > TEXT_BYTES)
		return false;
	if (!told)
		return true;
	room[told - 1] = '\0';
	*text = room;
	return told == 1 || fread(room, 1, told - 1u, file) == told - 1u;
}

static int on_begin(void *user, const struct external_description *description)
{
	FILE *file = user;

	fputc(MESSAGE_BEGIN, file);
	text_write(file, description->tool);
	text_write(file, description->host);
	text_write(file, description->release);
	text_write(file, description->boot_id);
	text_write(file, description->clock);
	/* It may not be wanted: then nobody reads on, which a write finds out. */
	return fflush(file) ? -EPIPE : 0;
}

static int on_event(void *user, const struct external_event *event)
{
	FILE *file = user;

	fputc(MESSAGE_EVENT, file);
	fwrite(event, sizeof(*event), 1, file);
	text_write(file, event->name);
	text_write(file, event->other_name);
	return ferror(file) ? -EPIPE : 0;
}

struct external_sink external_pipe_sink(FILE *file)
{
	return (struct external_sink){
		.begin = on_begin, .event = on_event, .alive = watch_alive, .user = file};
}

void external_pipe_end(FILE *file, int status, const char *why)
{
	fputc(MESSAGE_END, file);
	fwrite(&status, sizeof(status), 1, file);
	text_write(file, why);
	fflush(file);
}

static int read_begin(FILE *file, const struct external_sink *sink)
{
	struct external_description description;
	char rooms[5][TEXT_BYTES];

	if (!text_read(file, rooms[0], &description.tool) ||
	    !text_read(file, rooms[1], &description.host) ||
	    !text_read(file, rooms[2], &description.release) ||
	    !text_read(file, rooms[3], &description.boot_id) ||
	    !text_read(file, rooms[4], &description.clock))
		return -EPIPE;
	return sink->begin(sink->user, &description);
}

static int read_event(FILE *file, const struct external_sink *sink)
{
	char name[TEXT_BYTES], other_name[TEXT_BYTES];
	struct external_event event;

	if (fread(&event, sizeof(event), 1, file) != 1)
		return -EPIPE;
	/* What pointed into the other process. */
	event.format = NULL;
	event.data = NULL;
	event.bytes = 0;
	if (!text_read(file, name, &event.name) || !text_read(file, other_name, &event.other_name))
		return -EPIPE;
	return sink->event(sink->user, &event);
}

static int read_end(FILE *file, char *why, size_t why_bytes)
{
	char room[TEXT_BYTES];
	const char *words;
	int status;

	if (fread(&status, sizeof(status), 1, file) != 1 || !text_read(file, room, &words))
		return -EPIPE;
	snprintf(why, why_bytes, "%s", words ? words : "");
	return status;
}

int external_pipe_read(FILE *file, const struct external_sink *sink, char *why, size_t why_bytes)
{
	for (;;) {
		int status;

		switch (fgetc(file)) {
		case MESSAGE_BEGIN:
			status = read_begin(file, sink);
			break;
		case MESSAGE_EVENT:
			status = read_event(file, sink);
			break;
		case MESSAGE_END:
			return read_end(file, why, why_bytes);
		default:
			return -EPIPE;
		}
		if (status)
			return status;
	}
}
