/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "analysis/events/pass.h"
#include "analysis/findings/finding.h"
#include "export/child.h"
#include "trace/field.h"

/* Linux's pids are below this (PID_MAX_LIMIT). */
#define PIDS (1u << 22)
#define PID_SPACES (INT32_MAX / PIDS)

/* The time of day minus CLOCK_MONOTONIC stays the same from boot to boot, but for
 * steps of NTP. */
#define SAME_BOOT_NS INT64_C(2000000000)

#define FORMATS(X)    \
	X(perfetto)   \
	X(chrome)     \
	X(ctf)        \
	X(sqlite)     \
	X(csv)        \
	X(otf2)       \
	X(speedscope) \
	X(folded)     \
	X(dot)

#define X(format) extern const struct export_ops export_##format;
FORMATS(X)
#undef X

const struct export_ops *const export_formats[] = {
#define X(format) &export_##format,
	FORMATS(X)
#undef X
		NULL,
};

const struct export_ops *export_find(const char *name)
{
	for (size_t i = 0; export_formats[i]; i++) {
		if (!strcmp(export_formats[i]->name, name))
			return export_formats[i];
	}
	return NULL;
}

int32_t export_pid(const struct export *export, uint64_t pid)
{
	/* Those of a session of several hosts are moved already (TRACE_HOST_IDS). */
	uint64_t space = pid / PIDS + (export->apart ? 1 + export->session % (PID_SPACES - 1) : 0);

	return (int32_t)(pid % PIDS + space % PID_SPACES * PIDS);
}

const char *export_activity_row(unsigned role)
{
	static const char *const rows[TANDEM_RECORD_COUNT] = {
		[TANDEM_RECORD_overhead] = "runtime and tracing overhead",
		[TANDEM_RECORD_fault] = "unified memory faults",
		[TANDEM_RECORD_module] = "loaded device code",
		[TANDEM_RECORD_external_id] = "the program's numbers of operations",
	};

	return role < TANDEM_RECORD_COUNT ? rows[role] : NULL;
}

void export_activity_times(const struct export *export, const struct trace_event *event,
			   int64_t *begin_ns, int64_t *end_ns)
{
	struct trace_clock *clock = &export->iterator->session->clock;
	uint64_t begin = trace_field_number(event, "begin"), end = trace_field_number(event, "end");

	*begin_ns = begin ? trace_clock_ns(clock, begin) : event->ns;
	*end_ns = end > begin ? trace_clock_ns(clock, end) : *begin_ns;
}

static int64_t boot_ns(const struct trace_session *session)
{
	return (int64_t)(session->run.start_realtime_ns - session->run.start_monotonic_ns);
}

/* Sessions of one boot have one clock, whatever the machine was called (containers have
 * names of their own). Without the boot's id the clocks themselves tell. */
static bool same_boot(const struct trace_session *a, const struct trace_session *b)
{
	if (*a->run.boot_id && *b->run.boot_id)
		return !strcmp(a->run.boot_id, b->run.boot_id);
	return llabs(boot_ns(a) - boot_ns(b)) < SAME_BOOT_NS && !strcmp(a->run.host, b->run.host);
}

static void place_session(struct export *export, const struct export_request *request)
{
	const struct trace_session *first = request->sessions[0];
	const struct trace_session *session = request->sessions[export->session];
	int64_t apart_ns = boot_ns(session) - boot_ns(first);

	export->origin_ns = first->start_ns;
	export->machine = 0;
	while (!same_boot(request->sessions[export->machine], session))
		export->machine++;
	export->apart = export->machine > 0;
	if (!export->apart)
		export->shift_ns = 0;
	else if (request->join)
		export->shift_ns = apart_ns;
	else
		export->shift_ns = first->start_ns - session->start_ns;
}

static int call_op(int (*op)(struct export *), struct export *export)
{
	return op ? op(export) : 0;
}

static int describe_processes(struct export *export)
{
	const struct export_ops *ops = export->ops;
	struct trace_session *session = export->iterator->session;
	int status = 0;

	for (size_t i = 0; !status && i < session->process_count; i++) {
		struct trace_process *process = &session->processes[i];

		if (ops->process)
			status = ops->process(export, process);
		for (size_t j = 0; !status && ops->thread && j < process->stream_count; j++)
			status = ops->thread(export, &process->streams[j]);
	}
	return status;
}

static int give_item(struct export *export, const struct event_item *item)
{
	const struct export_ops *ops = export->ops;
	int (*op)(struct export *, const struct event_item *) = NULL;
	int status;

	switch (item->kind) {
	case ITEM_CALL:
		op = ops->call;
		break;
	case ITEM_OPERATION:
		export->operation_count++;
		op = ops->operation;
		break;
	case ITEM_UNFINISHED:
		export->operation_count++;
		op = ops->unfinished;
		break;
	case ITEM_MEMORY:
		op = ops->memory;
		break;
	case ITEM_BUILD:
		op = ops->build;
		break;
	case ITEM_OBJECT:
		op = ops->object;
		break;
	case ITEM_LOST:
		op = ops->lost;
		break;
	case ITEM_ENGINES:
		op = ops->engines;
		break;
	case ITEM_OTHER:
		break;
	}
	status = op && export_wants(export, item) ? op(export, item) : 0;
	return !status && ops->any ? ops->any(export, item) : status;
}

static int give_range(void *user, const struct range_instance *range)
{
	struct export *export = user;

	return export_holds(export, range->begin_ns) ? export->ops->range(export, range) : 0;
}

/* The export's part in the pass over a session. */
struct making {
	struct export *export;
	const struct export_request *request;
	struct export_result *result;
	struct ranges ranges;
	bool with_ranges;
};

static int session_begin(void *user, struct pass *pass)
{
	struct making *making = user;
	struct export *export = making->export;
	int status;

	export->iterator = &pass->iterator;
	place_session(export, making->request);
	making->result->apart += export->apart && !making->request->join;
	status = call_op(export->ops->session, export);
	if (!status)
		status = describe_processes(export);
	if (status || !export->ops->range)
		return status;
	status = ranges_init(&making->ranges, pass->session, give_range, export);
	making->with_ranges = !status;
	return status;
}

static int session_item(void *user, const struct event_item *item)
{
	struct making *making = user;
	int status = give_item(making->export, item);

	return !status && making->with_ranges ? ranges_item(&making->ranges, item) : status;
}

static int session_end(void *user, struct pass *pass)
{
	struct making *making = user;
	struct export *export = making->export;
	int status = making->with_ranges ? ranges_finish(&making->ranges) : 0;

	if (!status)
		status = call_op(export->ops->session_end, export);
	export->process_base += pass->session->process_count;
	export->thread_base += pass->session->stream_count;
	export->call_base += pass->iterator.calls;
	export->device_base += pass->iterator.devices.count;
	export->range_base += making->with_ranges ? making->ranges.count : 0;
	return status;
}

static void session_free(void *user)
{
	struct making *making = user;

	if (making->with_ranges)
		ranges_free(&making->ranges);
	making->export->iterator = NULL;
}

/* Findings come first: they are complete when the export's part ends. */
static int export_session(struct export *export, const struct export_request *request,
			  struct export_result *result)
{
	static const struct pass_consumer consumer = {
		.begin = session_begin,
		.item = session_item,
		.end = session_end,
		.free = session_free,
	};
	struct making making = {.export = export, .request = request, .result = result};
	struct findings findings = {.count = 0};
	struct pass pass;
	int status = 0;

	pass_init(&pass, request->sessions[export->session], request->progress);
	pass.flags = EVENT_ALL;
	export->range = request->ranges ? request->ranges[export->session] : RANGE_WHOLE;
	pass.range = export->range;
	if (export->ops->with_findings) {
		status = findings_join(&pass, &findings, NULL, export->error);
		export->findings = &findings;
	}
	pass_join(&pass, &consumer, &making);
	status = pass_run(&pass, status);
	export->findings = NULL;
	findings_free(&findings);
	return status;
}

static int export_run(struct export *export, const struct export_request *request,
		      struct export_result *result)
{
	int status = call_op(export->ops->begin, export);

	for (; !status && export->session < request->session_count; export->session++)
		status = export_session(export, request, result);
	return status ? status : call_op(export->ops->end, export);
}

static int make_here(const void *user, void *made_result, struct error *error)
{
	const struct export_request *request = user;
	struct export_result *result = made_result;
	struct error told = ERROR_INIT;
	struct export export = {.ops = request->ops,
				.out = request->out,
				.output = {.fd = -1},
				.range_name = request->range_name,
				.error = error ? error : &told};
	struct stat made;
	int status;

	*result = (struct export_result){.bytes = 0};
	export.state = calloc(1, request->ops->state_bytes + 1);
	if (!export.state)
		return error_add(error, -ENOMEM, "%s: %s", request->out, strerror(ENOMEM));
	status = request->ops->own_output ? 0
					  : output_open(&export.output, request->out, export.error);
	if (!status) {
		status = export_run(&export, request, result);
		if (export.ops->release)
			export.ops->release(&export);
	}
	if (!status && !export.ops->own_output) {
		result->bytes = export.output.bytes;
		status = output_close(&export.output, export.error);
	} else if (!status && !stat(request->out, &made) && S_ISREG(made.st_mode)) {
		result->bytes = (uint64_t)made.st_size;
	}
	output_drop(&export.output);
	free(export.state);
	if (status && !export.error->count)
		error_add(export.error, status, "%s: %s", request->out, strerror(-status));
	return status;
}

static int child_killed(const struct export_request *request, pid_t child, int wait_status,
			struct error *error)
{
	if (request->ops->killed)
		request->ops->killed(request->out, child);
	error_set_hint(error, "is there room on the disk?");
	if (WIFSIGNALED(wait_status))
		return error_add(error, -EIO, "%s: the library that writes it ended by signal %d",
				 request->out, WTERMSIG(wait_status));
	return error_add(error, -EIO, "%s: the library that writes it ended", request->out);
}

/* For formats that a library writes which does not survive every error. */
static int make_in_child(const struct export_request *request, struct export_result *result,
			 struct error *error)
{
	const struct child_work work = {make_here, request, result, sizeof(*result)};
	int wait_status = 0, status;
	pid_t child = 0;

	status = child_run(&work, &child, &wait_status, error);
	if (status == -ECHILD)
		return child_killed(request, child, wait_status, error);
	if (child <= 0)
		return error_add(error, status, "%s: %s", request->out, strerror(-status));
	return status;
}

int export_make(const struct export_request *request, struct export_result *result,
		struct error *error)
{
	*result = (struct export_result){.bytes = 0};
	return request->ops->own_process ? make_in_child(request, result, error)
					 : make_here(request, result, error);
}
