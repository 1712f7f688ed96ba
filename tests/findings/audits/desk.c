/* SPDX-License-Identifier: MIT */
/* Offices: assessments of taxes, auctions, and what a recommender thinks of a user. */
#include "audits.h"

#include <sched.h>
#include <stdlib.h>

/* Returns are assessed batch by batch; the next batch is posted when one is back. */
enum { BATCHES = 160, FORMS = 32 * KIB, FORM_STEP = 2048 };

static const char tax_source[] =
	"kernel void assess(global float *due, global const float *income,\n"
	"		   global const float *brackets)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float left = income[i] * 100000, sum = 0;\n"
	"	for (int b = 0; b < 12; b++) {\n"
	"		float part = fmin(left, 2000.0f + 500.0f * brackets[b]);\n"
	"		sum += part * (0.0625f + 0.015625f * b);\n"
	"		left -= part;\n"
	"	}\n"
	"	due[i] = sum;\n"
	"}\n";

static void batch_await(const struct app *app, cl_event event)
{
	cl_int state = CL_QUEUED;

	if (app->repaired) {
		settle(event);
		return;
	}
	for (;;) {
		TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
				   NULL));
		if (state <= CL_COMPLETE)
			break;
		nap(2000);
	}
	DROP(event);
}

void audit_tax_batches(struct app *app)
{
	cl_kernel assess = kernel_of(app, tax_source, "assess");
	float *incomes = floats(FORMS + BATCHES * FORM_STEP, 15), *due = memory(FORMS * 4);
	cl_mem income = buffer_new(app, FORMS * sizeof(float)), brackets = loaded(app, 12, 9);
	cl_mem result = buffer_new(app, FORMS * sizeof(float));
	double sum = 0;

	args(assess, "bbb", result, income, brackets);
	for (int batch = 0; batch < BATCHES; batch++) {
		put(app->queue, income, FORMS * sizeof(float), incomes + batch * FORM_STEP);
		run(app->queue, assess, FORMS, 64);
		cl_event back = get_after(app->queue, result, FORMS * sizeof(float), due, 0, NULL);

		flush(app->queue);
		batch_await(app, back);
		sum += total(due, FORMS / 16);
	}
	answer(sum);
	DROP(assess);
	DROP(income);
	DROP(brackets);
	DROP(result);
	free(incomes);
	free(due);
}

/* Two workers close auctions: of each lot's bids, the second price. */
enum { BIDDERS = 2, LOTS = 700, BIDS = 32 * KIB, BID_STEP = 256, LANES = 512 };

static const char bid_source[] =
	"kernel void second_price(global float *prices, global const float *bids, int count)\n"
	"{\n"
	"	int lane = get_global_id(0);\n"
	"	float first = 0, second = 0;\n"
	"	for (int i = lane; i < count; i += 512) {\n"
	"		float bid = bids[i];\n"
	"		for (int fee = 0; fee < 6; fee++)\n"
	"			bid = bid * 0.96875f + 0.03125f * bid * bid;\n"
	"		second = fmax(second, fmin(first, bid));\n"
	"		first = fmax(first, bid);\n"
	"	}\n"
	"	prices[lane] = first;\n"
	"	prices[512 + lane] = second;\n"
	"}\n";

struct bid_worker {
	struct app *app;
	cl_program program;
	const float *bids;
	int index;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem in, out;
	double sum;
};

static bool lot_closed(cl_event event)
{
	cl_int state;

	TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL));
	return state <= CL_COMPLETE;
}

static double worker_sell(struct bid_worker *worker, int lot)
{
	float prices[2 * LANES], first = 0, second = 0;
	cl_event closed;

	put(worker->queue, worker->in, BIDS * sizeof(float), worker->bids + lot * BID_STEP);
	run(worker->queue, worker->kernel, LANES, 32);
	closed = get_after(worker->queue, worker->out, sizeof(prices), prices, 0, NULL);
	flush(worker->queue);
	if (!worker->app->repaired)
		while (!lot_closed(closed))
			sched_yield();
	settle(closed);
	for (int i = 0; i < 2 * LANES; i++) {
		float least = prices[i] < first ? prices[i] : first;

		second = least > second ? least : second;
		first = prices[i] > first ? prices[i] : first;
	}
	return (double)second;
}

static void *worker_main(void *data)
{
	struct bid_worker *worker = data;

	worker->queue = queue_new(worker->app, 0);
	worker->kernel = kernel_new(worker->program, "second_price");
	worker->in = buffer_new(worker->app, BIDS * sizeof(float));
	worker->out = buffer_new(worker->app, 2 * LANES * sizeof(float));
	args(worker->kernel, "bbi", worker->out, worker->in, BIDS);
	for (int lot = worker->index; lot < LOTS; lot += BIDDERS)
		worker->sum += worker_sell(worker, lot);
	DROP(worker->kernel);
	DROP(worker->in);
	DROP(worker->out);
	DROP(worker->queue);
	return NULL;
}

void audit_bid_workers(struct app *app)
{
	cl_program program = program_new(app, bid_source, "");
	float *bids = floats(BIDS + LOTS * BID_STEP, 31);
	struct bid_worker workers[BIDDERS];
	double sum = 0;

	for (int i = 0; i < BIDDERS; i++)
		workers[i] = (struct bid_worker){
			.app = app, .program = program, .bids = bids, .index = i};
	threads_run(BIDDERS, worker_main, workers, sizeof(*workers));
	for (int i = 0; i < BIDDERS; i++)
		sum += workers[i].sum;
	answer(sum);
	DROP(program);
	free(bids);
}

/* Of all titles, the one that a user likes best: partial results of groups, then of the host. */
enum { TITLES = 64 * KIB, FACTORS = 8, USERS = 400, TASTE_LANES = 128, TASTE_GROUPS = 16 };

static const char taste_source[] =
	"kernel void best_of(global float *best, global const float *titles,\n"
	"		    global const float *users, int user, int count, int slots,\n"
	"		    local float *scratch)\n"
	"{\n"
	"	int lane = get_local_id(0), lanes = get_local_size(0);\n"
	"	float top = -1;\n"
	"	for (int t = get_global_id(0); t < count; t += get_global_size(0)) {\n"
	"		float score = 0, liking = 0;\n"
	"		for (int f = 0; f < 8; f++)\n"
	"			score += titles[f * count + t] * users[user * 8 + f];\n"
	"		for (int k = 0; k < 8; k++)\n"
	"			liking = 0.5f * liking + score / (1.0f + liking);\n"
	"		top = fmax(top, liking);\n"
	"	}\n"
	"	scratch[lane] = top;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int half_of = lanes / 2; half_of; half_of /= 2) {\n"
	"		if (lane < half_of)\n"
	"			scratch[lane] = fmax(scratch[lane], scratch[lane + half_of]);\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	if (!lane)\n"
	"		best[user * slots + get_group_id(0)] = scratch[0];\n"
	"}\n";

void audit_taste_best(struct app *app)
{
	cl_kernel best_of = kernel_of(app, taste_source, "best_of");
	int groups = app->repaired ? TASTE_GROUPS : 1;
	size_t count = (size_t)USERS * (size_t)groups;
	cl_mem titles = loaded(app, TITLES * FACTORS, 6), users = loaded(app, USERS * FACTORS, 7);
	cl_mem best = buffer_new(app, count * sizeof(float));
	float *tops = memory(count * sizeof(float));
	double sum = 0;

	for (int user = 0; user < USERS; user++) {
		args(best_of, "bbbiiil", best, titles, users, user, TITLES, groups,
		     TASTE_LANES * sizeof(float));
		run(app->queue, best_of, (size_t)groups * TASTE_LANES, TASTE_LANES);
		flush(app->queue);
	}
	get(app->queue, best, count * sizeof(float), tops);
	for (int user = 0; user < USERS; user++) {
		float top = -1;

		for (int g = 0; g < groups; g++)
			if (tops[user * groups + g] > top)
				top = tops[user * groups + g];
		sum += (double)top;
	}
	answer(sum);
	DROP(best_of);
	DROP(titles);
	DROP(users);
	DROP(best);
	free(tops);
}
