/* SPDX-License-Identifier: MIT */
/* What a traced runtime gives core: hooks, each of which may be NULL. The folder of the
 * domain NAME defines domain_NAME, and is found by its row (schema/domains.def): nothing
 * is registered. A domain that is not in this library has none.
 *
 *	const struct domain domain_opencl = {
 *		.describe = opencl_describe,
 *		.at_fork = command_forked,
 *		.at_end = command_process_end,
 *	};
 *
 * They may be called in a process that never used the runtime, and where nothing records.
 * The rules of a guest (core/stream/stream.h) hold for each. What a domain needs before its first
 * record, it does in that way in by which the runtime or the program first comes to it;
 * tandem_process_uses() belongs there.
 */
#ifndef TANDEM_CORE_DOMAIN_H
#define TANDEM_CORE_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

struct domain {
	/* An object was met that nobody had announced: made before the recording was on, or
	 * before the latest resume. `type` is a TANDEM_OBJECT_*, `number` what it has been
	 * given. Writes its record, and may name further objects. Called in the thread that
	 * met it, after the record that names it. */
	void (*describe)(unsigned type, void *handle, uint32_t number);

	/* What this process wants of the domain may have changed, by a mark of the program
	 * (core/capture.h) or by a sink (sinks/sink.h): tandem_recording() and
	 * tandem_capture_is_enabled() say. A pause or resume of the session is a store into
	 * the control page, which nobody announces. In the thread that changed it, outside
	 * of any record. */
	void (*switched)(void);

	/* In the child of a fork: this process has threads, streams and a trace of its own
	 * to come, and what was under way is the parent's. */
	void (*at_fork)(void);

	/* The process ends: after the program's own exit handlers, before the last stream is
	 * closed. Other threads may be at work. */
	void (*at_end)(void);

	/* A tool in the process asks for what has completed: the runtime is to deliver it.
	 * Outside of any call and record. */
	void (*at_flush)(void);

	/* A library by which several runtimes come has been handed something, by the name
	 * that it has there: ROCm's dispatch tables. Before the runtime's functions are
	 * called; in the thread that loads it. */
	void (*offered)(const char *name, void *data);

	/* How the names begin of the functions that the domain has wrappers for, which stand before
	 * the runtime's in a preloaded library. NULL: it has none. */
	const char *interposes;

	/* `function`, of such a name, is what the program looked up with dlsym(): whether the
	 * wrapper of that name calls just that one, and is to be given out instead of it. Before any
	 * call of it. */
	bool (*looked_up)(const char *name, void *function);
};

/* NULL: it has no hooks here. */
const struct domain *domain_get(unsigned number);

/* Calls a hook of all domains that have it, by number. */
void domains_switched(void);
void domains_at_fork(void);
void domains_at_end(void);
void domains_at_flush(void);
void domains_offered(const char *name, void *data);

/* The domain that is recorded and interposes functions of such names. NULL: none. */
const struct domain *domain_that_interposes(const char *name);

/* The domain's runtime reports what its devices do: one below it need not. Any thread. */
void domain_set_reporting(unsigned number);
bool domain_is_reporting(unsigned number);

#endif
