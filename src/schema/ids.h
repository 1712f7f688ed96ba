/* SPDX-License-Identifier: MIT */
/* Numbers of the domains (schema/domains.def): the upper six bits of an event id,
 * and the bit of tandem_control.recording. Domain 0 holds the records that every
 * runtime shares (src/schema/events/core.events). */
#ifndef TANDEM_SCHEMA_IDS_H
#define TANDEM_SCHEMA_IDS_H

#include <stdint.h>

#define TANDEM_DOMAINS 64u /* that there can be */

enum tandem_domain_number {
#define DOMAIN(number, name, ...) TANDEM_DOMAIN_##name = number,
#include "schema/domains.def"
#undef DOMAIN
};

#define TANDEM_DOMAIN_BIT(name) ((uint64_t)1 << TANDEM_DOMAIN_##name)

#endif
