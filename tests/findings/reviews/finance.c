/* SPDX-License-Identifier: MIT */
/* Programs of a trading house. */
#include "reviews.h"

#include <stdlib.h>

/* Margin of each account: at each tick of the market the positions of all accounts are given to
 * the device, which values them in some thousand scenarios. */
void review_margin_book(struct app *app)
{
	static const char source[] = MIX LARGEST(
		"worst") "kernel void value(global const float4 *book, global float *values, int rounds)\n"
			 "{\n"
			 "	size_t i = get_global_id(0);\n"
			 "	float4 p = book[i / 16384];\n"
			 "	float shift = unit(mix((uint)i, rounds));\n"
			 "	values[i] = p.x + p.y * shift + p.z * shift * shift - p.w;\n"
			 "}\n";
	enum { ACCOUNTS = 32, FIELDS = 4, SCENARIOS = 16384, TICKS = 80, PARTS = 1024 };
	enum { ROW = FIELDS * sizeof(float) };
	float *positions = memory(ACCOUNTS * ROW), *margins = memory(PARTS * sizeof(float));
	cl_mem book = buffer_new(app, ACCOUNTS * ROW);
	cl_mem values = buffer_new(app, ACCOUNTS * SCENARIOS * sizeof(float));
	cl_mem worst = buffer_new(app, PARTS * sizeof(float));
	cl_kernel value, reduce;
	double sum = 0;

	app->program = program_new(app, source, "");
	value = kernel_new(app->program, "value");
	reduce = kernel_new(app->program, "worst");
	args(value, "bbi", book, values, 1);
	args(reduce, "bbi", values, worst, ACCOUNTS * SCENARIOS / PARTS);
	for (int tick = 0; tick < TICKS; tick++) {
		for (int account = 0; account < ACCOUNTS; account++) {
			float *row = &positions[account * FIELDS];

			for (int field = 0; field < FIELDS; field++)
				row[field] = (float)((account * 7 + tick * 3 + field) % 101);
			if (!app->repaired)
				put_at(app->queue, book, (size_t)account * ROW, ROW, row);
		}
		if (app->repaired)
			put(app->queue, book, ACCOUNTS * ROW, positions);
		run(app->queue, value, ACCOUNTS * SCENARIOS, 64);
		run(app->queue, reduce, PARTS, 32);
		get(app->queue, worst, PARTS * sizeof(float), margins);
		sum += total(margins, PARTS);
	}
	answer(sum);
	DROP(reduce);
	DROP(value);
	DROP(worst);
	DROP(values);
	DROP(book);
	free(margins);
	free(positions);
}

/* Prices of options by simulated paths: for each expiry of an underlying, a ladder of strikes. The
 * kernel prices the paths of the strikes from `first` on. */
void review_strike_ladder(struct app *app)
{
	static const char source[] = MIX
		"kernel void paths(global float *pay, int paths, int first, float spot, int rounds)\n"
		"{\n"
		"	size_t i = get_global_id(0) + (size_t)first * (size_t)paths;\n"
		"	int strike = (int)(i / (size_t)paths), path = (int)(i % (size_t)paths);\n"
		"	float end = spot * (0.5f + unit(mix((uint)path + 1u, rounds)));\n"
		"	pay[i] = fmax(end - 70.0f - (float)strike, 0.0f);\n"
		"}\n"
		"kernel void price(global const float *pay, global float *price, int paths)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float sum = 0;\n"
		"	for (int k = 0; k < paths; k++)\n"
		"		sum += pay[i * (size_t)paths + (size_t)k];\n"
		"	price[i] = sum / (float)paths;\n"
		"}\n";
	enum { STRIKES = 16, PATHS = 10240, EXPIRIES = 220 };
	size_t row = STRIKES * sizeof(float);
	float *prices = memory(EXPIRIES * row);
	cl_mem pay = buffer_new(app, STRIKES * PATHS * sizeof(float));
	cl_mem price = buffer_new(app, row);
	cl_kernel paths, mean;

	app->program = program_new(app, source, "");
	paths = kernel_new(app->program, "paths");
	mean = kernel_new(app->program, "price");
	args(mean, "bbi", pay, price, PATHS);
	for (int expiry = 0; expiry < EXPIRIES; expiry++) {
		double spot = 90 + expiry * 0.25;

		if (app->repaired) {
			args(paths, "biifi", pay, PATHS, 0, spot, 1);
			run(app->queue, paths, STRIKES * PATHS, 64);
		}
		for (int strike = 0; strike < STRIKES && !app->repaired; strike++) {
			args(paths, "biifi", pay, PATHS, strike, spot, 1);
			run(app->queue, paths, PATHS, 64);
		}
		run(app->queue, mean, STRIKES, 8);
		TRY(clEnqueueReadBuffer(app->queue, price, CL_FALSE, 0, row,
					&prices[expiry * STRIKES], 0, NULL, NULL));
		flush(app->queue);
	}
	finish(app->queue);
	answer(total(prices, EXPIRIES * STRIKES));
	DROP(mean);
	DROP(paths);
	DROP(price);
	DROP(pay);
	free(prices);
}
