/* SPDX-License-Identifier: MIT */
/* What a task, and an operation of one, is called in the timeline: its name with its place in
 * the source. One thread. */
#ifndef TANDEM_VIEW_ROWS_TASK_LABEL_H
#define TANDEM_VIEW_ROWS_TASK_LABEL_H

#include "analysis/tasks/tasks.h"
#include "util/text.h"

/* "add (sycl.cpp:40)" in `text`, or `name` as it is where no line is known. */
static inline const char *view_task_label(struct text *text, const char *name,
					  const struct task_construct *construct)
{
	if (!construct || !construct->line)
		return name;
	text_format(text, "%s (%s)", name, construct->place);
	return text->failed ? name : text->data;
}

#endif
