/* SPDX-License-Identifier: MIT */
/* Offices with files to fetch and requests to answer. */
#include "hearings.h"

#include <pthread.h>
#include <stdlib.h>

static const char tax_source[] =
	"kernel void audit(global const float *books, global float *odd, int rules)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float doubt = 0, entry = books[i];\n"
	"	for (int rule = 0; rule < rules; rule++) {\n"
	"		float other = books[(i + (size_t)rule * 97) % n];\n"
	"		doubt += fabs(entry - other * 0.5f) < 0.01f * rule ? 1 : 0;\n"
	"	}\n"
	"	odd[i] = doubt;\n"
	"}\n";

/* A tax office: the books of each firm come from a file server, and are audited by the device. */

enum { ENTRIES = 128 * KIB, FIRMS = 120, SHELF = 3 };

struct tax_shelf {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	int fetched, audited; /* firms */
	float *books[SHELF];
};

/* As the server answers. */
static void tax_fetch(float *books, int firm)
{
	nap(1100);
	refill(books, ENTRIES, firm);
}

static void *tax_clerk(void *data)
{
	struct tax_shelf *shelf = data;

	for (int firm = 0; firm < FIRMS; firm++) {
		pthread_mutex_lock(&shelf->lock);
		while (firm - shelf->audited >= SHELF)
			pthread_cond_wait(&shelf->moved, &shelf->lock);
		pthread_mutex_unlock(&shelf->lock);
		tax_fetch(shelf->books[firm % SHELF], firm);
		pthread_mutex_lock(&shelf->lock);
		shelf->fetched++;
		pthread_cond_broadcast(&shelf->moved);
		pthread_mutex_unlock(&shelf->lock);
	}
	return NULL;
}

void hearing_tax_returns(struct app *app)
{
	struct tax_shelf shelf = {
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, {NULL}};
	const size_t bytes = ENTRIES * sizeof(float);
	cl_kernel audit = kernel_of(app, tax_source, "audit");
	cl_mem books = buffer_new(app, bytes), odd = buffer_new(app, bytes);
	float report[256];
	pthread_t clerk;
	double sum = 0;

	for (int i = 0; i < SHELF; i++)
		shelf.books[i] = memory(bytes);
	args(audit, "bbi", books, odd, 8);
	if (app->repaired && pthread_create(&clerk, NULL, tax_clerk, &shelf))
		must(-1, "pthread_create");
	for (int firm = 0; firm < FIRMS; firm++) {
		if (app->repaired) {
			pthread_mutex_lock(&shelf.lock);
			while (shelf.fetched <= firm)
				pthread_cond_wait(&shelf.moved, &shelf.lock);
			pthread_mutex_unlock(&shelf.lock);
		} else {
			tax_fetch(shelf.books[firm % SHELF], firm);
		}
		put(app->queue, books, bytes, shelf.books[firm % SHELF]);
		run(app->queue, audit, ENTRIES, 64);
		get(app->queue, odd, sizeof(report), report);
		sum += total(report, 256);
		pthread_mutex_lock(&shelf.lock);
		shelf.audited++;
		pthread_cond_broadcast(&shelf.moved);
		pthread_mutex_unlock(&shelf.lock);
	}
	if (app->repaired)
		pthread_join(clerk, NULL);
	answer(sum);
	for (int i = 0; i < SHELF; i++)
		free(shelf.books[i]);
	DROP(books);
	DROP(odd);
	DROP(audit);
}

/* A help desk of the same office: questions arrive now and then, and two clerks answer them, each
 * with a queue and memory of its own. */

struct desk {
	pthread_mutex_t lock;
	pthread_cond_t asked;
	int questions, taken, last;
};

struct desk_clerk {
	struct app *app;
	struct desk *desk;
	cl_command_queue queue;
	cl_kernel audit;
	cl_mem books, odd;
	float *form;
	double sum;
};

static void *desk_clerk(void *data)
{
	struct desk_clerk *clerk = data;
	struct desk *desk = clerk->desk;

	for (;;) {
		float report[64];
		int question;

		pthread_mutex_lock(&desk->lock);
		while (desk->taken == desk->questions && desk->questions < desk->last)
			pthread_cond_wait(&desk->asked, &desk->lock);
		question = desk->taken < desk->questions ? desk->taken++ : -1;
		pthread_mutex_unlock(&desk->lock);
		if (question < 0)
			return NULL;
		refill(clerk->form, 16 * KIB, question);
		put(clerk->queue, clerk->books, 16 * KIB * sizeof(float), clerk->form);
		run(clerk->queue, clerk->audit, 16 * KIB, 64);
		get(clerk->queue, clerk->odd, sizeof(report), report);
		clerk->sum += total(report, 64);
	}
}

void hearing_clean_ledger(struct app *app)
{
	enum { CLERKS = 2, QUESTIONS = 100 };
	struct desk desk = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, QUESTIONS};
	cl_program program = program_new(app, tax_source, "");
	struct desk_clerk clerks[CLERKS];
	pthread_t threads[CLERKS];
	double sum = 0;

	for (int i = 0; i < CLERKS; i++) {
		clerks[i] = (struct desk_clerk){
			.app = app,
			.desk = &desk,
			.queue = queue_new(app, 0),
			.audit = kernel_new(program, "audit"),
			.books = buffer_new(app, 16 * KIB * sizeof(float)),
			.odd = buffer_new(app, 16 * KIB * sizeof(float)),
			.form = memory(16 * KIB * sizeof(float)),
		};
		args(clerks[i].audit, "bbi", clerks[i].books, clerks[i].odd, 16);
		if (pthread_create(&threads[i], NULL, desk_clerk, &clerks[i]))
			must(-1, "pthread_create");
	}
	for (int i = 0; i < QUESTIONS; i++) {
		nap(i % 8 ? 3000 : 6000);
		pthread_mutex_lock(&desk.lock);
		desk.questions++;
		pthread_cond_broadcast(&desk.asked);
		pthread_mutex_unlock(&desk.lock);
	}
	for (int i = 0; i < CLERKS; i++) {
		pthread_join(threads[i], NULL);
		sum += clerks[i].sum;
		free(clerks[i].form);
		DROP(clerks[i].books);
		DROP(clerks[i].odd);
		DROP(clerks[i].audit);
		DROP(clerks[i].queue);
	}
	answer(sum);
	DROP(program);
}
