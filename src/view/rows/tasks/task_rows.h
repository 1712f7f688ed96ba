/* SPDX-License-Identifier: MIT */
/* The tasks of a task graph as spans in a row of their process, above its queues: each from its
 * submission to the completion of the last operation that it became. Part of building an index,
 * once the graph is whole. One thread.
 *
 *	task_graph_finish(&graph);
 *	task_rows_add(&writer, process_rows, end_ns);
 */
#ifndef TANDEM_VIEW_ROWS_TASK_ROWS_H
#define TANDEM_VIEW_ROWS_TASK_ROWS_H

#include "view/index/index_writer.h"

/* `process_rows` by index of the process; tasks whose completion is not in the trace are drawn to
 * `end_ns`. Returns 0 or -ENOMEM. */
int task_rows_add(struct index_writer *writer, const uint32_t *process_rows, int64_t end_ns);

#endif
