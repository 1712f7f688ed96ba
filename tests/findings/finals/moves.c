/* SPDX-License-Identifier: MIT */
/* Transfers: small, slow, unneeded, or of too much. */
#include "finals.h"

#include <string.h>

/* Bonds of a portfolio, each a record of its own to be uploaded. */

struct bond {
	float coupon, price, years, notional, spare[4];
};

void final_bond_rows(struct app *app)
{
	enum { BONDS = 512, DAYS = 40, FLOATS = sizeof(struct bond) / 4 };
	struct bond *bonds = (struct bond *)floats(BONDS * FLOATS, 1);
	cl_mem v = buffer_new(app, BONDS * sizeof(*bonds));
	cl_kernel yield = kernel_of(app, MIX("yield"), "yield");

	args(yield, "bi", v, 30);
	for (int day = 0; day < DAYS; day++) {
		for (int i = 0; i < BONDS; i++) {
			bonds[i].price += 0.01f * (float)(day % 7);
			if (!app->repaired)
				put_part(app->queue, v, (size_t)i * sizeof(*bonds), sizeof(*bonds),
					 &bonds[i]);
		}
		if (app->repaired)
			put(app->queue, v, BONDS * sizeof(*bonds), bonds);
		run(app->queue, yield, BONDS * FLOATS, 64);
		finish(app->queue);
	}
	get(app->queue, v, BONDS * sizeof(*bonds), bonds);
	answer(total(&bonds[0].coupon, BONDS * FLOATS));
	DROP(yield);
	DROP(v);
}

/* A search in texts; what was found in each line is fetched on its own. */

static const char *const match_source =
	"kernel void match(global const uchar *text, global int *found, int length, uchar what)\n"
	"{\n"
	"	int i = get_global_id(0), n = 0;\n"
	"	for (int k = 0; k < length; k++)\n"
	"		n += text[i * length + k] == what;\n"
	"	found[i] = n;\n"
	"}\n";

struct lines {
	cl_command_queue queue;
	cl_mem found;
	int *counts;
	int first, count; /* what was fetched last */
	bool whole;
};

/* What was found in a line. */
static int lines_found(struct lines *lines, int line)
{
	if (line < lines->first || line >= lines->first + lines->count) {
		lines->first = lines->whole ? 0 : line;
		lines->count = lines->whole ? 1024 : 1;
		TRY(clEnqueueReadBuffer(lines->queue, lines->found, CL_TRUE,
					(size_t)lines->first * 4, (size_t)lines->count * 4,
					lines->counts + lines->first, 0, NULL, NULL));
	}
	return lines->counts[line];
}

void final_match_reads(struct app *app)
{
	enum { LINES = 1024, LENGTH = 256, WORDS = 15 };
	unsigned char *text = memory(LINES * LENGTH);
	cl_mem t, found = buffer_new(app, LINES * 4);
	cl_kernel match = kernel_of(app, match_source, "match");
	struct lines lines = {app->queue, found, memory(LINES * 4), 0, 0, app->repaired};
	long sum = 0;

	for (int i = 0; i < LINES * LENGTH; i++)
		text[i] = (unsigned char)((unsigned)i * 2654435761u >> 25);
	t = loaded(app, LINES * LENGTH, text);
	for (int word = 0; word < WORDS; word++) {
		cl_uchar what = (cl_uchar)word;

		args(match, "bbi", t, found, LENGTH);
		TRY(clSetKernelArg(match, 3, 1, &what));
		run(app->queue, match, LINES, 64);
		lines.count = 0;
		for (int i = 0; i < LINES; i++)
			sum += lines_found(&lines, i);
	}
	answer((double)sum);
	DROP(match);
	DROP(t);
	DROP(found);
}

/* A simulation on two halves, which exchange a column through the host as a box one number wide. */

static const char *const column_source =
	"kernel void gather(global const float *v, global float *c, int n, int at)\n"
	"{\n"
	"	c[get_global_id(0)] = v[get_global_id(0) * n + at];\n"
	"}\n"
	"kernel void scatter(global float *v, global const float *c, int n, int at)\n"
	"{\n"
	"	v[get_global_id(0) * n + at] = c[get_global_id(0)];\n"
	"}\n";

void final_column_halo(struct app *app)
{
	enum { ROWS = 16384, N = 64, STEPS = 1000 };
	size_t box[3] = {4, ROWS, 1}, from[3] = {(N - 1) * 4, 0, 0}, to[3] = {0}, zero[3] = {0};
	float *field = floats(ROWS * N, 1), *column = floats(ROWS, 2);
	cl_mem left = loaded(app, ROWS * N * 4, field), right = loaded(app, ROWS * N * 4, field),
	       line = buffer_new(app, ROWS * 4);
	cl_program program = program_new(app, column_source, "");
	cl_kernel gather = kernel_new(program, "gather"), scatter = kernel_new(program, "scatter");

	args(gather, "bbii", left, line, N, N - 1);
	args(scatter, "bbii", right, line, N, 0);
	for (int step = 0; step < STEPS; step++) {
		if (app->repaired) {
			run(app->queue, gather, ROWS, 64);
			get(app->queue, line, ROWS * 4, column);
			column[step] += 1; /* the boundary's condition */
			put(app->queue, line, ROWS * 4, column);
			run(app->queue, scatter, ROWS, 64);
			continue;
		}
		TRY(clEnqueueReadBufferRect(app->queue, left, CL_TRUE, from, zero, box, N * 4, 0, 4,
					    0, column, 0, NULL, NULL));
		column[step] += 1;
		TRY(clEnqueueWriteBufferRect(app->queue, right, CL_TRUE, to, zero, box, N * 4, 0, 4,
					     0, column, 0, NULL, NULL));
	}
	get(app->queue, right, ROWS * N * 4, field);
	answer(total(field, ROWS * N));
	DROP(gather);
	DROP(scatter);
	DROP(program);
	DROP(left);
	DROP(right);
	DROP(line);
}

/* Packets of a stream, whose payload stands behind a header of 20 bytes. */

void final_packet_payload(struct app *app)
{
	enum { BYTES = 512 * KIB, PACKETS = 400, HEADER = 20, N = BYTES / 4 };
	char *packet = memory(BYTES + 128), *payload = packet + (app->repaired ? 64 : HEADER);
	float *out = floats(64, 1);
	cl_mem v = buffer_new(app, BYTES);
	cl_kernel demodulate = kernel_of(app, MIX("demodulate"), "demodulate");

	args(demodulate, "bi", v, 4);
	for (int i = 0; i < PACKETS; i++) {
		memset(payload, i, 64);
		put(app->queue, v, BYTES, payload);
		run(app->queue, demodulate, N / 8, 64);
		get(app->queue, v, 64 * 4, out);
	}
	answer(total(out, 64));
	DROP(demodulate);
	DROP(v);
}

/* A chain of filters as plugins, whose interface is images of the host. */

struct filter {
	cl_kernel kernel;
	int rounds;
};

static void filter_apply(const struct app *app, const struct filter *filter, cl_mem v,
			 float *pixels, bool first, bool last)
{
	enum { N = 1 << 18 };

	if (first)
		put(app->queue, v, N * 4, pixels);
	args(filter->kernel, "bi", v, filter->rounds);
	run(app->queue, filter->kernel, N, 64);
	if (last)
		get(app->queue, v, N * 4, pixels);
}

void final_filter_stages(struct app *app)
{
	enum { N = 1 << 18, IMAGES = 40, FILTERS = 5 };
	static const char *const names[FILTERS] = {"blur", "level", "tint", "edge", "vignette"};
	float *pixels = floats(N, 1);
	cl_mem v = buffer_new(app, N * 4);
	struct filter filters[FILTERS];
	double sum = 0;

	app->program = program_new(
		app, MIX("blur") MIX("level") MIX("tint") MIX("edge") MIX("vignette"), "");
	for (int i = 0; i < FILTERS; i++)
		filters[i] = (struct filter){kernel_new(app->program, names[i]), 1 + i % 2};
	for (int image = 0; image < IMAGES; image++) {
		refill(pixels, N, image);
		for (int i = 0; i < FILTERS; i++)
			filter_apply(app, &filters[i], v, pixels, !app->repaired || i == 0,
				     !app->repaired || i == FILTERS - 1);
		sum += (double)pixels[image];
	}
	answer(sum);
	for (int i = 0; i < FILTERS; i++)
		DROP(filters[i].kernel);
	DROP(v);
}

/* A simulation that keeps its last good state in another buffer, by way of the host. */

void final_checkpoint_copy(struct app *app)
{
	enum { N = 1 << 19, STEPS = 200 };
	float *state = floats(N, 1), *by = memory(N * 4);
	cl_mem v = loaded(app, N * 4, state), good = buffer_new(app, N * 4);
	cl_kernel push = kernel_of(app, MIX("push"), "push");

	args(push, "bi", v, 1);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, push, N / 4, 64);
		if (app->repaired) {
			TRY(clEnqueueCopyBuffer(app->queue, v, good, 0, 0, N * 4, 0, NULL, NULL));
			finish(app->queue);
			continue;
		}
		get(app->queue, v, N * 4, by);
		put_now(app->queue, good, N * 4, by);
	}
	get(app->queue, good, N * 4, state);
	answer(total(state, N));
	DROP(push);
	DROP(v);
	DROP(good);
}

/* An inference service, which sets the model's weights for each request. */

static const char *const model_source =
	"kernel void score(global const float *w, global const float *in, global float *out, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float s = 0;\n"
	"	for (int k = 0; k < 32; k++)\n"
	"		s += w[(i * 32 + k) % n] * in[k];\n"
	"	out[i] = s;\n"
	"}\n";

struct model {
	cl_mem weights;
	float *host;
	bool loaded;
};

static void model_bind(const struct app *app, struct model *model)
{
	enum { WEIGHTS = 1 << 19 };

	if (model->loaded && app->repaired)
		return;
	put(app->queue, model->weights, WEIGHTS * 4, model->host);
	model->loaded = true;
}

void final_model_weights(struct app *app)
{
	enum { WEIGHTS = 1 << 19, N = 4096, REQUESTS = 250 };
	struct model models[2];
	float *in = floats(32, 1), *out = floats(N, 2), sum = 0;
	cl_mem i = buffer_new(app, 32 * 4), o = buffer_new(app, N * 4);
	cl_kernel score = kernel_of(app, model_source, "score");

	for (unsigned m = 0; m < 2; m++)
		models[m] = (struct model){buffer_new(app, WEIGHTS * 4), floats(WEIGHTS, m), false};
	for (int request = 0; request < REQUESTS; request++) {
		struct model *model = &models[request % 3 == 0];

		model_bind(app, model);
		refill(in, 32, request);
		put(app->queue, i, 32 * 4, in);
		args(score, "bbbi", model->weights, i, o, WEIGHTS);
		run(app->queue, score, N, 64);
		get(app->queue, o, N * 4, out);
		sum += out[request];
	}
	answer((double)sum);
	DROP(score);
	DROP(models[0].weights);
	DROP(models[1].weights);
	DROP(i);
	DROP(o);
}

/* A spectrum of each block; the window that was computed on the device once is read again with
 * each. */

void final_window_table(struct app *app)
{
	enum { N = 1 << 18, BLOCKS = 200, BLOCK = 8192 };
	float *window = floats(N, 1), *block = floats(BLOCK, 2);
	cl_mem w = loaded(app, N * 4, window), v = buffer_new(app, BLOCK * 4);
	cl_program program = program_new(app, MIX("bell") MIX("spectrum"), "");
	cl_kernel bell = kernel_new(program, "bell"), spectrum = kernel_new(program, "spectrum");
	double sum = 0;

	args(bell, "bi", w, 3);
	run(app->queue, bell, N, 64);
	args(spectrum, "bi", v, 20);
	for (int i = 0; i < BLOCKS; i++) {
		if (i == 0 || !app->repaired)
			get(app->queue, w, N * 4, window);
		refill(block, BLOCK, i);
		for (int k = 0; k < 64; k++)
			block[k] *= window[(i * 64 + k) % N];
		put(app->queue, v, BLOCK * 4, block);
		run(app->queue, spectrum, BLOCK, 64);
		get(app->queue, v, BLOCK * 4, block);
		sum += (double)block[i];
	}
	answer(sum);
	DROP(bell);
	DROP(spectrum);
	DROP(program);
	DROP(w);
	DROP(v);
}

/* A flow, whose largest speed is printed at each step: for that all of the field is read. */

static const char *const norm_source =
	"kernel void largest(global const float *v, global float *out, int n)\n"
	"{\n"
	"	int i = get_global_id(0), k = n / (int)get_global_size(0);\n"
	"	float m = 0;\n"
	"	for (int j = 0; j < k; j++)\n"
	"		m = fmax(m, v[i * k + j]);\n"
	"	out[i] = m;\n"
	"}\n";

static double largest(const float *data, size_t count)
{
	float most = 0;

	for (size_t i = 0; i < count; i++)
		most = data[i] > most ? data[i] : most;
	return (double)most;
}

void final_field_norm(struct app *app)
{
	enum { N = 1 << 19, STEPS = 150, PARTS = 4096 };
	float *field = floats(N, 1);
	cl_mem v = loaded(app, N * 4, field), parts = buffer_new(app, PARTS * 4);
	cl_program program = program_new(app, MIX("flow"), ""),
		   reduce = program_new(app, norm_source, "");
	cl_kernel flow = kernel_new(program, "flow"), most = kernel_new(reduce, "largest");
	double sum = 0;

	args(flow, "bi", v, 1);
	args(most, "bbi", v, parts, N);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, flow, N / 16, 64);
		if (app->repaired) {
			run(app->queue, most, PARTS, 64);
			get(app->queue, parts, PARTS * 4, field);
			sum += largest(field, PARTS);
		} else {
			get(app->queue, v, N * 4, field);
			sum += largest(field, N);
		}
	}
	answer(sum);
	DROP(flow);
	DROP(most);
	DROP(program);
	DROP(reduce);
	DROP(v);
	DROP(parts);
}

/* Smoothing of an image in many steps, each of which brings the image back; the last is kept. */

void final_smooth_steps(struct app *app)
{
	enum { N = 1 << 19, STEPS = 200 };
	float *image = floats(N, 1);
	cl_mem v = loaded(app, N * 4, image);
	cl_kernel smooth = kernel_of(app, MIX("smooth"), "smooth");

	args(smooth, "bi", v, 1);
	for (int step = 1; step <= STEPS; step++) {
		run(app->queue, smooth, N / 8, 64);
		if (!app->repaired || step == STEPS)
			get_part(app->queue, v, 0, N * 4, image);
		if (step % 20 == 0)
			finish(app->queue);
	}
	answer(total(image, N));
	DROP(smooth);
	DROP(v);
}

/* A compressor's dictionary on the device: to change one entry, all of it is uploaded. */

void final_dictionary_slot(struct app *app)
{
	enum { N = 1 << 18, ENTRY = 64, BLOCKS = 500, LITERALS = 4096 };
	float *dictionary = floats(N, 1), *literals = floats(LITERALS, 2);
	cl_mem d = loaded(app, N * 4, dictionary), v = loaded(app, LITERALS * 4, literals);
	cl_kernel encode = kernel_of(app, MIX("encode"), "encode");

	for (int block = 0; block < BLOCKS; block++) {
		size_t entry = (size_t)block % (N / ENTRY) * ENTRY;

		for (size_t i = 0; i < ENTRY; i++)
			dictionary[entry + i] = literals[i] + (float)block;
		if (app->repaired)
			put_part(app->queue, d, entry * 4, ENTRY * 4, dictionary + entry);
		else
			put(app->queue, d, N * 4, dictionary);
		args(encode, "bi", d, 4);
		run(app->queue, encode, LITERALS, 64);
		args(encode, "bi", v, 4);
		run(app->queue, encode, LITERALS, 64);
		get(app->queue, v, LITERALS * 4, literals);
	}
	answer(total(literals, LITERALS));
	DROP(encode);
	DROP(d);
	DROP(v);
}
