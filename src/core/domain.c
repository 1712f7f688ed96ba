/* SPDX-License-Identifier: MIT */
#include "core/domain.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "core/control.h"
#include "schema/ids.h"

#define DOMAIN(number, name, ...) \
	extern const struct domain domain_##name __attribute__((weak, visibility("hidden")));
#include "schema/domains.def"
#undef DOMAIN

static const struct domain *const domains[TANDEM_DOMAINS] = {
#define DOMAIN(number, name, ...) [number] = &domain_##name,
#include "schema/domains.def"
#undef DOMAIN
};

const struct domain *domain_get(unsigned number)
{
	return number < TANDEM_DOMAINS ? domains[number] : NULL;
}

void domains_switched(void)
{
	for (unsigned i = 0; i < TANDEM_DOMAINS; i++)
		if (domains[i] && domains[i]->switched)
			domains[i]->switched();
}

void domains_at_fork(void)
{
	for (unsigned i = 0; i < TANDEM_DOMAINS; i++)
		if (domains[i] && domains[i]->at_fork)
			domains[i]->at_fork();
}

void domains_at_end(void)
{
	for (unsigned i = 0; i < TANDEM_DOMAINS; i++)
		if (domains[i] && domains[i]->at_end)
			domains[i]->at_end();
}

void domains_at_flush(void)
{
	for (unsigned i = 0; i < TANDEM_DOMAINS; i++)
		if (domains[i] && domains[i]->at_flush)
			domains[i]->at_flush();
}

void domains_offered(const char *name, void *data)
{
	for (unsigned i = 0; i < TANDEM_DOMAINS; i++)
		if (domains[i] && domains[i]->offered)
			domains[i]->offered(name, data);
}

/* Those that interpose functions, found at the first question: each lookup of the program asks. */
static uint64_t domains_that_interpose(void)
{
	static _Atomic uint64_t known;
	uint64_t set = atomic_load_explicit(&known, memory_order_relaxed);

	if (set)
		return set;
	for (unsigned i = 0; i < TANDEM_DOMAINS; i++)
		if (domains[i] && domains[i]->looked_up)
			set |= (uint64_t)1 << i;
	atomic_store_explicit(&known, set, memory_order_relaxed);
	return set;
}

const struct domain *domain_that_interposes(const char *name)
{
	uint64_t set = domains_that_interpose() & tandem_control.domains;

	for (; set; set &= set - 1) {
		const struct domain *domain = domains[__builtin_ctzll(set)];

		if (*name == *domain->interposes &&
		    !strncmp(name, domain->interposes, strlen(domain->interposes)))
			return domain;
	}
	return NULL;
}

static _Atomic uint64_t reporting;

void domain_set_reporting(unsigned number)
{
	atomic_fetch_or(&reporting, (uint64_t)1 << number);
}

bool domain_is_reporting(unsigned number)
{
	return atomic_load_explicit(&reporting, memory_order_relaxed) >> number & 1;
}
