/* SPDX-License-Identifier: MIT */
/* What outlasts the rings of a flight recorder on the operating system's side: who threads are,
 * what is mapped (schema/gen/lasting.h). A file next to the streams, of bounded size
 * (schema/descriptions.h): where it is full, the older part goes, and all is described again as it
 * is met. One thread.
 */
#ifndef TANDEM_LINUX_LASTING_H
#define TANDEM_LINUX_LASTING_H

#include <stdint.h>

#include "schema/descriptions.h"

struct linux_lasting {
	struct descriptions descriptions;
	int fd; /* when `descriptions` is open */
	int failed;
	uint64_t reserved[2];
	uint64_t copies; /* how often the older part has gone */
};

/* Keeps those records of `records` that outlast the rings. `folder` is the path of the streams'. 0
 * or -errno. */
int linux_lasting_keep(struct linux_lasting *lasting, const char *folder, const uint8_t *records,
		       uint32_t bytes);
void linux_lasting_close(struct linux_lasting *lasting);

#endif
