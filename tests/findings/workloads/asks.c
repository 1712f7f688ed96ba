/* SPDX-License-Identifier: MIT */
/* The host asks, or looks, whether the device is through. */
#include "workloads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static const char crack_source[] =
	"kernel void try_keys(global uint *found, uint start, uint target, int rounds)\n"
	"{\n"
	"	uint key = start + get_global_id(0), hash = key ^ 0x9e3779b9u;\n"
	"	for (int i = 0; i < rounds; i++) {\n"
	"		hash ^= hash >> 15;\n"
	"		hash *= 0x85ebca6bu;\n"
	"		hash ^= hash >> 13;\n"
	"	}\n"
	"	if ((hash & 0xfffffu) == target)\n"
	"		atomic_inc(found);\n"
	"}\n";

static cl_int status_of(cl_event event)
{
	cl_int status;

	TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	return status;
}

/* Keys are tried in batches. Until a batch is through, the host asks for its event's status again
 * and again, on a CPU that the device needs too; repaired, it waits for the event. */
void workload_hash_crack(struct app *w)
{
	enum { batch = 64 * KIB, batches = 30 };
	cl_kernel try_keys = kernel_of(w, crack_source, "try_keys");
	cl_mem found = buffer_new(w, sizeof(cl_uint));
	cl_uint count = 0;

	put_now(w->queue, found, sizeof(count), &count);
	for (int i = 0; i < batches; i++) {
		cl_event done;

		args(try_keys, "biii", found, i * batch, 4711, 250);
		done = run_after(w->queue, try_keys, batch, 128, 0, NULL);
		flush(w->queue);
		if (w->repaired)
			TRY(clWaitForEvents(1, &done));
		while (!w->repaired && status_of(done) > CL_COMPLETE)
			;
		DROP(done);
	}
	get(w->queue, found, sizeof(count), &count);
	answer(count);
	DROP(found);
	DROP(try_keys);
}

static const char feed_source[] =
	"kernel void value(global const float *spot, global float *price, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float p = spot[i];\n"
	"	for (int j = 0; j < rounds; j++)\n"
	"		p = p * 0.999f + 0.05f * native_exp(-p);\n"
	"	price[i] = p;\n"
	"}\n";

/* Quotes come in, are valued, and the answer is asked for every three milliseconds, though it is
 * there after a part of one. Repaired, the host waits for it. */
void workload_market_feed(struct app *w)
{
	enum { items = 16 * KIB, quotes = 200 };
	float *spots = new_field(items, 11);
	cl_kernel value = kernel_of(w, feed_source, "value");
	cl_mem spot = buffer_new(w, items * sizeof(float));
	cl_mem price = buffer_new(w, items * sizeof(float));

	for (int i = 0; i < quotes; i++) {
		cl_event done;

		spots[i] += 0.5f;
		put(w->queue, spot, items * sizeof(float), spots);
		args(value, "bbi", spot, price, 8);
		run(w->queue, value, items, 64);
		TRY(clEnqueueReadBuffer(w->queue, price, CL_FALSE, 0, items * sizeof(float), spots,
					0, NULL, &done));
		flush(w->queue);
		while (!w->repaired && status_of(done) > CL_COMPLETE)
			nap(3000);
		TRY(clWaitForEvents(1, &done));
		DROP(done);
	}
	answer(total(spots, items));
	DROP(spot);
	DROP(price);
	DROP(value);
	free(spots);
}

static const char mandel_source[] =
	"kernel void mandel(global int *to, int width, int most, float zoom)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	float a = zoom * (x - width / 2) / width - 0.7f, b = zoom * (y - width / 2) / width;\n"
	"	float p = 0, q = 0;\n"
	"	int i = 0;\n"
	"	for (; i < most && p * p + q * q < 4; i++) {\n"
	"		float r = p * p - q * q + a;\n"
	"		q = 2 * p * q + b;\n"
	"		p = r;\n"
	"	}\n"
	"	to[y * width + x] += i;\n"
	"}\n";

static atomic_bool mandel_done;

static void CL_CALLBACK mandel_ready(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	atomic_store(&mandel_done, true);
}

/* Pictures of the Mandelbrot set. A small callback sets a flag at the end of each, and the host
 * runs in a loop until it is set; repaired, it waits for the picture's event. */
void workload_mandel_flag(struct app *w)
{
	enum { width = 256, pictures = 24 };
	int *picture = calloc(width * width, sizeof(*picture));
	cl_kernel mandel = kernel_of(w, mandel_source, "mandel");
	cl_mem memory = buffer_new(w, width * width * sizeof(*picture));
	double sum = 0;

	put_now(w->queue, memory, width * width * sizeof(*picture), picture);
	for (int i = 0; i < pictures; i++) {
		size_t items[2] = {width, width}, local[2] = {64, 1};
		cl_event done;

		args(mandel, "biif", memory, width, 300, 2.5 - i * 0.05);
		atomic_store(&mandel_done, false);
		TRY(clEnqueueNDRangeKernel(w->queue, mandel, 2, NULL, items, local, 0, NULL,
					   &done));
		TRY(clSetEventCallback(done, CL_COMPLETE, mandel_ready, NULL));
		flush(w->queue);
		if (w->repaired)
			TRY(clWaitForEvents(1, &done));
		while (!w->repaired && !atomic_load(&mandel_done))
			;
		DROP(done);
	}
	get(w->queue, memory, width * width * sizeof(*picture), picture);
	for (int i = 0; i < width * width; i++)
		sum += picture[i];
	answer(sum);
	DROP(memory);
	DROP(mandel);
	free(picture);
}

static const char thumb_source[] =
	"kernel void shrink(global const float *from, global float *to, int by)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int j = 0; j < by; j++)\n"
	"		sum += from[i * by + j];\n"
	"	to[i] = sum / by;\n"
	"}\n";

enum { thumb_count = 600, thumb_items = 8 * KIB, thumb_by = 8 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int due, checked;
	unsigned sum;
	bool inside; /* the callback does the work */
	float pixels[thumb_items];
} thumbs = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static void thumb_checksum(void)
{
	unsigned sum = 1;

	for (int i = 0; i < 240000; i++) {
		sum = sum * 31 + (unsigned)i;
		__asm__ volatile("" ::: "memory");
	}
	thumbs.sum += sum;
}

static void CL_CALLBACK thumb_ready(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	if (thumbs.inside)
		thumb_checksum();
	pthread_mutex_lock(&thumbs.lock);
	if (thumbs.inside)
		thumbs.checked++;
	else
		thumbs.due++;
	pthread_cond_signal(&thumbs.more);
	pthread_mutex_unlock(&thumbs.lock);
}

static void *thumb_main(void *unused)
{
	pthread_mutex_lock(&thumbs.lock);
	while (thumbs.checked < thumb_count) {
		if (thumbs.inside || !thumbs.due) {
			pthread_cond_wait(&thumbs.more, &thumbs.lock);
			continue;
		}
		thumbs.due--;
		pthread_mutex_unlock(&thumbs.lock);
		thumb_checksum();
		pthread_mutex_lock(&thumbs.lock);
		thumbs.checked++;
	}
	pthread_mutex_unlock(&thumbs.lock);
	return unused;
}

/* Thumbnails with a check sum each, which the function that the driver calls at a thumbnail's end
 * computes. Repaired, it only wakes a thread of the program, which does. */
void workload_thumb_checks(struct app *w)
{
	enum { bytes = thumb_items * thumb_by * sizeof(float) };
	float *image = new_field(bytes / sizeof(float), 8);
	cl_kernel shrink = kernel_of(w, thumb_source, "shrink");
	cl_mem from = buffer_new(w, bytes), to = buffer_new(w, sizeof(thumbs.pixels));
	double sum = 0;
	pthread_t thread;

	thumbs.inside = !w->repaired;
	if (pthread_create(&thread, NULL, thumb_main, NULL))
		must(-1, "pthread_create");
	args(shrink, "bbi", from, to, thumb_by);
	for (int i = 0; i < thumb_count; i++) {
		cl_event done;

		for (int j = 0; j < 1024; j++)
			image[i * 97 + j] = (float)(i + j);
		put_now(w->queue, from, bytes, image);
		for (int j = 0; j < 4; j++)
			run_with(w->queue, shrink, thumb_items, 64, 0, NULL, j == 3 ? &done : NULL);
		TRY(clSetEventCallback(done, CL_COMPLETE, thumb_ready, NULL));
		flush(w->queue);
		DROP(done);
	}
	get(w->queue, to, sizeof(thumbs.pixels), thumbs.pixels);
	pthread_join(thread, NULL);
	for (int i = 0; i < thumb_items; i++)
		sum += thumbs.pixels[i];
	answer(sum + thumbs.sum);
	DROP(from);
	DROP(to);
	DROP(shrink);
	free(image);
}
