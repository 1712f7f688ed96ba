/* SPDX-License-Identifier: MIT */
/* Details of a thread's state (view/query/details/details.h). Any thread. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_STATE_H
#define TANDEM_VIEW_QUERY_DETAILS_STATE_H

#include "view/query/details/json.h"

/* Facts and links of a state's span: on which CPU, and who ended a wait. */
void details_state(const struct view_details *details, const struct details_span *span,
		   struct json *json);

#endif
