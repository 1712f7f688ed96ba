/* SPDX-License-Identifier: MIT */
/* What recording a call costs on this machine at the very least: two readings of the
 * session's clock, and a record stored. Measured when the program has ended, so that it
 * disturbs nobody. About 0.1 ms; page faults 1 ms. One thread, no errors.
 *
 *	double ns = overhead_floor_ns(session->clock.source);
 *
 * And what the first touch of a page of fresh memory costs (0: not known).
 */
#ifndef TANDEM_RECORDER_OVERHEAD_FLOOR_H
#define TANDEM_RECORDER_OVERHEAD_FLOOR_H

#include "format/ticks.h"

double overhead_floor_ns(enum tandem_clock_source source);
double overhead_page_fault_ns(void);

#endif
