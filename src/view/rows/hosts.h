/* SPDX-License-Identifier: MIT */
/* What the rows of devices, processes and CPUs are below: the session, or where it is of several
 * hosts, each one's group. One thread.
 *
 *	view_hosts_init(&hosts, &writer, session, session_row);
 *	status = view_hosts_process(&hosts, pid, &parent);
 *	view_hosts_free(&hosts);
 */
#ifndef TANDEM_VIEW_HOSTS_H
#define TANDEM_VIEW_HOSTS_H

#include "trace/session/session.h"
#include "view/index/index_writer.h"

struct view_hosts {
	struct index_writer *writer; /* borrowed */
	const struct trace_run *run;
	uint32_t session_row;
	uint32_t *rows; /* by host: its row, once it was asked for; + 1 */
};

/* Returns 0 or -ENOMEM. */
int view_hosts_init(struct view_hosts *hosts, struct index_writer *writer,
		    const struct trace_session *session, uint32_t session_row);

/* The row below which this host's are; NULL: the session's. Returns 0 or -ENOMEM. */
int view_hosts_row(struct view_hosts *hosts, const struct trace_run_host *host, uint32_t *row);

/* Same, of the host of a process. */
int view_hosts_process(struct view_hosts *hosts, uint64_t pid, uint32_t *row);

void view_hosts_free(struct view_hosts *hosts);

#endif
