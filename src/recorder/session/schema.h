/* SPDX-License-Identifier: MIT */
/* DIR/schema: descriptions of all events that the session may hold (doc/FORMAT.md). A third of
 * a megabyte, which takes a tenth of the time until the program starts: a thread writes it, and
 * is waited for before that. */
#ifndef TANDEM_RECORDER_SCHEMA_H
#define TANDEM_RECORDER_SCHEMA_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/control.h"

struct schema_writing {
	pthread_t thread;
	uint64_t domains;
	enum tandem_args_level level;
	int fd, error;
	bool running;
};

/* Begins to write the file, of the domains and the argument level of the control page. Both
 * return 0 or -errno. `writing` stays where it is; one that is all zeros may be waited for. */
int schema_write_start(struct schema_writing *writing, const char *path,
		       const struct tandem_control *control);

/* The file is whole, or never will be. Once more: the same answer. */
int schema_write_wait(struct schema_writing *writing);

#endif
