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
#define LOOK_NS UINT64_C(100000000)

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

/* Of all that runs; what can't be collected is in the notes. */
static void start_collector(struct system_recording *recording)
{
	struct linux_options options = {
		.level = recording->options->level,
		.whole = true,
		.directory = recording->session.absolute,
		.control = recording->session.control,
	};

	linux_collector_start(&recording->collector, &options, &recording->notes);
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
	clock_pair_read(session->clock.source, &session->early);
	status = session_create(session, error);
	if (status)
		return status;
	start_collector(recording);
	status = session_describe(session, error);
	if (!status && options->all)
		status = share(session, error);
	if (!status)
		status = system_pages_begin(&recording->pages, options->base, (uint32_t)geteuid(),
					    options->all, session->control, error);
	if (status) {
		linux_collector_close(recording->collector);
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

static uint64_t sooner(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* Until the next look, or the end, moves what the kernel has recorded. */
static void collect(struct system_recording *recording, uint64_t until_ns)
{
	struct pollfd buffers = {.fd = linux_collector_fd(recording->collector), .events = POLLIN};
	uint64_t now_ns, wake_ns;

	while (!ended && (now_ns = counter_clock_ns(CLOCK_MONOTONIC)) < until_ns) {
		if (now_ns >= recording->collect_ns) {
			int ms = linux_collector_poll(recording->collector);

			recording->collect_ns =
				ms < 0 ? UINT64_MAX : now_ns + (uint64_t)ms * 1000000;
		}
		wake_ns = sooner(until_ns, recording->collect_ns);
		if (wake_ns > now_ns &&
		    poll(&buffers, 1, (int)((wake_ns - now_ns) / 1000000 + 1)) > 0)
			recording->collect_ns = 0;
	}
}

int system_recording_wait(struct system_recording *recording, struct error *error)
{
	struct session *session = &recording->session;
	uint64_t duration_ns = recording->options->duration_ns;
	uint64_t now_ns = counter_clock_ns(CLOCK_MONOTONIC);
	uint64_t end_ns = duration_ns ? now_ns + duration_ns : UINT64_MAX;
	int status;

	while (!ended && now_ns < end_ns &&
	       atomic_load(&session->control->state) != TANDEM_STATE_STOPPED) {
		collect(recording, sooner(end_ns, now_ns + LOOK_NS));
		pass_on(recording);
		now_ns = counter_clock_ns(CLOCK_MONOTONIC);
	}
	linux_collector_finish(recording->collector);
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
	linux_collector_close(recording->collector);
	return status;
}
