/* SPDX-License-Identifier: MIT */
/* Finds descriptors by number and by name. */
#include "schema/schema.h"

#include <string.h>

static const struct tandem_domain *const domains[] = {
#define DOMAIN(number, name, ...) [number] = &tandem_schema_##name,
#include "schema/domains.def"
#undef DOMAIN
};

#define DOMAIN_COUNT (sizeof(domains) / sizeof(*domains))

const struct tandem_domain *tandem_domain_get(unsigned number)
{
	return number < DOMAIN_COUNT ? domains[number] : NULL;
}

const struct tandem_domain *tandem_domain_find(const char *name)
{
	for (size_t i = 0; i < DOMAIN_COUNT; i++) {
		if (domains[i] && !strcmp(domains[i]->name, name))
			return domains[i];
	}
	return NULL;
}

const struct tandem_event *tandem_event_get(unsigned id)
{
	const struct tandem_domain *domain =
		id <= UINT16_MAX ? tandem_domain_get(tandem_id_domain((uint16_t)id)) : NULL;
	unsigned number = domain ? tandem_id_number((uint16_t)id) : 0;

	return domain && number < domain->event_count && domain->events[number].name
		       ? &domain->events[number]
		       : NULL;
}
