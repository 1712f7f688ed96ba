/* SPDX-License-Identifier: MIT */
/* The timeline as one file: the page of the local server with its data inside,
 * which opens from the disk in any browser and fetches nothing. Up to
 * VIEW_HTML_ITEMS spans and points lie in it one by one, with all their details;
 * of more than that an overview does, and the page says so. One thread.
 *
 *	struct view_html html = {.sources = sources, .count = count, .write = write_bytes};
 *
 *	status = view_html_write(&html, &error);
 */
#ifndef TANDEM_VIEW_SERVE_HTML_H
#define TANDEM_VIEW_SERVE_HTML_H

#include "util/error.h"
#include "view/serve/source.h"

/* Of all sessions together: about 6 MB. */
#define VIEW_HTML_ITEMS 100000u

struct view_html {
	struct view_source *sources;
	size_t count;
	const struct progress *progress; /* may be NULL */
	/* Takes the next bytes of the file; errors are its owner's affair. */
	void (*write)(void *user, const char *bytes, size_t length);
	void *user;

	/* What it came to. */
	uint64_t items, of_items;
};

/* Returns 0 or -errno, with its cause in `error`. */
int view_html_write(struct view_html *html, struct error *error);

#endif
