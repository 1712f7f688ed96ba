/* SPDX-License-Identifier: MIT */
/* Programs that have nothing to repair, though some of it looks like it. */
#include "fittings.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* OpenCL 2.1; app.h asks for 2.0 */
#ifndef CL_VERSION_2_1
extern cl_kernel CL_API_CALL clCloneKernel(cl_kernel kernel, cl_int *status);
#endif

static int workers_pipe[2];
static pid_t worker;

/* A second process, which loads a driver of its own. */
void early_workers(bool repaired)
{
	(void)repaired;
	if (pipe(workers_pipe))
		must(-1, "pipe");
	worker = fork();
	if (worker < 0)
		must(-1, "fork");
}

/* Docking of molecules: two processes share the ligands, and the first one adds up. */
void fitting_clean_workers(struct app *app)
{
	enum { POSES = 1 << 16, LIGANDS = 50 };
	cl_kernel kernel = kernel_of(app, STIR("dock_poses"), "dock_poses");
	cl_mem poses = seeded(app, POSES, worker ? 101 : 102);
	double sum, other;

	for (int l = 0; l < LIGANDS; l++) {
		args(kernel, "bbi", poses, poses, 20 + l % 3);
		run(app->queue, kernel, POSES, 64);
	}
	sum = sum_of(app->queue, poses, POSES);
	DROP(poses);
	DROP(kernel);
	if (!worker) {
		if (write(workers_pipe[1], &sum, sizeof(sum)) != sizeof(sum))
			must(-1, "write");
		return;
	}
	if (read(workers_pipe[0], &other, sizeof(other)) != sizeof(other))
		must(-1, "read");
	waitpid(worker, NULL, 0);
	answer(sum + other);
}

struct sums {
	float *rows;
	double *sum;
	size_t count;
};

static void CL_CALLBACK check_rows(void *argument)
{
	struct sums *sums = argument;

	*sums->sum += total(sums->rows, sums->count);
}

/* A log of an experiment: a native kernel adds up what each batch has sent, in its turn. */
void fitting_clean_native(struct app *app)
{
	enum { ROWS = 1 << 16, BATCHES = 60, CHECKED = 1024 };
	cl_kernel kernel = kernel_of(app, STIR("clean_rows"), "clean_rows");
	cl_mem rows = seeded(app, ROWS, 103);
	float *seen = memory(CHECKED * sizeof(*seen));
	double sum = 0;
	struct sums sums = {seen, &sum, CHECKED};

	for (int b = 0; b < BATCHES; b++) {
		args(kernel, "bbi", rows, rows, 20);
		run(app->queue, kernel, ROWS, 64);
		if (b % 20 != 19)
			continue;
		TRY(clEnqueueReadBuffer(app->queue, rows, CL_FALSE, 0, CHECKED * sizeof(*seen),
					seen, 0, NULL, NULL));
		TRY(clEnqueueNativeKernel(app->queue, check_rows, &sums, sizeof(sums), 0, NULL,
					  NULL, 0, NULL, NULL));
	}
	finish(app->queue);
	answer(sum);
	free(seen);
	DROP(rows);
	DROP(kernel);
}

static double grow(struct app *app, cl_program program, int steps)
{
	enum { CELLS = 1 << 16 };
	cl_kernel kernel = kernel_new(program, "grow_cells");
	cl_mem cells = seeded(app, CELLS, 104);
	double sum;

	for (int s = 0; s < steps; s++) {
		args(kernel, "bbi", cells, cells, 15);
		run(app->queue, kernel, CELLS, 64);
	}
	sum = sum_of(app->queue, cells, CELLS);
	DROP(cells);
	DROP(kernel);
	return sum;
}

/* Growth of a tumour. A preview is shown first; the study after it is a client with a context of
 * its own, which gets the program as a binary. */
void fitting_clean_binary(struct app *app)
{
	struct app study = *app;
	unsigned char *binary;
	const unsigned char *kept;
	size_t bytes;
	cl_int status;
	cl_program program;
	double preview;

	app->program = program_new(app, STIR("grow_cells"), "");
	preview = grow(app, app->program, 20);
	TRY(clGetProgramInfo(app->program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, NULL));
	binary = memory(bytes);
	TRY(clGetProgramInfo(app->program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	kept = binary;
	study.context = context_new(app);
	study.queue = queue_new(&study, 0);
	program = clCreateProgramWithBinary(study.context, 1, &study.device, &bytes, &kept, NULL,
					    &status);
	must(status, "clCreateProgramWithBinary");
	TRY(clBuildProgram(program, 1, &study.device, "", NULL, NULL));
	free(binary);
	answer(preview + grow(&study, program, 100));
	DROP(program);
	DROP(study.queue);
	DROP(study.context);
}

/* A benchmark of a stencil, with a profiling queue; all of its times are read at the end. */
void fitting_clean_timed(struct app *app)
{
	enum { GRID = 1 << 16, ROUNDS = 80 };
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel kernel = kernel_of(app, STIR("stencil"), "stencil");
	cl_mem grid = seeded(app, GRID, 105);
	cl_event events[ROUNDS];
	int measured = 0;
	double sum;

	for (int r = 0; r < ROUNDS; r++) {
		args(kernel, "bbi", grid, grid, 20);
		events[r] = run_after(queue, kernel, GRID, 64, 0, NULL);
		TRY(clRetainEvent(events[r])); /* the table of times keeps one, too */
		DROP(events[r]);
	}
	sum = sum_of(queue, grid, GRID);
	for (int r = 0; r < ROUNDS; r++) {
		cl_ulong start, end;

		TRY(clGetEventProfilingInfo(events[r], CL_PROFILING_COMMAND_START, sizeof(start),
					    &start, NULL));
		TRY(clGetEventProfilingInfo(events[r], CL_PROFILING_COMMAND_END, sizeof(end), &end,
					    NULL));
		measured += end >= start;
		DROP(events[r]);
	}
	answer(sum + measured);
	DROP(grid);
	DROP(queue);
	DROP(kernel);
}

/* A renderer keeps one half of the device for the picture and one for its light map. */
void fitting_clean_halves(struct app *app)
{
	enum { PIXELS = 1 << 16, FRAMES = 50 };
	const char *source = STIR("draw_half");
	cl_uint units;
	cl_device_id halves[2];
	cl_command_queue queues[2];
	cl_kernel kernels[2];
	cl_mem parts[2];
	cl_context context;
	cl_program program;
	cl_int status;
	double sum = 0;

	TRY(clGetDeviceInfo(app->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
	TRY(clCreateSubDevices(
		app->device,
		(cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, units / 2, 0}, 2,
		halves, NULL));
	context = clCreateContext(NULL, 2, halves, NULL, NULL, &status);
	must(status, "clCreateContext");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
	must(status, "clCreateProgramWithSource");
	TRY(clBuildProgram(program, 2, halves, "", NULL, NULL));
	for (int h = 0; h < 2; h++) {
		float *start = floats(PIXELS, (unsigned)h + 106);

		parts[h] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, PIXELS * sizeof(*start),
					  start, &status);
		must(status, "clCreateBuffer");
		free(start);
		kernels[h] = kernel_new(program, "draw_half");
		args(kernels[h], "bbi", parts[h], parts[h], 30);
		queues[h] = clCreateCommandQueue(context, halves[h], 0, &status);
		must(status, "clCreateCommandQueue");
	}
	for (int f = 0; f < FRAMES; f++)
		for (int h = 0; h < 2; h++) {
			run(queues[h], kernels[h], PIXELS, 64);
			flush(queues[h]);
		}
	for (int h = 0; h < 2; h++) {
		sum += sum_of(queues[h], parts[h], PIXELS);
		DROP(parts[h]);
		DROP(kernels[h]);
		DROP(queues[h]);
	}
	answer(sum);
	DROP(program);
	DROP(context);
	TRY(clReleaseDevice(halves[0]));
	TRY(clReleaseDevice(halves[1]));
}

struct player {
	struct app *app;
	cl_kernel kernel;
	cl_mem board;
	double result;
};

static void *player_main(void *argument)
{
	struct player *player = argument;
	cl_command_queue queue = queue_new(player->app, 0);

	for (int move = 0; move < 50; move++)
		run(queue, player->kernel, 1 << 15, 64);
	player->result = sum_of(queue, player->board, 1 << 15);
	DROP(queue);
	return NULL;
}

/* Two players of a game search at once, each with a clone of the kernel and its arguments. */
void fitting_clean_clones(struct app *app)
{
	struct player players[2];
	cl_kernel kernel = kernel_of(app, STIR("search_moves"), "search_moves");
	cl_int status;

	for (int p = 0; p < 2; p++) {
		cl_kernel own = clCloneKernel(kernel, &status);

		must(status, "clCloneKernel");
		players[p] = (struct player){app, own, seeded(app, 1 << 15, (unsigned)p + 108), 0};
		args(own, "bbi", players[p].board, players[p].board, 50);
	}
	threads_run(2, player_main, players, sizeof(*players));
	answer(players[0].result + players[1].result);
	for (int p = 0; p < 2; p++) {
		DROP(players[p].board);
		DROP(players[p].kernel);
	}
	DROP(kernel);
}

/* A simulation whose memory is moved to the device and whose steps are enqueued before it starts:
 * a gate holds all of them until the settings have been read. */
void fitting_clean_gate(struct app *app)
{
	enum { BODIES = 1 << 16, STEPS = 60 };
	cl_kernel kernel = kernel_of(app, STIR("move_bodies"), "move_bodies");
	float *start = floats(BODIES, 110);
	cl_mem bodies;
	cl_event gate;
	cl_int status;

	bodies = clCreateBuffer(app->context, CL_MEM_USE_HOST_PTR, BODIES * sizeof(*start), start,
				&status);
	must(status, "clCreateBuffer");
	gate = clCreateUserEvent(app->context, &status);
	must(status, "clCreateUserEvent");
	TRY(clEnqueueMigrateMemObjects(app->queue, 1, &bodies, 0, 1, &gate, NULL));
	for (int s = 0; s < STEPS; s++) {
		args(kernel, "bbi", bodies, bodies, 40);
		run(app->queue, kernel, BODIES, 64);
	}
	TRY(clSetUserEventStatus(gate, CL_COMPLETE));
	DROP(gate);
	answer(sum_of(app->queue, bodies, BODIES));
	DROP(bodies);
	free(start);
	DROP(kernel);
}

/* A puzzle of blocks: a board is moved by boxes on the device, which the host never sees. */
void fitting_clean_blocks(struct app *app)
{
	enum { SIDE = 256, MOVES = 60 };
	cl_kernel kernel = kernel_of(app, STIR("stir_board"), "stir_board");
	cl_mem board = seeded(app, SIDE * SIDE, 111);
	cl_mem next = seeded(app, SIDE * SIDE, 112);
	size_t pitch = SIDE * sizeof(float);
	size_t from[3] = {0}, to[3] = {pitch / 2, SIDE / 2, 0};
	size_t box[3] = {pitch / 2, SIDE / 2, 1};
	const float *seen;
	cl_int status;

	for (int move = 0; move < MOVES; move++) {
		TRY(clEnqueueCopyBufferRect(app->queue, board, next, from, to, box, pitch, 0, pitch,
					    0, 0, NULL, NULL));
		args(kernel, "bbi", next, board, 60);
		run(app->queue, kernel, SIDE * SIDE, 64);
	}
	seen = clEnqueueMapBuffer(app->queue, board, CL_TRUE, CL_MAP_READ, 0, pitch * SIDE, 0, NULL,
				  NULL, &status);
	must(status, "clEnqueueMapBuffer");
	answer(total(seen, SIDE * SIDE));
	TRY(clEnqueueUnmapMemObject(app->queue, board, (void *)seen, 0, NULL, NULL));
	finish(app->queue);
	DROP(board);
	DROP(next);
	DROP(kernel);
}
