/* SPDX-License-Identifier: MIT */
/* Who waits for whom: barriers, events, flushes, and what the host does meanwhile. */
#include "lectures.h"

#include <pthread.h>
#include <stdlib.h>

/* Four cameras of a rig, in one out-of-order queue: a shot, a window of what was
 * recorded, goes up, is undistorted and comes back,
 * each by the event of the one before. What is asked of a camera ends with a barrier. */
enum { SLIDE = 64, CAMERAS = 4, VIEW = 96 * KIB, ROUNDS = 60 };

struct camera {
	cl_mem raw, flat;
	float *shot, *result;
	cl_event made, done;
};

static void shot_end(struct app *app, cl_command_queue rig)
{
	if (!app->repaired)
		TRY(clEnqueueBarrierWithWaitList(rig, 0, NULL, NULL));
	flush(rig);
}

static void camera_shoot(struct app *app, cl_command_queue rig, struct camera *c,
			 cl_kernel undistort, int round)
{
	const size_t bytes = VIEW * sizeof(float);
	cl_event sent = put_after(rig, c->raw, bytes, c->shot + (ptrdiff_t)round * SLIDE,
				  c->made ? 1 : 0, &c->made);
	cl_event before[2] = {sent, c->done};

	if (c->made)
		DROP(c->made);
	args(undistort, "bbi", c->raw, c->flat, 16);
	c->made = run_after(rig, undistort, VIEW, 64, c->done ? 2 : 1, before);
	if (c->done)
		DROP(c->done);
	c->done = get_after(rig, c->flat, bytes, c->result, 1, &c->made);
	DROP(sent);
	shot_end(app, rig);
}

void lecture_stage_fence(struct app *app)
{
	const size_t bytes = VIEW * sizeof(float);
	cl_command_queue rig = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel undistort = kernel_of(app, MAP("undistort"), "undistort");
	struct camera cameras[CAMERAS];
	double sum = 0;

	for (int i = 0; i < CAMERAS; i++)
		cameras[i] = (struct camera){buffer_new(app, bytes),
					     buffer_new(app, bytes),
					     floats(VIEW + ROUNDS * SLIDE, (unsigned)i),
					     memory(bytes),
					     NULL,
					     NULL};
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < CAMERAS; i++)
			camera_shoot(app, rig, &cameras[i], undistort, round);
	finish(rig);
	for (int i = 0; i < CAMERAS; i++) {
		sum += (double)cameras[i].result[i];
		DROP(cameras[i].made);
		DROP(cameras[i].done);
		DROP(cameras[i].raw);
		DROP(cameras[i].flat);
		free(cameras[i].shot);
		free(cameras[i].result);
	}
	answer(sum);
	DROP(undistort);
	DROP(rig);
}

/* Text of a sequencer is packed by the host, then counted by the device. The repaired one packs
 * the next lot while the device counts. */
enum { TEXT = 256 * KIB, PACKED = TEXT / 16, TEXTS = 140, COUNTS = 4 * KIB, COPIES = 128 };

static const char count_source[] =
	"kernel void count(global const uint *packed, global uint *counts, int words)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	uint seen = 0, probe = (uint)i * 2654435761u;\n"
	"	for (int k = 0; k < 8; k++)\n"
	"		seen += popcount(packed[(i + k) & (words - 1)] ^ (probe + (uint)k));\n"
	"	counts[i] = seen;\n"
	"}\n";

static void text_pack(uint32_t *packed, unsigned seed)
{
	for (size_t i = 0; i < PACKED; i++) {
		uint32_t word = 0;

		for (int k = 0; k < 8; k++) {
			seed = seed * 1103515245u + 12345u;

			char base = "ACGT"[seed >> 20 & 3];

			word = word << 2 | (base == 'C'	  ? 1
					    : base == 'G' ? 2
					    : base == 'T' ? 3
							  : 0);
			__asm__ volatile("" : "+r"(word));
		}
		packed[i] = word;
	}
}

void lecture_read_parse(struct app *app)
{
	const size_t bytes = PACKED * sizeof(uint32_t), items = (size_t)COUNTS * COPIES;
	cl_mem text = buffer_new(app, bytes), counts = buffer_new(app, items * sizeof(cl_uint));
	cl_kernel count = kernel_of(app, count_source, "count");
	uint32_t *packed[2] = {memory(bytes), memory(bytes)};
	cl_uint *seen = memory(COUNTS * sizeof(*seen));
	double sum = 0;

	args(count, "bbi", text, counts, PACKED);
	text_pack(packed[0], 1);
	for (int i = 0; i < TEXTS; i++) {
		if (!app->repaired && i)
			text_pack(packed[i % 2], (unsigned)i + 1);
		put(app->queue, text, bytes, packed[i % 2]);
		run(app->queue, count, items, 64);

		cl_event done =
			get_after(app->queue, counts, COUNTS * sizeof(*seen), seen, 0, NULL);

		flush(app->queue);
		if (app->repaired && i + 1 < TEXTS)
			text_pack(packed[(i + 1) % 2], (unsigned)i + 2);
		settle(done);
		sum += seen[i];
	}
	answer(sum);
	DROP(count);
	DROP(text);
	DROP(counts);
	free(packed[0]);
	free(packed[1]);
	free(seen);
}

/* Spectra of an antenna: what is done with a result hangs on its event, and the driver's thread
 * does it. The repaired one's callback only tells a thread of the program. */
enum { BINS = 128 * KIB, DISHES = 4, SPECTRA = 200 };

struct dish {
	struct observation *observation;
	float *spectrum;
	int index;
};

struct observation {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct dish dishes[DISHES];
	int ready[SPECTRA], readies, used; /* which dish has a spectrum, in this order */
	bool busy[DISHES], by_callback;
};

static void spectrum_store(struct dish *dish)
{
	struct observation *o = dish->observation;

	busy(dish->spectrum, 16 * KIB, 3);
	nap(900); /* until the archive has it */
	pthread_mutex_lock(&o->lock);
	o->busy[dish->index] = false;
	o->used++;
	pthread_cond_broadcast(&o->changed);
	pthread_mutex_unlock(&o->lock);
}

static void CL_CALLBACK spectrum_here(cl_event event, cl_int status, void *data)
{
	struct dish *dish = data;
	struct observation *o = dish->observation;

	(void)event;
	(void)status;
	if (o->by_callback) {
		spectrum_store(dish);
		return;
	}
	pthread_mutex_lock(&o->lock);
	o->ready[o->readies++] = dish->index;
	pthread_cond_broadcast(&o->changed);
	pthread_mutex_unlock(&o->lock);
}

static void *archivist(void *data)
{
	struct observation *o = data;

	for (int i = 0; i < SPECTRA; i++) {
		pthread_mutex_lock(&o->lock);
		while (o->readies <= i)
			pthread_cond_wait(&o->changed, &o->lock);
		pthread_mutex_unlock(&o->lock);
		spectrum_store(&o->dishes[o->ready[i]]);
	}
	return NULL;
}

void lecture_result_hook(struct app *app)
{
	static struct observation o = {.lock = PTHREAD_MUTEX_INITIALIZER,
				       .changed = PTHREAD_COND_INITIALIZER};
	const size_t bytes = BINS * sizeof(float);
	cl_mem samples = filled(app, 2 * BINS, 12), spectra[DISHES];
	cl_kernel fold = kernel_of(app, MAP("fold"), "fold");
	pthread_t thread;
	double sum = 0;

	o.by_callback = !app->repaired;
	for (int i = 0; i < DISHES; i++) {
		o.dishes[i] = (struct dish){&o, memory(bytes), i};
		spectra[i] = buffer_new(app, 2 * bytes);
	}
	if (app->repaired && pthread_create(&thread, NULL, archivist, &o))
		must(-1, "pthread_create");
	for (int i = 0; i < SPECTRA; i++) {
		int at = i % DISHES;

		pthread_mutex_lock(&o.lock);
		while (o.busy[at])
			pthread_cond_wait(&o.changed, &o.lock);
		o.busy[at] = true;
		pthread_mutex_unlock(&o.lock);
		args(fold, "bbi", samples, spectra[at], 16 + i % 5);
		run(app->queue, fold, 2 * BINS, 64);

		cl_event here =
			get_after(app->queue, spectra[at], bytes, o.dishes[at].spectrum, 0, NULL);

		TRY(clSetEventCallback(here, CL_COMPLETE, spectrum_here, &o.dishes[at]));
		flush(app->queue);
		DROP(here);
	}
	pthread_mutex_lock(&o.lock);
	while (o.used < SPECTRA)
		pthread_cond_wait(&o.changed, &o.lock);
	pthread_mutex_unlock(&o.lock);
	if (app->repaired)
		pthread_join(thread, NULL);
	finish(app->queue);
	for (int i = 0; i < DISHES; i++) {
		sum += (double)o.dishes[i].spectrum[3];
		free(o.dishes[i].spectrum);
		DROP(spectra[i]);
	}
	answer(sum);
	DROP(samples);
	DROP(fold);
}
