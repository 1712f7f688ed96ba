/* SPDX-License-Identifier: MIT */
/* Details of what a runtime tells besides calls and commands: overhead, page faults, modules; and
 * the program's own numbers of a command. One thread. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_ACTIVITY_H
#define TANDEM_VIEW_QUERY_DETAILS_ACTIVITY_H

#include "view/query/details/json.h"

/* Adds `facts`. */
void details_activity(const struct view_details *details, const struct details_span *span,
		      struct json *json);

/* Adds to `facts`: each number that the program gave to an operation. */
void details_external_ids(const struct view_index *index, struct json *json, uint32_t process,
			  uint64_t op);

#endif
