/* SPDX-License-Identifier: MIT */
#include "synthetic.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/packet.h"
#include "schema/control.h"
#include "schema/gen/core_records.h"
#include "schema/schema.h"
#include "schema/tsdl.h"

#define START_REALTIME_NS UINT64_C(1795000000000000000)
#define ALIGNED(bytes) (((bytes) + 7u) & ~7u)

struct synthetic synthetic = {.level = TANDEM_ARGS_BASIC, .subbuffer_bytes = 256 << 10};

_Noreturn void synthetic_fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

uint64_t synthetic_ns(uint64_t ticks)
{
	return START_NS +
	       (uint64_t)((unsigned __int128)(ticks - START_TICKS) * 1000000000u / TICKS_HZ);
}

uint64_t writer_random(struct writer *writer)
{
	writer->random ^= writer->random << 13;
	writer->random ^= writer->random >> 7;
	writer->random ^= writer->random << 17;
	return writer->random;
}

static void write_file(const char *path, const void *data, size_t bytes, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || close(fd))
		synthetic_fail(path);
}

uint64_t synthetic_number(const char *text)
{
	char *rest;
	double value = strtod(text, &rest);

	if (*rest || value < 1) {
		fprintf(stderr, "not a number: %s\n", text);
		exit(2);
	}
	return (uint64_t)value;
}

unsigned synthetic_level(const char *word)
{
	static const char *const levels[] = {"none", "basic", "full"};

	for (unsigned level = 0; level < 3; level++) {
		if (!strcmp(word, levels[level]))
			return level;
	}
	fprintf(stderr, "no level of arguments: %s\n", word);
	exit(2);
}

/* --- records */

static void window_begin(struct writer *writer)
{
	struct tandem_packet_header *header = (void *)writer->window;

	*header = (struct tandem_packet_header){
		.magic = TANDEM_CTF_MAGIC,
		.stream_instance_id = writer->number,
		.timestamp_begin = writer->now,
		.timestamp_end = writer->now,
		.packet_bits = (uint64_t)synthetic.subbuffer_bytes * 8,
		.packet_seq_num = writer->sequence++,
		.monotonic_ns = synthetic_ns(writer->now),
		.ticks = writer->now,
		.ticks_error = 40,
		.tid = writer->tid,
	};
	memcpy(header->uuid, writer->uuid, sizeof(header->uuid));
	memcpy(header->thread_name, writer->name, sizeof(header->thread_name));
	header->content_bits = sizeof(*header) * 8;
	writer->used = sizeof(*header);
}

static void window_append(struct writer *writer)
{
	struct tandem_packet_header *header = (void *)writer->window;

	header->packet_bits = (uint64_t)writer->used * 8;
	if (write(writer->fd, writer->window, writer->used) != (ssize_t)writer->used)
		synthetic_fail("write");
	window_begin(writer);
}

void writer_open(struct writer *writer, const char *folder)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/stream-%" PRIu64, synthetic.path, folder,
		 writer->number);
	writer->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	writer->window = calloc(1, synthetic.subbuffer_bytes);
	if (writer->fd < 0 || !writer->window)
		synthetic_fail(path);
	window_begin(writer);
}

void *writer_record(struct writer *writer, uint16_t id, uint32_t bytes, uint64_t ticks)
{
	struct tandem_packet_header *header;
	struct tandem_record *record;

	if (writer->used + ALIGNED(bytes) > synthetic.subbuffer_bytes)
		window_append(writer);
	header = (void *)writer->window;
	record = (void *)(writer->window + writer->used);
	memset((uint8_t *)record + bytes, 0, ALIGNED(bytes) - bytes);
	record->timestamp = ticks;
	record->id = id;
	record->size = (uint16_t)bytes;
	header->content_bits = ((uint64_t)writer->used + bytes) * 8;
	header->timestamp_end = ticks;
	writer->used += ALIGNED(bytes);
	synthetic.records++;
	return record;
}

void writer_leave(struct writer *writer, const char *folder)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/window-%" PRIu64, synthetic.path, folder,
		 writer->number);
	write_file(path, writer->window, synthetic.subbuffer_bytes, O_TRUNC);
	close(writer->fd);
	free(writer->window);
}

void writer_close(struct writer *writer)
{
	window_append(writer);
	close(writer->fd);
	free(writer->window);
}

static void *record_text(void *at, const char *text)
{
	return (uint8_t *)memcpy(at, text, strlen(text)) + strlen(text);
}

void writer_objects(struct writer *writer, uint32_t queues)
{
	static const char device[] = "synthetic device", kernel[] = "mandelbrot";
	struct tandem_rec_device *d = writer_record(writer, TANDEM_EVENT_device,
						    sizeof(*d) + sizeof(device) - 1, writer->now);
	struct tandem_rec_context *c;
	struct tandem_rec_kernel *k;
	struct tandem_rec_memory *m;
	uint32_t number = DEVICE;

	*d = (struct tandem_rec_device){.head = d->head,
					.device = DEVICE,
					.domain = TANDEM_DOMAIN_opencl,
					.type = TANDEM_DEVICE_TYPE_gpu,
					.compute_units = 8,
					.name_count = sizeof(device) - 1};
	record_text(d + 1, device);
	c = writer_record(writer, TANDEM_EVENT_context, sizeof(*c) + sizeof(number), writer->now);
	*c = (struct tandem_rec_context){.head = c->head,
					 .context = CONTEXT,
					 .domain = TANDEM_DOMAIN_opencl,
					 .devices_count = 1};
	memcpy(c + 1, &number, sizeof(number));
	k = writer_record(writer, TANDEM_EVENT_kernel, sizeof(*k) + sizeof(kernel) - 1,
			  writer->now);
	*k = (struct tandem_rec_kernel){.head = k->head,
					.kernel = KERNEL,
					.domain = TANDEM_DOMAIN_opencl,
					.program = PROGRAM,
					.name_count = sizeof(kernel) - 1};
	record_text(k + 1, kernel);
	m = writer_record(writer, TANDEM_EVENT_memory, sizeof(*m), writer->now);
	*m = (struct tandem_rec_memory){.head = m->head,
					.memory = MEMORY,
					.domain = TANDEM_DOMAIN_opencl,
					.context = CONTEXT,
					.bytes = 1 << 20};
	for (uint32_t i = 0; i < queues; i++) {
		struct tandem_rec_queue *q =
			writer_record(writer, TANDEM_EVENT_queue, sizeof(*q), writer->now);

		*q = (struct tandem_rec_queue){.head = q->head,
					       .queue = QUEUES + i,
					       .domain = TANDEM_DOMAIN_opencl,
					       .context = CONTEXT,
					       .device = DEVICE,
					       .timing = TANDEM_TIMING_forced,
					       .in_order = 1};
	}
}

/* --- descriptors */

static const struct tandem_field *field_of(const struct tandem_layout *layout, const char *name)
{
	for (unsigned i = 0; i < layout->field_count; i++) {
		if (!strcmp(layout->fields[i].name, name))
			return &layout->fields[i];
	}
	return NULL;
}

static void set(struct template *template, const struct tandem_layout *layout, const char *name,
		uint64_t value)
{
	const struct tandem_field *field = field_of(layout, name);

	if (field && !field->variable)
		memcpy(template->record + field->offset, &value, field->bytes);
}

static void set_list(struct template *template, const struct tandem_layout *layout,
		     const char *name, const uint64_t *values, uint8_t count)
{
	const struct tandem_field *field = field_of(layout, name);

	if (!field || !field->variable)
		return;
	template->record[field->offset] = count;
	for (uint8_t i = 0; i < count; i++) {
		memcpy(template->record + template->bytes, &values[i], field->bytes);
		template->bytes += field->bytes;
	}
}

void template_init(struct template *template, const char *name)
{
	static const uint64_t global[] = {1920, 1080}, local[] = {16, 16};
	const struct tandem_domain *domain = tandem_domain_find("opencl");

	for (unsigned i = 0; i < domain->event_count; i++) {
		const struct tandem_event *event = &domain->events[i];
		const struct tandem_layout *layout = &event->layout[synthetic.level];
		const struct tandem_field *op;

		if (strcmp(event->name, name) != 0)
			continue;
		template->id = event->id;
		template->bytes = layout->fixed_bytes;
		op = field_of(layout, "op");
		template->op_offset = op ? op->offset : 0;
		set(template, layout, "queue", QUEUES);
		set(template, layout, "kernel", KERNEL);
		set(template, layout, "buffer", MEMORY);
		set(template, layout, "blocking", 1);
		set(template, layout, "size", 4096);
		set(template, layout, "work_dim", 2);
		set_list(template, layout, "global", global, 2);
		set_list(template, layout, "local", local, 2);
		return;
	}
	errno = ENOENT;
	synthetic_fail(name);
}

/* --- small files */

static void write_metadata(const char *name, unsigned pid, const uint8_t uuid[16])
{
	struct text text = TEXT_INIT;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/metadata", synthetic.path, name);
	file = fopen(path, "w");
	if (!file)
		synthetic_fail(path);
	fprintf(file,
		"/* CTF 1.8 */\n\n%s\ntrace {\n\tmajor = 1;\n\tminor = 8;\n"
		"\tbyte_order = le;\n\tuuid = \"",
		tandem_tsdl_types);
	for (int i = 0; i < 16; i++)
		fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	fprintf(file,
		"\";\n\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu8 uuid[16];\n"
		"\t\tu32 stream_id;\n\t\tu64 stream_instance_id;\n\t};\n};\n\n"
		"env {\n\ttandem = \"%s\";\n\tschema = \"%s\";\n\tpid = %u;\n\tppid = 1;\n"
		"\tprocname = \"%s\";\n\tcommand = \"synthetic --size 1\";\n"
		"\targs_level = %u;\n};\n\n"
		"clock {\n\tname = ticks;\n\tfreq = %u;\n\tabsolute = TRUE;\n};\n\n"
		"typealias integer { size = 64; align = 64; signed = false;"
		" map = clock.ticks.value; } := ticks_t;\n"
		"stream {\n\tid = 0;\n\tevent.header := struct {\n\t\tticks_t timestamp;\n"
		"\t\tu16 id;\n\t};\n\tevent.context := struct {\n\t\tu16 size;\n\t};\n"
		"\tpacket.context := struct {\n"
		"\t\tinteger { size = 64; align = 8; map = clock.ticks.value; } timestamp_begin;\n"
		"\t\tinteger { size = 64; align = 8; map = clock.ticks.value; } timestamp_end;\n"
		"\t\tu64 content_size;\n\t\tu64 packet_size;\n\t\tu64 packet_seq_num;\n"
		"\t\tu64 events_discarded;\n\t\tu64 monotonic_ns;\n\t\tu64 ticks;\n"
		"\t\tu32 ticks_error;\n\t\tu32 tid;\n"
		"\t\tinteger { size = 8; align = 8; encoding = UTF8; } thread_name[16];\n"
		"\t};\n};\n\n",
		TANDEM_VERSION, tandem_schema_hash, pid, pid ? "synthetic" : "kernel",
		synthetic.level, TICKS_HZ);
	for (unsigned number = 0; number < TANDEM_DOMAINS; number++)
		if (tandem_domain_get(number))
			tandem_tsdl_domain(&text, tandem_domain_get(number),
					   (enum tandem_args_level)synthetic.level);
	if (text.failed || fwrite(text.data, 1, text.length, file) != text.length || fclose(file))
		synthetic_fail(path);
	text_free(&text);
}

void synthetic_folder(const char *name, unsigned pid, uint8_t uuid[16])
{
	char path[4096];

	for (int i = 0; i < 16; i++)
		uuid[i] = (uint8_t)(pid * 31 + (unsigned)i * 7);
	snprintf(path, sizeof(path), "%s/%s", synthetic.path, name);
	if (mkdir(path, 0700) && errno != EEXIST)
		synthetic_fail(path);
	write_metadata(name, pid, uuid);
}

void synthetic_session(uint64_t end_ticks)
{
	struct tandem_control *control = aligned_alloc(TANDEM_CONTROL_BYTES, sizeof(*control));
	char path[4096], text[2048];
	int length;

	if (!control)
		synthetic_fail("control");
	memset(control, 0, sizeof(*control));
	control->args_level = synthetic.level;
	control->clock_source = TANDEM_CLOCK_COUNTER;
	control->subbuffer_bytes = synthetic.subbuffer_bytes;
	control->magic = TANDEM_CONTROL_MAGIC;
	control->version = TANDEM_CONTROL_VERSION;
	control->ticks_hz = TICKS_HZ;
	control->start_ticks = START_TICKS;
	control->start_monotonic_ns = START_NS;
	control->start_realtime_ns = START_REALTIME_NS;
	snprintf(path, sizeof(path), "%s/control", synthetic.path);
	write_file(path, control, sizeof(*control), O_TRUNC);
	free(control);
	length =
		snprintf(text, sizeof(text),
			 "{\"tandem\": \"%s\", \"schema\": \"%s\", \"program\": \"synthetic\","
			 " \"command\": [\"synthetic\", \"--size\", \"1\"], \"host\": \"nowhere\","
			 " \"cwd\": \"/\", \"start\": \"2026-11-18T10:26:40.000000000+00:00\","
			 " \"start_realtime_ns\": %" PRIu64 ", \"start_monotonic_ns\": %" PRIu64 ","
			 " \"start_ticks\": %" PRIu64 ", \"ticks_hz\": %u, \"options\": {},"
			 " \"end\": {\"ticks\": %" PRIu64 ", \"monotonic_ns\": %" PRIu64 ","
			 " \"realtime_ns\": %" PRIu64 "}, \"exit\": {\"code\": 0}}\n",
			 TANDEM_VERSION, tandem_schema_hash, START_REALTIME_NS, START_NS,
			 START_TICKS, TICKS_HZ, end_ticks, synthetic_ns(end_ticks),
			 START_REALTIME_NS + synthetic_ns(end_ticks) - START_NS);
	snprintf(path, sizeof(path), "%s/session.json", synthetic.path);
	write_file(path, text, (size_t)length, O_TRUNC);
}
