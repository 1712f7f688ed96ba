/* SPDX-License-Identifier: MIT */
/* Ranges of annotations, and what of them lies on devices, as lines of the Trace Event Format.
 * Part of the export `chrome`. One thread.
 */
#ifndef TANDEM_EXPORT_CHROME_RANGES_H
#define TANDEM_EXPORT_CHROME_RANGES_H

#include "export/export.h"

/* export_ops' `range`: returns 0 or -errno. */
int chrome_range(struct export *export, const struct range_instance *range);

#endif
