/* SPDX-License-Identifier: MIT */
/* What a program would take if it divided its work over several queues, each with
 * a thread of its own. Recorded are cycles: a thread enqueues some commands on one
 * queue and waits for them. With N queues every cycle happens N times side by
 * side, each command with a part of the work: host time, launch latency and the
 * way back stay as they were recorded, the device's time is divided. Kernels of
 * all queues share one engine of the device, transfers of a direction another;
 * a queue keeps its order.
 *
 *	replay_add_cycle(&replay, commands, count, &wait);     any number
 *	uint64_t ns = replay_run(&replay, 4);
 *	replay_free(&replay);
 *
 * One queue gives back the recorded time. One thread.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OVERLAP_REPLAY_H
#define TANDEM_ANALYSIS_FINDINGS_OVERLAP_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum replay_engine { REPLAY_COMPUTE, REPLAY_TO_DEVICE, REPLAY_TO_HOST, REPLAY_ENGINES };

struct replay_operation {
	enum replay_engine engine;
	uint64_t before_ns;  /* of the host, since the enqueue or wait before */
	uint64_t issue_ns;   /* from the call's begin to when the device knows */
	uint64_t call_ns;    /* from the call's begin to where the host goes on */
	uint64_t latency_ns; /* from when it could start to its start */
	uint64_t run_ns;     /* on the device, with the whole work */
	bool indivisible;    /* a part of it takes as long */
	/* What of `before`, `issue`, `call` and `latency` threads were ready to run and had no CPU: */
	uint64_t before_away_ns, issue_away_ns, call_away_ns, latency_away_ns;
};

struct replay_wait {
	uint64_t before_ns; /* of the host, since the last enqueue */
	uint64_t return_ns; /* from the last end, or the call's begin, to its return */
	uint64_t before_away_ns, return_away_ns; /* of these */
};

struct replay_cycle {
	size_t first, count; /* of commands */
	struct replay_wait wait;
};

struct replay {
	struct replay_operation *operations;
	size_t operation_count, operation_capacity;
	struct replay_cycle *cycles;
	size_t cycle_count, cycle_capacity;
};

/* At least one command. Returns 0 or -ENOMEM. */
int replay_add_cycle(struct replay *replay, const struct replay_operation *operations, size_t count,
		     const struct replay_wait *wait);

/* Time of all cycles on so many queues (1 at least) into *ns. Returns 0 or
 * -ENOMEM. */
int replay_run(const struct replay *replay, unsigned queues, uint64_t *ns);

/* Makes the host's times, and the device's, so many times as long. */
void replay_scale(struct replay *replay, double host, double device);

/* As if all threads had had a CPU whenever they were ready to run. */
void replay_leave_away(struct replay *replay);

void replay_free(struct replay *replay);

#endif
