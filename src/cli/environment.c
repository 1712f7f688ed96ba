#include "cli/environment.h"

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

static char *variable_make(const char *name, char *value)
{
	char *variable = NULL;

	if (value && asprintf(&variable, "%s=%s", name, value) < 0)
		variable = NULL;
	free(value);
	return variable;
}

static bool variable_is(const char *variable, const char *replacement)
{
	size_t name;

	if (!replacement)
		return false;
	name = strcspn(replacement, "=") + 1;
	return !strncmp(variable, replacement, name);
}

int environment_create(struct environment *environment, const char *session, const char *library,
		       bool preload, bool layer)
{
	char **out;
	size_t count = 0;

	*environment = (struct environment){.variables = NULL};
	while (environ[count])
		count++;
	environment->variables = malloc((count + 4) * sizeof(*environment->variables));
	environment->session = variable_make(TANDEM_ENV_SESSION, strdup(session));
	if (preload)
		environment->preload = variable_make(
			"LD_PRELOAD", environment_compose_preload(getenv("LD_PRELOAD"), library));
	if (layer)
		environment->layers = variable_make(
			"OPENCL_LAYERS",
			environment_compose_layers(getenv("OPENCL_LAYERS"), library));
	if (!environment->variables || !environment->session ||
	    (preload && !environment->preload) || (layer && !environment->layers)) {
		environment_destroy(environment);
		return -ENOMEM;
	}

	out = environment->variables;
	for (char **variable = environ; *variable; variable++)
		if (!variable_is(*variable, environment->session) &&
		    !variable_is(*variable, environment->preload) &&
		    !variable_is(*variable, environment->layers))
			*out++ = *variable;
	*out++ = environment->session;
	if (environment->preload)
		*out++ = environment->preload;
	if (environment->layers)
		*out++ = environment->layers;
	*out = NULL;
	return 0;
}

void environment_destroy(struct environment *environment)
{
	free(environment->variables);
	free(environment->session);
	free(environment->preload);
	free(environment->layers);
	*environment = (struct environment){.variables = NULL};
}
