/* SPDX-License-Identifier: MIT */
#include "analysis/events/reorder/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void reorder_runs_init(struct reorder_runs *runs, struct reorder_nodes *nodes,
		       const char *directory)
{
	*runs = (struct reorder_runs){.directory = directory, .nodes = nodes};
}

/* An event in a file; its payload is behind it. */
struct filed {
	int64_t key;
	uint64_t tie, op;
	uint32_t bytes;
};

static void give_node(struct reorder_runs *runs, struct heap_item item)
{
	if (item.value)
		reorder_nodes_give(runs->nodes, reorder_node_of(item));
}

static void close_run(struct reorder_runs *runs, size_t run)
{
	fclose(runs->files[run]);
	give_node(runs, runs->heads[run]);
	runs->files[run] = NULL;
	runs->heads[run] = (struct heap_item){0};
}

void reorder_runs_free(struct reorder_runs *runs)
{
	for (size_t i = 0; i < REORDER_RUNS_MOST; i++) {
		if (runs->files[i])
			close_run(runs, i);
	}
	heap_free(&runs->reorder_buffer);
}

/* A file that nobody else sees, and that is gone when it is closed. */
static int open_nameless(const char *directory)
{
	char *path;
	int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (file >= 0)
		return file;
	/* Not every file system can do that. */
	if (asprintf(&path, "%s/tandem-order-XXXXXX", directory) < 0)
		return -ENOMEM;
	file = mkostemp(path, O_CLOEXEC);
	if (file < 0)
		file = -errno;
	else
		unlink(path);
	free(path);
	return file;
}

static int open_run(const struct reorder_runs *runs, FILE **file)
{
	int number = open_nameless(runs->directory);

	if (number < 0)
		return number;
	*file = fdopen(number, "w+");
	if (*file)
		return 0;
	close(number);
	return -ENOMEM;
}

static int write_item(FILE *file, struct heap_item item)
{
	const struct reorder_node *node = reorder_node_of(item);
	struct filed filed;

	memset(&filed, 0, sizeof(filed));
	filed.key = item.key;
	filed.tie = item.tie;
	filed.op = node->op;
	filed.bytes = node->bytes;
	if (fwrite(&filed, sizeof(filed), 1, file) != 1 ||
	    (node->bytes && fwrite(node->payload, node->bytes, 1, file) != 1))
		return errno ? -errno : -EIO;
	return 0;
}

/* Reads the next event of a run to its head; none there at the end. */
static int read_head(struct reorder_runs *runs, size_t run)
{
	struct reorder_node *node;
	struct filed filed;
	FILE *file = runs->files[run];

	runs->heads[run] = (struct heap_item){0};
	if (fread(&filed, sizeof(filed), 1, file) != 1)
		return ferror(file) ? -EIO : 0;
	node = reorder_nodes_take(runs->nodes, filed.bytes);
	if (!node)
		return -ENOMEM;
	node->op = filed.op;
	if (filed.bytes && fread(node->payload, filed.bytes, 1, file) != 1) {
		reorder_nodes_give(runs->nodes, node);
		return -EIO;
	}
	runs->heads[run] = (struct heap_item){filed.key, filed.tie, (uintptr_t)node};
	return 0;
}

/* A head's place among the heads of all runs. */
static struct heap_item place_of(struct heap_item head, size_t run)
{
	return (struct heap_item){head.key, head.tie, run};
}

/* Takes over a file that was written, also on errors, as `error` of the writing. */
static int add_run(struct reorder_runs *runs, FILE *file, int error)
{
	size_t run = 0;

	if (!error && fflush(file) != 0)
		error = errno ? -errno : -EIO;
	if (error) {
		fclose(file);
		return error;
	}
	rewind(file);
	while (runs->files[run])
		run++;
	runs->files[run] = file;
	runs->made++;
	error = read_head(runs, run);
	if (!error && runs->heads[run].value)
		error = heap_push(&runs->reorder_buffer, place_of(runs->heads[run], run));
	if (error < 0 || !runs->heads[run].value)
		close_run(runs, run);
	return error;
}

const struct heap_item *reorder_runs_peek(const struct reorder_runs *runs)
{
	return runs->reorder_buffer.count ? &runs->heads[runs->reorder_buffer.items[0].value]
					  : NULL;
}

int reorder_runs_take(struct reorder_runs *runs, struct heap_item *item)
{
	size_t run = runs->reorder_buffer.items[0].value;
	int error;

	*item = runs->heads[run];
	error = read_head(runs, run);
	if (runs->heads[run].value) {
		heap_replace(&runs->reorder_buffer, place_of(runs->heads[run], run));
	} else {
		heap_pop(&runs->reorder_buffer);
		close_run(runs, run);
	}
	if (error < 0) {
		give_node(runs, *item);
		item->value = 0;
	}
	return error;
}

/* All runs into one. */
static int merge_runs(struct reorder_runs *runs)
{
	FILE *file;
	int error = open_run(runs, &file);

	if (error < 0)
		return error;
	while (!error && runs->reorder_buffer.count) {
		struct heap_item item;

		error = reorder_runs_take(runs, &item);
		if (!error)
			error = write_item(file, item);
		give_node(runs, item);
	}
	return add_run(runs, file, error);
}

int reorder_runs_spill(struct reorder_runs *runs, struct reorder_queue *waiting)
{
	FILE *file;
	int error = 0;

	if (runs->reorder_buffer.count == REORDER_RUNS_MOST)
		error = merge_runs(runs);
	if (!error)
		error = open_run(runs, &file);
	if (error)
		return error;
	while (!error && reorder_queue_count(waiting)) {
		struct heap_item item = reorder_queue_pop(waiting);

		error = write_item(file, item);
		give_node(runs, item);
	}
	return add_run(runs, file, error);
}
