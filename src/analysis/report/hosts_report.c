/* SPDX-License-Identifier: MIT */
#include "analysis/report/hosts_report.h"

#include <errno.h>

int hosts_report_finish(const struct trace_session *session, struct report *report)
{
	const struct trace_run *run = &session->run;

	if (!run->host_count)
		return 0;
	report->hosts = arena_alloc(&report->arena, run->host_count * sizeof(*report->hosts));
	if (!report->hosts)
		return -ENOMEM;
	for (size_t i = 0; i < run->host_count; i++) {
		const struct trace_run_host *host = &run->hosts[i];
		struct report_host *row = &report->hosts[report->host_count++];

		*row = (struct report_host){
			.name = host->name,
			.clock = trace_host_clock_words[host->clock],
			.moved_ns = host->moved_ns,
			.drift_ppm = host->drift_ppm,
			.bound_ns = trace_run_host_bound(host),
			.messages = host->messages,
			.first_id = i * TRACE_HOST_IDS,
			.first_cpu = host->first_cpu,
		};
		for (size_t k = 0; k < session->traced_count; k++)
			row->processes += trace_run_host(run, session->processes[k].pid) == host;
	}
	return 0;
}
