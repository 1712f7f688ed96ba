/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/event_moments.h"

#include <stddef.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "schema/record.h"

static void move_at(uint8_t *at, struct hosts *hosts, size_t host)
{
	uint64_t ns;

	memcpy(&ns, at, sizeof(ns));
	if (!ns) /* there is none */
		return;
	ns = hosts_use(hosts, host, ns);
	memcpy(at, &ns, sizeof(ns));
}

/* Of the device's own clock, which is fitted later, or of the host's. */
static void operation_move(uint8_t *bytes, struct hosts *hosts, size_t host)
{
	static const size_t times[] = {offsetof(struct tandem_rec_operation, queued),
				       offsetof(struct tandem_rec_operation, submitted),
				       offsetof(struct tandem_rec_operation, start),
				       offsetof(struct tandem_rec_operation, end)};
	const size_t head = sizeof(struct tandem_record);

	if (bytes[offsetof(struct tandem_rec_operation, time_domain) - head] !=
	    TANDEM_TIME_DOMAIN_session_ticks)
		return;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		move_at(bytes + times[i] - head, hosts, host);
}

/* What all records call a moment of the session's clock (src/schema/events). */
static bool is_moment(const struct tandem_field *field)
{
	static const char *const names[] = {"begin", "end", "until"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (field->bytes == sizeof(uint64_t) && !strcmp(field->name, names[i]))
			return true;
	return false;
}

static void thread_move(uint8_t *at, size_t host)
{
	uint32_t tid;

	memcpy(&tid, at, sizeof(tid));
	tid = hosts_id(host, tid);
	memcpy(at, &tid, sizeof(tid));
}

void event_moments_move(const struct event_plan *plan, uint8_t *bytes, struct hosts *hosts,
			size_t host)
{
	const struct tandem_layout *layout = &plan->event->layout[plan->level];

	if (!host || plan->half != EVENT_RECORD)
		return;
	if (plan->event->id == TANDEM_EVENT_operation) {
		operation_move(bytes, hosts, host);
		return;
	}
	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];
		uint8_t *at = bytes + field->offset - sizeof(struct tandem_record);

		if (field->variable)
			continue;
		if (is_moment(field))
			move_at(at, hosts, host);
		else if (field->bytes == sizeof(uint32_t) && !strcmp(field->name, "tid"))
			thread_move(at, host);
	}
}
