/* SPDX-License-Identifier: MIT */
/* The kernel's side of an LTTng session: a channel of the kernel tracer (lttng-modules) with what
 * the scheduler does, where there is one and the user may use it. One thread.
 *
 *	struct lttng_kernel_request request = {.session = "tandem-123", ...};
 *	char note[LTTNG_KERNEL_NOTE_BYTES];
 *
 *	status = lttng_kernel_enable(&request, note, &error);
 *	if (!status && *note)
 *		puts(note);
 */
#ifndef TANDEM_RECORDER_LTTNG_KERNEL_H
#define TANDEM_RECORDER_LTTNG_KERNEL_H

#include <stdbool.h>

#include "util/error.h"

#define LTTNG_KERNEL_NOTE_BYTES 768

struct lttng_kernel_request {
	const char *session;	  /* not started yet */
	const char *size, *count; /* of the sub-buffers, as options of lttng(1) */
	bool rings;		  /* the session is for snapshots */
};

/* 0, also where nothing can be
 * had: `note` says why, with the fix, and is "" otherwise. -errno: the daemon did not answer, as
 * `error` says. */
int lttng_kernel_enable(const struct lttng_kernel_request *request,
			char note[LTTNG_KERNEL_NOTE_BYTES], struct error *error);

#endif
