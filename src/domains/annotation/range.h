/* SPDX-License-Identifier: MIT */
/* Ranges and markers as records, in the thread that says them, whatever interface they
 * came by (enum tandem_annotation_interface). */
#ifndef TANDEM_DOMAINS_ANNOTATION_RANGE_H
#define TANDEM_DOMAINS_ANNOTATION_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/capture.h"
#include "domains/annotation/handle.h"
#include "domains/annotation/text.h"
#include "schema/gen/annotation_records.h"

/* What is said with one; 0 where it is not. */
struct annotation {
	struct annotation_text text;
	uint32_t category;
	uint32_t color;	      /* ARGB */
	uint8_t payload_type; /* enum tandem_annotation_payload */
	uint64_t payload;
};

static inline bool annotation_recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(annotation) && tandem_capture_is_enabled();
}

/* `scope` may be NULL. Called while recording; errno may change. */
void annotation_range_write(enum tandem_annotation_interface source,
			    struct annotation_handle *scope, enum tandem_annotation_kind kind,
			    uint64_t range, const struct annotation *annotation);
void annotation_range_end_write(enum tandem_annotation_interface source,
				struct annotation_handle *scope, uint64_t range);
void annotation_category_write(enum tandem_annotation_interface source,
			       struct annotation_handle *scope, uint32_t category,
			       const struct annotation_text *name);

#endif
