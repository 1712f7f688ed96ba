/* SPDX-License-Identifier: MIT */
#include "cli/live.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/reading.h"
#include "recorder/session/folder.h"
#include "recorder/session/live_processes.h"
#include "setup/library.h"

int live_open(struct live *live, const char *path)
{
	struct error error = ERROR_INIT;
	char module[PATH_MAX];

	*live = (struct live){.session = path, .lttng = {.held = -1}};
	if (!lttng_import_is_live(path))
		return CLI_DONE;
	if (lttng_import_follow(&live->lttng, path,
				library_module(module, READING_LTTNG_MODULE) ? NULL : module,
				&error))
		return cli_fail(&error);
	live->session = live->lttng.session;
	return CLI_DONE;
}

bool live_runs(const struct live *live)
{
	if (live->lttng.session)
		return lttng_import_runs(&live->lttng);
	return folder_is_locked(live->session) ||
	       live_processes_find(live->session, 1, NULL, NULL) > 0;
}

void live_wait(void)
{
	struct timespec left = {.tv_sec = 1};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

void live_close(struct live *live)
{
	lttng_import_close(&live->lttng);
}
