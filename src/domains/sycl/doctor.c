/* SPDX-License-Identifier: MIT */
/* What `tandem doctor` says of SYCL: the runtime, which Python packages and toolkits bring
 * along, and what of Tandem's it loads. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "setup/check.h"
#include "setup/library.h"

#define AREA "SYCL"
#define SECONDS 60

static void load_runtime(struct checks *checks, const void *data)
{
	static const char *const names[] = {"libsycl.so.9", "libsycl.so.8", "libsycl.so.7", NULL};

	(void)data;
	for (size_t i = 0; names[i]; i++) {
		if (!dlopen(names[i], RTLD_NOW))
			continue;
		check_add(checks, CHECK_OK, AREA, "library", NULL, "%s", names[i]);
		return;
	}
	check_add(checks, CHECK_OPTIONAL, AREA, "library", NULL,
		  "libsycl.so.7 to .9 are not where the loader looks; programs and Python "
		  "packages bring their own");
}

static bool check_part(struct checks *checks, const struct library *library, const char *name,
		       const char *files, const char *missing)
{
	char path[PATH_MAX];

	if (library_beside(path, library->path, files)) {
		check_add(checks, CHECK_PARTIAL, AREA, name, NULL, "%s", missing);
		return false;
	}
	check_add(checks, CHECK_OK, AREA, name, NULL, "%s", path);
	return true;
}

/* The dispatcher that the user names is taken before ours. */
static bool check_dispatcher(struct checks *checks, const struct library *library)
{
	const char *named = getenv("XPTI_FRAMEWORK_DISPATCHER");
	bool readable;

	if (!named || !*named)
		return check_part(checks, library, "dispatcher",
				  "tandem/libxptifw.so src/xpti/libxptifw.so",
				  "none in this build, which had no C++ compiler: set "
				  "XPTI_FRAMEWORK_DISPATCHER to the runtime's libxptifw.so");
	readable = !access(named, R_OK);
	check_add(checks, readable ? CHECK_OK : CHECK_PARTIAL, AREA, "dispatcher", NULL,
		  "XPTI_FRAMEWORK_DISPATCHER=%s%s", named, readable ? "" : ", which can't be read");
	return readable;
}

bool domain_check_sycl(struct checks *checks)
{
	const char *enabled = getenv("XPTI_TRACE_ENABLE");
	struct library library;
	size_t first = checks->count;
	bool works;

	check_apart(checks, AREA, "library", SECONDS, load_runtime, NULL);
	works = checks->count > first && checks->list[first].state == CHECK_OK;
	if (library_find(&library))
		return false;
	works = check_part(checks, &library, "subscriber", "libtandem-xpti.so",
			   "libtandem-xpti.so is missing: nothing of SYCL is recorded") &&
		works;
	works = check_dispatcher(checks, &library) && works;
	if (!enabled || !*enabled || *enabled == '1' || *enabled == 't')
		return works;
	check_add(checks, CHECK_PARTIAL, AREA, "XPTI_TRACE_ENABLE", NULL,
		  "is %s: nothing of SYCL is recorded", enabled);
	return false;
}
