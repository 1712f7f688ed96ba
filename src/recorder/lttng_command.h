/* SPDX-License-Identifier: MIT */
/* One run of the command lttng(1), which speaks to LTTng's session daemon. It waits for the
 * daemon's answer for ever; we do not. While the daemon has trace data to write, lttng(1) prints a
 * dot now and then: that is an answer. One thread.
 *
 *	char *words[] = {"lttng", "start", "tandem-123", NULL};
 *
 *	status = lttng_command(words, LTTNG_PATIENCE_S, &error);
 */
#ifndef TANDEM_RECORDER_LTTNG_COMMAND_H
#define TANDEM_RECORDER_LTTNG_COMMAND_H

#include <stdint.h>

#include "util/error.h"

/* Without a word of lttng(1)'s. A daemon that has thousands of processes to tell may take seconds. */
#define LTTNG_PATIENCE_S 30
/* Of a daemon that saves rings: without a byte more, and with a daemon that is stopped. */
#define LTTNG_PATIENCE_STOPPED_S 10

/* The first word, where no daemon is to be started. */
#define LTTNG_NO_DAEMON "--no-sessiond"

/* 0; -ETIMEDOUT: the daemon did not answer; else -errno. What lttng(1) said last is in `error`,
 * with the fix. */
int lttng_command(char *const words[], unsigned patience_s, struct error *error);

/* The same; it adds up the events and packets that lttng(1) says were lost. */
int lttng_command_counting(char *const words[], unsigned patience_s, uint64_t *lost,
			   struct error *error);

/* The same of one that saves rings below `folder`, without a word as long as it takes: it goes on
 * while files grow there. */
int lttng_command_saving(char *const words[], const char *folder, struct error *error);

/* What it prints goes into the file `said`. Its wait status, or -errno as above. */
int lttng_command_into(char *const words[], int said, unsigned patience_s);

/* Adds that the daemon did not answer, which one if it is stopped, and what to do. Returns -ETIMEDOUT. */
int lttng_command_unanswered(struct error *error, const char *command, unsigned patience_s);

#endif
