/* SPDX-License-Identifier: MIT */
/* Ends the collector's perf events without letting anybody wait: for each
 * tracepoint whose last event is closed the kernel waits until no CPU can still
 * be in it, some 40 ms a tracepoint. */
#ifndef TANDEM_LINUX_REAPER_H
#define TANDEM_LINUX_REAPER_H

#include <stddef.h>
#include <sys/uio.h>

/* The child's name. It has this process's memory, mappings included. */
#define LINUX_REAPER_NAME "tandem-close"

/* Hands these descriptors to a child that closes them once this process has exited, and
 * closes them here. None of the caller's other files stays open in the child. Where no
 * child can be made, closing takes as long as it takes. The same for mappings, of which nothing
 * is used any more: they go with this process where it has no child. */
void linux_reap(const int *fds, size_t count, const struct iovec *maps, size_t map_count);

#endif
