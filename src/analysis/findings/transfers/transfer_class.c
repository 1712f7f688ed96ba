/* SPDX-License-Identifier: MIT */
#include "analysis/findings/transfers/transfer_class.h"

/* What the host spent on it before the device knew of it, and after the device
 * was done. A runtime that does not say when it was queued has it start then, at the earliest. */
static uint64_t host_ns(const struct operation *operation)
{
	const struct operation_times *times = &operation->times;
	int64_t before, after;

	if (!operation->call || !operation->call_end_ns)
		return 0;
	before = (operation->device_times.waits ? times->queued_ns : times->start_ns) -
		 operation->call_begin_ns;
	after = operation->call_end_ns -
		(times->end_ns < operation->call_end_ns ? times->end_ns : times->queued_ns);
	return (uint64_t)(before > 0 ? before : 0) + (uint64_t)(after > 0 ? after : 0);
}

void transfer_class_add(struct transfer_class *class, const struct operation *operation,
			uint64_t exposed_ns)
{
	uint64_t ns = operation->record->end - operation->record->start;
	uint64_t call_ns = host_ns(operation);

	class->count++;
	class->bytes += operation->record->bytes;
	class->ns += ns;
	class->exposed_ns += exposed_ns;
	if (ns && (double)operation->record->bytes / (double)ns > class->fastest)
		class->fastest = (double)operation->record->bytes / (double)ns;
	if (ns + call_ns < class->least_ns || class->count == 1)
		class->least_ns = ns + call_ns;
	if (ns >= class->longest_ns) {
		class->longest_ns = ns;
		class->stream = operation->stream;
		class->api = operation->api;
		class->process = operation->process;
		class->queue = operation->queue_number;
		class->begin_ns = operation->times.start_ns;
		class->end_ns = operation->times.end_ns;
	}
}

double transfer_class_rate(const struct transfer_class *class)
{
	return class->ns ? (double)class->bytes / (double)class->ns : 0;
}

const char *transfer_class_api(const struct transfer_class *class, const struct findings *findings)
{
	const struct tandem_event *api = trace_session_event(findings->session, class->api);

	return api ? api->name : "other calls";
}

const char *transfer_direction(uint8_t kind)
{
	switch (kind) {
	case TANDEM_OPERATION_KIND_copy_h2d:
		return "to the device";
	case TANDEM_OPERATION_KIND_copy_d2h:
		return "to the host";
	case TANDEM_OPERATION_KIND_map:
		return "for the host";
	default:
		return "on the device";
	}
}

struct finding *transfer_class_finding(const struct transfer_class *class,
				       struct findings *findings, uint32_t device, uint8_t kind,
				       const char *cause)
{
	struct finding *finding = findings_add(findings, "transfers", cause);

	if (!finding)
		return NULL;
	finding->count = class->count;
	finding->object = operation_kind_name(kind);
	finding_device(findings, finding, device);
	finding->confidence = CONFIDENCE_MEDIUM;
	finding_place(findings, finding, class->stream);
	finding_time(findings, finding, class->begin_ns, class->end_ns);
	return finding;
}
