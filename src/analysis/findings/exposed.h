/* SPDX-License-Identifier: MIT */
/* What a transfer takes of a run: the time in which it was moved or its call waited for it, and
 * no kernel of its process ran. In the order in which operations' ends were seen. One thread.
 *
 *	exposed_kernel(&kernels_until_ns, operation);	each operation of the process
 *	ns = exposed_ns(kernels_until_ns, operation);	of a transfer
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_EXPOSED_H
#define TANDEM_ANALYSIS_FINDINGS_EXPOSED_H

#include "analysis/operations/operation.h"

static inline void exposed_kernel(int64_t *kernels_until_ns, const struct operation *operation)
{
	if (operation->kind == TANDEM_OPERATION_KIND_kernel &&
	    operation->times.end_ns > *kernels_until_ns)
		*kernels_until_ns = operation->times.end_ns;
}

/* Of one with its times. A call that returned behind its end took that time as well, launch and
 * way back included. */
static inline uint64_t exposed_ns(int64_t kernels_until_ns, const struct operation *operation)
{
	int64_t from_ns = operation->times.start_ns, to_ns = operation->times.end_ns;

	if (operation->call && operation->call_end_ns >= to_ns &&
	    operation->call_begin_ns <= from_ns) {
		from_ns = operation->call_begin_ns;
		to_ns = operation->call_end_ns;
	}
	if (kernels_until_ns > from_ns)
		from_ns = kernels_until_ns;
	return to_ns > from_ns ? (uint64_t)(to_ns - from_ns) : 0;
}

#endif
