/* SPDX-License-Identifier: MIT */
/* Names that sessions of earlier versions have for what is called otherwise now: events,
 * their fields and types of objects. Whoever reads a session's own descriptions asks here,
 * so that only the new names are known behind that. Numbers and layouts are the same. Each
 * returns the name of today, or the one that it was given where that is in use. Any thread;
 * static storage.
 *
 *	name = former_event_name(TANDEM_DOMAIN_core, "launch_shape");     "launch_config"
 */
#ifndef TANDEM_TRACE_SCHEMA_FORMER_NAMES_H
#define TANDEM_TRACE_SCHEMA_FORMER_NAMES_H

const char *former_event_name(unsigned domain, const char *name);

/* `event`: as it is called now. */
const char *former_field_name(unsigned domain, const char *event, const char *name);

const char *former_object_name(const char *name);

#endif
