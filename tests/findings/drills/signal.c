/* SPDX-License-Identifier: MIT */
/* Audio, radio, and streams of packets. */
#include "drills.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A mixer. Each voice has a queue; parameters come from an automation track, and are set when the
 * voice is quiet. */

enum { VOICES = 8, PARAMETERS = 32 };

struct voice {
	cl_command_queue queue;
	cl_kernel render;
	float parameters[PARAMETERS];
	bool playing, trusts; /* trusts: knows by itself that it is quiet */
};

static void voice_quiet(struct voice *voice)
{
	if (voice->trusts && !voice->playing)
		return;
	finish(voice->queue);
	voice->playing = false;
}

static void voice_set(struct voice *voice, int parameter, float value)
{
	voice_quiet(voice);
	voice->parameters[parameter] = value;
}

static void track_apply(struct voice *voices, int block)
{
	for (int v = 0; v < VOICES; v++)
		for (int step = 0; step < 16; step++)
			for (int p = 0; p < PARAMETERS; p++)
				voice_set(&voices[v], p, (float)(block + step * p) * 0.001f);
}

void drill_mixer_params(struct app *app)
{
	enum { BLOCKS = 120, ITEMS = 4096 };
	struct voice voices[VOICES];
	cl_program program = program_new(app, SWEEP("render_voice"), "");
	cl_mem samples[VOICES];
	float first;

	for (unsigned v = 0; v < VOICES; v++) {
		voices[v] = (struct voice){.queue = queue_new(app, 0),
					   .render = kernel_new(program, "render_voice"),
					   .trusts = app->repaired};
		samples[v] = filled(app, ITEMS * sizeof(float), v);
		args(voices[v].render, "bi", samples[v], 3);
	}
	for (int block = 0; block < BLOCKS; block++) {
		track_apply(voices, block);
		for (int v = 0; v < VOICES; v++) {
			run(voices[v].queue, voices[v].render, ITEMS, 64);
			flush(voices[v].queue);
			voices[v].playing = true;
		}
	}
	for (int v = 0; v < VOICES; v++)
		finish(voices[v].queue);
	get(app->queue, samples[2], sizeof(first), &first);
	answer((double)first + (double)voices[1].parameters[3]);
	for (int v = 0; v < VOICES; v++) {
		DROP(voices[v].queue);
		DROP(voices[v].render);
		DROP(samples[v]);
	}
	DROP(program);
}

/* Channels of a receiver: each block of each channel goes to the device, through a filter and
 * back. What ends a stage is in one place. */

enum { CHANNELS = 8, CHANNEL = 256 * KIB };

struct chain {
	cl_command_queue queue;
	cl_kernel filter;
	cl_mem data[CHANNELS];
	cl_event last[CHANNELS];
	float *out[CHANNELS];
	float *tape; /* what comes in */
	int blocks;
	bool whole; /* a stage ends for all channels */
};

static cl_event *stage_begins(struct chain *chain, int channel)
{
	return chain->whole || !chain->last[channel] ? NULL : &chain->last[channel];
}

static void stage_ends(struct chain *chain, int channel, cl_event event)
{
	if (chain->last[channel])
		DROP(chain->last[channel]);
	chain->last[channel] = event;
	if (chain->whole)
		TRY(clEnqueueBarrierWithWaitList(chain->queue, 0, NULL, NULL));
}

static void channel_block(struct chain *chain, int channel)
{
	cl_event *last = stage_begins(chain, channel);
	cl_event event = put_after(chain->queue, chain->data[channel], CHANNEL,
				   chain->tape + (size_t)chain->blocks++ * 16, last ? 1 : 0, last);

	stage_ends(chain, channel, event);
	last = stage_begins(chain, channel);
	event = run_after(chain->queue, chain->filter, CHANNEL / 4, 64, last ? 1 : 0, last);
	stage_ends(chain, channel, event);
	last = stage_begins(chain, channel);
	event = get_after(chain->queue, chain->data[channel], CHANNEL, chain->out[channel],
			  last ? 1 : 0, last);
	stage_ends(chain, channel, event);
}

void drill_channel_barriers(struct app *app)
{
	enum { BLOCKS = 60 };
	struct chain chain = {.queue = loose_queue(app),
			      .filter = kernel_of(app, SWEEP("band_filter"), "band_filter"),
			      .whole = !app->repaired,
			      .tape = floats(CHANNEL / 4 + BLOCKS * CHANNELS * 16, 1)};
	double sum = 0;

	for (unsigned c = 0; c < CHANNELS; c++) {
		chain.out[c] = memory(CHANNEL);
		chain.data[c] = buffer_new(app, CHANNEL);
	}
	for (int block = 0; block < BLOCKS; block++) {
		for (int c = 0; c < CHANNELS; c++) {
			args(chain.filter, "bi", chain.data[c], 2);
			channel_block(&chain, c);
		}
		if (block % 10 == 9)
			finish(chain.queue);
	}
	for (int c = 0; c < CHANNELS; c++) {
		sum += total(chain.out[c], 4);
		DROP(chain.last[c]);
		DROP(chain.data[c]);
		free(chain.out[c]);
	}
	answer(sum > 0);
	free(chain.tape);
	DROP(chain.filter);
	DROP(chain.queue);
}

/* Packets as a network card leaves them: a header of 24 bytes, then samples. */

struct packet {
	unsigned char header[24];
	float samples[128 * KIB];
};

void drill_packet_header(struct app *app)
{
	enum { PACKETS = 200, BYTES = 128 * KIB * sizeof(float), ITEMS = 64 * KIB };
	struct packet *packet = memory(sizeof(*packet) + 64);
	float *samples, first;
	cl_mem v = buffer_new(app, BYTES);
	cl_kernel demodulate = kernel_of(app, SWEEP("demodulate"), "demodulate");

	/* the card can leave room before the header */
	if (app->repaired)
		packet = (struct packet *)((char *)packet + 64 - sizeof(packet->header));
	samples = packet->samples;
	refill(samples, ITEMS, 1);
	args(demodulate, "bi", v, 3);
	for (int i = 0; i < PACKETS; i++) {
		samples[1] = (float)i;
		put_now(app->queue, v, BYTES, samples);
		run(app->queue, demodulate, ITEMS, 64);
	}
	get(app->queue, v, sizeof(first), &first);
	answer((double)first);
	DROP(demodulate);
	DROP(v);
	free(app->repaired ? (char *)packet - 64 + sizeof(packet->header) : (char *)packet);
}

/* Packets of which some are damaged. A command waits until the packet's checksum is known; if that
 * is wrong, it fails, and the packet is asked for again. */

struct receiver {
	const struct app *app;
	cl_mem v;
	cl_kernel decode;
	float *packet;
	bool checks_first;
	int resent;
};

static bool packet_is_whole(int number, int attempt)
{
	return number % 4 == 0 || attempt > 1;
}

static cl_event packet_enqueue(struct receiver *receiver, int number, cl_event checked)
{
	cl_command_queue queue = receiver->app->queue;
	cl_event sent = put_after(queue, receiver->v, 128 * KIB, receiver->packet + number * 16,
				  checked ? 1 : 0, checked ? &checked : NULL);
	cl_event done = run_after(queue, receiver->decode, 64 * KIB, 64, 1, &sent);

	DROP(sent);
	return done;
}

static void packet_decode(struct receiver *receiver, int number)
{
	for (int attempt = 0;; attempt++) {
		bool whole = packet_is_whole(number, attempt);

		if (receiver->checks_first) {
			if (!whole)
				continue;
			settle(packet_enqueue(receiver, number, NULL));
			return;
		}

		cl_event checked = user_event(receiver->app);
		cl_event done = packet_enqueue(receiver, number, checked);

		TRY(clSetUserEventStatus(checked, whole ? CL_COMPLETE : -1));
		DROP(checked);

		cl_int status = clWaitForEvents(1, &done);

		DROP(done);
		if (status == CL_SUCCESS)
			return;
		receiver->resent++;
	}
}

void drill_bad_packets(struct app *app)
{
	struct receiver receiver = {.app = app,
				    .v = buffer_new(app, 256 * KIB),
				    .decode = kernel_of(app, SWEEP("decode"), "decode"),
				    .packet = floats(32 * KIB + 250 * 16, 3),
				    .checks_first = app->repaired};
	float first;

	args(receiver.decode, "bi", receiver.v, 2);
	for (int i = 0; i < 250; i++)
		packet_decode(&receiver, i);
	get(app->queue, receiver.v, sizeof(first), &first);
	answer((double)first);
	DROP(receiver.v);
	DROP(receiver.decode);
	free(receiver.packet);
}

/* Speech to text: an answer is parsed as soon as it is there. */

enum { PHRASES = 120, PHRASE = 16 * KIB };

struct parser {
	pthread_mutex_t lock;
	pthread_cond_t news;
	int ready, parsed;
	float *phrases[PHRASES];
	bool hands_over;
};

static void phrase_parse(struct parser *parser, int number)
{
	busy(parser->phrases[number], PHRASE / 4, 400);
}

static void CL_CALLBACK phrase_ready(cl_event event, cl_int status, void *argument)
{
	struct parser *parser = argument;

	(void)event;
	must(status, "phrase");
	if (!parser->hands_over)
		phrase_parse(parser, parser->parsed);
	pthread_mutex_lock(&parser->lock);
	if (parser->hands_over)
		parser->ready++;
	else
		parser->parsed++;
	pthread_cond_broadcast(&parser->news);
	pthread_mutex_unlock(&parser->lock);
}

static void *parser_main(void *argument)
{
	struct parser *parser = argument;

	pthread_mutex_lock(&parser->lock);
	while (parser->parsed < PHRASES) {
		while (parser->parsed == parser->ready)
			pthread_cond_wait(&parser->news, &parser->lock);
		pthread_mutex_unlock(&parser->lock);
		phrase_parse(parser, parser->parsed);
		pthread_mutex_lock(&parser->lock);
		parser->parsed++;
	}
	pthread_cond_broadcast(&parser->news);
	pthread_mutex_unlock(&parser->lock);
	return NULL;
}

void drill_callback_parse(struct app *app)
{
	struct parser parser = {.lock = PTHREAD_MUTEX_INITIALIZER,
				.news = PTHREAD_COND_INITIALIZER,
				.hands_over = app->repaired};
	cl_mem v = filled(app, 256 * KIB, 5);
	cl_kernel listen = kernel_of(app, SWEEP("listen"), "listen");
	pthread_t thread;
	double sum = 0;

	if (app->repaired && pthread_create(&thread, NULL, parser_main, &parser))
		must(-1, "pthread_create");
	args(listen, "bi", v, 3);
	for (int i = 0; i < PHRASES; i++)
		parser.phrases[i] = memory(PHRASE);
	for (int i = 0; i < PHRASES; i++) {
		for (int layer = 0; layer < 8; layer++)
			run(app->queue, listen, 64 * KIB, 64);

		cl_event ready = get_after(app->queue, v, PHRASE, parser.phrases[i], 0, NULL);

		TRY(clSetEventCallback(ready, CL_COMPLETE, phrase_ready, &parser));
		flush(app->queue);
		DROP(ready);
	}
	pthread_mutex_lock(&parser.lock);
	while (parser.parsed < PHRASES)
		pthread_cond_wait(&parser.news, &parser.lock);
	pthread_mutex_unlock(&parser.lock);
	if (app->repaired)
		pthread_join(thread, NULL);
	for (int i = 0; i < PHRASES; i++) {
		sum += total(parser.phrases[i], 16);
		free(parser.phrases[i]);
	}
	answer(sum > 0);
	DROP(listen);
	DROP(v);
}

/* A radar: pulses are enqueued in a batch, and the next ones are made while the device works on
 * them, or should be. */

void drill_late_flush(struct app *app)
{
	enum { BATCHES = 120, ITEMS = 64 * KIB };
	float *pulses = floats(ITEMS, 1), *next = floats(8192, 2), *echo = memory(64 * KIB);
	cl_mem v = buffer_new(app, ITEMS * sizeof(float));
	cl_kernel correlate = kernel_of(app, SWEEP("correlate"), "correlate");

	args(correlate, "bi", v, 2);
	for (int i = 0; i < BATCHES; i++) {
		put(app->queue, v, ITEMS * sizeof(float), pulses);
		for (int k = 0; k < 6; k++)
			run(app->queue, correlate, ITEMS, 64);

		cl_event there = get_after(app->queue, v, 64 * KIB, echo, 0, NULL);

		if (app->repaired)
			flush(app->queue);
		busy(next, 8192, 110);
		settle(there);
		memcpy(pulses, next, 8192 * sizeof(float));
	}
	answer(total(echo, 16) > 0);
	DROP(correlate);
	DROP(v);
	free(pulses);
	free(next);
	free(echo);
}

/* Voices that a synthesizer has rendered are gathered by another queue, which waits for them. */

static const char *const synth_source = SWEEP(
	"voice") "kernel void mix_voices(global const float *voices, global float *mixed)\n"
		 "{\n"
		 "	size_t i = get_global_id(0), n = get_global_size(0);\n"
		 "	mixed[i] = 0.5f * mixed[i] + voices[i] + voices[i + n] + voices[i + 2 * n];\n"
		 "}\n";

struct synth {
	cl_command_queue render, gather;
	cl_kernel voice, mix;
	bool starts_at_once;
};

static void synth_block(struct synth *synth, float *score)
{
	cl_event rendered[4], mixed;

	for (int i = 0; i < 4; i++)
		rendered[i] = run_after(synth->render, synth->voice, 96 * KIB, 64, 0, NULL);
	mixed = run_after(synth->gather, synth->mix, 32 * KIB, 64, 4, rendered);
	if (synth->starts_at_once)
		flush(synth->render);
	flush(synth->gather);
	busy(score, 4096, 200); /* the next notes */
	finish(synth->render);
	settle(mixed);
	for (int i = 0; i < 4; i++)
		DROP(rendered[i]);
}

void drill_gather_gate(struct app *app)
{
	struct synth synth = {.render = queue_new(app, 0),
			      .gather = queue_new(app, 0),
			      .starts_at_once = app->repaired};
	cl_program program = program_new(app, synth_source, "");
	cl_mem voices = filled(app, 384 * KIB, 1), mixed = filled(app, 128 * KIB, 2);
	float *score = floats(4096, 3), first;

	synth.voice = kernel_new(program, "voice");
	synth.mix = kernel_new(program, "mix_voices");
	args(synth.voice, "bi", voices, 1);
	args(synth.mix, "bb", voices, mixed);
	for (int i = 0; i < 150; i++)
		synth_block(&synth, score);
	get(app->queue, mixed, sizeof(first), &first);
	answer((double)first);
	DROP(synth.voice);
	DROP(synth.mix);
	DROP(synth.render);
	DROP(synth.gather);
	DROP(program);
	DROP(voices);
	DROP(mixed);
	free(score);
}
