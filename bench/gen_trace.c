/* Makes a synthetic session of any size, in the format of src/schema/packet.h:
 * for the reading benchmark and for tests of the reader.
 *
 *	gen_trace [-n RECORDS] [-p PROCESSES] [-t THREADS] [-a none|basic|full]
 *	          [-w WINDOW_BYTES] DIR
 *
 * Each thread runs the iterations of an image program: 14 synchronous calls, a
 * kernel launch, a blocking read, and the two operation records. Durations come
 * from a fixed random sequence. What a right report must say is printed as one
 * JSON object on stdout.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/control.h"
#include "schema/gen/core_records.h"
#include "schema/schema.h"

#define TICKS_HZ 2500000000u
#define START_TICKS UINT64_C(1000000000000)
#define START_NS UINT64_C(400000000000)
#define START_REALTIME_NS UINT64_C(1795000000000000000)
#define DEVICE_OFFSET_NS INT64_C(246000000)
#define ALIGNED(bytes) (((bytes) + 7u) & ~7u)
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Objects of each process. */
enum { DEVICE = 1, CONTEXT, PROGRAM, MEMORY, KERNEL, QUEUES };

static const char *const calls[] = {
	"clSetKernelArg", "clSetKernelArg",   "clSetKernelArg",	  "clSetKernelArg",
	"clGetEventInfo", "clGetKernelInfo",  "clGetMemObjectInfo", "clSetKernelArg",
	"clFlush",	  "clRetainMemObject", "clReleaseMemObject", "clGetContextInfo",
	"clGetDeviceInfo", "clReleaseEvent",
};

struct options {
	uint64_t records;
	unsigned processes, threads;
	unsigned level;
	uint32_t window_bytes;
	const char *path;
};

struct template {
	uint16_t id;
	uint32_t bytes;
	uint16_t op_offset;
	uint8_t record[512];
};

struct writer {
	int fd;
	uint8_t *window;
	uint32_t used;
	uint64_t sequence;
	uint64_t now, random;
	uint32_t tid;
	uint64_t bytes; /* written */
};

static struct options options = {
	.records = 1000000, .processes = 1, .threads = 2, .level = TANDEM_ARGS_BASIC,
	.window_bytes = 256 << 10,
};
static uint8_t uuid[16];
static struct template templates[COUNT(calls)], launch, reading;
static uint64_t call_count, operation_count, record_count, executing_ns, last_ticks, launch_ns;

static void fail(const char *what)
{
	fprintf(stderr, "gen_trace: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t ticks_to_ns(uint64_t ticks)
{
	return START_NS + (uint64_t)((unsigned __int128)(ticks - START_TICKS) * 1000000000u /
				     TICKS_HZ);
}

static uint64_t random_next(struct writer *writer)
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
		fail(path);
}

/* --- records */

static void window_begin(struct writer *writer, uint64_t number)
{
	struct tandem_packet_header *header = (void *)writer->window;

	*header = (struct tandem_packet_header){
		.magic = TANDEM_CTF_MAGIC,
		.stream_instance_id = number,
		.timestamp_begin = writer->now,
		.timestamp_end = writer->now,
		.packet_bits = (uint64_t)options.window_bytes * 8,
		.packet_seq_num = writer->sequence++,
		.monotonic_ns = ticks_to_ns(writer->now),
		.ticks = writer->now,
		.ticks_error = 40,
		.tid = writer->tid,
	};
	memcpy(header->uuid, uuid, sizeof(uuid));
	snprintf(header->thread_name, sizeof(header->thread_name), "worker-%u",
		 (unsigned)number % 10000000);
	header->content_bits = sizeof(*header) * 8;
	writer->used = sizeof(*header);
}

static void window_append(struct writer *writer)
{
	struct tandem_packet_header *header = (void *)writer->window;
	uint64_t number = header->stream_instance_id;

	header->packet_bits = (uint64_t)writer->used * 8;
	if (write(writer->fd, writer->window, writer->used) != (ssize_t)writer->used)
		fail("write");
	writer->bytes += writer->used;
	window_begin(writer, number);
}

/* Room for a record; it is counted and published at once, as nobody looks. */
static void *record_begin(struct writer *writer, uint16_t id, uint32_t bytes, uint64_t ticks)
{
	struct tandem_packet_header *header;
	struct tandem_record *record;

	if (writer->used + ALIGNED(bytes) > options.window_bytes)
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
	record_count++;
	return record;
}

static void record_call(struct writer *writer, const struct template *template, uint64_t op,
			uint64_t length)
{
	struct tandem_call_record *record =
		record_begin(writer, template->id, template->bytes, writer->now);

	memcpy((uint8_t *)record + sizeof(record->head),
	       template->record + sizeof(record->head), template->bytes - sizeof(record->head));
	record->end = writer->now + length;
	if (op && template->op_offset)
		memcpy((uint8_t *)record + template->op_offset, &op, sizeof(op));
	writer->now += length;
	call_count++;
}

static void record_operation(struct writer *writer, const struct template *by, uint64_t op,
			     uint32_t queue, bool kernel, uint64_t length_ns)
{
	uint64_t end = ticks_to_ns(writer->now) + (uint64_t)DEVICE_OFFSET_NS;
	struct tandem_rec_operation *record =
		record_begin(writer, TANDEM_EVENT_operation, sizeof(*record), writer->now);

	*record = (struct tandem_rec_operation){
		.head = record->head,
		.op = op,
		.queued = end - length_ns - 2000,
		.submitted = end - length_ns - 1500,
		.start = end - length_ns,
		.end = end,
		.queue = queue,
		.kernel = kernel ? KERNEL : 0,
		.bytes = kernel ? 0 : 4096,
		.api = by->id,
		.kind = kernel ? TANDEM_OPERATION_KIND_kernel : TANDEM_OPERATION_KIND_copy_d2h,
		.domain = TANDEM_DOMAIN_opencl,
		.proof = TANDEM_PROOF_blocking_call,
		.timed = 1,
	};
	operation_count++;
	executing_ns += length_ns;
}

static void *record_text(void *at, const char *text)
{
	return (uint8_t *)memcpy(at, text, strlen(text)) + strlen(text);
}

/* What the first thread of a process describes before anything else. */
static void record_objects(struct writer *writer)
{
	static const char device[] = "synthetic device", kernel[] = "mandelbrot";
	uint32_t queues = options.threads;
	struct tandem_rec_device *d = record_begin(writer, TANDEM_EVENT_device,
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
	c = record_begin(writer, TANDEM_EVENT_context, sizeof(*c) + sizeof(number), writer->now);
	*c = (struct tandem_rec_context){.head = c->head,
					 .context = CONTEXT,
					 .domain = TANDEM_DOMAIN_opencl,
					 .devices_count = 1};
	memcpy(c + 1, &number, sizeof(number));
	k = record_begin(writer, TANDEM_EVENT_kernel, sizeof(*k) + sizeof(kernel) - 1,
			 writer->now);
	*k = (struct tandem_rec_kernel){.head = k->head,
					.kernel = KERNEL,
					.domain = TANDEM_DOMAIN_opencl,
					.program = PROGRAM,
					.name_count = sizeof(kernel) - 1};
	record_text(k + 1, kernel);
	m = record_begin(writer, TANDEM_EVENT_memory, sizeof(*m), writer->now);
	*m = (struct tandem_rec_memory){.head = m->head,
					.memory = MEMORY,
					.domain = TANDEM_DOMAIN_opencl,
					.context = CONTEXT,
					.bytes = 1 << 20};
	for (uint32_t i = 0; i < queues; i++) {
		struct tandem_rec_queue *q =
			record_begin(writer, TANDEM_EVENT_queue, sizeof(*q), writer->now);

		*q = (struct tandem_rec_queue){.head = q->head,
					       .queue = QUEUES + i,
					       .domain = TANDEM_DOMAIN_opencl,
					       .context = CONTEXT,
					       .device = DEVICE,
					       .timing = TANDEM_TIMING_forced,
					       .in_order = 1};
	}
}

static void thread_run(const char *folder, uint64_t number, unsigned process, uint64_t budget)
{
	struct writer writer = {.now = START_TICKS + 10000 * number + 100000 * process,
				.random = 88172645463325252u + number * 977 + process * 7919,
				.tid = 1000 * (process + 1) + (uint32_t)number};
	uint32_t queue = QUEUES + (uint32_t)number - 1;
	uint64_t first = record_count, operation = 0;
	char path[4096];

	snprintf(path, sizeof(path), "%s/stream-%" PRIu64, folder, number);
	writer.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	writer.window = calloc(1, options.window_bytes);
	if (writer.fd < 0 || !writer.window)
		fail(path);
	window_begin(&writer, number);
	if (number == 1)
		record_objects(&writer);
	while (record_count - first < budget) {
		uint64_t length_ns = 5000 + random_next(&writer) % 10000;
		uint64_t length;

		for (size_t i = 0; i < COUNT(calls) && record_count - first < budget; i++) {
			record_call(&writer, &templates[i], 0, 100 + random_next(&writer) % 400);
			writer.now += 50 + random_next(&writer) % 100;
		}
		if (record_count - first + 4 > budget)
			continue;
		operation++;
		length = 2000 + random_next(&writer) % 2000;
		record_call(&writer, &launch, number << 40 | operation, length);
		launch_ns += ticks_to_ns(writer.now) - ticks_to_ns(writer.now - length);
		record_call(&writer, &reading, number << 40 | (operation + 1),
			    length_ns * TICKS_HZ / 1000000000u + 20000);
		record_operation(&writer, &launch, number << 40 | operation, queue, true,
				 length_ns);
		operation++;
		record_operation(&writer, &reading, number << 40 | operation, queue, false, 800);
		writer.now += 500 + random_next(&writer) % 1000;
	}
	if (writer.now > last_ticks)
		last_ticks = writer.now;
	/* The window as a killed process leaves it. */
	snprintf(path, sizeof(path), "%s/window-%" PRIu64, folder, number);
	write_file(path, writer.window, options.window_bytes, O_TRUNC);
	close(writer.fd);
	free(writer.window);
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

static void template_init(struct template *template, const char *name)
{
	static const uint64_t global[] = {1920, 1080}, local[] = {16, 16};
	const struct tandem_domain *domain = tandem_domain_find("opencl");

	for (unsigned i = 0; i < domain->event_count; i++) {
		const struct tandem_event *event = &domain->events[i];
		const struct tandem_layout *layout = &event->layout[options.level];
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
	fail(name);
}

/* --- small files */

static void write_metadata(const char *folder, unsigned pid)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/metadata", folder);
	file = fopen(path, "w");
	if (!file)
		fail(path);
	fprintf(file, "/* CTF 1.8 */\n\n%s\ntrace {\n\tmajor = 1;\n\tminor = 8;\n"
		      "\tbyte_order = le;\n\tuuid = \"", tandem_tsdl_types);
	for (int i = 0; i < 16; i++)
		fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	fprintf(file,
		"\";\n\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu8 uuid[16];\n"
		"\t\tu32 stream_id;\n\t\tu64 stream_instance_id;\n\t};\n};\n\n"
		"env {\n\ttandem = \"%s\";\n\tschema = \"%s\";\n\tpid = %u;\n\tppid = 1;\n"
		"\tprocname = \"synthetic\";\n\tcommand = \"synthetic --size 1\";\n"
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
		TANDEM_VERSION, tandem_schema_hash, pid, options.level, TICKS_HZ);
	for (unsigned number = 0; number < 64; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);

		if (domain)
			fputs(domain->tsdl[options.level], file);
	}
	if (fclose(file))
		fail(path);
}

static void write_session(void)
{
	struct tandem_control *control = aligned_alloc(TANDEM_CONTROL_BYTES, sizeof(*control));
	char path[4096], text[2048];
	int length;

	if (!control)
		fail("control");
	memset(control, 0, sizeof(*control));
	control->args_level = options.level;
	control->clock_source = TANDEM_CLOCK_COUNTER;
	control->window_bytes = options.window_bytes;
	control->magic = TANDEM_CONTROL_MAGIC;
	control->version = TANDEM_CONTROL_VERSION;
	control->ticks_hz = TICKS_HZ;
	control->start_ticks = START_TICKS;
	control->start_monotonic_ns = START_NS;
	control->start_realtime_ns = START_REALTIME_NS;
	snprintf(path, sizeof(path), "%s/control", options.path);
	write_file(path, control, sizeof(*control), O_TRUNC);
	free(control);
	length = snprintf(
		text, sizeof(text),
		"{\"tandem\": \"%s\", \"schema\": \"%s\", \"program\": \"synthetic\","
		" \"command\": [\"synthetic\", \"--size\", \"1\"], \"host\": \"nowhere\","
		" \"cwd\": \"/\", \"start\": \"2026-11-18T10:26:40.000000000+00:00\","
		" \"start_realtime_ns\": %" PRIu64 ", \"start_monotonic_ns\": %" PRIu64 ","
		" \"start_ticks\": %" PRIu64 ", \"ticks_hz\": %u, \"options\": {},"
		" \"end\": {\"ticks\": %" PRIu64 ", \"monotonic_ns\": %" PRIu64 ","
		" \"realtime_ns\": %" PRIu64 "}, \"exit\": {\"code\": 0}}\n",
		TANDEM_VERSION, tandem_schema_hash, START_REALTIME_NS, START_NS, START_TICKS,
		TICKS_HZ, last_ticks, ticks_to_ns(last_ticks),
		START_REALTIME_NS + ticks_to_ns(last_ticks) - START_NS);
	snprintf(path, sizeof(path), "%s/session.json", options.path);
	write_file(path, text, (size_t)length, O_TRUNC);
}

static uint64_t number_option(const char *text)
{
	char *rest;
	double value = strtod(text, &rest);

	if (*rest || value < 1) {
		fprintf(stderr, "gen_trace: not a number: %s\n", text);
		exit(2);
	}
	return (uint64_t)value;
}

static void read_options(int argc, char **argv)
{
	static const char *const levels[] = {"none", "basic", "full"};
	int option;

	while ((option = getopt(argc, argv, "n:p:t:a:w:")) != -1) {
		if (option == 'n') {
			options.records = number_option(optarg);
		} else if (option == 'p') {
			options.processes = (unsigned)number_option(optarg);
		} else if (option == 't') {
			options.threads = (unsigned)number_option(optarg);
		} else if (option == 'w') {
			options.window_bytes = (uint32_t)number_option(optarg) & ~7u;
		} else if (option == 'a') {
			for (options.level = 0; options.level < 3; options.level++) {
				if (!strcmp(optarg, levels[options.level]))
					break;
			}
		}
		if (option == '?' || options.level > 2 || options.window_bytes < 1024)
			exit(2);
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "gen_trace: which directory?\n");
		exit(2);
	}
	options.path = argv[optind];
}

int main(int argc, char **argv)
{
	char folder[2048];

	read_options(argc, argv);
	for (size_t i = 0; i < COUNT(calls); i++)
		template_init(&templates[i], calls[i]);
	template_init(&launch, "clEnqueueNDRangeKernel");
	template_init(&reading, "clEnqueueReadBuffer");
	if (mkdir(options.path, 0700) && errno != EEXIST)
		fail(options.path);
	for (unsigned i = 0; i < options.processes; i++) {
		unsigned pid = 1000 * (i + 1);

		for (int j = 0; j < 16; j++)
			uuid[j] = (uint8_t)(pid * 31 + (unsigned)j * 7);
		snprintf(folder, sizeof(folder), "%s/process-%u", options.path, pid);
		if (mkdir(folder, 0700) && errno != EEXIST)
			fail(folder);
		write_metadata(folder, pid);
		for (unsigned j = 0; j < options.threads; j++) {
			uint64_t part = (uint64_t)options.processes * options.threads;

			thread_run(folder, j + 1, i, options.records / part);
		}
	}
	write_session();
	printf("{\"records\": %" PRIu64 ", \"calls\": %" PRIu64 ", \"operations\": %" PRIu64
	       ", \"executing_ns\": %" PRIu64 ", \"launch_ns\": %" PRIu64
	       ", \"duration_ns\": %" PRIu64 "}\n",
	       record_count, call_count, operation_count, executing_ns, launch_ns,
	       ticks_to_ns(last_ticks) - START_NS);
	return 0;
}
