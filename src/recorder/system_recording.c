/* SPDX-License-Identifier: MIT */
#include "recorder/system_recording.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/directory.h"
#include "recorder/session/recover.h"
#include "recorder/session/session_files.h"
#include "recorder/target.h"
#include "util/counter.h"

/* How soon a new user, a pause, a stop are seen. */
#define LOOK_MS 100

/* Of all users: each may make a folder of his own there, and see and remove no other's. */
#define SHARED_MODE (S_IRWXU | S_IWGRP | S_IXGRP | S_IWOTH | S_IXOTH | S_ISVTX)

static volatile sig_atomic_t ended;

static void note_end(int number)
{
	ended = number != TARGET_NUDGE ? number : ended;
}

static void watch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, TARGET_NUDGE};
	struct sigaction action = {.sa_handler = note_end};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

/* Every user has to come through. */
static int check_way(const char *directory, struct error *error)
{
	char path[SESSION_PATH_BYTES];
	struct stat status;

	strcpy(path, directory);
	for (char *slash; (slash = strrchr(path, '/')) && slash != path;) {
		*slash = '\0';
		if (!stat(path, &status) && !(status.st_mode & S_IXOTH))
			return error_add(error, -EACCES,
					 "other users cannot enter %s: record into a folder that "
					 "they can, such as -o /var/tmp/NAME",
					 path);
	}
	return 0;
}

static int share(const struct session *session, struct error *error)
{
	char path[SESSION_PATH_BYTES + 16];
	int status = check_way(session->absolute, error);

	if (status)
		return status;
	snprintf(path, sizeof(path), "%s/" DIRECTORY_SCHEMA, session->absolute);
	if (chmod(path, 0644) || chmod(session->absolute, SHARED_MODE))
		return error_add(error, -errno, "%s: %s", session->absolute, strerror(errno));
	return 0;
}

int system_recording_start(struct system_recording *recording,
			   const struct system_recording_options *options, struct error *error)
{
	struct session *session = &recording->session;
	int status;

	*recording = (struct system_recording){
		.options = options,
		.session = {.options = &options->session, .program = "system", .inject = "system"},
		.command = {(char *)(uintptr_t) "system", NULL},
	};
	session->command = recording->command;
	clock_choose(options->session.clock, &session->clock);
	clock_pair_read(&session->clock, &session->early);
	status = session_create(session, error);
	if (status)
		return status;
	status = session_describe(session, error);
	if (!status && options->all)
		status = share(session, error);
	if (!status)
		status = system_pages_begin(&recording->pages, options->base, (uint32_t)geteuid(),
					    options->all, session->control, error);
	if (status) {
		session_remove(session);
		return status;
	}
	ended = 0;
	watch_signals();
	system_pages_turn(&recording->pages, session->control, session->absolute, true);
	return 0;
}

/* `tandem pause`, `resume` and `stop` store into the session's own page. */
static void pass_on(struct system_recording *recording)
{
	const struct session *session = &recording->session;

	system_pages_find(&recording->pages);
	system_pages_turn(&recording->pages, session->control, session->absolute,
			  atomic_load(&session->control->recording) != 0);
}

int system_recording_wait(struct system_recording *recording, struct error *error)
{
	struct session *session = &recording->session;
	uint64_t duration_ns = recording->options->duration_ns;
	uint64_t end_ns = counter_clock_ns(CLOCK_MONOTONIC) + duration_ns;
	int status;

	while (!ended && atomic_load(&session->control->state) != TANDEM_STATE_STOPPED) {
		uint64_t now_ns = counter_clock_ns(CLOCK_MONOTONIC), left_ms = LOOK_MS;

		if (duration_ns && now_ns >= end_ns)
			break;
		if (duration_ns && (end_ns - now_ns) / 1000000 < left_ms)
			left_ms = (end_ns - now_ns) / 1000000 + 1;
		poll(NULL, 0, (int)left_ms);
		pass_on(recording);
	}
	atomic_store(&session->control->recording, 0);
	atomic_store(&session->control->state, TANDEM_STATE_STOPPED);
	system_pages_turn(&recording->pages, session->control, session->absolute, false);
	system_pages_count(&recording->pages, session->control);
	system_pages_end(&recording->pages);
	session_recover(session->directory);
	status = session_finish(session, 0);
	if (status)
		error_add(error, status, "cannot complete %s/session.json: %s", session->directory,
			  strerror(-status));
	return status;
}
