/* Programs and runtimes beside Tandem: helpful, not needed. */
#include "cli/check.h"

#include <dlfcn.h>
#include <glob.h>

#include "cli/program.h"

static void check_command(struct checks *checks, const char *name, const char *mend,
			  const char *use)
{
	struct program program;

	if (program_find(name, &program))
		check_add(checks, CHECK_OPTIONAL, "tools", name, mend, "not found: %s", use);
	else
		check_add(checks, CHECK_OK, "tools", name, NULL, "%s", program.path);
}

static void load_cuda(struct checks *checks, const void *data)
{
	(void)data;
	if (dlopen("libcuda.so.1", RTLD_LAZY))
		check_add(checks, CHECK_INFO, "tools", "CUDA driver", NULL, "libcuda.so.1");
	else
		check_add(checks, CHECK_INFO, "tools", "CUDA driver", NULL, "none");
}

static void check_cupti(struct checks *checks)
{
	static const char *const places[] = {
		"/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so*",
		"/usr/local/cuda*/lib64/libcupti.so*",
		"/usr/lib/*/libcupti.so*",
	};
	glob_t found = {.gl_pathc = 0};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		glob(places[i], i ? GLOB_APPEND : 0, NULL, &found);
	check_add(checks, CHECK_INFO, "tools", "CUPTI", NULL, "%s",
		  found.gl_pathc ? found.gl_pathv[0] : "none");
	globfree(&found);
}

void check_tools(struct checks *checks)
{
	check_command(checks, "babeltrace2", "apt-get install babeltrace2",
		      "it reads the sessions too");
	check_apart(checks, "tools", "CUDA driver", 60, load_cuda, NULL);
	check_cupti(checks);
}
