/* SPDX-License-Identifier: MIT */
/* Memory and objects: made again and again, or never released. */
#include "finals.h"

#include <string.h>

/* A video effect, that gets scratch memory for each frame. */

void final_frame_scratch(struct app *app)
{
	enum { N = 1 << 16, FRAMES = 40, SCRATCH = 24 * MIB };
	float *pixels = floats(N, 1);
	cl_mem v = loaded(app, N * 4, pixels), scratch = NULL;
	cl_kernel warp = kernel_of(app, MIX("warp"), "warp");
	cl_float zero = 0;

	for (int frame = 0; frame < FRAMES; frame++) {
		if (!scratch)
			scratch = buffer_new(app, SCRATCH);
		TRY(clEnqueueFillBuffer(app->queue, scratch, &zero, 4, 0, SCRATCH, 0, NULL, NULL));
		args(warp, "bi", v, 4);
		run(app->queue, warp, N, 64);
		args(warp, "bi", scratch, 1);
		run(app->queue, warp, N, 64);
		finish(app->queue);
		if (!app->repaired) {
			DROP(scratch);
			scratch = NULL;
		}
	}
	get(app->queue, v, N * 4, pixels);
	answer(total(pixels, N));
	if (scratch)
		DROP(scratch);
	DROP(warp);
	DROP(v);
}

/* Tiles of a panorama, each put into an image that lives as long as the tile. */

static const char *const tone_source =
	"kernel void tone(read_only image2d_t in, global float *out, int n)\n"
	"{\n"
	"	const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
	"		CLK_FILTER_NEAREST;\n"
	"	int i = get_global_id(0);\n"
	"	out[i] = read_imagef(in, s, (int2)(i % n, i / n)).x;\n"
	"}\n";

static cl_mem image_new(const struct app *app, size_t side, void *host)
{
	cl_image_format format = {CL_RGBA, CL_FLOAT};
	cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
	cl_int status;
	cl_mem image =
		clCreateImage(app->context, CL_MEM_READ_ONLY | (host ? CL_MEM_COPY_HOST_PTR : 0),
			      &format, &desc, host, &status);

	must(status, "clCreateImage");
	return image;
}

void final_image_scratch(struct app *app)
{
	enum { SIDE = 1024, TILES = 60, OUT = 4096 };
	size_t origin[3] = {0, 0, 0}, region[3] = {SIDE, SIDE, 1};
	float *tile = floats(SIDE * SIDE * 4, 1), *out = floats(OUT, 2);
	cl_mem image = app->repaired ? image_new(app, SIDE, tile) : NULL,
	       o = buffer_new(app, OUT * 4);
	cl_kernel tone = kernel_of(app, tone_source, "tone");
	double sum = 0;

	for (int i = 0; i < TILES; i++) {
		tile[i] += 1;
		if (!app->repaired)
			image = image_new(app, SIDE, tile);
		else
			TRY(clEnqueueWriteImage(app->queue, image, CL_FALSE, origin, region, 0, 0,
						tile, 0, NULL, NULL));
		args(tone, "bbi", image, o, SIDE);
		run(app->queue, tone, OUT, 64);
		get(app->queue, o, OUT * 4, out);
		sum += (double)out[i];
		if (!app->repaired)
			DROP(image);
	}
	answer(sum);
	if (app->repaired)
		DROP(image);
	DROP(tone);
	DROP(o);
}

/* A service that lays tiles of images out anew: each request opens a session with a context and a
 * queue of its own, and closes it. */

struct client {
	struct app own;
	cl_mem from, to;
	bool is_open;
};

static void client_open(const struct app *app, struct client *client, size_t bytes)
{
	client->own = *app;
	client->own.context = context_new(app);
	client->own.queue = queue_new(&client->own, 0);
	client->from = buffer_new(&client->own, bytes);
	client->to = buffer_new(&client->own, bytes);
	client->is_open = true;
}

static void client_close(struct client *client)
{
	DROP(client->from);
	DROP(client->to);
	DROP(client->own.queue);
	DROP(client->own.context);
	client->is_open = false;
}

void final_client_contexts(struct app *app)
{
	enum { REQUESTS = 4000, ROW = 64, ROWS = 64, BYTES = ROW * ROWS * 2 };
	size_t left[3] = {0, 0, 0}, below[3] = {0, ROWS, 0}, box[3] = {ROW, ROWS, 1};
	float *tile = floats(BYTES / 4, 1), *out = floats(BYTES / 4, 2), sum = 0;
	struct client client = {.is_open = false};

	for (int request = 0; request < REQUESTS; request++) {
		if (!client.is_open)
			client_open(app, &client, BYTES);
		refill(tile, BYTES / 4, request);
		put(client.own.queue, client.from, BYTES, tile);
		TRY(clEnqueueCopyBufferRect(client.own.queue, client.from, client.to, left, below,
					    box, ROW * 2, 0, ROW, 0, 0, NULL, NULL));
		TRY(clEnqueueCopyBufferRect(client.own.queue, client.from, client.to,
					    (size_t[3]){ROW, 0, 0}, left, box, ROW * 2, 0, ROW, 0,
					    0, NULL, NULL));
		get(client.own.queue, client.to, BYTES, out);
		sum += out[request % 64];
		if (!app->repaired)
			client_close(&client);
	}
	if (client.is_open)
		client_close(&client);
	answer((double)sum);
}

/* A wrapper, in which a call of a function is to look its kernel up by name: in a program of many
 * kernels. */

struct library {
	cl_program program;
	cl_kernel kernels[8];
	bool keeps;
};

static const char *const operator_names[] = {"add", "sub",   "mul",   "neg",
					     "inv", "exp2a", "log2a", "relu"};

static void library_call(struct library *library, cl_command_queue queue, int number, cl_mem v,
			 int items)
{
	cl_kernel kernel = library->kernels[number];

	if (!kernel)
		kernel = kernel_new(library->program, operator_names[number]);
	args(kernel, "bi", v, 1);
	run(queue, kernel, (size_t)items, 64);
	if (library->keeps)
		library->kernels[number] = kernel;
	else
		DROP(kernel);
}

void final_call_kernels(struct app *app)
{
	enum { N = 256, CALLS = 16000 };
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	struct library library = {.keeps = app->repaired};

	app->program = program_new(app,
				   MIX("add") MIX("sub") MIX("mul") MIX("neg") MIX("inv")
					   MIX("exp2a") MIX("log2a") MIX("relu"),
				   "");
	library.program = app->program;
	for (int i = 0; i < CALLS; i++) {
		library_call(&library, app->queue, i % 8, v, N);
		if (i % 40 == 39)
			finish(app->queue);
	}
	get(app->queue, v, N * 4, data);
	answer(total(data, N));
	for (int i = 0; i < 8; i++)
		if (library.kernels[i])
			DROP(library.kernels[i]);
	DROP(v);
}

/* A profiler built into a program: it keeps the event of each launch, and only ever reads those of
 * the last frame. */

struct timing {
	cl_event events[16];
	int count;
	bool releases;
};

static void timing_frame(struct timing *timing)
{
	cl_ulong start;

	for (int i = 0; i < timing->count; i++) {
		TRY(clGetEventProfilingInfo(timing->events[i], CL_PROFILING_COMMAND_START,
					    sizeof(start), &start, NULL));
		if (timing->releases)
			DROP(timing->events[i]);
	}
	timing->count = 0;
}

void final_timing_events(struct app *app)
{
	enum { N = 4096, FRAMES = 300, PASSES = 8 };
	float *data = floats(N, 1);
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel pass = kernel_of(app, MIX("pass"), "pass");
	struct timing timing = {.releases = app->repaired};

	args(pass, "bi", v, 10);
	for (int frame = 0; frame < FRAMES; frame++) {
		for (int i = 0; i < PASSES; i++)
			timing.events[timing.count++] = run_after(queue, pass, N, 64, 0, NULL);
		finish(queue);
		timing_frame(&timing);
	}
	get(queue, v, N * 4, data);
	answer(total(data, N));
	DROP(pass);
	DROP(v);
	DROP(queue);
}

/* A server's sessions, whose close() forgets one of the two buffers. */

struct session {
	cl_mem in, out;
};

static void session_open(const struct app *app, struct session *session, size_t bytes)
{
	session->in = buffer_new(app, bytes);
	session->out = buffer_new(app, bytes);
}

static void session_close(const struct app *app, struct session *session)
{
	DROP(session->in);
	if (app->repaired)
		DROP(session->out);
}

void final_session_buffers(struct app *app)
{
	enum { N = 1 << 14, SESSIONS = 200 };
	float *data = floats(N, 1);
	cl_kernel fold = kernel_of(app, MIX("fold"), "fold");

	for (int i = 0; i < SESSIONS; i++) {
		struct session session;

		session_open(app, &session, N * 4);
		put(app->queue, session.in, N * 4, data);
		args(fold, "bi", session.in, 30);
		run(app->queue, fold, N, 64);
		TRY(clEnqueueCopyBuffer(app->queue, session.in, session.out, 0, 0, N * 4, 0, NULL,
					NULL));
		get(app->queue, session.out, N * 4, data);
		session_close(app, &session);
	}
	answer(total(data, N));
	DROP(fold);
}

/* A graph of operators that is rebuilt for each shape: the nodes have kernels, and nobody has
 * written what releases a node. */

struct node {
	cl_kernel kernel;
	int rounds;
};

static void nodes_make(const struct app *app, struct node *nodes, int count)
{
	for (int i = 0; i < count; i++)
		nodes[i] = (struct node){kernel_new(app->program, operator_names[i % 4]), 5 + i};
}

static void nodes_drop(struct node *nodes, int count)
{
	for (int i = 0; i < count; i++)
		DROP(nodes[i].kernel);
}

void final_operator_kernels(struct app *app)
{
	enum { N = 4096, SHAPES = 60, NODES = 12, RUNS = 3 };
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	struct node nodes[NODES];

	app->program = program_new(app, MIX("add") MIX("sub") MIX("mul") MIX("neg"), "");
	for (int shape = 0; shape < SHAPES; shape++) {
		nodes_make(app, nodes, NODES);
		for (int i = 0; i < RUNS * NODES; i++) {
			args(nodes[i % NODES].kernel, "bi", v, nodes[i % NODES].rounds);
			run(app->queue, nodes[i % NODES].kernel, N, 64);
		}
		get(app->queue, v, N * 4, data);
		if (app->repaired)
			nodes_drop(nodes, NODES);
	}
	answer(total(data, N));
	DROP(v);
}
