/* SPDX-License-Identifier: MIT */
/* A sink: where the events of the traced domains go besides the session's CTF trace.
 *
 * Domains know nothing of sinks. They make records (core/stream/stream.h, core/call/call.h); a sink
 * that wants an event gets its record in the thread that made it: `record` when it has
 * been committed, which for an API call is before the real call, and `end` when the call
 * has returned. It gets the same record that the trace gets, stamps included, and gets it
 * as well where no session records (core/local.h). With a call's record come its arguments
 * as the program passed them: the struct that gen/args.h of the domain has for the function.
 *
 *	static void begin(struct tandem_sink *sink, const struct tandem_record *record,
 *			  const void *args, uint64_t *word) { *word = record->timestamp; }
 *	static void end(struct tandem_sink *sink, const struct tandem_call_record *record,
 *			const void *args, uint64_t *word)
 *	{ note(record->head.id, record->end - *word); }
 *	static struct tandem_sink sink = { .name = "mine", .record = begin, .end = end };
 *
 *	tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true);
 *	tandem_sink_attach(&sink);	// 0
 *	...
 *	tandem_sink_detach(&sink);	// nothing is called from here on
 *
 * What is wanted is per sink, domain and event: one word with a bit for each domain, and
 * for each domain a bit for each event. It may change at any time, while calls are in
 * flight too: who got `record` of a call gets its `end`, and nobody else does.
 *
 * Without a sink nothing of this is paid: the three places where a sink is served are the
 * unusual branches of a record's begin, of its commit, and of a call's end, which a thread
 * takes only while a sink is attached.
 *
 * Where no session records, records are of the level `basic`, cut at 1,024 bytes each.
 * Calls may nest 64 deep in a thread; ends of deeper ones are not given.
 *
 * Owner: the caller; the struct lives until tandem_sink_detach() has returned. At most
 * TANDEM_SINKS at once. Any thread; detach not from the functions of a sink.
 */
#ifndef TANDEM_SINKS_SINK_H
#define TANDEM_SINKS_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/control.h"
#include "schema/ids.h"
#include "schema/record.h"

#define TANDEM_SINKS 8u
#define TANDEM_SINK_ALL UINT32_MAX
#define TANDEM_SINK_WORDS 6u
#define TANDEM_SINK_ARGS_BYTES 5u /* which word says how many bytes `args` has; 0: not known */

/* What libraries of sinks call in libtandem.so. */
#define TANDEM_SINK_API __attribute__((visibility("default")))

struct tandem_sink {
	const char *name;
	void *data; /* the owner's */

	/* `record` and `args` are valid during the function only, and are not to be changed.
	 * `args` is NULL for what is no call, for a function without arguments and where the
	 * domain has none to give. What is stored in word[TANDEM_SINK_WORDS] comes back with
	 * the end of the same call; word[0] is 0 at first, and word[TANDEM_SINK_ARGS_BYTES] is
	 * not to be changed. Any thread, also in a signal handler. Traced functions that it
	 * calls are not recorded, nor given to any sink. Who leaves it by longjmp() is in it
	 * until the thread's next event. NULL: not called. */
	void (*record)(struct tandem_sink *sink, const struct tandem_record *record,
		       const void *args, uint64_t *word);

	/* The call has returned: result and end are in the record, and in `args` what the
	 * function returned. Not called for a call that is left by longjmp() or never returns,
	 * nor in the child of a fork for calls that the parent had begun. NULL: not called. */
	void (*end)(struct tandem_sink *sink, const struct tandem_call_record *record,
		    const void *args, uint64_t *word);

	/* What it gets is stamped by a clock of its own: calls may come without stamps. */
	bool unstamped;

	/* Written by tandem_sink_want() alone, and its like. */
	_Atomic uint64_t domains;
	_Atomic uint64_t events[TANDEM_PAGES][TANDEM_PAGE_EVENTS / 64];
};

/* From now on the sink gets what it wants, and is told anew of all objects that it meets.
 * 0; -EEXIST: it does already; -ENOSPC: there are TANDEM_SINKS. Also from a sink's function:
 * the call under way is not the new one's. */
TANDEM_SINK_API int tandem_sink_attach(struct tandem_sink *sink);

/* Nothing new begins in the sink's functions. 0; -ENOENT: it is not attached. Also from a
 * sink's function. */
TANDEM_SINK_API int tandem_sink_remove(struct tandem_sink *sink);

/* Waits until every other thread that was in a sink's function has left it. 0; -EBUSY: one
 * is there still after so long. */
TANDEM_SINK_API int tandem_sinks_wait(uint64_t timeout_ns);

/* Both, without a limit: -EDEADLK from a sink's function. */
int tandem_sink_detach(struct tandem_sink *sink);

/* Whether an event of the domain, or with TANDEM_SINK_ALL all of them, is wanted. `event` is
 * its number in the domain (tandem_id_number()). 0; -EINVAL: no such number. Before attach or
 * after; of one sink one thread at a time. */
TANDEM_SINK_API int tandem_sink_want(struct tandem_sink *sink, unsigned domain, uint32_t event,
				     bool wanted);

/* All of a domain's events at once: bit `event` of bits[count]; those behind are not wanted. */
TANDEM_SINK_API int tandem_sink_want_bits(struct tandem_sink *sink, unsigned domain,
					  const uint64_t *bits, uint32_t count);

/* Whether this thread is in a sink's function. */
TANDEM_SINK_API bool tandem_sink_in_here(void);

/* Has runtimes deliver what has completed. Not in a sink's function. */
TANDEM_SINK_API void tandem_sink_flush(void);

/* From a sink's functions, once an event: a number for it where its record has no operation id,
 * of the same numbers. */
TANDEM_SINK_API uint64_t tandem_sink_next_id(void);

/* For a sink that TANDEM_SINK has loaded, before it attaches: makes a process without a
 * session ready to record. Gives the level of arguments that calls have. 0; -EPROTO: the
 * session's page says no such level. */
TANDEM_SINK_API int tandem_sink_begin(enum tandem_args_level *level);

/* Objects are described once more, each when it is next named: somebody new listens. Any
 * thread. */
TANDEM_SINK_API void tandem_sink_statedump(void);

/* The same, if somebody asked for it in the session's page since. Any thread, now and then. */
TANDEM_SINK_API void tandem_sink_refresh(void);

#endif
