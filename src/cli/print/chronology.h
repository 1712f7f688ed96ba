/* SPDX-License-Identifier: MIT */
/* What `tandem print` shows unless it is to be raw: the session in its true order.
 * One thread. */
#ifndef TANDEM_CLI_PRINT_CHRONOLOGY_H
#define TANDEM_CLI_PRINT_CHRONOLOGY_H

#include <stdbool.h>

#include "cli/print/filter.h"
#include "cli/reading.h"

struct chronology_request {
	struct filter *filter;
	bool json;
	uint64_t limit; /* of lines; 0: none */
};

/* Writes to stdout. Returns 0, what reading_write() returned, or another -errno. */
int chronology_print(struct reading *reading, const struct chronology_request *request);

#endif
