/* SPDX-License-Identifier: MIT */
/* The report's tables of devices, and of who had them meanwhile. One thread.
 *
 *	devices_report_finish(&devices, &report);    then rows of `devices` have their names
 */
#ifndef TANDEM_ANALYSIS_REPORT_DEVICES_REPORT_H
#define TANDEM_ANALYSIS_REPORT_DEVICES_REPORT_H

#include "analysis/operations/devices.h"
#include "analysis/report/report.h"

/* Gives the rows their shown names and writes the tables. Returns 0 or -ENOMEM. */
int devices_report_finish(struct devices *devices, struct report *report);

#endif
