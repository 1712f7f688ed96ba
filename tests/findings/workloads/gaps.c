/* SPDX-License-Identifier: MIT */
/* The device has nothing to do for a while, since the host does something else. */
#include "workloads.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static const char kmeans_source[] =
	"kernel void label(global const float *x, global const float *centre, global int *to, int k)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float best = 1e30f;\n"
	"	int at = 0;\n"
	"	for (int j = 0; j < k; j++) {\n"
	"		float d = fabs(x[i] - centre[j]);\n"
	"		at = d < best ? j : at;\n"
	"		best = min(d, best);\n"
	"	}\n"
	"	to[i] = at;\n"
	"}\n"
	"kernel void sums(global const float *x, global const int *label, global float *sum,\n"
	"		 int k, int each)\n"
	"{\n"
	"	size_t me = get_global_id(0), at = me * each;\n"
	"	float part[16] = {0}, count[16] = {0};\n"
	"	for (int i = 0; i < each; i++) {\n"
	"		part[label[at + i]] += x[at + i];\n"
	"		count[label[at + i]] += 1;\n"
	"	}\n"
	"	for (int j = 0; j < k; j++) {\n"
	"		sum[(me * k + j) * 2] = part[j];\n"
	"		sum[(me * k + j) * 2 + 1] = count[j];\n"
	"	}\n"
	"}\n";

/* k-means: each point's label comes back, and the host sums up the clusters; repaired, a second
 * kernel does, in 128 parts, and the host adds these. */
void workload_kmeans_centres(struct app *w)
{
	enum { items = 256 * KIB, k = 8, parts = 128, rounds = 250 };
	float *x = new_field(items, 21), centre[k], *sum = malloc(parts * k * 2 * sizeof(float));
	int *label = malloc(items * sizeof(*label));
	cl_program program = program_new(w, kmeans_source, "");
	cl_kernel labels_of = kernel_new(program, "label"), sums_of = kernel_new(program, "sums");
	cl_mem points = buffer_new(w, items * sizeof(float)),
	       centres = buffer_new(w, sizeof(centre));
	cl_mem labels = buffer_new(w, items * sizeof(*label));
	cl_mem sums = buffer_new(w, parts * k * 2 * sizeof(float));

	put_now(w->queue, points, items * sizeof(float), x);
	for (int j = 0; j < k; j++)
		centre[j] = ((float)j + 0.1f) / k;
	for (int i = 0; i < rounds; i++) {
		double total[k] = {0}, count[k] = {0};

		put(w->queue, centres, sizeof(centre), centre);
		args(labels_of, "bbbi", points, centres, labels, k);
		run(w->queue, labels_of, items, 64);
		if (w->repaired) {
			args(sums_of, "bbbii", points, labels, sums, k, items / parts);
			run(w->queue, sums_of, parts, 8);
			get(w->queue, sums, parts * k * 2 * sizeof(float), sum);
			for (int j = 0; j < parts * k; j++) {
				total[j % k] += sum[j * 2];
				count[j % k] += sum[j * 2 + 1];
			}
		} else {
			get(w->queue, labels, items * sizeof(*label), label);
			for (int j = 0; j < items; j++) {
				total[label[j] & (k - 1)] += x[j];
				count[label[j] & (k - 1)] += 1;
			}
		}
		for (int j = 0; j < k; j++)
			centre[j] = count[j] > 0 ? (float)(total[j] / count[j]) : centre[j];
	}
	answer(total(centre, k));
	DROP(points);
	DROP(centres);
	DROP(labels);
	DROP(sums);
	DROP(labels_of);
	DROP(sums_of);
	DROP(program);
	free(x);
	free(sum);
	free(label);
}

static const char chunk_source[] =
	"kernel void count_words(global const uint *text, global uint *count, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint c = text[i], n = 0;\n"
	"	for (int j = 0; j < rounds; j++) {\n"
	"		c = c * 1103515245u + 12345u;\n"
	"		n += (c >> 16 & 31) == 0;\n"
	"	}\n"
	"	count[i] += n;\n"
	"}\n";

enum { chunk_items = 32 * KIB, chunk_count = 120 };

/* A slow disk. */
static void chunk_load(cl_uint *chunk, int number)
{
	nap(2500);
	for (int i = 0; i < chunk_items; i++)
		chunk[i] = (cl_uint)(number * 31 + i);
}

struct reader {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int loaded, used;
	cl_uint *chunks[2];
};

static void *reader_main(void *argument)
{
	struct reader *reader = argument;

	for (int i = 0; i < chunk_count; i++) {
		pthread_mutex_lock(&reader->lock);
		while (reader->loaded - reader->used > 1)
			pthread_cond_wait(&reader->changed, &reader->lock);
		pthread_mutex_unlock(&reader->lock);
		chunk_load(reader->chunks[i % 2], i);
		pthread_mutex_lock(&reader->lock);
		reader->loaded++;
		pthread_cond_broadcast(&reader->changed);
		pthread_mutex_unlock(&reader->lock);
	}
	return NULL;
}

/* Words are counted in chunks of a file. The host reads a chunk from the disk, has it counted, and
 * reads the next one; repaired, a thread reads ahead by two. */
void workload_spool_chunks(struct app *w)
{
	enum { bytes = chunk_items * sizeof(cl_uint) };
	struct reader reader = {.lock = PTHREAD_MUTEX_INITIALIZER,
				.changed = PTHREAD_COND_INITIALIZER};
	cl_kernel count_words = kernel_of(w, chunk_source, "count_words");
	cl_mem text = buffer_new(w, bytes), count = buffer_new(w, bytes);
	double sum = 0;
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		reader.chunks[i] = calloc(1, bytes);
	put_now(w->queue, count, bytes, reader.chunks[0]);
	args(count_words, "bbi", text, count, 50);
	if (w->repaired && pthread_create(&thread, NULL, reader_main, &reader))
		must(-1, "pthread_create");
	for (int i = 0; i < chunk_count; i++) {
		pthread_mutex_lock(&reader.lock);
		while (w->repaired && reader.loaded <= i)
			pthread_cond_wait(&reader.changed, &reader.lock);
		pthread_mutex_unlock(&reader.lock);
		if (!w->repaired)
			chunk_load(reader.chunks[i % 2], i);
		put(w->queue, text, bytes, reader.chunks[i % 2]);
		for (int j = 0; j < 4; j++)
			run(w->queue, count_words, chunk_items, 128);
		finish(w->queue);
		pthread_mutex_lock(&reader.lock);
		reader.used++;
		pthread_cond_broadcast(&reader.changed);
		pthread_mutex_unlock(&reader.lock);
	}
	if (w->repaired)
		pthread_join(thread, NULL);
	get(w->queue, count, bytes, reader.chunks[0]);
	for (int i = 0; i < chunk_items; i++)
		sum += reader.chunks[0][i];
	answer(sum);
	for (int i = 0; i < 2; i++)
		free(reader.chunks[i]);
	DROP(text);
	DROP(count);
	DROP(count_words);
}

static const char encode_source[] = "kernel void quantise(global float *x, int rounds)\n"
				    "{\n"
				    "	size_t i = get_global_id(0);\n"
				    "	float v = x[i];\n"
				    "	for (int j = 0; j < rounds; j++)\n"
				    "		v = rint(v * 63.0f) / 64.0f + 0.01f;\n"
				    "	x[i] = v;\n"
				    "}\n";

enum { encode_items = 16 * KIB, encode_blocks = 150 };

struct encode {
	struct app *w;
	pthread_mutex_t lock;
	pthread_cond_t more;
	int ready, taken;
};

static void *encode_main(void *argument)
{
	struct encode *encode = argument;
	struct app *w = encode->w;
	float *block = new_field(encode_items, 17);
	cl_kernel quantise = kernel_of(w, encode_source, "quantise");
	cl_mem memory = buffer_new(w, encode_items * sizeof(float));
	double sum = 0;

	args(quantise, "bi", memory, 40);
	for (int i = 0; i < encode_blocks; i++) {
		pthread_mutex_lock(&encode->lock);
		while (encode->ready <= i) {
			struct timespec until;

			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += 4000000;
			until.tv_sec += until.tv_nsec / 1000000000;
			until.tv_nsec %= 1000000000;
			pthread_cond_timedwait(&encode->more, &encode->lock, &until);
		}
		pthread_mutex_unlock(&encode->lock);
		put(w->queue, memory, encode_items * sizeof(float), block);
		run(w->queue, quantise, encode_items, 64);
		get(w->queue, memory, encode_items * sizeof(float), block);
		sum += block[i];
		pthread_mutex_lock(&encode->lock);
		encode->taken++;
		pthread_cond_broadcast(&encode->more);
		pthread_mutex_unlock(&encode->lock);
	}
	answer(sum);
	DROP(memory);
	DROP(quantise);
	free(block);
	return NULL;
}

/* A producer hands blocks to a thread that encodes them, one at a time. It forgets to signal, and
 * the other one notices when its wait times out; repaired, it signals. */
void workload_encode_queue(struct app *w)
{
	struct encode encode = {w, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
	float *raw = new_field(4 * KIB, 2);
	pthread_t thread;

	if (pthread_create(&thread, NULL, encode_main, &encode))
		must(-1, "pthread_create");
	for (int i = 0; i < encode_blocks; i++) {
		host_work(raw, 4 * KIB, 20);
		pthread_mutex_lock(&encode.lock);
		encode.ready++;
		if (w->repaired)
			pthread_cond_broadcast(&encode.more);
		while (encode.taken < encode.ready)
			pthread_cond_wait(&encode.more, &encode.lock);
		pthread_mutex_unlock(&encode.lock);
	}
	pthread_join(thread, NULL);
	free(raw);
}

static const char effect_source[] =
	"kernel void effect(global float *x, float by)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	x[i] = clamp(x[i] * (1 - by) + by * 0.5f, 0.0f, 1.0f);\n"
	"}\n";

/* What a careful wrapper makes sure of. */
static size_t buffer_verified(const struct app *w, cl_mem buffer)
{
	static const cl_mem_info asked[] = {CL_MEM_TYPE,	   CL_MEM_FLAGS,  CL_MEM_SIZE,
					    CL_MEM_CONTEXT,	   CL_MEM_OFFSET, CL_MEM_MAP_COUNT,
					    CL_MEM_REFERENCE_COUNT};
	size_t sum = 0;

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		size_t value = 0;

		TRY(clGetMemObjectInfo(buffer, asked[i], sizeof(value), &value, NULL));
		sum += asked[i] == CL_MEM_SIZE ? value : 0;
	}
	return w->context ? sum : 0;
}

/* Effects on an image, by a wrapper that asks all there is to be asked of each of its buffers
 * before it launches anything; repaired, it asks when a buffer is new. */
void workload_effect_chain(struct app *w)
{
	enum { items = 2 * KIB, launches = 60000, buffers = 32 };
	float *image = new_field(items, 9);
	cl_kernel effect = kernel_of(w, effect_source, "effect");
	cl_mem memory[buffers];
	size_t known = 0;

	for (int i = 0; i < buffers; i++) {
		memory[i] = buffer_new(w, items * sizeof(float));
		put_now(w->queue, memory[i], items * sizeof(float), image);
	}
	for (int i = 0; i < launches; i++) {
		if (!w->repaired || !i)
			known = 0;
		for (int j = 0; j < buffers && (!w->repaired || !i); j++)
			known += buffer_verified(w, memory[j]);
		args(effect, "bf", memory[i % buffers], (double)(i % 10) / 100);
		run(w->queue, effect, items, 64);
		flush(w->queue);
	}
	get(w->queue, memory[0], items * sizeof(float), image);
	answer(total(image, items) + (double)known);
	for (int i = 0; i < buffers; i++)
		DROP(memory[i]);
	DROP(effect);
	free(image);
}

/* Spectra of a batch of signals: all passes are enqueued, then the host computes the next window
 * table, and only clFinish lets the device begin. Repaired, the batch is flushed at once. */
void workload_spectra_batch(struct app *w)
{
	enum { items = 64 * KIB, batches = 60, passes = 8 };
	float *window = new_field(16 * KIB, 6), *signal = new_field(items, 4);
	cl_kernel effect = kernel_of(w, effect_source, "effect");
	cl_mem memory = buffer_new(w, items * sizeof(float));

	for (int i = 0; i < batches; i++) {
		signal[i] += 1;
		put(w->queue, memory, items * sizeof(float), signal);
		for (int j = 0; j < passes; j++) {
			args(effect, "bf", memory, (double)j / 50);
			run(w->queue, effect, items, 64);
		}
		if (w->repaired)
			flush(w->queue);
		host_work(window, 16 * KIB, 300);
		finish(w->queue);
	}
	get(w->queue, memory, items * sizeof(float), signal);
	answer(total(signal, items));
	DROP(memory);
	DROP(effect);
	free(window);
	free(signal);
}
