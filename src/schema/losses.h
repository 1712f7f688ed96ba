/* SPDX-License-Identifier: MIT */
/* The reasons for which an event can be lost, one X-macro: X(name, words).
 * Every loss is counted under exactly one of them, in the control page, and
 * shown by `tandem report`, `tandem status` and the last line of `record`. */
#ifndef TANDEM_SCHEMA_LOSSES_H
#define TANDEM_SCHEMA_LOSSES_H

#define TANDEM_LOSSES(X)                                                                     \
	X(disk_full, "no space left on the trace's file system")                             \
	X(size_limit, "the limit of --limit-size was reached")                               \
	X(io_error, "the trace could not be written: its directory, or a limit (ulimit -f)") \
	X(no_memory, "no memory for a stream or a table")                                    \
	X(reentrant, "a signal handler interrupted the recorder itself")                     \
	X(too_large, "a record larger than a packet")                                        \
	X(operations, "device operations whose times could not be followed")                 \
	X(kernel_buffer, "per-CPU kernel buffer overflow")                                   \
	X(tracer_buffer, "LTTng's buffers were full")

enum tandem_loss {
#define X(name, words) TANDEM_LOSS_##name,
	TANDEM_LOSSES(X) TANDEM_LOSS_COUNT
#undef X
};

#endif
