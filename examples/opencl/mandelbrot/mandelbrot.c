/* SPDX-License-Identifier: MIT */
/* Draws the Mandelbrot set, one frame after another, with OpenCL: a program in
 * the shape of section 4.4 of "CLUST: OpenCL tracing" (an image of any width
 * and height from one run of a very light kernel). Each frame makes exactly
 *
 *   14 synchronous calls   6 kernel arguments, 3 queries (work-group size and
 *                          its preferred multiple, size of the image), flush,
 *                          wait for the kernel, its status, release of its
 *                          event, finish
 *    2 asynchronous ones   an NDRange launch and a blocking read of the image
 *
 * so that the cost of a tool can be told for each frame. Frame 0 is drawn
 * before the clock starts: it is the one for which a driver compiles.
 *
 * With --queues N the image is divided into N bands, each with a queue and a thread
 * of its own (section 4.8.1), so that one band is read while another is drawn.
 */
#include "frame.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
	"Usage: mandelbrot [options]\n"
	"Draws the Mandelbrot set on an OpenCL device.\n"
	"\n"
	"  -w, --width N        pixels in a row (default 1280)\n"
	"  -h, --height N       rows (default 720)\n"
	"  -n, --iterations N   frames to draw after the first (default 100)\n"
	"  -d, --depth N        steps after which a point counts as inside (default 16)\n"
	"  -o, --output FILE    write the last frame there, as a PPM image\n"
	"  -p, --profiling      make the queues with profiling on\n"
	"  -q, --queues N       divide the image over so many (default 1, at most 64)\n"
	"      --help           show this\n";

struct options {
	struct frame_options frame;
	uint64_t iterations;
	unsigned queues;
	const char *output;
};

enum { QUEUES_MOST = 64 };

struct band { /* what a thread draws */
	struct frame *frame;
	pthread_barrier_t *begin;
	uint64_t iterations;
	int status;
};

static uint64_t number_parse(const char *option, const char *text, uint64_t most)
{
	char *end;

	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);

	if (errno || end == text || *end || *text == '-' || value < 1 || value > most) {
		fprintf(stderr, "mandelbrot: %s takes a number from 1 to %" PRIu64 ", not '%s'\n",
			option, most, text);
		exit(2);
	}
	return value;
}

static void options_parse(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{"width", required_argument, NULL, 'w'},
		{"height", required_argument, NULL, 'h'},
		{"iterations", required_argument, NULL, 'n'},
		{"depth", required_argument, NULL, 'd'},
		{"output", required_argument, NULL, 'o'},
		{"profiling", no_argument, NULL, 'p'},
		{"queues", required_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'H'},
		{NULL, 0, NULL, 0},
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "w:h:n:d:o:pq:", known, NULL)) != -1) {
		switch (letter) {
		case 'w':
			options->frame.width = (uint32_t)number_parse("--width", optarg, 32768);
			break;
		case 'h':
			options->frame.height = (uint32_t)number_parse("--height", optarg, 32768);
			break;
		case 'n':
			options->iterations = number_parse("--iterations", optarg, 1000000000);
			break;
		case 'd':
			options->frame.depth = (uint32_t)number_parse("--depth", optarg, 1024);
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'p':
			options->frame.profiling = true;
			break;
		case 'q':
			options->queues = (unsigned)number_parse("--queues", optarg, QUEUES_MOST);
			break;
		case 'H':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	if (options->queues > options->frame.height) {
		fprintf(stderr, "mandelbrot: an image of %" PRIu32 " rows has no %u bands\n",
			options->frame.height, options->queues);
		exit(2);
	}
	if (optind < argc) {
		fprintf(stderr, "mandelbrot: what is '%s'?\n", argv[optind]);
		exit(2);
	}
}

/* 0, or -1 with errno set. */
static int image_write(const char *path, const struct frame *frame)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		return -1;
	fprintf(file, "P6\n%" PRIu32 " %" PRIu32 "\n255\n", frame->options.width,
		frame->options.height);
	for (uint32_t y = 0; y < frame->options.height; y++) {
		const uint32_t *row = frame->pixels + (size_t)y * frame->row_pixels;

		for (uint32_t x = 0; x < frame->options.width; x++) {
			putc((int)(row[x] & 0xff), file);
			putc((int)(row[x] >> 8 & 0xff), file);
			putc((int)(row[x] >> 16 & 0xff), file);
		}
	}
	int failed = ferror(file);

	if (fclose(file) || failed)
		return -1;
	return 0;
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int frames_draw(struct frame *frame, uint64_t iterations)
{
	int status = 0;

	for (uint64_t i = 1; !status && i <= iterations; i++)
		status = frame_draw(frame, i);
	return status;
}

static void *band_draw(void *argument)
{
	struct band *band = argument;

	band->status = frame_draw(band->frame, 0);
	pthread_barrier_wait(band->begin);
	if (!band->status)
		band->status = frames_draw(band->frame, band->iterations);
	return NULL;
}

/* All bands at once; the time that they took. 0 or -1. */
static int bands_draw(struct frame *frame, const struct options *options, uint64_t *elapsed_ns)
{
	struct frame others[QUEUES_MOST];
	struct band bands[QUEUES_MOST];
	pthread_t threads[QUEUES_MOST];
	pthread_barrier_t begin;
	uint64_t begin_ns;
	int status = 0;

	if (frame_divide(frame, others, options->queues))
		return -1;
	pthread_barrier_init(&begin, NULL, options->queues + 1);
	for (unsigned i = 0; i < options->queues; i++) {
		bands[i] = (struct band){.frame = i ? &others[i - 1] : frame,
					 .begin = &begin,
					 .iterations = options->iterations};
		errno = pthread_create(&threads[i], NULL, band_draw, &bands[i]);
		if (errno) {
			fprintf(stderr, "mandelbrot: a thread cannot be started: %s\n",
				strerror(errno));
			exit(1);
		}
	}
	pthread_barrier_wait(&begin);
	begin_ns = clock_ns();
	for (unsigned i = 0; i < options->queues; i++) {
		pthread_join(threads[i], NULL);
		status |= bands[i].status;
	}
	*elapsed_ns = clock_ns() - begin_ns;
	pthread_barrier_destroy(&begin);
	for (unsigned i = 1; i < options->queues; i++)
		frame_destroy(&others[i - 1]);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = {
		.frame = {.width = 1280, .height = 720, .depth = 16},
		.iterations = 100,
		.queues = 1,
	};
	uint64_t elapsed_ns = 0;
	int status;
	struct frame frame;

	options_parse(&options, argc, argv);
	if (frame_create(&frame, &options.frame))
		return 1;

	if (options.queues > 1) {
		status = bands_draw(&frame, &options, &elapsed_ns);
	} else {
		uint64_t begin_ns;

		status = frame_draw(&frame, 0);
		begin_ns = clock_ns();
		if (!status)
			status = frames_draw(&frame, options.iterations);
		elapsed_ns = clock_ns() - begin_ns;
	}
	if (!status)
		printf("%" PRIu32 "x%" PRIu32 ", %" PRIu64 " iterations, %.1f ns each, on %s\n",
		       options.frame.width, options.frame.height, options.iterations,
		       (double)elapsed_ns / (double)options.iterations, frame.device_name);
	if (!status && options.output && image_write(options.output, &frame)) {
		fprintf(stderr, "mandelbrot: %s: %s\n", options.output, strerror(errno));
		status = -1;
	}
	frame_destroy(&frame);
	return status ? 1 : 0;
}
