/* SPDX-License-Identifier: MIT */
#include "domains/opencl/attach/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/local.h"
#include "core/process.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/recording.h"
#include "schema/domain/opencl.h"

static _Atomic int bootstrap_state; /* 0 not yet, 1 under way, 2 done */
static __thread int bootstrap_here __attribute__((tls_model("initial-exec")));
static _Atomic int layer_loaded;
static struct { /* which we are a layer of: an address in it, and its library */
	void *address;
	void *base;
	char path[PATH_MAX];
} loader;
static void *layer_dispatch[OPENCL_ICD_SLOTS];
static _Atomic unsigned layer_state;	/* enum tandem_opencl_layer */
static struct opencl_next opencl_first; /* what opencl_next is before anything is found */

static void report_notice(enum tandem_opencl_notice number)
{
	if (tandem_control.domains & OPENCL_BIT)
		tandem_notice(TANDEM_DOMAIN_opencl, number);
}

/* Before opencl_next is changed for the first time. */
static void first_keep(void)
{
	static _Atomic int kept;

	if (!atomic_exchange(&kept, 1))
		opencl_first = opencl_next;
}

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
static void *loader_symbol(void *library, const char *name)
{
	return library ? dlsym(library, name) : dlsym(RTLD_NEXT, name);
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
	void *behind = loader_find();
	uint32_t count;

	first_keep();
	/* Any first call makes the loader load its layers, us among them. */
	*(void **)&platforms = loader_symbol(behind, "clGetPlatformIDs");
	if (platforms && platforms != (void *)opencl_wraps[OPENCL_FN_clGetPlatformIDs])
		platforms(0, NULL, &count);
	if (atomic_load(&layer_loaded))
		return;
	for (int fn = 0; fn < OPENCL_FN_FIRST_EXTENSION; fn++)
		next_set(fn, platforms ? loader_symbol(behind, opencl_fn_names[fn]) : NULL);
}

void opencl_bootstrap(void)
{
	int saved = errno, zero = 0;

	if (atomic_compare_exchange_strong(&bootstrap_state, &zero, 1)) {
		bootstrap_here = 1;
		tandem_process_uses(TANDEM_DOMAIN_opencl);
		bootstrap();
		bootstrap_here = 0;
		atomic_store(&bootstrap_state, 2);
	}
	while (atomic_load(&bootstrap_state) == 1 && !bootstrap_here)
		sched_yield();
	errno = saved;
}

static bool is_in_loader(void *address)
{
	Dl_info info;

	return dladdr(address, &info) && info.dli_fbase == loader.base &&
	       !strcmp(info.dli_fname, loader.path);
}

/* Whether the loader that we serve is gone: a program that closes libOpenCL and
 * opens it again has a new one, at the same place or at another, and another
 * library may lie where the old one was. */
static bool loader_is_gone(void *asking)
{
	return !is_in_loader(loader.address) || is_in_loader(asking);
}

static void loader_keep(void *address)
{
	Dl_info info;

	loader.address = address;
	loader.base = NULL;
	if (dladdr(address, &info) && strlen(info.dli_fname) < sizeof(loader.path)) {
		loader.base = info.dli_fbase;
		strcpy(loader.path, info.dli_fname);
	}
}

bool opencl_loader_usable(void)
{
	return !atomic_load(&layer_loaded) || is_in_loader(loader.address);
}

#define LAYER_FILE "libtandem-opencl.so"

/* Whether OPENCL_LAYERS names another layer after ours, which goes around us. The
 * loader's inner table, at which the preloaded symbols go on, would lead past it. */
static bool outer_layer_is_named(void)
{
	const char *layers = getenv("OPENCL_LAYERS");
	const char *rest = layers ? strstr(layers, LAYER_FILE) : NULL;

	for (const char *next = rest; next; next = strstr(next + 1, LAYER_FILE))
		rest = next;
	if (!rest)
		return false;
	rest += strlen(LAYER_FILE);
	return rest[strspn(rest, ":")] != '\0';
}

static bool is_preloaded(void)
{
	void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
	bool found = program &&
		     dlsym(program, "clGetPlatformIDs") == opencl_wraps[OPENCL_FN_clGetPlatformIDs];

	if (program)
		dlclose(program);
	return found;
}

int32_t tandem_opencl_attach(void *address, uint32_t entries, void *const *target,
			     uint32_t *entries_ret, void *const **table)
{
	if (!entries || !target || !entries_ret || !table)
		return CL_INVALID_VALUE;
	atomic_store(&layer_state, TANDEM_LAYER_SUPPORTED);
	/* Nobody to record for: the loader leaves us out, and calls cost nothing. */
	if (!tandem_in_use())
		return CL_INVALID_OPERATION;
	if (outer_layer_is_named() && is_preloaded()) {
		report_notice(TANDEM_OPENCL_NOTICE_outer_layer);
		return CL_INVALID_OPERATION;
	}
	if (atomic_exchange(&layer_loaded, 1) && !loader_is_gone(address)) {
		report_notice(TANDEM_OPENCL_NOTICE_second_loader);
		return CL_INVALID_OPERATION;
	}
	tandem_process_uses(TANDEM_DOMAIN_opencl);
	first_keep();
	loader_keep(address);
	for (uint32_t slot = 0; slot < OPENCL_ICD_SLOTS; slot++) {
		int fn = opencl_icd_table[slot];
		void *real = slot < entries ? target[slot] : NULL;

		layer_dispatch[slot] = real;
		if (fn < 0)
			continue;
		next_set(fn, real);
		if (real)
			layer_dispatch[slot] = fn == OPENCL_FN_clGetPlatformIDs
						       ? (void *)layer_platforms
						       : opencl_wraps[fn];
	}
	*entries_ret = entries < OPENCL_ICD_SLOTS ? entries : OPENCL_ICD_SLOTS;
	*table = layer_dispatch;
	return CL_SUCCESS;
}

static void (*close_function)(void);

void opencl_loader_at_close(void (*function)(void))
{
	close_function = function;
}

/* Whoever calls us from here on, preloaded as we are, finds the loader again: its
 * public functions then say that it has ended, as they would without us. */
void tandem_opencl_detach(void)
{
	int saved = errno;

	if (close_function)
		close_function();
	opencl_next = opencl_first;
	atomic_store(&layer_loaded, 0);
	atomic_store(&bootstrap_state, 0);
	errno = saved;
}

void tandem_opencl_asked(void)
{
	unsigned unknown = TANDEM_LAYER_UNKNOWN;

	atomic_compare_exchange_strong(&layer_state, &unknown, TANDEM_LAYER_ASKED);
}

unsigned tandem_opencl_layer(void)
{
	return atomic_load(&layer_state);
}

void tandem_opencl_refused(void)
{
	report_notice(TANDEM_OPENCL_NOTICE_no_layer);
}

/* The process ends, and no loader has asked for our layer. Was there one that has no
 * layers, and was it used? Then it has loaded drivers, behind it in the list of
 * what is loaded. */

struct nth {
	unsigned left;
	const char *path;
};

static int library_nth(struct dl_phdr_info *info, size_t size, void *data)
{
	struct nth *nth = data;

	(void)size;
	if (nth->left--)
		return 0;
	nth->path = info->dlpi_name;
	return 1;
}

/* The one function that a loader looks up in a driver. */
static bool is_driver(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	void *found = library ? dlsym(library, "clGetExtensionFunctionAddress") : NULL;
	Dl_info info;
	/* dlsym() looks into what the library needs as well. */
	bool driver = found && dladdr(found, &info) && !strcmp(info.dli_fname, path);

	if (library)
		dlclose(library);
	return driver;
}

static bool any_driver_behind(const char *loader_path)
{
	bool behind = false;

	for (unsigned n = 0;; n++) {
		struct nth nth = {.left = n};

		/* One walk for each: nothing may be opened within one. */
		if (!dl_iterate_phdr(library_nth, &nth))
			return false;
		if (behind && nth.path[0] == '/' && is_driver(nth.path))
			return true;
		behind |= nth.path == loader_path;
	}
}

static bool layer_was_named(void)
{
	const char *layers = getenv("OPENCL_LAYERS");

	return layers && strstr(layers, LAYER_FILE);
}

void opencl_loader_at_end(void)
{
	const char *path = NULL;

	if (!(tandem_control.domains & OPENCL_BIT) || atomic_load(&bootstrap_state) ||
	    atomic_load(&layer_state) != TANDEM_LAYER_UNKNOWN)
		return;
	dl_iterate_phdr(loader_look, &path);
	if (path && layer_was_named() && any_driver_behind(path))
		report_notice(TANDEM_OPENCL_NOTICE_no_layer);
}
