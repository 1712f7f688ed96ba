/* SPDX-License-Identifier: MIT */
/* tandem export --format html: the timeline as one file. One thread. */
#ifndef TANDEM_CLI_EXPORT_EXPORT_HTML_H
#define TANDEM_CLI_EXPORT_EXPORT_HTML_H

#include "cli/reading.h"
#include "export/export.h"

/* What the other formats' tables of operations say of themselves; has no operation
 * of its own, as it is made of the timeline's index and not of a pass. */
extern const struct export_ops export_html;

/* The request's sessions are those of `readings`. Fills `result`. Returns CLI_DONE
 * or CLI_FAILED, told. */
int export_html_make(const struct export_request *request, struct reading *readings,
		     struct export_result *result);

#endif
