/* The two ways in.
 *
 *  - Preloaded: the program's own calls of cl* bind to this library's symbols.
 *    The first call finds the loader behind us and has it load its layers.
 *  - As a layer of the loader (OPENCL_LAYERS; Khronos' layer interface): calls
 *    that come through dlopen and dlsym, from any library.
 *
 * Both end in the same wrappers, and both go on at the loader's inner table
 * (the layer's target), below every public symbol: whichever way a call came,
 * it passes a wrapper once. Only where the loader knows no layers does the
 * preload go on at the loader's public functions instead.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <string.h>

#include "domains/opencl/cl.h"

#include "domains/opencl/hooks.h"

static _Atomic int bootstrap_state; /* 0 not yet, 1 under way, 2 done */
static __thread int bootstrap_here __attribute__((tls_model("initial-exec")));
static _Atomic int layer_loaded;
static void *layer_target; /* the loader's first function below us */
static struct { /* and the library that it lies in */
	void *base;
	char path[PATH_MAX];
} layer_loader;
static void *layer_dispatch[OPENCL_ICD_SLOTS];

static void next_set(int fn, void *real)
{
	opencl_next.all[fn] = real ? real : opencl_missing.all[fn];
}

static int loader_look(struct dl_phdr_info *info, size_t size, void *found)
{
	const char *name = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!name || strncmp(name + 1, "libOpenCL", 9))
		return 0;
	*(const char **)found = info->dlpi_name;
	return 1;
}

/* The real loader: next in the global scope, or (a plugin's or a Python
 * module's own) somewhere among what is loaded. */
static void *loader_symbol(void *loader, const char *name)
{
	return loader ? dlsym(loader, name) : dlsym(RTLD_NEXT, name);
}

static void *loader_find(void)
{
	const char *path = NULL;

	if (dlsym(RTLD_NEXT, "clGetPlatformIDs"))
		return NULL;
	dl_iterate_phdr(loader_look, &path);
	return path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* In the layer's table for clGetPlatformIDs: the call below, by which the
 * preload wakes the loader, is not the program's and is not recorded. */
static int32_t layer_platforms(uint32_t num_entries, void *platforms, void *num_platforms)
{
	opencl_pfn_clGetPlatformIDs wrapped =
		(opencl_pfn_clGetPlatformIDs)opencl_wraps[OPENCL_FN_clGetPlatformIDs];

	if (bootstrap_here)
		return opencl_next.clGetPlatformIDs(num_entries, platforms, num_platforms);
	return wrapped(num_entries, platforms, num_platforms);
}

static void bootstrap(void)
{
	int32_t (*platforms)(uint32_t, void *, uint32_t *);
	void *loader = loader_find();
	uint32_t count;

	/* Any first call makes the loader load its layers, us among them. */
	*(void **)&platforms = loader_symbol(loader, "clGetPlatformIDs");
	if (platforms && platforms != (void *)opencl_wraps[OPENCL_FN_clGetPlatformIDs])
		platforms(0, NULL, &count);
	if (atomic_load(&layer_loaded))
		return;
	for (int fn = 0; fn < OPENCL_FN_FIRST_EXTENSION; fn++)
		next_set(fn, platforms ? loader_symbol(loader, opencl_fn_names[fn]) : NULL);
}

void opencl_bootstrap(void)
{
	int saved = errno, zero = 0;

	if (atomic_compare_exchange_strong(&bootstrap_state, &zero, 1)) {
		bootstrap_here = 1;
		bootstrap();
		bootstrap_here = 0;
		atomic_store(&bootstrap_state, 2);
	}
	while (atomic_load(&bootstrap_state) == 1 && !bootstrap_here)
		sched_yield();
	errno = saved;
}

/* Khronos' layer interface, with its types lowered. */
struct _cl_icd_dispatch;

__attribute__((visibility("default"))) int32_t
clGetLayerInfo(uint32_t param_name, size_t param_value_size, void *param_value,
	       size_t *param_value_size_ret);
__attribute__((visibility("default"))) int32_t
clInitLayer(uint32_t num_entries, const struct _cl_icd_dispatch *target_dispatch,
	    uint32_t *num_entries_out, const struct _cl_icd_dispatch **layer_dispatch_ret);

int32_t clGetLayerInfo(uint32_t param_name, size_t param_value_size, void *param_value,
		       size_t *param_value_size_ret)
{
	static const uint32_t version = CL_LAYER_API_VERSION_100;
	static const char name[] = "tandem";
	const void *answer = param_name == CL_LAYER_API_VERSION ? (const void *)&version : name;
	size_t bytes = param_name == CL_LAYER_API_VERSION ? sizeof(version) : sizeof(name);

	if (param_name != CL_LAYER_API_VERSION && param_name != CL_LAYER_NAME)
		return CL_INVALID_VALUE;
	if (param_value && param_value_size < bytes)
		return CL_INVALID_VALUE;
	if (param_value)
		memcpy(param_value, answer, bytes);
	if (param_value_size_ret)
		*param_value_size_ret = bytes;
	return CL_SUCCESS;
}

/* Whether the loader that we serve is gone: a program that closes libOpenCL and
 * opens it again has a new one, at the same place or at another, and another
 * library may lie where the old one was. */
static int loader_is_gone(void *target)
{
	Dl_info info;

	return target == layer_target || !dladdr(layer_target, &info) ||
	       info.dli_fbase != layer_loader.base || strcmp(info.dli_fname, layer_loader.path) != 0;
}

static void loader_keep(void *target)
{
	Dl_info info;

	layer_target = target;
	layer_loader.base = NULL;
	if (dladdr(target, &info) && strlen(info.dli_fname) < sizeof(layer_loader.path)) {
		layer_loader.base = info.dli_fbase;
		strcpy(layer_loader.path, info.dli_fname);
	}
}

int32_t clInitLayer(uint32_t num_entries, const struct _cl_icd_dispatch *target_dispatch,
		    uint32_t *num_entries_out, const struct _cl_icd_dispatch **layer_dispatch_ret)
{
	void *const *target = (void *const *)target_dispatch;

	if (!target_dispatch || !num_entries_out || !layer_dispatch_ret)
		return CL_INVALID_VALUE;
	/* No session: the loader leaves us out, and calls cost nothing. A second
	 * loader in the process keeps its calls to itself. */
	if (!tandem_session_dir[0] ||
	    (atomic_exchange(&layer_loaded, 1) && !loader_is_gone(target[0])))
		return CL_INVALID_OPERATION;
	loader_keep(target[0]);
	for (uint32_t slot = 0; slot < OPENCL_ICD_SLOTS; slot++) {
		int fn = opencl_icd_table[slot];
		void *real = slot < num_entries ? target[slot] : NULL;

		layer_dispatch[slot] = real;
		if (fn < 0)
			continue;
		next_set(fn, real);
		if (real)
			layer_dispatch[slot] = fn == OPENCL_FN_clGetPlatformIDs ?
						       (void *)layer_platforms : opencl_wraps[fn];
	}
	*num_entries_out = num_entries < OPENCL_ICD_SLOTS ? num_entries : OPENCL_ICD_SLOTS;
	*layer_dispatch_ret = (const struct _cl_icd_dispatch *)layer_dispatch;
	return CL_SUCCESS;
}

__attribute__((constructor)) static void layer_begins(void)
{
	tandem_object_describer(opencl_describe);
}
