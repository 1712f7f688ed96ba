/* SPDX-License-Identifier: MIT */
/* Where CUPTI is. A program brings CUDA in many ways, and CUPTI lies elsewhere in
 * each: what is loaded already comes first (a second copy would not share its
 * state), then what the program's own CUDA libraries have beside them, then what
 * the environment and the loader know, then the usual places. */
#include "domains/cuda/cupti/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/stream/stream.h"
#include "domains/cuda/cupti/driver.h"
#include "schema/gen/cuda_records.h"

struct cupti cupti;
uint32_t cupti_version;

#define NAME "libcupti.so"
#define CANDIDATES_MOST 64
#define PATH_BYTES 1024

static char opened[PATH_BYTES]; /* which it is */

struct candidates {
	char path[CANDIDATES_MOST][PATH_BYTES];
	unsigned count;
	unsigned driver_major;
};

static bool is_cupti(const char *name)
{
	return !strncmp(name, NAME, sizeof(NAME) - 1);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void candidate_add(struct candidates *candidates, const char *path)
{
	for (unsigned i = 0; i < candidates->count; i++)
		if (!strcmp(candidates->path[i], path))
			return;
	if (candidates->count < CANDIDATES_MOST && strlen(path) < PATH_BYTES)
		strcpy(candidates->path[candidates->count++], path);
}

/* How well a file's version suits the driver: one of its own major best, an older
 * one well, a newer one hardly. Files without a version lie beside ones that have. */
static unsigned suits(const struct candidates *candidates, const char *name)
{
	unsigned long major =
		name[sizeof(NAME) - 1] == '.' ? strtoul(name + sizeof(NAME), NULL, 10) : 0;

	if (!candidates->driver_major || !major || major > 999)
		return 1;
	if (major == candidates->driver_major)
		return 1000;
	return major < candidates->driver_major ? 2 + (unsigned)major : 0;
}

/* The best libcupti.so* in the folder. */
static void folder_add(struct candidates *candidates, const char *folder)
{
	char path[PATH_BYTES], best[256] = "";
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_cupti(entry->d_name) &&
		    (!best[0] || suits(candidates, entry->d_name) > suits(candidates, best)))
			strcpy(best, entry->d_name);
	if (dir)
		closedir(dir);
	if (best[0] && snprintf(path, sizeof(path), "%s/%s", folder, best) < (int)sizeof(path))
		candidate_add(candidates, path);
}

static void folder_below(struct candidates *candidates, const char *folder, int bytes,
			 const char *rest)
{
	char path[PATH_BYTES];

	if (snprintf(path, sizeof(path), "%.*s%s", bytes, folder, rest) < (int)sizeof(path))
		folder_add(candidates, path);
}

/* A CUDA toolkit's folder. */
static void toolkit_add(struct candidates *candidates, const char *folder)
{
	int bytes = (int)strlen(folder);

	folder_below(candidates, folder, bytes, "/extras/CUPTI/lib64");
	folder_below(candidates, folder, bytes, "/lib64");
	folder_below(candidates, folder, bytes, "/lib");
}

/* Beside a library that the program has loaded: in a toolkit, or where the Python
 * packages of CUDA 11 and 12 (one folder a component) and of 13 (one for all) have it. */
static int loaded_look(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char *const libraries[] = {"libcudart.so", "libcublas.so", "libnvrtc.so",
						"libcudnn.so", "libnccl.so"};
	struct candidates *candidates = data;
	const char *name = base_name(info->dlpi_name);
	const char *site = strstr(info->dlpi_name, "/site-packages/");
	int folder = (int)(name - info->dlpi_name);

	(void)size;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		if (folder && !strncmp(name, libraries[i], strlen(libraries[i]))) {
			folder_below(candidates, info->dlpi_name, folder - 1, "");
			folder_below(candidates, info->dlpi_name, folder, "../../cuda_cupti/lib");
			folder_below(candidates, info->dlpi_name, folder, "../extras/CUPTI/lib64");
		}
	}
	if (site) {
		int bytes = (int)(site - info->dlpi_name) + (int)strlen("/site-packages");

		folder_below(candidates, info->dlpi_name, bytes, "/nvidia/cu13/lib");
		folder_below(candidates, info->dlpi_name, bytes, "/nvidia/cuda_cupti/lib");
	}
	return 0;
}

static int loaded_cupti(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!is_cupti(base_name(info->dlpi_name)))
		return 0;
	candidate_add(data, info->dlpi_name);
	return 1;
}

/* The toolkits under /usr/local, the newest name first. */
static void usual_add(struct candidates *candidates)
{
	char newest[64] = "cuda-~", next[64], path[128];

	toolkit_add(candidates, "/usr/local/cuda");
	for (int i = 0; i < 8; i++) {
		DIR *dir = opendir("/usr/local");
		struct dirent *entry;

		next[0] = 0;
		while (dir && (entry = readdir(dir)))
			if (!strncmp(entry->d_name, "cuda-", 5) && strlen(entry->d_name) < 64 &&
			    strcmp(entry->d_name, newest) < 0 && strcmp(entry->d_name, next) > 0)
				strcpy(next, entry->d_name);
		if (dir)
			closedir(dir);
		if (!next[0])
			break;
		strcpy(newest, next);
		snprintf(path, sizeof(path), "/usr/local/%s", newest);
		toolkit_add(candidates, path);
	}
	toolkit_add(candidates, "/opt/cuda");
}

static void environment_add(struct candidates *candidates)
{
	static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *folder = getenv(names[i]);

		if (folder && folder[0])
			toolkit_add(candidates, folder);
	}
}

static void beside_program_add(struct candidates *candidates)
{
	char path[PATH_BYTES];
	ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (bytes <= 0)
		return;
	path[bytes] = 0;
	folder_below(candidates, path, (int)(base_name(path) - path), "");
}

static void candidates_find(struct candidates *candidates)
{
	const char *named = getenv("TANDEM_CUPTI");

	candidates->driver_major = cuda_driver_version() / 1000;
	if (named && named[0]) {
		candidate_add(candidates, named);
		return;
	}
	if (dl_iterate_phdr(loaded_cupti, candidates))
		return;
	dl_iterate_phdr(loaded_look, candidates);
	beside_program_add(candidates);
	environment_add(candidates);
	/* Names without a path: the loader searches, LD_LIBRARY_PATH first. */
	for (unsigned major = candidates->driver_major ? candidates->driver_major : 13; major >= 12;
	     major--) {
		char name[32];

		snprintf(name, sizeof(name), NAME ".%u", major);
		candidate_add(candidates, name);
	}
	usual_add(candidates);
	folder_add(candidates, "/usr/lib/x86_64-linux-gnu");
	folder_add(candidates, "/usr/lib/aarch64-linux-gnu");
}

static int library_take(void *library)
{
	struct cupti found = {.cuptiGetVersion = NULL};

#define X(needed, name, parameters)                    \
	*(void **)&found.name = dlsym(library, #name); \
	if (needed && !found.name)                     \
		return -ENOEXEC;
	CUPTI_FUNCTIONS(X)
#undef X
	if (found.cuptiGetVersion(&cupti_version) || cupti_version < CUPTI_VERSION_LEAST)
		return -ENOEXEC;
	cupti = found;
	return 0;
}

int cuda_library_open(unsigned attempt)
{
	static struct candidates candidates;
	int error = -ENOENT;

	if (!candidates.count)
		candidates_find(&candidates);
	for (unsigned i = 0; i < candidates.count; i++) {
		void *library = dlopen(candidates.path[i], RTLD_LAZY | RTLD_LOCAL);
		struct link_map *map;

		if (!library)
			continue;
		if (library_take(library)) {
			error = -ENOEXEC;
			continue; /* it stays loaded: it may have begun threads */
		}
		if (attempt--)
			continue;
		strcpy(opened, candidates.path[i]);
		if (!dlinfo(library, RTLD_DI_LINKMAP, &map) && strlen(map->l_name) < PATH_BYTES)
			strcpy(opened, map->l_name);
		return 0;
	}
	return error;
}

void cuda_library_describe(bool own_clock)
{
	const char *path = opened;
	uint32_t bytes = (uint32_t)strlen(path);
	struct tandem_cuda_cupti *record =
		tandem_record_begin(TANDEM_CUDA_EVENT_cupti, (uint32_t)sizeof(*record) + bytes);

	if (!record)
		return;
	record->version = cupti_version;
	record->driver = cuda_driver_version();
	record->interval_ms = tandem_control.domain[TANDEM_DOMAIN_cuda].interval_ms;
	record->own_clock = own_clock;
	record->path_count = (uint16_t)bytes;
	memcpy(record + 1, path, bytes);
	tandem_record_commit();
}

/* For `tandem doctor`: which CUPTI a program here would be recorded with. 0,
 * -ENOENT or -ENOEXEC as above. */
__attribute__((visibility("default"))) int tandem_cuda_find(char *path, size_t bytes,
							    uint32_t *version);

int tandem_cuda_find(char *path, size_t bytes, uint32_t *version)
{
	int error;

	cuda_driver_find();
	error = cuda_library_open(0);
	if (!error && snprintf(path, bytes, "%s", opened) >= (int)bytes)
		error = -ENAMETOOLONG;
	*version = error ? 0 : cupti_version;
	return error;
}
