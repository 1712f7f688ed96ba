/* SPDX-License-Identifier: MIT */
/* Desks that have much to look through: mail, lottery tickets. */
#include "hearings.h"

#include <stdlib.h>

/* E-mail: the features of a batch of mails are weighed by a model. */

static const char mail_source[] =
	"kernel void weigh(global const float *features, global const float *model,\n"
	"		  global float *scores, int count)\n"
	"{\n"
	"	size_t i = get_global_id(0), topic = i % 2048, mail = i / 2048;\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < count; k++)\n"
	"		sum += features[mail * count + k] * model[k * 2048 + topic];\n"
	"	scores[i] = sum;\n"
	"}\n";

enum { FEATURES = 24 };

struct mail {
	float features[FEATURES];
};

/* As the mail server hands them over. */
static void mail_receive(struct mail **inbox, int mails, int batch)
{
	for (int i = 0; i < mails; i++)
		refill(inbox[i]->features, FEATURES, batch * mails + i);
}

void hearing_mail_scores(struct app *app)
{
	enum { MAILS = 24, BATCHES = 160, TOPICS = 2 * KIB };
	cl_kernel weigh = kernel_of(app, mail_source, "weigh");
	cl_mem features = buffer_new(app, MAILS * sizeof(struct mail));
	cl_mem model = loaded(app, (size_t)FEATURES * TOPICS, 3);
	cl_mem scores = buffer_new(app, MAILS * TOPICS * sizeof(float));
	struct mail *inbox[MAILS], *bag = memory(MAILS * sizeof(*bag));
	float *found = memory(MAILS * TOPICS * sizeof(*found));
	double sum = 0;

	for (int i = 0; i < MAILS; i++)
		inbox[i] = memory(sizeof(*inbox[i]));
	args(weigh, "bbbi", features, model, scores, FEATURES);
	for (int batch = 0; batch < BATCHES; batch++) {
		mail_receive(inbox, MAILS, batch);
		for (int i = 0; i < MAILS; i++) {
			if (app->repaired)
				bag[i] = *inbox[i];
			else
				TRY(clEnqueueWriteBuffer(app->queue, features, CL_FALSE,
							 (size_t)i * sizeof(struct mail),
							 sizeof(struct mail), inbox[i], 0, NULL,
							 NULL));
		}
		if (app->repaired)
			put(app->queue, features, MAILS * sizeof(*bag), bag);
		run(app->queue, weigh, (size_t)MAILS * TOPICS, 64);
		get(app->queue, scores, MAILS * TOPICS * sizeof(*found), found);
		sum += total(found, MAILS * TOPICS);
	}
	answer(sum);
	for (int i = 0; i < MAILS; i++)
		free(inbox[i]);
	free(bag);
	free(found);
	DROP(features);
	DROP(model);
	DROP(scores);
	DROP(weigh);
}

/* A lottery: all tickets of a draw are checked against its numbers. */

static const char lottery_source[] =
	"kernel void hits(global const uint *tickets, global int *prizes, uint drawn, uint extra)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint ticket = tickets[i] * 2654435761u;\n"
	"	int right = 0;\n"
	"	for (int k = 0; k < PICKS; k++) {\n"
	"		uint pick = (ticket >> k | ticket << (32 - k)) & 31;\n"
	"		right += (int)(drawn >> pick & 1);\n"
	"	}\n"
	"	prizes[i] = right * right + (int)(extra == (ticket & 7));\n"
	"}\n";

struct lottery {
	struct app *app;
	cl_mem tickets, prizes;
	cl_kernel hits; /* of the draws before, or NULL */
};

enum { TICKETS = 512 * KIB, PRIZES = 4 * KIB };

static double lottery_draw(struct lottery *lottery, cl_uint drawn)
{
	static cl_int paid[PRIZES];
	struct app *app = lottery->app;
	double sum = 0;

	if (!lottery->hits) {
		cl_program program = program_new(app, lottery_source, "-D PICKS=19");

		lottery->hits = kernel_new(program, "hits");
		DROP(program);
	}
	args(lottery->hits, "bbii", lottery->tickets, lottery->prizes, (int)drawn,
	     (int)(drawn % 8));
	run(app->queue, lottery->hits, TICKETS, 128);
	get(app->queue, lottery->prizes, sizeof(paid), paid);
	if (!app->repaired) {
		DROP(lottery->hits);
		lottery->hits = NULL;
	}
	for (int i = 0; i < PRIZES; i++)
		sum += paid[i];
	return sum;
}

void hearing_lottery_draws(struct app *app)
{
	enum { DRAWS = 12 };
	struct lottery lottery = {app, loaded(app, TICKETS, 13),
				  buffer_new(app, TICKETS * sizeof(cl_int)), NULL};
	double sum = 0;

	for (int i = 0; i < DRAWS; i++)
		sum += lottery_draw(&lottery, (cl_uint)(i + 5) * 2246822519u);
	answer(sum);
	if (lottery.hits)
		DROP(lottery.hits);
	DROP(lottery.tickets);
	DROP(lottery.prizes);
}

/* Three games of one lottery house: the program is built for each game's picks, once, and all
 * draws are checked with these. */
void hearing_clean_variants(struct app *app)
{
	enum { GAMES = 3, DRAWS = 48 };
	static const char *const options[GAMES] = {"-D PICKS=6", "-D PICKS=9", "-D PICKS=12"};
	cl_mem tickets = loaded(app, TICKETS, 14);
	cl_mem prizes = buffer_new(app, TICKETS * sizeof(cl_int));
	cl_int *paid = memory(PRIZES * sizeof(*paid));
	cl_kernel hits[GAMES];
	double sum = 0;

	for (int i = 0; i < GAMES; i++) {
		cl_program program = program_new(app, lottery_source, options[i]);

		hits[i] = kernel_new(program, "hits");
		DROP(program);
	}
	for (int i = 0; i < DRAWS; i++) {
		args(hits[i % GAMES], "bbii", tickets, prizes, i * 40503 + 7, i % 8);
		run(app->queue, hits[i % GAMES], TICKETS, 128);
		get(app->queue, prizes, PRIZES * sizeof(*paid), paid);
		for (int k = 0; k < PRIZES; k++)
			sum += paid[k];
	}
	answer(sum);
	free(paid);
	for (int i = 0; i < GAMES; i++)
		DROP(hits[i]);
	DROP(tickets);
	DROP(prizes);
}
