/* SPDX-License-Identifier: MIT */
/* Signals: seismograms out of an archive, heart beats, the spectra of a radio telescope. */
#include "hearings.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* A seismological archive: segments are stored as differences of few bits, which the host unpacks;
 * the device filters them. */

static const char quake_source[] =
	"kernel void band(global const float *trace, global float *shaken, int taps)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0, weight = 1;\n"
	"	for (int k = 0; k < taps; k++) {\n"
	"		sum += weight * trace[min(i + k, n - 1)];\n"
	"		weight *= -0.9375f;\n"
	"	}\n"
	"	shaken[i] = sum;\n"
	"}\n";

static void quake_unpack(float *trace, size_t count, unsigned segment)
{
	uint32_t bits = segment * 2654435761u + 1;
	int32_t level = 0;

	for (size_t i = 0; i < count; i++) {
		/* a word has differences of 4, 8 or 16 bits */
		int width = 4 << (bits >> 7) % 3;

		for (int turn = 0; turn < 8; turn++)
			bits = (bits ^ bits >> 11) * 1664525u + 1013904223u;
		level = level / 2 + (int32_t)(bits & ((1u << width) - 1)) - (1 << (width - 1));
		trace[i] = (float)level / 65536;
	}
}

void hearing_quake_decode(struct app *app)
{
	enum { SAMPLES = 128 * KIB, SEGMENTS = 100 };
	const size_t bytes = SAMPLES * sizeof(float);
	cl_kernel band = kernel_of(app, quake_source, "band");
	cl_mem trace = buffer_new(app, bytes), shaken = buffer_new(app, bytes);
	float *unpacked[2] = {memory(bytes), memory(bytes)};
	float peak[64];
	double sum = 0;

	args(band, "bbi", trace, shaken, 24);
	quake_unpack(unpacked[0], SAMPLES, 0);
	for (int i = 0; i < SEGMENTS; i++) {
		bool more = i + 1 < SEGMENTS;

		put(app->queue, trace, bytes, unpacked[i % 2]);
		run(app->queue, band, SAMPLES, 64);
		if (app->repaired && more) {
			flush(app->queue);
			quake_unpack(unpacked[(i + 1) % 2], SAMPLES, (unsigned)i + 1);
		}
		get(app->queue, shaken, sizeof(peak), peak);
		sum += total(peak, 64);
		if (!app->repaired && more)
			quake_unpack(unpacked[(i + 1) % 2], SAMPLES, (unsigned)i + 1);
	}
	answer(sum);
	free(unpacked[0]);
	free(unpacked[1]);
	DROP(trace);
	DROP(shaken);
	DROP(band);
}

/* Heart beats: the recordings of many patients stream through the detector. */

static const char heart_source[] =
	"kernel void beats(global const float *lead, global float *slopes, int stride)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float steepest = 0;\n"
	"	for (int k = 0; k < stride; k++)\n"
	"		steepest = fmax(steepest, fabs(lead[i + k + 1] - lead[i + k]));\n"
	"	slopes[i] = steepest;\n"
	"}\n";

void hearing_heart_stream(struct app *app)
{
	enum { SAMPLES = 48 * KIB, STRIDE = 8, CHUNKS = 600, STAGES = 4, KEPT = 256 };
	cl_command_queue uploads = app->repaired ? queue_new(app, 0) : app->queue;
	cl_kernel beats = kernel_of(app, heart_source, "beats");
	const size_t bytes = (SAMPLES + STRIDE + 1) * sizeof(float);
	cl_mem leads[STAGES], slopes[STAGES];
	float *recorded[STAGES], found[STAGES][KEPT];
	cl_event ends[STAGES];
	double sum = 0;

	for (int i = 0; i < STAGES; i++) {
		leads[i] = buffer_new(app, bytes);
		slopes[i] = buffer_new(app, SAMPLES * sizeof(float));
		recorded[i] = memory(bytes);
	}
	for (int i = 0; i < CHUNKS + STAGES; i++) {
		int at = i % STAGES;
		cl_event upload;

		if (i >= STAGES) {
			settle(ends[at]);
			sum += total(found[at], KEPT);
		}
		if (i >= CHUNKS)
			continue;
		refill(recorded[at], SAMPLES, i);
		upload = put_after(uploads, leads[at], bytes, recorded[at], 0, NULL);
		flush(uploads);
		args(beats, "bbi", leads[at], slopes[at], STRIDE);
		run_with(app->queue, beats, SAMPLES, 64, 1, &upload, NULL);
		ends[at] = get_after(app->queue, slopes[at], sizeof(found[at]), found[at], 0, NULL);
		flush(app->queue);
		DROP(upload);
	}
	answer(sum);
	for (int i = 0; i < STAGES; i++) {
		DROP(leads[i]);
		DROP(slopes[i]);
		free(recorded[i]);
	}
	if (app->repaired)
		DROP(uploads);
	DROP(beats);
}

/* A radio telescope: of the spectra of all beams, the strongest channel of each is looked for. */

static const char sky_source[] =
	"kernel void spectra(global const float *noise, global float *power, int turn)\n"
	"{\n"
	"	uint i = get_global_id(0);\n"
	"	uint u = as_uint(noise[i]) + (uint)turn * 40503u;\n"
	"	u = (u ^ (u >> 15)) * 2246822519u;\n"
	"	u = (u ^ (u >> 13)) * 3266489917u;\n"
	"	power[i] = (float)(u >> 8) / 16777216.0f;\n"
	"}\n"
	"kernel void strongest(global const float *power, global float *peaks, int channels)\n"
	"{\n"
	"	size_t beam = get_global_id(0);\n"
	"	global const float4 *p = (global const float4 *)(power + beam * channels);\n"
	"	float4 peak = p[0];\n"
	"	for (int i = 1; i < channels / 4; i++)\n"
	"		peak = fmax(peak, p[i]);\n"
	"	peaks[beam] = fmax(fmax(peak.x, peak.y), fmax(peak.z, peak.w));\n"
	"}\n";

static float sky_peak(const float *power, size_t channels)
{
	float peak = power[0];

	for (size_t i = 1; i < channels; i++)
		if (power[i] > peak)
			peak = power[i];
	return peak;
}

void hearing_sky_peaks(struct app *app)
{
	enum { BEAMS = 512, CHANNELS = 1024, POINTS = BEAMS * CHANNELS, TURNS = 80 };
	cl_program program = program_new(app, sky_source, "");
	cl_kernel spectra = kernel_new(program, "spectra");
	cl_kernel strongest = kernel_new(program, "strongest");
	cl_mem noise = loaded(app, POINTS, 11), power = buffer_new(app, POINTS * sizeof(float));
	cl_mem peaks = buffer_new(app, BEAMS * sizeof(float));
	float *sky = memory(POINTS * sizeof(*sky)), found[BEAMS];
	double sum = 0;

	args(strongest, "bbi", power, peaks, CHANNELS);
	for (int i = 0; i < TURNS; i++) {
		args(spectra, "bbi", noise, power, i);
		run(app->queue, spectra, POINTS, 128);
		if (app->repaired) {
			run(app->queue, strongest, BEAMS, 16);
			get(app->queue, peaks, sizeof(found), found);
		} else {
			get(app->queue, power, POINTS * sizeof(*sky), sky);
			for (int beam = 0; beam < BEAMS; beam++)
				found[beam] = sky_peak(sky + beam * CHANNELS, CHANNELS);
		}
		sum += total(found, BEAMS);
	}
	answer(sum);
	free(sky);
	DROP(noise);
	DROP(power);
	DROP(peaks);
	DROP(spectra);
	DROP(strongest);
	DROP(program);
}

/* A receiver's gain: the power of the last integration sets the gain of the next one. */

static const char gain_source[] =
	"kernel void integrate(global const float *voltage, global float *power, float gain, int n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0, v = voltage[i];\n"
	"	for (int k = 0; k < n; k++) {\n"
	"		v = v * 0.99f + 0.003f;\n"
	"		sum += v * v * gain;\n"
	"	}\n"
	"	power[i] = sum / n;\n"
	"}\n";

void hearing_clean_gain(struct app *app)
{
	enum { SAMPLES = 512 * KIB, PILOTS = 1 * KIB, TURNS = 60 };
	cl_kernel integrate = kernel_of(app, gain_source, "integrate");
	cl_mem voltage = loaded(app, SAMPLES, 17);
	cl_mem power = buffer_new(app, SAMPLES * sizeof(float));
	float *pilots = memory(PILOTS * sizeof(*pilots));
	double gain = 1;

	for (int i = 0; i < TURNS; i++) {
		args(integrate, "bbfi", voltage, power, gain, 8);
		run(app->queue, integrate, SAMPLES, 128);
		get(app->queue, power, PILOTS * sizeof(*pilots), pilots);
		gain = gain * 0.5 + 0.5 / (0.5 + total(pilots, PILOTS) / PILOTS);
	}
	answer(gain);
	free(pilots);
	DROP(voltage);
	DROP(power);
	DROP(integrate);
}

/* A ward's monitor: whoever sits at a screen is woken when the newest minute has been rated. */

struct monitor {
	pthread_mutex_t lock;
	pthread_cond_t rated;
	int minutes; /* that have been rated */
};

static void CL_CALLBACK monitor_rated(cl_event event, cl_int status, void *data)
{
	struct monitor *monitor = data;

	(void)event;
	(void)status;
	pthread_mutex_lock(&monitor->lock);
	monitor->minutes++;
	pthread_cond_signal(&monitor->rated);
	pthread_mutex_unlock(&monitor->lock);
}

void hearing_clean_monitor(struct app *app)
{
	enum { SAMPLES = 256 * KIB, STRIDE = 8, MINUTES = 90, SHOWN = 4 * KIB };
	struct monitor monitor = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
	const size_t bytes = (SAMPLES + STRIDE + 1) * sizeof(float);
	cl_kernel beats = kernel_of(app, heart_source, "beats");
	cl_mem lead = loaded(app, SAMPLES + STRIDE + 1, 23), slopes = buffer_new(app, bytes);
	float *news[2] = {floats(SHOWN, 1), floats(SHOWN, 2)};
	float *screen = memory(SHOWN * sizeof(*screen));
	double sum = 0;

	args(beats, "bbi", lead, slopes, STRIDE);
	for (int i = 0; i < MINUTES; i++) {
		cl_event shown;

		put(app->queue, lead, SHOWN * sizeof(float), news[i % 2]);
		run(app->queue, beats, SAMPLES, 128);
		shown = get_after(app->queue, slopes, SHOWN * sizeof(*screen), screen, 0, NULL);
		TRY(clSetEventCallback(shown, CL_COMPLETE, monitor_rated, &monitor));
		flush(app->queue);
		refill(news[(i + 1) % 2], SHOWN, i);
		pthread_mutex_lock(&monitor.lock);
		while (monitor.minutes <= i)
			pthread_cond_wait(&monitor.rated, &monitor.lock);
		pthread_mutex_unlock(&monitor.lock);
		DROP(shown);
		sum += total(screen, SHOWN);
	}
	answer(sum);
	free(news[0]);
	free(news[1]);
	free(screen);
	DROP(lead);
	DROP(slopes);
	DROP(beats);
}
