/* SPDX-License-Identifier: MIT */
/* `tandem report --critical-path` as text, JSON or CSV. */
#ifndef TANDEM_CLI_REPORT_REPORT_PATH_H
#define TANDEM_CLI_REPORT_REPORT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/model/critical_path.h"
#include "util/text.h"

/* `top` rows at most; 0: all. */
void report_path_text(struct text *out, const struct critical_path *path, size_t top, bool colour);
void report_path_json(struct text *out, const struct critical_path *path);
void report_path_csv(struct text *out, const struct critical_path *path);

#endif
