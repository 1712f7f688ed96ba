/* SPDX-License-Identifier: MIT */
/* Programs and runtimes beside Tandem: helpful, not needed. */
#include "cli/doctor/areas.h"

#include "recorder/program.h"
#include "setup/check.h"

static void check_command(struct checks *checks, const char *name, const char *fix, const char *use)
{
	struct program program;

	if (program_find(name, &program))
		check_add(checks, CHECK_OPTIONAL, "tools", name, fix, "not found: %s", use);
	else
		check_add(checks, CHECK_OK, "tools", name, NULL, "%s", program.path);
}

void check_tools(struct checks *checks)
{
	check_command(checks, "babeltrace2", "apt-get install babeltrace2",
		      "it reads the sessions too");
}
