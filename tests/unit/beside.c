/* SPDX-License-Identifier: MIT */
/* Findings that are made in two threads are the same as in one: of a whole session, of a part of it,
 * of one kind, and whatever is damaged. argv[1] is bench/gen_machine, argv[2] bench/gen_trace. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/findings/finding.h"
#include "check.h"
#include "damaged.h"
#include "trace/session/session_open.h"
#include "util/thread/thread.h"

/* How many are alike, or -1. */
static int alike(const struct findings *one, const struct findings *two)
{
	if (one->count != two->count || one->replay_error_ns != two->replay_error_ns)
		return -1;
	for (size_t i = 0; i < one->count; i++) {
		const struct finding *a = &one->items[i], *b = &two->items[i];

		if (strcmp(a->name, b->name) || strcmp(a->cause, b->cause) ||
		    strcmp(a->what, b->what) || strcmp(a->why, b->why) ||
		    strcmp(a->object, b->object) || strcmp(a->culprit, b->culprit) ||
		    a->cost_ns != b->cost_ns || a->count != b->count ||
		    a->begin_ns != b->begin_ns || a->end_ns != b->end_ns || a->tid != b->tid)
			return -1;
	}
	return (int)one->count;
}

static int make(struct findings *findings, struct trace_session *session, const char *path,
		struct findings_options *options, const struct range *part)
{
	struct trace_problems problems = {.tell = NULL};
	struct error error = ERROR_INIT;
	struct range range;
	int status = trace_session_open(session, path, &problems, &error);

	CHECK(!status);
	if (part) {
		range = (struct range){session->start_ns + part->from_ns,
				       session->start_ns + part->to_ns};
		options->range = &range;
	}
	status = findings_make(findings, session, options, &error);
	CHECK(!status);
	trace_problems_free(&problems);
	return status;
}

static int both(const char *path, const char *only, const struct range *part)
{
	struct findings_options one = {.only = only}, two = {.only = only, .beside = true};
	struct findings first, second;
	struct trace_session first_session, second_session;
	int count = -1;

	if (make(&first, &first_session, path, &one, part))
		return -1;
	if (!make(&second, &second_session, path, &two, part)) {
		count = alike(&first, &second);
		CHECK(count >= 0);
		findings_free(&second);
	}
	findings_free(&first);
	trace_session_close(&first_session);
	trace_session_close(&second_session);
	return count;
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/tandem-beside-XXXXXX", command[1024], machine[64], trace[64];
	const struct range part = {20000000, 90000000};

	if (argc < 3 || !mkdtemp(folder))
		return 1;
	if (!thread_two_cpus())
		return 77;
	snprintf(machine, sizeof(machine), "%s/machine", folder);
	snprintf(trace, sizeof(trace), "%s/trace", folder);
	snprintf(command, sizeof(command),
		 "%s -n 150000 %s >/dev/null && %s -f 20000 %s >/dev/null", argv[1], machine,
		 argv[2], trace);
	CHECK(!system(command));

	CHECK(both(machine, NULL, NULL) > 3);
	CHECK(both(machine, NULL, &part) > 0);
	CHECK(both(machine, "idle-device", NULL) > 0);
	both(machine, "leaks", NULL);
	both(machine, "preemption", NULL);
	CHECK(both(trace, NULL, NULL) > 0);
	for (int i = 0; i < 6; i++) {
		damage_folder(machine);
		both(machine, NULL, NULL);
	}
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CHECK(!system(command));
	return check_status();
}
