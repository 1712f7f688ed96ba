/* SPDX-License-Identifier: MIT */
#include "recorder/program/environment.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/control.h"
#include "schema/domain.h"
#include "setup/domain_variables.h"
#include "util/array.h"

/* ld.so(8): the list's items are separated by blanks or colons. */
#define PRELOAD_SEPARATORS " :\t\n"

/* A library that is itself built with a sanitizer brings the sanitizer's runtime
 * into every program, and that has to come first (meson.build sets it). */
#ifdef TANDEM_SANITIZER_RUNTIME
#define RUNTIME TANDEM_SANITIZER_RUNTIME ":"
#else
#define RUNTIME ""
#endif

/* The next item of a list, its length in *length; NULL at the end. */
static const char *list_next(const char *list, const char *separators, size_t *length)
{
	list += strspn(list, separators);
	*length = strcspn(list, separators);
	return *length ? list : NULL;
}

static bool list_has(const char *list, const char *separators, const char *item)
{
	size_t length;

	for (; (list = list_next(list, separators, &length)); list += length)
		if (length == strlen(item) && !memcmp(list, item, length))
			return true;
	return false;
}

static bool is_sanitizer(const char *item, size_t length)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "libclang_rt."};
	const char *base = memrchr(item, '/', length);

	if (base) {
		base++;
		length -= (size_t)(base - item);
	} else {
		base = item;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (length >= strlen(names[i]) && !memcmp(base, names[i], strlen(names[i])))
			return true;
	return false;
}

/* How much of the list is sanitizers' runtimes at its head. */
static size_t sanitizers(const char *list)
{
	const char *item = list;
	size_t length, end = 0;

	for (; (item = list_next(item, PRELOAD_SEPARATORS, &length)); item += length) {
		if (!is_sanitizer(item, length))
			break;
		end = (size_t)(item + length - list);
	}
	return end;
}

bool environment_has_sanitizer(void)
{
	const char *list = getenv("LD_PRELOAD");

	return *RUNTIME || (list && sanitizers(list));
}

char *environment_compose_preload(const char *old, const char *library)
{
	size_t head;
	char *value;

	if (!old)
		old = "";
	if (list_has(old, PRELOAD_SEPARATORS, library))
		return strdup(old);
	head = sanitizers(old);
	if (asprintf(&value, "%.*s%s%s%s%s", (int)head, old, head ? ":" : RUNTIME, library,
		     old[head] && !strchr(PRELOAD_SEPARATORS, old[head]) ? ":" : "",
		     old + head) < 0)
		return NULL;
	return value;
}

char *environment_compose_list(const char *old, const char *item, char separator)
{
	const char separators[] = {separator, '\0'};
	char *value;

	if (!old || !*old)
		return strdup(item);
	if (list_has(old, separators, item))
		return strdup(old);
	if (asprintf(&value, "%s%c%s", old, separator, item) < 0)
		return NULL;
	return value;
}

static bool has_name(const char *variable, const char *name, size_t length)
{
	return !strncmp(variable, name, length) && variable[length] == '=';
}

void environment_set(struct environment *environment, const char *name, const char *value)
{
	size_t length = strlen(name), bytes = length + strlen(value) + 2, kept = 0;
	char *variable = arena_alloc(&environment->arena, bytes);

	if (!variable || array_reserve(&environment->variables, &environment->capacity,
				       environment->count + 2, sizeof(char *))) {
		environment->failed = true;
		return;
	}
	snprintf(variable, bytes, "%s=%s", name, value);
	for (size_t i = 0; i < environment->count; i++)
		if (!has_name(environment->variables[i], name, length))
			environment->variables[kept++] = environment->variables[i];
	environment->variables[kept++] = variable;
	environment->variables[kept] = NULL;
	environment->count = kept;
}

/* Frees `value`, which is NULL where there was no memory for it. */
static void set_owned(struct environment *environment, const char *name, char *value)
{
	if (value)
		environment_set(environment, name, value);
	else
		environment->failed = true;
	free(value);
}

static bool is_set(const char *name, const char *value)
{
	const char *found = getenv(name);

	return found && *found && strcmp(found, value) != 0;
}

static void set_variable(struct environment *environment, const struct tandem_variable *variable,
			 const char *value)
{
	const char *name = variable->name;

	switch (variable->rule) {
	case TANDEM_VARIABLE_LIST:
		set_owned(environment, name,
			  environment_compose_list(getenv(name), value, variable->separator));
		return;
	case TANDEM_VARIABLE_UNSET:
		if (is_set(name, value))
			return;
		break;
	case TANDEM_VARIABLE_SET:
		if (variable->others && is_set(name, value))
			environment_set(environment, variable->others, getenv(name));
		break;
	}
	environment_set(environment, name, value);
}

static bool is_chosen(const struct environment_request *request,
		      const struct tandem_domain_row *row, const struct tandem_variable *variable)
{
	return domain_variable_is_chosen(
		variable, request->choices ? request->choices[row->number] : 0, request->layers);
}

/* Whether all that it needs can be had, from us or from the caller. */
static bool can_be_set(const struct environment_request *request,
		       const struct tandem_domain_row *row)
{
	char path[PATH_MAX];

	for (const struct tandem_variable *variable = row->variables; variable->name; variable++)
		if (is_chosen(request, row, variable) &&
		    !domain_variable_value(variable, request->library, path) &&
		    !(variable->rule == TANDEM_VARIABLE_UNSET && is_set(variable->name, "")))
			return false;
	return true;
}

static void set_domain(struct environment *environment, const struct environment_request *request,
		       const struct tandem_domain_row *row)
{
	char path[PATH_MAX];

	if (!can_be_set(request, row))
		return;
	for (const struct tandem_variable *variable = row->variables; variable->name; variable++) {
		const char *value = domain_variable_value(variable, request->library, path);

		if (value && is_chosen(request, row, variable))
			set_variable(environment, variable, value);
	}
}

static void set_all(struct environment *environment, const struct environment_request *request)
{
	const struct tandem_domain_row *row = NULL;

	environment_set(environment, TANDEM_ENV_SESSION, request->session);
	if (request->preload)
		set_owned(environment, "LD_PRELOAD",
			  environment_compose_preload(getenv("LD_PRELOAD"), request->library));
	while ((row = tandem_domain_next(row)))
		if (row->variables && request->domains >> row->number & 1)
			set_domain(environment, request, row);
}

int environment_create(struct environment *environment, const struct environment_request *request)
{
	size_t count = 0;

	*environment = (struct environment){.variables = NULL};
	while (environ[count])
		count++;
	if (array_reserve(&environment->variables, &environment->capacity, count + 1,
			  sizeof(char *)))
		return -ENOMEM;
	memcpy(environment->variables, environ, (count + 1) * sizeof(char *));
	environment->count = count;
	set_all(environment, request);
	if (!environment->failed)
		return 0;
	environment_destroy(environment);
	return -ENOMEM;
}

void environment_destroy(struct environment *environment)
{
	free(environment->variables);
	arena_free(&environment->arena);
	*environment = (struct environment){.variables = NULL};
}
