/* SPDX-License-Identifier: MIT */
/* A sink in the program: how many calls of the made-up runtime it saw begin and end, and what
 * it wants of that, by its events' numbers in the domain: all, or the one that ACME_EVENT says. */
#include <stdio.h>
#include <stdlib.h>

#include "schema/schema.h"
#include "sinks/sink.h"

static _Atomic unsigned begun, ended, later;

static void saw(struct tandem_sink *sink, const struct tandem_record *record, const void *args,
		uint64_t *word)
{
	(void)sink, (void)args, (void)word;
	begun++;
	later += TANDEM_ID_PAGE(record->id) != TANDEM_DOMAIN_acme;
}

static void saw_end(struct tandem_sink *sink, const struct tandem_call_record *record,
		    const void *args, uint64_t *word)
{
	(void)sink, (void)record, (void)args, (void)word;
	ended++;
}

static struct tandem_sink sink = {.name = "count", .record = saw, .end = saw_end};

__attribute__((constructor)) static void begin(void)
{
	const char *event = getenv("ACME_EVENT");
	uint32_t wanted = event ? (uint32_t)atoi(event) : TANDEM_SINK_ALL;

	if (tandem_sink_want(&sink, TANDEM_DOMAIN_acme, wanted, true) || tandem_sink_attach(&sink))
		abort();
}

__attribute__((destructor)) static void end(void)
{
	fprintf(stderr, "sink: %u begun, %u ended, %u of later pages, domain bit %d\n", begun,
		ended, later, sink.domains == (uint64_t)1 << TANDEM_DOMAIN_acme);
}
