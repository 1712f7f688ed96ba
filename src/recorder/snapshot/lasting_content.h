/* SPDX-License-Identifier: MIT */
/* What a process, or the operating system's side, keeps beside its rings (schema/descriptions.h),
 * read while it may be changing it.
 */
#ifndef TANDEM_RECORDER_SNAPSHOT_LASTING_CONTENT_H
#define TANDEM_RECORDER_SNAPSHOT_LASTING_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#include "schema/record.h"
#include "util/map.h"

struct lasting_content {
	uint8_t *data;
	size_t bytes; /* of records, one after the other */
};

/* 0 or -errno. Where there is no such file there are no records. */
int lasting_content_read(struct lasting_content *content, int folder);
void lasting_content_free(struct lasting_content *content);

/* Leaves out what the rings have as well (`seen` has the keys of what they have), and memory that
 * was free before: nothing that is kept refers to it, and it would count as allocated. 0 or
 * -ENOMEM. */
int lasting_content_trim(struct lasting_content *content, const struct map *seen);

/* The same for what two records say of one object. */
uint64_t lasting_key(const struct tandem_record *record);

/* The record after `record`, the first one after NULL; NULL: there is none. */
struct tandem_record *lasting_content_next(const struct lasting_content *content,
					   const struct tandem_record *record);

#endif
