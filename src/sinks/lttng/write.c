/* SPDX-License-Identifier: MIT */
#include "sinks/lttng/write.h"

#include <string.h>

#include <lttng/tracepoint.h>
#include <lttng/ust-events.h>
#include <lttng/ust-ringbuffer-context.h>

#define FIELDS_MOST 256u
#define SLOT (2 * sizeof(unsigned long)) /* of a field on the filter's stack */

static uint64_t field_value(const uint8_t *at, unsigned bits, bool is_signed)
{
	uint8_t value8;
	uint16_t value16;
	uint32_t value32;
	uint64_t value64;

	switch (bits) {
	case 8:
		memcpy(&value8, at, sizeof(value8));
		return is_signed ? (uint64_t)(int8_t)value8 : value8;
	case 16:
		memcpy(&value16, at, sizeof(value16));
		return is_signed ? (uint64_t)(int16_t)value16 : value16;
	case 32:
		memcpy(&value32, at, sizeof(value32));
		return is_signed ? (uint64_t)(int32_t)value32 : value32;
	default:
		memcpy(&value64, at, sizeof(value64));
		return value64;
	}
}

static const struct lttng_ust_type_integer *integer_of(const struct lttng_ust_type_common *type)
{
	if (type->type == lttng_ust_type_enum)
		type = ((const struct lttng_ust_type_enum *)type)->container_type;
	return (const struct lttng_ust_type_integer *)type;
}

/* What LTTng's filters and captures read: a value of 8 bytes for each field, a length and
 * an address for each sequence. False: the event is not as it says. */
static bool stack_fill(uint8_t *stack, const struct lttng_event *event, const uint8_t *bytes,
		       size_t count)
{
	const uint8_t *at = bytes, *end = bytes + count;
	unsigned long lengths[FIELDS_MOST];
	uint32_t first_length = 0, length_count = 0;

	if (event->field_count > FIELDS_MOST)
		return false;
	for (uint32_t i = 0; i < event->field_count; i++) {
		const struct lttng_ust_type_common *type = event->fields[i]->type;
		const struct lttng_ust_type_sequence *sequence =
			(const struct lttng_ust_type_sequence *)type;
		size_t size;

		if (type->type == lttng_ust_type_sequence) {
			unsigned long length = lengths[first_length++];

			size = length * (integer_of(sequence->elem_type)->size / 8);
			if ((size_t)(end - at) < size)
				return false;
			memcpy(stack, &length, sizeof(length));
			memcpy(stack + sizeof(length), &at, sizeof(at));
			stack += SLOT;
		} else if (type->type == lttng_ust_type_float) {
			size = sizeof(double);
			if ((size_t)(end - at) < size)
				return false;
			memcpy(stack, at, size);
			stack += size;
		} else {
			const struct lttng_ust_type_integer *integer = integer_of(type);
			uint64_t value;

			size = integer->size / 8;
			if ((size_t)(end - at) < size)
				return false;
			value = field_value(at, integer->size, integer->signedness);
			memcpy(stack, &value, sizeof(value));
			stack += sizeof(value);
			/* Lengths are in the order of their sequences, which come last. */
			if (event->fields[i]->name[0] == '_')
				lengths[length_count++] = (unsigned long)value;
		}
		at += size;
	}
	return true;
}

/* Its filters, of which each sees the event as it is. */
static __attribute__((noinline)) bool is_accepted(struct lttng_ust_event_common *common,
						  const struct lttng_event *event,
						  const void *bytes, size_t count,
						  struct lttng_ust_probe_ctx *probe)
{
	uint8_t stack[FIELDS_MOST * SLOT];

	return stack_fill(stack, event, bytes, count) &&
	       common->run_filter(common, (const char *)stack, probe, NULL) ==
		       LTTNG_UST_EVENT_FILTER_ACCEPT;
}

/* A trigger's, with what it captures. */
static __attribute__((noinline)) void notify(struct lttng_ust_event_notifier *to,
					     const struct lttng_event *event, const void *bytes,
					     size_t count, struct lttng_ust_probe_ctx *probe)
{
	struct lttng_ust_notification_ctx context = {
		.struct_size = sizeof(context),
		.eval_capture = __atomic_load_n(&to->eval_capture, __ATOMIC_RELAXED)};
	uint8_t stack[FIELDS_MOST * SLOT];

	if (!context.eval_capture || stack_fill(stack, event, bytes, count))
		to->notification_send(to, (const char *)stack, probe, &context);
}

/* As LTTng-UST's own probes (lttng/ust-tracepoint-event.h, stage 5); what is not the rule is out of
 * the way, with its 4 KB of stack. */
void lttng_write(void *session_event, const struct lttng_event *event, const void *bytes,
		 size_t count)
{
	struct lttng_ust_event_common *common = session_event;
	struct lttng_ust_event_recorder *to = NULL;
	struct lttng_ust_probe_ctx probe = {.struct_size = sizeof(probe)};
	struct lttng_ust_ring_buffer_ctx context;

	if (common->type == LTTNG_UST_EVENT_TYPE_RECORDER) {
		struct lttng_ust_channel_common *channel;

		to = common->child;
		channel = to->chan->parent;
		if (!__atomic_load_n(&channel->session->active, __ATOMIC_RELAXED) ||
		    !__atomic_load_n(&channel->enabled, __ATOMIC_RELAXED))
			return;
	}
	if (!__atomic_load_n(&common->enabled, __ATOMIC_RELAXED))
		return;
	probe.ip = __builtin_return_address(0);
	if (__atomic_load_n(&common->eval_filter, __ATOMIC_RELAXED) &&
	    !is_accepted(common, event, bytes, count, &probe))
		return;
	if (!to) {
		if (common->type == LTTNG_UST_EVENT_TYPE_NOTIFIER)
			notify(common->child, event, bytes, count, &probe);
		return;
	}
	lttng_ust_ring_buffer_ctx_init(&context, to, count, 1, &probe);
	if (to->chan->ops->event_reserve(&context) < 0)
		return;
	if (count)
		to->chan->ops->event_write(&context, bytes, count, 1);
	to->chan->ops->event_commit(&context);
}
