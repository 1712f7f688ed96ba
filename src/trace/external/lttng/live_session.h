/* SPDX-License-Identifier: MIT */
/* Whether a relay daemon still has a live session. A look at one that is destroyed in the same
 * moment may never hear of its end (seen with lttng-relayd 2.13 and libbabeltrace2 2.0), so
 * whoever hears nothing for long asks here. */
#ifndef TANDEM_TRACE_EXTERNAL_LIVE_SESSION_H
#define TANDEM_TRACE_EXTERNAL_LIVE_SESSION_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/* Asks the relay daemon of `address` (net://HOST[:PORT]/host/NAME/SESSION) for its sessions.
 * True only where it answered and has none of that name; `class` is ctf.lttng-live. */
bool live_session_is_gone(const bt_component_class_source *class, const char *address);

#endif
