/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <stdlib.h>

/* A desk prices its book again for each quote. The pricer takes a market by value, and uploads its
 * volatility surface with it, which is that of the day. Repaired: the surface is uploaded when it
 * is another one. */
enum { SURFACE = MIB, BOOK = 8 * KIB, QUOTES = 200 };

struct pricer {
	cl_command_queue queue;
	cl_kernel price;
	cl_mem surface, book, values;
	const float *resident; /* the surface that the device has */
	bool keeps;
};

static const char price_source[] =
	"kernel void price_book(global const float *surface, global const float *book,\n"
	"                       global float *values, float spot)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float vol = surface[i * 4 % 1048576], k = book[i] + 0.5f;\n"
	"	float d = log(spot / k) / (vol + 0.1f);\n"
	"	values[i] = spot * exp(-d * d) - k * exp(-0.05f * d);\n"
	"}\n";

static void market_load(struct pricer *pricer, const float *surface)
{
	if (pricer->keeps && pricer->resident == surface)
		return;
	put(pricer->queue, pricer->surface, SURFACE * sizeof(float), surface);
	pricer->resident = surface;
}

static void book_price(struct pricer *pricer, const float *surface, double spot)
{
	market_load(pricer, surface);
	args(pricer->price, "bbbf", pricer->surface, pricer->book, pricer->values, spot);
	run(pricer->queue, pricer->price, BOOK, 64);
}

void essay_vol_surface(struct app *app)
{
	float *surface = floats(SURFACE, 11), *values = floats(BOOK, 1);
	struct pricer pricer = {.queue = app->queue,
				.price = kernel_of(app, price_source, "price_book"),
				.surface = buffer_new(app, SURFACE * sizeof(float)),
				.book = filled(app, BOOK * sizeof(float), 3),
				.values = filled(app, BOOK * sizeof(float), 4),
				.keeps = app->repaired};
	double sum = 0;

	for (int quote = 0; quote < QUOTES; quote++) {
		book_price(&pricer, surface, 1.0 + quote * 0.001);
		if (quote % 8 == 7) {
			get(app->queue, pricer.values, 4 * KIB, values);
			sum += total(values, KIB);
		}
	}
	answer(sum);
	DROP(pricer.price);
	DROP(pricer.surface);
	DROP(pricer.book);
	DROP(pricer.values);
	free(surface);
	free(values);
}

/* Clean: two desks share a curve buffer, and a curve of the same size is uploaded for each run; no
 * two are the same, and all of the values are used. */
enum { CURVE = 128 * KIB, RUNS = 120 };

static const char curve_source[] =
	"kernel void value_curve(global const float *curve, global float *values)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float c = curve[i] + 0.5f, v = values[i];\n"
	"	for (int k = 0; k < 8; k++)\n"
	"		v = 0.5f * v + exp(-c * (k + 1));\n"
	"	values[i] = v;\n"
	"}\n";

void essay_clean_quotes(struct app *app)
{
	cl_kernel value = kernel_of(app, curve_source, "value_curve");
	cl_mem curves[2] = {buffer_new(app, CURVE * sizeof(float)),
			    buffer_new(app, CURVE * sizeof(float))};
	cl_mem values = filled(app, CURVE * sizeof(float), 1);
	float *quotes[2] = {floats(CURVE, 1), floats(CURVE, 2)},
	      *out = memory(CURVE * sizeof(*out));
	cl_command_queue up = queue_new(app, 0);
	cl_event used[2] = {NULL};

	for (int number = 0; number < RUNS; number++) {
		int at = number % 2;

		if (used[at])
			settle(used[at]);
		refill(quotes[at], CURVE, number);

		cl_event sent =
			put_after(up, curves[at], CURVE * sizeof(float), quotes[at], 0, NULL);

		flush(up);
		args(value, "bb", curves[at], values);
		used[at] = run_after(app->queue, value, CURVE, 64, 1, &sent);
		flush(app->queue);
		DROP(sent);
	}
	get(app->queue, values, CURVE * sizeof(float), out);
	answer(total(out, CURVE));
	for (int i = 0; i < 2; i++) {
		DROP(used[i]);
		DROP(curves[i]);
		free(quotes[i]);
	}
	DROP(value);
	DROP(values);
	DROP(up);
	free(out);
}
