/* SPDX-License-Identifier: MIT */
#include "view/serve/html.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "util/encode/base64.h"
#include "util/json.h"
#include "view/query/graph.h"
#include "view/serve/bundle.h"
#include "view/serve/findings.h"
#include "view/serve/pages.h"

#define WINDOW_BITS_GZIP (15 + 16)
#define MEMORY_LEVEL 9

/* Names of the files that read the data, in place of the server. */
static const char *const local_pages[] = {"local_tiles.js", "local_search.js", "local_select.js",
					  "local.js"};

struct page_file {
	struct view_html *html;
	char nonce[33]; /* only what we wrote may run */
	struct text packed, letters;
	size_t session;
	unsigned chunks;
};

static void write_string(struct page_file *file, const char *string)
{
	file->html->write(file->html->user, string, strlen(string));
}

/* --- data */

static int pack(struct text *packed, const struct text *text)
{
	z_stream stream = {.next_in = (void *)(uintptr_t)text->data,
			   .avail_in = (uInt)text->length};
	char bytes[1 << 14];
	int status;

	if (text->failed)
		return -ENOMEM;
	if (text->length > UINT32_MAX)
		return -EFBIG;
	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS_GZIP, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	text_clear(packed);
	do {
		stream.next_out = (void *)bytes;
		stream.avail_out = sizeof(bytes);
		status = deflate(&stream, Z_FINISH);
		text_add(packed, bytes, sizeof(bytes) - stream.avail_out);
	} while (status == Z_OK);
	deflateEnd(&stream);
	return status == Z_STREAM_END && !packed->failed ? 0 : -ENOMEM;
}

/* An element that the page finds by its id; no browser takes it for anything. */
static int write_data(struct page_file *file, const char *id, const struct text *text)
{
	int status = pack(&file->packed, text);

	if (status)
		return status;
	text_clear(&file->letters);
	text_format(&file->letters, "<script type=\"text/plain\" id=\"%s\">", id);
	base64_add(&file->letters, file->packed.data, file->packed.length);
	text_add_string(&file->letters, "</script>\n");
	if (file->letters.failed)
		return -ENOMEM;
	file->html->write(file->html->user, file->letters.data, file->letters.length);
	return 0;
}

static int write_numbered(struct page_file *file, const char *what, const struct text *text)
{
	char id[64];

	snprintf(id, sizeof(id), "data-%s-%zu", what, file->session);
	return write_data(file, id, text);
}

static int write_chunk(void *file_of, struct text *lines)
{
	struct page_file *file = file_of;
	char id[64];

	snprintf(id, sizeof(id), "data-details-%zu-%u", file->session, file->chunks++);
	return write_data(file, id, lines);
}

static int write_findings(struct page_file *file, const struct view_source *source)
{
	struct text text = TEXT_INIT;
	int status;

	/* Why there are none is part of what the page tells. */
	view_findings_make(source->session->path, source->session->kernel_from,
			   file->html->progress, &text);
	status = write_numbered(file, "findings", &text);
	text_free(&text);
	return status;
}

static int write_source(struct page_file *file, struct view_source *source)
{
	struct view_html *html = file->html;
	struct view_bundle bundle;
	struct text text = TEXT_INIT;
	int status = view_bundle_plan(&bundle, source, VIEW_HTML_ITEMS / html->count);

	html->items += bundle.items;
	html->of_items += bundle.of_items;
	if (!status)
		status = view_bundle_json(&bundle, &text);
	if (!status)
		status = write_numbered(file, "bundle", &text);
	text_clear(&text);
	if (!status)
		status = view_bundle_tracks(&bundle, &text);
	if (!status)
		status = write_numbered(file, "tracks", &text);
	text_clear(&text);
	if (!status && source->index.task_nodes_count)
		status = graph_json(&source->details, &text);
	if (!status && text.length)
		status = write_numbered(file, "graph", &text);
	text_free(&text);
	file->chunks = 0;
	if (!status)
		status = view_bundle_details(&bundle, write_chunk, file);
	return status ? status : write_findings(file, source);
}

static int write_model(struct page_file *file)
{
	struct text text = TEXT_INIT;
	struct json json;
	int status;

	json_init(&json, &text, false);
	json_begin_object(&json, NULL);
	json_string(&json, "version", TANDEM_VERSION);
	json_begin_array(&json, "sessions");
	for (size_t i = 0; i < file->html->count; i++)
		view_source_json(&file->html->sources[i], &json);
	json_end_array(&json);
	json_end_object(&json);
	status = write_data(file, "data-model", &text);
	text_free(&text);
	return status;
}

static int write_all_data(struct page_file *file)
{
	int status = write_model(file);

	for (; file->session < file->html->count && !status; file->session++)
		status = write_source(file, &file->html->sources[file->session]);
	return status;
}

/* --- the page's own files */

static void write_inline(struct page_file *file, const char *name, const char *element)
{
	const struct view_page *page = view_page_find(name);

	if (!page)
		return;
	write_string(file, "<");
	write_string(file, element);
	write_string(file, " nonce=\"");
	write_string(file, file->nonce);
	write_string(file, "\">\n");
	file->html->write(file->html->user, (const char *)page->data, page->bytes);
	write_string(file, "</");
	write_string(file, element);
	write_string(file, ">\n");
}

/* "<script src="x.js"></script>": x.js */
static bool attribute(const char *line, size_t length, const char *begins, char *name, size_t room)
{
	const char *end;

	if (length < strlen(begins) || strncmp(line, begins, strlen(begins)) != 0)
		return false;
	line += strlen(begins);
	end = strchr(line, '"');
	if (!end || (size_t)(end - line) >= room)
		return false;
	memcpy(name, line, (size_t)(end - line));
	name[end - line] = '\0';
	return true;
}

static int write_line(struct page_file *file, const char *line, size_t length)
{
	static const char policy[] =
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src 'nonce-%s'; style-src 'nonce-%s'; img-src data:; base-uri 'none'; "
		"form-action 'none'\">\n";
	char name[64];
	int status = 0;

	if (attribute(line, length, "<link rel=\"stylesheet\" href=\"", name, sizeof(name))) {
		struct text meta = TEXT_INIT;

		text_format(&meta, policy, file->nonce, file->nonce);
		write_string(file, meta.data ? meta.data : "");
		text_free(&meta);
		write_inline(file, name, "style");
	} else if (attribute(line, length, "<script src=\"", name, sizeof(name))) {
		if (!strcmp(name, "main.js")) {
			status = write_all_data(file);
			for (size_t i = 0; i < sizeof(local_pages) / sizeof(*local_pages); i++)
				write_inline(file, local_pages[i], "script");
		}
		write_inline(file, name, "script");
	} else {
		file->html->write(file->html->user, line, length);
	}
	return status;
}

int view_html_write(struct view_html *html, struct error *error)
{
	const struct view_page *page = view_page_find("index.html");
	struct page_file file = {.html = html};
	const char *line = (const char *)page->data, *end = line + page->bytes;
	int status = 0;

	/* The same session gives the same file. */
	for (size_t i = 0; i < 16; i++)
		snprintf(file.nonce + 2 * i, 3, "%02x",
			 html->sources[0].index.header->fingerprint[i]);
	while (line < end && !status) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((next ? next + 1 : end) - line);

		status = write_line(&file, line, length);
		line += length;
	}
	text_free(&file.packed);
	text_free(&file.letters);
	return status ? error_add(error, status, "cannot write the page: %s", strerror(-status))
		      : 0;
}
