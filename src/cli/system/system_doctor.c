/* SPDX-License-Identifier: MIT */
#include "cli/system/system_scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/doctor/checks_text.h"
#include "recorder/system_pages.h"
#include "schema/system_folder.h"
#include "setup/check.h"
#include "setup/safe_path.h"

#define AGAIN "log out and in again"
#define SECONDS 10

/* What was written by another tandem, or by one that has been moved. */
static bool is_current(const struct login_file *file)
{
	return file->block.lines.data && file->wanted.data &&
	       !strcmp(file->block.lines.data, file->wanted.data);
}

static void check_file(struct checks *checks, const struct login_file *file, bool enabled)
{
	const char *path = file->block.path;
	enum check_state absent = enabled ? CHECK_PARTIAL : CHECK_OPTIONAL;

	if (!file->block.has)
		check_add(checks, absent, "files", basename(path),
			  enabled ? "tandem system enable" : NULL, "%s: not enabled there", path);
	else if (!is_current(file))
		check_add(checks, CHECK_PARTIAL, "files", basename(path), "tandem system enable",
			  "%s: has lines other than this tandem's", path);
	else
		check_add(checks, CHECK_OK, "files", basename(path), NULL, "%s", path);
}

/* A library that the files name and that is gone is complained of by every program. */
static void check_named(struct checks *checks, const struct login_file *file, uid_t user)
{
	const char *line = file->block.lines.data;

	for (size_t length; line && *line; line += length + (line[length] == '\n')) {
		struct error error = ERROR_INIT;
		char path[PATH_MAX];
		const char *at;
		size_t bytes;

		length = strcspn(line, "\n");
		at = memmem(line, length, "/libtandem", strlen("/libtandem"));
		while (at && at > line && !strchr(":,= \"-}", at[-1]))
			at--;
		bytes = at ? strcspn(at, ":, \"}\n") : 0;
		if (!at || *at != '/' || bytes >= sizeof(path))
			continue;
		memcpy(path, at, bytes);
		path[bytes] = '\0';
		if (access(path, R_OK))
			check_add(checks, CHECK_MISSING, "libraries", basename(path),
				  "tandem system disable, or install Tandem there again",
				  "%s: %s, and %s names it", path, strerror(errno),
				  file->block.path);
		else if (safe_path_check(path, user, "", &error))
			check_add(checks, CHECK_MISSING, "libraries", basename(path), NULL, "%s",
				  error.causes[0]);
	}
}

static void check_login(struct checks *checks, bool enabled)
{
	const char *base = getenv(TANDEM_ENV_SYSTEM);

	if (base)
		check_add(checks, enabled ? CHECK_OK : CHECK_PARTIAL, "programs", "of this login",
			  enabled ? NULL : AGAIN,
			  enabled ? "wait for `tandem system record`"
				  : "still wait, though that is not enabled any more");
	else
		check_add(checks, enabled ? CHECK_PARTIAL : CHECK_OPTIONAL, "programs",
			  "of this login", enabled ? AGAIN : "tandem system enable",
			  enabled ? "this login began before: its programs do not wait"
				  : "do not wait for `tandem system record`");
}

static void ask_manager(struct checks *checks, const void *data)
{
	FILE *output = popen("systemctl --user show-environment 2>/dev/null", "r");
	bool enabled = *(const bool *)data, has = false, any = false;
	char line[4096];

	while (output && fgets(line, sizeof(line), output)) {
		any = true;
		has = has || !strncmp(line, TANDEM_ENV_SYSTEM "=", strlen(TANDEM_ENV_SYSTEM "="));
	}
	if (output)
		pclose(output);
	if (!any)
		check_add(checks, CHECK_INFO, "programs", "systemd", NULL,
			  "no user manager of this user answers");
	else if (has == enabled)
		check_add(checks, CHECK_OK, "programs", "systemd", NULL, "the user manager %s",
			  has ? "has the variables" : "does not have the variables");
	else
		check_add(checks, CHECK_PARTIAL, "programs", "systemd",
			  "systemctl --user daemon-reload, or " AGAIN,
			  has ? "the user manager still has the variables"
			      : "the user manager does not have the variables yet");
}

static void check_manager(struct checks *checks, bool enabled)
{
	if (access("/run/systemd/system", F_OK))
		check_add(checks, CHECK_INFO, "programs", "systemd", NULL,
			  "this machine runs without: logins alone are concerned");
	else
		check_apart(checks, "programs", "systemd", SECONDS, ask_manager, &enabled);
}

static void check_page(struct checks *checks, const struct system_scope *scope)
{
	char path[SYSTEM_PATH_BYTES];
	struct tandem_control page;
	int steered = system_page_look(scope->base, scope->login.user, &page);

	system_folder_path(path, scope->base, scope->login.user, NULL);
	switch (steered) {
	case 1:
		check_add(checks, CHECK_OK, "recording", "page", NULL, "a recorder is at work");
		break;
	case 0:
		if (page.recording)
			check_add(checks, CHECK_PARTIAL, "recording", "page",
				  "tandem system record --for 0.1s",
				  "a recorder was killed, and what was recorded goes on");
		else
			check_add(checks, CHECK_OK, "recording", "page", NULL, "%s", path);
		break;
	case -ENOENT:
		check_add(checks, CHECK_INFO, "recording", "page", NULL,
			  "%s: made by the first program that waits", path);
		break;
	default:
		check_add(checks, CHECK_MISSING, "recording", "page", "remove it, as its owner",
			  "%s: %s", path,
			  steered == -EPERM ? "not this user's alone" : strerror(-steered));
	}
}

int system_doctor(struct system_scope *scope)
{
	struct checks checks = {.list = NULL};
	struct login_environment files;
	struct error error = ERROR_INIT;
	bool enabled, works = true;

	if (system_scope_find_library(scope, &error)) {
		check_add(&checks, CHECK_MISSING, "libraries", "libtandem.so", "make install", "%s",
			  error.causes[0]);
		error = (struct error)ERROR_INIT;
		scope->login.library = NULL;
	}
	if (login_environment_find(&files, &scope->login, &error)) {
		check_add(&checks, CHECK_MISSING, "files", "unsafe", NULL, "%s", error.causes[0]);
		scope->login.library = NULL;
		if (login_environment_find(&files, &scope->login, NULL))
			files.count = 0;
	}
	enabled = login_environment_has(&files) != 0;
	for (size_t i = 0; i < files.count; i++)
		check_file(&checks, &files.files[i], enabled);
	if (files.count && files.files[0].block.has)
		check_named(&checks, &files.files[0], scope->login.all ? 0 : scope->login.user);
	check_login(&checks, enabled);
	check_manager(&checks, enabled);
	check_page(&checks, scope);
	for (size_t i = 0; i < checks.count; i++)
		works = works && checks.list[i].state != CHECK_MISSING;
	checks_print(&checks);
	checks_free(&checks);
	login_environment_free(&files);
	return works ? CLI_DONE : CLI_FAILED;
}
