/* SPDX-License-Identifier: MIT */
/* More programs that have nothing to mend: what comes when it comes, and what is asked for. */
#include "audits.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

/* A meter beside a live recording: a packet every 3 ms, whose loudness is shown with the next. */
enum { PACKETS = 110, PACKET = 32 * KIB, PACKET_STEP = 2000, LEVELS = 64 };

static const char meter_source[] =
	"kernel void weigh(global float *heard, global const float *packet)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float x = packet[i], last = packet[max(i - 1, 0)];\n"
	"	heard[i] = 0.75f * x * x + 0.25f * last * last;\n"
	"}\n"
	"kernel void level(global float *levels, global const float *heard)\n"
	"{\n"
	"	int l = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 512; k++)\n"
	"		sum += heard[l + k * 64];\n"
	"	levels[l] = sum / 512;\n"
	"}\n";

static void packet_await(struct timespec *next)
{
	next->tv_nsec += 3000000;
	if (next->tv_nsec >= 1000000000) {
		next->tv_nsec -= 1000000000;
		next->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

void audit_clean_meter(struct app *app)
{
	cl_program program = program_new(app, meter_source, "");
	cl_kernel weigh = kernel_new(program, "weigh"), level = kernel_new(program, "level");
	cl_mem packet = buffer_new(app, PACKET * sizeof(float));
	cl_mem heard = buffer_new(app, PACKET * sizeof(float));
	cl_mem levels = buffer_new(app, LEVELS * sizeof(float));
	float *microphone = floats(PACKET + PACKETS * PACKET_STEP, 1), shown[2][LEVELS];
	cl_event back[2] = {NULL, NULL};
	struct timespec next;
	double loud = 0;

	args(weigh, "bb", heard, packet);
	args(level, "bb", levels, heard);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < PACKETS; i++) {
		packet_await(&next);
		put(app->queue, packet, PACKET * sizeof(float), microphone + i * PACKET_STEP);
		run(app->queue, weigh, PACKET, 64);
		run(app->queue, level, LEVELS, 32);
		back[i % 2] =
			get_after(app->queue, levels, sizeof(shown[0]), shown[i % 2], 0, NULL);
		flush(app->queue);
		if (i) {
			settle(back[(i - 1) % 2]);
			loud += total(shown[(i - 1) % 2], LEVELS);
		}
	}
	settle(back[(PACKETS - 1) % 2]);
	answer(loud + total(shown[(PACKETS - 1) % 2], LEVELS));
	DROP(weigh);
	DROP(level);
	DROP(packet);
	DROP(heard);
	DROP(levels);
	DROP(program);
	free(microphone);
}

/* A receiver's strips have twelve bits a dot. The host unpacks them right into memory that the
 * driver gave, three strips at a time; the device removes the stripes of its sensor. */
enum { STRIPS = 240, STRIP = 64 * KIB, RING = 3, RAW_STEP = 3001, COLUMN_SUMS = 256 };

static const char strip_source[] =
	"kernel void destripe(global float *sums, global const short *strip, int number)\n"
	"{\n"
	"	int i = get_global_id(0), column = i & 255;\n"
	"	float x = strip[i];\n"
	"	for (int k = 0; k < 10; k++)\n"
	"		x = 0.9375f * x + 0.0625f * (float)((column * k) & 15);\n"
	"	if (i < 256)\n"
	"		sums[number * 256 + i] = x;\n"
	"}\n";

static void strip_unpack(short *dots, const unsigned char *raw)
{
	for (int i = 0; i < STRIP; i += 2, raw += 3) {
		dots[i] = (short)(raw[0] | (raw[1] & 15) << 8);
		dots[i + 1] = (short)(raw[1] >> 4 | raw[2] << 4);
	}
}

void audit_clean_strips(struct app *app)
{
	cl_kernel destripe = kernel_of(app, strip_source, "destripe");
	cl_command_queue feed = queue_new(app, 0);
	size_t bytes = STRIP * sizeof(short), all = STRIPS * COLUMN_SUMS;
	cl_mem ring[RING], sums = buffer_new(app, all * sizeof(float));
	unsigned char *raw = memory(STRIP * 3 / 2 + STRIPS * RAW_STEP);
	float *out = memory(all * sizeof(float));
	cl_event used[RING] = {NULL}, given;
	cl_int status;

	for (unsigned i = 0; i < STRIP * 3 / 2 + STRIPS * RAW_STEP; i++)
		raw[i] = (unsigned char)(i * 2654435761u >> 21);
	for (int i = 0; i < RING; i++) {
		ring[i] = clCreateBuffer(app->context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
					 bytes, NULL, &status);
		must(status, "clCreateBuffer");
	}
	for (int number = 0; number < STRIPS; number++) {
		int slot = number % RING;
		short *dots = clEnqueueMapBuffer(
			feed, ring[slot], CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes,
			used[slot] != NULL, used[slot] ? &used[slot] : NULL, NULL, &status);

		must(status, "clEnqueueMapBuffer");
		if (used[slot])
			DROP(used[slot]);
		strip_unpack(dots, raw + number * RAW_STEP);
		TRY(clEnqueueUnmapMemObject(feed, ring[slot], dots, 0, NULL, &given));
		flush(feed);
		args(destripe, "bbi", sums, ring[slot], number);
		used[slot] = run_after(app->queue, destripe, STRIP, 64, 1, &given);
		flush(app->queue);
		DROP(given);
	}
	get(app->queue, sums, all * sizeof(float), out);
	answer(total(out, all));
	for (int i = 0; i < RING; i++) {
		DROP(used[i]);
		DROP(ring[i]);
	}
	DROP(destripe);
	DROP(feed);
	DROP(sums);
	free(raw);
	free(out);
}

/* Two clerks look up what citizens ask for; a citizen waits for the answer. */
enum { CLERKS = 2, ASKED = 520, YEARS = 48 * KIB, ANSWER = 64 };

struct ledger {
	struct app *app;
	cl_program program;
	cl_mem years;
	pthread_mutex_t lock;
	pthread_cond_t more;
	int posted, taken;
};

struct clerk {
	struct ledger *ledger;
	double sum;
};

static const char ledger_source[] =
	"kernel void owed(global float *out, global const float *years, int citizen)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float x = years[i] + (float)citizen;\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		x = x * 0.75f + 0.25f * (float)((i + citizen * k) & 31);\n"
	"	if (i < 64)\n"
	"		out[i] = x;\n"
	"}\n";

/* The next citizen, or -1. */
static int ledger_take(struct ledger *ledger)
{
	int citizen;

	pthread_mutex_lock(&ledger->lock);
	while (ledger->taken == ledger->posted && ledger->posted < ASKED)
		pthread_cond_wait(&ledger->more, &ledger->lock);
	citizen = ledger->taken < ASKED ? ledger->taken++ : -1;
	pthread_mutex_unlock(&ledger->lock);
	return citizen;
}

static void *clerk_main(void *data)
{
	struct clerk *clerk = data;
	struct ledger *ledger = clerk->ledger;
	cl_command_queue queue = queue_new(ledger->app, 0);
	cl_kernel owed = kernel_new(ledger->program, "owed");
	cl_mem out = buffer_new(ledger->app, ANSWER * sizeof(float));
	float letter[ANSWER];

	for (int citizen; (citizen = ledger_take(ledger)) >= 0;) {
		args(owed, "bbi", out, ledger->years, citizen);
		run(queue, owed, YEARS, 64);
		get(queue, out, sizeof(letter), letter);
		clerk->sum += total(letter, ANSWER);
	}
	DROP(out);
	DROP(owed);
	DROP(queue);
	return NULL;
}

void audit_clean_ledger(struct app *app)
{
	static struct ledger ledger = {.lock = PTHREAD_MUTEX_INITIALIZER,
				       .more = PTHREAD_COND_INITIALIZER};
	struct clerk clerks[CLERKS] = {{&ledger, 0}, {&ledger, 0}};
	pthread_t threads[CLERKS];

	ledger.app = app;
	ledger.program = program_new(app, ledger_source, "");
	ledger.years = loaded(app, YEARS, 60);
	for (int i = 0; i < CLERKS; i++)
		if (pthread_create(&threads[i], NULL, clerk_main, &clerks[i]))
			must(-1, "pthread_create");
	while (ledger.posted < ASKED) { /* they come in families */
		pthread_mutex_lock(&ledger.lock);
		ledger.posted += 13;
		pthread_cond_broadcast(&ledger.more);
		pthread_mutex_unlock(&ledger.lock);
		nap(500);
	}
	for (int i = 0; i < CLERKS; i++)
		pthread_join(threads[i], NULL);
	answer(clerks[0].sum + clerks[1].sum);
	DROP(ledger.years);
	DROP(ledger.program);
}

/* An auction's lots: four are under way, and a function is called for each that is sold. */
enum { SOLD = 400, UNDER_WAY = 4, OFFERS = 32 * KIB, OFFER_STEP = 1008, TOP = 32 };

struct lot {
	cl_mem offers, top;
	float price[TOP];
	cl_event sold;
};

static const char gavel_source[] =
	"kernel void rank_offers(global float *top, global const float *offers)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float mine = offers[i], most = 0;\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		most = fmax(most, offers[(i + k * 683) & 32767] - 0.001f * mine);\n"
	"	if (i < 32)\n"
	"		top[i] = most;\n"
	"}\n";

static void CL_CALLBACK gavel_fell(cl_event event, cl_int status, void *data)
{
	(void)event;
	if (status == CL_COMPLETE)
		sem_post(data);
}

void audit_clean_gavel(struct app *app)
{
	static struct lot lots[UNDER_WAY];
	cl_kernel rank_offers = kernel_of(app, gavel_source, "rank_offers");
	cl_command_queue bringer = queue_new(app, 0);
	float *offers = floats(OFFERS + SOLD * OFFER_STEP, 70);
	double income = 0;
	sem_t sold;

	sem_init(&sold, 0, 0);
	for (int i = 0; i < UNDER_WAY; i++) {
		lots[i].offers = buffer_new(app, OFFERS * sizeof(float));
		lots[i].top = buffer_new(app, TOP * sizeof(float));
	}
	for (int number = 0; number < SOLD + UNDER_WAY; number++) {
		struct lot *lot = &lots[number % UNDER_WAY];
		cl_event brought;

		if (number >= UNDER_WAY) {
			while (sem_wait(&sold))
				;
			income += total(lot->price, TOP);
			DROP(lot->sold);
		}
		if (number >= SOLD)
			continue;
		brought = put_after(bringer, lot->offers, OFFERS * sizeof(float),
				    offers + number * OFFER_STEP, 0, NULL);
		flush(bringer);
		args(rank_offers, "bb", lot->top, lot->offers);
		run_with(app->queue, rank_offers, OFFERS, 64, 1, &brought, NULL);
		lot->sold =
			get_after(app->queue, lot->top, sizeof(lot->price), lot->price, 0, NULL);
		TRY(clSetEventCallback(lot->sold, CL_COMPLETE, gavel_fell, &sold));
		flush(app->queue);
		DROP(brought);
	}
	answer(income);
	for (int i = 0; i < UNDER_WAY; i++) {
		DROP(lots[i].offers);
		DROP(lots[i].top);
	}
	DROP(bringer);
	DROP(rank_offers);
	free(offers);
	sem_destroy(&sold);
}
