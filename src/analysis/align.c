#include "analysis/align.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/merge.h"
#include "util/array.h"

static int clock_of(struct align *align, const struct devices *devices, uint32_t device,
		    struct clockfit **fit)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;

	if (array_reserve(&align->fits, &align->capacity, (size_t)device + 1,
			  sizeof(*align->fits)))
		return -ENOMEM;
	while (align->count <= device)
		align->fits[align->count++] = NULL;
	if (!align->fits[device]) {
		if (devices->rows[device].timer_ns > options.resolution_ns)
			options.resolution_ns = devices->rows[device].timer_ns;
		if (clockfit_create(&align->fits[device], CLOCKFIT_STREAM, &options))
			return -ENOMEM;
	}
	*fit = align->fits[device];
	return 0;
}

/* Times that no clock shows are left out: a damaged trace can hold any. */
static int align_command(struct align *align, const struct devices *devices,
			 const struct command *command)
{
	const struct tandem_rec_operation *record = command->record;
	struct clockfit *fit;
	int status;

	if (!command->timed || record->end > INT64_MAX || record->queued > INT64_MAX)
		return 0;
	if (clock_of(align, devices, command->device, &fit))
		return -ENOMEM;
	status = clockfit_add_upper(fit, (int64_t)record->end, command->seen_ns);
	if ((!status || status == -ERANGE) && command->call && record->queued <= record->end)
		status = clockfit_add_lower(fit, (int64_t)record->queued,
					    command->call_begin_ns);
	return status == -ERANGE ? 0 : status;
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
				status = align_command(align, commands->devices, &command);
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
	for (size_t i = 0; !status && i < align->count; i++)
		status = align->fits[i] ? clockfit_finish(align->fits[i]) : 0;
	if (status)
		align_free(align);
	return status;
}

const struct clockfit *align_clock(const struct align *align, uint32_t device)
{
	return device < align->count ? align->fits[device] : NULL;
}

struct place { /* of one device time */
	int64_t host_ns;
	uint64_t bound_ns;
	bool fits;
};

static bool place_find(struct clockfit *fit, const struct command *command, uint64_t device_ns,
		       struct place *place)
{
	int64_t after_ns = command->call ? command->call_begin_ns : INT64_MIN;
	int status = device_ns > INT64_MAX
			     ? -ERANGE
			     : clockfit_to_host_within(fit, (int64_t)device_ns, after_ns,
						       command->seen_ns, &place->host_ns,
						       &place->bound_ns);

	place->fits = !status;
	return !status || status == -EDOM;
}

static int64_t between(int64_t value, int64_t least, int64_t most)
{
	if (least > most)
		return value;
	return value < least ? least : value > most ? most : value;
}

/* As long as the clocks cannot have drifted apart during the command by more than
 * is known of them, its times are moved together: then each is as far from the
 * others as the device says. */
static void place_together(struct command *command, const struct place *start,
			   const struct place *end)
{
	const struct tandem_rec_operation *record = command->record;
	struct command_times *times = &command->times;
	int64_t first = start->host_ns - (int64_t)record->start;
	int64_t shift = first + (end->host_ns - (int64_t)record->end - first) / 2;

	shift = between(shift,
			command->call ? command->call_begin_ns - (int64_t)record->queued
				      : INT64_MIN,
			command->seen_ns - (int64_t)record->end);
	times->queued_ns = (int64_t)record->queued + shift;
	times->submitted_ns = (int64_t)record->submitted + shift;
	times->start_ns = (int64_t)record->start + shift;
	times->end_ns = (int64_t)record->end + shift;
}

static bool in_order(const struct tandem_rec_operation *record)
{
	return record->queued <= record->submitted && record->submitted <= record->start &&
	       record->start <= record->end;
}

void align_place(const struct align *align, struct command *command)
{
	struct clockfit *fit = command->device < align->count ? align->fits[command->device]
							      : NULL;
	const struct tandem_rec_operation *record = command->record;
	struct command_times *times = &command->times;
	struct place queued, submitted, start, end;
	uint64_t apart, known;

	command->placed = false;
	if (!fit || !command->timed || !place_find(fit, command, record->start, &start) ||
	    !place_find(fit, command, record->end, &end))
		return;
	if (!place_find(fit, command, record->queued, &queued))
		queued = start;
	if (!place_find(fit, command, record->submitted, &submitted))
		submitted = start;
	command->placed = true;
	times->causal = queued.fits && start.fits && end.fits;
	times->bound_ns = start.bound_ns > end.bound_ns ? start.bound_ns : end.bound_ns;
	apart = (uint64_t)llabs((end.host_ns - start.host_ns) -
				(int64_t)(record->end - record->start));
	known = times->bound_ns > UINT64_MAX / 2 ? UINT64_MAX : 2 * times->bound_ns;
	if (times->causal && in_order(record) && apart <= known) {
		place_together(command, &start, &end);
		return;
	}
	times->queued_ns = queued.host_ns;
	times->submitted_ns = submitted.host_ns;
	times->start_ns = start.host_ns;
	times->end_ns = end.host_ns < start.host_ns ? start.host_ns : end.host_ns;
}

void align_free(struct align *align)
{
	for (size_t i = 0; i < align->count; i++)
		clockfit_destroy(align->fits[i]);
	free(align->fits);
	memset(align, 0, sizeof(*align));
}
