/* SPDX-License-Identifier: MIT */
#include "trace/external/external_ctf_event.h"

#include <string.h>

#include "trace/external/ctf_value.h"
#include "trace/external/external_trace.h"
#include "util/hash.h"

static uint32_t number(const bt_event *event, const char *name)
{
	int64_t value = 0;

	ctf_member_number(bt_event_borrow_payload_field_const(event), name, &value);
	return (uint32_t)value;
}

/* A string, or the array of characters that LTTng makes of a thread's name. */
static const char *string(const bt_event *event, const char *name, char room[17])
{
	const bt_field *field = ctf_member(bt_event_borrow_payload_field_const(event), name);

	return field ? ctf_string(field, room, 17) : NULL;
}

/* The context of an event has the thread where the user has asked for it. */
static uint32_t context_tid(const bt_event *event)
{
	int64_t tid = 0;

	if (!ctf_member_number(bt_event_borrow_common_context_field_const(event), "tid", &tid))
		ctf_member_number(bt_event_borrow_specific_context_field_const(event), "tid", &tid);
	return (uint32_t)tid;
}

static bool starts(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool decode_scheduling(struct external_event *to, const bt_event *event, const char *name,
			      struct external_ctf_names *names)
{
	if (!strcmp(name, "sched_switch")) {
		to->kind = EXTERNAL_SWITCH;
		to->tid = number(event, "prev_tid");
		to->other_tid = number(event, "next_tid");
		to->state = external_task_state((int32_t)number(event, "prev_state"));
		to->prio = (uint8_t)number(event, "prev_prio");
		to->other_prio = (uint8_t)number(event, "next_prio");
		to->name = string(event, "prev_comm", names->first);
		to->other_name = string(event, "next_comm", names->second);
	} else if (!strcmp(name, "sched_waking") || !strcmp(name, "sched_wakeup") ||
		   !strcmp(name, "sched_wakeup_new")) {
		to->kind = !strcmp(name, "sched_waking")   ? EXTERNAL_WAKING
			   : !strcmp(name, "sched_wakeup") ? EXTERNAL_WAKEUP
							   : EXTERNAL_WAKEUP_NEW;
		to->tid = number(event, "tid");
		to->cpu_to = number(event, "target_cpu");
	} else if (!strcmp(name, "sched_migrate_task")) {
		to->kind = EXTERNAL_MIGRATE;
		to->tid = number(event, "tid");
		to->cpu_from = number(event, "orig_cpu");
		to->cpu_to = number(event, "dest_cpu");
	} else if (!strcmp(name, "sched_process_fork")) {
		to->kind = EXTERNAL_FORK;
		to->tid = number(event, "child_tid");
		to->pid = number(event, "child_pid");
		to->other_tid = number(event, "parent_tid");
		to->name = string(event, "child_comm", names->first);
	} else if (!strcmp(name, "sched_process_exit")) {
		to->kind = EXTERNAL_EXIT;
		to->tid = number(event, "tid");
	} else if (!strcmp(name, "lttng_statedump_process_state")) {
		to->kind = EXTERNAL_TASK;
		to->tid = number(event, "tid");
		to->pid = number(event, "pid");
		to->name = string(event, "name", names->first);
	} else {
		return false;
	}
	return true;
}

static bool decode_syscall(struct external_event *to, const bt_event *event, const char *name)
{
	int64_t value = 0;

	if (starts(name, "syscall_entry_") || starts(name, "sys_")) {
		/* sys_: until LTTng 2.5. */
		to->kind = EXTERNAL_ENTRY;
		to->name = name + strlen(starts(name, "sys_") ? "sys_" : "syscall_entry_");
	} else if (starts(name, "syscall_exit_") || !strcmp(name, "exit_syscall")) {
		to->kind = EXTERNAL_LEAVE;
		to->name = starts(name, "syscall_exit_") ? name + strlen("syscall_exit_") : "any";
		ctf_member_number(bt_event_borrow_payload_field_const(event), "ret", &value);
		to->value = value;
	} else {
		return false;
	}
	to->tid = context_tid(event);
	return true;
}

/* The chosen option of a variant; others as they are. */
static const bt_field *chosen(const bt_field *field)
{
	if (field &&
	    bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_VARIANT))
		return bt_field_variant_borrow_selected_option_field_const(field);
	return field;
}

/* What a TCP segment has of its own, on both sides: the checksum is made by the sender's
 * card, and large segments are divided and joined on the way. */
static bool segment_key(const bt_field *segment, int64_t *key)
{
	static const char *const members[] = {"source_port", "dest_port", "seq", "ack_seq"};
	uint64_t hash = HASH_START;
	unsigned found = 0;

	for (unsigned i = 0; i < sizeof(members) / sizeof(*members); i++) {
		int64_t value = 0;

		/* inet_sock_local_* of older modules has no ports. */
		found += ctf_member_number(segment, members[i], &value) && i > 1;
		hash_bytes(&hash, &value, sizeof(value));
	}
	*key = (int64_t)hash;
	return found == 2;
}

/* net_dev_queue and net_if_receive_skb of lttng-modules since 2.10 have the headers. */
static bool decode_message(struct external_event *to, const bt_event *event, const char *name)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	bool sent = !strcmp(name, "net_dev_queue") || !strcmp(name, "inet_sock_local_out");

	if (!sent && strcmp(name, "net_if_receive_skb") && strcmp(name, "inet_sock_local_in"))
		return false;
	to->kind = sent ? EXTERNAL_SENT : EXTERNAL_RECEIVED;
	if (starts(name, "net_"))
		payload = chosen(ctf_member(chosen(ctf_member(payload, "network_header")),
					    "transport_header"));
	return payload && segment_key(payload, &to->value);
}

bool external_ctf_event(struct external_event *to, const bt_event *event,
			struct external_ctf_names *names, bool messages)
{
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));

	return name &&
	       (decode_scheduling(to, event, name, names) || decode_syscall(to, event, name) ||
		(messages && decode_message(to, event, name)));
}
