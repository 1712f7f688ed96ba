/* SPDX-License-Identifier: MIT */
#include "view/rows/hosts.h"

#include <errno.h>
#include <stdlib.h>

#include "util/text.h"
#include "util/units.h"

int view_hosts_init(struct view_hosts *hosts, struct index_writer *writer,
		    const struct trace_session *session, uint32_t session_row)
{
	*hosts = (struct view_hosts){
		.writer = writer, .run = &session->run, .session_row = session_row};
	hosts->rows = calloc(session->run.host_count + 1, sizeof(*hosts->rows));
	return hosts->rows ? 0 : -ENOMEM;
}

static void add_note(struct text *note, const struct trace_run_host *host)
{
	char bound[UNITS_BYTES];

	if (host->clock == TRACE_HOST_TIME_OF_DAY)
		text_add_string(note, "clock joined by the time of day: as right as that was set");
	else if (host->clock == TRACE_HOST_UNSYNCHRONISED)
		text_add_string(
			note, "clock joined by the time of day, which a host's kernel says is not "
			      "synchronised: run chrony, ntpd or PTP on each host");
	else if (host->clock == TRACE_HOST_OWN)
		text_add_string(note, "all times are on its clock");
	else
		text_format(note, "clock joined by %s: wrong by %s at most",
			    trace_host_clock_words[host->clock],
			    units_ns(bound, (double)host->bound_ns));
}

static int add_group(struct view_hosts *hosts, const struct trace_run_host *host, uint32_t *row)
{
	const struct view_row group = {.kind = VIEW_ROW_host,
				       .parent = hosts->session_row,
				       .device = VIEW_NONE,
				       .process = VIEW_NONE,
				       .stream = VIEW_NONE,
				       .number = (uint64_t)(host - hosts->run->hosts)};
	struct text note = TEXT_INIT;
	int status;

	add_note(&note, host);
	status = note.failed
			 ? -ENOMEM
			 : index_writer_named_row(hosts->writer, group, host->name, note.data, row);
	text_free(&note);
	return status;
}

int view_hosts_row(struct view_hosts *hosts, const struct trace_run_host *host, uint32_t *row)
{
	uint32_t *place = host ? &hosts->rows[host - hosts->run->hosts] : NULL;
	int status = 0;

	if (place && !*place) {
		status = add_group(hosts, host, place);
		++*place;
	}
	*row = place ? *place - 1 : hosts->session_row;
	return status;
}

int view_hosts_process(struct view_hosts *hosts, uint64_t pid, uint32_t *row)
{
	return view_hosts_row(hosts, trace_run_host(hosts->run, pid), row);
}

void view_hosts_free(struct view_hosts *hosts)
{
	free(hosts->rows);
	hosts->rows = NULL;
}
