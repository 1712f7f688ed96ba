/* A file of a session, read at offsets. It stays open while few are, so that a
 * session of thousands of threads does not run out of descriptors. Reads with
 * pread(): a file that shrinks while it is read gives a short count, never a
 * signal. One thread.
 *
 *	struct trace_file file = {.path = "DIR/process-1/stream-1", .fd = -1};
 *	ssize_t bytes = trace_file_read(&file, buffer, sizeof(buffer), 0);
 *	trace_file_close(&file);
 */
#ifndef TANDEM_TRACE_FILE_H
#define TANDEM_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_files { /* of one session */
	unsigned open;
	unsigned most; /* that are left open; 0: none */
};

/* Leaves some of the process's descriptors to others. */
void trace_files_init(struct trace_files *files);

struct trace_file {
	struct trace_files *files; /* borrowed */
	const char *path;	   /* borrowed */
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
int trace_file_load(const char *path, size_t max_bytes, char **data, size_t *bytes);

#endif
