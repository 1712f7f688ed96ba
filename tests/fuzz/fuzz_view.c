/* SPDX-License-Identifier: MIT */
/* Fuzz target of the timeline: any bytes as timeline.index, which lies in a folder that
 * others may have written, and whatever is asked of the server.
 *
 * An input is a process's stream and the questions, a line each ("tiles?session=0&level=3"),
 * each with its length before it (scratch.h), and then the index. Its header's constants are
 * put right, so that what comes after them is read. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "trace/session/session_open.h"
#include "view/serve/answer.h"

#define QUESTIONS_MOST 16u
#define PARAMETERS 12u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct parameters {
	const char *name[PARAMETERS], *value[PARAMETERS];
	size_t count;
};

static const char *parameter(void *user, const char *name)
{
	const struct parameters *parameters = user;

	for (size_t i = 0; i < parameters->count; i++)
		if (!strcmp(parameters->name[i], name))
			return parameters->value[i];
	return NULL;
}

static void ask(struct view_source *source, char *line)
{
	struct parameters parameters = {.count = 0};
	struct view_question question = {.name = strsep(&line, "?"),
					 .parameter = parameter,
					 .user = &parameters,
					 .sources = source,
					 .source_count = 1};
	struct text out = TEXT_INIT;
	const char *type;

	while (line && parameters.count < PARAMETERS) {
		char *value = strsep(&line, "&"), *name = strsep(&value, "=");

		parameters.name[parameters.count] = name;
		parameters.value[parameters.count++] = value ? value : "";
	}
	view_answer(&question, &out, &type);
	text_free(&out);
}

static void ask_all(struct view_source *source, struct scratch_part part)
{
	char *questions = strndup((const char *)part.data, part.bytes), *rest = questions, *line;
	char model[] = "model", graph[] = "graph?session=0";

	ask(source, model);
	ask(source, graph);
	for (unsigned i = 0; i < QUESTIONS_MOST && (line = strsep(&rest, "\n")); i++)
		ask(source, line);
	free(questions);
}

/* -ESTALE: refused. */
static int index_make(struct view_index *index, const uint8_t *data, size_t bytes)
{
	uint8_t *copy = malloc(bytes);
	struct view_header header;
	char path[256];
	int fd, status;

	memcpy(copy, data, bytes);
	memcpy(&header, data, sizeof(header));
	header.magic = VIEW_INDEX_MAGIC;
	header.version = VIEW_INDEX_VERSION;
	header.bytes = sizeof(header);
	header.file_bytes = bytes;
	memcpy(copy, &header, sizeof(header));
	scratch_put(VIEW_INDEX_FILE, copy, bytes);
	free(copy);
	strcpy(stpcpy(path, scratch()), "/" VIEW_INDEX_FILE);
	fd = open(path, O_RDONLY);
	status = view_index_map(index, fd, header.fingerprint);
	close(fd);
	return status;
}

static void view(struct trace_session *session, struct scratch_part questions, const uint8_t *data,
		 size_t bytes)
{
	struct view_source source = {.session = session,
				     .details_lock = PTHREAD_MUTEX_INITIALIZER,
				     .shown = RANGE_WHOLE};

	if (bytes < sizeof(struct view_header) || index_make(&source.index, data, bytes))
		return;
	if (!view_details_open(&source.details, &source.index, session)) {
		ask_all(&source, questions);
		view_details_close(&source.details);
	}
	view_index_close(&source.index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char metadata[] = "env {\n\tpid = 1000;\n\targs_level = 1;\n"
				       "\tprocname = \"synthetic\";\n};\n"
				       "clock {\n\tfreq = 2500000000;\n};\n";
	struct trace_problems problems = {.tell = NULL};
	struct trace_session session;
	struct error error = ERROR_INIT;
	struct scratch_part stream, questions;
	static bool made;

	if (!made) {
		scratch_folder("process-1000");
		scratch_put("process-1000/metadata", metadata, strlen(metadata));
		scratch_put_control();
		made = true;
	}
	stream = scratch_part(&data, &bytes);
	questions = scratch_part(&data, &bytes);
	scratch_put("process-1000/stream-1", stream.data, stream.bytes);
	if (!trace_session_open(&session, scratch(), &problems, &error)) {
		view(&session, questions, data, bytes);
		trace_session_close(&session);
	}
	trace_problems_free(&problems);
	return 0;
}
