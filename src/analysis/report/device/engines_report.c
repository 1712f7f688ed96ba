/* SPDX-License-Identifier: MIT */
#include "analysis/report/device/engines_report.h"

#include <errno.h>
#include <string.h>

#include "analysis/report/table.h"
#include "analysis/sched/engines_consume.h"
#include "util/order/compare.h"

static void who(void *user, uint32_t tid, uint32_t *pid, const char **name)
{
	const struct engines_report *report = user;
	const struct states_thread *thread = states_of_kernel(report->states, tid);

	if (!thread)
		return;
	*pid = thread->pid;
	*name = intern_text(&report->states->names, states_process_name(report->states, thread));
}

void engines_report_init(struct engines_report *engines, struct trace_session *session,
			 const struct states *states)
{
	memset(engines, 0, sizeof(*engines));
	engines->session = session;
	engines->states = states;
	engines->tracepoints = tracepoints_create();
	engines_init(&engines->engines, session->start_ns, who, NULL, engines);
}

int engines_report_add(struct engines_report *engines, const struct trace_event *event)
{
	return engines_consume(&engines->engines, engines->tracepoints, event);
}

/* What the DRM scheduler has told better. */
static bool superseded(const struct engines *engines, const struct engine *engine)
{
	return engines->scheduler && !strcmp(engine->driver, "amdgpu");
}

static int engine_compare(const void *a, const void *b)
{
	const struct report_engine *left = a, *right = b;

	return COMPARE(right->busy_ns, left->busy_ns)
	       ?: COMPARE(right->jobs, left->jobs)
	       ?: strcmp(left->name, right->name);
}

static int user_compare(const void *a, const void *b)
{
	const struct report_engine_user *left = a, *right = b;

	return COMPARE(right->executing_ns, left->executing_ns)
	       ?: COMPARE(right->jobs, left->jobs)
	       ?: COMPARE(left->process, right->process);
}

static void add_engine(struct report *report, const struct engine *engine, double known_ns)
{
	report->engines[report->engine_count++] = (struct report_engine){
		.driver = table_string(report, engine->driver),
		.name = table_string(report, engine->name),
		.jobs = engine->jobs,
		.busy_ns = engine->busy_ns,
		.busy_percent = table_percent(engine->busy_ns, report->span_ns),
		.host_mean = known_ns > 0 ? (double)engine->host_area / known_ns : 0,
		.device_mean = known_ns > 0 ? (double)engine->device_area / known_ns : 0,
		.host_most = engine->host_most,
		.device_most = engine->device_most,
		.unknown_ns = engine->unknown_ns,
		.dropped = engine->dropped,
		.unfinished = engine->host + engine->device,
	};
}

static bool was_idle(const struct engine *engine)
{
	return !engine->jobs && !engine->busy_ns && !engine->host_area && !engine->unknown_ns;
}

int engines_report_finish(struct engines_report *engines, struct report *report)
{
	const struct engines *all = &engines->engines;

	engines_finish(&engines->engines,
		       engines->session->start_ns + (int64_t)report->duration_ns);
	report->engines = arena_alloc(&report->arena, (all->count + 1) * sizeof(*report->engines));
	report->engine_users =
		arena_alloc(&report->arena, (all->user_count + 1) * sizeof(*report->engine_users));
	if (!report->engines || !report->engine_users)
		return -ENOMEM;
	for (size_t i = 0; i < all->count; i++) {
		const struct engine *engine = &all->engines[i];

		if (!superseded(all, engine) && !(report->ranged && was_idle(engine)))
			add_engine(report, engine,
				   (double)report->span_ns - (double)engine->unknown_ns);
	}
	for (size_t i = 0; i < all->user_count; i++) {
		const struct engine_user *user = &all->users[i];
		const struct engine *engine = &all->engines[user->engine];

		if (!user->jobs || superseded(all, engine))
			continue;
		report->engine_users[report->engine_user_count++] = (struct report_engine_user){
			.driver = table_string(report, engine->driver),
			.engine = table_string(report, engine->name),
			.process = user->pid,
			.name = table_string(report, intern_text(&all->names, user->name)),
			.jobs = user->jobs,
			.host_queue_ns = user->host_ns,
			.device_queue_ns = user->device_ns,
			.executing_ns = user->executing_ns,
			.host_queue_mean_ns =
				user->jobs ? (double)user->host_ns / (double)user->jobs : 0,
			.device_queue_mean_ns =
				user->jobs ? (double)user->device_ns / (double)user->jobs : 0,
			.unsplit_ns = user->unsplit_ns,
		};
	}
	table_sort(report->engines, report->engine_count, sizeof(*report->engines), engine_compare);
	table_sort(report->engine_users, report->engine_user_count, sizeof(*report->engine_users),
		   user_compare);
	return 0;
}

void engines_report_free(struct engines_report *engines)
{
	engines_free(&engines->engines);
	tracepoints_destroy(engines->tracepoints);
}
