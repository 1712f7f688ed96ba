/* SPDX-License-Identifier: MIT */
/* What `tandem record --sink lttng` does beside recording: which options go with it, what LTTng's
 * daemons have left of others, and reading the trace in. One thread.
 */
#ifndef TANDEM_CLI_RECORD_LTTNG_H
#define TANDEM_CLI_RECORD_LTTNG_H

#include "recorder/recorder.h"

/* Of all options. 0, or the negative answer of options_parse(). */
int record_lttng_parse(struct recorder_options *recorder);

/* Says which session of a recorder that was killed is there. CLI_DONE, or CLI_FAILED where LTTng's
 * daemon does not answer. */
int record_lttng_left(const struct session_options *options);

/* Says why LTTng records no kernel events, and how to get them. */
void record_lttng_note(const struct recorder *recorder);

/* Into the recorded session. */
void record_lttng_import(const struct recorder *recorder);

#endif
