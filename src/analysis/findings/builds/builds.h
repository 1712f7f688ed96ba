/* SPDX-License-Identifier: MIT */
/* What was built, how often, and how long it took.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_BUILDS_H
#define TANDEM_ANALYSIS_FINDINGS_BUILDS_H

#include "analysis/findings/builds/loads.h"
#include "analysis/findings/finding.h"

struct build_source { /* of a program object */
	uint64_t bytes;
	uint64_t hash; /* of what it was made of; 0: not recorded */
	bool from_binary;
	bool used;  /* a kernel was made of it, or it was linked */
	bool again; /* it was built, as another one before */
	bool read;  /* its binary was asked for */
	uint8_t domain;
	uint64_t first_ns; /* that its first builds took */
};

struct build_row { /* one process, source, options, device */
	struct build_source source;
	uint32_t process;
	uint32_t device;  /* row of devices, or TRACE_NONE */
	uint32_t options; /* in `texts` */
	uint8_t step, domain;
	bool between; /* its process enqueued commands since the build before its first */
	uint64_t count, first_ns, total_ns;
	int64_t first_from_ns;
	int64_t started_ns; /* of the process's first row: its first call; else as first_from_ns */
	const struct tandem_event *first_api; /* of the first */
	const struct tandem_event *api;	      /* of the second */
	uint32_t stream;
	int64_t begin_ns, end_ns; /* same */
};

struct build_state {
	struct intern texts;
	struct map programs; /* process and number -> source */
	struct build_source *sources;
	size_t source_count, source_capacity;
	int64_t *started_ns; /* by process: its first call; 0: none; -1: it has a row */
	bool *enqueued;	     /* by process: since its latest build */
	uint64_t *last_hash; /* by stream: of the text that its latest call was given */
	const struct tandem_event **last_api; /* ... and the latest call that builds */
	struct build_row *rows;
	size_t count, capacity;
	struct map row_of; /* hash of what makes a row -> the latest such one */
	struct loads loads;

	/* Builds of what had not been built before. */
	struct {
		uint64_t count, total_ns; /* of time in which one or more were under way */
		int64_t until_ns;
		int64_t begin_ns, end_ns;	/* of the longest */
		const struct tandem_event *api; /* that built it */
		uint32_t stream;
		uint8_t domain;
		uint64_t read; /* programs built from source whose binaries the program asked for */
	} first;
};

/* Findings of programs that were built again, in a process or in several, and of a run of which much is the first builds.
 * 0 or -ENOMEM. */
int builds_add_repeated(struct findings *findings, const struct build_state *builds);
int builds_add_in_processes(struct findings *findings, const struct build_state *builds);
int builds_add_first(struct findings *findings, const struct build_state *builds);

#endif
