/* SPDX-License-Identifier: MIT */
#include "domains/nvrtc/build.h"

#include <stddef.h>
#include <string.h>

#include "core/sandbox/sandbox.h"
#include "core/stream/stream.h"
#include "domains/nvrtc/gen/ids.h"
#include "domains/nvrtc/program.h"
#include "domains/nvrtc/status.h"
#include "domains/nvrtc/symbol.h"
#include "schema/gen/core_records.h"

/* That are recorded. */
#define OPTIONS_BYTES 4096u
#define LOG_BYTES 16384u

/* NVRTC gives a log as a whole only: larger ones are not asked for. */
#define LOG_MOST_BYTES (16u << 20)

struct log {
	char *text; /* NULL: there is none */
	size_t mapped_bytes;
	uint16_t bytes;
};

/* Joined by blanks: `most` bytes of them, and how many those are. `to` may be NULL. */
static uint16_t options_join(char *to, const struct nvrtc_args_nvrtcCompileProgram *built,
			     size_t most)
{
	const char *const *options = built->options;
	size_t at = 0;

	for (int32_t i = 0; options && i < built->numOptions && at < most; i++) {
		size_t bytes = options[i] ? strnlen(options[i], most - at) : 0;

		if (to && bytes)
			memcpy(to + at, options[i], bytes);
		at += bytes;
		if (i + 1 == built->numOptions || at == most)
			continue;
		if (to)
			to[at] = ' ';
		at++;
	}
	return (uint16_t)at;
}

/* A program that is none has no log, and is not to be asked for one. */
static struct log log_get(void *program, int32_t status)
{
	int32_t (*get_bytes)(void *, size_t *) =
		(int32_t(*)(void *, size_t *))nvrtc_symbol(NVRTC_ID_nvrtcGetProgramLogSize);
	int32_t (*get)(void *, char *) =
		(int32_t(*)(void *, char *))nvrtc_symbol(NVRTC_ID_nvrtcGetProgramLog);
	struct log log = {NULL, 0, 0};

	if (status == NVRTC_SUCCESS || status == NVRTC_ERROR_INVALID_PROGRAM ||
	    status == NVRTC_ERROR_INVALID_INPUT)
		return log;
	if (get_bytes(program, &log.mapped_bytes) != NVRTC_SUCCESS || !log.mapped_bytes ||
	    log.mapped_bytes > LOG_MOST_BYTES)
		return log;
	log.text = sandbox_map(log.mapped_bytes);
	if (log.text && get(program, log.text) == NVRTC_SUCCESS)
		log.bytes = (uint16_t)strnlen(
			log.text, log.mapped_bytes < LOG_BYTES ? log.mapped_bytes : LOG_BYTES);
	return log;
}

static void write_record(const struct nvrtc_args_nvrtcCompileProgram *built, uint64_t begin,
			 uint64_t end, int32_t status, const struct log *log)
{
	uint32_t number = nvrtc_program_number(built->prog);
	uint16_t options_bytes = options_join(NULL, built, OPTIONS_BYTES);
	struct tandem_rec_build *record = tandem_record_begin(
		TANDEM_EVENT_build, (uint32_t)sizeof(*record) + options_bytes + log->bytes);
	char *text = (char *)(record + 1);
	uint16_t at;

	if (!record)
		return;
	record->program = number;
	record->domain = TANDEM_DOMAIN_nvrtc;
	record->step = TANDEM_BUILD_STEP_build;
	record->device = 0;
	record->status = status;
	record->begin = begin;
	record->end = end;
	record->options_count = options_bytes;
	record->log_count = log->bytes;
	/* Somebody may have changed them since. */
	at = options_join(text, built, options_bytes);
	memset(text + at, ' ', options_bytes - at);
	if (log->bytes)
		memcpy(text + options_bytes, log->text, log->bytes);
	tandem_record_commit();
}

void nvrtc_build_write(const struct nvrtc_args_nvrtcCompileProgram *built, uint64_t begin,
		       uint64_t end, int32_t status)
{
	struct log log;

	if (!built->prog)
		return;
	log = log_get(built->prog, status);
	write_record(built, begin, end, status, &log);
	if (log.text)
		sandbox_unmap(log.text, log.mapped_bytes);
}
