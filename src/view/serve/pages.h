/* SPDX-License-Identifier: MIT */
/* The files of the page (src/view/web/) as they are part of the executable, and served.html and
 * page.js, the same with one script; written by tools/embed.py when it is built. Static storage; any thread. */
#ifndef TANDEM_VIEW_SERVE_PAGES_H
#define TANDEM_VIEW_SERVE_PAGES_H

#include <stddef.h>

struct view_page {
	const char *name; /* "index.html" */
	const char *type; /* media type */
	const unsigned char *data;
	size_t bytes;
};

extern const struct view_page view_pages[];
extern const size_t view_page_count;

/* NULL where there is no such file. */
const struct view_page *view_page_find(const char *name);

#endif
