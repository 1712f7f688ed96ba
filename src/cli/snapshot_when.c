/* SPDX-License-Identifier: MIT */
/* What `record --snapshot-when` runs next to the recording (recorder/snapshot/watcher.h): looks at
 * what the rings got since the last look, and saves a snapshot where a condition became true. It
 * takes a tenth of a CPU at most, and each condition's snapshots become rarer, so that one that is
 * true all the time fills no disk. */
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/conditions/conditions.h"
#include "cli/run_import.h"
#include "recorder/session/live_processes.h"
#include "recorder/snapshot/snapshot.h"
#include "recorder/snapshot/watcher.h"
#include "trace/session/session_open.h"
#include "util/counter.h"
#include "util/folder/temporary_folder.h"
#include "util/system_calls.h"
#include "util/units.h"

#define LEAST_MS 50
#define IDLE_MS 400 /* at most, while nothing is recorded */
#define MOST_MS 1000
#define CPU_SHARE 10 /* a part of so many of a CPU */

/* After a condition's first snapshot; each further one doubles it. */
#define PAUSE_NS INT64_C(10000000000)
#define PAUSE_MOST_NS (INT64_C(86400) * 1000000000)

/* Whether somebody still records is a look through all processes. */
#define ALIVE_EVERY_NS INT64_C(10000000000)

struct saving { /* of one condition */
	uint64_t matches, snapshots;
	int64_t pause_ns, next_ns; /* the next snapshot may be then, CLOCK_MONOTONIC */
};

struct watch {
	struct snapshot_look look;
	struct condition list[CONDITIONS_MOST];
	struct conditions conditions;
	struct saving savings[CONDITIONS_MOST];
	uint64_t looks, overwritten, failed;
	bool quiet, told;
	int end; /* the recorder's pipe; -1: the recorder was killed */
	int wait_ms;
};

static int64_t now_ns(void)
{
	return (int64_t)counter_clock_ns(CLOCK_MONOTONIC);
}

/* Each reason to look in vain is said once: the next look may do. */
static void tell_failure(struct watch *watch, const struct error *error)
{
	watch->failed++;
	if (!watch->told && !watch->quiet)
		cli_fail(error);
	watch->told = true;
}

/* Whether one of those that are true may be saved now. */
static bool is_due(const struct watch *watch)
{
	int64_t now = now_ns();

	for (size_t i = 0; i < watch->conditions.count; i++)
		if (watch->conditions.states[i].match.count && now >= watch->savings[i].next_ns)
			return true;
	return false;
}

/* All that are true, as the snapshot holds them all; in a line. */
static uint64_t compose(const struct watch *watch, struct text *reason)
{
	uint64_t at_ns = 0;

	for (size_t i = 0; i < watch->conditions.count; i++) {
		const struct condition_match *match = &watch->conditions.states[i].match;
		char count[UNITS_BYTES];

		if (!match->count)
			continue;
		text_format(reason, "%s%s: ", reason->length ? "; " : "", watch->list[i].text);
		condition_match_text(reason, &watch->list[i], match);
		if (match->count > 1)
			text_format(reason, ", one of %s", units_count(count, match->count));
		if (!at_ns)
			at_ns = (uint64_t)match->ns;
	}
	return at_ns;
}

/* What is true was overwritten in the rings that are saved. */
static bool is_too_late(const struct watch *watch, const struct snapshot_result *result)
{
	for (size_t i = 0; i < watch->conditions.count; i++) {
		const struct condition_match *match = &watch->conditions.states[i].match;

		if (match->count && !match->open && watch->list[i].kind != CONDITION_LOSS &&
		    match->ns + (watch->list[i].kind == CONDITION_ERROR ? 0 : match->value_ns) <
			    (int64_t)result->begin_monotonic_ns)
			return true;
	}
	return false;
}

static void save(struct watch *watch)
{
	struct text reason = TEXT_INIT;
	struct snapshot_request request = {.directory = watch->look.directory,
					   .import = run_import_snapshot};
	struct snapshot_result result;
	struct error error = ERROR_INIT;
	int64_t now = now_ns();
	int status;

	request.at_monotonic_ns = compose(watch, &reason);
	request.reason = reason.failed ? "" : reason.data;
	status = snapshot_save(&request, &result, &error);
	for (size_t i = 0; i < watch->conditions.count; i++) {
		struct saving *saving = &watch->savings[i];

		if (!watch->conditions.states[i].match.count)
			continue;
		saving->snapshots += !status;
		saving->pause_ns = saving->pause_ns ? 2 * saving->pause_ns : PAUSE_NS;
		if (saving->pause_ns > PAUSE_MOST_NS)
			saving->pause_ns = PAUSE_MOST_NS;
		saving->next_ns = now + saving->pause_ns;
	}
	watch->failed += !status && result.unread;
	if (status)
		tell_failure(watch, &error);
	else if (!watch->quiet)
		cli_note("saved %s: %s%s", result.output, request.reason,
			 is_too_late(watch, &result) ? "; it begins after that: give a larger "
						       "--snapshot=BYTES"
						     : "");
	text_free(&reason);
}

static int look_at(struct watch *watch, struct error *error)
{
	struct trace_session session;
	int status = snapshot_look(&watch->look, error);

	if (status)
		return status;
	watch->look.since = watch->look.at_ticks;
	status = trace_session_open(&session, watch->look.output, NULL, error);
	if (status)
		return status;
	status = conditions_look(&watch->conditions, &session, (int64_t)watch->look.at_monotonic_ns,
				 watch->look.overwritten);
	trace_session_close(&session);
	return status ? error_add(error, status, "cannot look at %s: %s", watch->look.directory,
				  strerror(-status))
		      : 0;
}

/* A look, and what follows from it; and after which time the next one is due. */
static void look(struct watch *watch)
{
	uint64_t before_ns = counter_clock_ns(CLOCK_PROCESS_CPUTIME_ID), took_ns;
	struct error error = ERROR_INIT;
	bool idle;

	if (look_at(watch, &error)) {
		tell_failure(watch, &error);
		watch->wait_ms = MOST_MS;
		return;
	}
	watch->looks++;
	watch->overwritten += watch->look.overwritten;
	for (size_t i = 0; i < watch->conditions.count; i++)
		watch->savings[i].matches += watch->conditions.states[i].match.count;
	if (is_due(watch))
		save(watch);
	idle = !watch->conditions.events;
	took_ns = counter_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
	watch->wait_ms = idle && 2 * watch->wait_ms < IDLE_MS ? 2 * watch->wait_ms
			 : idle				      ? IDLE_MS
							      : LEAST_MS;
	if ((uint64_t)watch->wait_ms * 1000000 < took_ns * (CPU_SHARE - 1))
		watch->wait_ms = (int)(took_ns * (CPU_SHARE - 1) / 1000000);
	if (watch->wait_ms > MOST_MS)
		watch->wait_ms = MOST_MS;
}

/* Waits until the next look is due. False: the recording has ended. */
static bool next_look(struct watch *watch)
{
	struct pollfd file = {.fd = watch->end, .events = POLLIN};
	char byte;

	if (poll(&file, watch->end >= 0, watch->wait_ms) <= 0 || !file.revents)
		return true;
	if (read(watch->end, &byte, 1) == 1)
		return false;
	watch->end = -1;
	return true;
}

static bool is_over(const struct watch *watch, int64_t *asked_ns)
{
	if (watch->end >= 0 || now_ns() - *asked_ns < ALIVE_EVERY_NS)
		return false;
	*asked_ns = now_ns();
	return !live_processes_find(watch->look.directory, 1, NULL, NULL);
}

static void watch_run(struct watch *watch)
{
	int64_t asked_ns = 0;

	for (bool over = false; !over; look(watch))
		over = !next_look(watch) || is_over(watch, &asked_ns);
}

static void print_summary(const struct watch *watch)
{
	char count[UNITS_BYTES], all[UNITS_BYTES];

	for (size_t i = 0; i < watch->conditions.count; i++) {
		const struct saving *saving = &watch->savings[i];

		cli_note("`%s` was true %s time%s: %s snapshot%s", watch->list[i].text,
			 units_count(count, saving->matches), saving->matches == 1 ? "" : "s",
			 units_count(all, saving->snapshots), saving->snapshots == 1 ? "" : "s");
	}
	if (watch->overwritten)
		cli_note("in %s of %s looks, events had been overwritten before they could be "
			 "looked at: give a larger --snapshot=BYTES",
			 units_count(count, watch->overwritten), units_count(all, watch->looks));
	if (watch->failed)
		cli_note("the recording could not be looked at, or a snapshot not be saved, %s "
			 "time%s",
			 units_count(count, watch->failed), watch->failed == 1 ? "" : "s");
}

static int parse(struct watch *watch, int count, char **texts)
{
	struct condition_problem problem;

	if (count < 1 || count > (int)CONDITIONS_MOST)
		return cli_error("snapshot-when: this is a part of `tandem record`");
	for (int i = 0; i < count; i++)
		if (condition_parse(&watch->list[i], texts[i], &problem))
			return cli_error("%s: at character %zu: %s", texts[i], problem.at,
					 problem.text);
	return conditions_init(&watch->conditions, watch->list, (size_t)count)
		       ? cli_error("out of memory")
		       : CLI_DONE;
}

int cmd_snapshot_when(int argc, char **argv)
{
	struct watch watch = {.end = WATCHER_FD, .wait_ms = LEAST_MS};
	struct temporary_folder folder;
	struct error error = ERROR_INIT;
	char *output = NULL;

	/* Files of the caller's, which somebody may wait for the end of. */
	system_close_range(WATCHER_FD + 1, ~0u);
	/* Until the recorder ends. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (parse(&watch, argc - 3, argv + 3))
		return CLI_FAILED;
	watch.quiet = argc > 1 && !strcmp(argv[1], WATCHER_QUIET);
	/* In memory, where that is to be had. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	if (temporary_folder_make(&folder, "tandem-watch", &error))
		return cli_fail(&error);
	if (asprintf(&output, "%s/look", folder.path) < 0)
		return cli_error("out of memory");
	watch.look.directory = argv[2];
	watch.look.output = output;
	watch_run(&watch);
	if (!watch.quiet)
		print_summary(&watch);
	temporary_folder_remove(&folder);
	conditions_free(&watch.conditions);
	free(output);
	return CLI_DONE;
}
