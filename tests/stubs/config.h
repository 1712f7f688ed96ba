/* SPDX-License-Identifier: MIT */
/* What the stub driver is told to do: environment variables, read once when it
 * is loaded. One X-macro: X(TYPE, name, "VARIABLE", default).
 *
 *   STUB_ENGINE      inline: a command runs as soon as it may, in the thread
 *                    that makes that so; deferred: only in clFinish, in a wait
 *                    or in a query of the event; thread: in a thread of the
 *                    driver's own; units: in three of them, one for kernels,
 *                    one for transfers of each direction
 *   STUB_ORDER       fifo, or reverse: of the commands that may run, the last
 *   STUB_BUILD_MS    how long a build, a compilation, a link takes
 *   STUB_DELAY_US    how long each command runs (thread, deferred, units)
 *   STUB_KITEM_US    how much longer for 1000 work-items
 *   STUB_KBYTE_US    how much longer for 1000 bytes that are read or written
 *   STUB_FIRST_US    how long the device waits before a kernel object's first command
 *                    (thread, deferred, units)
 *   STUB_WAIT        sleep, or spin: how a program's thread waits for a command
 *                    (thread, units)
 *   STUB_FLUSH       1: a command runs only when its queue was flushed, by clFlush or
 *                    by a call that waits for one of its commands
 *   STUB_ODD_PERCENT how much longer a transfer takes whose host memory is not
 *                    aligned to 64 bytes
 *   STUB_CALLBACKS   inline: by the thread that completes; foreign: by another
 *                    thread, the last first, and clFinish doesn't wait for them
 *   STUB_HANG        every Nth command never completes (0: none)
 *   STUB_STATUS      CODE[:N]: every Nth command ends with this status
 *   STUB_PROFILING   normal; fail: every query of a time fails with -5;
 *                    refuse: no queue can be made with profiling on;
 *                    zero: the times are 0; unqueued: those of being queued are
 *   STUB_ERRNO       1: every clGet* but that of times sets errno
 *   STUB_MARKER      1: clEnqueueMarker works without an event
 *   STUB_CLOCK       monotonic, raw, realtime: what the device's clock follows
 *   STUB_CLOCK_OFFSET_NS, STUB_CLOCK_DRIFT_PPM, STUB_CLOCK_RESOLUTION_NS
 *   STUB_VERSION     of OpenCL, "3.0" by default
 *   STUB_TIMER       1: clGetDeviceAndHostTimer works; 2: but is another clock, 1 s
 *                    ahead
 *   STUB_REUSE       1: a new object takes the memory of the last one released;
 *                    0: none is ever reused, so that every use of a dead
 *                    object is seen
 *   STUB_FAIL        FUNCTION:CODE[:N][,...]: the Nth call (without N: every
 *                    call) of FUNCTION fails; `all` is every function
 *   STUB_MISSING     FUNCTION[,...]: no entry in the dispatch table
 *   STUB_REPORT      FILE: at exit a line of JSON is added: objects alive, and
 *                    the calls of each function (calls.h)
 */
#ifndef STUB_CONFIG_H
#define STUB_CONFIG_H

#define STUB_OPTIONS(X)                                       \
	X(text, engine, "STUB_ENGINE", "inline")              \
	X(text, order, "STUB_ORDER", "fifo")                  \
	X(text, wait, "STUB_WAIT", "sleep")                   \
	X(text, callbacks, "STUB_CALLBACKS", "inline")        \
	X(text, profiling, "STUB_PROFILING", "normal")        \
	X(text, clock, "STUB_CLOCK", "monotonic")             \
	X(text, version, "STUB_VERSION", "3.0")               \
	X(text, status, "STUB_STATUS", "")                    \
	X(text, fail, "STUB_FAIL", "")                        \
	X(text, missing, "STUB_MISSING", "")                  \
	X(text, report, "STUB_REPORT", "")                    \
	X(long, delay_us, "STUB_DELAY_US", 0)                 \
	X(long, build_ms, "STUB_BUILD_MS", 0)                 \
	X(long, first_us, "STUB_FIRST_US", 0)                 \
	X(long, kitem_us, "STUB_KITEM_US", 0)                 \
	X(long, kbyte_us, "STUB_KBYTE_US", 0)                 \
	X(long, odd_percent, "STUB_ODD_PERCENT", 0)           \
	X(long, flush, "STUB_FLUSH", 0)                       \
	X(long, hang, "STUB_HANG", 0)                         \
	X(long, offset_ns, "STUB_CLOCK_OFFSET_NS", 0)         \
	X(long, drift_ppm, "STUB_CLOCK_DRIFT_PPM", 0)         \
	X(long, resolution_ns, "STUB_CLOCK_RESOLUTION_NS", 1) \
	X(long, timer, "STUB_TIMER", 0)                       \
	X(long, sets_errno, "STUB_ERRNO", 0)                  \
	X(long, marker, "STUB_MARKER", 0)                     \
	X(long, reuse, "STUB_REUSE", 1)

typedef const char *stub_text;
typedef long stub_long;

struct stub_config {
#define X(type, name, variable, value) stub_##type name;
	STUB_OPTIONS(X)
#undef X
	int status_code, status_every; /* of STUB_STATUS; every 0: none */
};

extern struct stub_config stub_config;

void stub_config_read(void);

#endif
