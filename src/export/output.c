/* SPDX-License-Identifier: MIT */
#include "export/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)

char *output_part_of(const char *path, pid_t process)
{
	char *part = NULL;

	return asprintf(&part, "%s.part-%ld", path, (long)process) < 0 ? NULL : part;
}

char *output_part(const char *path)
{
	return output_part_of(path, getpid());
}

int output_make(const char *path)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0666);

	if (fd < 0 && errno == EEXIST && !unlink(path))
		fd = open(path, flags, 0666);
	return fd < 0 ? -errno : fd;
}

static void output_release(struct output *output)
{
	free(output->path);
	free(output->part);
	free(output->buffer);
	*output = (struct output){.fd = -1};
}

/* A file is replaced as a whole; what is no file (a pipe, /dev/null) is written. */
static int output_open_path(struct output *output, const char *path)
{
	struct stat known;

	output->path = strdup(path);
	if (!output->path)
		return -ENOMEM;
	if (!stat(path, &known) && !S_ISREG(known.st_mode)) {
		output->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return output->fd < 0 ? -errno : 0;
	}
	output->part = output_part(path);
	if (!output->part)
		return -ENOMEM;
	output->fd = output_make(output->part);
	return output->fd < 0 ? output->fd : 0;
}

int output_open(struct output *output, const char *path, struct error *error)
{
	int status = 0;

	*output = (struct output){.fd = -1, .buffer = malloc(BUFFER_BYTES)};
	if (!output->buffer) {
		status = -ENOMEM;
	} else if (!strcmp(path, "-")) {
		output->path = strdup("standard output");
		output->fd = dup(STDOUT_FILENO);
		if (!output->path || output->fd < 0)
			status = output->path ? -errno : -ENOMEM;
	} else {
		status = output_open_path(output, path);
	}
	if (status) {
		output_release(output);
		error_add(error, status, "%s: %s", path, strerror(-status));
	}
	return status;
}

static void output_write(struct output *output, const char *bytes, size_t count)
{
	while (count && !output->status) {
		ssize_t written = write(output->fd, bytes, count);

		if (written < 0 && errno != EINTR)
			output->status = -errno;
		if (written > 0) {
			bytes += written;
			count -= (size_t)written;
		}
	}
}

static void output_flush(struct output *output)
{
	output_write(output, output->buffer, output->used);
	output->used = 0;
}

void output_add(struct output *output, const void *bytes, size_t count)
{
	output->bytes += count;
	if (count > BUFFER_BYTES - output->used)
		output_flush(output);
	if (count > BUFFER_BYTES) {
		output_write(output, bytes, count);
		return;
	}
	memcpy(output->buffer + output->used, bytes, count);
	output->used += count;
}

void output_text(struct output *output, struct text *text)
{
	if (text->failed && !output->status)
		output->status = -ENOMEM;
	if (text->length)
		output_add(output, text->data, text->length);
	text_clear(text);
}

int output_write_out(struct output *output, struct error *error)
{
	output_flush(output);
	return output->status ? error_add(error, output->status, "%s: %s", output->path,
					  strerror(-output->status))
			      : 0;
}

int output_close(struct output *output, struct error *error)
{
	int status;

	output_flush(output);
	if (close(output->fd) && !output->status)
		output->status = -errno;
	output->fd = -1;
	if (!output->status && output->part && rename(output->part, output->path))
		output->status = -errno;
	status = output->status;
	if (status) {
		error_add(error, status, "%s: %s", output->path, strerror(-status));
		if (output->part)
			unlink(output->part);
	}
	output_release(output);
	return status;
}

void output_drop(struct output *output)
{
	if (output->fd < 0)
		return;
	close(output->fd);
	if (output->part)
		unlink(output->part);
	output_release(output);
}
