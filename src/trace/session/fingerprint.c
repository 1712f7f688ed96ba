/* SPDX-License-Identifier: MIT */
#include "trace/session/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/hash.h"

static void hash_stream(uint64_t *hash, const struct trace_stream *stream)
{
	hash_number(hash, stream->number);
	hash_number(hash, stream->packets);
	hash_number(hash, stream->content_bytes);
	hash_number(hash, stream->last_ticks);
	hash_number(hash, stream->discarded);
}

void trace_fingerprint(const struct trace_session *session, char *text)
{
	uint64_t hash = HASH_START;

	hash_string(&hash, TANDEM_VERSION);
	hash_string(&hash, tandem_schema_hash);
	hash_string(&hash, session->run.start);
	hash_number(&hash, session->run.has_end);
	hash_number(&hash, session->run.end_ticks);
	hash_bytes(&hash, session->lost, sizeof(session->lost));
	for (size_t i = 0; i < session->process_count; i++) {
		const struct trace_process *process = &session->processes[i];

		hash_number(&hash, process->pid);
		hash_number(&hash, process->instance);
		for (size_t j = 0; j < process->stream_count; j++)
			hash_stream(&hash, &process->streams[j]);
	}
	snprintf(text, TRACE_FINGERPRINT_BYTES, "%016" PRIx64, hash);
}
