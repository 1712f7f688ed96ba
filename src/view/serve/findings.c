/* SPDX-License-Identifier: MIT */
#include "view/serve/findings.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/findings/json.h"
#include "trace/session/session_open.h"
#include "util/error.h"

/* The page hides the cheap ones itself, until it is asked for them. */
#define LEAST_PERCENT 0.0

#define BACKGROUND_NICE 15

struct session_findings {
	char *path, *kernel_from;
	struct text json; /* once `ready` */
	atomic_bool ready;
	atomic_uint thousandths; /* of the trace that were read */
};

struct view_findings {
	pthread_t thread;
	atomic_bool finished, unwanted;
	size_t count;
	struct session_findings sessions[];
};

static void add_failure(struct text *out, const struct error *error)
{
	struct text text = TEXT_INIT;
	struct json json;

	for (unsigned i = 0; i < error->count; i++)
		text_format(&text, "%s%s", i ? ": " : "", error->causes[i]);
	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_string(&json, "state", "failed");
	json_string(&json, "error", text.data ? text.data : "out of memory");
	json_end_object(&json);
	text_free(&text);
}

static void add_findings(struct text *out, const struct findings *findings)
{
	struct json json;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_string(&json, "state", "done");
	findings_json_print(&json, findings, LEAST_PERCENT);
	json_end_object(&json);
}

int view_findings_make(const char *path, const char *kernel_from, const struct progress *progress,
		       struct text *out)
{
	struct error error = ERROR_INIT;
	const struct findings_options options = {.progress = progress};
	struct trace_session session;
	struct findings findings;
	/* Damage was reported when the session was opened for the picture. */
	int status = trace_session_open(&session, path, NULL, &error);

	if (!status) {
		if (kernel_from)
			status = trace_session_replace_kernel(&session, kernel_from, &error);
		if (!status)
			status = findings_make(&findings, &session, &options, &error);
		if (!status) {
			add_findings(out, &findings);
			findings_free(&findings);
		}
		trace_session_close(&session);
	}
	if (status)
		add_failure(out, &error);
	return status;
}

static void report_progress(void *session_of, uint64_t done, uint64_t total)
{
	struct session_findings *session = session_of;

	atomic_store(&session->thousandths,
		     total && done < total ? (unsigned)(1000.0 * (double)done / (double)total)
					   : 1000u);
}

static void *make_all(void *findings_of)
{
	struct view_findings *findings = findings_of;

	/* The picture comes first; where that cannot be said, they share. */
	setpriority(PRIO_PROCESS, (id_t)gettid(), BACKGROUND_NICE);
	for (size_t i = 0; i < findings->count && !atomic_load(&findings->unwanted); i++) {
		struct session_findings *session = &findings->sessions[i];
		struct progress progress = {.tell = report_progress, .user = session};

		view_findings_make(session->path, session->kernel_from, &progress, &session->json);
		atomic_store(&session->ready, true);
	}
	atomic_store(&findings->finished, true);
	return NULL;
}

static void findings_free_all(struct view_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		free(findings->sessions[i].path);
		free(findings->sessions[i].kernel_from);
		text_free(&findings->sessions[i].json);
	}
	free(findings);
}

int view_findings_start(struct view_findings **made, const struct trace_session *const *sessions,
			size_t count)
{
	struct view_findings *findings =
		calloc(1, sizeof(*findings) + count * sizeof(*findings->sessions));
	int status = 0;

	if (!findings)
		return -ENOMEM;
	findings->count = count;
	for (size_t i = 0; i < count && !status; i++) {
		const char *from = sessions[i]->kernel_from;
		struct session_findings *session = &findings->sessions[i];

		session->path = strdup(sessions[i]->path);
		session->kernel_from = from ? strdup(from) : NULL;
		status = session->path && (session->kernel_from || !from) ? 0 : -ENOMEM;
	}
	if (!status)
		status = -pthread_create(&findings->thread, NULL, make_all, findings);
	if (status) {
		findings_free_all(findings);
		return status;
	}
	*made = findings;
	return 0;
}

void view_findings_add(struct view_findings *findings, size_t number, struct text *out)
{
	struct session_findings *session = &findings->sessions[number];
	struct json json;

	if (atomic_load(&session->ready)) {
		text_add(out, session->json.data ? session->json.data : "null",
			 session->json.data ? session->json.length : 4);
		return;
	}
	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_string(&json, "state", "working");
	json_float(&json, "done", atomic_load(&session->thousandths) / 1000.0, 3);
	json_end_object(&json);
}

void view_findings_stop(struct view_findings *findings)
{
	atomic_store(&findings->unwanted, true);
	if (!atomic_load(&findings->finished)) {
		/* A pass over a large trace cannot be broken off, and nobody should
		 * wait for it: its memory goes with the process. */
		pthread_detach(findings->thread);
		return;
	}
	pthread_join(findings->thread, NULL);
	findings_free_all(findings);
}
