/* SPDX-License-Identifier: MIT */
#include "analysis/clocksync/clock_sync.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/domain.h"
#include "util/array.h"

/* Constraints nearer to each other than this say the same, within what clocks
 * drift apart in that time: 0.1 us at worst, of which nothing is lost for good,
 * as the next moment has its own. */
#define MOMENT_NS 100000

void clock_sync_init(struct clock_sync *clock_sync, const struct trace_session *session)
{
	memset(clock_sync, 0, sizeof(*clock_sync));
	clock_sync->host_error_ns = session->clock.error_ns;
}

static int clock_make(struct clock_sync *clock_sync, const struct devices *devices, uint32_t device,
		      struct clock_sync_clock **clock)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;

	if (array_reserve(&clock_sync->clocks, &clock_sync->capacity, (size_t)device + 1,
			  sizeof(*clock_sync->clocks)))
		return -ENOMEM;
	while (clock_sync->count <= device)
		clock_sync->clocks[clock_sync->count++] = (struct clock_sync_clock){.fit = NULL};
	*clock = &clock_sync->clocks[device];
	if (devices->rows[device].timer_ns > options.resolution_ns)
		options.resolution_ns = devices->rows[device].timer_ns;
	if (clock_sync->host_error_ns > options.host_error_ns)
		options.host_error_ns = clock_sync->host_error_ns;
	if (clockfit_create(&(*clock)->fit, CLOCKFIT_STREAM, &options) ||
	    clockfit_create(&(*clock)->sharp, CLOCKFIT_STREAM, &options))
		return -ENOMEM;
	return 0;
}

static inline int clock_of(struct clock_sync *clock_sync, const struct devices *devices,
			   uint32_t device, struct clock_sync_clock **clock)
{
	if (device >= clock_sync->count || !clock_sync->clocks[device].fit)
		return clock_make(clock_sync, devices, device, clock);
	*clock = &clock_sync->clocks[device];
	return 0;
}

static bool is_lower(const struct clock_sync_clock *clock, const struct clock_sync_moment *moment)
{
	return moment == &clock->lower || moment == &clock->read_after;
}

static int fit_add(struct clockfit *fit, bool lower, const struct clock_sync_moment *moment)
{
	return lower ? clockfit_add_lower(fit, moment->device_ns, moment->host_ns)
		     : clockfit_add_upper(fit, moment->device_ns, moment->host_ns);
}

/* Times that no clock shows are left out: a damaged trace can hold any. */
static int constraint_add(struct clock_sync_clock *clock, const struct clock_sync_moment *moment)
{
	bool lower = is_lower(clock, moment);
	int status = 0;

	if (moment == &clock->lower || moment == &clock->upper)
		status = fit_add(clock->fit, lower, moment);
	if (!status)
		status = fit_add(clock->sharp, lower, moment);
	return status == -ERANGE ? 0 : status;
}

static int moment_end(struct clock_sync_clock *clock, struct clock_sync_moment *moment)
{
	int status = moment->any ? constraint_add(clock, moment) : 0;

	moment->any = false;
	return status;
}

/* A constraint of another moment than the one before. */
static int moment_begin(struct clock_sync_clock *clock, struct clock_sync_moment *moment,
			int64_t device_ns, int64_t host_ns)
{
	if (moment_end(clock, moment))
		return -ENOMEM;
	*moment =
		(struct clock_sync_moment){host_ns - host_ns % MOMENT_NS, device_ns, host_ns, true};
	return 0;
}

/* Of a moment's lower constraints the one with the lowest device time says most: no
 * more can have been shown by then; of its upper ones the one with the highest.
 * device_ns >= 0. */
static inline int moment_add(struct clock_sync_clock *clock, struct clock_sync_moment *moment,
			     int64_t device_ns, int64_t host_ns)
{
	uint64_t into = (uint64_t)host_ns - (uint64_t)moment->begin_ns;
	int side = is_lower(clock, moment) ? 1 : -1;

	if (!moment->any || into >= MOMENT_NS)
		return moment_begin(clock, moment, device_ns, host_ns);
	if (side * (device_ns - moment->device_ns) < side * (host_ns - moment->host_ns)) {
		moment->device_ns = device_ns;
		moment->host_ns = host_ns;
	}
	return 0;
}

static inline int add_device_clock(struct clock_sync *clock_sync, const struct devices *devices,
				   const struct operation *operation)
{
	const struct tandem_rec_operation *record = operation->record;
	struct clock_sync_clock *clock;
	int status;

	if (record->end > INT64_MAX || record->queued > INT64_MAX || record->start > record->end)
		return 0;
	status = clock_of(clock_sync, devices, operation->device, &clock);
	if (!status)
		status = moment_add(clock, &clock->upper, (int64_t)record->end, operation->seen_ns);
	if (status || !operation->call || record->queued > record->end)
		return status;
	status =
		moment_add(clock, &clock->lower, (int64_t)record->queued, operation->call_begin_ns);
	/* A call that waited for its command says nothing by returning that the
	 * command's end has not said. */
	if (!status && operation->device_times.waits && operation->call_end_ns &&
	    operation->call_end_ns < operation->seen_ns)
		status = moment_add(clock, &clock->returned, (int64_t)record->queued,
				    operation->call_end_ns);
	return status;
}

/* Times that come on the session's clock: how far off these can be is what the calls
 * say. An operation starts after its call began and ends before the first wait for it
 * returned, a synchronous copy to the host before its own call did. */
static int add_host_clock(struct clock_sync *clock_sync, const struct devices *devices,
			  const struct operation *operation)
{
	const struct trace_operation_times *times = &operation->device_times;
	int64_t seen_ns = operation->seen_ns;
	struct clock_sync_clock *clock;
	int status;

	if (!operation->call || !operation->call_end_ns || operation->further ||
	    times->end > INT64_MAX || times->start > times->end)
		return 0;
	if (operation->synchronous && operation->kind == TANDEM_OPERATION_KIND_copy_d2h)
		seen_ns = operation->call_end_ns;
	else
		wait_returns_find(&clock_sync->wait_returns, operation->process,
				  operation->queue_number, operation->call_end_ns, &seen_ns);
	status = clock_of(clock_sync, devices, operation->device, &clock);
	if (status)
		return status;
	clock->on_host = true;
	status = moment_add(clock, &clock->upper, (int64_t)times->end, seen_ns);
	return status ? status
		      : moment_add(clock, &clock->lower, (int64_t)times->start,
				   operation->call_begin_ns);
}

int clock_sync_operation(struct clock_sync *clock_sync, const struct devices *devices,
			 const struct operation *operation)
{
	if (!operation->record->time_domain)
		return 0;
	if (!operation->on_host)
		return add_device_clock(clock_sync, devices, operation);
	return clock_sync->host_bounds ? add_host_clock(clock_sync, devices, operation) : 0;
}

/* How many devices of the call's runtime its process knows. */
static size_t devices_known(const struct devices *devices, const struct trace_event *event)
{
	const struct tandem_domain_row *row =
		trace_session_event_domain(devices->session, event->layout->event);
	const struct trace_objects *objects = &devices->objects;
	size_t count = 0;

	for (size_t i = 0; i < objects->device_count; i++)
		count += objects->devices[i].process == event->stream->process->index &&
			 !strcmp(trace_session_domain(devices->session, objects->devices[i].domain)
					 ->name,
				 row->part);
	return count;
}

int clock_sync_wait(struct clock_sync *clock_sync, const struct devices *devices,
		    const struct trace_event *event)
{
	bool one_device = event->layout->event->traits.wait == TANDEM_WAIT_device &&
			  devices_known(devices, event) == 1;

	return clock_sync->host_bounds
		       ? wait_returns_call(&clock_sync->wait_returns, event, one_device)
		       : 0;
}

/* A driver that stamps "queued" after the call has returned, or whose timer is not the
 * clock of its commands, shows itself by what no line agrees with. (One that is off by
 * the same time always can't be told.) */
static void choose_fit(struct clock_sync_clock *clock)
{
	struct clockfit *unused = clock->sharp;
	size_t sharp_count, plain_count;

	clockfit_lines(clock->sharp, &sharp_count);
	clockfit_lines(clock->fit, &plain_count);
	if ((sharp_count <= plain_count || !plain_count) &&
	    clockfit_stats(clock->sharp).outliers <= clockfit_stats(clock->fit).outliers) {
		unused = clock->fit;
		clock->fit = clock->sharp;
	}
	clockfit_destroy(unused);
	clock->sharp = NULL;
}

static int clock_finish(struct clock_sync_clock *clock)
{
	struct clock_sync_moment *moments[] = {&clock->lower, &clock->upper, &clock->returned,
					       &clock->read_after, &clock->read_before};
	int status = 0;

	for (size_t i = 0; !status && i < sizeof(moments) / sizeof(*moments); i++)
		status = moment_end(clock, moments[i]);
	if (!status)
		status = clockfit_finish(clock->fit);
	if (!status)
		status = clockfit_finish(clock->sharp);
	if (!status)
		choose_fit(clock);
	return status;
}

int clock_sync_pair(struct clock_sync *clock_sync, struct devices *devices,
		    const struct trace_event *event)
{
	const struct tandem_rec_clock_pair *record = (const void *)event->record;
	struct trace_clock *host = &devices->session->clock;
	struct clock_sync_clock *clock;
	uint32_t device;
	int status;

	if (record->device_ns > INT64_MAX || record->begin > record->until)
		return 0;
	status = devices_of_number(devices, event, record->device, record->domain, &device);
	if (!status)
		status = clock_of(clock_sync, devices, device, &clock);
	if (!status)
		status = moment_add(clock, &clock->read_after, (int64_t)record->device_ns,
				    trace_clock_ns(host, record->begin));
	if (!status)
		status = moment_add(clock, &clock->read_before, (int64_t)record->device_ns,
				    trace_clock_ns(host, record->until));
	return status;
}

int clock_sync_finish(struct clock_sync *clock_sync)
{
	int status = 0;

	for (size_t i = 0; !status && i < clock_sync->count; i++)
		if (clock_sync->clocks[i].fit)
			status = clock_finish(&clock_sync->clocks[i]);
	return status;
}

const struct clockfit *clock_sync_clock(const struct clock_sync *clock_sync, uint32_t device)
{
	return device < clock_sync->count ? clock_sync->clocks[device].fit : NULL;
}

bool clock_sync_is_on_host(const struct clock_sync *clock_sync, uint32_t device)
{
	return device < clock_sync->count && clock_sync->clocks[device].on_host;
}

struct place { /* of one device time */
	int64_t host_ns;
	uint64_t bound_ns;
	bool fits;
};

static bool place_find(struct clockfit *fit, const struct operation *operation, uint64_t device_ns,
		       struct place *place)
{
	int64_t after_ns = operation->call ? operation->call_begin_ns : INT64_MIN;
	int status = device_ns > INT64_MAX
			     ? -ERANGE
			     : clockfit_to_host_within(fit, (int64_t)device_ns, after_ns,
						       operation->seen_ns, &place->host_ns,
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
static void place_together(struct operation *operation, const struct place *start,
			   const struct place *end)
{
	const struct tandem_rec_operation *record = operation->record;
	struct operation_times *times = &operation->times;
	int64_t first = start->host_ns - (int64_t)record->start;
	int64_t shift = first + (end->host_ns - (int64_t)record->end - first) / 2;

	shift = between(shift,
			operation->call ? operation->call_begin_ns - (int64_t)record->queued
					: INT64_MIN,
			operation->seen_ns - (int64_t)record->end);
	times->queued_ns = (int64_t)record->queued + shift;
	times->submitted_ns = (int64_t)record->submitted + shift;
	times->start_ns = (int64_t)record->start + shift;
	times->end_ns = (int64_t)record->end + shift;
}

/* Where the runtime does not say when an operation was queued and submitted, both are
 * in the call. */
static void place_in_call(struct operation *operation)
{
	struct operation_times *times = &operation->times;

	if (operation->device_times.waits || !operation->call || operation->further ||
	    operation->call_begin_ns > times->start_ns)
		return;
	times->queued_ns = operation->call_begin_ns;
	times->submitted_ns = operation->call_begin_ns;
}

static bool in_order(const struct tandem_rec_operation *record)
{
	return record->queued <= record->submitted && record->submitted <= record->start &&
	       record->start <= record->end;
}

static void place_on_host(const struct clock_sync *clock_sync, struct operation *operation)
{
	const struct tandem_rec_operation *record = operation->record;

	operation->placed = operation->timed && record->end <= INT64_MAX;
	if (!operation->placed)
		return;
	operation->times = (struct operation_times){
		.queued_ns = (int64_t)record->queued,
		.submitted_ns = (int64_t)record->submitted,
		.start_ns = (int64_t)record->start,
		.end_ns = (int64_t)record->end,
		.bound_ns = clock_sync->host_error_ns,
		.causal =
			(!operation->call || (int64_t)record->start >= operation->call_begin_ns) &&
			(int64_t)record->end <= operation->seen_ns,
	};
}

void clock_sync_place(const struct clock_sync *clock_sync, struct operation *operation)
{
	struct clockfit *fit = operation->device < clock_sync->count
				       ? clock_sync->clocks[operation->device].fit
				       : NULL;
	const struct tandem_rec_operation *record = operation->record;
	struct operation_times *times = &operation->times;
	struct place queued, submitted, start, end;
	uint64_t apart, known;

	if (operation->on_host) {
		place_on_host(clock_sync, operation);
		return;
	}
	operation->placed = false;
	if (!fit || !operation->timed || !place_find(fit, operation, record->start, &start) ||
	    !place_find(fit, operation, record->end, &end))
		return;
	if (!place_find(fit, operation, record->queued, &queued))
		queued = start;
	operation->placed = true;
	times->causal = queued.fits && start.fits && end.fits;
	times->bound_ns = start.bound_ns > end.bound_ns ? start.bound_ns : end.bound_ns;
	apart = (uint64_t)llabs((end.host_ns - start.host_ns) -
				(int64_t)(record->end - record->start));
	known = times->bound_ns > UINT64_MAX / 2 ? UINT64_MAX : 2 * times->bound_ns;
	if (times->causal && in_order(record) && apart <= known) {
		place_together(operation, &start, &end);
		place_in_call(operation);
		return;
	}
	if (!place_find(fit, operation, record->submitted, &submitted))
		submitted = start;
	times->queued_ns = queued.host_ns;
	times->submitted_ns = submitted.host_ns;
	times->start_ns = start.host_ns;
	times->end_ns = end.host_ns < start.host_ns ? start.host_ns : end.host_ns;
	place_in_call(operation);
}

uint64_t clock_sync_bound_ns(const struct clock_sync *clock_sync, uint32_t device)
{
	const struct clockfit *fit = clock_sync_clock(clock_sync, device);
	const struct clockfit_line *segments;
	uint64_t bound_ns = 0;
	size_t count = 0;

	segments = fit ? clockfit_lines(fit, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (segments[i].bound_ns > bound_ns)
			bound_ns = segments[i].bound_ns;
	return bound_ns;
}

void clock_sync_free(struct clock_sync *clock_sync)
{
	for (size_t i = 0; i < clock_sync->count; i++) {
		clockfit_destroy(clock_sync->clocks[i].fit);
		clockfit_destroy(clock_sync->clocks[i].sharp);
	}
	free(clock_sync->clocks);
	wait_returns_free(&clock_sync->wait_returns);
	memset(clock_sync, 0, sizeof(*clock_sync));
}
