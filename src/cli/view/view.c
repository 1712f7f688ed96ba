/* SPDX-License-Identifier: MIT */
/* tandem view: the timeline of sessions, in the user's browser. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "cli/newest.h"
#include "cli/options/options.h"
#include "cli/options/part.h"
#include "cli/reading.h"
#include "cli/view/browser.h"
#include "view/serve/server.h"

#define VIEW_OPTIONS(X)                                                                    \
	X(no_open, 0, NULL, FLAG, "do not open a browser, only print the address")         \
	X(with, 'w', "TRACE", FILE_NAME,                                                   \
	  "use kernel events from an LTTng or trace-cmd trace (its directory or file) of " \
	  "the same time and machine")                                                     \
	X(port, 'p', "PORT", TEXT(NULL), "the port to listen on (default: a free one)")    \
	PART_OPTIONS(X)                                                                    \
	X(follow, 0, NULL, FLAG,                                                           \
	  "one session, while it is recorded: the page shows what has come since")         \
	X(align_starts, 0, NULL, FLAG,                                                     \
	  "several sessions: each begins at 0, to compare them (else those of one "        \
	  "machine lie as far apart as they ran)")                                         \
	X(join, 0, NULL, FLAG,                                                             \
	  "sessions of different machines or boots: put them on one axis by their times "  \
	  "of day")

OPTIONS(VIEW_OPTIONS)

const struct command command_view = {
	.name = "view",
	.usage = "[options] [DIR...]",
	.about = "Shows recorded sessions as a timeline in the browser: threads and their API\n"
		 "calls, queues and what the devices executed, waits, states, memory. The page\n"
		 "comes from this machine and fetches nothing from elsewhere; only its address,\n"
		 "which is printed, leads to it. Ctrl-C ends.\n",
	.examples = "  tandem view tandem-app-20261120-100000\n"
		    "  tandem view --range step/2 DIR\n"
		    "  tandem view --follow DIR                    while it is recorded\n"
		    "  tandem view --align-starts before after     two runs, one above the other\n",
	.column = 22,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSIONS,
};

/* A session that takes a smaller part of the picture than one of so many is a line. */
#define APART_MOST 100

struct arguments {
	bool no_open, follow;
	const char *with;
	uint64_t port;
	enum view_align align;
	struct part part;      /* to begin with */
	char **paths, *newest; /* newest: where no session is given */
	size_t count;
};

struct viewing { /* one session */
	struct reading reading;
	bool open, shown;
};

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct arguments *arguments = user;

	(void)word;
	switch (option) {
	case OPTION_no_open:
		arguments->no_open = true;
		return 0;
	case OPTION_with:
		arguments->with = value;
		return 0;
	case OPTION_port:
		return cli_parse_number(value, UINT16_MAX, &arguments->port) || !arguments->port
			       ? option_refuse("--port", value, "1 to 65535")
			       : 0;
	case OPTION_from:
	case OPTION_to:
	case OPTION_range:
		return part_option(&arguments->part, option_rows[option].name, value);
	case OPTION_follow:
		arguments->follow = true;
		return 0;
	case OPTION_align_starts:
		arguments->align = VIEW_ALIGN_starts;
		return 0;
	default:
		arguments->align = VIEW_ALIGN_join;
		return 0;
	}
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int first = options_parse(&command_view, argc, argv, handle_option, arguments);

	if (first < 0)
		return first;
	if (part_check(&arguments->part, &command_view))
		return OPTIONS_WRONG;
	arguments->paths = argv + first;
	arguments->count = (size_t)(argc - first);
	if (arguments->follow && (arguments->count > 1 || arguments->with)) {
		cli_error("--follow is of one session, without --with");
		return options_wrong(&command_view);
	}
	if (arguments->count)
		return 0;
	arguments->newest = (char *)(uintptr_t)newest_session();
	arguments->paths = &arguments->newest;
	arguments->count = 1;
	return arguments->newest ? 0 : options_wrong(&command_view);
}

/* Until the user has seen enough. */
static void wait_for_end(const sigset_t *signals)
{
	int signal;

	while (sigwait(signals, &signal) == EINTR)
		;
}

/* Whether on their common axis the sessions are too short to be seen. */
static bool far_apart(const struct view_source *sources, size_t count)
{
	int64_t longest_ns = 0, last_ns = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t length_ns = sources[i].index.header->last_ns;

		if (length_ns > longest_ns)
			longest_ns = length_ns;
		if (sources[i].offset_ns + length_ns > last_ns)
			last_ns = sources[i].offset_ns + length_ns;
	}
	return longest_ns < last_ns / APART_MOST;
}

static void align(const struct arguments *arguments, struct view_source *sources)
{
	if (view_sources_align(sources, arguments->count, arguments->align)) {
		if (far_apart(sources, arguments->count))
			cli_note("these sessions lie far apart: --align-starts shows each from its "
				 "own begin, one above the other");
		return;
	}
	if (arguments->align == VIEW_ALIGN_join)
		cli_note("the times of these sessions are unknown: each begins at 0");
	else
		cli_note("these sessions are not of one machine and boot: each begins at 0; "
			 "--join puts them together by their times of day");
}

static void print_address(const struct arguments *arguments, const struct view_server *server)
{
	printf("%s\n", view_server_address(server));
	fflush(stdout);
	if (!arguments->no_open && browser_open(view_server_ticket(server)))
		cli_note("no browser could be opened: open the address above");
	cli_note("Ctrl-C ends the timeline");
}

static int serve(const struct arguments *arguments, struct view_source *sources,
		 const sigset_t *signals)
{
	struct view_served served = {.sources = sources, .count = arguments->count};
	const struct trace_session *sessions[arguments->count];
	struct error error = ERROR_INIT;
	struct view_server *server;

	/* Before any thread starts, which inherits it. */
	pthread_sigmask(SIG_BLOCK, signals, NULL);
	align(arguments, sources);
	for (size_t i = 0; i < arguments->count; i++)
		sessions[i] = sources[i].session;
	if (view_findings_start(&served.findings, sessions, arguments->count))
		return cli_error("out of memory");
	if (view_server_start(&server, &served, (uint16_t)arguments->port, &error)) {
		view_findings_stop(served.findings);
		return cli_fail(&error);
	}
	print_address(arguments, server);
	wait_for_end(signals);
	view_server_stop(server);
	view_findings_stop(served.findings);
	return CLI_DONE;
}

static int open_session(struct viewing *viewing, struct view_source *source, const char *path,
			const struct arguments *arguments)
{
	struct progress progress = {.tell = reading_progress, .user = &viewing->reading};
	struct error error = ERROR_INIT;
	struct range range;
	int status = reading_open(&viewing->reading, path);

	if (!status)
		status = reading_with(&viewing->reading, arguments->with);
	if (status)
		return status;
	viewing->open = true;
	status = part_find(&arguments->part, &viewing->reading, &range);
	if (status)
		return status;
	status = view_source_open(source, &viewing->reading.session, &progress, &error);
	reading_progress_end(&viewing->reading);
	viewing->shown = !status;
	source->shown = range;
	return status ? cli_fail(&error) : CLI_DONE;
}

static int view_all(const struct arguments *arguments, const sigset_t *signals)
{
	struct viewing *viewing = calloc(arguments->count, sizeof(*viewing));
	struct view_source *sources = calloc(arguments->count, sizeof(*sources));
	int status = viewing && sources ? CLI_DONE : cli_error("out of memory");

	for (size_t i = 0; status == CLI_DONE && i < arguments->count; i++)
		status = open_session(&viewing[i], &sources[i], arguments->paths[i], arguments);
	if (status == CLI_DONE)
		status = serve(arguments, sources, signals);
	for (size_t i = 0; viewing && sources && i < arguments->count; i++) {
		if (viewing[i].shown)
			view_source_close(&sources[i]);
		if (viewing[i].open)
			reading_close(&viewing[i].reading);
	}
	free(viewing);
	free(sources);
	return status;
}

/* A look at a session that is being recorded. */
struct look {
	struct viewing viewing;
	struct view_source source;
};

static void look_close(struct look *look)
{
	if (look->viewing.shown)
		view_source_close(&look->source);
	if (look->viewing.open)
		reading_close(&look->viewing.reading);
	*look = (struct look){.viewing = {.open = false}};
}

static int look_open(struct look *look, const struct arguments *arguments, const struct live *live)
{
	int status = open_session(&look->viewing, &look->source, live->session, arguments);

	if (status != CLI_DONE)
		look_close(look);
	return status;
}

static bool has_grown(const struct look *now, const struct look *before)
{
	const struct trace_session *session = &now->viewing.reading.session;
	const struct trace_session *last = &before->viewing.reading.session;

	return session->content_bytes != last->content_bytes ||
	       session->last_ticks != last->last_ticks ||
	       session->traced_count != last->traced_count ||
	       session->run.has_end != last->run.has_end;
}

/* Looks again until the session or the user ends. Two looks take turns: one is served. */
static void follow_on(const struct arguments *arguments, const struct live *live,
		      struct look looks[2], struct view_served *served, struct view_server *server,
		      const sigset_t *signals)
{
	struct timespec pause = {.tv_sec = 2};
	unsigned now = 0;

	while (served->runs) {
		struct look *next = &looks[!now];
		bool runs;

		if (sigtimedwait(signals, NULL, &pause) >= 0)
			return;
		runs = live_runs(live);
		if (look_open(next, arguments, live) != CLI_DONE)
			return;
		if (!has_grown(next, &looks[now]) && runs) {
			look_close(next);
			continue;
		}
		served->sources = &next->source;
		served->look++;
		served->runs = runs;
		view_server_replace(server, served);
		look_close(&looks[now]);
		now = !now;
	}
	wait_for_end(signals);
}

static int follow_live(const struct arguments *arguments, const struct live *live,
		       const sigset_t *signals)
{
	struct look looks[2] = {{.viewing = {.open = false}}};
	struct view_served served = {
		.sources = &looks[0].source, .count = 1, .look = 1, .runs = live_runs(live)};
	struct error error = ERROR_INIT;
	struct view_server *server;
	int status = look_open(&looks[0], arguments, live);

	if (status != CLI_DONE)
		return status;
	pthread_sigmask(SIG_BLOCK, signals, NULL);
	if (view_server_start(&server, &served, (uint16_t)arguments->port, &error)) {
		status = cli_fail(&error);
	} else {
		print_address(arguments, server);
		follow_on(arguments, live, looks, &served, server, signals);
		view_server_stop(server);
	}
	look_close(&looks[0]);
	look_close(&looks[1]);
	return status;
}

static int view_follow(const struct arguments *arguments, const sigset_t *signals)
{
	struct live live;
	int status;

	if (live_open(&live, arguments->paths[0]))
		return CLI_FAILED;
	status = follow_live(arguments, &live, signals);
	live_close(&live);
	return status;
}

int cmd_view(int argc, char **argv)
{
	struct arguments arguments = {.port = 0, .part = PART_WHOLE};
	sigset_t signals;
	int status = read_arguments(&arguments, argc, argv);

	if (status)
		return options_status(status);
	/* Nothing is unsaved while the index is being made: until the server runs a
	 * signal just ends us. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	return arguments.follow ? view_follow(&arguments, &signals)
				: view_all(&arguments, &signals);
}
