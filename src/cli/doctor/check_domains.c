/* SPDX-License-Identifier: MIT */
/* Each runtime of schema/domains.def that can be chosen: by a check of its own, or, for
 * want of one, whether the library is there that programs enter it by. */
#include "cli/doctor/check.h"

#include <dlfcn.h>
#include <string.h>

#include "schema/domain.h"

#define SECONDS 60

static const struct {
	const char *domain;
	bool (*check)(struct checks *checks); /* whether it can be recorded */
} own[] = {
	{"opencl", check_opencl},
	{"cuda", check_cuda},
};

static void load_entry(struct checks *checks, const void *data)
{
	const struct tandem_domain_row *row = data;

	if (dlopen(row->entry_library, RTLD_NOW))
		check_add(checks, CHECK_OK, row->title, "library", NULL, "%s", row->entry_library);
	else
		check_add(checks, CHECK_OPTIONAL, row->title, "library", NULL,
			  "none: %s is not installed", row->entry_library);
}

static bool check_domain(struct checks *checks, const struct tandem_domain_row *row)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(own[i].domain, row->name))
			return own[i].check(checks);
	if (*row->entry_library)
		check_apart(checks, row->title, "library", SECONDS, load_entry, row);
	return false;
}

bool check_domains(struct checks *checks)
{
	const struct tandem_domain_row *row = NULL;
	bool opencl = false;

	while ((row = tandem_domain_next(row))) {
		bool works =
			row->runtime && !strcmp(row->part, row->name) && check_domain(checks, row);

		opencl = opencl || (works && !strcmp(row->name, "opencl"));
	}
	return opencl;
}
