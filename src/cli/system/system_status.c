/* SPDX-License-Identifier: MIT */
#include "cli/system/system_scope.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "recorder/session/live_processes.h"
#include "recorder/system_pages.h"
#include "schema/system_folder.h"
#include "util/json.h"

struct system_state {
	struct login_environment files;
	struct tandem_control page;
	int steered; /* system_page_look() */
	unsigned waiting;
	char session[PATH_MAX]; /* "": none */
};

/* Whoever steers has the page open too. */
static void found_process(pid_t pid, void *data)
{
	struct system_state *state = data;

	if (state->steered != 1 || pid != state->page.recorder_pid)
		state->waiting++;
}

static int find_state(const struct system_scope *scope, struct system_state *state,
		      struct error *error)
{
	char path[SYSTEM_PATH_BYTES];
	ssize_t length;
	int status;

	*state = (struct system_state){.waiting = 0};
	status = login_environment_find(&state->files, &scope->login, error);
	if (status)
		return status;
	state->steered = system_page_look(scope->base, scope->login.user, &state->page);
	system_folder_path(path, scope->base, scope->login.user, NULL);
	live_processes_find(path, 1, found_process, state);
	system_folder_path(path, scope->base, scope->login.user, SYSTEM_SESSION);
	length = state->steered == 1 ? readlink(path, state->session, sizeof(state->session) - 1)
				     : -1;
	state->session[length > 0 ? length : 0] = '\0';
	return 0;
}

static const char *enabled_words(const struct system_state *state)
{
	size_t has = login_environment_has(&state->files);

	return !has ? "no" : has == state->files.count ? "yes" : "partly";
}

static const char *recording_words(const struct system_state *state)
{
	if (!*state->session)
		return "no";
	return state->page.recording ? "recording" : "paused";
}

static void print_text(const struct system_scope *scope, const struct system_state *state)
{
	printf("for        %s\n", scope->words);
	printf("enabled    %s\n", enabled_words(state));
	for (size_t i = 0; i < state->files.count; i++)
		printf("           %s %s\n", state->files.files[i].block.has ? "+" : "-",
		       state->files.files[i].block.path);
	/* Of other users' nobody is asked. */
	printf("waiting    %u process%s%s\n", state->waiting, state->waiting == 1 ? "" : "es",
	       scope->login.all ? " of root" : "");
	printf("recording  %s%s%s\n", recording_words(state), *state->session ? ", into " : "",
	       state->session);
}

static void print_json(const struct system_scope *scope, const struct system_state *state)
{
	struct text text = TEXT_INIT;
	struct json json;

	json_init(&json, &text, true);
	json_begin_object(&json, NULL);
	json_string(&json, "for", scope->words);
	json_string(&json, "enabled", enabled_words(state));
	json_begin_array(&json, "files");
	for (size_t i = 0; i < state->files.count; i++) {
		json_begin_object(&json, NULL);
		json_string(&json, "path", state->files.files[i].block.path);
		json_bool(&json, "enabled", state->files.files[i].block.has);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_unsigned(&json, "waiting", state->waiting);
	json_string(&json, "recording", recording_words(state));
	json_string(&json, "session", state->session);
	json_end_object(&json);
	puts(text.failed ? "" : text.data);
	text_free(&text);
}

int system_status(const struct system_scope *scope, bool json)
{
	struct error error = ERROR_INIT;
	struct system_state state;

	if (find_state(scope, &state, &error))
		return cli_fail(&error);
	if (json)
		print_json(scope, &state);
	else
		print_text(scope, &state);
	login_environment_free(&state.files);
	return CLI_DONE;
}
