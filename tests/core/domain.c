/* SPDX-License-Identifier: MIT */
/* Hooks of the domains: each domain's own are called, for what is its own. */
#include "core/domain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/capture.h"
#include "core/object.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"
#include "session.h"
#include "sinks/sink.h"

/* What a hook was called with. */
struct seen {
	unsigned described, switched, forked, ended;
	unsigned type;
	void *handle;
	uint32_t number;
	bool enabled;
};

static struct seen seen[2];
static unsigned order;

/* Names another object of its own meanwhile, as a queue's context. */
#define HOOKS(name, i)                                                              \
	static void describe_##name(unsigned type, void *handle, uint32_t number)   \
	{                                                                           \
		seen[i].described++;                                                \
		if (type == TANDEM_OBJECT_queue)                                    \
			tandem_object_number(TANDEM_KIND(name, context), &seen[i]); \
		else                                                                \
			return;                                                     \
		seen[i].type = type;                                                \
		seen[i].handle = handle;                                            \
		seen[i].number = number;                                            \
	}                                                                           \
	static void switched_##name(void)                                           \
	{                                                                           \
		seen[i].switched++;                                                 \
		seen[i].enabled = tandem_capture_is_enabled();                      \
	}                                                                           \
	static void fork_##name(void)                                               \
	{                                                                           \
		seen[i].forked = ++order;                                           \
	}                                                                           \
	static void end_##name(void)                                                \
	{                                                                           \
		seen[i].ended = ++order;                                            \
	}                                                                           \
	const struct domain domain_##name = {.describe = describe_##name,           \
					     .switched = switched_##name,           \
					     .at_fork = fork_##name,                \
					     .at_end = end_##name};

HOOKS(opencl, 0)
HOOKS(cuda, 1)

/* One hook only. */
const struct domain domain_kernel = {.at_end = end_opencl};

static void record_make(void)
{
	struct tandem_rec_lost *record = tandem_record_begin(TANDEM_EVENT_lost, sizeof(*record));

	CHECK(record);
	if (!record)
		return;
	record->reason = 0;
	record->count = tandem_object_number(TANDEM_KIND(opencl, queue), &order) +
			tandem_object_number(TANDEM_KIND(cuda, queue), &order);
	CHECK(record->count == 1 + 2);
	tandem_record_commit();
}

/* The same address is met in two domains: each describes its own. */
static void describing(void)
{
	record_make();
	for (unsigned i = 0; i < 2; i++) {
		CHECK(seen[i].described == 2);
		CHECK(seen[i].type == TANDEM_OBJECT_queue && seen[i].handle == &order);
		CHECK(seen[i].number == i + 1);
	}
	CHECK(!tandem_thread.after);
	/* Known now. */
	record_make();
	CHECK(seen[0].described == 2 && seen[1].described == 2);
}

static void switching(void)
{
	static struct tandem_sink sink = {.name = "test"};

	tandem_capture_set(false);
	CHECK(seen[0].switched == 1 && seen[1].switched == 1 && !seen[0].enabled);
	tandem_capture_set(true);
	CHECK(seen[1].switched == 2 && seen[1].enabled);
	CHECK(!tandem_sink_want(&sink, TANDEM_DOMAIN_cuda, TANDEM_SINK_ALL, true));
	CHECK(seen[1].switched == 2);
	CHECK(!tandem_sink_attach(&sink));
	CHECK(seen[1].switched == 3);
	CHECK(!tandem_sink_detach(&sink));
	CHECK(seen[1].switched == 4);
}

static void forking(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		_exit(seen[0].forked != 1 || seen[1].forked != 2);
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(!seen[0].forked);
	domains_at_end();
	/* By number; one without a hook is passed over. */
	CHECK(seen[1].ended == 2 && seen[0].ended == 3 && !seen[0].forked);
	CHECK(!domain_get(TANDEM_DOMAIN_cudart) && !domain_get(TANDEM_DOMAINS));
}

int main(int argc, char **argv)
{
	struct session_test session;

	session_test_child(argc, argv);
	CHECK(session_test_run(&session, 65536, 0, describing) == 0);
	CHECK(session_test_count(&session, TANDEM_EVENT_lost) == 2);
	CHECK(session_test_run(&session, 65536, 0, switching) == 0);
	CHECK(session_test_run(&session, 65536, 0, forking) == 0);
	return session_test_failures ? 1 : 0;
}
