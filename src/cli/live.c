/* SPDX-License-Identifier: MIT */
#include "cli/live.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/reading.h"
#include "recorder/session/folder.h"
#include "recorder/session/live_processes.h"
#include "setup/library.h"

#define CLEAR "\033[H\033[J"

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

int live_show(const char *path, int (*show)(void *user, const struct live *live, bool goes_on),
	      void *user)
{
	struct live live;
	bool goes_on;
	int status;

	if (live_open(&live, path))
		return CLI_FAILED;
	for (;;) {
		goes_on = live_runs(&live);
		status = show(user, &live, goes_on);
		if (status || !goes_on)
			break;
		live_wait();
		if (!isatty(STDOUT_FILENO))
			puts("");
	}
	live_close(&live);
	return status;
}

void live_text_begin(struct text *text)
{
	if (isatty(STDOUT_FILENO))
		text_add_string(text, CLEAR);
}

/* The last line stays free. */
void live_text_cut(struct text *text)
{
	unsigned lines = cli_height(STDOUT_FILENO);
	char *end = text->data;

	if (!lines || text->failed)
		return;
	while (end && --lines)
		end = strchr(end, '\n') ? strchr(end, '\n') + 1 : NULL;
	if (!end)
		return;
	text->length = (size_t)(end - text->data);
	*end = '\0';
}
