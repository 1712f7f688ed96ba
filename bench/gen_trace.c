/* SPDX-License-Identifier: MIT */
/* Makes a synthetic session of any size, in the format of src/format/packet.h:
 * for the reading benchmark and for tests of the reader.
 *
 *	gen_trace [-n RECORDS] [-p PROCESSES] [-t THREADS] [-a none|basic|full]
 *	          [-f LAUNCHES] [-w WINDOW_BYTES] DIR
 *
 * Each thread runs the iterations of an image program: 14 synchronous calls, a
 * kernel launch (or more, which are all in flight then), a blocking read, and the
 * operation record of each. Durations come
 * from a fixed random sequence. What a right report must say is printed as one
 * JSON object on stdout. (gen_machine makes sessions with the kernel's side.)
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schema/gen/core_records.h"
#include "synthetic.h"

#define DEVICE_OFFSET_NS INT64_C(246000000)
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static const char *const calls[] = {
	"clSetKernelArg",  "clSetKernelArg",	"clSetKernelArg",     "clSetKernelArg",
	"clGetEventInfo",  "clGetKernelInfo",	"clGetMemObjectInfo", "clSetKernelArg",
	"clFlush",	   "clRetainMemObject", "clReleaseMemObject", "clGetContextInfo",
	"clGetDeviceInfo", "clReleaseEvent",
};

struct options {
	uint64_t records;
	unsigned processes, threads, launches;
};

static struct options options = {.records = 1000000, .processes = 1, .threads = 2, .launches = 1};
static struct template templates[COUNT(calls)], launch, reading;
static uint64_t call_count, operation_count, executing_ns, last_ticks, launch_ns;

static void record_call(struct writer *writer, const struct template *template, uint64_t op,
			uint64_t length)
{
	struct tandem_call_record *record =
		writer_record(writer, template->id, template->bytes, writer->now);

	memcpy((uint8_t *)record + sizeof(record->head), template->record + sizeof(record->head),
	       template->bytes - sizeof(record->head));
	record->end = writer->now + length;
	if (op && template->op_offset)
		memcpy((uint8_t *)record + template->op_offset, &op, sizeof(op));
	writer->now += length;
	call_count++;
}

static void record_operation(struct writer *writer, const struct template *by, uint64_t op,
			     uint32_t queue, bool kernel, uint64_t length_ns, uint64_t ago_ns)
{
	uint64_t end = synthetic_ns(writer->now) + (uint64_t)DEVICE_OFFSET_NS - ago_ns;
	struct tandem_rec_operation *record =
		writer_record(writer, TANDEM_EVENT_operation, sizeof(*record), writer->now);

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
		.completion_source = TANDEM_COMPLETION_SOURCE_blocking_call,
		.time_domain = 1,
	};
	operation_count++;
	executing_ns += length_ns;
}

static void record_launches(struct writer *writer, uint64_t operation)
{
	for (unsigned i = 0; i < options.launches; i++) {
		uint64_t length = 2000 + writer_random(writer) % 2000;

		record_call(writer, &launch, operation + i, length);
		launch_ns += synthetic_ns(writer->now) - synthetic_ns(writer->now - length);
	}
}

static void thread_run(const char *folder, const uint8_t uuid[16], uint64_t number,
		       unsigned process, uint64_t budget)
{
	struct writer writer = {.number = number,
				.now = START_TICKS + 10000 * number + 100000 * process,
				.random = 88172645463325252u + number * 977 + process * 7919,
				.tid = 1000 * (process + 1) + (uint32_t)number};
	uint32_t queue = QUEUES + (uint32_t)number - 1;
	uint64_t first = synthetic.records, operation = 0;

	memcpy(writer.uuid, uuid, sizeof(writer.uuid));
	snprintf(writer.name, sizeof(writer.name), "worker-%u", (unsigned)number % 10000000);
	writer_open(&writer, folder);
	if (number == 1)
		writer_objects(&writer, options.threads);
	while (synthetic.records - first < budget) {
		uint64_t length_ns = 5000 + writer_random(&writer) % 10000;
		uint64_t op = number << 40 | (operation + 1);

		for (size_t i = 0; i < COUNT(calls) && synthetic.records - first < budget; i++) {
			record_call(&writer, &templates[i], 0, 100 + writer_random(&writer) % 400);
			writer.now += 50 + writer_random(&writer) % 100;
		}
		if (synthetic.records - first + 2 * options.launches + 2 > budget)
			continue;
		record_launches(&writer, op);
		record_call(&writer, &reading, op + options.launches,
			    options.launches * length_ns * TICKS_HZ / 1000000000u + 20000);
		for (unsigned i = 0; i < options.launches; i++)
			record_operation(&writer, &launch, op + i, queue, true, length_ns,
					 (options.launches - 1 - i) * length_ns);
		record_operation(&writer, &reading, op + options.launches, queue, false, 800, 0);
		operation += options.launches + 1;
		writer.now += 500 + writer_random(&writer) % 1000;
	}
	if (writer.now > last_ticks)
		last_ticks = writer.now;
	writer_leave(&writer, folder);
}

static void read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:p:t:a:f:w:")) != -1) {
		if (option == 'n')
			options.records = synthetic_number(optarg);
		else if (option == 'p')
			options.processes = (unsigned)synthetic_number(optarg);
		else if (option == 't')
			options.threads = (unsigned)synthetic_number(optarg);
		else if (option == 'f')
			options.launches = (unsigned)synthetic_number(optarg);
		else if (option == 'w')
			synthetic.subbuffer_bytes = (uint32_t)synthetic_number(optarg) & ~7u;
		else if (option == 'a')
			synthetic.level = synthetic_level(optarg);
		if (option == '?' || synthetic.subbuffer_bytes < 1024)
			exit(2);
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "gen_trace: which directory?\n");
		exit(2);
	}
	synthetic.path = argv[optind];
}

int main(int argc, char **argv)
{
	uint8_t uuid[16];
	char folder[64];

	read_options(argc, argv);
	for (size_t i = 0; i < COUNT(calls); i++)
		template_init(&templates[i], calls[i]);
	template_init(&launch, "clEnqueueNDRangeKernel");
	template_init(&reading, "clEnqueueReadBuffer");
	if (mkdir(synthetic.path, 0700) && errno != EEXIST)
		synthetic_fail(synthetic.path);
	for (unsigned i = 0; i < options.processes; i++) {
		unsigned pid = 1000 * (i + 1);

		snprintf(folder, sizeof(folder), "process-%u", pid);
		synthetic_folder(folder, pid, uuid);
		for (unsigned j = 0; j < options.threads; j++) {
			uint64_t part = (uint64_t)options.processes * options.threads;

			thread_run(folder, uuid, j + 1, i, options.records / part);
		}
	}
	synthetic_session(last_ticks);
	printf("{\"records\": %" PRIu64 ", \"calls\": %" PRIu64 ", \"operations\": %" PRIu64
	       ", \"executing_ns\": %" PRIu64 ", \"launch_ns\": %" PRIu64
	       ", \"duration_ns\": %" PRIu64 "}\n",
	       synthetic.records, call_count, operation_count, executing_ns, launch_ns,
	       synthetic_ns(last_ticks) - START_NS);
	return 0;
}
