/* SPDX-License-Identifier: MIT */
#include "domains/acme/operation.h"

#include <errno.h>
#include <string.h>

#include "core/call/kernel_name.h"
#include "core/object.h"
#include "core/stream/stream.h"
#include "domains/acme/describe.h"
#include "schema/gen/core_records.h"

static void operation_write(const struct acm_done *done)
{
	static const uint8_t kinds[] = {[ACM_KERNEL] = TANDEM_OPERATION_KIND_kernel,
					[ACM_WRITE] = TANDEM_OPERATION_KIND_copy_h2d,
					[ACM_READ] = TANDEM_OPERATION_KIND_copy_d2h};
	uint32_t queue = tandem_object_number(TANDEM_KIND(acme, queue), done->queue);
	uint32_t kernel = tandem_kernel_named(TANDEM_DOMAIN_acme, done->kernel);
	struct tandem_rec_operation *record =
		tandem_record_begin(TANDEM_EVENT_operation, sizeof(*record));

	if (!record)
		return;
	memset(&record->op, 0, sizeof(*record) - sizeof(record->head));
	record->op = acme_operation_id(done->correlation);
	record->start = done->start_ns;
	record->end = done->end_ns;
	record->queue = queue;
	record->kernel = kernel;
	record->bytes = done->bytes;
	record->kind = done->kind < sizeof(kinds) ? kinds[done->kind] : TANDEM_OPERATION_KIND_other;
	record->domain = TANDEM_DOMAIN_acme;
	record->completion_source = TANDEM_COMPLETION_SOURCE_delivered;
	record->time_domain = TANDEM_TIME_DOMAIN_device_ns;
	tandem_record_commit();
}

void acme_operation_done(const struct acm_done *done)
{
	int saved = errno;

	if (acme_recording())
		operation_write(done);
	errno = saved;
}
