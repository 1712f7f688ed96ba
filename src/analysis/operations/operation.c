/* SPDX-License-Identifier: MIT */
#include "analysis/operations/operation.h"

#include "schema/domain.h"
#include "trace/session/session.h"

void operation_span(const struct operation *operation, int64_t end_ns, int64_t *from_ns,
		    int64_t *to_ns)
{
	const struct tandem_rec_operation *record = operation->record;

	/* As long as the device says: its clock runs as fast as ours to within some
	 * millionths. */
	if (operation->placed) {
		*from_ns = operation->times.start_ns;
		*to_ns = *from_ns + (int64_t)(record->end - record->start);
		return;
	}
	*to_ns = record ? operation->seen_ns : end_ns;
	*from_ns = !operation->call	    ? operation->seen_ns
		   : operation->call_end_ns ? operation->call_end_ns
					    : operation->call_begin_ns;
	/* A blocking call saw the end before it returned. */
	if (*from_ns > *to_ns)
		*from_ns = operation->call ? operation->call_begin_ns : *to_ns;
	if (*from_ns > *to_ns)
		*to_ns = *from_ns;
}

const char *operation_name(const struct trace_session *session, uint16_t api, uint8_t kind)
{
	const struct tandem_event *call = trace_session_event(session, api);

	if (call)
		return tandem_domain_command(trace_session_event_domain(session, call), call->name);
	/* The driver moves pages of unified memory as they are touched. */
	return kind == TANDEM_OPERATION_KIND_migrate ? "unified memory" : "unknown";
}

const char *operation_kind_name(uint8_t kind)
{
	static const char *const names[] = {
		[TANDEM_OPERATION_KIND_kernel] = "kernel",
		[TANDEM_OPERATION_KIND_copy_h2d] = "copy_h2d",
		[TANDEM_OPERATION_KIND_copy_d2h] = "copy_d2h",
		[TANDEM_OPERATION_KIND_copy_d2d] = "copy_d2d",
		[TANDEM_OPERATION_KIND_fill] = "fill",
		[TANDEM_OPERATION_KIND_map] = "map",
		[TANDEM_OPERATION_KIND_unmap] = "unmap",
		[TANDEM_OPERATION_KIND_migrate] = "migrate",
		[TANDEM_OPERATION_KIND_barrier] = "barrier",
		[TANDEM_OPERATION_KIND_marker] = "marker",
		[TANDEM_OPERATION_KIND_other] = "other",
	};

	return kind < sizeof(names) / sizeof(*names) ? names[kind] : "other";
}
