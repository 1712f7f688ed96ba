/* SPDX-License-Identifier: MIT */
/* An event's fields as debug annotations of a Perfetto track event. */
#ifndef TANDEM_EXPORT_PERFETTO_ARGS_H
#define TANDEM_EXPORT_PERFETTO_ARGS_H

#include "analysis/events/event_iterator.h"
#include "export/perfetto/packet.h"

/* To the track event that is being put together. */
void perfetto_args(struct perfetto_writer *writer, struct event_iterator *iterator,
		   const struct trace_event *event);

#endif
