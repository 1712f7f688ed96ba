/* In place of run.c where there is no jansson: a session is then read by its
 * control page and its metadata, without the names of program and host. */
#include "trace/run.h"

#include <errno.h>
#include <stdio.h>

void trace_run_init(struct trace_run *run)
{
	*run = (struct trace_run){.tandem = "", .schema = "", .program = "", .command = "",
				  .host = "", .boot_id = "", .release = "", .machine = "",
				  .cwd = "", .start = ""};
}

int trace_run_parse(struct trace_run *run, const char *text, size_t bytes, uint64_t *offset,
		    char *why, size_t why_bytes)
{
	(void)run;
	(void)text;
	(void)bytes;
	*offset = 0;
	snprintf(why, why_bytes, "this tandem was built without jansson and reads no JSON");
	return -ENOTSUP;
}

void trace_run_free(struct trace_run *run)
{
	arena_free(&run->arena);
}
