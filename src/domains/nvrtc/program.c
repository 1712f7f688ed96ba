/* SPDX-License-Identifier: MIT */
#include "domains/nvrtc/program.h"

#include <errno.h>
#include <string.h>

#include "core/call/args.h"
#include "core/object.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"

#define KIND TANDEM_KIND(nvrtc, program)
#define HASH TANDEM_HANDLE_STATE(nvrtc)

struct content { /* of a program */
	uint64_t hash, bytes;
};

uint32_t nvrtc_program_number(const void *program)
{
	return tandem_object_number(KIND, program);
}

/* With its NUL, so that where a text ends counts, too. */
static uint64_t text_hash(uint64_t hash, const char *text)
{
	return args_hash(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static struct content content_of(const struct nvrtc_args_nvrtcCreateProgram *made)
{
	const char *const *headers = made->headers, *const *names = made->includeNames;
	struct content content = {text_hash(ARGS_HASH_START, made->src),
				  made->src ? strlen(made->src) : 0};

	for (int32_t i = 0; i < made->numHeaders; i++) {
		const char *header = headers ? headers[i] : NULL;

		content.hash = text_hash(content.hash, header);
		content.hash = text_hash(content.hash, names ? names[i] : NULL);
		content.bytes += header ? strlen(header) : 0;
	}
	content.hash |= 1; /* 0: not known */
	return content;
}

static void hash_write(uint32_t number, uint64_t hash)
{
	struct tandem_rec_program_hash *record =
		tandem_record_begin(TANDEM_EVENT_program_hash, sizeof(*record));

	if (!record)
		return;
	record->program = number;
	record->domain = TANDEM_DOMAIN_nvrtc;
	record->hash = hash;
	tandem_record_commit();
}

static void program_write(const void *program, uint32_t number, enum tandem_program_source source,
			  uint64_t bytes)
{
	struct tandem_rec_program *record =
		tandem_record_begin(TANDEM_EVENT_program, sizeof(*record));

	if (!record)
		return;
	record->program = number;
	record->domain = TANDEM_DOMAIN_nvrtc;
	record->handle = (uintptr_t)program;
	record->context = 0;
	record->source = (uint8_t)source;
	record->bytes = bytes;
	tandem_record_commit();
}

uint32_t nvrtc_program_created(const struct nvrtc_args_nvrtcCreateProgram *made)
{
	const void *program = made->prog ? *(void *const *)made->prog : NULL;
	struct content content;
	uint32_t number;

	if (!program)
		return 0;
	content = content_of(made);
	number = tandem_object_assign(KIND, program);
	tandem_handle_set(HASH, program, content.hash);
	program_write(program, number, TANDEM_PROGRAM_SOURCE_source, content.bytes);
	hash_write(number, content.hash);
	return number;
}

void nvrtc_program_extend(const struct nvrtc_args_nvrtcAddNameExpression *added)
{
	uint32_t number = tandem_object_find(KIND, added->prog);
	uint64_t hash = number ? tandem_handle_get(HASH, added->prog) : 0;

	if (!hash)
		return;
	hash = text_hash(hash, added->name_expression) | 1;
	tandem_handle_set(HASH, added->prog, hash);
	hash_write(number, hash);
}

void nvrtc_program_forget(const void *program)
{
	if (program)
		tandem_object_forget(KIND, program);
}

/* Its hash is that of another one if this was made, in the place of that, while nobody recorded. */
void nvrtc_describe(unsigned type, void *handle, uint32_t number)
{
	int saved = errno;

	if (type != TANDEM_OBJECT_program)
		return;
	tandem_handle_set(HASH, handle, 0);
	program_write(handle, number, TANDEM_PROGRAM_SOURCE_unknown, 0);
	errno = saved;
}
