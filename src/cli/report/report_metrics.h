/* SPDX-License-Identifier: MIT */
/* tandem report --metrics: the GPU metrics of analysis/report/device/metrics.h as two tables,
 * `metrics` and `kernels`. */
#ifndef TANDEM_CLI_REPORT_REPORT_METRICS_H
#define TANDEM_CLI_REPORT_REPORT_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/report/device/metrics.h"
#include "util/text.h"

void report_metrics_text(struct text *out, const struct metrics *metrics, size_t top, bool colour);
void report_metrics_json(struct text *out, const struct metrics *metrics);
void report_metrics_csv(struct text *out, const struct metrics *metrics);

#endif
