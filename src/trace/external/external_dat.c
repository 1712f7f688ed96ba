/* SPDX-License-Identifier: MIT */
/* trace-cmd's files of version 6, as trace-cmd.dat.v6(5) describes them. (Newer
 * trace-cmd writes version 7, and converts.) Its library refuses files that are
 * whole but old; the format is simple, and what is not, the pages of the ring
 * buffer and the fields of events, libtraceevent reads. */
#include "trace/external/external_trace.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "trace/external/dat_file.h"
#include "trace/external/ring_page.h"

/* Makes the CPU's next event the one at hand. */
static void cpu_advance(struct dat_file *dat, struct dat_cpu *cpu, bool first)
{
	unsigned long long ns;
	void *data = first ? NULL : kbuffer_next_event(cpu->pages, &ns);

	while (!data && cpu->end - cpu->next >= (ptrdiff_t)dat->page_bytes) {
		/* The mapping is our own to write to. */
		bool whole = ring_page_trim((uint8_t *)(uintptr_t)cpu->next, dat->page_bytes,
					    (unsigned)tep_get_long_size(dat->tep));
		int missed;

		cpu->missed += !whole;
		if (kbuffer_load_subbuffer(cpu->pages, (void *)(uintptr_t)cpu->next))
			break;
		cpu->next += dat->page_bytes;
		missed = kbuffer_missed_events(cpu->pages);
		cpu->missed += missed > 0 ? (uint64_t)missed : missed < 0;
		data = kbuffer_read_event(cpu->pages, &ns);
	}
	cpu->done = !data;
	if (!data)
		return;
	cpu->record.ts = ns;
	cpu->record.data = data;
	cpu->record.size = kbuffer_event_size(cpu->pages);
}

/* Where it lies is the file's word. */
static bool field_lies_in(const struct tep_format_field *field, const struct tep_record *record)
{
	return field && field->offset >= 0 && field->size > 0 && field->size <= record->size &&
	       field->offset <= record->size - field->size;
}

static uint32_t number(const struct dat_kind *kind, int field, const struct tep_record *record)
{
	unsigned long long value = 0;

	if (!field_lies_in(kind->fields[field], record))
		return 0;
	tep_read_number_field(kind->fields[field], record->data, &value);
	return (uint32_t)value;
}

/* A name of 16 bytes at most, with its NUL, into the caller's 17. */
static const char *name(const struct dat_kind *kind, int field, const struct tep_record *record,
			char out[17])
{
	const struct tep_format_field *place = kind->fields[field];

	if (!field_lies_in(place, record) || place->size > 16)
		return NULL;
	dat_copy_word(out, 17, (const char *)record->data + place->offset,
		      strnlen((const char *)record->data + place->offset, (size_t)place->size));
	return out;
}

static int emit(struct dat_file *dat, const struct external_sink *sink, uint32_t cpu_number,
		const struct dat_kind *kind)
{
	const struct tep_record *record = &dat->cpus[cpu_number].record;
	struct external_event event = {.kind = kind->kind, .cpu = cpu_number, .ns = record->ts};
	char first[17], second[17];

	event.tid = number(kind, 0, record);
	switch (kind->kind) {
	case EXTERNAL_SWITCH:
		event.other_tid = number(kind, 1, record);
		event.state = external_task_state((int32_t)number(kind, 2, record));
		event.name = name(kind, 3, record, first);
		event.other_name = name(kind, 4, record, second);
		event.prio = (uint8_t)number(kind, 5, record);
		break;
	case EXTERNAL_MIGRATE:
		event.cpu_from = number(kind, 1, record);
		event.cpu_to = number(kind, 2, record);
		break;
	case EXTERNAL_FORK:
		event.other_tid = number(kind, 1, record);
		event.name = name(kind, 2, record, first);
		break;
	case EXTERNAL_TASK:
		event.name = name(kind, 1, record, first);
		break;
	case EXTERNAL_DRIVER:
		event.tid =
			(uint32_t)tep_data_pid(dat->tep, (struct tep_record *)(uintptr_t)record);
		event.format = &kind->format;
		event.data = record->data;
		event.bytes = (uint32_t)record->size;
		break;
	default:
		event.cpu_to = number(kind, 1, record);
		break;
	}
	return sink->event(sink->user, &event);
}

static int emit_lost(struct dat_file *dat, const struct external_sink *sink, uint32_t cpu_number)
{
	struct dat_cpu *cpu = &dat->cpus[cpu_number];
	struct external_event event = {.kind = EXTERNAL_LOST,
				       .cpu = cpu_number,
				       .ns = cpu->record.ts,
				       .value = (int64_t)cpu->missed};

	cpu->missed = 0;
	return sink->event(sink->user, &event);
}

static const struct dat_kind *kind_of(const struct dat_file *dat, const struct tep_record *record)
{
	int id = record->size < 8 ? -1
				  : tep_data_type(dat->tep, (struct tep_record *)(uintptr_t)record);

	for (size_t i = 0; i < dat->kind_count; i++) {
		if (dat->kinds[i].event->id == id)
			return &dat->kinds[i];
	}
	return NULL;
}

static int read_events(struct dat_file *dat, const struct external_sink *sink)
{
	const struct external_description description = {
		.tool = "trace-cmd",
		.host = dat->host,
		.release = dat->release,
		.boot_id = "",
		.clock = !strcmp(dat->clock, "mono") ? "monotonic" : dat->clock,
	};
	int status = sink->begin(sink->user, &description);

	for (uint32_t i = 0; !status && i < dat->cpu_count; i++)
		cpu_advance(dat, &dat->cpus[i], true);
	while (!status) {
		const struct dat_kind *kind;
		uint32_t next = dat->cpu_count;

		for (uint32_t i = 0; i < dat->cpu_count; i++) {
			if (!dat->cpus[i].done &&
			    (next == dat->cpu_count ||
			     dat->cpus[i].record.ts < dat->cpus[next].record.ts))
				next = i;
		}
		if (next == dat->cpu_count)
			break;
		if (dat->cpus[next].missed)
			status = emit_lost(dat, sink, next);
		kind = kind_of(dat, &dat->cpus[next].record);
		if (!status && kind)
			status = emit(dat, sink, next, kind);
		cpu_advance(dat, &dat->cpus[next], false);
	}
	return status;
}

int external_dat_read(const char *path, const struct external_sink *sink, struct error *error)
{
	struct dat_file dat = {.path = path, .error = error};
	int status = dat_file_open(&dat);

	if (!status)
		status = read_events(&dat, sink);
	dat_file_close(&dat);
	if (status == -ENOMEM)
		error_add(error, status, "%s: out of memory", path);
	return status;
}
