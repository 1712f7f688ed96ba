/* SPDX-License-Identifier: MIT */
/*
 * What a thread is at: its universal ID, the tuple and the tracepoint that it left for whoever
 * is notified, and the unique IDs that it hands out. Of the thread itself: nothing is shared,
 * and nothing is to be loaded first.
 */
#ifndef TANDEM_XPTI_SCOPE_H
#define TANDEM_XPTI_SCOPE_H

#include <stdbool.h>

/* Whether a proxy of 2025.1 or later has looked the functions up (scope.c says how that is
 * seen). Valid from the first call of any other function. */
bool scope_later_generation(void);

#endif
