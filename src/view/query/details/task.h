/* SPDX-License-Identifier: MIT */
/* Details of a task, and of an operation of one: its node of the task graph, and links to the
 * nodes before and after it. One thread. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_TASK_H
#define TANDEM_VIEW_QUERY_DETAILS_TASK_H

#include "view/query/details/json.h"

/* How many there are without a link. */
struct details_more {
	uint64_t before, after;
};

/* What the details are of: links of a submission lead to submissions, those of an operation to
 * operations, as far as the other node has one, those of a row of tasks stay in it. */
enum details_of_node { DETAILS_TASK, DETAILS_OPERATION, DETAILS_NODE };

/* `node` as graph_node_find() has it; of VIEW_NONE nothing is added. */
void details_task_links(const struct view_details *details, struct json *json, uint32_t node,
			enum details_of_node of, struct details_more *more);

/* Members of the object of numbers of links that are left out. */
void details_task_more(struct json *json, const struct details_more *more);

/* Of a span in a row of tasks: what follows, and links to its submission, to its first operation, and
 * to the tasks before and after it. */
void details_node(const struct view_details *details, const struct details_span *span,
		  struct json *json);

/* The member "task": number of the node in the graph, and its facts. */
void details_task(const struct view_index *index, struct json *json, uint32_t node);

#endif
