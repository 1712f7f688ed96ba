/* SPDX-License-Identifier: MIT */
/* Which threads of a process come first: its main thread, those that enqueue commands,
 * those that make other calls, the others. Threads that make no calls and run for less
 * than 1 % of the time are put below one row, which the page folds. Part of building an
 * index, when all of threads' spans are there. One thread.
 *
 *	thread_order_finish(&writer, sample_period_ns, end_ns);
 */
#ifndef TANDEM_VIEW_ROWS_THREAD_ORDER_H
#define TANDEM_VIEW_ROWS_THREAD_ORDER_H

#include "view/index/index_writer.h"

/* `sample_period_ns`: what a sample stands for; 0: there are none. Returns 0 or -errno. */
int thread_order_finish(struct index_writer *writer, uint64_t sample_period_ns, uint64_t end_ns);

#endif
