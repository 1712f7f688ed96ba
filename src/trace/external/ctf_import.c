/* SPDX-License-Identifier: MIT */
#include "trace/external/ctf_import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/directory.h"
#include "trace/external/ctf_import_event.h"
#include "trace/external/external_trace.h"

struct importing {
	struct ctf_importing events;
	const char *path;
	struct error *error;
};

static int refuse(struct importing *importing, int code, const char *words, const char *theirs,
		  const char *ours)
{
	return error_add(importing->error, code, words, importing->path, theirs, ours);
}

static int check_clock(struct importing *importing, const struct external_description *theirs)
{
	if (!strcmp(theirs->clock, "monotonic"))
		return 0;
	error_set_hint(importing->error, !strcmp(theirs->tool, "trace-cmd")
						 ? "record it with trace-cmd record -C mono"
						 : "record it by the clock CLOCK_MONOTONIC");
	return refuse(importing, -EXDEV, "%s: its clock is `%s`, which %s", theirs->clock,
		      "can't be joined with CLOCK_MONOTONIC");
}

/* One of the session's own hosts, whose clocks are joined already. */
static int begin_host(struct importing *importing, const struct external_description *theirs)
{
	const struct hosts *hosts = importing->events.hosts;
	size_t host = 0;

	while (host < hosts->count && (strcmp(hosts->list[host].name, theirs->host) ||
				       strcmp(hosts->list[host].boot_id, theirs->boot_id)))
		host++;
	if (host == hosts->count)
		return refuse(importing, -EXDEV,
			      "%s: recorded on %s (%s), which its metadata do not say",
			      theirs->host, theirs->boot_id);
	if (ctf_importing_trace(&importing->events, host))
		return -ENOMEM;
	return check_clock(importing, theirs);
}

/* Whether the two clocks are one: same boot, or at least nothing that says
 * otherwise. */
static int on_begin(void *user, const struct external_description *theirs)
{
	struct importing *importing = user;
	const struct trace_run *ours = &importing->events.session->run;

	if (importing->events.hosts)
		return begin_host(importing, theirs);
	if (*theirs->boot_id && *ours->boot_id && strcmp(theirs->boot_id, ours->boot_id))
		return refuse(importing, -EXDEV,
			      "%s: recorded in another boot (%s) than the session "
			      "(%s), so that their clocks can't be joined",
			      theirs->boot_id, ours->boot_id);
	if (*theirs->host && *ours->host && strcmp(theirs->host, ours->host))
		return refuse(importing, -EXDEV,
			      "%s: recorded on %s, the session on %s: their clocks "
			      "can't be joined",
			      theirs->host, ours->host);
	if (*theirs->release && *ours->release && strcmp(theirs->release, ours->release))
		return refuse(importing, -EXDEV,
			      "%s: recorded under kernel %s, the session under %s, "
			      "so in another boot: their clocks can't be joined",
			      theirs->release, ours->release);
	return check_clock(importing, theirs);
}

static int on_event(void *user, const struct external_event *event)
{
	return ctf_import_event(&((struct importing *)user)->events, event);
}

static int check_use(struct importing *importing)
{
	if (!importing->events.switches) {
		error_set_hint(importing->error, "record sched_switch, sched_waking, sched_wakeup, "
						 "sched_wakeup_new and sched_migrate_task");
		return refuse(importing, -ENODATA, "%s: %s%s",
			      "has no sched_switch events that the "
			      "session could use",
			      "");
	}
	if (!importing->events.in_session)
		return refuse(importing, -EXDEV, "%s: %s%s",
			      "ends before the session begins: of "
			      "another boot, or another time",
			      "");
	return 0;
}

int ctf_import_write(struct trace_session *session, const char *folder, const char *path,
		     const char *module, const struct hosts *hosts, struct error *error)
{
	struct importing importing = {.path = path, .error = error};
	const struct external_sink sink = {
		.begin = on_begin, .event = on_event, .user = &importing};
	int status = ctf_importing_begin(&importing.events, session, folder, hosts), written;

	if (!status && mkdir(folder, 0700))
		status = error_add(error, -errno, "%s: %s", folder, strerror(errno));
	if (!status)
		status = ctf_import_stream_metadata(folder, session);
	if (!status)
		status = external_read(path, module, &sink, error);
	written = ctf_importing_finish(&importing.events);
	if (!status && written)
		status = error_add(error, written, "%s: %s", folder, strerror(-written));
	if (!status)
		status = check_use(&importing);
	if (status == -ENOMEM)
		error_add(error, status, "%s: out of memory", path);
	return status;
}

int ctf_import_make(struct ctf_import *import, struct trace_session *session, const char *path,
		    const char *module, struct error *error)
{
	int status;

	*import = (struct ctf_import){.folder = NULL};
	status = temporary_folder_make(&import->parent, "tandem-with", error);
	if (status)
		return status;
	if (asprintf(&import->folder, "%s/" DIRECTORY_SYSTEM, import->parent.path) < 0) {
		import->folder = NULL;
		status = error_add(error, -ENOMEM, "%s: out of memory", path);
	} else {
		status = ctf_import_write(session, import->folder, path, module, NULL, error);
	}
	if (status)
		ctf_import_remove(import);
	return status;
}

void ctf_import_remove(struct ctf_import *import)
{
	temporary_folder_remove(&import->parent);
	free(import->folder);
	import->folder = NULL;
}
