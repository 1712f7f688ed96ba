/* SPDX-License-Identifier: MIT */
/* Programs that a reviewer has nothing to say about. */
#include "symposia.h"

#include <pthread.h>
#include <stdlib.h>

/* Pressure by cycles over grids, each with half the points of the one above. */
static const char multigrid[] =
	"kernel void smooth(global const float *in, global float *out, global const float *rhs)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float a = in[i], l = in[i ? i - 1 : n - 1], r = in[i + 1 < n ? i + 1 : 0];\n"
	"	for (int k = 0; k < 12; k++)\n"
	"		a = a * 0.25f + (l + r + rhs[i]) * 0.25f;\n"
	"	out[i] = a;\n"
	"}\n"
	"kernel void down(global const float *fine, global float *coarse)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	coarse[i] = (fine[2 * i] + fine[2 * i + 1]) * 0.5f;\n"
	"}\n"
	"kernel void up(global const float *coarse, global float *fine)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	fine[i] = fine[i] * 0.75f + coarse[i / 2] * 0.25f;\n"
	"}\n";

enum { LEVELS = 4, FINEST = 512 * KIB };

struct level {
	cl_mem values, spare, rhs;
	cl_kernel smooth, smooth_back, down, up;
};

static void cycle(struct app *app, struct level *levels, int at)
{
	size_t count = (size_t)FINEST >> at;

	run(app->queue, levels[at].smooth, count, 64);
	run(app->queue, levels[at].smooth_back, count, 64);
	if (at + 1 == LEVELS)
		return;
	run(app->queue, levels[at].down, count / 2, 64);
	cycle(app, levels, at + 1);
	run(app->queue, levels[at].up, count, 64);
	run(app->queue, levels[at].smooth, count, 64);
	run(app->queue, levels[at].smooth_back, count, 64);
}

void symposium_clean_vcycle(struct app *app)
{
	enum { CYCLES = 30 };
	cl_program program = program_new(app, multigrid, "");
	struct level levels[LEVELS];

	for (int i = 0; i < LEVELS; i++) {
		size_t count = (size_t)FINEST >> i;

		levels[i].values = stocked(app, count, 60);
		levels[i].spare = buffer_new(app, count * sizeof(float));
		levels[i].rhs = stocked(app, count, 61);
		levels[i].smooth = kernel_new(program, "smooth");
		levels[i].smooth_back = kernel_new(program, "smooth");
		levels[i].down = kernel_new(program, "down");
		levels[i].up = kernel_new(program, "up");
		args(levels[i].smooth, "bbb", levels[i].values, levels[i].spare, levels[i].rhs);
		args(levels[i].smooth_back, "bbb", levels[i].spare, levels[i].values,
		     levels[i].rhs);
	}
	for (int i = 0; i + 1 < LEVELS; i++) {
		args(levels[i].down, "bb", levels[i].values, levels[i + 1].values);
		args(levels[i].up, "bb", levels[i + 1].values, levels[i].values);
	}
	for (int i = 0; i < CYCLES; i++) {
		cycle(app, levels, 0);
		flush(app->queue);
	}
	answer(summed(app, levels[0].values, 4096));
	for (int i = 0; i < LEVELS; i++) {
		DROP(levels[i].values);
		DROP(levels[i].spare);
		DROP(levels[i].rhs);
		DROP(levels[i].smooth);
		DROP(levels[i].smooth_back);
		DROP(levels[i].down);
		DROP(levels[i].up);
	}
	DROP(program);
}

/* A spectrometer: its records arrive in two buffers in turn; one is filled while the other one is
 * worked on. */
static const char spectrum[] =
	"kernel void unfold(global const float *record, global float *lines, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint u = as_uint(record[i]) + (uint)i;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		u = (u ^ (u >> 7)) * 2246822519u + 3266489917u;\n"
	"	lines[i] += (float)(u >> 20) * 0.25f;\n"
	"}\n";

void symposium_clean_stream(struct app *app)
{
	enum { RECORD = 256 * KIB, RECORDS = 120 };
	cl_kernel unfold = kernel_of(app, spectrum, "unfold");
	cl_command_queue feed = queue_new(app, 0);
	cl_mem records[2] = {buffer_new(app, RECORD * sizeof(float)),
			     buffer_new(app, RECORD * sizeof(float))};
	cl_mem lines = stocked(app, RECORD, 62);
	float *host[2] = {floats(RECORD, 63), floats(RECORD, 64)};
	cl_event used[2] = {NULL}, fed[2] = {NULL};

	for (int number = 0; number < RECORDS; number++) {
		int slot = number % 2;

		if (fed[slot])
			settle(fed[slot]);
		refill(host[slot], 1024, number);
		fed[slot] = put_after(feed, records[slot], RECORD * sizeof(float), host[slot],
				      used[slot] ? 1 : 0, &used[slot]);
		flush(feed);
		if (used[slot])
			DROP(used[slot]);
		args(unfold, "bbi", records[slot], lines, 20);
		used[slot] = run_after(app->queue, unfold, RECORD, 64, 1, &fed[slot]);
		flush(app->queue);
	}
	for (int slot = 0; slot < 2; slot++) {
		DROP(fed[slot]);
		DROP(used[slot]);
	}
	answer(summed(app, lines, 4096));
	free(host[0]);
	free(host[1]);
	DROP(feed);
	DROP(unfold);
	DROP(records[0]);
	DROP(records[1]);
	DROP(lines);
}

/* A ray tracer whose materials are one source, built once for each of them. */
static const char material[] =
	"kernel void shade(global float *rays, int bounces)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint u = as_uint(rays[i]) ^ (uint)i;\n"
	"	for (int k = 0; k < bounces; k++)\n"
	"		u = (u ^ (u >> (5 + MATERIAL))) * 2654435761u + MATERIAL;\n"
	"	rays[i] = (float)(u >> 8) * 0x1p-24f;\n"
	"}\n";

void symposium_clean_variants(struct app *app)
{
	enum { RAYS = 512 * KIB, SAMPLES = 36, MATERIALS = 3 };
	static const char *const options[] = {"-DMATERIAL=1", "-DMATERIAL=2", "-DMATERIAL=3"};
	cl_kernel shade[MATERIALS];
	cl_mem rays = stocked(app, RAYS, 65);

	for (int i = 0; i < MATERIALS; i++) {
		cl_program program = program_new(app, material, options[i]);

		shade[i] = kernel_new(program, "shade");
		DROP(program);
		args(shade[i], "bi", rays, 12);
	}
	for (int sample = 0; sample < SAMPLES; sample++) {
		for (int i = 0; i < MATERIALS; i++)
			run(app->queue, shade[i], RAYS, 64);
		flush(app->queue);
	}
	answer(summed(app, rays, 4096));
	for (int i = 0; i < MATERIALS; i++)
		DROP(shade[i]);
	DROP(rays);
}

/* A help desk: two workers answer questions as they are posted, and sleep when there are none. */
static const char search[] =
	"kernel void similar(global const float *texts, global float *found, int question)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint u = as_uint(texts[i]) + (uint)question;\n"
	"	for (int r = 0; r < 16; r++)\n"
	"		u = (u ^ (u >> 11)) * 2654435761u + (uint)r;\n"
	"	found[i] = (float)(u >> 12);\n"
	"}\n";

enum { TEXTS = 192 * KIB, QUESTIONS = 200 };

struct help {
	struct app *app;
	cl_program program;
	cl_mem texts;
	pthread_mutex_t lock;
	pthread_cond_t posted;
	int waiting, taken, posts;
	double answers[QUESTIONS];
};

struct helper {
	struct help *help;
	cl_command_queue queue;
};

static int question_take(struct help *help)
{
	int taken = -1;

	pthread_mutex_lock(&help->lock);
	while (!help->waiting && help->posts < QUESTIONS)
		pthread_cond_wait(&help->posted, &help->lock);
	if (help->waiting) {
		help->waiting--;
		taken = help->taken++;
	}
	pthread_mutex_unlock(&help->lock);
	return taken;
}

static void *helper_thread(void *argument)
{
	struct helper *helper = argument;
	struct help *help = helper->help;
	cl_kernel similar = kernel_new(help->program, "similar");
	cl_mem found = buffer_new(help->app, TEXTS * sizeof(float));
	float *best = memory(TEXTS * sizeof(*best));

	for (int number; (number = question_take(help)) >= 0;) {
		args(similar, "bbi", help->texts, found, number);
		run(helper->queue, similar, TEXTS, 64);
		get(helper->queue, found, 1024 * sizeof(*best), best);
		help->answers[number] = total(best, 1024);
	}
	free(best);
	DROP(similar);
	DROP(found);
	return NULL;
}

void symposium_clean_desk(struct app *app)
{
	struct help help = {
		.app = app,
		.program = program_new(app, search, ""),
		.texts = stocked(app, TEXTS, 66),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.posted = PTHREAD_COND_INITIALIZER,
	};
	struct helper helpers[2];
	pthread_t threads[2];
	double sum = 0;

	for (int i = 0; i < 2; i++) {
		helpers[i] = (struct helper){.help = &help, .queue = queue_new(app, 0)};
		if (pthread_create(&threads[i], NULL, helper_thread, &helpers[i]))
			must(-1, "pthread_create");
	}
	for (int i = 0; i < QUESTIONS; i++) {
		pthread_mutex_lock(&help.lock);
		help.waiting++;
		help.posts++;
		pthread_cond_signal(&help.posted);
		if (help.posts == QUESTIONS)
			pthread_cond_broadcast(&help.posted);
		pthread_mutex_unlock(&help.lock);
		if (i % 10 == 9)
			nap(200);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		DROP(helpers[i].queue);
	}
	for (int i = 0; i < QUESTIONS; i++)
		sum += help.answers[i];
	answer(sum);
	DROP(help.program);
	DROP(help.texts);
}

/* Annealing: after each long stage the host reads the energy, and sets the temperature by it. */
static const char anneal[] =
	"kernel void sweep(global float *spins, float heat)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float s = spins[i];\n"
	"	for (int k = 0; k < 12; k++)\n"
	"		s = s * 0.96875f + heat * 0.03125f * (s > 0.5f ? -1.0f : 1.0f);\n"
	"	spins[i] = s;\n"
	"}\n";

void symposium_clean_anneal(struct app *app)
{
	enum { SPINS = 512 * KIB, STAGES = 16, SWEEPS = 6 };
	cl_kernel sweep = kernel_of(app, anneal, "sweep");
	cl_mem spins = stocked(app, SPINS, 67);
	float heat = 1, energy[16];
	double sum = 0;

	for (int i = 0; i < STAGES; i++) {
		args(sweep, "bf", spins, (double)heat);
		for (int k = 0; k < SWEEPS; k++)
			run(app->queue, sweep, SPINS, 64);
		get(app->queue, spins, sizeof(energy), energy);
		heat = heat * 0.75f + (float)total(energy, 16) / 64;
		sum += (double)heat;
	}
	answer(sum);
	DROP(sweep);
	DROP(spins);
}

/* Dose of a treatment plan: beams are summed over all voxels, then the sums of groups by one
 * group; one reading at the end. */
static const char dose[] =
	"kernel void deposit(global const float *voxels, global float *parts, local float *own,\n"
	"		    int beam)\n"
	"{\n"
	"	size_t l = get_local_id(0);\n"
	"	uint u = as_uint(voxels[get_global_id(0)]) + (uint)beam;\n"
	"	for (int k = 0; k < 80; k++)\n"
	"		u = (u ^ (u >> 13)) * 2654435761u + (uint)k;\n"
	"	own[l] = (float)(u >> 24);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (!l) {\n"
	"		float sum = 0;\n"
	"		for (size_t k = 0; k < get_local_size(0); k++)\n"
	"			sum += own[k];\n"
	"		parts[get_group_id(0)] = sum;\n"
	"	}\n"
	"}\n"
	"kernel void collect(global const float *parts, global float *doses, local float *own,\n"
	"		    int beam, int each)\n"
	"{\n"
	"	size_t l = get_local_id(0), n = get_local_size(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		sum += parts[l + (size_t)k * n];\n"
	"	own[l] = sum;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (!l) {\n"
	"		for (size_t k = 1; k < n; k++)\n"
	"			sum += own[k];\n"
	"		doses[beam] = sum;\n"
	"	}\n"
	"}\n";

void symposium_clean_tree(struct app *app)
{
	enum { VOXELS = 512 * KIB, LOCAL = 64, PARTS = VOXELS / LOCAL, BEAMS = 100 };
	cl_program program = program_new(app, dose, "");
	cl_kernel deposit = kernel_new(program, "deposit"),
		  collect = kernel_new(program, "collect");
	cl_mem voxels = stocked(app, VOXELS, 68), parts = buffer_new(app, PARTS * sizeof(float));
	cl_mem doses = buffer_new(app, BEAMS * sizeof(float));

	for (int beam = 0; beam < BEAMS; beam++) {
		args(deposit, "bbli", voxels, parts, LOCAL * sizeof(float), beam);
		run(app->queue, deposit, VOXELS, LOCAL);
		args(collect, "bblii", parts, doses, LOCAL * sizeof(float), beam, PARTS / LOCAL);
		run(app->queue, collect, LOCAL, LOCAL);
		if (beam % 8 == 7)
			flush(app->queue);
	}
	answer(summed(app, doses, BEAMS));
	DROP(deposit);
	DROP(collect);
	DROP(program);
	DROP(voxels);
	DROP(parts);
	DROP(doses);
}

/* A camera's frames in memory that the driver allocates: two of them, mapped in turn. */
static const char camera[] =
	"kernel void develop(global const float *frame, global float *picture, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float p = frame[i], q = picture[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		q = q * 0.984375f + p * 0.015625f;\n"
	"	picture[i] = q;\n"
	"}\n";

void symposium_clean_mapped(struct app *app)
{
	enum { PIXELS = 128 * KIB, FRAMES = 240, BYTES = PIXELS * sizeof(float) };
	cl_kernel develop = kernel_of(app, camera, "develop");
	cl_command_queue feed = queue_new(app, 0);
	cl_mem picture = stocked(app, PIXELS, 69), frames[2];
	cl_event used[2] = {NULL}, filled;
	cl_int status;

	for (int i = 0; i < 2; i++) {
		frames[i] = clCreateBuffer(app->context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
					   BYTES, NULL, &status);
		must(status, "clCreateBuffer");
	}
	for (int number = 0; number < FRAMES; number++) {
		int slot = number % 2;
		float *frame;

		if (used[slot])
			settle(used[slot]);
		frame = clEnqueueMapBuffer(feed, frames[slot], CL_TRUE,
					   CL_MAP_WRITE_INVALIDATE_REGION, 0, BYTES, 0, NULL, NULL,
					   &status);
		must(status, "clEnqueueMapBuffer");
		refill(frame, PIXELS, number);
		TRY(clEnqueueUnmapMemObject(feed, frames[slot], frame, 0, NULL, &filled));
		flush(feed);
		args(develop, "bbi", frames[slot], picture, 20);
		used[slot] = run_after(app->queue, develop, PIXELS, 64, 1, &filled);
		flush(app->queue);
		DROP(filled);
	}
	DROP(used[0]);
	DROP(used[1]);
	answer(summed(app, picture, 4096));
	DROP(feed);
	DROP(develop);
	DROP(picture);
	DROP(frames[0]);
	DROP(frames[1]);
}
