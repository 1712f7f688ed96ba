/* SPDX-License-Identifier: MIT */
/* Events of another tool's trace of the kernel, as records of a session's own kernel side, in
 * streams of a folder. One thread.
 *
 *	status = ctf_importing_begin(&importing, &session, "FOLDER", NULL);
 *	status = ctf_import_event(&importing, &event);    each CPU's in the order of time
 *	status = ctf_importing_finish(&importing);
 */
#ifndef TANDEM_TRACE_CTF_IMPORT_EVENT_H
#define TANDEM_TRACE_CTF_IMPORT_EVENT_H

#include "trace/external/ctf_import_stream.h"
#include "trace/external/external_event.h"
#include "trace/external/hosts/hosts.h"
#include "trace/session/session.h"
#include "util/intern.h"
#include "util/map.h"

#define CTF_IMPORT_KINDS 3 /* that show by being there that they were recorded */

struct ctf_importing {
	struct trace_session *session;
	const char *folder;
	const struct hosts *hosts; /* NULL: of the session's host */
	uint32_t *host_of;	   /* by trace: place in hosts */
	size_t trace_count, trace_capacity;
	struct ctf_import_stream **streams; /* by CPU */
	size_t cpu_count, cpu_capacity;
	uint32_t *running; /* by CPU: who runs */
	size_t running_capacity;
	struct map exited; /* tids whose end was told, but not their last switch */
	struct map names;  /* tid -> name that was written, in `texts` */
	struct intern texts;
	struct map syscalls; /* name -> number, by `texts` */
	struct map formats;  /* CPU and id, of those that were written */
	/* By host: when the first of the kind was recorded; ~0: none yet */
	uint64_t (*since)[CTF_IMPORT_KINDS];
	size_t host;   /* of the event that is being taken */
	uint8_t *told; /* by CPU: kinds, as bits, that its stream was said to hold */
	size_t told_capacity;
	uint64_t events, switches;  /* that were taken */
	uint64_t first_ns, last_ns; /* of the switches that were taken */
	bool in_session;
};

/* The folder is there. Returns 0 or -ENOMEM; to be finished all the same. */
int ctf_importing_begin(struct ctf_importing *importing, struct trace_session *session,
			const char *folder, const struct hosts *hosts);

/* With hosts: the next trace is of this one. Returns 0 or -ENOMEM. */
int ctf_importing_trace(struct ctf_importing *importing, size_t host);

/* Returns 0 or -ENOMEM. */
int ctf_import_event(struct ctf_importing *importing, const struct external_event *event);

/* Writes what is left, and frees. Returns 0 or the -errno of the first thing that failed. */
int ctf_importing_finish(struct ctf_importing *importing);

#endif
