/* SPDX-License-Identifier: MIT */
/* Programs and runtimes beside Tandem: helpful, not needed. */
#include "cli/doctor/areas.h"

#include <errno.h>
#include <stdio.h>

#include "recorder/lttng_session.h"
#include "recorder/program/program.h"
#include "setup/check.h"

#define LTTNG_ANSWER_S 10u

static void check_command(struct checks *checks, const char *name, const char *fix, const char *use)
{
	struct program program;

	if (program_find(name, &program))
		check_add(checks, CHECK_OPTIONAL, "tools", name, fix, "not found: %s", use);
	else
		check_add(checks, CHECK_OK, "tools", name, NULL, "%s", program.path);
}

/* LTTng's daemons keep the session of a recorder that was killed, and go on writing into it. */
static void check_lttng_sessions(struct checks *checks)
{
	char name[64], fix[96];
	int status = lttng_session_left(name, sizeof(name), LTTNG_ANSWER_S);

	if (status == -ETIMEDOUT)
		check_add(checks, CHECK_OPTIONAL, "tools", "LTTng", "restart lttng-sessiond",
			  "its session daemon did not answer for %u s", LTTNG_ANSWER_S);
	if (status <= 0)
		return;
	snprintf(fix, sizeof(fix), "lttng destroy %s", name);
	check_add(checks, CHECK_OPTIONAL, "tools", "LTTng", fix,
		  "session %s is still there: its recorder was killed", name);
}

void check_tools(struct checks *checks)
{
	check_command(checks, "babeltrace2", "apt-get install babeltrace2",
		      "it reads the sessions too");
	check_lttng_sessions(checks);
}
