/* SPDX-License-Identifier: MIT */
/* The dispatch table, and the functions that are had by name. */
#include "stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not the exported name: in a program with a preloaded library that would be
 * somebody else's. */
static void *address_find(const char *name)
{
	ENTER_POINTER(clGetExtensionFunctionAddress);
	return stub_extension_find(name);
}

cl_icd_dispatch stub_dispatch = {
#define X(name) .name = stub_##name,
	STUB_TABLE(X)
#undef X
		.clGetExtensionFunctionAddress = address_find,
};

static const struct {
	const char *name;
	size_t offset; /* in the table */
} entries[] = {
#define X(name) {#name, offsetof(cl_icd_dispatch, name)},
	STUB_TABLE(X)
#undef X
};

static const struct {
	const char *name;
	void *address;
} extensions[] = {
#define X(name) {#name, (void *)stub_##name},
	STUB_EXTENSIONS(X)
#undef X
	/* The loader looks these up by name before it trusts the table. */
	{"clGetPlatformInfo", (void *)stub_clGetPlatformInfo},
	{"clGetGLContextInfoKHR", (void *)stub_clGetGLContextInfoKHR},
};

/* The loader reads the table when it finds the platform, which is later. */
__attribute__((constructor)) static void missing_remove(void)
{
	const char *missing = getenv("STUB_MISSING");
	char *text = strdup(missing ? missing : ""), *rest = NULL;

	for (char *word = text ? strtok_r(text, ",", &rest) : NULL; word;
	     word = strtok_r(NULL, ",", &rest)) {
		bool known = false;

		for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
			if (strcmp(word, entries[i].name))
				continue;
			memset((char *)&stub_dispatch + entries[i].offset, 0, sizeof(void *));
			known = true;
		}
		if (!known)
			fprintf(stderr, "stub: STUB_MISSING names no function: %s\n", word);
	}
	free(text);
}

void *stub_extension_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(extensions) / sizeof(*extensions); i++)
		if (!strcmp(name, extensions[i].name))
			return extensions[i].address;
	return NULL;
}

/* What the loader looks up in the library. */
__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name)
{
	return address_find(name);
}

void *stub_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
	ENTER_POINTER(clGetExtensionFunctionAddressForPlatform);
	return platform == &stub_platform ? stub_extension_find(name) : NULL;
}
