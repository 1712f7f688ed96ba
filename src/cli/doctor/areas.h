/* SPDX-License-Identifier: MIT */
/* What `tandem doctor` looks at, area by area: each adds its lines (setup/check.h). */
#ifndef TANDEM_CLI_AREAS_H
#define TANDEM_CLI_AREAS_H

#include <stdint.h>

struct checks;

/* 1 << number for the domains that can be recorded. */
uint64_t check_domains(struct checks *checks);
void check_clock(struct checks *checks);
void check_machine(struct checks *checks);
void check_libraries(struct checks *checks);
void check_tools(struct checks *checks);

#endif
