#include "trace/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static void hash_bytes(uint64_t *hash, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < count; i++)
		*hash = (*hash ^ at[i]) * HASH_PRIME;
}

static void hash_string(uint64_t *hash, const char *string)
{
	hash_bytes(hash, string, strlen(string) + 1);
}

static void hash_number(uint64_t *hash, uint64_t number)
{
	hash_bytes(hash, &number, sizeof(number));
}

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
