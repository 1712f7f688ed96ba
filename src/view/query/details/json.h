/* SPDX-License-Identifier: MIT */
/* The parts that details are put together of (view/query/details/details.h). One thread. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_JSON_H
#define TANDEM_VIEW_QUERY_DETAILS_JSON_H

#include "util/json.h"
#include "view/query/details/details.h"

struct details_span { /* the span in question */
	uint32_t track_number, item;
	const struct view_track *track;
	const struct view_row *row;
	struct view_span span;
	int64_t end_ns;
	const struct view_label *label;
};

void details_text(struct json *json, const char *is, const char *text);
void details_number(struct json *json, const char *is, const char *unit, uint64_t number);
void details_time(struct json *json, const char *is, int64_t at_ns);

/* Process and thread of a stream, as facts. */
void details_stream(struct json *json, const struct trace_stream *stream);

/* The thread that a row is of, as a fact. */
void details_thread(struct json *json, const struct view_index *index, const struct view_row *row);

/* An operation id as "thread:number". */
void details_op(struct json *json, const char *is, uint64_t op);

/* A link to a span. */
void details_link(struct json *json, const struct view_index *index, const char *is, uint32_t track,
		  uint32_t item);

/* The item of command->track that draws it; false: none does. */
bool details_find_command(const struct view_index *index, const struct view_command *command,
			  uint32_t *item);

/* The outermost call of a thread that began just at begin_ns; false: none. */
bool details_find_call_at(const struct view_details *details, uint32_t stream, int64_t begin_ns,
			  uint32_t *track, uint32_t *item);

/* A link to where a command is drawn. */
void details_link_command(struct json *json, const struct view_index *index, const char *is,
			  const struct view_command *command);

/* A link to the call of a thread that began just at begin_ns. */
void details_link_call(struct json *json, const struct view_details *details, const char *is,
		       uint32_t stream, int64_t begin_ns);

/* A link to the innermost call that was going on at at_ns; `latest`: else to the
 * one that began last, as what a call found out is recorded while it returns. */
void details_link_during(struct json *json, const struct view_details *details, const char *is,
			 uint32_t stream, int64_t at_ns, bool latest);

/* The stream of that index in the session, or NULL. */
struct trace_stream *details_find_stream(const struct view_details *details, uint32_t stream);

#endif
