/* SPDX-License-Identifier: MIT */
#include "core/annotate.h"

#include <errno.h>

#include "core/process.h"
#include "domains/annotation/range.h"

/* Before the first record. */
static void uses_annotations(void)
{
	static _Atomic int uses;

	if (tandem_session_dir[0] && !atomic_exchange(&uses, 1))
		tandem_process_uses(TANDEM_DOMAIN_annotation);
}

void tandem_annotation_begin(unsigned source, unsigned kind, uint64_t range, const char *text)
{
	struct annotation annotation;
	int saved = errno;

	if (!annotation_recording())
		return;
	uses_annotations();
	annotation_text_narrow(&annotation.text, text);
	annotation.category = 0;
	annotation.color = 0;
	annotation.payload_type = TANDEM_ANNOTATION_PAYLOAD_none;
	annotation.payload = 0;
	annotation_range_write((enum tandem_annotation_interface)source, NULL,
			       (enum tandem_annotation_kind)kind, range, &annotation);
	errno = saved;
}

void tandem_annotation_end(unsigned source, uint64_t range)
{
	int saved = errno;

	if (!annotation_recording())
		return;
	uses_annotations();
	annotation_range_end_write((enum tandem_annotation_interface)source, NULL, range);
	errno = saved;
}
