/* SPDX-License-Identifier: MIT */
/* A CPU's stream of an import, written in our own format (schema/record.h). One
 * thread. */
#ifndef TANDEM_TRACE_CTF_IMPORT_STREAM_H
#define TANDEM_TRACE_CTF_IMPORT_STREAM_H

#include <stdint.h>

#include "trace/session/session.h"

struct ctf_import_stream;

/* NULL when memory runs out. */
struct ctf_import_stream *ctf_import_stream_create(const char *folder,
						   struct trace_session *session, uint32_t cpu);

/* A new record of `bytes` and `more` behind, zeroed, at that time (not before the
 * one before); NULL when it can't be. */
void *ctf_import_stream_put(struct ctf_import_stream *stream, uint16_t id, uint64_t ns,
			    uint32_t bytes, uint32_t more);

/* Writes the rest. NULL is allowed. Returns 0, or the -errno of the first write
 * that failed. */
int ctf_import_stream_destroy(struct ctf_import_stream *stream);

/* The metadata that the reader of sessions wants. Returns 0 or -errno. */
int ctf_import_stream_metadata(const char *folder, const struct trace_session *session);

#endif
