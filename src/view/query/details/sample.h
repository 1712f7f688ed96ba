/* SPDX-License-Identifier: MIT */
/* Details of a sample (view/query/details/details.h). Any thread. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_SAMPLE_H
#define TANDEM_VIEW_QUERY_DETAILS_SAMPLE_H

#include "view/query/details/json.h"

/* Facts, the whole stack, and a link to the API call that was going on. */
void details_sample(const struct view_details *details, const struct details_span *span,
		    struct json *json);

#endif
