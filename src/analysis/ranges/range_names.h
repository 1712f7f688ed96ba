/* SPDX-License-Identifier: MIT */
/* Names of the scopes and categories of ranges (NVTX: domains and categories), from the records
 * that give them. Grows with their number. One thread.
 *
 *	struct range_names names = {0};
 *
 *	range_names_record(&names, event);	// each record of an annotation
 *	range_names_scope(&names, process, scope);
 *	range_names_free(&names);
 */
#ifndef TANDEM_ANALYSIS_RANGES_RANGE_NAMES_H
#define TANDEM_ANALYSIS_RANGES_RANGE_NAMES_H

#include <stdint.h>

#include "util/intern.h"
#include "util/map.h"

struct trace_event;

struct range_names {
	struct map scopes, categories; /* process and number -> name in `names` */
	struct intern names;
};

/* 0 or -ENOMEM; any other record is passed over. */
int range_names_record(struct range_names *names, const struct trace_event *event);

/* `process`: its index in the session. NULL: it has no name. Until the next record. */
const char *range_names_scope(const struct range_names *names, uint32_t process, uint32_t scope);
const char *range_names_category(const struct range_names *names, uint32_t process, uint32_t scope,
				 uint32_t category);

void range_names_free(struct range_names *names);

#endif
