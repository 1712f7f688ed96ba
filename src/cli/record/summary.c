/* SPDX-License-Identifier: MIT */
#include "cli/record/summary.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options/domain_titles.h"
#include "recorder/session/count_records.h"
#include "recorder/session/description.h"
#include "recorder/session/live_processes.h"
#include "recorder/session/recover.h"
#include "recorder/session/unjoined.h"
#include "schema/domain.h"
#include "schema/ids.h"
#include "util/units.h"

void summary_add_count(struct text *text, uint64_t count, const char *noun)
{
	char number[UNITS_BYTES];
	size_t length = strlen(noun);
	const char *ending = count == 1 ? "" : length && noun[length - 1] == 's' ? "es" : "s";

	text_format(text, "%s %s%s", units_count(number, count), noun, ending);
}

static uint64_t count_losses(const struct tandem_control *control)
{
	uint64_t total = 0;

	for (int i = 0; i < TANDEM_LOSS_COUNT; i++)
		total += atomic_load(&control->lost[i]);
	return total;
}

void summary_add_losses(struct text *text, const struct tandem_control *control)
{
	static const char *const words[] = {
#define X(name, words) words,
		TANDEM_LOSSES(X)
#undef X
	};
	uint64_t total = count_losses(control);
	char number[UNITS_BYTES];
	const char *separator = ": ";
	bool several = false;

	if (!total) {
		text_add_string(text, "nothing lost");
		return;
	}
	text_format(text, "lost %s", units_count(number, total));
	for (int i = 0; i < TANDEM_LOSS_COUNT; i++) {
		uint64_t lost = atomic_load(&control->lost[i]);

		if (!lost)
			continue;
		text_add_string(text, separator);
		several = several || lost < total;
		if (several)
			text_format(text, "%s ", units_count(number, lost));
		text_add_string(text, words[i]);
		separator = ", ";
	}
}

/* Why a program has no API call in its trace; NULL: it made none, as far as is known. */
static const char *why_nothing(const struct session *session, const struct program *program)
{
	if (session->lttng && *session->lttng->incomplete &&
	    !*lttng_options_relay(&session->options->lttng))
		return "LTTng's trace cannot be read";
	if (count_losses(session->control) >
	    atomic_load(&session->control->lost[TANDEM_LOSS_kernel_buffer]))
		return "what it recorded could not be written";
	if (session->options->start_paused)
		return "recording was never resumed, or the program made no call after it";
	if (program->privileged)
		return "it is a set-user-ID program, into which nothing is loaded";
	if (program->is_static)
		return "it is statically linked, so that nothing can be loaded into it";
	if (!program->loadable)
		return "it is a program of a different architecture than this tandem";
	return NULL;
}

/* The recorded runtimes that have something to say. */
static uint64_t domains_with_notices(const struct session *session)
{
	uint64_t found = 0;

	for (uint64_t left = domain_titles_runtimes(session->options->domains); left;
	     left &= left - 1)
		if (atomic_load(&session->control->domain[__builtin_ctzll(left)].notices))
			found |= left & -left;
	return found;
}

/* Where LTTng's relay has them. */
static void add_relayed(struct text *text, const struct session *session)
{
	char name[LTTNG_NAME_BYTES];

	lttng_session_name(name, &session->options->lttng);
	text_format(text, "LTTng's session %s went to its relay at %s", name,
		    lttng_options_relay(&session->options->lttng));
}

/* Of what a daemon did not write, nobody knows how much it was. */
static void add_losses(struct text *text, const struct session *session)
{
	const char *incomplete = session->lttng ? session->lttng->incomplete : "";

	if (*incomplete)
		text_format(text, "parts of LTTng's trace may be missing: %s", incomplete);
	if (*incomplete && count_losses(session->control))
		text_add_string(text, "; ");
	if (!*incomplete || count_losses(session->control))
		summary_add_losses(text, session->control);
}

/* Of a program in which we were. */
static void add_made_none(struct text *text, const struct session *session)
{
	uint64_t domains = domains_with_notices(session);

	if (!domains) {
		text_format(text, "no GPU API calls%s",
			    strcmp(session->inject, "preload") != 0
				    ? ""
				    : " that --inject preload catches");
		return;
	}
	text_format(text, "no GPU API events recorded for %s: its ", session->command[0]);
	domain_titles_add(text, domains, "and");
	text_add_string(text, " calls did not reach Tandem");
}

/* Of a program without an API call. */
static void add_no_calls(struct text *text, const struct session *session,
			 const struct program *program, const struct record_count *counted)
{
	const char *why = why_nothing(session, program);
	char size[UNITS_BYTES];

	if (counted->kernel_events) {
		text_add_string(text, counted->estimated ? "recorded about " : "recorded ");
		summary_add_count(text, counted->kernel_events, "kernel event");
		text_add_string(text, " of ");
		summary_add_count(text, description_count_processes(session), "process");
		text_format(text, " (%s) in %s; ", units_bytes(size, (double)counted->kernel_bytes),
			    session->directory);
	}
	if (!why && *lttng_options_relay(&session->options->lttng)) {
		add_relayed(text, session);
		text_add_string(text, "; ");
		add_losses(text, session);
		return;
	}
	if (why)
		text_format(text, "no GPU API events recorded for %s: %s", session->command[0],
			    why);
	else
		add_made_none(text, session);
	if (!counted->kernel_events && !why)
		text_format(text, " in %s, nothing recorded in %s", session->command[0],
			    session->directory);
	/* Of what nothing could see, nothing is known to be lost or not. */
	if (counted->kernel_events || !why || count_losses(session->control)) {
		text_add_string(text, "; ");
		add_losses(text, session);
	}
}

static void add_recorded(struct text *text, const struct session *session,
			 const struct program *program, const struct record_count *counted)
{
	const struct tandem_control *control = session->control;
	char size[UNITS_BYTES];

	if (!counted->events && !counted->bytes) {
		add_no_calls(text, session, program, counted);
		return;
	}
	text_add_string(text, counted->estimated ? "recorded about " : "recorded ");
	summary_add_count(text, counted->events, "event");
	if (counted->kernel_events) {
		text_add_string(text, " and ");
		summary_add_count(text, counted->kernel_events, "kernel event");
	}
	text_add_string(text, " of ");
	summary_add_count(text, description_count_processes(session), "process");
	text_add_string(text, ", ");
	summary_add_count(text, atomic_load(&control->threads), "thread");
	text_format(text, " with events (%s) in %s; ",
		    units_bytes(size, (double)(counted->bytes + counted->kernel_bytes)),
		    session->directory);
	add_losses(text, session);
}

/* One line for each thing that a traced process wants its user to know. */
static void print_notices(const struct tandem_control *control)
{
	const struct tandem_domain_row *row = NULL;

	while ((row = tandem_domain_next(row))) {
		uint64_t notices = atomic_load(&control->domain[row->number].notices);

		for (unsigned i = 0; row->notices && row->notices[i]; i++)
			if (notices >> i & 1)
				cli_note("%s", row->notices[i]);
	}
}

/* Of the program itself it may be said already why. */
static void print_unjoined(const struct session *session, const struct program *program, pid_t pid)
{
	bool known = program->privileged || program->is_static || !program->loadable;
	struct text text = TEXT_INIT;
	struct unjoined unjoined;

	unjoined_find(session, &unjoined);
	if (!unjoined.count || (known && unjoined.first->pid == (uint32_t)pid))
		return;
	text_escape(&text, unjoined.first->name, strlen(unjoined.first->name));
	text_format(&text, " (process %u)", unjoined.first->pid);
	if (unjoined.count > 1) {
		text_add_string(&text, " and ");
		summary_add_count(&text, unjoined.count - 1, "other program");
	}
	text_add_string(&text, " did not load Tandem for this recording: an environment that was "
			       "cleared, a static or set-user-ID program, or another recorder's");
	if (!text.failed)
		cli_note("%s", text.data);
	text_free(&text);
}

void summary_print(const struct session *session, const struct program *program, pid_t pid)
{
	const struct tandem_control *control = session->control;
	struct text text = TEXT_INIT;
	struct record_count counted;
	uint64_t unfinished = atomic_load(&control->unfinished);
	uint64_t untimed = atomic_load(&control->untimed_queues);
	uint64_t ran_ns = session->end.monotonic_ns - session->start.monotonic_ns;
	unsigned alive = 0;
	int error;

	/* To look through all processes takes a fifth of what recording a short program does.
	 * What the program started has a higher number than it, unless numbers went round,
	 * which takes them a while. */
	if (!session_is_left(session->absolute, session->control))
		alive = live_processes_find(session->absolute, ran_ns < 1000000000u ? pid : 1, NULL,
					    NULL);
	error = count_records(session->absolute, &counted);

	if (error) {
		cli_note("cannot read %s: %s", session->directory, strerror(-error));
		return;
	}
	add_recorded(&text, session, program, &counted);
	if (unfinished) {
		text_add_string(&text, "; ");
		summary_add_count(&text, unfinished, "command");
		text_add_string(&text, " still running at the end");
	}
	if (untimed) {
		text_add_string(&text, "; ");
		summary_add_count(&text, untimed, "queue");
		text_add_string(&text, " without device times");
	}
	if (!text.failed)
		cli_note("%s", text.data);
	text_free(&text);
	print_notices(control);
	print_unjoined(session, program, pid);
	if (alive)
		cli_note("%u of its processes live%s on and record%s into %s", alive,
			 alive == 1 ? "s" : "", alive == 1 ? "s" : "", session->directory);
}
