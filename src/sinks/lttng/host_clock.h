/* SPDX-License-Identifier: MIT */
/* The record host_clock: how right this host's time of day is, by which a reader joins the traces
 * of several hosts (src/trace/external/hosts/host_time.h). */
#ifndef TANDEM_SINKS_LTTNG_HOST_CLOCK_H
#define TANDEM_SINKS_LTTNG_HOST_CLOCK_H

/* To the sessions that have it enabled; nothing where the kernel does not say. Where the library is
 * loaded, and in the threads of LTTng and of the sink. */
void lttng_host_clock_write(void);

#endif
