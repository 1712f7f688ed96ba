/* SPDX-License-Identifier: MIT */
#include "trace/stream/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/folder/open_below.h"

/* More bring nothing: opening a file costs little next to reading a block. */
#define FILES_OPEN 256u

int trace_files_open(struct trace_files *files, const char *path)
{
	struct rlimit limit;

	*files = (struct trace_files){
		.folder = open_folder(path), .path_bytes = strlen(path), .most = FILES_OPEN};
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 4 < FILES_OPEN)
		files->most = (unsigned)limit.rlim_cur / 4;
	return files->folder < 0 ? files->folder : 0;
}

void trace_files_close(struct trace_files *files)
{
	if (files->folder >= 0)
		close(files->folder);
	files->folder = -1;
}

/* Relative to the directory. */
static const char *files_name(const struct trace_files *files, const char *path)
{
	path += files->path_bytes;
	path += strspn(path, "/");
	return *path ? path : ".";
}

int trace_files_folder(const struct trace_files *files, const char *path)
{
	return open_folder_below(files->folder, files_name(files, path));
}

static int file_open(struct trace_file *file)
{
	int fd;

	if (file->fd >= 0)
		return 0;
	fd = open_below(file->files->folder, files_name(file->files, file->path));
	if (fd < 0)
		return fd;
	file->fd = fd;
	file->files->open++;
	return 0;
}

static void file_rest(struct trace_file *file)
{
	if (file->files->open > file->files->most)
		trace_file_close(file);
}

int64_t trace_file_size(struct trace_file *file)
{
	struct stat status;
	int error = file_open(file);

	if (error)
		return error;
	if (fstat(file->fd, &status))
		error = -errno;
	file_rest(file);
	return error ? error : status.st_size;
}

static ssize_t read_all(int fd, char *buffer, size_t bytes, uint64_t offset)
{
	size_t done = 0;

	if (offset > INT64_MAX)
		return 0;
	while (done < bytes) {
		ssize_t got = pread(fd, buffer + done, bytes - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return done ? (ssize_t)done : -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

ssize_t trace_file_read(struct trace_file *file, void *buffer, size_t bytes, uint64_t offset)
{
	ssize_t got = file_open(file);

	if (got < 0)
		return got;
	got = read_all(file->fd, buffer, bytes, offset);
	file_rest(file);
	return got;
}

void trace_file_close(struct trace_file *file)
{
	if (file->fd < 0)
		return;
	close(file->fd);
	file->fd = -1;
	file->files->open--;
}

int trace_file_load(struct trace_files *files, const char *path, size_t max_bytes, char **data,
		    size_t *bytes)
{
	struct trace_file file = {.files = files, .path = path, .fd = -1};
	int64_t size = trace_file_size(&file);
	ssize_t got = 0;
	char *memory = NULL;

	if (size >= 0) {
		size = size < (int64_t)max_bytes ? size : (int64_t)max_bytes;
		memory = malloc((size_t)size + 1);
		got = memory ? trace_file_read(&file, memory, (size_t)size, 0) : -ENOMEM;
	}
	trace_file_close(&file);
	if (size < 0 || got < 0) {
		free(memory);
		return size < 0 ? (int)size : (int)got;
	}
	memory[got] = '\0';
	*data = memory;
	*bytes = (size_t)got;
	return 0;
}
