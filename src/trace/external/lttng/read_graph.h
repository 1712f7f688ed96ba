/* SPDX-License-Identifier: MIT */
/* libbabeltrace2's graph over LTTng's traces: a source for each trace, a muxer for each host, and
 * one consumer of their messages, which come in the order of time of each host. One thread.
 *
 *	struct read_graph request = {.from = from, .folders = &folders, .hosts = hosts,
 *				     .consume = on_messages, .user = self, .messages = &count};
 *
 *	if (!read_graph_run(&request))
 *		ctf_explain(why, sizeof(why));
 */
#ifndef TANDEM_TRACE_EXTERNAL_READ_GRAPH_H
#define TANDEM_TRACE_EXTERNAL_READ_GRAPH_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/external/hosts/hosts.h"
#include "trace/external/hosts/trace_folders.h"

struct read_graph {
	const char *from;		     /* a live session's address, or the folder */
	const struct trace_folders *folders; /* NULL: a live session */
	const struct hosts *hosts;
	bool kernel_alone; /* the kernels' traces, not those of our events */
	bool live;	   /* a session that is silent may have ended without a word */
	bt_graph_simple_sink_component_consume_func consume;
	void *user;
	const uint64_t *messages; /* that the consumer has had */
};

/* Until there is no more, or the consumer ends it. False: libbabeltrace2 gave up, and has why. */
bool read_graph_run(const struct read_graph *request);

#endif
