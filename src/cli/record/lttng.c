/* SPDX-License-Identifier: MIT */
#include "cli/record/lttng.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options/options.h"
#include "cli/run_import.h"
#include "format/ring.h"
#include "recorder/lttng_command.h"

/* LTTng has rings of its own, one for each CPU. */
static int parse_lttng_rings(struct recorder_options *recorder)
{
	struct session_options *session = &recorder->session;
	struct lttng_options *lttng = &session->lttng;

	if (lttng->live || lttng->relay) {
		cli_error("--snapshot keeps rings here: omit --live and --relay");
		return options_wrong(&command_record);
	}
	if (lttng->name && strpbrk(lttng->name, "\"\\")) {
		cli_error("--lttng-session: a name without quotes and backslashes");
		return options_wrong(&command_record);
	}
	lttng->snapshot_bytes = session->ring_bytes;
	/* Conditions are looked for in rings of ours: each snapshot of LTTng's takes a sub-buffer of
	 * each of its rings, so that looking there would leave nothing in them. */
	if (!recorder->watcher.count)
		session->ring_bytes = 0;
	session->clock = CLOCK_MONOTONIC_NS;
	/* Which would be kept whole. */
	recorder->level = LINUX_OFF;
	return 0;
}

/* LTTng's clock is CLOCK_MONOTONIC, and so is that of all that it records. */
int record_lttng_parse(struct recorder_options *recorder)
{
	struct session_options *session = &recorder->session;
	const struct lttng_options *lttng = &session->lttng;

	if (!lttng->enabled && (lttng->name || lttng->live || lttng->relay)) {
		cli_error("--lttng-session, --live and --relay need --sink lttng");
		return options_wrong(&command_record);
	}
	if (lttng->enabled && (session->start_paused || recorder->duration_ns)) {
		cli_error("--start-paused, --delay and --duration are not for --sink lttng: `lttng "
			  "start` and `lttng stop` are");
		return options_wrong(&command_record);
	}
	if (lttng->live && lttng->relay) {
		cli_error("--live and --relay name the same relay: give one of them");
		return options_wrong(&command_record);
	}
	session->lttng.kernel = recorder->level != LINUX_OFF;
	/* Which rings are looked at. */
	if (recorder->watcher.count && !session->ring_bytes)
		session->ring_bytes = RING_USUAL_BYTES;
	if (lttng->enabled && session->ring_bytes)
		return parse_lttng_rings(recorder);
	if (lttng->enabled)
		session->clock = CLOCK_MONOTONIC_NS;
	return 0;
}

int record_lttng_left(const struct session_options *options)
{
	struct error error = ERROR_INIT;
	char name[64];
	int left = options->lttng.enabled ? lttng_session_left(name, sizeof(name), LTTNG_PATIENCE_S)
					  : 0;

	if (left == -ETIMEDOUT) {
		lttng_command_unanswered(&error, "list", LTTNG_PATIENCE_S);
		return cli_fail(&error);
	}
	if (left > 0)
		cli_note("LTTng's session %s is of a recorder that was killed: `lttng destroy %s` "
			 "ends it",
			 name, name);
	return CLI_DONE;
}

void record_lttng_note(const struct recorder *recorder)
{
	if (*recorder->lttng.kernel_note)
		cli_note("%s", recorder->lttng.kernel_note);
}

/* No event of ours: the summary says so. */
void record_lttng_import(const struct recorder *recorder)
{
	const struct lttng_options *lttng = &recorder->options->session.lttng;

	if (lttng->enabled && !lttng->live && !lttng->relay)
		run_import(recorder->session.directory);
}
