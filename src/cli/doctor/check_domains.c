/* SPDX-License-Identifier: MIT */
/* Each runtime of schema/domains.def that can be chosen: by the domain's own check, or, for
 * want of one, whether the library is there that programs enter it by. */
#include "cli/doctor/areas.h"

#include <dlfcn.h>
#include <errno.h>

#include "cli/options/domain_titles.h"
#include "schema/domain.h"
#include "setup/check.h"
#include "setup/library.h"

#define SECONDS 60
#define AREA "recording"
#define NAME "libtandem.so"

static bool (*const own[])(struct checks *checks) = {
#define DOMAIN(number, name, ...) [number] = domain_check_##name,
#include "schema/domains.def"
#undef DOMAIN
};

static void load_library(struct checks *checks, const void *data)
{
	if (dlopen(data, RTLD_NOW))
		check_add(checks, CHECK_OK, AREA, NAME, NULL, "%s", (const char *)data);
	else
		check_add(checks, CHECK_MISSING, AREA, NAME, NULL, "%s", dlerror());
}

static bool check_library(struct checks *checks)
{
	size_t before = checks->count;
	struct library library;
	int error = library_find(&library);

	if (error == -ENOENT)
		check_add(checks, CHECK_MISSING, AREA, NAME, "make install", "not found: %s",
			  library.looked);
	else if (error)
		check_add(checks, CHECK_MISSING, AREA, NAME, NULL,
			  "%s: the loader takes no path with blanks or colons", library.path);
	else
		check_apart(checks, AREA, NAME, SECONDS, load_library, library.path);
	return checks->count == before + 1 && checks->list[before].state == CHECK_OK;
}

static void load_entry(struct checks *checks, const void *data)
{
	const struct tandem_domain_row *row = data;

	if (dlopen(row->entry_library, RTLD_NOW))
		check_add(checks, CHECK_OK, row->title, "library", NULL, "%s", row->entry_library);
	else
		check_add(checks, CHECK_OPTIONAL, row->title, "library", NULL,
			  "none: %s is not installed", row->entry_library);
}

static bool check_entry(struct checks *checks, const struct tandem_domain_row *row)
{
	size_t before = checks->count;

	if (!*row->entry_library)
		return false;
	check_apart(checks, row->title, "library", SECONDS, load_entry, row);
	return checks->count == before + 1 && checks->list[before].state == CHECK_OK;
}

uint64_t check_domains(struct checks *checks)
{
	bool library = check_library(checks);
	uint64_t works = 0;

	for (uint64_t left = domain_titles_runtimes(UINT64_MAX); left; left &= left - 1) {
		unsigned number = (unsigned)__builtin_ctzll(left);

		if (own[number] ? own[number](checks)
				: check_entry(checks, tandem_domain_row(number)))
			works |= (uint64_t)1 << number;
	}
	return library ? works : 0;
}
