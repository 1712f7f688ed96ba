/* SPDX-License-Identifier: MIT */
/* What has to outlive a tool that goes before the process does. Not in a traced call. */
#ifndef TANDEM_TRACER_KEEP_H
#define TANDEM_TRACER_KEEP_H

/* The library that has this function stays loaded. NULL: nothing. */
void keep_library(const void *function);

/* An exit handler that runs before those that are registered by now. */
void keep_exit_handler(void (*handler)(void));

#endif
