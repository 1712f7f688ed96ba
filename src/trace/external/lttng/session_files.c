/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/session_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/ticks.h"
#include "schema/schema.h"
#include "util/json.h"
#include "util/text.h"

int session_file_replace(const char *path, const char *name)
{
	char draft[4300], final[4300];

	snprintf(draft, sizeof(draft), "%s/%s.new", path, name);
	snprintf(final, sizeof(final), "%s/%s", path, name);
	return rename(draft, final) ? -errno : 0;
}

static int write_file(const struct session_files *files, const char *name, const void *bytes,
		      size_t count)
{
	char path[4200];
	int fd, error = 0;

	snprintf(path, sizeof(path), "%s/%s.new", files->path, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (write(fd, bytes, count) != (ssize_t)count)
		error = -EIO;
	close(fd);
	return error ? error : session_file_replace(files->path, name);
}

static uint64_t realtime_offset(const struct session_files *files)
{
	return files->hosts->count ? files->hosts->list[0].offset_ns : 0;
}

static void add_hosts(struct json *json, const struct hosts *hosts)
{
	json_begin_array(json, "hosts");
	for (size_t i = 0; i < hosts->count; i++) {
		const struct host *host = &hosts->list[i];
		uint64_t bound_ns;
		enum trace_host_clock clock = hosts_clock(hosts, i, &bound_ns);

		json_begin_object(json, NULL);
		json_string(json, "name", host->name);
		json_string(json, "boot_id", host->boot_id);
		json_string(json, "clock", trace_host_clock_words[clock]);
		json_signed(json, "moved_ns", host->moved_ns);
		json_float(json, "drift_ppm", host->drift_ppm, 3);
		json_unsigned(json, "bound_ns", bound_ns == CLOCKFIT_UNBOUNDED ? 0 : bound_ns);
		json_unsigned(json, "messages", host->messages);
		json_unsigned(json, "first_cpu", host->first_cpu);
		json_unsigned(json, "cpus", host->cpus);
		json_end_object(json);
	}
	json_end_array(json);
}

static int control_write(const struct session_files *files)
{
	struct tandem_control control;

	memset(&control, 0, sizeof(control));
	control.magic = TANDEM_CONTROL_MAGIC;
	control.version = TANDEM_CONTROL_VERSION;
	control.state = files->ended ? TANDEM_STATE_STOPPED : TANDEM_STATE_RECORDING;
	control.args_level = files->level;
	control.device_timing = 1;
	control.clock_source = TANDEM_CLOCK_MONOTONIC;
	control.ticks_hz = 1000000000;
	control.start_ticks = control.start_monotonic_ns = files->first_ns;
	control.start_realtime_ns = files->first_ns + realtime_offset(files);
	control.processes = files->processes;
	control.threads = files->threads;
	control.lost[TANDEM_LOSS_tracer_buffer] = files->lost;
	return write_file(files, DIRECTORY_CONTROL, &control, sizeof(control));
}

int session_files_add(const struct session_files *files)
{
	struct tandem_control *control;
	char path[4200];
	int fd, error = 0;

	snprintf(path, sizeof(path), "%s/" DIRECTORY_CONTROL, files->path);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED)
		error = -errno;
	close(fd);
	if (error)
		return error;
	control->processes += files->processes;
	control->threads += files->threads;
	control->lost[TANDEM_LOSS_tracer_buffer] += files->lost;
	munmap(control, sizeof(*control));
	return 0;
}

uint64_t session_files_begin(const char *session)
{
	struct tandem_control control;
	char path[4200];
	ssize_t count = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/" DIRECTORY_CONTROL, session);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0) {
		count = pread(fd, &control, sizeof(control), 0);
		close(fd);
	}
	return count == (ssize_t)sizeof(control) ? control.start_monotonic_ns : 0;
}

static int description_write(const struct session_files *files)
{
	const char *program = files->processes ? files->names[0] : "";
	const struct host *first = files->hosts->count ? files->hosts->list : NULL;
	struct text text = TEXT_INIT;
	struct json json;
	int error;

	json_init(&json, &text, true);
	json_begin_object(&json, NULL);
	json_string(&json, "tandem", TANDEM_VERSION);
	json_string(&json, "schema", tandem_schema_hash);
	json_string(&json, "program", program);
	json_begin_array(&json, "command");
	for (size_t i = 0; i < files->processes; i++)
		json_string(&json, NULL, files->names[i]);
	json_end_array(&json);
	json_string(&json, "host", first ? first->name : "");
	json_string(&json, "boot_id", first ? first->boot_id : "");
	json_unsigned(&json, "start_realtime_ns", files->first_ns + realtime_offset(files));
	json_unsigned(&json, "start_monotonic_ns", files->first_ns);
	json_unsigned(&json, "start_ticks", files->first_ns);
	json_unsigned(&json, "ticks_hz", 1000000000);
	if (files->ended) {
		json_begin_object(&json, "end");
		json_unsigned(&json, "ticks", files->last_ns);
		json_unsigned(&json, "monotonic_ns", files->last_ns);
		json_unsigned(&json, "realtime_ns", files->last_ns + realtime_offset(files));
		json_end_object(&json);
	}
	if (files->hosts->count > 1)
		add_hosts(&json, files->hosts);
	json_end_object(&json);
	text_add_char(&text, '\n');
	error = text.failed ? -ENOMEM
			    : write_file(files, DIRECTORY_DESCRIPTION, text.data, text.length);
	text_free(&text);
	return error;
}

int session_files_write(const struct session_files *files)
{
	int error = control_write(files);

	return error ? error : description_write(files);
}
