/* SPDX-License-Identifier: MIT */
/* Finds descriptors by number and by name. */
#include "schema/schema.h"

#include <string.h>

#include "schema/record.h"

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

unsigned tandem_page_domain(unsigned page)
{
	for (unsigned i = 0; i < DOMAIN_COUNT; i++)
		for (unsigned j = 0; domains[i] && j < domains[i]->page_count; j++)
			if (domains[i]->pages[j] == page)
				return i;
	return page;
}

const struct tandem_event *tandem_event_get(unsigned id)
{
	for (size_t i = 0; i < DOMAIN_COUNT; i++) {
		const struct tandem_domain *domain = domains[i];

		for (unsigned page = 0; domain && page < domain->page_count; page++) {
			unsigned event = page * TANDEM_PAGE_EVENTS + TANDEM_ID_EVENT(id);

			if (domain->pages[page] == TANDEM_ID_PAGE(id))
				return event < domain->event_count && domain->events[event].name
					       ? &domain->events[event]
					       : NULL;
		}
	}
	return NULL;
}
