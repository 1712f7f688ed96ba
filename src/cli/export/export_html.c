/* SPDX-License-Identifier: MIT */
#include "cli/export/export_html.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "util/units.h"
#include "view/serve/html.h"

const struct export_ops export_html = {
	.name = "html",
	.words = "the timeline of `tandem view`, as one file that any browser opens",
	.suffix = ".html",
};

static void write_output(void *output, const char *bytes, size_t length)
{
	output_add(output, bytes, length);
}

static int open_sources(const struct export_request *request, struct view_source *sources,
			size_t *opened, struct error *error)
{
	int status = 0;

	for (*opened = 0; *opened < request->session_count; ++*opened) {
		status = view_source_open(&sources[*opened], request->sessions[*opened],
					  request->progress, error);
		if (status)
			break;
		sources[*opened].shown = range_since(&request->ranges[*opened],
						     -request->sessions[*opened]->start_ns);
	}
	return status;
}

static void say_thinned(const struct view_html *html)
{
	char shown[UNITS_BYTES], all[UNITS_BYTES];

	if (html->items < html->of_items)
		cli_note("the file is downsampled: %s items represent %s; `tandem view` shows each",
			 units_count(shown, html->items), units_count(all, html->of_items));
}

static int write_page(const struct export_request *request, struct view_source *sources,
		      struct export_result *result, struct error *error)
{
	struct output output;
	struct view_html html = {
		.sources = sources,
		.count = request->session_count,
		.progress = request->progress,
		.write = write_output,
		.user = &output,
	};
	int status = output_open(&output, request->out, error);

	if (status)
		return status;
	if (!view_sources_align(sources, html.count,
				request->join ? VIEW_ALIGN_join : VIEW_ALIGN_clock))
		result->apart = html.count - 1;
	status = view_html_write(&html, error);
	result->bytes = output.bytes;
	if (!status)
		status = output_close(&output, error);
	output_drop(&output);
	if (!status)
		say_thinned(&html);
	return status;
}

int export_html_make(const struct export_request *request, struct reading *readings,
		     struct export_result *result)
{
	struct view_source *sources = calloc(request->session_count, sizeof(*sources));
	struct error error = ERROR_INIT;
	size_t opened = 0;
	int status;

	*result = (struct export_result){.bytes = 0};
	if (!sources)
		return cli_error("out of memory");
	status = open_sources(request, sources, &opened, &error);
	if (!status)
		status = write_page(request, sources, result, &error);
	reading_progress_end(&readings[0]);
	while (opened)
		view_source_close(&sources[--opened]);
	free(sources);
	return status ? cli_fail(&error) : CLI_DONE;
}
