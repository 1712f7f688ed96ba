/* SPDX-License-Identifier: MIT */
/* Programs that have nothing wrong, and do what others do without need. */
#include "resits.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { ITEMS = 1 << 15 };

/* A solver that has to look at its residual, and does so once in many sweeps: while the host looks,
 * the next sweeps run already. */
void resit_clean_residual(struct app *app)
{
	enum { CHECKS = 50, SWEEPS = 50 };
	float *unknowns = floats(ITEMS, 4), residual[2][16] = {{0}};
	cl_mem v = loaded(app, ITEMS * 4, unknowns);
	cl_kernel sweep = kernel_of(app, MIX("sweep"), "sweep");
	cl_event seen[2] = {NULL, NULL};
	double last = 0;

	args(sweep, "bi", v, 4);
	for (int check = 0; check < CHECKS; check++) {
		int slot = check % 2;

		for (int i = 0; i < SWEEPS; i++)
			run(app->queue, sweep, ITEMS, 64);
		seen[slot] = get_after(app->queue, v, sizeof(residual[0]), residual[slot], 0, NULL);
		flush(app->queue);
		if (seen[!slot]) {
			settle(seen[!slot]);
			seen[!slot] = NULL;
			last = total(residual[!slot], 16);
			if (last < 0)
				break;
		}
	}
	finish(app->queue);
	for (int i = 0; i < 2; i++)
		if (seen[i])
			DROP(seen[i]);
	answer(last);
	DROP(sweep);
	DROP(v);
	free(unknowns);
}

/* Packets by way of three queues (in, compute, out) and three buffers, each of which is filled
 * again only when it was read. */
void resit_clean_relay(struct app *app)
{
	enum { SLOTS = 3, PACKETS = 2000 };
	cl_command_queue in = queue_new(app, 0), out = queue_new(app, 0);
	cl_program program = program_new(app, MIX("decode"), "");
	float *packets[SLOTS], *decoded[SLOTS];
	cl_event taken[SLOTS] = {NULL};
	cl_kernel decode[SLOTS];
	cl_mem slots[SLOTS];
	double sum = 0;

	for (int i = 0; i < SLOTS; i++) {
		slots[i] = buffer_new(app, ITEMS * 4);
		decode[i] = kernel_new(program, "decode");
		args(decode[i], "bi", slots[i], 8);
		packets[i] = floats(ITEMS, (unsigned)i);
		decoded[i] = memory(ITEMS * 4);
	}
	for (int i = 0; i < PACKETS; i++) {
		int slot = i % SLOTS;
		cl_event up, done;

		if (taken[slot]) {
			settle(taken[slot]);
			sum += (double)decoded[slot][i % ITEMS];
		}
		packets[slot][i] += 1;
		up = put_after(in, slots[slot], ITEMS * 4, packets[slot], 0, NULL);
		flush(in);
		done = run_after(app->queue, decode[slot], ITEMS, 64, 1, &up);
		flush(app->queue);
		taken[slot] = get_after(out, slots[slot], ITEMS * 4, decoded[slot], 1, &done);
		flush(out);
		DROP(up);
		DROP(done);
	}
	for (int i = 0; i < SLOTS; i++) {
		settle(taken[i]);
		DROP(decode[i]);
		DROP(slots[i]);
		free(packets[i]);
		free(decoded[i]);
	}
	answer(sum);
	DROP(program);
	DROP(in);
	DROP(out);
}

/* Phases of a task graph on a queue without order: what a phase has is independent, and a barrier
 * ends it, since the next phase reads all of it. */
void resit_clean_phases(struct app *app)
{
	enum { PARTS = 4, PHASES = 500 };
	cl_command_queue queue = unordered_queue(app);
	cl_program program = program_new(app, MIX("relax"), "");
	float *part = floats(ITEMS, 2);
	cl_kernel relax[PARTS];
	cl_mem parts[PARTS];
	double sum = 0;

	for (int i = 0; i < PARTS; i++) {
		parts[i] = loaded(app, ITEMS * 4, part);
		relax[i] = kernel_new(program, "relax");
		args(relax[i], "bi", parts[i], 4);
	}
	for (int phase = 0; phase < PHASES; phase++) {
		for (int i = 0; i < PARTS; i++) {
			args(relax[i], "b", parts[(i + phase) % PARTS]);
			run(queue, relax[i], ITEMS, 64);
		}
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		if (phase % 20 == 19)
			flush(queue);
	}
	for (int i = 0; i < PARTS; i++) {
		get(queue, parts[i], ITEMS * 4, part);
		sum += total(part, ITEMS);
		DROP(relax[i]);
		DROP(parts[i]);
	}
	answer(sum);
	DROP(program);
	DROP(queue);
	free(part);
}

/* A writer of results that sleeps until a callback, which does no more than that, says how many
 * there are; work is enqueued far ahead. */

enum { RESULTS = 60 };

struct writer {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int ready;
	float results[RESULTS][16];
	double sum;
};

static void CL_CALLBACK writer_tell(cl_event event, cl_int status, void *arg)
{
	struct writer *writer = arg;

	(void)event;
	must(status, "result");
	pthread_mutex_lock(&writer->lock);
	writer->ready++;
	pthread_cond_signal(&writer->more);
	pthread_mutex_unlock(&writer->lock);
}

static void *writer_main(void *arg)
{
	struct writer *writer = arg;

	for (int i = 0; i < RESULTS; i++) {
		pthread_mutex_lock(&writer->lock);
		while (writer->ready <= i)
			pthread_cond_wait(&writer->more, &writer->lock);
		pthread_mutex_unlock(&writer->lock);
		writer->sum += total(writer->results[i], 16);
	}
	return NULL;
}

void resit_clean_writer(struct app *app)
{
	struct writer writer = {.lock = PTHREAD_MUTEX_INITIALIZER,
				.more = PTHREAD_COND_INITIALIZER};
	float *state = floats(ITEMS, 8);
	cl_mem v = loaded(app, ITEMS * 4, state);
	cl_kernel advance = kernel_of(app, MIX("advance"), "advance");
	pthread_t thread;

	args(advance, "bi", v, 4);
	if (pthread_create(&thread, NULL, writer_main, &writer))
		exit(1);
	for (int i = 0; i < RESULTS; i++) {
		cl_event done;

		for (int k = 0; k < 40; k++)
			run(app->queue, advance, ITEMS, 64);
		done = get_after(app->queue, v, sizeof(writer.results[i]), writer.results[i], 0,
				 NULL);
		TRY(clSetEventCallback(done, CL_COMPLETE, writer_tell, &writer));
		flush(app->queue);
		DROP(done);
	}
	finish(app->queue);
	pthread_join(thread, NULL);
	answer(writer.sum);
	DROP(advance);
	DROP(v);
	free(state);
}

/* A process of its own makes a table with the device, and has ended before the program begins. */

void resit_table_maker(struct app *app)
{
	float *table = floats(ITEMS, 3);
	cl_mem v = loaded(app, ITEMS * 4, table);
	cl_kernel tabulate = kernel_of(app, MIX("tabulate"), "tabulate");

	args(tabulate, "bi", v, 4);
	for (int i = 0; i < 1000; i++) {
		run(app->queue, tabulate, ITEMS, 64);
		if (i % 50 == 0)
			flush(app->queue);
	}
	get(app->queue, v, ITEMS * 4, table);
	if (write(1, table, 4096) != 4096)
		exit(1);
	DROP(tabulate);
	DROP(v);
	free(table);
}

void resit_clean_stages(struct app *app)
{
	struct peer maker = peer_start(app, "table_maker");
	float *table = floats(ITEMS, 1);
	cl_kernel use;
	cl_mem v;

	if (read(maker.out, table, 4096) != 4096)
		exit(1);
	peer_end(&maker);
	v = loaded(app, ITEMS * 4, table);
	use = kernel_of(app, MIX("use"), "use");
	args(use, "bi", v, 4);
	for (int i = 0; i < 2000; i++) {
		run(app->queue, use, ITEMS, 64);
		if (i % 50 == 0)
			flush(app->queue);
	}
	get(app->queue, v, ITEMS * 4, table);
	answer(total(table, ITEMS));
	DROP(use);
	DROP(v);
	free(table);
}
