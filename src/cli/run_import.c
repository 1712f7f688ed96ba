/* SPDX-License-Identifier: MIT */
#include "cli/run_import.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "setup/library.h"

int run_import(const char *session)
{
	char path[PATH_MAX];
	int status = 0;
	pid_t pid;

	if (library_module(path, CLI_READER))
		return cli_error("LTTng's trace in %s is read by " CLI_READER ", which is not next "
				 "to this command: install tandem again",
				 session);
	pid = fork();
	if (!pid) {
		execl(path, "tandem", CLI_IMPORT, session, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			pid = -1;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		return cli_error("%s could not be run: LTTng's trace in %s is not read", path,
				 session);
	return WEXITSTATUS(status);
}

int run_import_snapshot(const char *folder)
{
	int status = run_import(folder);

	return status == IMPORT_NO_EVENTS ? -ENODATA : status ? -EIO : 0;
}
