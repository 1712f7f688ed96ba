/* SPDX-License-Identifier: MIT */
#include "core/local.h"

#include "core/lifetime.h"
#include "core/ticks.h"
#include "format/ticks.h"
#include "util/counter_check.h"

/* As `tandem record` has it by default. */
#define MAX_STRING_BYTES 1024u
#define EXIT_WAIT_MS 1000u
#define INTERVAL_MS 100u

bool tandem_local;
bool tandem_calls_unstamped;

uint64_t tandem_call_ticks_monotonic(void)
{
	return tandem_calls_unstamped ? 0 : tandem_monotonic_ns();
}

void tandem_local_begin(void)
{
	/* Before a sink's own: its handler finds everything free. */
	tandem_lifetime_watch_forks();
	if (tandem_in_use())
		return;
	tandem_control.clock_source =
		counter_doubt() ? TANDEM_CLOCK_MONOTONIC : TANDEM_CLOCK_COUNTER;
	tandem_control.args_level = TANDEM_ARGS_BASIC; /* sinks have the arguments themselves */
	tandem_control.max_string_bytes = MAX_STRING_BYTES;
	tandem_control.exit_wait_ms = EXIT_WAIT_MS;
	for (unsigned domain = 0; domain < TANDEM_DOMAINS_MOST; domain++)
		tandem_control.domain[domain].interval_ms = INTERVAL_MS;
	tandem_control.domains = UINT32_MAX;
	tandem_local = true;
}

void tandem_local_choose(unsigned domain, uint32_t choices)
{
	if (tandem_local && domain < TANDEM_DOMAINS_MOST)
		tandem_control.domain[domain].choices = choices;
}

uint32_t tandem_local_clock(void)
{
	return tandem_control.clock_source;
}

uint32_t tandem_local_level(void)
{
	return tandem_control.args_level;
}
