/* SPDX-License-Identifier: MIT */
/* What the readers of CTF take from libbabeltrace2's objects. What they return is borrowed. */
#ifndef TANDEM_TRACE_CTF_VALUE_H
#define TANDEM_TRACE_CTF_VALUE_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

/* The bits of an integer, an enumeration's value or a floating-point number; 0 of others. */
uint64_t ctf_number(const bt_field *field);

/* A member of a structure by its name; NULL: there is none, or no structure. */
const bt_field *ctf_member(const bt_field *structure, const char *name);

/* The same of a member that is an integer; false, and *value as it was: it is none. */
bool ctf_member_number(const bt_field *structure, const char *name, int64_t *value);

/* A string, or the letters of an array of small numbers in `room`; NULL of others. */
const char *ctf_string(const bt_field *field, char *room, size_t room_bytes);

/* A string of the trace's environment, or "". */
const char *ctf_environment(const bt_trace *trace, const char *name);

/* The boot that LTTng's clock says it counts from, as the kernel writes it, or "". */
#define CTF_BOOT_BYTES 37
void ctf_boot(const bt_clock_class *clock, char out[CTF_BOOT_BYTES]);

/* CLOCK_MONOTONIC in ns is what LTTng's clock counts; its offset to the time of day is not
 * in it. */
uint64_t ctf_ns(const bt_clock_snapshot *snapshot);

/* What libbabeltrace2 says of its own last error. */
void ctf_explain(char *why, uint64_t why_bytes);

#endif
