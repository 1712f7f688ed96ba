/* SPDX-License-Identifier: MIT */
#include "analysis/findings/finding.h"

#include <errno.h>
#include <stdarg.h>

#include "util/array.h"
#include "util/text.h"

const char *finding_confidence_name(enum finding_confidence confidence)
{
	static const char *const words[] = {
		[CONFIDENCE_LOW] = "low",
		[CONFIDENCE_MEDIUM] = "medium",
		[CONFIDENCE_HIGH] = "high",
	};

	return words[confidence];
}

const char *finding_confidence_before(enum finding_confidence confidence)
{
	static const char *const words[] = {
		[CONFIDENCE_LOW] = "guess",
		[CONFIDENCE_MEDIUM] = "likely",
		[CONFIDENCE_HIGH] = "certain",
	};

	return words[confidence];
}

struct finding *findings_add(struct findings *findings, const char *name, const char *cause)
{
	struct finding *finding;

	if (array_reserve(&findings->items, &findings->capacity, findings->count + 1,
			  sizeof(*findings->items)))
		return NULL;
	finding = &findings->items[findings->count++];
	*finding = (struct finding){
		.name = name,
		.cause = cause,
		.what = "",
		.suggestion = "",
		.culprit = "",
		.confidence = CONFIDENCE_HIGH,
		.why = "",
		.process = "",
		.device = "",
		.object = "",
		.symptom_of = "",
	};
	return finding;
}

const char *findings_text(struct findings *findings, const char *format, ...)
{
	struct text text = TEXT_INIT;
	const char *copy = NULL;
	va_list arguments;

	va_start(arguments, format);
	text_vformat(&text, format, arguments);
	va_end(arguments);
	if (!text.failed)
		copy = arena_copy(&findings->arena, text.data, text.length);
	text_free(&text);
	return copy ? copy : "";
}

const struct finding_call *findings_call(const struct findings *findings,
					 const struct event_item *item)
{
	const struct finding_call *call = &findings->calls[item->event->stream->index];
	bool whole = call->api && call->call == item->call && call->end_ns != INT64_MIN;

	return whole && range_holds(&findings->range, call->begin_ns) ? call : NULL;
}

const struct trace_stream *findings_stream(const struct findings *findings, uint32_t index)
{
	return trace_ahead_stream(&findings->iterator->ahead, index);
}

uint64_t findings_pid(const struct findings *findings, uint32_t index)
{
	return index == TRACE_NONE ? 0 : findings_stream(findings, index)->process->pid;
}

const struct tandem_domain_row *findings_domain(const struct findings *findings, uint32_t device)
{
	return trace_session_domain(findings->session,
				    findings->iterator->devices.rows[device].domain);
}

void finding_place(struct findings *findings, struct finding *finding, uint32_t stream)
{
	const struct trace_stream *at;

	if (stream == TRACE_NONE)
		return;
	at = findings_stream(findings, stream);
	finding->pid = at->process->pid;
	finding->tid = at->tid;
}

void finding_device(struct findings *findings, struct finding *finding, uint32_t device)
{
	finding->device = findings_text(findings, "%s",
					event_iterator_device_name(findings->iterator, device));
}

void finding_time(struct findings *findings, struct finding *finding, int64_t begin_ns,
		  int64_t end_ns)
{
	finding->timed = true;
	finding->begin_ns = begin_ns - findings->session->start_ns;
	finding->end_ns = end_ns - findings->session->start_ns;
}
