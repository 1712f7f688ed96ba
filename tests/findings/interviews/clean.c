/* SPDX-License-Identifier: MIT */
/* Programs that one looks at twice, and then leaves as they are. */
#include "interviews.h"

#include <pthread.h>
#include <stdlib.h>

/* A church's echo is put on what an organ plays, block by block: upload, echo and download of
 * three blocks are on their way at a time, on queues of their own. */
enum { ECHO_DEEP = 3, ECHO_BLOCKS = 260, ECHO_BLOCK = 96 * KIB };

struct echo {
	cl_command_queue up, down;
	cl_mem dry[ECHO_DEEP], wet[ECHO_DEEP];
	cl_event heard[ECHO_DEEP];
	uint32_t *played[ECHO_DEEP], *sound[ECHO_DEEP];
};

static void echo_block(struct app *app, struct echo *echo, cl_kernel kernel, int block)
{
	const size_t bytes = ECHO_BLOCK * sizeof(uint32_t);
	int at = block % ECHO_DEEP;
	cl_event there, done;

	for (int i = block % 4; i < ECHO_BLOCK; i += 4) /* what the organ plays */
		echo->played[at][i] = (uint32_t)(block * 7919 + i);
	there = put_after(echo->up, echo->dry[at], bytes, echo->played[at], 0, NULL);
	flush(echo->up);
	args(kernel, "bbii", echo->dry[at], echo->wet[at], 8, block);
	done = run_after(app->queue, kernel, ECHO_BLOCK, 64, 1, &there);
	flush(app->queue);
	echo->heard[at] = get_after(echo->down, echo->wet[at], bytes, echo->sound[at], 1, &done);
	flush(echo->down);
	DROP(there);
	DROP(done);
}

void interview_clean_reverb(struct app *app)
{
	struct echo echo = {.up = queue_new(app, 0), .down = queue_new(app, 0)};
	cl_kernel kernel = kernel_of(app, MIX("echo"), "echo");
	double sum = 0;

	for (int i = 0; i < ECHO_DEEP; i++) {
		echo.dry[i] = buffer_new(app, ECHO_BLOCK * sizeof(uint32_t));
		echo.wet[i] = buffer_new(app, ECHO_BLOCK * sizeof(uint32_t));
		echo.played[i] = words_new(ECHO_BLOCK, (uint32_t)i);
		echo.sound[i] = words_new(ECHO_BLOCK, (uint32_t)i);
	}
	for (int block = 0; block < ECHO_BLOCKS + ECHO_DEEP; block++) {
		int at = block % ECHO_DEEP;

		if (block >= ECHO_DEEP) {
			settle(echo.heard[at]);
			sum += echo.sound[at][block % 1000] >> 16;
		}
		if (block < ECHO_BLOCKS)
			echo_block(app, &echo, kernel, block);
	}
	answer(sum);
	for (int i = 0; i < ECHO_DEEP; i++) {
		DROP(echo.dry[i]);
		DROP(echo.wet[i]);
		free(echo.played[i]);
		free(echo.sound[i]);
	}
	DROP(kernel);
	DROP(echo.up);
	DROP(echo.down);
}

/* Coffee is ground in three ways, each a build of the same source with other sizes; what order
 * comes takes the one that it needs. */
enum { GRINDS = 3, CUPS = 300, BEANS = 160 * KIB };

void interview_clean_grinds(struct app *app)
{
	static const char source[] = "kernel void grind(global const uint *in, global uint *out)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	uint w = in[i];\n"
				     "	for (int k = 0; k < FINE; k++)\n"
				     "		w = (w ^ (w >> 13)) * 668265263u + FINE;\n"
				     "	out[i] = w;\n"
				     "}\n";
	static const char *const fine[GRINDS] = {"-DFINE=3", "-DFINE=6", "-DFINE=9"};
	cl_mem beans = words_buffer(app, BEANS, 31), ground = words_buffer(app, BEANS, 32);
	cl_kernel grinds[GRINDS];
	uint32_t *home = memory(BEANS * sizeof(*home));

	for (int i = 0; i < GRINDS; i++) {
		cl_program program = program_new(app, source, fine[i]);

		grinds[i] = kernel_new(program, "grind");
		DROP(program);
	}
	for (int cup = 0; cup < CUPS; cup++) {
		cl_kernel grind = grinds[cup * 5 / 3 % GRINDS];

		args(grind, "bb", cup % 2 ? ground : beans, cup % 2 ? beans : ground);
		run(app->queue, grind, BEANS, 64);
		if (cup % 25 == 24)
			flush(app->queue);
	}
	get(app->queue, beans, BEANS * sizeof(*home), home);
	answer(words_sum(home, BEANS));
	free(home);
	for (int i = 0; i < GRINDS; i++)
		DROP(grinds[i]);
	DROP(beans);
	DROP(ground);
}

/* Old letters are read by the device. A letter is as long as it is: the buffers grow when one does
 * not fit, by doubling, and are kept. */
enum { LETTERS = 220, LETTER_LEAST = 24 * KIB, LETTER_STEP = 8 * KIB };

struct desk {
	cl_mem page, text;
	size_t room;
};

static void desk_grow(struct app *app, struct desk *desk, size_t need)
{
	if (need <= desk->room)
		return;
	if (desk->room) {
		DROP(desk->page);
		DROP(desk->text);
	}
	for (desk->room = desk->room ? desk->room : LETTER_LEAST; desk->room < need;)
		desk->room *= 2;
	desk->page = buffer_new(app, desk->room * sizeof(uint32_t));
	desk->text = buffer_new(app, desk->room * sizeof(uint32_t));
}

void interview_clean_letters(struct app *app)
{
	struct desk desk = {NULL, NULL, 0};
	cl_kernel decipher = kernel_of(app, MIX("decipher"), "decipher");
	uint32_t *scans = words_new(LETTER_LEAST + 16 * LETTER_STEP + LETTERS, 51);
	uint32_t *text = memory((LETTER_LEAST + 16 * LETTER_STEP) * sizeof(*text));
	double sum = 0;

	for (int letter = 0; letter < LETTERS; letter++) {
		size_t length = LETTER_LEAST + (size_t)(letter * 11 % 17) * LETTER_STEP;

		desk_grow(app, &desk, length);
		put(app->queue, desk.page, length * sizeof(*scans), scans + letter);
		args(decipher, "bbii", desk.page, desk.text, 12, letter);
		run(app->queue, decipher, length, 64);
		get(app->queue, desk.text, length / 8 * sizeof(*text), text);
		sum += text[length / 8 - 1] >> 16;
	}
	answer(sum);
	free(scans);
	free(text);
	DROP(decipher);
	DROP(desk.page);
	DROP(desk.text);
}

/* A lidar turns, and delivers a scan every two milliseconds; the thread that has the device sleeps
 * until there is one. What it has to do takes less than that. */
enum { SCANS_DUE = 130, SCAN_POINTS = 64 * KIB, SCAN_SLOTS = 16 };

struct lidar {
	pthread_mutex_t lock;
	pthread_cond_t delivered;
	int delivered_count;
	uint32_t *slots[SCAN_SLOTS];
};

static void *lidar_turn(void *data)
{
	struct lidar *lidar = data;

	for (int scan = 0; scan < SCANS_DUE; scan++) {
		nap(2000);
		for (int i = scan % 8; i < SCAN_POINTS; i += 8)
			lidar->slots[scan % SCAN_SLOTS][i] = (uint32_t)(scan * 4099 + i);
		pthread_mutex_lock(&lidar->lock);
		lidar->delivered_count++;
		pthread_cond_signal(&lidar->delivered);
		pthread_mutex_unlock(&lidar->lock);
	}
	return NULL;
}

void interview_clean_lidar(struct app *app)
{
	static struct lidar lidar = {
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, {NULL}};
	const size_t bytes = SCAN_POINTS * sizeof(uint32_t);
	cl_mem points = buffer_new(app, bytes), ground = buffer_new(app, bytes);
	cl_kernel kernel = kernel_of(app, MIX("ground"), "ground");
	uint32_t height[KIB];
	pthread_t turning;
	double sum = 0;

	for (int i = 0; i < SCAN_SLOTS; i++)
		lidar.slots[i] = words_new(SCAN_POINTS, (uint32_t)i + 70);
	if (pthread_create(&turning, NULL, lidar_turn, &lidar))
		must(-1, "pthread_create");
	for (int scan = 0; scan < SCANS_DUE; scan++) {
		pthread_mutex_lock(&lidar.lock);
		while (lidar.delivered_count <= scan)
			pthread_cond_wait(&lidar.delivered, &lidar.lock);
		pthread_mutex_unlock(&lidar.lock);
		put(app->queue, points, bytes, lidar.slots[scan % SCAN_SLOTS]);
		args(kernel, "bbii", points, ground, 6, 0);
		run(app->queue, kernel, SCAN_POINTS, 64);
		get(app->queue, ground, sizeof(height), height);
		sum += height[0] >> 16;
	}
	pthread_join(turning, NULL);
	answer(sum);
	for (int i = 0; i < SCAN_SLOTS; i++)
		free(lidar.slots[i]);
	DROP(kernel);
	DROP(points);
	DROP(ground);
}

/* An auction's bids are put in order, by a network of many passes, each of which needs the one
 * before; only the highest bids of each auction go home. */
enum { BIDS_LOG = 16, BIDS = 1 << BIDS_LOG, AUCTIONS = 14, HIGHEST = 64 };

void interview_clean_auction(struct app *app)
{
	static const char source[] =
		"kernel void pass(global uint *bids, int size, int apart)\n"
		"{\n"
		"	int i = get_global_id(0), a = 2 * i - (i & (apart - 1)), b = a + apart;\n"
		"	bool up = (a & size) == 0;\n"
		"	uint x = bids[a], y = bids[b];\n"
		"	bids[a] = up ? min(x, y) : max(x, y);\n"
		"	bids[b] = up ? max(x, y) : min(x, y);\n"
		"}\n";
	cl_mem bids = buffer_new(app, BIDS * sizeof(uint32_t));
	cl_kernel pass = kernel_of(app, source, "pass");
	uint32_t highest[AUCTIONS][HIGHEST], *sent[AUCTIONS];
	const size_t from = (BIDS - HIGHEST) * sizeof(uint32_t);

	for (int auction = 0; auction < AUCTIONS; auction++) {
		sent[auction] = words_new(BIDS, (uint32_t)auction + 80);
		put(app->queue, bids, BIDS * sizeof(uint32_t), sent[auction]);
		for (int size = 2; size <= BIDS; size *= 2)
			for (int apart = size / 2; apart; apart /= 2) {
				args(pass, "bii", bids, size, apart);
				run(app->queue, pass, BIDS / 2, 64);
			}
		TRY(clEnqueueReadBuffer(app->queue, bids, CL_FALSE, from, sizeof(highest[0]),
					highest[auction], 0, NULL, NULL));
		flush(app->queue);
	}
	finish(app->queue);
	answer(words_sum(highest[0], sizeof(highest) / sizeof(highest[0][0])));
	for (int auction = 0; auction < AUCTIONS; auction++)
		free(sent[auction]);
	DROP(pass);
	DROP(bids);
}

/* Two scrolls are compared, by tiles: a tile needs the one above and the one to its left, and the
 * queue may run any whose neighbours are done. */
enum { TILES_ACROSS = 12, TILES_DOWN = 12, SCROLLS = 9, TILE_WORDS = 8 * KIB };

void interview_clean_wavefront(struct app *app)
{
	static const char source[] =
		"kernel void tile(global const uint *above, global const uint *left,\n"
		"		 global uint *out, int key)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	uint w = above[i] + left[i] + (uint)key;\n"
		"	for (int k = 0; k < 40; k++)\n"
		"		w = (w ^ (w >> 7)) * 2654435769u + 1;\n"
		"	out[i] = w;\n"
		"}\n";
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel tile = kernel_of(app, source, "tile");
	cl_mem cells[TILES_DOWN + 1][TILES_ACROSS + 1];
	cl_event done[TILES_DOWN + 1][TILES_ACROSS + 1] = {{NULL}};
	uint32_t last[KIB];
	double sum = 0;

	for (int y = 0; y <= TILES_DOWN; y++)
		for (int x = 0; x <= TILES_ACROSS; x++)
			cells[y][x] = y && x ? buffer_new(app, TILE_WORDS * sizeof(uint32_t))
					     : words_buffer(app, TILE_WORDS, (uint32_t)(y + x));
	for (int scroll = 0; scroll < SCROLLS; scroll++) {
		for (int y = 1; y <= TILES_DOWN; y++) {
			for (int x = 1; x <= TILES_ACROSS; x++) {
				cl_event waits[2];
				cl_uint count = 0;

				if (done[y - 1][x])
					waits[count++] = done[y - 1][x];
				if (done[y][x - 1])
					waits[count++] = done[y][x - 1];
				args(tile, "bbbi", cells[y - 1][x], cells[y][x - 1], cells[y][x],
				     scroll);
				done[y][x] = run_after(queue, tile, TILE_WORDS, 64, count, waits);
			}
			flush(queue);
		}
		finish(queue);
		get(queue, cells[TILES_DOWN][TILES_ACROSS], sizeof(last), last);
		sum += words_sum(last, KIB);
		for (int y = 1; y <= TILES_DOWN; y++)
			for (int x = 1; x <= TILES_ACROSS; x++) {
				DROP(done[y][x]);
				done[y][x] = NULL;
			}
	}
	answer(sum);
	for (int y = 0; y <= TILES_DOWN; y++)
		for (int x = 0; x <= TILES_ACROSS; x++)
			DROP(cells[y][x]);
	DROP(tile);
	DROP(queue);
}

/* A board game: the device thinks about moves ahead while the host animates the pieces, picture by
 * picture; after each picture it looks whether the move is there. */
enum { MOVES = 26, PLIES = 6, BOARDS = 256 * KIB, PIECES = 4 * KIB };

void interview_clean_board_game(struct app *app)
{
	cl_mem boards[2] = {words_buffer(app, BOARDS, 91), words_buffer(app, BOARDS, 92)};
	cl_kernel ply = kernel_of(app, MIX("ply"), "ply");
	float *pieces = floats(PIECES, 93);
	uint32_t best[KIB];
	double sum = 0;

	for (int move = 0; move < MOVES; move++) {
		cl_event there;
		cl_int status = CL_QUEUED;

		for (int i = 0; i < PLIES; i++) {
			args(ply, "bbii", boards[i % 2], boards[1 - i % 2], 8, move);
			run(app->queue, ply, BOARDS, 64);
		}
		there = get_after(app->queue, boards[0], sizeof(best), best, 0, NULL);
		flush(app->queue);
		while (status != CL_COMPLETE) {
			busy(pieces, PIECES, 120); /* a picture */
			TRY(clGetEventInfo(there, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
					   &status, NULL));
		}
		DROP(there);
		sum += words_sum(best, KIB);
	}
	answer(sum);
	free(pieces);
	DROP(ply);
	DROP(boards[0]);
	DROP(boards[1]);
}
