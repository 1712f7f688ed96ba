/* SPDX-License-Identifier: MIT */
#include "recorder/session/description.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/helper.h"
#include "recorder/overhead_floor.h"
#include "schema/ids.h"
#include "schema/losses.h"
#include "schema/schema.h"
#include "util/json.h"
#include "util/system.h"
#include "util/text.h"
#include "util/time_of_day.h"

static const char *const args_levels[] = {"none", "basic", "full"};

static void add_domains(struct json *json, uint64_t mask)
{
	json_begin_array(json, "domains");
#define DOMAIN(number, name, ...) \
	if (mask >> (number)&1)   \
		json_string(json, NULL, #name);
#include "schema/domains.def"
#undef DOMAIN
	json_end_array(json);
}

static void add_options(struct json *json, const struct session *session)
{
	const struct session_options *options = session->options;
	char name[LTTNG_NAME_BYTES];

	json_begin_object(json, "options");
	add_domains(json, options->domains);
	json_string(json, "args", args_levels[options->args_level]);
	json_bool(json, "device_timing", options->device_timing);
	json_bool(json, "start_paused", options->start_paused);
	json_unsigned(json, "limit_bytes", options->limit_bytes);
	json_unsigned(json, "ring_bytes", options->ring_bytes);
	json_unsigned(json, "exit_wait_ms", options->exit_wait_ms);
	json_unsigned(json, "subbuffer_bytes", session->control->subbuffer_bytes);
	json_unsigned(json, "max_string_bytes", session->control->max_string_bytes);
	json_string(json, "inject", session->inject);
	json_unsigned(json, "sample_hz", options->sample_hz);
	json_end_object(json);
	/* By which `tandem snapshot` finds it. */
	if (options->lttng.snapshot_bytes) {
		lttng_session_name(name, &options->lttng);
		json_string(json, "lttng_session", name);
	}
	if (!options->lttng.enabled)
		return;
	json_begin_object(json, "lttng");
	json_string(json, "relay", lttng_options_relay(&options->lttng));
	json_string(json, "incomplete", session->lttng ? session->lttng->incomplete : "");
	json_end_object(json);
}

static void add_clock(struct json *json, const struct clock_source *clock)
{
	json_begin_object(json, "clock");
	json_string(json, "source",
		    clock->source == TANDEM_CLOCK_COUNTER ? "counter" : "monotonic");
	json_string(json, "reason", clock->reason);
	json_string(json, "rate_from", clock->origin);
	json_float(json, "rate_error_ppm", clock->error_ppm, 3);
	json_end_object(json);
}

static void add_start(struct json *json, const struct session *session)
{
	time_t seconds = (time_t)(session->start.realtime_ns / 1000000000u);
	unsigned ns = (unsigned)(session->start.realtime_ns % 1000000000u);
	char stamp[32], text[64];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, sizeof(text), "%s.%09u+00:00", stamp, ns);
	json_string(json, "start", text);
	json_unsigned(json, "start_realtime_ns", session->start.realtime_ns);
	json_unsigned(json, "start_monotonic_ns", session->start.monotonic_ns);
	json_unsigned(json, "start_ticks", session->start.ticks);
	json_unsigned(json, "start_width_ns", session->start.width_ns);
	json_unsigned(json, "ticks_hz", session->clock.ticks_hz);
}

/* What the recorder itself took of the machine, and how often it slept and was woken. */
static void add_recorder(struct json *json)
{
	struct rusage usage = {.ru_nvcsw = 0};

	getrusage(RUSAGE_SELF, &usage);
	json_unsigned(json, "recorder_cpu_ns",
		      (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
			      (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u);
	json_unsigned(json, "recorder_wakeups", (uint64_t)usage.ru_nvcsw);
}

/* 0: not known. */
static uint64_t lived_ns(const struct session *session, const struct linux_process *process)
{
	if (process->end_ticks <= process->ticks || !session->clock.ticks_hz)
		return 0;
	return (uint64_t)((double)(process->end_ticks - process->ticks) * 1e9 /
			  (double)session->clock.ticks_hz);
}

static bool is_traced(const struct session *session, uint32_t pid)
{
	char name[DIRECTORY_NAME_BYTES];
	struct text path = TEXT_INIT;
	bool found;

	directory_put(name, DIRECTORY_PROCESS, pid, 0);
	text_format(&path, "%s/%s", session->absolute, name);
	found = !path.failed && !access(path.data, F_OK);
	text_free(&path);
	return found;
}

uint64_t description_count_processes(const struct session *session)
{
	const struct linux_process_tree *tree = session->processes;
	uint64_t made_calls = atomic_load(&session->control->processes), count = 0;

	for (size_t i = 0; tree && i < tree->count; i++) {
		const struct linux_process *process = &tree->processes[i];
		uint64_t lived = lived_ns(session, process);

		if (format_is_helper(process->execs > 0, process->name, lived, false))
			continue;
		/* Most need no look at the disk. */
		count += !format_is_helper(process->execs > 0, process->name, lived, true) ||
			 is_traced(session, process->pid) || !is_traced(session, process->ppid);
	}
	return count > made_calls ? count : made_calls;
}

/* Also those that recorded nothing themselves. */
static void add_processes(struct json *json, const struct session *session)
{
	const struct linux_process_tree *tree = session->processes;

	json_begin_array(json, "processes");
	for (size_t i = 0; tree && i < tree->count; i++) {
		const struct linux_process *process = &tree->processes[i];

		json_begin_object(json, NULL);
		json_unsigned(json, "pid", process->pid);
		json_unsigned(json, "ppid", process->ppid);
		json_string(json, "name", process->name);
		json_bool(json, "exec", process->execs > 0);
		if (lived_ns(session, process))
			json_unsigned(json, "lived_ns", lived_ns(session, process));
		json_end_object(json);
	}
	json_end_array(json);
}

static uint64_t streams_in(int session, const char *name)
{
	int fd = openat(session, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	uint64_t count = 0;

	if (!folder && fd >= 0)
		close(fd);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		count += directory_holds_stream(dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
	return count;
}

/* Whoever copies the session may lose some. */
static uint64_t count_streams(const struct session *session)
{
	DIR *folder = opendir(session->absolute);
	uint64_t count = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (!strcmp(entry->d_name, DIRECTORY_SYSTEM) || directory_is_process(entry->d_name))
			count += streams_in(dirfd(folder), entry->d_name);
	}
	if (folder)
		closedir(folder);
	return count;
}

/* Where recording was not on all the time. */
static void add_recorded(struct json *json, const struct session *session)
{
	const struct tandem_control *control = session->control;
	uint64_t since_ns = atomic_load(&control->recording_since_ns);
	uint64_t recorded_ns = atomic_load(&control->recorded_ns);
	uint64_t stopped_ns = atomic_load(&control->stopped_ns);

	if (since_ns == control->start_monotonic_ns)
		return;
	if (since_ns && since_ns < session->end.monotonic_ns)
		recorded_ns += session->end.monotonic_ns - since_ns;
	json_unsigned(json, "recorded_ns", recorded_ns);
	if (stopped_ns && stopped_ns < session->end.monotonic_ns)
		json_unsigned(json, "stopped_monotonic_ns", stopped_ns);
}

static void add_end(struct json *json, const struct session *session, int wait_status)
{
	struct tandem_control *control = session->control;

	json_begin_object(json, "end");
	json_unsigned(json, "ticks", session->end.ticks);
	json_unsigned(json, "monotonic_ns", session->end.monotonic_ns);
	json_unsigned(json, "realtime_ns", session->end.realtime_ns);
	json_end_object(json);

	json_begin_object(json, "exit");
	if (WIFSIGNALED(wait_status))
		json_signed(json, "signal", WTERMSIG(wait_status));
	else
		json_signed(json, "code", WEXITSTATUS(wait_status));
	json_end_object(json);

	add_recorded(json, session);
	add_processes(json, session);
	json_float(json, "record_floor_ns", overhead_floor_ns(session->clock.source), 3);
	/* For memory that a program's calls allocate: nearly a millisecond. */
	if (atomic_load(&control->threads))
		json_float(json, "page_fault_ns", overhead_page_fault_ns(), 3);
	add_recorder(json);
	/* Of a ring the first files go, also while a program outlives the recorder: whoever makes
	 * plain streams of them counts those (snapshot_description.h). */
	if (!session->options->ring_bytes)
		json_unsigned(json, "streams", count_streams(session));

	json_begin_object(json, "losses");
#define X(name, words) json_unsigned(json, #name, atomic_load(&control->lost[TANDEM_LOSS_##name]));
	TANDEM_LOSSES(X)
#undef X
	json_end_object(json);
}

/* How right the time of day is when this is written. */
static void add_host_clock(struct json *json)
{
	struct time_of_day time;

	if (!time_of_day_read(&time))
		return;
	json_begin_object(json, "host_clock");
	json_unsigned(json, "max_error_ns", time.max_error_ns);
	json_signed(json, "frequency_ppb", time.frequency_ppb);
	json_unsigned(json, "status", time.status);
	json_unsigned(json, "state", time.state);
	json_end_object(json);
}

static void compose(struct text *text, const struct session *session, const int *wait_status)
{
	char directory[4096], boot[64];
	struct utsname host;
	bool known;
	struct json json;

	json_init(&json, text, true);
	json_begin_object(&json, NULL);
	json_string(&json, "tandem", TANDEM_VERSION);
	json_string(&json, "schema", tandem_schema_hash);
	json_string(&json, "program", session->program);
	json_begin_array(&json, "command");
	for (char **word = session->command; *word; word++)
		json_string(&json, NULL, *word);
	json_end_array(&json);
	known = !uname(&host);
	json_string(&json, "host", known ? host.nodename : "?");
	json_string(&json, "kernel_release", known ? host.release : "");
	json_string(&json, "machine", known ? host.machine : "");
	system_read_text(SYSTEM_BOOT_ID, boot, sizeof(boot));
	json_string(&json, "boot_id", boot);
	json_string(&json, "cwd", getcwd(directory, sizeof(directory)) ? directory : "?");
	add_start(&json, session);
	add_host_clock(&json);
	add_clock(&json, &session->clock);
	add_options(&json, session);
	if (wait_status)
		add_end(&json, session, *wait_status);
	json_end_object(&json);
	text_add_char(text, '\n');
}

static int write_file(const char *path, const struct text *text)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	size_t done = 0;
	int error = 0, fd;

	fd = open(path, flags, 0600);
	/* What a recorder that was killed left. */
	if (fd < 0 && errno == EEXIST && !unlink(path))
		fd = open(path, flags, 0600);
	if (fd < 0)
		return -errno;
	while (!error && done < text->length) {
		ssize_t written = write(fd, text->data + done, text->length - done);

		if (written > 0)
			done += (size_t)written;
		else if (errno != EINTR)
			error = -errno;
	}
	if (close(fd) && !error)
		error = -errno;
	return error;
}

int description_write(const struct session *session, const int *wait_status)
{
	char path[SESSION_PATH_BYTES + 32], draft[SESSION_PATH_BYTES + 32];
	struct text text = TEXT_INIT;
	int error = 0;

	compose(&text, session, wait_status);
	if (text.failed)
		error = -ENOMEM;
	/* By the absolute name: that is what the traced processes use too. */
	snprintf(path, sizeof(path), "%s/" DIRECTORY_DESCRIPTION, session->absolute);
	snprintf(draft, sizeof(draft), "%s/" DIRECTORY_DESCRIPTION ".new", session->absolute);
	if (!error)
		error = write_file(draft, &text);
	if (!error && rename(draft, path))
		error = -errno;
	if (error && error != -ENOMEM)
		unlink(draft);
	text_free(&text);
	return error;
}
