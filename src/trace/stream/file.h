/* SPDX-License-Identifier: MIT */
/* A file of a session, read at offsets and never written. It is found from the open
 * directory of the session, without following links, and only if it is a regular file
 * (util/folder/open_below.h). It stays open while few are, so that a session of thousands of
 * threads does not run out of descriptors. Reads with pread(): a file that shrinks while
 * it is read gives a short count, never a signal. A file is one thread's; several may use
 * files of one directory.
 *
 *	struct trace_files files;
 *	trace_files_open(&files, "DIR");
 *	struct trace_file file = {.files = &files, .path = "DIR/process-1/stream-1", .fd = -1};
 *	ssize_t bytes = trace_file_read(&file, buffer, sizeof(buffer), 0);
 *	trace_file_close(&file);
 *	trace_files_close(&files);
 */
#ifndef TANDEM_TRACE_FILE_H
#define TANDEM_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_files {	   /* of one directory: a session's, or an imported trace's */
	int folder;	   /* -1: none is open */
	size_t path_bytes; /* of the directory's own path, which begins that of each file */
	_Atomic unsigned open;
	unsigned most; /* that are left open; 0: none */
};

/* Opens the directory; leaves some of the process's descriptors to others. Returns 0 or
 * -errno: there is nothing to close. */
int trace_files_open(struct trace_files *files, const char *path);

void trace_files_close(struct trace_files *files);

/* A folder in it, to list it: `path` begins with the directory's own. Returns a
 * descriptor for the caller to close, or -errno. */
int trace_files_folder(const struct trace_files *files, const char *path);

struct trace_file {
	struct trace_files *files; /* borrowed */
	const char *path;	   /* with the directory's; borrowed */
	int fd;			   /* -1: closed */
};

/* Size in bytes now, or -errno. */
int64_t trace_file_size(struct trace_file *file);

/* Reads up to `bytes` bytes; less only at the end of the file. Returns the
 * number, or -errno. */
ssize_t trace_file_read(struct trace_file *file, void *buffer, size_t bytes, uint64_t offset);

/* Closes; it opens again by itself. */
void trace_file_close(struct trace_file *file);

/* Reads a whole small file, with a NUL behind. At most max_bytes: what is longer
 * is cut there. Returns 0 (the caller frees *data) or -errno. */
int trace_file_load(struct trace_files *files, const char *path, size_t max_bytes, char **data,
		    size_t *bytes);

#endif
