/* SPDX-License-Identifier: MIT */
/* Files of the session that somebody cuts while we have them mapped (truncate DIR/control)
 * raise SIGBUS in the program at the next access. Where the program has left that signal at
 * its default, ours puts memory without a file in the mapping's place: the control page
 * says that nothing records, a stream is given up and what is lost is counted. Any other
 * SIGBUS, and all in a program with a handler of its own, is as it would be without us.
 */
#ifndef TANDEM_CORE_BUS_ERROR_H
#define TANDEM_CORE_BUS_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* When the session's page is mapped. `replaced` is called in the thread that made the access,
 * in the signal's handler, when memory has taken the place of a stream's file. */
void bus_error_watch(void (*replaced)(uint8_t *base, uint64_t bytes));

/* A mapping of a stream's file, until it is unmapped. *gone becomes true when its file has
 * been cut. */
void bus_error_add(uint8_t *base, uint64_t bytes, _Atomic bool *gone);
void bus_error_remove(const uint8_t *base);

#endif
