/* SPDX-License-Identifier: MIT */
/* DIR/schema: descriptions of all events that the session may hold (doc/FORMAT.md). */
#ifndef TANDEM_RECORDER_SCHEMA_H
#define TANDEM_RECORDER_SCHEMA_H

#include "recorder/session/session.h"

/* Writes the file, of the domains and the argument level of the control page. 0 or -errno. */
int schema_write(const struct session *session);

#endif
