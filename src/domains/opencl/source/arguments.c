/* SPDX-License-Identifier: MIT */
#include "domains/opencl/source/arguments.h"

#include "core/call/args.h"
#include "core/control.h"
#include "core/object.h"
#include "core/stream/stream.h"
#include "domains/opencl/source/read_only.h"
#include "schema/gen/core_records.h"

/* A source in one piece, and of fewer bytes, is looked at. */
#define SOURCE_MOST (1u << 16)
#define NAME_MOST 256u

static void reads_write(void *user, const char *kernel, size_t bytes,
			const struct source_uses *uses)
{
	const uint32_t *program = user;
	struct tandem_rec_kernel_reads *record;

	if (bytes > NAME_MOST || (!uses->reads && !uses->writes && !uses->keeps &&
				  uses->body == TANDEM_KERNEL_BODY_unknown))
		return;
	record =
		tandem_record_begin(TANDEM_EVENT_kernel_reads, (uint32_t)(sizeof(*record) + bytes));
	if (!record)
		return;
	record->program = *program;
	record->domain = TANDEM_DOMAIN_opencl;
	record->arguments = uses->reads;
	record->body = (uint8_t)uses->body;
	record->writes = uses->writes;
	record->keeps = uses->keeps;
	record->kernel_count = (uint16_t)bytes;
	memcpy(record + 1, kernel, bytes);
	tandem_record_commit();
}

void opencl_source_arguments(const void *program, uint32_t count, const void *strings,
			     const void *lengths)
{
	const char *const *text = strings;
	uint32_t number;
	size_t bytes;

	if (!program || tandem_control.args_level == TANDEM_ARGS_NONE || count != 1 || !text[0])
		return;
	bytes = args_text_bytes(text[0], lengths, 0, SOURCE_MOST);
	number = tandem_object_find(TANDEM_KIND(opencl, program), program);
	if (number && bytes < SOURCE_MOST)
		read_only_arguments(text[0], bytes, reads_write, &number);
}
