/* SPDX-License-Identifier: MIT */
/* HSA's system clock, in which devices' times are. */
#ifndef TANDEM_DOMAINS_HSA_CLOCK_H
#define TANDEM_DOMAINS_HSA_CLOCK_H

#include <stdint.h>

uint64_t hsa_clock_ns(uint64_t ticks);

/* Reads it next to the session's, for the agent, if it is time to. */
void hsa_clock_pair(uint64_t agent);

#endif
