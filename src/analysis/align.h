/* Where device times lie on the host's clock. A command was queued after the
 * call that enqueued it began, and had ended when its end was seen: what all
 * commands of a device say together gives the offset between the two clocks, and
 * how wrong it can be. One pass over the session. One thread.
 *
 *	align_make(&align, &devices, session, NULL, NULL);
 *	align_place(&align, &command);        fills command->times
 *	align_free(&align);
 *
 * Each device of the session (a row of devices) has one clock, whatever number
 * of processes use it.
 */
#ifndef TANDEM_ANALYSIS_ALIGN_H
#define TANDEM_ANALYSIS_ALIGN_H

#include "analysis/commands.h"
#include "analysis/progress.h"

struct align_clock { /* of one device */
	uint64_t commands;   /* that took part */
	int64_t least, most; /* host - device, ns: at least, at most; most < least: the
				clocks drifted apart by so much */
	int64_t offset_ns;
	uint64_t bound_ns;
};

struct align {
	struct align_clock *clocks; /* by row of devices */
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int align_make(struct align *align, struct devices *devices, struct trace_session *session,
	       const struct progress *progress);

/* Fills `times` and `placed` of a command that has ended. */
void align_place(const struct align *align, struct command *command);

/* The clock of a device, or NULL where no command told anything. */
const struct align_clock *align_clock(const struct align *align, uint32_t device);

void align_free(struct align *align);

#endif
