/* SPDX-License-Identifier: MIT */
/* Commands that were ready and waited while the device ran commands of another
 * process, or of another context of the same process.
 *
 * An owner is a process on a device, or a context of a process on a device. Owners that
 * can be in each other's way are in one scope: a device's processes, or a process's
 * contexts. An owner is held up while it has commands submitted, none running, and another
 * owner of its scope has some running. Two clocks of a scope say all that is asked for, so
 * that an event takes the same time however many owners there are: one runs while anyone
 * runs (an owner that waits reads it at both ends of its wait), the other runs as many
 * times as fast as owners wait (an owner that runs reads it: how long it was in the way of
 * others). Owners whose kernels run at the same time have a part of the device each, unless there
 * is room for both (room.h): of two that would fill it, each would have been done in half of the
 * time. Kernels that leave room, and take a multiple of their time all the same, ran in turns (stretch.h).
 * Some drivers submit a command only when the device has room for it, or when it starts: it waits from
 * when it was queued, as long as none of its owner's runs. Memory grows with owners and kernels in flight.
 */
#include "analysis/findings/shared_device/shared_device.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"
#include "util/hash.h"

static int scope_find(struct share *share, uint32_t device, uint32_t process, uint32_t *index)
{
	uint64_t key = (uint64_t)device << 32 | process;
	uint64_t known = map_get(&share->scope_of, key);

	*index = (uint32_t)known;
	if (known != MAP_NONE)
		return 0;
	if (array_reserve(&share->scopes, &share->scope_capacity, share->scope_count + 1,
			  sizeof(*share->scopes)) ||
	    map_set(&share->scope_of, key, share->scope_count))
		return -ENOMEM;
	*index = (uint32_t)share->scope_count;
	share->scopes[share->scope_count++] = (struct share_scope){
		.device = device,
		.process = process,
		.since_ns = INT64_MIN,
	};
	return 0;
}

static int owner_find(struct share *share, uint32_t scope, const struct sequence_event *event,
		      uint32_t *owner)
{
	struct share_owner *made;
	struct share_scope *of = &share->scopes[scope];
	bool contexts = of->process != TRACE_NONE;
	uint64_t key = (uint64_t)scope << 32 | (contexts ? event->context : event->process);
	uint64_t known = map_get(&share->owner_of, key);

	*owner = (uint32_t)known;
	if (known != MAP_NONE)
		return 0;
	if (array_reserve(&share->owners, &share->owner_capacity, share->owner_count + 1,
			  sizeof(*share->owners)) ||
	    map_set(&share->owner_of, key, share->owner_count))
		return -ENOMEM;
	*owner = (uint32_t)share->owner_count;
	made = &share->owners[share->owner_count++];
	*made = (struct share_owner){
		.scope = scope,
		.process = event->process,
		.context = contexts ? event->context : 0,
		.next = of->first,
		.stream = event->stream,
	};
	of->first = (uint32_t)share->owner_count;
	of->owners++;
	return 0;
}

/* One whose context is not known is no other context's. */
static int place_find(struct share *share, const struct sequence_event *event,
		      const struct share_place **place)
{
	struct share_place found,
		*kept = &share->places[(event->device * 7 + event->process * 5 + event->context) %
				       SHARE_PLACES];
	const uint32_t processes[] = {TRACE_NONE, event->process};
	uint32_t scope;

	*place = kept;
	if (kept->known && kept->device == event->device && kept->process == event->process &&
	    kept->context == event->context)
		return 0;
	found = (struct share_place){
		.device = event->device,
		.process = event->process,
		.context = event->context,
		.owners = {TRACE_NONE, TRACE_NONE},
		.known = true,
	};
	for (unsigned i = 0; i < (event->context ? 2 : 1); i++) {
		if (scope_find(share, event->device, processes[i], &scope) ||
		    owner_find(share, scope, event, &found.owners[i]))
			return -ENOMEM;
	}
	*kept = found;
	return 0;
}

/* Brings the scope's clocks up to `ns`. */
static void scope_reach(struct share_scope *scope, int64_t ns)
{
	int64_t took = ns - scope->ns;

	if (took > 0 && scope->running) {
		scope->busy_ns += took;
		if (scope->running > 1)
			scope->several_ns += took;
		if (scope->taken > 1) {
			scope->beside_ns += (uint64_t)took;
			scope->divided_ns += (double)took * (1 - 1 / scope->taken);
		}
		scope->held_ns += (double)took * scope->held;
	}
	if (took > 0)
		scope->ns = ns;
}

static void scope_judge(struct share_scope *scope)
{
	bool so = scope->held && scope->running;

	if (so && scope->since_ns == INT64_MIN) {
		scope->since_ns = scope->ns;
	} else if (!so && scope->since_ns != INT64_MIN) {
		scope->lost_ns += (uint64_t)(scope->ns - scope->since_ns);
		scope->count += scope->ns > scope->since_ns;
		scope->counted_ns = scope->ns;
		if (scope->ns - scope->since_ns > scope->end_ns - scope->begin_ns) {
			scope->begin_ns = scope->since_ns;
			scope->end_ns = scope->ns;
		}
		scope->since_ns = INT64_MIN;
	}
}

static void note_change(struct share_scope *scope)
{
	scope->changes[scope->change_count++ % SHARE_CHANGES] =
		(struct share_change){scope->ns, scope->busy_ns, scope->running > 0};
}

/* The clock of those that run, as it was. */
static int64_t busy_at(const struct share_scope *scope, int64_t ns)
{
	uint64_t known = scope->change_count < SHARE_CHANGES ? scope->change_count : SHARE_CHANGES;
	int64_t busy_ns = 0;

	for (uint64_t i = 1; i <= known; i++) {
		const struct share_change *change =
			&scope->changes[(scope->change_count - i) % SHARE_CHANGES];

		busy_ns = change->busy_ns;
		if (change->ns <= ns)
			return change->runs ? busy_ns + ns - change->ns : busy_ns;
	}
	return busy_ns;
}

/* It waits since it was queued, and only now is submitted. */
static void wait_earlier(struct share *share, struct share_scope *scope, struct share_owner *owner,
			 int64_t queued_ns)
{
	int64_t from = queued_ns > owner->idle_since ? queued_ns : owner->idle_since;
	int64_t to = scope->since_ns == INT64_MIN ? scope->ns : scope->since_ns, lost_ns;

	if (!queued_ns || from >= scope->ns)
		return;
	owner->waits_since = busy_at(scope, from);
	lost_ns = scope->busy_ns - owner->waits_since;
	if (lost_ns <= 0)
		return;
	if (scope->running)
		scope->held_ns += (double)lost_ns;
	else if (scope->latest)
		share->owners[scope->latest - 1].blamed_ns += (double)lost_ns;
	if (from < scope->counted_ns)
		from = scope->counted_ns;
	if (from >= to)
		return;
	scope->lost_ns += (uint64_t)(busy_at(scope, to) - busy_at(scope, from));
	scope->count += scope->since_ns == INT64_MIN;
	scope->counted_ns = to;
	if (to - from > scope->end_ns - scope->begin_ns) {
		scope->begin_ns = from;
		scope->end_ns = to;
	}
}

static bool is_held(const struct share_owner *owner)
{
	return owner->waiting && !owner->running;
}

static double at_most_all(double room)
{
	return room > 1 ? 1 : room > 0 ? room : 0;
}

static void owner_takes(struct share_scope *scope, struct share_owner *owner, double room)
{
	scope->taken -= at_most_all(owner->room);
	owner->room += room;
	/* Nothing is left of it but what sums of such numbers have. */
	if (!owner->running)
		owner->room = 0;
	scope->taken += at_most_all(owner->room);
}

static void owner_event(struct share *share, struct share_owner *owner,
			const struct sequence_event *event, double room)
{
	struct share_scope *scope = &share->scopes[owner->scope];
	bool held = is_held(owner), running = owner->running;

	scope_reach(scope, event->ns);
	if (owner->stream == TRACE_NONE)
		owner->stream = event->stream;
	if (event->kind == SEQUENCE_SUBMITTED) {
		owner->waiting++;
	} else if (event->kind == SEQUENCE_START) {
		owner->waiting -= owner->waiting > 0;
		owner->running++;
	} else {
		owner->running -= owner->running > 0;
	}
	if (event->kind != SEQUENCE_SUBMITTED)
		owner_takes(scope, owner, event->kind == SEQUENCE_START ? room : -room);
	if (held && !is_held(owner)) {
		owner->waited_ns += (uint64_t)(scope->busy_ns - owner->waits_since);
		scope->held--;
	}
	if (running && !owner->running) {
		owner->blamed_ns += scope->held_ns - owner->runs_since;
		owner->idle_since = scope->ns;
		scope->latest = (uint32_t)(owner - share->owners) + 1;
		if (!--scope->running)
			note_change(scope);
	}
	if (!held && is_held(owner)) {
		owner->waits_since = scope->busy_ns;
		if (event->kind == SEQUENCE_SUBMITTED)
			wait_earlier(share, scope, owner, event->other_ns);
		scope->held++;
	}
	if (!running && owner->running) {
		owner->runs_since = scope->held_ns;
		if (!scope->running++)
			note_change(scope);
	}
	scope_judge(scope);
}

/* Kernels of one name that take as much of the device do the same. */
static int stretch_event(struct share_scope *scope, const struct sequence_event *event, double room)
{
	uint64_t operation = operation_key(event->process, event->op), kind = HASH_START;

	if (event->operation_kind != TANDEM_OPERATION_KIND_kernel || room >= 1)
		return 0;
	if (event->kind == SEQUENCE_START)
		return stretch_begin(&scope->stretch, operation, (uint64_t)scope->several_ns);
	if (event->kind != SEQUENCE_END)
		return 0;
	hash_string(&kind, event->name);
	hash_bytes(&kind, &room, sizeof(room));
	return stretch_end(&scope->stretch, operation, kind, event->duration_ns,
			   (uint64_t)scope->several_ns);
}

/* Kernels share what computes; copies have engines of their own. */
static double room_of(struct share *share, const struct sequence_event *event)
{
	if (event->operation_kind != TANDEM_OPERATION_KIND_kernel)
		return 0;
	return event->kind == SEQUENCE_END ? rooms_take(&share->rooms, event->process, event->op)
					   : rooms_of(&share->rooms, event->process, event->op);
}

static int note_context(struct share *share, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_event *api = event->layout->event;
	uint32_t process = event->stream->process->index;
	int64_t from_ns = event->ns;
	uint64_t until;

	if (!api->traits.context || trace_event_failed(event) || item->end_ns <= event->ns)
		return 0;
	until = map_get(&share->made_until, process);
	if (api->class == TANDEM_CLASS_CREATE && map_count(&share->made, process, 1))
		return -ENOMEM;
	/* Threads may make theirs at the same time. */
	if (until != MAP_NONE && (int64_t)until > from_ns)
		from_ns = (int64_t)until;
	if (item->end_ns <= from_ns)
		return 0;
	if (map_set(&share->made_until, process, (uint64_t)item->end_ns))
		return -ENOMEM;
	return map_count(&share->made_ns, process, (uint64_t)(item->end_ns - from_ns));
}

static int share_item(struct findings *findings, void *state, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct share *share = state;

	if (item->kind == ITEM_OTHER)
		return launch_configs_learn(&share->rooms.configs, item->event);
	if (item->kind == ITEM_CALL)
		return note_context(share, item);
	if (item->kind != ITEM_OPERATION || !operation->placed ||
	    operation->kind != TANDEM_OPERATION_KIND_kernel)
		return 0;
	return rooms_keep(
		&share->rooms, operation,
		room_taken(&share->rooms.configs, &findings->iterator->devices, operation));
}

static int share_event(struct findings *findings, void *state, const struct sequence_event *event)
{
	struct share *share = state;
	const struct share_place *place;
	double room = room_of(share, event);

	(void)findings;
	if (place_find(share, event, &place))
		return -ENOMEM;
	for (unsigned i = 0; i < 2 && place->owners[i] != TRACE_NONE; i++) {
		struct share_owner *owner = &share->owners[place->owners[i]];

		owner_event(share, owner, event, room);
		if (stretch_event(&share->scopes[owner->scope], event, room))
			return -ENOMEM;
	}
	return 0;
}

static int share_end(struct findings *findings, void *state)
{
	return share_say(findings, state);
}

static void share_release(struct findings *findings, void *state)
{
	struct share *share = state;

	(void)findings;
	for (size_t i = 0; i < share->scope_count; i++)
		stretch_free(&share->scopes[i].stretch);
	free(share->scopes);
	free(share->owners);
	map_free(&share->scope_of);
	map_free(&share->owner_of);
	rooms_free(&share->rooms);
	map_free(&share->made);
	map_free(&share->made_ns);
	map_free(&share->made_until);
}

const struct finding_ops finding_shared_device = {
	.name = "shared-device",
	.words = "commands that waited for those of another process or context",
	.state_bytes = sizeof(struct share),
	.item = share_item,
	.event = share_event,
	.events = 1u << SEQUENCE_SUBMITTED | 1u << SEQUENCE_START | 1u << SEQUENCE_END,
	.end = share_end,
	.release = share_release,
};
