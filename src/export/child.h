/* SPDX-License-Identifier: MIT */
/* Work in a process of its own, for libraries that do not survive every error. One thread.
 *
 *	struct child_work work = {make, &request, &result, sizeof(result)};
 *	pid_t child;
 *
 *	status = child_run(&work, &child, &wait_status, error);
 *	if (status == -ECHILD)
 *		... it was killed, or has ended itself
 */
#ifndef TANDEM_EXPORT_CHILD_H
#define TANDEM_EXPORT_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "util/error.h"

struct child_work {
	/* Returns what child_run() returns, with causes in `error`. */
	int (*run)(const void *request, void *result, struct error *error);
	const void *request;
	void *result; /* as the child left it */
	size_t result_bytes;
};

/* Returns what the work did, -ECHILD: it did not come to its end (*child and *wait_status
 * say who and how), or another -errno: no child. */
int child_run(const struct child_work *work, pid_t *child, int *wait_status, struct error *error);

#endif
