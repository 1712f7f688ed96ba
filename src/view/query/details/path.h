/* SPDX-License-Identifier: MIT */
/* What a piece of the critical path is: how much of the run, and the call or command that it is
 * of. Part of details.h. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_PATH_H
#define TANDEM_VIEW_QUERY_DETAILS_PATH_H

#include "view/query/details/json.h"

void details_path(const struct view_details *details, const struct details_span *span,
		  struct json *json);

#endif
