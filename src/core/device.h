/* SPDX-License-Identifier: MIT */
/* A device as core's record `device`, of a domain that has its texts as C strings. */
#ifndef TANDEM_CORE_DEVICE_H
#define TANDEM_CORE_DEVICE_H

#include "schema/gen/core_records.h"

struct tandem_device_texts {
	const char *name, *platform, *vendor, *version, *driver; /* NULL: none */
};

/* Writes the record; the texts' lengths are filled in. Outside of any record; any thread. */
void tandem_device_describe(struct tandem_rec_device device,
			    const struct tandem_device_texts *texts);

#endif
