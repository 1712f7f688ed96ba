/* SPDX-License-Identifier: MIT */
/* libtandem-lttng.so: the sink that hands events to LTTng-UST. libtandem.so loads it where
 * TANDEM_SINK=lttng (src/sinks/load.c): the library brings threads with it.
 *
 * Domains are asked for events only while a session has one of theirs enabled. LTTng says
 * so in the words of the tracepoints alone, without a call: they are looked at when a
 * session begins (LTTng's thread then passes the tracepoint lttng_ust_statedump:start),
 * with the events themselves, and once a second, for events that are enabled or disabled
 * in a session that runs. As often it is asked whether objects are to be described once more: a
 * snapshot of LTTng's takes room in its rings (recorder/snapshot/snapshot_lttng.h). A session gets
 * the host's clock (host_clock.h) when it begins, and then every HOST_CLOCK_SECONDS.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <lttng/tracepoint.h>

#include "schema/record.h"
#include "sinks/lttng/host_clock.h"
#include "sinks/lttng/provider.h"
#include "sinks/lttng/write.h"
#include "sinks/sink.h"

#define LOOK_SECONDS 1
#define ONE_SESSION_MS 100
#define HOST_CLOCK_SECONDS 16

static void on_record(struct tandem_sink *sink, const struct tandem_record *record,
		      const void *args, uint64_t *word);
static void on_end(struct tandem_sink *sink, const struct tandem_call_record *record,
		   const void *args, uint64_t *word);

static struct tandem_sink sink = {
	.name = "lttng", .record = on_record, .end = on_end, .unstamped = true};
static uint64_t wanted; /* domains; under `looking` */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

static void on_record(struct tandem_sink *unused, const struct tandem_record *record,
		      const void *args, uint64_t *word)
{
	struct lttng_event *event = lttng_events[record->id];

	(void)unused;
	(void)args;
	*word = (uintptr_t)event;
	if (event && lttng_event_is_enabled(event) && record->size >= event->head_bytes)
		lttng_event_write(event, (const uint8_t *)record + event->head_bytes,
				  record->size - event->head_bytes);
}

static void on_end(struct tandem_sink *unused, const struct tandem_call_record *record,
		   const void *args, uint64_t *word)
{
	struct lttng_event *event = (struct lttng_event *)(uintptr_t)*word;
	uint8_t bytes[sizeof(record->result) + sizeof(uint64_t)];

	(void)unused;
	(void)args;
	if (!event || !event[LTTNG_EXIT].of || !lttng_event_is_enabled(&event[LTTNG_EXIT]))
		return;
	event += LTTNG_EXIT;
	if (!event->returned_bytes) {
		lttng_event_write(event, &record->result, sizeof(record->result));
		return;
	}
	memcpy(bytes, &record->result, sizeof(record->result));
	memcpy(bytes + sizeof(record->result), record + 1, event->returned_bytes);
	lttng_event_write(event, bytes, sizeof(record->result) + event->returned_bytes);
}

static bool domain_is_enabled(const struct tandem_domain *domain)
{
	for (unsigned page = 0; page < domain->page_count; page++) {
		for (unsigned i = 0; i < TANDEM_PAGE_EVENTS; i++) {
			for (int half = 0; half < LTTNG_HALVES; half++) {
				const struct lttng_event *event = lttng_event_get(
					TANDEM_ID(domain->pages[page], i), (enum lttng_half)half);

				if (event && lttng_event_is_enabled(event))
					return true;
			}
		}
	}
	return false;
}

/* What sessions have enabled becomes what the sink wants. */
static void look(void)
{
	uint64_t enabled = 0;

	for (unsigned number = 0; number < TANDEM_DOMAINS; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);

		if (domain && number != TANDEM_DOMAIN_kernel && domain_is_enabled(domain))
			enabled |= (uint64_t)1 << number;
	}
	pthread_mutex_lock(&looking);
	for (unsigned number = 0; number < TANDEM_DOMAINS; number++) {
		uint64_t bit = (uint64_t)1 << number;

		if ((enabled ^ wanted) & bit)
			tandem_sink_want(&sink, number, TANDEM_SINK_ALL, enabled & bit);
	}
	wanted = enabled;
	pthread_mutex_unlock(&looking);
}

/* A session begins: it gets the descriptions of the objects that it will name. LTTng says so
 * for each of its daemons. */
static void on_session(void *data, void *session)
{
	static _Atomic int64_t last_ms;
	struct timespec now;
	int64_t ms;

	(void)data;
	(void)session;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	if (ms - atomic_exchange(&last_ms, ms) > ONE_SESSION_MS)
		tandem_sink_statedump();
	look();
	lttng_host_clock_write();
}

static void *look_on(void *unused)
{
	struct timespec pause = {.tv_sec = LOOK_SECONDS};

	for (unsigned seconds = 1;; seconds++) {
		nanosleep(&pause, NULL);
		tandem_sink_refresh();
		look();
		if (seconds % HOST_CLOCK_SECONDS == 0)
			lttng_host_clock_write();
	}
	return unused;
}

static void watch(void)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 65536);
	if (!pthread_create(&thread, &attributes, look_on, NULL))
		pthread_setname_np(thread, "tandem-lttng");
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A child has LTTng again where the program preloads liblttng-ust-fork.so, and its own
 * thread here. */
static void forked(void)
{
	pthread_mutex_init(&looking, NULL);
	watch();
}

__attribute__((constructor)) static void begin(void)
{
	enum tandem_args_level level;

	if (tandem_sink_begin(&level) || lttng_provider_create(level))
		return;
	lttng_ust_tracepoint_provider_register("lttng_ust_statedump", "start",
					       (void (*)(void))on_session, NULL,
					       "struct lttng_ust_session *, session");
	look();
	/* A session that began before the library was loaded does not say so. */
	lttng_host_clock_write();
	if (tandem_sink_attach(&sink))
		return;
	pthread_atfork(NULL, NULL, forked);
	watch();
}
