/* SPDX-License-Identifier: MIT */
/* A command that was built without zlib. */
#include "cli/export/export_html.h"

#include "cli/cli.h"

const struct export_ops export_html = {
	.name = "html",
	.words = "the timeline as one file (not in this build: it needs zlib)",
	.suffix = ".html",
};

int export_html_make(const struct export_request *request, struct reading *readings,
		     struct export_result *result)
{
	(void)request;
	(void)readings;
	(void)result;
	return cli_error("this tandem was built without zlib: it cannot write html");
}
