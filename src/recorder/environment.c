/* SPDX-License-Identifier: MIT */
#include "recorder/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/control.h"
#include "util/array.h"

/* ld.so(8): the list's items are separated by blanks or colons. */
#define PRELOAD_SEPARATORS " :\t\n"
#define LAYER_SEPARATORS ":"
#define SUBSCRIBER_SEPARATORS ","

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

static char *compose_behind(const char *old, const char *separators, const char *library)
{
	char *value;

	if (!old || !*old)
		return strdup(library);
	if (list_has(old, separators, library))
		return strdup(old);
	if (asprintf(&value, "%s%c%s", old, *separators, library) < 0)
		return NULL;
	return value;
}

char *environment_compose_layers(const char *old, const char *library)
{
	return compose_behind(old, LAYER_SEPARATORS, library);
}

char *environment_compose_subscribers(const char *old, const char *library)
{
	return compose_behind(old, SUBSCRIBER_SEPARATORS, library);
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

static bool is_set(const char *name, const char *library)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, library) != 0;
}

static bool is_empty(const char *name)
{
	const char *value = getenv(name);

	return !value || !*value;
}

/* Who has switched XPTI off meant it. */
static void set_xpti(struct environment *environment, const struct environment_request *request)
{
	if (!request->subscriber || strchr(request->subscriber, *SUBSCRIBER_SEPARATORS))
		return;
	if (is_empty("XPTI_FRAMEWORK_DISPATCHER")) {
		if (!request->dispatcher)
			return;
		environment_set(environment, "XPTI_FRAMEWORK_DISPATCHER", request->dispatcher);
	}
	if (is_empty("XPTI_TRACE_ENABLE"))
		environment_set(environment, "XPTI_TRACE_ENABLE", "1");
	set_owned(environment, "XPTI_SUBSCRIBERS",
		  environment_compose_subscribers(getenv("XPTI_SUBSCRIBERS"), request->subscriber));
}

static void set_all(struct environment *environment, const struct environment_request *request)
{
	const char *library = request->library;

	environment_set(environment, TANDEM_ENV_SESSION, request->session);
	if (request->preload)
		set_owned(environment, "LD_PRELOAD",
			  environment_compose_preload(getenv("LD_PRELOAD"), library));
	if (request->layer)
		set_owned(environment, "OPENCL_LAYERS",
			  environment_compose_layers(getenv("OPENCL_LAYERS"), request->layer));
	if (request->cuda) {
		if (is_set("CUDA_INJECTION64_PATH", library))
			environment_set(environment, "TANDEM_CUDA_INJECTION",
					getenv("CUDA_INJECTION64_PATH"));
		environment_set(environment, "CUDA_INJECTION64_PATH", library);
	}
	if (request->nvtx && !is_set("NVTX_INJECTION64_PATH", library))
		environment_set(environment, "NVTX_INJECTION64_PATH", library);
	set_xpti(environment, request);
	if (request->layer_calls && is_empty("UR_ENABLE_LAYERS"))
		environment_set(environment, "UR_ENABLE_LAYERS", "UR_LAYER_TRACING");
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
