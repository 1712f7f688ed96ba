/* SPDX-License-Identifier: MIT */
/* The sampled functions' part of the report. Part of the report's pass. One thread. */
#ifndef TANDEM_ANALYSIS_REPORT_SAMPLES_REPORT_H
#define TANDEM_ANALYSIS_REPORT_SAMPLES_REPORT_H

#include "analysis/profile/samples.h"
#include "analysis/report/report.h"

/* Writes the functions and the number of samples into the report. Returns 0 or
 * -ENOMEM. */
int samples_report_finish(const struct samples *samples, struct report *report);

#endif
