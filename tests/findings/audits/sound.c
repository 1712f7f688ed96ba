/* SPDX-License-Identifier: MIT */
/* Audio: a mastering chain, and what a recogniser of speech is fed with. */
#include "audits.h"

#include <stdlib.h>

/* An album goes block by block through equaliser, compressor and limiter. */
enum { BLOCKS = 80, BLOCK = 256 * KIB, BLOCK_STEP = 9984, STAGES = 3 };
#define BLOCK_BYTES (BLOCK * sizeof(float))

static const char bus_source[] =
	"kernel void equalise(global float *out, global const float *in, int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float before = in[max(i - 1, 0)], after = in[min(i + 1, count - 1)];\n"
	"	out[i] = 1.25f * in[i] - 0.125f * (before + after);\n"
	"}\n"
	"kernel void compress(global float *out, global const float *in, int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float x = in[i], over = fmax(fabs(x) - 0.5f, 0.0f);\n"
	"	out[i] = x / (1.0f + over);\n"
	"}\n"
	"kernel void limit(global float *out, global const float *in, int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float peak = 0.25f;\n"
	"	for (int k = 0; k < 4; k++)\n"
	"		peak = fmax(peak, fabs(in[min(i + k, count - 1)]));\n"
	"	out[i] = in[i] * fmin(1.0f, 0.75f / peak);\n"
	"}\n";

struct bus_stage {
	cl_kernel kernel;
	cl_mem in, out;
};

/* A plugin: samples in, samples out. */
static void stage_play(struct app *app, struct bus_stage *stage, const float *in, float *out)
{
	put(app->queue, stage->in, BLOCK_BYTES, in);
	args(stage->kernel, "bbi", stage->out, stage->in, BLOCK);
	run(app->queue, stage->kernel, BLOCK, 64);
	get(app->queue, stage->out, BLOCK_BYTES, out);
}

/* All plugins of a bus; what one puts out is where the next one takes in. */
static void bus_play(struct app *app, struct bus_stage *stages, const float *in, float *out)
{
	put(app->queue, stages[0].in, BLOCK_BYTES, in);
	for (int i = 0; i < STAGES; i++) {
		args(stages[i].kernel, "bbi", stages[i].out, i ? stages[i - 1].out : stages[i].in,
		     BLOCK);
		run(app->queue, stages[i].kernel, BLOCK, 64);
	}
	get(app->queue, stages[STAGES - 1].out, BLOCK_BYTES, out);
}

void audit_master_bus(struct app *app)
{
	static const char *const names[STAGES] = {"equalise", "compress", "limit"};
	cl_program program = program_new(app, bus_source, "");
	float *album = floats(BLOCK + BLOCKS * BLOCK_STEP, 44);
	float *first = memory(BLOCK_BYTES), *second = memory(BLOCK_BYTES);
	struct bus_stage stages[STAGES];
	double loud = 0;

	for (int i = 0; i < STAGES; i++) {
		stages[i].kernel = kernel_new(program, names[i]);
		stages[i].in = buffer_new(app, BLOCK_BYTES);
		stages[i].out = buffer_new(app, BLOCK_BYTES);
	}
	for (int block = 0; block < BLOCKS; block++) {
		const float *in = album + block * BLOCK_STEP;

		if (app->repaired) {
			bus_play(app, stages, in, first);
		} else {
			stage_play(app, &stages[0], in, first);
			stage_play(app, &stages[1], first, second);
			stage_play(app, &stages[2], second, first);
		}
		for (int i = 0; i < BLOCK; i += 64)
			loud += (double)(first[i] * first[i]);
	}
	answer(loud);
	for (int i = 0; i < STAGES; i++) {
		DROP(stages[i].kernel);
		DROP(stages[i].in);
		DROP(stages[i].out);
	}
	DROP(program);
	free(album);
	free(first);
	free(second);
}

/* Utterances lie one behind the other on the device; each is looked at as a buffer of its own, in
 * each epoch with other windows. */
enum { VOICES = 160, EPOCHS = 12, VOICE_LEAST = 30011, HOP = 160, BANDS = 4 };

static const char speech_source[] =
	"kernel void bands(global float *out, global const float *voice, int first,\n"
	"		  int from)\n"
	"{\n"
	"	int i = get_global_id(0), frame = i / 4, band = i % 4;\n"
	"	float sum = 0;\n"
	"	for (int k = from; k < from + 32; k++) {\n"
	"		float x = voice[frame * 160 + k];\n"
	"		sum += x * (float)((k * (band + 1) & 31) - 15);\n"
	"	}\n"
	"	out[first + i] += sum * sum;\n"
	"}\n";

struct corpus {
	cl_mem samples;
	size_t starts[VOICES], lengths[VOICES], count;
};

static void corpus_lay(const struct app *app, struct corpus *corpus)
{
	cl_uint bits = 0;
	size_t unit = 1;

	if (app->repaired) {
		TRY(clGetDeviceInfo(app->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits,
				    NULL));
		unit = bits / 8 / sizeof(float);
	}
	for (int i = 0; i < VOICES; i++) {
		corpus->starts[i] = corpus->count;
		corpus->lengths[i] = VOICE_LEAST + (size_t)(i * 2654435761u >> 18);
		corpus->count += (corpus->lengths[i] + unit - 1) / unit * unit;
	}
}

static void corpus_load(const struct app *app, struct corpus *corpus)
{
	float *speech = memory(corpus->count * sizeof(float));

	for (int i = 0; i < VOICES; i++)
		refill(speech + corpus->starts[i], corpus->lengths[i], i * 7 + 1);
	corpus->samples = buffer_new(app, corpus->count * sizeof(float));
	put_now(app->queue, corpus->samples, corpus->count * sizeof(float), speech);
	free(speech);
}

/* Some drivers have no buffers within buffers: then the utterance gets one. */
static cl_mem voice_of(const struct app *app, const struct corpus *corpus, int voice)
{
	size_t bytes = corpus->lengths[voice] * sizeof(float);
	cl_buffer_region region = {corpus->starts[voice] * sizeof(float), bytes};
	cl_int status;
	cl_mem part = clCreateSubBuffer(corpus->samples, CL_MEM_READ_ONLY,
					CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
	void *samples;

	if (status == CL_SUCCESS)
		return part;
	samples = memory(bytes);
	TRY(clEnqueueReadBuffer(app->queue, corpus->samples, CL_TRUE, region.origin, bytes, samples,
				0, NULL, NULL));
	part = clCreateBuffer(app->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, samples,
			      &status);
	must(status, "clCreateBuffer");
	free(samples);
	return part;
}

void audit_speech_windows(struct app *app)
{
	static struct corpus corpus;
	cl_kernel bands = kernel_of(app, speech_source, "bands");
	size_t most = VOICES * ((VOICE_LEAST + 16384) / HOP) * BANDS, count = 0;
	cl_mem features = zeroed(app, most * sizeof(float));
	float *fed = memory(most * sizeof(float));

	corpus_lay(app, &corpus);
	corpus_load(app, &corpus);
	for (int epoch = 0; epoch < EPOCHS; epoch++) {
		count = 0;
		for (int i = 0; i < VOICES; i++) {
			size_t items = corpus.lengths[i] / HOP / 16 * 16 * BANDS;
			cl_mem voice = voice_of(app, &corpus, i);

			args(bands, "bbii", features, voice, (int)count, epoch * 10);
			run(app->queue, bands, items, 16 * BANDS);
			DROP(voice);
			count += items;
		}
	}
	get(app->queue, features, count * sizeof(float), fed);
	answer(total(fed, count));
	DROP(corpus.samples);
	DROP(features);
	DROP(bands);
	free(fed);
}
