/* SPDX-License-Identifier: MIT */
/* Details of a command (view/query/details/details.h). One thread. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_COMMAND_H
#define TANDEM_VIEW_QUERY_DETAILS_COMMAND_H

#include "view/query/details/json.h"

/* Facts, arguments and links of a command's span. Returns 0 or -ENOMEM. */
int details_command(struct view_details *details, const struct details_span *span,
		    struct json *json);

#endif
