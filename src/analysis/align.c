#include "analysis/align.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/merge.h"
#include "util/array.h"

static int clock_of(struct align *align, uint32_t device, struct align_clock **clock)
{
	if (array_reserve(&align->clocks, &align->capacity, (size_t)device + 1,
			  sizeof(*align->clocks)))
		return -ENOMEM;
	while (align->count <= device)
		align->clocks[align->count++] =
			(struct align_clock){.least = INT64_MIN, .most = INT64_MAX};
	*clock = &align->clocks[device];
	return 0;
}

/* host - device, saturated: a damaged trace can hold any times. */
static int64_t difference(int64_t host_ns, uint64_t device_ns)
{
	int64_t result;

	if (device_ns > INT64_MAX ||
	    __builtin_sub_overflow(host_ns, (int64_t)device_ns, &result))
		return host_ns < 0 ? INT64_MIN : INT64_MIN + 1;
	return result;
}

static int align_command(struct align *align, const struct command *command)
{
	struct align_clock *clock;
	int64_t least, most;

	if (!command->timed)
		return 0;
	if (clock_of(align, command->device, &clock))
		return -ENOMEM;
	clock->commands++;
	most = difference(command->seen_ns, command->record->end);
	if (most < clock->most)
		clock->most = most;
	if (!command->call)
		return 0;
	least = difference(command->call_begin_ns, command->record->queued);
	if (least > clock->least)
		clock->least = least;
	return 0;
}

static int align_pass(struct align *align, struct commands *commands,
		      struct trace_session *session, const struct progress *progress)
{
	const struct trace_event *event;
	struct trace_merge merge;
	struct command command;
	uint64_t events = 0;
	int status = trace_merge_open(&merge, session, 0);

	if (status)
		return status;
	while ((status = trace_merge_next(&merge, &event)) > 0) {
		if (event->layout->op_offset) {
			status = commands_call(commands, event, 1);
		} else if (event->record->id == TANDEM_EVENT_operation) {
			status = commands_ended(commands, event, &command);
			if (!status)
				status = align_command(align, &command);
		} else {
			status = trace_objects_learn(&commands->devices->objects, event);
		}
		if (status < 0)
			break;
		if (++events % PROGRESS_EVENTS == 0)
			progress_tell(progress, trace_merge_read_bytes(&merge),
				      2 * session->content_bytes);
	}
	trace_merge_close(&merge);
	return status;
}

static void clock_finish(struct align_clock *clock)
{
	__extension__ typedef __int128 wide;

	if (clock->least == INT64_MIN)
		clock->least = clock->most;
	clock->offset_ns = (int64_t)(((wide)clock->least + clock->most) / 2);
	clock->bound_ns = (uint64_t)llabs(clock->most - clock->offset_ns);
}

int align_make(struct align *align, struct devices *devices, struct trace_session *session,
	       const struct progress *progress)
{
	struct commands commands;
	int status = commands_init(&commands, devices, session);

	memset(align, 0, sizeof(*align));
	if (status)
		return status;
	status = align_pass(align, &commands, session, progress);
	commands_free(&commands);
	for (size_t i = 0; i < align->count; i++)
		clock_finish(&align->clocks[i]);
	/* What was enqueued before and what is described later is known now. */
	devices->objects.gathered = status >= 0;
	if (status < 0)
		align_free(align);
	return status;
}

const struct align_clock *align_clock(const struct align *align, uint32_t device)
{
	return device < align->count && align->clocks[device].commands ? &align->clocks[device]
								       : NULL;
}

void align_place(const struct align *align, struct command *command)
{
	const struct align_clock *clock = align_clock(align, command->device);
	const struct tandem_rec_operation *record = command->record;
	struct command_times *times = &command->times;
	int64_t shift;

	command->placed = clock && command->timed;
	if (!command->placed)
		return;
	/* Where the clocks drift apart, one offset does not serve every command:
	 * this one is moved to where its own call and its own end allow. */
	shift = clock->offset_ns;
	if (command->call && shift < difference(command->call_begin_ns, record->queued))
		shift = difference(command->call_begin_ns, record->queued);
	if (shift > difference(command->seen_ns, record->end))
		shift = difference(command->seen_ns, record->end);
	times->queued_ns = (int64_t)(record->queued + (uint64_t)shift);
	times->submitted_ns = (int64_t)(record->submitted + (uint64_t)shift);
	times->start_ns = (int64_t)(record->start + (uint64_t)shift);
	times->end_ns = (int64_t)(record->end + (uint64_t)shift);
	times->bound_ns = clock->bound_ns;
	times->causal = !command->call || times->queued_ns >= command->call_begin_ns;
}

void align_free(struct align *align)
{
	free(align->clocks);
	memset(align, 0, sizeof(*align));
}
