/* SPDX-License-Identifier: MIT */
/* The CTF traces below a folder, and what their metadata say of who wrote them: found
 * without libbabeltrace2, which is slower and may end the process. Links are not
 * followed. One thread.
 *
 *	struct trace_folders folders;
 *
 *	if (!trace_folders_find(&folders, "lttng-traces/app"))
 *		puts(folders.list[0].path);
 *	trace_folders_free(&folders);
 */
#ifndef TANDEM_TRACE_TRACE_FOLDERS_H
#define TANDEM_TRACE_TRACE_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_folder {
	char *path;
	char *uuid, *host, *boot_id, *clock; /* as the metadata have them; "": not told */
	uint64_t offset_ns;		     /* its clock's, to the time of day */
	bool kernel;			     /* LTTng's of the kernel */
	bool ours;			     /* its events are of our providers */
	unsigned
		packet_size_at; /* bytes into each packet; 0: laid out in another way than LTTng's */
};

struct trace_folders { /* those of one trace (a rotation's chunks) one after another */
	struct trace_folder *list;
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM; there may be none. */
int trace_folders_find(struct trace_folders *folders, const char *path);
void trace_folders_free(struct trace_folders *folders);

#endif
