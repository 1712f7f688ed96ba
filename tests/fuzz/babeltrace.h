/* SPDX-License-Identifier: MIT */
/* What libbabeltrace2 does with damaged input that is its own fault: it aborts where its
 * checks fail, and may never come back. In use it runs in a child with a limit of CPU time
 * (trace/watch.h), which a fuzzer would not see into; here a jump ends the input. Code of
 * ours that does not come back is still found, by libFuzzer's own limit. One thread.
 *
 *	babeltrace_watch();
 *	if (!sigsetjmp(babeltrace_gave_up, 1)) {
 *		babeltrace_begin();
 *		...
 *	}
 *	babeltrace_end();
 */
#ifndef TESTS_FUZZ_BABELTRACE_H
#define TESTS_FUZZ_BABELTRACE_H

#include <setjmp.h>

extern sigjmp_buf babeltrace_gave_up;

/* Once, after the library is loaded. */
void babeltrace_watch(void);

/* Around each input: four seconds of CPU time are the limit. */
void babeltrace_begin(void);
void babeltrace_end(void);

#endif
