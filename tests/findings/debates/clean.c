/* SPDX-License-Identifier: MIT */
/* Programs in which a reviewer would change nothing. */
#include "debates.h"

#include <pthread.h>
#include <stdlib.h>

/* Bodies in contact: forces are relaxed 25 times, then what is left of them is looked at, for a
 * solver that ends when it is small. */
void debate_clean_contact(struct app *app)
{
	enum { CONTACTS = 32 * KIB, INNER = 25, OUTER = 40, LEFT = 256 };
	cl_program program = program_new(app, MIX("relax") MIX("norm"), "");
	cl_kernel forth = kernel_new(program, "relax"), back = kernel_new(program, "relax");
	cl_kernel norm = kernel_new(program, "norm");
	cl_mem force = loaded(app, CONTACTS, 51), next = loaded(app, CONTACTS, 52);
	cl_mem left = loaded(app, LEFT, 53);
	float *rest = memory(LEFT * sizeof(*rest));
	double sum = 0;

	args(forth, "bbi", force, next, 10);
	args(back, "bbi", next, force, 10);
	args(norm, "bbi", force, left, 1);
	for (int outer = 0; outer < OUTER; outer++) {
		for (int inner = 0; inner < INNER; inner++)
			run(app->queue, inner % 2 ? back : forth, CONTACTS, 64);
		run(app->queue, norm, LEFT, 64);
		get(app->queue, left, LEFT * sizeof(*rest), rest);
		sum += total(rest, LEFT);
		if (sum < 0) /* too much is left for that, each time */
			break;
	}
	answer(sum);
	free(rest);
	DROP(force);
	DROP(next);
	DROP(left);
	DROP(forth);
	DROP(back);
	DROP(norm);
	DROP(program);
}

/* Old tapes: records are made ready, sent, cleaned and taken back, in three places in turn, so
 * that the device has one while the host has another. */
void debate_clean_spool(struct app *app)
{
	enum { PLACES = 3, RECORDS = 240, SAMPLES = 96 * KIB, KEPT = 4 * KIB };
	cl_program program = program_new(app, MIX("hiss"), "");
	float *kept = memory((size_t)RECORDS * KEPT * sizeof(*kept)), *record[PLACES];
	cl_event done[PLACES] = {NULL};
	cl_command_queue queues[PLACES];
	cl_kernel hiss[PLACES];
	cl_mem in[PLACES], out[PLACES];

	for (int i = 0; i < PLACES; i++) {
		queues[i] = queue_new(app, 0);
		hiss[i] = kernel_new(program, "hiss");
		in[i] = buffer_new(app, SAMPLES * sizeof(float));
		out[i] = buffer_new(app, SAMPLES * sizeof(float));
		record[i] = memory(SAMPLES * sizeof(float));
		args(hiss[i], "bbi", in[i], out[i], 8);
	}
	for (size_t i = 0; i < RECORDS; i++) {
		size_t at = i % PLACES;

		if (done[at])
			settle(done[at]);
		refill(record[at], SAMPLES, (int)i);
		put(queues[at], in[at], SAMPLES * sizeof(float), record[at]);
		run(queues[at], hiss[at], SAMPLES, 64);
		done[at] = get_after(queues[at], out[at], KEPT * sizeof(float), kept + i * KEPT, 0,
				     NULL);
		flush(queues[at]);
	}
	for (int i = 0; i < PLACES; i++) {
		settle(done[i]);
		free(record[i]);
		DROP(in[i]);
		DROP(out[i]);
		DROP(hiss[i]);
		DROP(queues[i]);
	}
	answer(total(kept, (size_t)RECORDS * KEPT));
	free(kept);
	DROP(program);
}

/* Tickets of a price service: a front desk hands them out, two clerks work on them. */
enum { CLERKS = 2, TICKETS = 240, SCENARIOS = 64 * KIB, PRICES = 1024 };

struct desk {
	const struct app *app;
	cl_program program;
	pthread_mutex_t lock;
	pthread_cond_t more;
	int ready, taken;
	double prices[TICKETS];
};

struct clerk {
	struct desk *desk;
	bool front;
};

static int ticket_take(struct desk *desk)
{
	int ticket = -1;

	pthread_mutex_lock(&desk->lock);
	while (desk->taken == desk->ready && desk->taken < TICKETS)
		pthread_cond_wait(&desk->more, &desk->lock);
	if (desk->taken < TICKETS)
		ticket = desk->taken++;
	pthread_mutex_unlock(&desk->lock);
	return ticket;
}

static void tickets_give(struct desk *desk)
{
	for (int i = 0; i < TICKETS; i += 4) { /* come in fours */
		pthread_mutex_lock(&desk->lock);
		desk->ready += 4;
		pthread_cond_broadcast(&desk->more);
		pthread_mutex_unlock(&desk->lock);
	}
}

static void *clerk_main(void *data)
{
	const struct clerk *clerk = data;
	struct desk *desk = clerk->desk;
	const struct app *app = desk->app;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem terms, values;
	float *prices;
	int ticket;

	if (clerk->front) {
		tickets_give(desk);
		return NULL;
	}
	queue = queue_new(app, 0);
	kernel = kernel_new(desk->program, "walk");
	terms = buffer_new(app, SCENARIOS * sizeof(float));
	values = buffer_new(app, SCENARIOS * sizeof(float));
	prices = memory(PRICES * sizeof(*prices));
	while ((ticket = ticket_take(desk)) >= 0) {
		const float strike = 80 + (float)ticket;

		TRY(clEnqueueFillBuffer(queue, terms, &strike, sizeof(strike), 0,
					SCENARIOS * sizeof(float), 0, NULL, NULL));
		args(kernel, "bbi", terms, values, 16);
		run(queue, kernel, SCENARIOS, 64);
		get(queue, values, PRICES * sizeof(*prices), prices);
		desk->prices[ticket] = total(prices, PRICES);
	}
	free(prices);
	DROP(terms);
	DROP(values);
	DROP(kernel);
	DROP(queue);
	return NULL;
}

void debate_clean_tickets(struct app *app)
{
	struct desk desk = {.app = app,
			    .program = program_new(app, MIX("walk"), ""),
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .more = PTHREAD_COND_INITIALIZER};
	struct clerk clerks[CLERKS + 1] = {{&desk, true}, {&desk, false}, {&desk, false}};
	double sum = 0;

	threads_run(CLERKS + 1, clerk_main, clerks, sizeof(*clerks));
	for (int i = 0; i < TICKETS; i++)
		sum += desk.prices[i];
	answer(sum);
	DROP(desk.program);
}

/* A lattice of spins, its black and white sites in turn: each half needs the other. */
static const char lattice_source[] =
	"kernel void sweep(global int *spins, int odd, int width, uint step)\n"
	"{\n"
	"	int n = get_global_size(0) * 2, i = get_global_id(0) * 2;\n"
	"	i += (i / width + odd) & 1;\n"
	"	int row = i / width * width, x = i - row;\n"
	"	int near = spins[row + (x + 1) % width] + spins[row + (x + width - 1) % width] +\n"
	"		   spins[(i + width) % n] + spins[(i + n - width) % n];\n"
	"	uint u = (uint)i * 2654435761u ^ step;\n"
	"	for (int r = 0; r < 8; r++)\n"
	"		u = (u ^ (u >> 13)) * 2246822519u;\n"
	"	spins[i] = near * 24 + (int)(u >> 24) > 128 ? 1 : -1;\n"
	"}\n";

void debate_clean_lattice(struct app *app)
{
	enum { WIDTH = 256, SITES = WIDTH * 256, SWEEPS = 500 };
	cl_program program = program_new(app, lattice_source, "");
	cl_kernel black = kernel_new(program, "sweep"), white = kernel_new(program, "sweep");
	cl_mem spins = buffer_new(app, SITES * sizeof(cl_int));
	cl_int *last = memory(SITES * sizeof(*last));
	double magnet = 0;

	for (int i = 0; i < SITES; i++)
		last[i] = i % 3 ? 1 : -1;
	put_now(app->queue, spins, SITES * sizeof(*last), last);
	args(black, "biii", spins, 0, WIDTH, 0);
	args(white, "biii", spins, 1, WIDTH, 0);
	for (cl_uint sweep = 0; sweep < SWEEPS; sweep++) {
		TRY(clSetKernelArg(black, 3, sizeof(sweep), &sweep));
		TRY(clSetKernelArg(white, 3, sizeof(sweep), &sweep));
		run(app->queue, black, SITES / 2, 64);
		run(app->queue, white, SITES / 2, 64);
		if (sweep % 20 == 19)
			flush(app->queue);
	}
	get(app->queue, spins, SITES * sizeof(*last), last);
	for (int i = 0; i < SITES; i++)
		magnet += last[i];
	answer(magnet);
	free(last);
	DROP(spins);
	DROP(black);
	DROP(white);
	DROP(program);
}

/* A mosaic of four views: each is bent on its own, neighbours are joined, and then all of
 * it. */
struct mosaic {
	cl_command_queue queue; /* out of order */
	cl_kernel bend[4], join[2], finish;
	cl_mem bent[4];
};

static cl_event mosaic_enqueue(const struct mosaic *mosaic, size_t pixels, const cl_event *before)
{
	cl_event bent[4], joined[2], done;

	for (int i = 0; i < 4; i++)
		bent[i] = run_after(mosaic->queue, mosaic->bend[i], pixels, 64, before ? 1 : 0,
				    before);
	for (int i = 0; i < 2; i++)
		joined[i] = run_after(mosaic->queue, mosaic->join[i], pixels, 64, 2, bent + 2 * i);
	done = run_after(mosaic->queue, mosaic->finish, pixels, 64, 2, joined);
	for (int i = 0; i < 4; i++)
		DROP(bent[i]);
	DROP(joined[0]);
	DROP(joined[1]);
	return done;
}

static const char join_source[] = MIX(
	"bend") "kernel void join(global const float *a, global const float *b, global float *out)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	out[i] = fmod(out[i] + a[i] + 3 * b[i], 4096.0f);\n"
		"}\n";

void debate_clean_mosaic(struct app *app)
{
	enum { PIXELS = 32 * KIB, MOSAICS = 90 };
	cl_program program = program_new(app, join_source, "");
	struct mosaic mosaic = {queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
				.finish = kernel_new(program, "join")};
	cl_mem view[4], half[2], all = loaded(app, PIXELS, 90);
	float *last = memory(PIXELS * sizeof(*last));
	cl_event before = NULL;

	for (unsigned i = 0; i < 4; i++) {
		view[i] = loaded(app, PIXELS, 70 + i);
		mosaic.bent[i] = loaded(app, PIXELS, 80 + i);
		mosaic.bend[i] = kernel_new(program, "bend");
		args(mosaic.bend[i], "bbi", view[i], mosaic.bent[i], 60);
	}
	for (int i = 0; i < 2; i++) {
		half[i] = loaded(app, PIXELS, 95);
		mosaic.join[i] = kernel_new(program, "join");
		args(mosaic.join[i], "bbb", mosaic.bent[2 * i], mosaic.bent[2 * i + 1], half[i]);
	}
	args(mosaic.finish, "bbb", half[0], half[1], all);
	for (int i = 0; i < MOSAICS; i++) {
		cl_event done;

		for (int k = 0; k < 4; k++) {
			cl_int rounds = 20 + i % 9 + k;

			TRY(clSetKernelArg(mosaic.bend[k], 2, sizeof(rounds), &rounds));
		}
		done = mosaic_enqueue(&mosaic, PIXELS, before ? &before : NULL);
		if (before)
			DROP(before);
		before = done;
		flush(mosaic.queue);
	}
	settle(before);
	get(mosaic.queue, all, PIXELS * sizeof(*last), last);
	answer(total(last, PIXELS));
	free(last);
	DROP(all);
	for (int i = 0; i < 4; i++) {
		DROP(view[i]);
		DROP(mosaic.bent[i]);
		DROP(mosaic.bend[i]);
	}
	DROP(half[0]);
	DROP(half[1]);
	DROP(mosaic.join[0]);
	DROP(mosaic.join[1]);
	DROP(mosaic.finish);
	DROP(mosaic.queue);
	DROP(program);
}

/* Scattering by a crystal: eight orientations are sent together, waves go to and fro, and
 * their spots come back in one piece. */
void debate_clean_crystal(struct app *app)
{
	enum { TURNS = 8, ATOMS = 24 * KIB, GROUPS = 30, ALL = TURNS * ATOMS, SPOTS = 2 * KIB };
	cl_program program = program_new(app, MIX("scatter"), "");
	cl_kernel forth = kernel_new(program, "scatter"), back = kernel_new(program, "scatter");
	cl_mem atoms = buffer_new(app, ALL * sizeof(float));
	cl_mem waves = buffer_new(app, ALL * sizeof(float));
	float *turned = memory(ALL * sizeof(*turned)), *spots = memory(SPOTS * sizeof(*spots));
	double sum = 0;

	args(forth, "bbi", atoms, waves, 8);
	args(back, "bbi", waves, atoms, 8);
	for (int group = 0; group < GROUPS; group++) {
		refill(turned, ALL, group);
		put(app->queue, atoms, ALL * sizeof(*turned), turned);
		for (int sweep = 0; sweep < 6; sweep++)
			run(app->queue, sweep % 2 ? back : forth, ALL, 64);
		get(app->queue, atoms, SPOTS * sizeof(*spots), spots);
		sum += total(spots, SPOTS);
	}
	answer(sum);
	free(turned);
	free(spots);
	DROP(atoms);
	DROP(waves);
	DROP(forth);
	DROP(back);
	DROP(program);
}
