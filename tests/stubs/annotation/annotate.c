/* SPDX-License-Identifier: MIT */
/* A program that uses NVTX, with the loader's side of NVTX 3 written out as its
 * header does it (no header is needed): a table of functions per module, filled by
 * the library that NVTX_INJECTION64_PATH names, and left alone where there is none.
 *
 * Says the same as tests/hw/cuda/ranges.cu, less the kernels; with the argument `odd`
 * what a program may not say, and runs by without a tool: attributes that are NULL or
 * shorter than they were, texts and names that are NULL. With `notable` and `nomodule`
 * its NVTX has nothing to fill. With `fork` it says all in two processes. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define CORE_SIZE 16
#define CORE2_SIZE 16

typedef void (*function)(void);

static function core[CORE_SIZE], core2[CORE2_SIZE];
static function *core_table[CORE_SIZE], *core2_table[CORE2_SIZE];

struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	double payload;
	int32_t text_type;
	const void *text;
};

static const char *how = "";

static int module_table(uint32_t module, function ***table, unsigned *size)
{
	if (!strcmp(how, "notable"))
		return 1; /* and says nowhere where it is */
	if (module != 1 && module != 5)
		return 0;
	*table = module == 1 ? core_table : core2_table;
	*size = CORE_SIZE;
	return 1;
}

struct callbacks {
	size_t size;
	int (*module)(uint32_t module, function ***table, unsigned *size);
};

static const void *export_table(uint32_t which)
{
	static struct callbacks callbacks = {sizeof(callbacks), module_table};

	if (!strcmp(how, "nomodule"))
		callbacks.module = NULL;
	return which == 1 ? &callbacks : NULL;
}

static void inject(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*initialize)(const void *(*)(uint32_t)) = NULL;

	for (int i = 1; i < CORE_SIZE; i++) {
		core_table[i] = &core[i];
		core2_table[i] = &core2[i];
	}
	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
	if (initialize)
		initialize(export_table);
}

static int push(const char *text)
{
	return core[9] ? ((int (*)(const char *))core[9])(text) : -1;
}

static int pop(void)
{
	return core[11] ? ((int (*)(void))core[11])() : -1;
}

static uint64_t start_wide(const wchar_t *text)
{
	return core[6] ? ((uint64_t(*)(const wchar_t *))core[6])(text) : 0;
}

static void end(uint64_t range)
{
	if (core[7])
		((void (*)(uint64_t))core[7])(range);
}

static void mark(const char *text)
{
	if (core[2])
		((void (*)(const char *))core[2])(text);
}

static void *domain(const char *name)
{
	return core2[12] ? ((void *(*)(const char *))core2[12])(name) : NULL;
}

static void *registered(void *in, const char *text)
{
	return core2[10] ? ((void *(*)(void *, const char *))core2[10])(in, text) : NULL;
}

static void category(void *in, uint32_t number, const char *name)
{
	if (core2[8])
		((void (*)(void *, uint32_t, const char *))core2[8])(in, number, name);
}

static void domain_push(void *in, const struct attributes *attributes)
{
	if (core2[4])
		((int (*)(void *, const struct attributes *))core2[4])(in, attributes);
}

static void domain_pop(void *in)
{
	if (core2[5])
		((int (*)(void *))core2[5])(in);
}

/* All that takes attributes, a text or a name, of either width. */
static void odd(void)
{
	struct attributes attributes = {3, 8, 7, 1, 0xff00ff00, 3, 0, 0.5, 1, (void *)8};
	struct attributes unsized = {3, 0, 7, 1, 0xff00ff00, 3, 0, 0.5, 1, "unsized"};
	const struct attributes *const given[] = {NULL, &attributes, &unsized};
	void *solver = NULL;

	for (int i = 0; i < 3; i++) {
		if (core[1])
			((void (*)(const struct attributes *))core[1])(given[i]);
		if (core[4])
			end(((uint64_t(*)(const struct attributes *))core[4])(given[i]));
		if (core[8])
			((int (*)(const struct attributes *))core[8])(given[i]);
		pop();
		domain_push(solver, given[i]);
		domain_pop(solver);
	}
	mark(NULL);
	push(NULL);
	pop();
	end(start_wide(NULL));
	solver = domain(NULL);
	category(solver, 1, NULL);
	attributes = (struct attributes){.version = 3,
					 .size = sizeof(attributes),
					 .text_type = 3,
					 .text = registered(solver, NULL)};
	domain_push(solver, &attributes);
	domain_pop(solver);
	attributes.text = NULL; /* a string that could not be registered */
	domain_push(solver, &attributes);
	domain_pop(solver);
	attributes.text_type = 77;
	domain_push(solver, &attributes);
	domain_pop(solver);
	pop();
	end(0x1234);
}

int main(int argc, char **argv)
{
	struct attributes attributes = {3,   sizeof(attributes), 7, 1, 0xff00ff00, 3, 0, 0.5, 3,
					NULL};
	void *solver;
	uint64_t range;

	if (argc > 1)
		how = argv[1];
	inject();
	if (!strcmp(how, "odd"))
		odd();
	if (!strcmp(how, "fork"))
		fork();
	solver = domain("solver");
	attributes.text = registered(solver, "step");
	category(solver, 7, "phase");
	push("outer");
	push("wanted");
	mark("inside");
	pop();
	domain_push(solver, &attributes);
	range = start_wide(L"fr\u00e9e \U0001F600");
	end(range);
	domain_pop(solver);
	pop();
	mark("done");
	return 0;
}
