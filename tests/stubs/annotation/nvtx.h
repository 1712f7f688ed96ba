/* SPDX-License-Identifier: MIT */
/* The loader's side of NVTX 3 written out as its header does it (no header is needed): a
 * table of functions per module, filled by the library that NVTX_INJECTION64_PATH names,
 * and left alone where there is none.
 *
 *	inject("");
 *	push("step");
 *	pop();
 *
 * inject("notable") and inject("nomodule"): its NVTX has nothing to fill. */
#ifndef TANDEM_TESTS_STUBS_ANNOTATION_NVTX_H
#define TANDEM_TESTS_STUBS_ANNOTATION_NVTX_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define CORE_SIZE 16
#define CORE2_SIZE 16

typedef void (*nvtx_function)(void);

static nvtx_function core[CORE_SIZE], core2[CORE2_SIZE];
static nvtx_function *core_table[CORE_SIZE], *core2_table[CORE2_SIZE];

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

static int module_table(uint32_t module, nvtx_function ***table, unsigned *size)
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
	int (*module)(uint32_t module, nvtx_function ***table, unsigned *size);
};

static const void *export_table(uint32_t which)
{
	static struct callbacks callbacks = {sizeof(callbacks), module_table};

	if (!strcmp(how, "nomodule"))
		callbacks.module = NULL;
	return which == 1 ? &callbacks : NULL;
}

static inline void inject(const char *which)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*initialize)(const void *(*)(uint32_t)) = NULL;

	how = which;
	for (int i = 1; i < CORE_SIZE; i++) {
		core_table[i] = &core[i];
		core2_table[i] = &core2[i];
	}
	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
	if (initialize)
		initialize(export_table);
}

static inline int push(const char *text)
{
	return core[9] ? ((int (*)(const char *))core[9])(text) : -1;
}

static inline int pop(void)
{
	return core[11] ? ((int (*)(void))core[11])() : -1;
}

static inline uint64_t start(const char *text)
{
	return core[5] ? ((uint64_t(*)(const char *))core[5])(text) : 0;
}

static inline uint64_t start_wide(const wchar_t *text)
{
	return core[6] ? ((uint64_t(*)(const wchar_t *))core[6])(text) : 0;
}

static inline void end(uint64_t range)
{
	if (core[7])
		((void (*)(uint64_t))core[7])(range);
}

static inline void mark(const char *text)
{
	if (core[2])
		((void (*)(const char *))core[2])(text);
}

static inline void *domain(const char *name)
{
	return core2[12] ? ((void *(*)(const char *))core2[12])(name) : NULL;
}

static inline void *registered(void *in, const char *text)
{
	return core2[10] ? ((void *(*)(void *, const char *))core2[10])(in, text) : NULL;
}

static inline void category(void *in, uint32_t number, const char *name)
{
	if (core2[8])
		((void (*)(void *, uint32_t, const char *))core2[8])(in, number, name);
}

static inline void domain_push(void *in, const struct attributes *attributes)
{
	if (core2[4])
		((int (*)(void *, const struct attributes *))core2[4])(in, attributes);
}

static inline void domain_pop(void *in)
{
	if (core2[5])
		((int (*)(void *))core2[5])(in);
}

#endif
