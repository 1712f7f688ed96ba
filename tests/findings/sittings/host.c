/* SPDX-License-Identifier: MIT */
/* What the host does meanwhile. */
#include "sittings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Dust on a film: frames go up, are cleaned, and come down. */
enum { DOTS = 480 * 360, FRAMES = 110, RING = 3 };
enum { DOT_BYTES = DOTS * 4 };

static const char dust_source[] =
	"kernel void dust(global const uchar4 *in, global uchar4 *out)\n"
	"{\n"
	"	int i = get_global_id(0) % 172800;\n"
	"	int4 near = convert_int4(in[max(i - 1, 0)]) + convert_int4(in[min(i + 1, 172799)]);\n"
	"	int4 here = convert_int4(in[i]);\n"
	"	out[i] = convert_uchar4_sat(select(here, near / 2, abs(here - near / 2) > 40));\n"
	"}\n";

struct film {
	cl_command_queue up, work, down;
	cl_kernel kernel;
	cl_mem in[RING], out[RING];
	unsigned char *frames[RING], *cleaned[RING];
	cl_event worked[RING], done[RING];
	bool in_turn; /* all by one queue */
};

static void film_frame(struct film *film, int frame)
{
	int slot = frame % RING;
	cl_event uploaded;

	if (film->done[slot]) {
		settle(film->done[slot]);
		DROP(film->worked[slot]);
	}
	memset(film->frames[slot], frame, DOT_BYTES);
	uploaded = put_after(film->up, film->in[slot], DOT_BYTES, film->frames[slot], 0, NULL);
	flush(film->up);
	args(film->kernel, "bb", film->in[slot], film->out[slot]);
	/* Two fields of the frame. */
	film->worked[slot] = run_after(film->work, film->kernel, (size_t)DOTS * 2, 64,
				       film->in_turn ? 0 : 1, &uploaded);
	flush(film->work);
	film->done[slot] = get_after(film->down, film->out[slot], DOT_BYTES, film->cleaned[slot],
				     film->in_turn ? 0 : 1, &film->worked[slot]);
	flush(film->down);
	DROP(uploaded);
}

void sitting_film_dust(struct app *app)
{
	struct film film = {.up = app->repaired ? queue_new(app, 0) : app->queue,
			    .work = app->queue,
			    .down = app->repaired ? queue_new(app, 0) : app->queue,
			    .kernel = kernel_of(app, dust_source, "dust"),
			    .in_turn = !app->repaired};

	for (int i = 0; i < RING; i++) {
		film.in[i] = buffer_new(app, DOT_BYTES);
		film.out[i] = buffer_new(app, DOT_BYTES);
		film.frames[i] = memory(DOT_BYTES);
		film.cleaned[i] = memory(DOT_BYTES);
	}
	for (int i = 0; i < FRAMES; i++)
		film_frame(&film, i);
	for (int i = 0; i < RING; i++) {
		settle(film.done[i]);
		DROP(film.worked[i]);
	}
	answer(film.cleaned[0][5]);
	for (int i = 0; i < RING; i++) {
		DROP(film.in[i]);
		DROP(film.out[i]);
		free(film.frames[i]);
		free(film.cleaned[i]);
	}
	DROP(film.kernel);
	if (app->repaired) {
		DROP(film.up);
		DROP(film.down);
	}
}

/* A search in logs: lines become tokens on the host, the device matches them with rules. */
enum { CHUNK = 640 * KIB, CHUNKS = 120, TOKENS = 16 * KIB, RULES = 24 };

static const char match_source[] =
	"kernel void match(global const uint *tokens, global const uint *rules, global uint *hits)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	uint t = tokens[i % 16384], hit = 0;\n"
	"	for (int r = 0; r < 24; r++)\n"
	"		hit |= ((t ^ rules[r] ^ (uint)(i >> 14)) & 1023u) == 0 ? 1u << r : 0;\n"
	"	if (i < 16384)\n"
	"		hits[i] = hit;\n"
	"	else if (hit)\n"
	"		atomic_or(&hits[i % 16384], hit);\n"
	"}\n";

/* Hashes of a chunk's words. */
static void tokenize(const char *text, int chunk, uint32_t *tokens)
{
	uint32_t hash = 2166136261u + (uint32_t)chunk;
	int count = 0;

	for (int i = 0; i < CHUNK; i++) {
		if (text[i] != ' ') {
			hash = (hash ^ (unsigned char)text[i]) * 16777619u;
			continue;
		}
		tokens[count++ % TOKENS] = hash;
		hash = 2166136261u + (uint32_t)chunk;
	}
}

struct search {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem tokens[2], rules, hits[2];
	uint32_t *parsed[2], *found[2];
	cl_event done[2];
};

static void search_submit(struct search *search, int chunk)
{
	int side = chunk % 2;

	put(search->queue, search->tokens[side], TOKENS * sizeof(uint32_t), search->parsed[side]);
	args(search->kernel, "bbb", search->tokens[side], search->rules, search->hits[side]);
	run(search->queue, search->kernel, (size_t)TOKENS * RULES, 64);
	search->done[side] = get_after(search->queue, search->hits[side], TOKENS * sizeof(uint32_t),
				       search->found[side], 0, NULL);
	flush(search->queue);
}

static unsigned search_collect(struct search *search, int chunk)
{
	unsigned count = 0;

	settle(search->done[chunk % 2]);
	for (int i = 0; i < TOKENS; i += 64)
		count += search->found[chunk % 2][i] != 0;
	return count;
}

void sitting_log_match(struct app *app)
{
	struct search search = {.queue = app->queue,
				.kernel = kernel_of(app, match_source, "match"),
				.rules = seeded(app, RULES * sizeof(float), 21)};
	char *text = memory(CHUNK);
	unsigned count = 0;

	for (int i = 0; i < CHUNK; i++)
		text[i] = (char)(i * 7 % 41 < 4 ? ' ' : 'a' + i * 11 % 26);
	for (int i = 0; i < 2; i++) {
		search.tokens[i] = buffer_new(app, TOKENS * sizeof(uint32_t));
		search.hits[i] = buffer_new(app, TOKENS * sizeof(uint32_t));
		search.parsed[i] = memory(TOKENS * sizeof(uint32_t));
		search.found[i] = memory(TOKENS * sizeof(uint32_t));
	}
	for (int i = 0; i < CHUNKS; i++) {
		tokenize(text, i, search.parsed[i % 2]);
		if (app->repaired && i)
			count += search_collect(&search, i - 1);
		search_submit(&search, i);
		if (!app->repaired)
			count += search_collect(&search, i);
	}
	if (app->repaired)
		count += search_collect(&search, CHUNKS - 1);
	answer(count > 0);
	for (int i = 0; i < 2; i++) {
		DROP(search.tokens[i]);
		DROP(search.hits[i]);
		free(search.parsed[i]);
		free(search.found[i]);
	}
	free(text);
	DROP(search.rules);
	DROP(search.kernel);
}

/* A radar's sweeps: a thread reads a recording, the other one has them processed. */
enum { ECHOES = 8 * KIB, SWEEPS = 160, DEPTH = 4, BINS = 1024 };

static const char sweep_source[] =
	"kernel void detect(global const float *echoes, global float *bins)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float v = echoes[i % 8192];\n"
	"	for (int r = 0; r < 6; r++)\n"
	"		v = v * 0.97f + echoes[(i + r * 5) % 8192] * 0.03f;\n"
	"	if (i < 1024)\n"
	"		bins[i] = v;\n"
	"}\n";

struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	float *sweeps[DEPTH];
	int given, taken;
	bool naps; /* rather than wait for the other side */
};

static void mailbox_rest(struct mailbox *box)
{
	if (box->naps) {
		pthread_mutex_unlock(&box->lock);
		nap(1000);
		pthread_mutex_lock(&box->lock);
	} else {
		pthread_cond_wait(&box->changed, &box->lock);
	}
}

/* The next sweep's place, once it is free. */
static float *mailbox_place(struct mailbox *box)
{
	int depth = box->naps ? 1 : DEPTH;

	pthread_mutex_lock(&box->lock);
	while (box->given - box->taken == depth)
		mailbox_rest(box);
	pthread_mutex_unlock(&box->lock);
	return box->sweeps[box->given % depth];
}

static void mailbox_count(struct mailbox *box, int *count)
{
	pthread_mutex_lock(&box->lock);
	(*count)++;
	pthread_cond_signal(&box->changed);
	pthread_mutex_unlock(&box->lock);
}

static float *mailbox_take(struct mailbox *box)
{
	pthread_mutex_lock(&box->lock);
	while (box->given == box->taken)
		mailbox_rest(box);
	pthread_mutex_unlock(&box->lock);
	return box->sweeps[box->taken % (box->naps ? 1 : DEPTH)];
}

static void *recording_read(void *arg)
{
	struct mailbox *box = arg;

	for (int i = 0; i < SWEEPS; i++) {
		refill(mailbox_place(box), ECHOES, i);
		mailbox_count(box, &box->given);
	}
	return NULL;
}

void sitting_sweep_mailbox(struct app *app)
{
	struct mailbox box = {.lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER,
			      .naps = !app->repaired};
	cl_kernel kernel = kernel_of(app, sweep_source, "detect");
	cl_mem echoes = buffer_new(app, ECHOES * sizeof(float)),
	       bins = buffer_new(app, BINS * sizeof(float));
	float *found = memory(BINS * sizeof(float));
	double sum = 0;
	pthread_t reader;

	for (int i = 0; i < DEPTH; i++)
		box.sweeps[i] = memory(ECHOES * sizeof(float));
	args(kernel, "bb", echoes, bins);
	if (pthread_create(&reader, NULL, recording_read, &box))
		must(-1, "pthread_create");
	for (int i = 0; i < SWEEPS; i++) {
		float *sweep = mailbox_take(&box);

		put(app->queue, echoes, ECHOES * sizeof(float), sweep);
		run(app->queue, kernel, 96 * KIB, 64);
		get(app->queue, bins, BINS * sizeof(float), found);
		sum += (double)found[i % BINS];
		mailbox_count(&box, &box.taken);
	}
	pthread_join(reader, NULL);
	answer(sum);
	for (int i = 0; i < DEPTH; i++)
		free(box.sweeps[i]);
	free(found);
	DROP(echoes);
	DROP(bins);
	DROP(kernel);
}

/* A server's requests, each under the eyes of a watchdog that wants a sign of life. */
enum { REQUESTS = 150, WORDS = 8 * KIB, ASKED = WORDS * sizeof(float), PATIENCE_US = 2000 };

static const char server_source[] =
	"kernel void embed(global const float *words, global float *vector)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float v = 0;\n"
	"	for (int j = 0; j < 2; j++)\n"
	"		v += words[(i + j * 31) % 8192] * (float)(j % 5 - 2);\n"
	"	if (i < 8192)\n"
	"		vector[i] = v;\n"
	"}\n";

static atomic_int signs_of_life;

static void request_await(cl_event event, bool waits)
{
	cl_int status = CL_QUEUED;

	signs_of_life++;
	while (!waits && status != CL_COMPLETE) {
		TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				   &status, NULL));
		if (status != CL_COMPLETE)
			nap(PATIENCE_US);
		signs_of_life++;
	}
	settle(event);
}

void sitting_request_watchdog(struct app *app)
{
	cl_kernel embed = kernel_of(app, server_source, "embed");
	cl_mem words = buffer_new(app, ASKED), vector = buffer_new(app, ASKED);
	float *data = memory(ASKED);
	double sum = 0;

	args(embed, "bb", words, vector);
	for (int i = 0; i < REQUESTS; i++) {
		refill(data, WORDS, i);
		put(app->queue, words, ASKED, data);
		run(app->queue, embed, 160 * KIB, 64);

		cl_event answered = get_after(app->queue, vector, ASKED, data, 0, NULL);

		flush(app->queue);
		request_await(answered, app->repaired);
		sum += (double)data[i];
	}
	answer(sum + (signs_of_life < REQUESTS));
	free(data);
	DROP(words);
	DROP(vector);
	DROP(embed);
}

/* A sonar's sectors, in a queue that may take commands out of order: each sector goes up, is
 * filtered and comes down, and has nothing to do with the others.
 */
enum { SECTORS = 8, PINGS = 30, BEAM = 48 * KIB, BEAM_BYTES = BEAM * sizeof(float) };

static const char sonar_source[] =
	"kernel void filter(global const float *beam, global float *out)\n"
	"{\n"
	"	int i = get_global_id(0), at = i % 49152;\n"
	"	float v = 0.5f * beam[at] + 0.25f * (beam[(at + 1) % 49152] + beam[(at + 49151) % 49152]);\n"
	"	if (i < 49152)\n"
	"		out[i] = v;\n"
	"}\n";

struct sector {
	cl_mem beam, out;
	float *echoes, *filtered;
};

static void queue_barrier(cl_command_queue queue)
{
	TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
}

static void sector_in_turn(cl_command_queue queue, cl_kernel kernel, struct sector *sector)
{
	put(queue, sector->beam, BEAM_BYTES, sector->echoes);
	queue_barrier(queue);
	args(kernel, "bb", sector->beam, sector->out);
	run(queue, kernel, 2 * BEAM, 64);
	queue_barrier(queue);
	get_part(queue, sector->out, 0, BEAM_BYTES, sector->filtered);
	queue_barrier(queue);
}

static void sector_by_events(cl_command_queue queue, cl_kernel kernel, struct sector *sector)
{
	cl_event up = put_after(queue, sector->beam, BEAM_BYTES, sector->echoes, 0, NULL), done;

	args(kernel, "bb", sector->beam, sector->out);
	done = run_after(queue, kernel, 2 * BEAM, 64, 1, &up);
	DROP(get_after(queue, sector->out, BEAM_BYTES, sector->filtered, 1, &done));
	DROP(up);
	DROP(done);
}

void sitting_sector_barriers(struct app *app)
{
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel kernel = kernel_of(app, sonar_source, "filter");
	struct sector sectors[SECTORS];
	double sum = 0;

	for (int i = 0; i < SECTORS; i++)
		sectors[i] =
			(struct sector){buffer_new(app, BEAM_BYTES), buffer_new(app, BEAM_BYTES),
					memory(BEAM_BYTES), memory(BEAM_BYTES)};
	for (int ping = 0; ping < PINGS; ping++) {
		for (int i = 0; i < SECTORS; i++) {
			refill(sectors[i].echoes, BEAM, ping * SECTORS + i);
			if (app->repaired)
				sector_by_events(queue, kernel, &sectors[i]);
			else
				sector_in_turn(queue, kernel, &sectors[i]);
			flush(queue);
		}
		finish(queue);
		sum += (double)sectors[ping % SECTORS].filtered[ping];
	}
	answer(sum);
	for (int i = 0; i < SECTORS; i++) {
		DROP(sectors[i].beam);
		DROP(sectors[i].out);
		free(sectors[i].echoes);
		free(sectors[i].filtered);
	}
	DROP(kernel);
	DROP(queue);
}
