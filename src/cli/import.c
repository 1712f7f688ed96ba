/* SPDX-License-Identifier: MIT */
/* The part of tandem-reader that run_import() runs. */
#include "cli/run_import.h"

#include <errno.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/reading.h"
#include "format/directory.h"
#include "setup/library.h"

int cmd_import(int argc, char **argv)
{
	char module[PATH_MAX], trace[PATH_MAX + 16];
	struct error error = ERROR_INIT;
	int status;

	if (argc != 2)
		return CLI_USAGE;
	snprintf(trace, sizeof(trace), "%s/" DIRECTORY_LTTNG, argv[1]);
	status = lttng_import_into(argv[1], trace,
				   library_module(module, READING_LTTNG_MODULE) ? NULL : module,
				   &error);
	if (status == -ENODATA)
		return IMPORT_NO_EVENTS;
	return status ? cli_fail(&error) : CLI_DONE;
}
