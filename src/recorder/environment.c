#include "recorder/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/control.h"

/* ld.so(8): the list's items are separated by blanks or colons. */
#define PRELOAD_SEPARATORS " :\t\n"
#define LAYER_SEPARATORS ":"

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

char *environment_compose_layers(const char *old, const char *library)
{
	char *value;

	if (!old || !*old)
		return strdup(library);
	if (list_has(old, LAYER_SEPARATORS, library))
		return strdup(old);
	if (asprintf(&value, "%s:%s", old, library) < 0)
		return NULL;
	return value;
}

/* Takes `value`, which may be NULL for want of memory. */
static void own_add(struct environment *environment, const char *name, char *value)
{
	char *variable = NULL;

	if (!value || asprintf(&variable, "%s=%s", name, value) < 0)
		environment->failed = true;
	else
		environment->own[environment->own_count++] = variable;
	free(value);
}

static void own_add_copy(struct environment *environment, const char *name, const char *value)
{
	own_add(environment, name, strdup(value));
}

static bool is_set(const char *name, const char *library)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, library) != 0;
}

static void own_add_all(struct environment *environment, const struct environment_wish *wish)
{
	const char *library = wish->library;

	own_add_copy(environment, TANDEM_ENV_SESSION, wish->session);
	if (wish->preload)
		own_add(environment, "LD_PRELOAD",
			environment_compose_preload(getenv("LD_PRELOAD"), library));
	if (wish->layer)
		own_add(environment, "OPENCL_LAYERS",
			environment_compose_layers(getenv("OPENCL_LAYERS"), wish->layer));
	if (wish->cuda) {
		if (is_set("CUDA_INJECTION64_PATH", library))
			own_add_copy(environment, "TANDEM_CUDA_INJECTION",
				     getenv("CUDA_INJECTION64_PATH"));
		own_add_copy(environment, "CUDA_INJECTION64_PATH", library);
	}
	if (wish->nvtx && !is_set("NVTX_INJECTION64_PATH", library))
		own_add_copy(environment, "NVTX_INJECTION64_PATH", library);
}

static bool is_replaced(const struct environment *environment, const char *variable)
{
	for (unsigned i = 0; i < environment->own_count; i++) {
		size_t name = strcspn(environment->own[i], "=") + 1;

		if (!strncmp(variable, environment->own[i], name))
			return true;
	}
	return false;
}

int environment_create(struct environment *environment, const struct environment_wish *wish)
{
	char **out;
	size_t count = 0;

	*environment = (struct environment){.variables = NULL};
	while (environ[count])
		count++;
	environment->variables =
		malloc((count + ENVIRONMENT_OWN + 1) * sizeof(*environment->variables));
	own_add_all(environment, wish);
	if (!environment->variables || environment->failed) {
		environment_destroy(environment);
		return -ENOMEM;
	}

	out = environment->variables;
	for (char **variable = environ; *variable; variable++)
		if (!is_replaced(environment, *variable))
			*out++ = *variable;
	for (unsigned i = 0; i < environment->own_count; i++)
		*out++ = environment->own[i];
	*out = NULL;
	return 0;
}

void environment_destroy(struct environment *environment)
{
	free(environment->variables);
	for (unsigned i = 0; i < environment->own_count; i++)
		free(environment->own[i]);
	*environment = (struct environment){.variables = NULL};
}
