/* Operation ids (core/stream.h makes them): the thread that enqueued the command
 * and its count of commands. Unique in a process. Where the runtime itself gives
 * its commands numbers, those count, under a thread's number that no thread has
 * (TANDEM_OP_RUNTIME, schema/packet.h). */
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
