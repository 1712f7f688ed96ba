/* SPDX-License-Identifier: MIT */
/* An OpenCL loader that takes layers as the real ones do, or did, or might. One
 * driver, one platform; of a driver's objects only the dispatch table is known.
 *
 *   OCL_ICD_VENDORS    the driver's library
 *   OPENCL_LAYERS      the layers; the last one is called first
 *   LOADER_PROTOCOL    properties  clInitLayerWithProperties; at the end clDeinitLayer and
 *                                  dlclose: Khronos' since January 2026 (the default)
 *                      init        clInitLayer: before that
 *                      later       asks a layer's version and takes none
 *                      none        knows no layers
 *   LOADER_ENTRIES     how many functions its table has, in place of all
 *   LOADER_PROPERTIES  null (the default), empty, unknown
 *   LOADER_LOG         FILE: a line for each layer and each step
 *
 * What a layer must not use any more is overwritten, so that who does crashes.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../functions.h"

#define ENTRIES (sizeof(cl_icd_dispatch) / sizeof(void *))
#define HIDDEN __attribute__((visibility("hidden")))

struct layer {
	void *library;
	struct layer *next;
	cl_int (*deinit)(void);
	cl_icd_dispatch table;
};

typedef cl_int (*get_layer_info)(cl_layer_info name, size_t size, void *value, size_t *size_ret);
typedef cl_int (*init_layer)(cl_uint entries, const cl_icd_dispatch *target, cl_uint *entries_ret,
			     const cl_icd_dispatch **table);
typedef cl_int (*init_layer_with_properties)(cl_uint entries, const cl_icd_dispatch *target,
					     cl_uint *entries_ret, const cl_icd_dispatch **table,
					     const uint64_t *properties);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct layer *layers;
static cl_platform_id platform;
static void *(*driver_function)(const char *name);
static cl_icd_dispatch main_table, ended_table;

/* Named by the entries below. */
HIDDEN _Atomic int loader_started;
HIDDEN cl_icd_dispatch *loader_first = &main_table;
HIDDEN void loader_start(void);
void loader_deinit(void);

/* The public functions: through the first layer, from the first call on. */
#define X(name)                                                             \
	void public_##name(void) __asm__(#name);                            \
	__attribute__((naked)) void public_##name(void)                     \
	{                                                                   \
		__asm__("cmpl $0, loader_started(%%rip)\n"                  \
			"jne 1f\n"                                          \
			"push %%rdi\npush %%rsi\npush %%rdx\n"              \
			"push %%rcx\npush %%r8\npush %%r9\nsub $8, %%rsp\n" \
			"call loader_start\n"                               \
			"add $8, %%rsp\npop %%r9\npop %%r8\npop %%rcx\n"    \
			"pop %%rdx\npop %%rsi\npop %%rdi\n"                 \
			"1: mov loader_first(%%rip), %%r11\n"               \
			"jmp *%c0(%%r11)\n"                                 \
			:                                                   \
			: "i"(offsetof(cl_icd_dispatch, name)));            \
	}                                                                   \
	/* Below all layers: by the object, which comes first. */           \
	HIDDEN void object_##name(void);                                    \
	__attribute__((naked)) void object_##name(void)                     \
	{                                                                   \
		__asm__("test %%rdi, %%rdi\n"                               \
			"jz loader_invalid\n"                               \
			"mov (%%rdi), %%r11\n"                              \
			"jmp *%c0(%%r11)\n"                                 \
			:                                                   \
			: "i"(offsetof(cl_icd_dispatch, name)));            \
	}
STUB_TABLE(X)
X(clGetExtensionFunctionAddress)
#undef X

HIDDEN intptr_t loader_invalid(void);
intptr_t loader_invalid(void)
{
	return 0;
}

/* Whatever the function returns. */
__attribute__((naked)) static void ended(void)
{
	__asm__("mov %0, %%eax\nret\n" : : "i"(CL_INVALID_OPERATION));
}

static const cl_icd_dispatch *dispatch_of(const void *object)
{
	return *(cl_icd_dispatch *const *)object;
}

static cl_int CL_API_CALL get_platforms(cl_uint count, cl_platform_id *platforms, cl_uint *found)
{
	if (!platform)
		return CL_PLATFORM_NOT_FOUND_KHR;
	if ((!platforms && !found) || (platforms && !count))
		return CL_INVALID_VALUE;
	if (platforms)
		platforms[0] = platform;
	if (found)
		*found = 1;
	return CL_SUCCESS;
}

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
					     const cl_device_id *devices,
					     void(CL_CALLBACK *notify)(const char *, const void *,
								       size_t, void *),
					     void *user, cl_int *error)
{
	return dispatch_of(platform)->clCreateContext(properties, count, devices, notify, user,
						      error);
}

static cl_context CL_API_CALL
create_context_from_type(const cl_context_properties *properties, cl_device_type type,
			 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
			 void *user, cl_int *error)
{
	return dispatch_of(platform)->clCreateContextFromType(properties, type, notify, user,
							      error);
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *events)
{
	return dispatch_of(platform)->clWaitForEvents(count, events);
}

static void *CL_API_CALL get_extension(const char *name)
{
	return driver_function ? driver_function(name) : NULL;
}

static void say(const char *layer, const char *what)
{
	const char *path = getenv("LOADER_LOG");
	FILE *log = path ? fopen(path, "ae") : NULL;
	const char *base = strrchr(layer, '/');

	if (!log)
		return;
	fprintf(log, "%s %s\n", base ? base + 1 : layer, what);
	fclose(log);
}

static void *function_of(void *library, const char *name)
{
	return dlsym(library, name);
}

static void driver_load(const char *path)
{
	cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *);
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!library)
		return;
	*(void **)&driver_function = function_of(library, "clGetExtensionFunctionAddress");
	*(void **)&get = driver_function("clIcdGetPlatformIDsKHR");
	if (!get || get(1, &platform, NULL))
		platform = NULL;
}

static void layer_add(struct layer *layer, const cl_icd_dispatch *target, cl_uint entries,
		      const cl_icd_dispatch *table)
{
	void *const *theirs = (void *const *)table, *const *below = (void *const *)target;
	void **mine = (void **)&layer->table;

	for (cl_uint i = 0; i < ENTRIES; i++)
		mine[i] = i < entries && theirs[i] ? theirs[i] : below[i];
	layer->next = layers;
	layers = layer;
	loader_first = &layer->table;
}

static cl_int layer_init(struct layer *layer, const char *protocol, cl_uint *entries,
			 const cl_icd_dispatch **table)
{
	static const uint64_t unknown[] = {0x4242, 0x4243, 0}, empty[] = {0};
	const char *properties = getenv("LOADER_PROPERTIES");
	const char *limit = getenv("LOADER_ENTRIES");
	cl_uint count = limit ? (cl_uint)atoi(limit) : (cl_uint)ENTRIES;
	init_layer_with_properties with_properties;
	init_layer init;

	if (!strcmp(protocol, "properties")) {
		*(void **)&with_properties =
			function_of(layer->library, "clInitLayerWithProperties");
		*(void **)&layer->deinit = function_of(layer->library, "clDeinitLayer");
		return !with_properties
			       ? CL_INVALID_VALUE
			       : with_properties(count, loader_first, entries, table,
						 !properties || !strcmp(properties, "null") ? NULL
						 : !strcmp(properties, "empty")		    ? empty
										: unknown);
	}
	*(void **)&init =
		!strcmp(protocol, "init") ? function_of(layer->library, "clInitLayer") : NULL;
	return init ? init(count, loader_first, entries, table) : CL_INVALID_VALUE;
}

static void layer_load(const char *path, const char *protocol)
{
	struct layer *layer = calloc(1, sizeof(*layer));
	const cl_icd_dispatch *table = NULL;
	cl_layer_api_version version = 0;
	cl_uint entries = 0;
	get_layer_info info;

	layer->library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	*(void **)&info = layer->library ? function_of(layer->library, "clGetLayerInfo") : NULL;
	if (!info || info(CL_LAYER_API_VERSION, sizeof(version), &version, NULL) ||
	    version != CL_LAYER_API_VERSION_100 || layer_init(layer, protocol, &entries, &table) ||
	    !table || !entries) {
		say(path, "is not taken");
		if (layer->library)
			dlclose(layer->library);
		free(layer);
		return;
	}
	say(path, "is taken");
	layer_add(layer, loader_first, entries, table);
}

static void start(void)
{
	const char *protocol = getenv("LOADER_PROTOCOL");
	const char *list = getenv("OPENCL_LAYERS");
	char *paths = strdup(list ? list : ""), *left = paths, *path;

#define X(name)                                                       \
	main_table.name = (__typeof__(main_table.name))object_##name; \
	ended_table.name = (__typeof__(ended_table.name))ended;
	STUB_TABLE(X)
	X(clGetExtensionFunctionAddress)
#undef X
	main_table.clGetPlatformIDs = get_platforms;
	main_table.clCreateContext = create_context;
	main_table.clCreateContextFromType = create_context_from_type;
	main_table.clWaitForEvents = wait_for_events;
	main_table.clGetExtensionFunctionAddress = get_extension;
	driver_load(getenv("OCL_ICD_VENDORS"));
	if (!protocol)
		protocol = "properties";
	while (strcmp(protocol, "none") && (path = strsep(&left, ":")))
		if (*path)
			layer_load(path, protocol);
	free(paths);
	loader_started = 1;
}

void loader_start(void)
{
	pthread_once(&once, start);
}

/* As Khronos' does: no call comes through from here on; each layer is told, first to
 * last, may still use what is below it, and goes with its table. */
__attribute__((destructor)) void loader_deinit(void)
{
	struct layer *layer = layers;
	const char *protocol = getenv("LOADER_PROTOCOL");

	if (!loader_started || (protocol && strcmp(protocol, "properties")))
		return;
	loader_first = &ended_table;
	layers = NULL;
	while (layer) {
		struct layer *next = layer->next;

		if (layer->deinit)
			say("deinit", layer->deinit() ? "failed" : "done");
		dlclose(layer->library);
		memset(&layer->table, 0xdd, sizeof(layer->table));
		layer = next;
	}
	memset(&main_table, 0xdd, sizeof(main_table));
}
