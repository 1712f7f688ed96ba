/* SPDX-License-Identifier: MIT */
/* A folder with a file for each table (RFC 4180): the first line names the
 * columns, NULL is nothing at all, text as util/encode/csv.h has it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/tables/tables.h"
#include "util/encode/csv.h"

struct csv {
	struct tables tables;
	struct output files[TABLE_COUNT];
	struct text line;
	bool made;	   /* the folder, by us */
	unsigned complete; /* files that have got their names */
};

static void add_value(struct text *line, const struct table_value *value)
{
	switch (value->type) {
	case TABLE_NULL:
		break;
	case TABLE_INTEGER:
		text_format(line, "%" PRId64, value->integer);
		break;
	case TABLE_REAL:
		text_format(line, "%.17g", value->real);
		break;
	case TABLE_TEXT:
		csv_add_text(line, value->text, value->length);
		break;
	}
}

static int csv_row(struct export *export, enum table_id id, const struct table_value *values)
{
	struct csv *state = export->state;

	for (unsigned i = 0; i < tables_all[id].count; i++) {
		if (i)
			text_add_char(&state->line, ',');
		add_value(&state->line, &values[i]);
	}
	text_add_string(&state->line, "\r\n");
	output_text(&state->files[id], &state->line);
	return state->files[id].status;
}

static int open_table(struct export *export, enum table_id id)
{
	const struct table *table = &tables_all[id];
	struct csv *state = export->state;
	char *path = NULL;
	int status;

	if (asprintf(&path, "%s/%s.csv", export->out, table->name) < 0)
		return -ENOMEM;
	status = output_open(&state->files[id], path, export->error);
	free(path);
	if (status)
		return status;
	for (unsigned i = 0; i < table->count; i++)
		text_format(&state->line, "%s%s", i ? "," : "", table->columns[i].name);
	text_add_string(&state->line, "\r\n");
	output_text(&state->files[id], &state->line);
	return 0;
}

static int csv_begin(struct export *export)
{
	struct csv *state = export->state;
	int status = 0;

	state->tables.row = csv_row;
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		state->files[i].fd = -1;
	state->made = !mkdir(export->out, 0777);
	if (!state->made && errno != EEXIST)
		return error_add(export->error, -errno, "%s: %s", export->out, strerror(errno));
	for (unsigned i = 0; !status && i < TABLE_COUNT; i++)
		status = open_table(export, i);
	return status;
}

static int close_table(struct export *export, unsigned id)
{
	struct csv *state = export->state;
	int status = output_close(&state->files[id], export->error);

	state->complete += !status;
	return status;
}

/* What has got its name in a folder of ours goes with it; a folder that was there before
 * may have held another table of that name, which is lost already. */
static void drop_folder(struct export *export)
{
	struct csv *state = export->state;
	char *path;

	for (unsigned i = 0; i < state->complete; i++) {
		if (asprintf(&path, "%s/%s.csv", export->out, tables_all[i].name) < 0)
			continue;
		unlink(path);
		free(path);
	}
	rmdir(export->out);
}

static int csv_end(struct export *export)
{
	struct csv *state = export->state;
	int status = 0;

	for (unsigned i = 0; !status && i < TABLE_COUNT; i++)
		status = output_write_out(&state->files[i], export->error);
	for (unsigned i = 0; !status && i < TABLE_COUNT; i++)
		status = close_table(export, i);
	if (!status)
		state->made = false; /* stays */
	return status;
}

static void csv_release(struct export *export)
{
	struct csv *state = export->state;

	for (unsigned i = 0; i < TABLE_COUNT; i++)
		output_drop(&state->files[i]);
	if (state->made)
		drop_folder(export);
	text_free(&state->line);
	tables_release(&state->tables);
}

const struct export_ops export_csv = {
	.name = "csv",
	.words = "a folder with a CSV file for each table of the database",
	.suffix = "-csv",
	.own_output = true,
	.state_bytes = sizeof(struct csv),
	.begin = csv_begin,
	TABLES_OPS,
	.end = csv_end,
	.release = csv_release,
};
