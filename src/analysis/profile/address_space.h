/* SPDX-License-Identifier: MIT */
/* What the code of each process is, over time: which file lies where in its memory
 * (records `mapping`; children begin with their parent's, an exec begins anew).
 * Input in the order of time; memory grows with mappings. One thread.
 *
 *	address_spaces_consume(&address_spaces, event);               each event of the kernel's side
 *	space = address_spaces_get(&address_spaces, pid);
 *	mapping = address_space_find(space, address);
 */
#ifndef TANDEM_ANALYSIS_PROFILE_ADDRESS_SPACE_H
#define TANDEM_ANALYSIS_PROFILE_ADDRESS_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/intern.h"
#include "util/map.h"

#define ADDRESS_SPACES_BUILD_ID 20

struct mapped_file { /* the same path with another build-id is another file */
	const char *path;
	uint8_t build_id[ADDRESS_SPACES_BUILD_ID];
	uint32_t build_id_bytes; /* 0: not known */
};

struct space_mapping {
	uint64_t start, end;
	uint64_t offset; /* of `start`, in the file */
	uint32_t file;	 /* index in address_spaces->files */
};

struct space {
	uint32_t pid;
	struct space_mapping *mappings; /* by address, none over another */
	size_t count, capacity;
	uint64_t changes; /* counts up */
	void *user;	  /* the caller's: freed by it */
};

struct address_spaces {
	struct space **address_spaces;
	size_t count, capacity;
	struct map by_pid;
	struct mapped_file *files;
	size_t file_count, file_capacity;
	struct map by_file; /* path and build-id -> index */
	struct intern names;
};

/* Any event of a CPU's stream. Returns 0 or -ENOMEM. */
int address_spaces_consume(struct address_spaces *address_spaces, const struct trace_event *event);

/* Of a process of which nothing was heard: an empty one; NULL when memory ran out. */
struct space *address_spaces_get(struct address_spaces *address_spaces, uint32_t pid);

/* NULL: nothing is known to be there. */
const struct space_mapping *address_space_find(const struct space *space, uint64_t address);

void address_spaces_free(struct address_spaces *address_spaces);

#endif
