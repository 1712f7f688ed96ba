/* SPDX-License-Identifier: MIT */
/* Programs without a fault, though one who looks in a hurry might see some. */
#include "practice.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char bisect_source[] = "kernel void height(global float *out, float angle)\n"
				    "{\n"
				    "	float x = get_global_id(0) * 0.00001f, sum = 0;\n"
				    "	for (int r = 0; r < 20; r++)\n"
				    "		sum = sum * 0.9f + x * angle - 0.1f;\n"
				    "	out[get_global_id(0)] = sum;\n"
				    "}\n";

/* The angle of a shot is sought by bisection: each try depends on the one before, whose last value
 * the host fetches. */
void app_clean_bisect(struct app *app)
{
	enum { items = 128 * KIB, shots = 20, tries = 16 };
	cl_kernel height = kernel_of(app, bisect_source, "height");
	cl_mem path = buffer_new(app, items * sizeof(float));
	double sum = 0;

	for (int i = 0; i < shots; i++) {
		float low = 0, high = 1, value, goal = 0.01f * (float)i;

		for (int j = 0; j < tries; j++) {
			args(height, "bf", path, (double)(low + high) / 2);
			run(app->queue, height, items, 64);
			TRY(clEnqueueReadBuffer(app->queue, path, CL_TRUE,
						(items - 1) * sizeof(float), sizeof(value), &value,
						0, NULL, NULL));
			*(value < goal ? &low : &high) = (low + high) / 2;
		}
		sum += (double)low;
	}
	answer(sum);
	DROP(height);
	DROP(path);
}

/* Packets with a head that is always the same, and a body that never is, in a ring of four places,
 * each of which is awaited before it is used again. */
void app_clean_packets(struct app *app)
{
	enum { ring = 4, head = 1024, items = 64 * KIB, bytes = items * sizeof(float) };
	enum { packets = 260 };
	float *places[ring];
	cl_event written[ring] = {NULL};
	cl_kernel inspect = kernel_of(app, CHAIN("inspect"), "inspect");
	cl_mem wire = buffer_new(app, bytes);

	for (int i = 0; i < ring; i++)
		places[i] = floats(items, 90);
	args(inspect, "bi", wire, 20);
	for (int i = 0; i < packets; i++) {
		float *place = places[i % ring];

		if (written[i % ring])
			settle(written[i % ring]);
		for (int j = head; j < items; j += 8)
			place[j] = (float)(i + j % 64);
		written[i % ring] = put_after(app->queue, wire, bytes, place, 0, NULL);
		for (int j = 0; j < 2; j++)
			run(app->queue, inspect, items, 64);
		flush(app->queue);
	}
	for (int i = 0; i < ring; i++)
		settle(written[i]);
	get(app->queue, wire, bytes, places[0]);
	answer(total(places[0], items));
	for (int i = 0; i < ring; i++)
		free(places[i]);
	DROP(inspect);
	DROP(wire);
}

/* Documents of all sizes. The buffer is made anew when one is larger than all that came before. */
void app_clean_sizes(struct app *app)
{
	enum { documents = 150, least = 32 * KIB, most = 256 * KIB };
	float *text = floats(most, 91);
	cl_kernel count_words = kernel_of(app, CHAIN("count_words"), "count_words");
	cl_mem page = NULL;
	size_t room = 0;
	double sum = 0;

	for (size_t i = 0; i < documents; i++) {
		size_t items = least + i * 7919 % (most - least) / 64 * 64;

		if (items > room) {
			if (page)
				DROP(page);
			page = buffer_new(app, items * sizeof(float));
			room = items;
		}
		refill(text, items, (int)i);
		put(app->queue, page, items * sizeof(float), text);
		args(count_words, "bi", page, 30);
		run(app->queue, count_words, items, 64);
		get(app->queue, page, 4 * KIB, text);
		sum += (double)text[i];
	}
	answer(sum);
	DROP(count_words);
	DROP(page);
	free(text);
}

/* A kernel in one queue makes what one in another queue uses, and the next one needs that again:
 * they do take turns, since they must. */
void app_clean_duet(struct app *app)
{
	enum { items = 128 * KIB, bars = 160 };
	float *score = floats(items, 92);
	cl_program program = program_new(app, CHAIN("violin") CHAIN("cello"), "");
	cl_command_queue queues[2] = {queue_new(app, 0), queue_new(app, 0)};
	cl_kernel players[2] = {kernel_new(program, "violin"), kernel_new(program, "cello")};
	cl_mem music = buffer_new(app, items * sizeof(float));
	cl_event last = NULL;

	put_now(queues[0], music, items * sizeof(float), score);
	TRY(clEnqueueMigrateMemObjects(queues[0], 1, &music, 0, 0, NULL, &last));
	for (int i = 0; i < 2 * bars; i++) {
		args(players[i % 2], "bi", music, 16);

		cl_event done = run_after(queues[i % 2], players[i % 2], items, 64, 1, &last);

		flush(queues[i % 2]);
		DROP(last);
		last = done;
	}
	settle(last);
	get(queues[1], music, items * sizeof(float), score);
	answer(total(score, items));
	for (int i = 0; i < 2; i++) {
		DROP(queues[i]);
		DROP(players[i]);
	}
	DROP(program);
	DROP(music);
	free(score);
}

static const char pulse_source[] =
	"kernel void pulse(global const float *from, global float *to, int rounds)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	float value = from[(i + n / 2) % n] * 0.5f + from[n - 1 - i] * 0.5f;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		value = value * 0.9375f + 0.03125f;\n"
	"	to[i] = value;\n"
	"}\n";

/* A small net whose every neuron hears all others, so that a kernel cannot take two steps at once:
 * one in a tenth of a millisecond, all enqueued at once. */
void app_clean_pulses(struct app *app)
{
	enum { items = 8 * KIB, pulses = 2000 };
	float *net = floats(items, 93);
	cl_kernel pulse = kernel_of(app, pulse_source, "pulse");
	cl_mem nets[2] = {buffer_new(app, items * sizeof(float)),
			  buffer_new(app, items * sizeof(float))};

	put_now(app->queue, nets[0], items * sizeof(float), net);
	for (int i = 0; i < pulses; i++) {
		args(pulse, "bbi", nets[i % 2], nets[1 - i % 2], 40);
		run(app->queue, pulse, items, 64);
		if (i % 100 == 99)
			flush(app->queue);
	}
	get(app->queue, nets[0], items * sizeof(float), net);
	answer(total(net, items));
	DROP(pulse);
	DROP(nets[0]);
	DROP(nets[1]);
	free(net);
}

/* Tides: in each hour three bays fill by themselves, and then the sea levels them, for which all of
 * them have to be through; the barriers are needed. */
void app_clean_tides(struct app *app)
{
	enum { bays = 3, items = 32 * KIB, bytes = items * sizeof(float), hours = 120 };
	float *water = floats(bays * items, 94);
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = program_new(app, CHAIN("fill_bay") CHAIN("level"), "");
	cl_kernel level = kernel_new(program, "level"), fill[bays];
	cl_mem sea = buffer_new(app, bays * bytes), parts[bays];
	cl_int status;

	put_now(queue, sea, bays * bytes, water);
	args(level, "bi", sea, 10);
	for (size_t i = 0; i < bays; i++) {
		cl_buffer_region part = {i * bytes, bytes};

		parts[i] = clCreateSubBuffer(sea, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					     &part, &status);
		must(status, "clCreateSubBuffer");
		fill[i] = kernel_new(program, "fill_bay");
		args(fill[i], "bi", parts[i], 50);
	}
	for (int i = 0; i < hours; i++) {
		for (int j = 0; j < bays; j++)
			run(queue, fill[j], items, 64);
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		run(queue, level, bays * items, 64);
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	}
	get(queue, sea, bays * bytes, water);
	answer(total(water, bays * items));
	for (int i = 0; i < bays; i++) {
		DROP(parts[i]);
		DROP(fill[i]);
	}
	DROP(level);
	DROP(program);
	DROP(sea);
	DROP(queue);
	free(water);
}

/* A sculptor changes the clay by hand between the kernel's turns, all of it, in the memory that it
 * is mapped to. */
void app_clean_clay(struct app *app)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), turns = 220 };
	float *clay = floats(items, 95);
	cl_kernel turn = kernel_of(app, CHAIN("turn"), "turn");
	cl_int status;
	cl_mem wheel = clCreateBuffer(app->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
				      clay, &status);
	double sum = 0;

	must(status, "clCreateBuffer");
	args(turn, "bi", wheel, 45);
	for (int i = 0; i < turns; i++) {
		run(app->queue, turn, items, 64);

		float *hand =
			clEnqueueMapBuffer(app->queue, wheel, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
					   0, bytes, 0, NULL, NULL, &status);

		must(status, "clEnqueueMapBuffer");
		for (int j = 0; j < items; j++)
			hand[j] += 0.001f * (float)(i % 3);
		sum += (double)hand[i];
		TRY(clEnqueueUnmapMemObject(app->queue, wheel, hand, 0, NULL, NULL));
	}
	finish(app->queue);
	answer(sum);
	DROP(turn);
	DROP(wheel);
	free(clay);
}

struct till {
	struct app *app;
	cl_program program;
	int customers;
	double sum;
};

static void *till_serve(void *pointer)
{
	enum { items = 64 * KIB };
	struct till *till = pointer;
	cl_command_queue queue = queue_new(till->app, 0);
	cl_kernel serve = kernel_new(till->program, "serve");
	cl_mem goods = buffer_new(till->app, items * sizeof(float));
	float *basket = floats(items, 96);

	args(serve, "bi", goods, 35);
	for (int i = 0; i < till->customers; i++) {
		refill(basket, items, i);
		put(queue, goods, items * sizeof(float), basket);
		run(queue, serve, items, 64);
		get(queue, goods, items * sizeof(float), basket);
		till->sum += (double)basket[i];
	}
	DROP(queue);
	DROP(serve);
	DROP(goods);
	free(basket);
	return NULL;
}

/* Three tills, each with a thread and a queue; the device always has something to do for one, while
 * the others wait for what they need. */
void app_clean_tills(struct app *app)
{
	struct till tills[3];
	cl_program program = program_new(app, CHAIN("serve"), "");
	double sum = 0;

	for (int i = 0; i < 3; i++)
		tills[i] = (struct till){app, program, 90 + 10 * i, 0};
	threads_run(3, till_serve, tills, sizeof(*tills));
	for (int i = 0; i < 3; i++)
		sum += tills[i].sum;
	answer(sum);
	DROP(program);
}

static void CL_CALLBACK bell_ring(cl_event event, cl_int status, void *bell)
{
	(void)event, (void)status;
	sem_post(bell);
}

/* Courses of a meal, three of which may be under way: a callback rings a bell at the end of each,
 * and whoever cooks waits for it. */
void app_clean_bell(struct app *app)
{
	enum { items = 128 * KIB, courses = 280, ahead = 3 };
	float *food = floats(items, 97);
	cl_kernel cook = kernel_of(app, CHAIN("cook"), "cook");
	cl_mem pot = buffer_new(app, items * sizeof(float));
	sem_t bell;

	sem_init(&bell, 0, ahead);
	put_now(app->queue, pot, items * sizeof(float), food);
	args(cook, "bi", pot, 18);
	for (int i = 0; i < courses; i++) {
		while (sem_wait(&bell)) {
		}
		cl_event event = run_after(app->queue, cook, items, 64, 0, NULL);

		TRY(clSetEventCallback(event, CL_COMPLETE, bell_ring, &bell));
		flush(app->queue);
		DROP(event);
	}
	for (int i = 0; i < ahead; i++)
		while (sem_wait(&bell)) {
		}
	get(app->queue, pot, items * sizeof(float), food);
	answer(total(food, items));
	sem_destroy(&bell);
	DROP(cook);
	DROP(pot);
	free(food);
}

static const char dig_source[] =
	"kernel void dig(global float *v, global int *found, int depth, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float value = v[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		value = value * 0.9999f + 0.00001f;\n"
	"	v[i] = value;\n"
	"	if (i == 777 && depth >= 300)\n"
	"		*found = depth;\n"
	"}\n";

/* Diggers stop when something is found, for which the host looks behind each 20th layer. */
void app_clean_diggers(struct app *app)
{
	enum { items = 64 * KIB, look = 20, most = 2000 };
	float *earth = floats(items, 98);
	cl_kernel dig = kernel_of(app, dig_source, "dig");
	cl_mem ground = buffer_new(app, items * sizeof(float));
	cl_mem finds = buffer_new(app, sizeof(int));
	int found = 0, depth = 0;

	put_now(app->queue, ground, items * sizeof(float), earth);
	put_now(app->queue, finds, sizeof(found), &found);
	for (; depth < most && !found; depth++) {
		args(dig, "bbii", ground, finds, depth, 30);
		run(app->queue, dig, items, 64);
		if (depth % look == look - 1)
			get(app->queue, finds, sizeof(found), &found);
	}
	get(app->queue, ground, items * sizeof(float), earth);
	answer(total(earth, items) + depth);
	DROP(dig);
	DROP(ground);
	DROP(finds);
	free(earth);
}

/* A buoy, as a process of its own that sends 4 KiB each three milliseconds. */
static int buoy_listen(pid_t *buoy, int messages)
{
	int ends[2];
	char message[4 * KIB];

	if (pipe(ends))
		must(-1, "pipe");
	*buoy = fork();
	if (*buoy) {
		close(ends[1]);
		return ends[0];
	}
	close(ends[0]);
	for (int i = 0; i < messages; i++) {
		nap(3000);
		memset(message, i, sizeof(message));
		if (write(ends[1], message, sizeof(message)) < 0)
			_exit(1);
	}
	_exit(0);
}

/* What a buoy sends is worked on when it comes; the device has nothing to do in between, since
 * there is nothing. */
void app_clean_buoy(struct app *app)
{
	enum { items = 64 * KIB, messages = 140 };
	float *sea = floats(items, 99), few[64];
	char message[4 * KIB];
	cl_kernel model = kernel_of(app, CHAIN("model"), "model");
	cl_mem waves = buffer_new(app, items * sizeof(float));
	pid_t buoy;
	int from = buoy_listen(&buoy, messages);
	double sum = 0;

	put_now(app->queue, waves, items * sizeof(float), sea);
	args(model, "bi", waves, 50);
	for (int i = 0; i < messages; i++) {
		for (size_t have = 0; have < sizeof(message);) {
			ssize_t more = read(from, message + have, sizeof(message) - have);

			if (more <= 0)
				must(-1, "read");
			have += (size_t)more;
		}
		put(app->queue, waves, sizeof(message), message);
		run(app->queue, model, items, 64);
		get(app->queue, waves, sizeof(few), few);
		sum += (double)few[i % 64];
	}
	close(from);
	waitpid(buoy, NULL, 0);
	answer(sum);
	DROP(model);
	DROP(waves);
	free(sea);
}

/* All of each frame is shown, which takes the host a while; the device makes the next one meanwhile
 * in the other of two buffers. */
void app_clean_screen(struct app *app)
{
	enum { items = 128 * KIB, bytes = items * sizeof(float), frames = 200, shown = 4096 };
	float *frame[2] = {floats(items, 100), floats(items, 100)};
	cl_kernel paint = kernel_of(app, CHAIN("paint"), "paint");
	cl_mem buffers[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	cl_event down[2];
	double sum = 0;

	for (int i = 0; i < 2; i++)
		put_now(app->queue, buffers[i], bytes, frame[i]);
	for (int i = 0; i <= frames; i++) {
		if (i < frames) {
			args(paint, "bi", buffers[i % 2], 24);
			run(app->queue, paint, items, 64);
			down[i % 2] =
				get_after(app->queue, buffers[i % 2], bytes, frame[i % 2], 0, NULL);
			flush(app->queue);
		}
		if (!i)
			continue;
		settle(down[(i + 1) % 2]);
		busy(frame[(i + 1) % 2], shown, 30);
		sum += (double)frame[(i + 1) % 2][i];
	}
	answer(sum);
	DROP(paint);
	for (int i = 0; i < 2; i++) {
		DROP(buffers[i]);
		free(frame[i]);
	}
}
