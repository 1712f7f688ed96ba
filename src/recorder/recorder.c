/* SPDX-License-Identifier: MIT */
#include "recorder/recorder.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/directory.h"
#include "recorder/program/child.h"
#include "recorder/program/environment.h"
#include "recorder/session/live_processes.h"
#include "recorder/session/recover.h"
#include "recorder/session/session_files.h"
#include "recorder/snapshot/lttng_window.h"
#include "recorder/snapshot/snapshot.h"
#include "recorder/snapshot/watch_rings.h"
#include "schema/domain.h"

static const char *const injection_words[] = {
#define X(constant, word) word,
	RECORDER_INJECTIONS(X)
#undef X
};

static enum recorder_injection choose_injection(enum recorder_injection asked,
						const struct program *program)
{
	if (asked != INJECT_AUTO)
		return asked;
	/* A library of another class makes the loader complain on the program's
	 * standard error; a sanitizer's runtime wants to come first. */
	if (!program->loadable)
		return INJECT_LAYER;
	if (program->has_sanitizer && !environment_has_sanitizer())
		return INJECT_LAYER;
	return INJECT_BOTH;
}

/* execvp() runs what has no "#!" by the shell. */
static char **shell_command(const struct program *program, char **command)
{
	size_t count = 0;
	char **words;

	while (command[count])
		count++;
	words = calloc(count + 2, sizeof(*words));
	if (!words)
		return NULL;
	words[0] = (char *)(uintptr_t) "/bin/sh";
	words[1] = (char *)(uintptr_t)program->path;
	memcpy(words + 2, command + 1, count * sizeof(*words));
	return words;
}

static int start_program(struct recorder *recorder, enum recorder_injection injection)
{
	const struct session_options *options = &recorder->options->session;
	const struct program *program = &recorder->program;
	char **command = recorder->options->command, **words = command;
	struct environment environment;
	struct environment_request request = {
		.session = recorder->session.absolute,
		.library = recorder->library.path,
		.preload = injection != INJECT_LAYER,
		.layers = injection != INJECT_PRELOAD,
		.domains = options->domains,
		.choices = options->choices,
	};
	int error = environment_create(&environment, &request);

	if (!error && recorder->options->session.lttng.enabled)
		environment_set(&environment, "TANDEM_SINK", "lttng");
	if (!error && program->plain_script) {
		words = shell_command(program, command);
		error = words ? 0 : -ENOMEM;
	}
	if (!error)
		error = child_start(&recorder->pid,
				    program->plain_script ? "/bin/sh" : program->path, words,
				    environment.variables);
	if (words != command)
		free(words);
	environment_destroy(&environment);
	return error;
}

/* That the domains' own ways in are there. */
static int find_entries(const struct library *library, uint64_t domains, struct error *error)
{
	const struct tandem_domain_row *row = NULL;
	char path[PATH_MAX];

	while ((row = tandem_domain_next(row))) {
		const struct tandem_variable *variable = row->variables;

		for (; domains >> row->number & 1 && variable && variable->name; variable++)
			if (variable->library && !variable->optional &&
			    library_beside(path, library->path, variable->library))
				return error_add(error, -ENOENT,
						 "%s is missing (looked for %s): install Tandem, "
						 "or set TANDEM_LIBRARY",
						 variable->library, path);
	}
	return 0;
}

static int find_library(struct library *library, uint64_t domains, struct error *error)
{
	int status = library_find(library);

	switch (status) {
	case 0:
		return find_entries(library, domains, error);
	case -EINVAL:
		return error_add(error, status,
				 "%s: the loader takes no path with blanks or colons; install "
				 "Tandem elsewhere, or set TANDEM_LIBRARY",
				 library->path);
	default:
		return error_add(error, status,
				 "libtandem.so is missing (looked for %s): install Tandem, "
				 "or set TANDEM_LIBRARY",
				 library->looked);
	}
}

static int cannot_run(struct recorder *recorder, int status)
{
	recorder->cannot_run = true;
	return status;
}

static void start_collector(struct recorder *recorder)
{
	const struct session_options *session = &recorder->options->session;
	struct linux_options options = {
		.level = recorder->options->level,
		.directory = recorder->session.absolute,
		.control = recorder->session.control,
		.sample_hz = session->sample_hz,
		.saved_stacks = session->saved_stacks,
		.processes = &recorder->processes,
	};

	/* What can't be collected is in the notes. */
	linux_collector_start(&recorder->collector, &options, &recorder->notes);
}

/* Before the collector, which is to see none of its processes. */
static int start_watcher(struct recorder *recorder, struct error *error)
{
	struct watcher_request request = recorder->options->watcher;

	request.directory = recorder->session.directory;
	return watcher_start(&recorder->watcher, &request, error);
}

/* Before the program, so that its first event is there. */
static int start_lttng(struct recorder *recorder, struct error *error)
{
	const struct lttng_options *options = &recorder->options->session.lttng;
	char folder[SESSION_PATH_BYTES + 16];
	int status;

	if (!options->enabled)
		return 0;
	snprintf(folder, sizeof(folder), "%s/" DIRECTORY_LTTNG, recorder->session.absolute);
	/* Whoever ends the recorder meanwhile would leave the session to LTTng's daemons. */
	child_signals_hold();
	status = lttng_session_start(&recorder->lttng, options, folder, error);
	return !status && child_signals_wait() ? -EINTR : status;
}

int recorder_start(struct recorder *recorder, const struct recorder_options *options,
		   struct error *error)
{
	struct session *session = &recorder->session;
	enum recorder_injection injection;
	int status;

	*recorder = (struct recorder){
		.options = options,
		.session = {.options = &options->session, .command = options->command},
	};
	child_files_keep();
	clock_choose(options->session.clock, &session->clock);
	session->early = options->early;
	if (session->clock.source == TANDEM_CLOCK_MONOTONIC)
		session->early.ticks = session->early.monotonic_ns;
	status = program_find(options->command[0], &recorder->program);
	if (status)
		return cannot_run(recorder, status);
	status = find_library(&recorder->library, options->session.domains, error);
	if (status)
		return status;
	injection = choose_injection(options->injection, &recorder->program);
	session->program = recorder->program.path;
	session->inject = injection_words[injection];
	status = session_create(session, error);
	if (status)
		return status;
	recorder->schedule = (struct steering_schedule){.control = session->control,
							.delay_ns = options->delay_ns,
							.duration_ns = options->duration_ns};
	if (options->session.ring_bytes)
		ended_processes_init(&recorder->ended, session->absolute,
				     ENDED_PROCESSES_RINGS * options->session.ring_bytes);
	status = start_watcher(recorder, error);
	if (status) {
		session_remove(session);
		return status;
	}
	start_collector(recorder);
	status = session_describe(session, error);
	if (!status)
		status = start_lttng(recorder, error);
	if (!status) {
		status = start_program(recorder, injection);
		recorder->cannot_run = status != 0;
		steering_schedule_start(&recorder->schedule);
	}
	if (status) {
		linux_collector_close(recorder->collector);
		lttng_session_stop(&recorder->lttng, NULL);
		watcher_cancel(&recorder->watcher);
		session_remove(session);
		child_signals_let();
	}
	return status;
}

/* -1: never. */
static int sooner(int a_ms, int b_ms)
{
	return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

/* Returns in how many ms to do so again, at the latest. */
static int work(void *user)
{
	struct recorder *recorder = user;
	int ms = steering_schedule_work(&recorder->schedule);

	ms = sooner(ms, ended_processes_trim(&recorder->ended));
	return sooner(linux_collector_poll(recorder->collector), ms);
}

/* The collector may have seen none, or less than all. */
static void finish_processes(struct recorder *recorder)
{
	struct linux_process_tree *processes = &recorder->processes;
	const char *path = recorder->program.path, *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	linux_process_tree_finish(processes, (uint32_t)getpid());
	if (!processes->count || processes->processes[0].pid != (uint32_t)recorder->pid) {
		linux_process_tree_free(processes);
		linux_process_tree_fork(processes, 1, (uint32_t)recorder->pid, (uint32_t)getpid());
		linux_process_tree_exec(processes, 1, (uint32_t)recorder->pid);
		linux_process_tree_name(processes, (uint32_t)recorder->pid, name, strlen(name));
	}
	recorder->session.processes = processes;
}

/* What every command reads, unless somebody still records: then `tandem snapshot` saves it. */
static void finish_rings(struct recorder *recorder, struct error *error)
{
	struct session *session = &recorder->session;

	if (session_is_left(session->absolute, session->control) ||
	    !live_processes_find(session->absolute, 1, NULL, NULL))
		snapshot_finish(session->absolute, error);
}

/* To where LTTng's rings are complete. */
static void session_move_begin(struct session *session, uint64_t ns)
{
	struct clock_pair *start = &session->start;

	if (ns <= start->monotonic_ns)
		return;
	start->realtime_ns += ns - start->monotonic_ns;
	start->ticks = start->monotonic_ns = ns;
	session->control->start_ticks = session->control->start_monotonic_ns = ns;
	session->control->start_realtime_ns = start->realtime_ns;
}

/* Of a trace that is here its reader counts them. */
static void finish_lttng(struct recorder *recorder)
{
	struct session *session = &recorder->session;

	session->lttng = &recorder->lttng.outcome;
	if (session->options->lttng.snapshot_bytes)
		session_move_begin(session, lttng_window_find(recorder->lttng.folder).begin_ns);
	if (session->options->ring_bytes)
		watch_rings_remove(session->absolute, session->control);
	if (*lttng_options_relay(&session->options->lttng))
		atomic_fetch_add(&session->control->lost[TANDEM_LOSS_tracer_buffer],
				 recorder->lttng.outcome.discarded);
}

int recorder_wait(struct recorder *recorder, struct error *error)
{
	struct session *session = &recorder->session;
	struct poll_task task = {
		.fd = linux_collector_fd(recorder->collector),
		.work = work,
		.user = recorder,
	};
	bool busy = recorder->collector || recorder->schedule.resume_at_ns ||
		    recorder->schedule.stop_at_ns || recorder->ended.directory;
	int wait_status = child_wait(recorder->pid, busy ? &task : NULL);
	int status;

	linux_collector_finish(recorder->collector);
	recorder->unwatched = !watcher_finish(&recorder->watcher);
	finish_processes(recorder);
	lttng_session_stop(&recorder->lttng, error);
	if (session->options->lttng.enabled)
		finish_lttng(recorder);
	if (!session->options->ring_bytes)
		session_recover(session->directory);
	status = session_finish(session, wait_status);
	if (status)
		error_add(error, status, "cannot complete %s/session.json: %s", session->directory,
			  strerror(-status));
	else if (session->options->ring_bytes && !session->options->lttng.enabled)
		finish_rings(recorder, error);
	linux_collector_close(recorder->collector);
	return wait_status;
}
