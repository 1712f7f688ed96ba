/* SPDX-License-Identifier: MIT */
/* What is wrong in a session, on tracks of its own: a slice where the worst of it was, or an
 * instant at the session's begin of what has no place in time. */
#include <errno.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "export/perfetto/perfetto.h"

static int track_find(struct export *export, int64_t begin_ns, int64_t end_ns, uint64_t *id)
{
	struct perfetto *state = export->state;
	int status = tracks_lane(&state->tracks, track_key(TRACK_FINDINGS, export->session, 0, 0),
				 begin_ns, end_ns, id);

	if (status > 0)
		perfetto_describe_named(export, *id, 0, "findings");
	return status < 0 ? status : 0;
}

static void annotate_text(struct perfetto_writer *writer, const char *name, const char *text)
{
	if (*text)
		perfetto_annotate_word(writer, name, text);
}

static void annotate(struct perfetto_writer *writer, const struct finding *finding)
{
	perfetto_annotate_word(writer, "kind", finding->name);
	perfetto_annotate_word(writer, "cause", finding->cause);
	if (finding->cost_ns) {
		perfetto_annotate_unsigned(writer, "cost_ns", finding->cost_ns);
		perfetto_annotate_double(writer, "percent", finding->percent);
	}
	if (finding->count)
		perfetto_annotate_unsigned(writer, "count", finding->count);
	annotate_text(writer, "device", finding->device);
	annotate_text(writer, "object", finding->object);
	annotate_text(writer, "caused by", finding->culprit);
	perfetto_annotate_word(writer, "confidence", finding_confidence_name(finding->confidence));
	annotate_text(writer, "evidence", finding->why);
	annotate_text(writer, "suggestion", finding->suggestion);
	if (finding->pid)
		perfetto_annotate_unsigned(writer, "pid", finding->pid);
	if (finding->tid)
		perfetto_annotate_unsigned(writer, "tid", finding->tid);
	if (finding->queue)
		perfetto_annotate_unsigned(writer, "queue", finding->queue);
}

static int write_finding(struct export *export, const struct finding *finding)
{
	int64_t start_ns = export_time(export, export->iterator->session->start_ns);
	int64_t begin_ns = start_ns + (finding->timed ? finding->begin_ns : 0);
	int64_t end_ns = start_ns + (finding->timed ? finding->end_ns : 0);
	bool lasts = end_ns > begin_ns;
	struct perfetto *state = export->state;
	uint64_t track;
	size_t event;
	int status = track_find(export, begin_ns, lasts ? end_ns : begin_ns, &track);

	if (status)
		return status;
	event = perfetto_event(export, begin_ns, lasts ? PERFETTO_SLICE_BEGIN : PERFETTO_INSTANT,
			       track);
	perfetto_event_name(export, finding->what, "finding");
	annotate(&state->writer, finding);
	perfetto_end(export, event);
	if (lasts)
		perfetto_end(export, perfetto_event(export, end_ns, PERFETTO_SLICE_END, track));
	return 0;
}

int perfetto_findings(struct export *export)
{
	const struct findings *findings = export->findings;
	int status = 0;

	for (size_t i = 0; !status && i < findings->count; i++)
		status = write_finding(export, &findings->items[i]);
	return status;
}
