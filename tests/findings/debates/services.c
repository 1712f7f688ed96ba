/* SPDX-License-Identifier: MIT */
/* Services: requests come, answers go. */
#include "debates.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* A shop's search: each request has weights of its own for price and age. */
#define RANK(more, price, age)                                                                 \
	"kernel void rank_goods(global const float *goods, global float *rank" more ")\n"      \
	"{\n"                                                                                  \
	"	size_t i = get_global_id(0);\n"                                                      \
	"	uint u = as_uint(goods[i]);\n"                                                       \
	"	for (int r = 0; r < 100; r++)\n"                                                     \
	"		u = (u ^ (u >> 7)) * 2246822519u + (uint)(" price " * r + " age ");\n" \
	"	rank[i] = (float)(u >> 16);\n"                                                       \
	"}\n"

static const char shop_source[] = RANK(", int price, int age", "price", "age");
static const char request_source[] = RANK("", "PRICE", "AGE");

void debate_shop_search(struct app *app)
{
	enum { GOODS = 96 * KIB, REQUESTS = 10, PAGE = 1024 };
	cl_mem goods = loaded(app, GOODS, 31), rank = buffer_new(app, GOODS * sizeof(float));
	cl_program program = app->repaired ? program_new(app, shop_source, "") : NULL;
	float *page = memory(PAGE * sizeof(*page));
	double sum = 0;

	for (int request = 0; request < REQUESTS; request++) {
		int price = 3 + request * 2, age = 50 - request;
		cl_kernel kernel;

		if (app->repaired) {
			kernel = kernel_new(program, "rank_goods");
			args(kernel, "bbii", goods, rank, price, age);
		} else {
			char options[64];

			snprintf(options, sizeof(options), "-DPRICE=%d -DAGE=%d", price, age);
			program = program_new(app, request_source, options);
			kernel = kernel_new(program, "rank_goods");
			args(kernel, "bb", goods, rank);
			DROP(program);
		}
		run(app->queue, kernel, GOODS, 64);
		get(app->queue, rank, PAGE * sizeof(*page), page);
		sum += total(page, PAGE);
		DROP(kernel);
	}
	answer(sum);
	free(page);
	if (app->repaired)
		DROP(program);
	DROP(goods);
	DROP(rank);
}

/* Arrival times of earthquakes: two workers take the stations' records as they come. */
enum { PICKERS = 2, RECORDS = 80, SAMPLES = 512 * KIB, PICKS = 4 * KIB };

struct picker {
	const struct app *app;
	cl_program program;
	atomic_int *next;
	double *picks;
};

static void arrival_pick(const struct picker *picker, cl_command_queue queue, cl_kernel band,
			 cl_kernel ratio, const cl_mem *memories, int record, float *picks)
{
	static const float quiet = 0.5f;
	const float start = (float)record;

	TRY(clEnqueueFillBuffer(queue, memories[0], &quiet, sizeof(quiet), 0,
				SAMPLES * sizeof(float), 0, NULL, NULL));
	TRY(clEnqueueFillBuffer(queue, memories[0], &start, sizeof(start), 0, 64 * sizeof(float), 0,
				NULL, NULL));
	args(band, "bbi", memories[0], memories[1], 3);
	args(ratio, "bbi", memories[1], memories[2], 3);
	run(queue, band, SAMPLES, 64);
	run(queue, ratio, SAMPLES, 64);
	get(queue, memories[2], PICKS * sizeof(*picks), picks);
	picker->picks[record] = total(picks, PICKS);
}

static void *arrival_picker_main(void *data)
{
	const struct picker *picker = data;
	const struct app *app = picker->app;
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel band = kernel_new(picker->program, "band");
	cl_kernel ratio = kernel_new(picker->program, "ratio");
	float *picks = memory(PICKS * sizeof(*picks));
	cl_mem memories[3] = {NULL};
	int record;

	while ((record = atomic_fetch_add(picker->next, 1)) < RECORDS) {
		for (int i = 0; i < 3; i++)
			if (!memories[i])
				memories[i] = buffer_new(app, SAMPLES * sizeof(float));
		arrival_pick(picker, queue, band, ratio, memories, record, picks);
		for (int i = 0; i < 3 && !app->repaired; i++) {
			DROP(memories[i]);
			memories[i] = NULL;
		}
	}
	for (int i = 0; i < 3; i++)
		if (memories[i])
			DROP(memories[i]);
	free(picks);
	DROP(band);
	DROP(ratio);
	DROP(queue);
	return NULL;
}

void debate_arrival_picker(struct app *app)
{
	cl_program program = program_new(app, MIX("band") MIX("ratio"), "");
	struct picker pickers[PICKERS];
	double picks[RECORDS], sum = 0;
	atomic_int next = 0;

	for (int i = 0; i < PICKERS; i++)
		pickers[i] = (struct picker){app, program, &next, picks};
	threads_run(PICKERS, arrival_picker_main, pickers, sizeof(*pickers));
	for (int i = 0; i < RECORDS; i++)
		sum += picks[i];
	answer(sum);
	DROP(program);
}

/* Pressure taps of a wind tunnel: a field of pressure for each setting of the flaps. */
static void taps_wait(const struct app *app, cl_event event)
{
	cl_int status;

	if (app->repaired) {
		settle(event);
		return;
	}
	do {
		nap(2000);
		TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				   &status, NULL));
	} while (status > CL_COMPLETE);
	must(status, "field");
	DROP(event);
}

void debate_pressure_taps(struct app *app)
{
	enum { POINTS = 192 * KIB, SETTINGS = 140, TAPS = 512 };
	cl_kernel field = kernel_of(app, MIX("field"), "field");
	cl_mem grid[2] = {loaded(app, POINTS, 41), loaded(app, POINTS, 42)};
	float *taps = memory(TAPS * sizeof(*taps));
	double sum = 0;

	for (int setting = 0; setting < SETTINGS; setting++) {
		cl_event done;

		args(field, "bbi", grid[setting % 2], grid[1 - setting % 2], 8 + setting % 3);
		run(app->queue, field, POINTS, 64);
		done = get_after(app->queue, grid[1 - setting % 2], TAPS * sizeof(*taps), taps, 0,
				 NULL);
		flush(app->queue);
		taps_wait(app, done);
		sum += total(taps, TAPS);
	}
	answer(sum);
	free(taps);
	DROP(grid[0]);
	DROP(grid[1]);
	DROP(field);
}

/* What a rover sends: packets are unpacked by the host, and the device looks for rocks in
 * them. */
void debate_rover_packets(struct app *app)
{
	enum { PACKETS = 90, SAMPLES_EACH = 160 * KIB, ROCKS = 2 * KIB, UNPACK = 8 };
	static const size_t bytes = SAMPLES_EACH * sizeof(float);
	cl_kernel kernel = kernel_of(app, MIX("rocks"), "rocks");
	cl_mem packet = buffer_new(app, bytes), rocks = buffer_new(app, bytes);
	float *unpacked[2] = {memory(bytes), memory(bytes)};
	float *found = memory((size_t)PACKETS * ROCKS * sizeof(*found));
	cl_event sent[2] = {NULL, NULL};

	args(kernel, "bbi", packet, rocks, 16);
	for (size_t i = 0; i < PACKETS; i++) {
		float *data = unpacked[i % 2];

		if (sent[i % 2])
			settle(sent[i % 2]); /* before its memory is written again */
		refill(data, SAMPLES_EACH, (int)i);
		busy(data, SAMPLES_EACH / 16, UNPACK * 10);
		data[0] = (float)i;
		put(app->queue, packet, bytes, data);
		run(app->queue, kernel, SAMPLES_EACH, 64);
		sent[i % 2] = get_after(app->queue, rocks, ROCKS * sizeof(*found),
					found + i * ROCKS, 0, NULL);
		flush(app->queue);
		if (!app->repaired) {
			settle(sent[i % 2]);
			sent[i % 2] = NULL;
		}
	}
	for (int i = 0; i < 2; i++)
		if (sent[i])
			settle(sent[i]);
	answer(total(found, (size_t)PACKETS * ROCKS));
	free(unpacked[0]);
	free(unpacked[1]);
	free(found);
	DROP(packet);
	DROP(rocks);
	DROP(kernel);
}
