/* SPDX-License-Identifier: MIT */
#include "recorder/lttng_session.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "recorder/lttng_command.h"
#include "recorder/lttng_version.h"
#include "schema/control.h"
#include "schema/gen/core_records.h"
#include "schema/gen/lasting.h"
#include "schema/schema.h"
#include "util/text.h"

#define PREFIX "tandem-" /* of a session that was given no name */
/* A busy program makes some 50 MB a second; two sub-buffers more than LTTng's own. */
#define SUB_BUFFER_BYTES (1u << 20)
#define SUB_BUFFERS 8u
#define SUB_BUFFER_LEAST_BYTES (32u * 1024)
#define WORD_BYTES 64
/* Of a flight recorder: what is described, of which there is little: 2 MiB. As each snapshot ends a
 * sub-buffer of every ring, there are many of them (recorder/snapshot/snapshot_lttng.h). */
#define DESCRIPTIONS "tandem-descriptions"
#define DESCRIPTIONS_SUB_BUFFER_BYTES (16u * 1024)
#define DESCRIPTIONS_SUB_BUFFERS 128u

#define RUN(error, ...) \
	lttng_command((char *const[]){(char *)"lttng", __VA_ARGS__, NULL}, LTTNG_PATIENCE_S, error)

static int create(struct lttng_session *session, const struct lttng_options *options,
		  const char *folder, struct error *error)
{
	char output[4200];

	if (options->live) {
		snprintf(output, sizeof(output), "--set-url=%s", options->live);
		return RUN(error, (char *)"create", session->name, (char *)"--live", output);
	}
	if (options->snapshot_bytes) {
		snprintf(output, sizeof(output), "--output=%s", folder);
		return RUN(error, (char *)"create", session->name, (char *)"--snapshot", output);
	}
	if (options->relay)
		snprintf(output, sizeof(output), "--set-url=%s", options->relay);
	else
		snprintf(output, sizeof(output), "--output=%s", folder);
	return RUN(error, (char *)"create", session->name, output);
}

void lttng_session_name(char name[LTTNG_NAME_BYTES], const struct lttng_options *options)
{
	if (options->name)
		snprintf(name, LTTNG_NAME_BYTES, "%s", options->name);
	else
		snprintf(name, LTTNG_NAME_BYTES, PREFIX "%d", (int)getpid());
}

/* Of a channel with so many bytes for each CPU, in sub-buffers of a power of two; 0: as usual. */
static uint64_t part_bytes(uint64_t bytes)
{
	uint64_t part = bytes ? SUB_BUFFER_LEAST_BYTES : SUB_BUFFER_BYTES;

	while (part * SUB_BUFFERS < bytes)
		part *= 2;
	return part;
}

static void size_write(char size[WORD_BYTES], char count[WORD_BYTES], uint64_t part, unsigned parts)
{
	snprintf(size, WORD_BYTES, "--subbuf-size=%llu", (unsigned long long)part);
	snprintf(count, WORD_BYTES, "--num-subbuf=%u", parts);
}

/* `part`: the bytes of each of the sub-buffers, of which it has `parts`. */
static int channel_enable(const char *name, const char *channel, uint64_t part, unsigned parts,
			  struct error *error)
{
	char size[WORD_BYTES], count[WORD_BYTES];

	size_write(size, count, part, parts);
	return RUN(error, (char *)"enable-channel", (char *)"--userspace", (char *)"--session",
		   (char *)(uintptr_t)name, size, count, (char *)(uintptr_t)channel);
}

/* Which thread of which process. */
static int context_add(const char *name, const char *channel, struct error *error)
{
	return RUN(error, (char *)"add-context", (char *)"--userspace", (char *)"--session",
		   (char *)(uintptr_t)name, (char *)"--channel", (char *)(uintptr_t)channel,
		   (char *)"--type=vpid", (char *)"--type=vtid", (char *)"--type=procname");
}

/* `excluded`: "--exclude=" and names, or NULL. */
static int event_enable(const char *name, const char *channel, const char *events,
			const char *excluded, struct error *error)
{
	return RUN(error, (char *)"enable-event", (char *)"--userspace", (char *)"--session",
		   (char *)(uintptr_t)name, (char *)"--channel", (char *)(uintptr_t)channel,
		   (char *)(uintptr_t)events, (char *)(uintptr_t)excluded);
}

static int channel_make(const char *name, const char *channel, uint64_t part, unsigned parts,
			const char *events, const char *excluded, struct error *error)
{
	int status = channel_enable(name, channel, part, parts, error);

	if (!status)
		status = context_add(name, channel, error);
	return status ? status : event_enable(name, channel, events, excluded, error);
}

/* Objects' names, which later events refer to, and which are few; buffers come and go. */
static bool is_description(const struct tandem_event *event)
{
	return event->name && tandem_id_lasts(event->id) && event->id != TANDEM_EVENT_memory &&
	       event->id != TANDEM_EVENT_memory_free;
}

static void descriptions_list(struct text *list)
{
	for (unsigned i = 0; i < TANDEM_DOMAINS_MOST; i++) {
		const struct tandem_domain *domain = tandem_domain_get(i);

		for (unsigned n = 0; domain && n < domain->event_count; n++)
			if (is_description(&domain->events[n]))
				text_format(list, "%standem_%s:%s", list->length ? "," : "",
					    domain->name, domain->events[n].name);
	}
}

/* Rings for what happens, and others for what it refers to, which are not overwritten by it. */
static int rings_make(const char *name, uint64_t bytes, struct error *error)
{
	struct text list = TEXT_INIT, excluded = TEXT_INIT;
	int status;

	descriptions_list(&list);
	text_format(&excluded, "--exclude=%s", list.data ? list.data : "");
	status = list.failed || excluded.failed ? -ENOMEM : 0;
	if (!status)
		status = channel_make(name, LTTNG_CHANNEL, part_bytes(bytes), SUB_BUFFERS,
				      "tandem_*", excluded.data, error);
	if (!status)
		status = channel_make(name, DESCRIPTIONS, DESCRIPTIONS_SUB_BUFFER_BYTES,
				      DESCRIPTIONS_SUB_BUFFERS, list.data, NULL, error);
	text_free(&list);
	text_free(&excluded);
	return status;
}

/* The daemon may do yet what it was asked for. */
static void add_left(struct error *error, const char *name)
{
	error_set_hint(
		error,
		"continue or restart lttng-sessiond, then `lttng destroy %s`, in case it has "
		"that session",
		name);
}

/* Of a ring as large as those of the program's events. */
static int kernel_enable(struct lttng_session *session, const struct lttng_options *options,
			 struct error *error)
{
	char size[WORD_BYTES], count[WORD_BYTES];
	const struct lttng_kernel_request request = {.session = session->name,
						     .size = size,
						     .count = count,
						     .rings = session->snapshots};

	size_write(size, count, part_bytes(options->snapshot_bytes), SUB_BUFFERS);
	return lttng_kernel_enable(&request, session->kernel_note, error);
}

int lttng_session_start(struct lttng_session *session, const struct lttng_options *options,
			const char *folder, struct error *error)
{
	char *name = session->name;
	int status;

	lttng_session_name(name, options);
	session->snapshots = options->snapshot_bytes != 0;
	if (!options->live && !options->relay)
		snprintf(session->folder, sizeof(session->folder), "%s", folder);
	status = create(session, options, folder, error);
	if (status) {
		if (status == -ETIMEDOUT)
			add_left(error, name);
		session->name[0] = '\0';
		return status;
	}
	status = lttng_version_check(error);
	if (!status)
		status = session->snapshots ? rings_make(name, options->snapshot_bytes, error)
					    : channel_make(name, LTTNG_CHANNEL, part_bytes(0),
							   SUB_BUFFERS, "tandem_*", NULL, error);
	if (!status && options->kernel)
		status = kernel_enable(session, options, error);
	if (!status)
		status = RUN(error, (char *)"start", name);
	if (status && (status == -ETIMEDOUT || RUN(NULL, (char *)"destroy", name)))
		add_left(error, name);
	if (status)
		session->name[0] = '\0';
	return status;
}

int lttng_session_snapshot(const char *name, const char *folder, struct error *error)
{
	char session[LTTNG_NAME_BYTES + 16], output[PATH_MAX + 16];

	snprintf(session, sizeof(session), "--session=%s", name);
	snprintf(output, sizeof(output), "file://%s", folder);
	/* Where no daemon runs there is nothing to save: none is started for that. */
	return lttng_command_saving((char *const[]){(char *)"lttng", (char *)LTTNG_NO_DAEMON,
						    (char *)"snapshot", (char *)"record", session,
						    output, NULL},
				    folder, error);
}

/* The process that a session has in its name, as "  1) tandem-123 [active]"; 0: another's. */
static pid_t session_recorder(const char *line)
{
	const char *at = strstr(line, ") " PREFIX);
	long pid = at ? strtol(at + strlen(") " PREFIX), NULL, 10) : 0;

	return pid > 0 && pid <= INT_MAX && strstr(line, "[active]") ? (pid_t)pid : 0;
}

int lttng_session_left(char *name, size_t bytes, unsigned patience_s)
{
	int fd = memfd_create("lttng", MFD_CLOEXEC);
	int status = lttng_command_into(
		(char *const[]){(char *)"lttng", (char *)LTTNG_NO_DAEMON, (char *)"list", NULL}, fd,
		patience_s);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	bool found = false;
	char line[512];

	if (file)
		rewind(file);
	while (file && !status && !found && fgets(line, sizeof(line), file)) {
		pid_t pid = session_recorder(line);

		found = pid && kill(pid, 0) && errno == ESRCH;
		if (found)
			snprintf(name, bytes, PREFIX "%d", (int)pid);
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return status == -ETIMEDOUT ? status : found;
}

/* A daemon that can't write says that a rotation failed. */
static void explain_incomplete(struct lttng_session *session, int status, struct error *error)
{
	struct lttng_outcome *outcome = &session->outcome;
	struct statvfs disk;
	char said[sizeof(outcome->incomplete)] = "";

	if (!status)
		return;
	if (status == -ETIMEDOUT) {
		add_left(error, session->name);
		snprintf(said, sizeof(said), "LTTng's session daemon did not answer at its end");
	} else if (!*session->folder) {
		snprintf(said, sizeof(said), "LTTng's relay daemon did not take its end");
		error_set_hint(error, "look whether lttng-relayd runs there: one that went away is "
				      "joined by new recordings only");
	} else if (!statvfs(session->folder, &disk) && !disk.f_bavail) {
		snprintf(said, sizeof(said), "the disk was full when LTTng wrote it");
		error_set_hint(error, "make room where %s is, and record again", session->folder);
	} else {
		snprintf(said, sizeof(said), "LTTng's daemons could not write its end");
	}
	memcpy(outcome->incomplete, said, sizeof(said));
}

int lttng_session_stop(struct lttng_session *session, struct error *error)
{
	struct error own = ERROR_INIT;
	int status;

	if (!session->name[0])
		return 0;
	if (!error)
		error = &own;
	/* Both wait for what the daemons still have to write. */
	status = lttng_command_counting(
		(char *const[]){(char *)"lttng", (char *)"stop", session->name, NULL},
		LTTNG_PATIENCE_S, &session->outcome.discarded, error);
	if (!status && session->snapshots)
		status = lttng_command_saving((char *const[]){(char *)"lttng", (char *)"snapshot",
							      (char *)"record", (char *)"--session",
							      session->name, NULL},
					      session->folder, error);
	if (status != -ETIMEDOUT) {
		int destroyed = RUN(status ? NULL : error, (char *)"destroy", session->name);

		status = status ? status : destroyed;
	}
	explain_incomplete(session, status, error);
	session->name[0] = '\0';
	return status;
}
