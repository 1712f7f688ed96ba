/* SPDX-License-Identifier: MIT */
/* What is known of a range or marker: what was enqueued inside, and its category and payload.
 * Part of details.h. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_RANGE_H
#define TANDEM_VIEW_QUERY_DETAILS_RANGE_H

#include "view/query/details/json.h"

void details_range(const struct view_details *details, const struct details_span *span,
		   struct json *json);

#endif
