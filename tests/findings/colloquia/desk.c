/* SPDX-License-Identifier: MIT */
/* Faults of programs whose host has work of its own: tapes, page layout, journals. */
#include "colloquia.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* tape_deck: a process of its own reads blocks off a tape when asked for the next one. */
enum { BLOCKS = 160, BLOCK = 64 * KIB, SPOOL_US = 1500 };

static int deck = -1;
static pid_t deck_pid;

static void deck_serve(int line)
{
	static unsigned char block[BLOCK];
	char wish;

	while (read(line, &wish, 1) == 1) {
		nap(SPOOL_US);
		memset(block, wish, sizeof(block));
		for (size_t done = 0; done < BLOCK;) {
			ssize_t some = write(line, block + done, BLOCK - done);

			if (some <= 0)
				_exit(1);
			done += (size_t)some;
		}
	}
	_exit(0);
}

void early_tape_deck(bool repaired)
{
	int pair[2];

	(void)repaired;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(1);
	deck_pid = fork();
	if (deck_pid < 0)
		exit(1);
	if (!deck_pid) {
		close(pair[0]);
		deck_serve(pair[1]);
	}
	close(pair[1]);
	deck = pair[0];
}

static void deck_ask(int number)
{
	char wish = (char)number;

	if (write(deck, &wish, 1) != 1)
		exit(1);
}

static void deck_take(void *block)
{
	for (size_t done = 0; done < BLOCK;) {
		ssize_t some = read(deck, (char *)block + done, BLOCK - done);

		if (some <= 0)
			exit(1);
		done += (size_t)some;
	}
}

void colloquium_tape_deck(struct app *app)
{
	void *block = memory(BLOCK);
	cl_mem samples = buffer_new(app, 2 * MIB);
	cl_kernel restore = kernel_of(app, STIR("restore"), "restore");
	unsigned last[16];

	args(restore, "bi", samples, 6);
	put_now(app->queue, samples, BLOCK, block);
	deck_ask(0);
	for (int n = 0; n < BLOCKS; n++) {
		if (n && !app->repaired)
			deck_ask(n);
		deck_take(block);
		if (app->repaired && n + 1 < BLOCKS)
			deck_ask(n + 1);
		put(app->queue, samples, BLOCK, block);
		run(app->queue, restore, 2 * MIB / 4, 0);
		finish(app->queue);
	}
	read_now(app->queue, samples, sizeof(last), last);
	answer(last[3]);
	close(deck);
	waitpid(deck_pid, NULL, 0);
	free(block);
	DROP(restore);
	DROP(samples);
}

/* late_flush: glyphs go up by a loader's queue, and pages are drawn by another one that waits for
 * their event. Only the drawing queue is flushed before lines are broken on the host. */
enum { PAGES = 140, GLYPHS = 512 * KIB };

static const char page_source[] =
	"kernel void draw_page(global const float *atlas, global float *page)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float a = page[i];\n"
	"	for (int k = 0; k < 12; k++)\n"
	"		a = a * 0.5f + atlas[(i + k * 64) % (512 * 1024 / 4)];\n"
	"	page[i] = a;\n"
	"}\n";

void colloquium_late_flush(struct app *app)
{
	cl_command_queue loader = queue_new(app, 0);
	float *glyphs[2] = {floats(GLYPHS / 4, 5), floats(GLYPHS / 4, 4)};
	float *lines = floats(4096, 6), corner[64];
	cl_mem atlas = buffer_new(app, GLYPHS), page = filled(app, 2 * MIB, 7);
	cl_kernel draw = kernel_of(app, page_source, "draw_page");
	double sum = 0;

	args(draw, "bb", atlas, page);
	for (int n = 0; n < PAGES; n++) {
		cl_event up;

		write_at(loader, atlas, 0, GLYPHS, glyphs[n & 1], &up);
		if (app->repaired)
			flush(loader);
		run_with(app->queue, draw, 2 * MIB / 4, 0, 1, &up, NULL);
		read_at(app->queue, page, 0, sizeof(corner), corner, NULL);
		flush(app->queue);
		refill(glyphs[(n + 1) & 1], GLYPHS / 4, n);
		busy(lines, 4096, 180);
		if (!app->repaired)
			flush(loader);
		finish(app->queue);
		TRY(clReleaseEvent(up));
		sum += corner[1] > 0;
	}
	answer(sum);
	free(glyphs[0]);
	free(glyphs[1]);
	free(lines);
	DROP(draw);
	DROP(atlas);
	DROP(page);
	DROP(loader);
}

/* journal_hook: what each order's check ended with is written to a journal by the check's own
 * callback, which the driver runs in between. */
enum { ORDERS = 200, ITEMS = 256 * KIB };

struct entry {
	int number, file, *done;
	unsigned digest;
};

static void entry_write(struct entry *entry)
{
	char line[64];
	unsigned digest = (unsigned)entry->number;

	for (unsigned i = 0; i < 450000; i++)
		digest = (digest ^ i) * 16777619u;
	entry->digest = digest;

	int length = snprintf(line, sizeof(line), "%d %u\n", entry->number, digest);

	if (write(entry->file, line, (size_t)length) != length)
		exit(1);
}

static void CL_CALLBACK order_checked(cl_event event, cl_int status, void *data)
{
	struct entry *entry = data;

	(void)event;
	(void)status;
	entry_write(entry);
	__atomic_add_fetch(entry->done, 1, __ATOMIC_RELEASE);
}

void colloquium_journal_hook(struct app *app)
{
	static struct entry entries[ORDERS];
	FILE *journal = tmpfile();
	cl_mem book = filled(app, ITEMS * 4, 9);
	cl_kernel check = kernel_of(app, STIR("check_order"), "check_order");
	int done = 0;

	if (!journal)
		exit(1);
	args(check, "bi", book, 24);
	for (int n = 0; n < ORDERS; n++) {
		cl_event event = run_after(app->queue, check, ITEMS, 0, 0, NULL);

		entries[n] = (struct entry){n, fileno(journal), &done, 0};
		if (!app->repaired)
			TRY(clSetEventCallback(event, CL_COMPLETE, order_checked, &entries[n]));
		TRY(clReleaseEvent(event));
	}
	flush(app->queue);
	for (int n = 0; n < ORDERS && app->repaired; n++)
		entry_write(&entries[n]);
	finish(app->queue);
	while (!app->repaired && __atomic_load_n(&done, __ATOMIC_ACQUIRE) < ORDERS)
		nap(1000);
	answer(entries[ORDERS - 1].digest);
	fclose(journal);
	DROP(check);
	DROP(book);
}
