/* Operation ids (core/stream.h makes them): the thread that enqueued the command
 * and its count of commands. Unique in a process. */
#ifndef TANDEM_TRACE_OPERATION_H
#define TANDEM_TRACE_OPERATION_H

#include <stdint.h>

static inline uint64_t trace_operation_thread(uint64_t op)
{
	return op >> 40;
}

static inline uint64_t trace_operation_number(uint64_t op)
{
	return op & ((UINT64_C(1) << 40) - 1);
}

#endif
