/* SPDX-License-Identifier: MIT */
/* Whether OpenCL programs can be recorded: the loader and whether it takes layers, the drivers, the devices. Without OpenCL's headers: the
 * loader is only found at run time. */
#include "setup/check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setup/library.h"

#define AREA "OpenCL"
#define LOADER "libOpenCL.so.1"
#define VENDORS "/etc/OpenCL/vendors"
#define SECONDS 60

/* Values of the Khronos registry (cl.xml), and of the loader's own query. */
enum {
	PLATFORM_NAME = 0x0902,
	DEVICE_NAME = 0x102B,
	LOADER_VERSION = 2,
	LOADER_NAME = 3,
};

/* What tandem_opencl_layer() returns (domains/opencl/attach/loader.h). */
enum { LAYER_UNKNOWN, LAYER_ASKED, LAYER_SUPPORTED };

#define DEVICE_TYPE_ALL UINT64_C(0xFFFFFFFF)
#define DEVICES_MAX 64
#define PLATFORMS_MAX 32

typedef int32_t (*get_platforms)(uint32_t entries, void **platforms, uint32_t *count);
typedef int32_t (*get_platform_info)(void *platform, uint32_t name, size_t bytes, void *value,
				     size_t *size);
typedef int32_t (*get_devices)(void *platform, uint64_t type, uint32_t entries, void **devices,
			       uint32_t *count);
typedef int32_t (*get_device_info)(void *device, uint32_t name, size_t bytes, void *value,
				   size_t *size);
typedef int32_t (*get_loader_info)(uint32_t name, size_t bytes, void *value, size_t *size);
typedef void *(*get_extension)(const char *name);
typedef unsigned (*get_layer)(void);

/* dlsym() returns an object's pointer; ISO C has no cast to a function's. */
#define FIND(type, library, name) \
	((union {                 \
		 void *object;    \
		 type function;   \
	 }){dlsym(library, name)} \
		 .function)

/* What the loader did with our layer: libtandem.so knows, if it was loaded. */
static unsigned find_layer_state(const char *library)
{
	void *loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	unsigned (*state)(void) = loaded ? FIND(get_layer, loaded, "tandem_opencl_layer") : NULL;

	return state ? state() : LAYER_UNKNOWN;
}

static void check_loader(struct checks *checks, void *loader, const struct library *library)
{
	get_extension extension = FIND(get_extension, loader, "clGetExtensionFunctionAddress");
	get_platforms platforms = FIND(get_platforms, loader, "clGetPlatformIDs");
	char name[128] = "a loader without a name", version[64] = "";
	uint32_t count = 0;
	unsigned layer_state;

	if (!platforms) {
		check_add(checks, CHECK_MISSING, AREA, "loader", NULL,
			  LOADER " is no OpenCL loader: it has no clGetPlatformIDs");
		return;
	}
	if (extension) {
		get_loader_info info = ((union {
					       void *object;
					       get_loader_info function;
				       }){extension("clGetICDLoaderInfoOCLICD")})
					       .function;

		if (info) {
			info(LOADER_NAME, sizeof(name), name, NULL);
			info(LOADER_VERSION, sizeof(version), version, NULL);
		}
	}
	check_add(checks, CHECK_OK, AREA, "loader", NULL, "%s %s", name, version);

	/* The loader reads its layers at the first call, if there are drivers. */
	platforms(0, NULL, &count);
	if (!count)
		return;
	layer_state = find_layer_state(library->path);
	if (layer_state == LAYER_SUPPORTED)
		check_add(checks, CHECK_OK, AREA, "layers", NULL,
			  "supported: programs that look OpenCL up with dlopen() are recorded too");
	else
		check_add(checks, CHECK_OPTIONAL, AREA, "layers",
			  "apt-get install ocl-icd-libopencl1",
			  "%s: programs that look OpenCL up "
			  "with dlopen() are not recorded",
			  layer_state == LAYER_ASKED ? "the loader does not take Tandem's layer"
						     : "unsupported by the loader");
}

static void check_devices(struct checks *checks, void *loader)
{
	get_platforms platforms = FIND(get_platforms, loader, "clGetPlatformIDs");
	get_platform_info platform_info = FIND(get_platform_info, loader, "clGetPlatformInfo");
	get_devices devices = FIND(get_devices, loader, "clGetDeviceIDs");
	get_device_info device_info = FIND(get_device_info, loader, "clGetDeviceInfo");
	void *platform[PLATFORMS_MAX], *device[DEVICES_MAX];
	uint32_t count = 0, found;

	if (!platforms || !platform_info || !devices || !device_info)
		return;
	if (platforms(PLATFORMS_MAX, platform, &count) || !count)
		return;
	for (uint32_t p = 0; p < count && p < PLATFORMS_MAX; p++) {
		char name[128] = "?";

		platform_info(platform[p], PLATFORM_NAME, sizeof(name), name, NULL);
		found = 0;
		if (devices(platform[p], DEVICE_TYPE_ALL, DEVICES_MAX, device, &found) || !found) {
			check_add(checks, CHECK_OPTIONAL, AREA, "device", NULL, "%s has none",
				  name);
			continue;
		}
		for (uint32_t d = 0; d < found && d < DEVICES_MAX; d++) {
			char device_name[200] = "?";

			device_info(device[d], DEVICE_NAME, sizeof(device_name), device_name, NULL);
			check_add(checks, CHECK_OK, AREA, "device", NULL, "%s: %s", name,
				  device_name);
		}
	}
}

static void load_loader(struct checks *checks, const void *data)
{
	const struct library *library = data;
	char layer[PATH_MAX];
	void *loader;

	if (!library_beside(layer, library->path, "libtandem-opencl.so"))
		setenv("OPENCL_LAYERS", layer, 1);
	loader = dlopen(LOADER, RTLD_NOW);
	if (!loader) {
		check_add(checks, CHECK_MISSING, AREA, "loader",
			  "apt-get install ocl-icd-libopencl1", "%s", dlerror());
		return;
	}
	check_loader(checks, loader, library);
	check_devices(checks, loader);
}

struct driver {
	const char *icd; /* file name */
	const char *library;
};

static void load_driver(struct checks *checks, const void *data)
{
	const struct driver *driver = data;

	if (dlopen(driver->library, RTLD_NOW))
		check_add(checks, CHECK_OK, AREA, "driver", NULL, "%s: %s", driver->icd,
			  driver->library);
	else
		check_add(checks, CHECK_OPTIONAL, AREA, "driver", NULL, "%s: %s", driver->icd,
			  dlerror());
}

static void check_driver(struct checks *checks, const char *folder, const char *file)
{
	char path[PATH_MAX], library[PATH_MAX] = "";
	struct driver driver = {file, library};
	FILE *icd;

	snprintf(path, sizeof(path), "%s%s%s", folder ? folder : "", folder ? "/" : "", file);
	icd = fopen(path, "re");
	if (!icd) {
		check_add(checks, CHECK_OPTIONAL, AREA, "driver", NULL, "%s: %s", path,
			  strerror(errno));
		return;
	}
	if (!fgets(library, sizeof(library), icd))
		library[0] = '\0';
	fclose(icd);
	library[strcspn(library, "\r\n")] = '\0';
	check_apart(checks, AREA, file, SECONDS, load_driver, &driver);
}

/* Libraries that the environment names: Khronos' loader takes a list of them, ocl-icd
 * one in the folder's place. Returns how many. */
static unsigned check_named(struct checks *checks, const char *variable, const char *list)
{
	unsigned found = 0;

	while (list && *list) {
		char library[PATH_MAX];
		size_t length = strcspn(list, ":");
		struct driver driver = {variable, library};

		snprintf(library, sizeof(library), "%.*s", (int)length, list);
		list += length + (list[length] == ':');
		if (!library[0])
			continue;
		check_apart(checks, AREA, "driver", SECONDS, load_driver, &driver);
		found++;
	}
	return found;
}

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static unsigned check_folder(struct checks *checks, const char *folder)
{
	struct dirent **entries;
	unsigned found = 0;
	int count = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		size_t length = strlen(entries[i]->d_name);

		if (length > 4 && !strcmp(entries[i]->d_name + length - 4, ".icd")) {
			check_driver(checks, folder, entries[i]->d_name);
			found++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return found;
}

static void check_drivers(struct checks *checks)
{
	const char *vendors = getenv("OCL_ICD_VENDORS");
	unsigned found = check_named(checks, "OCL_ICD_FILENAMES", getenv("OCL_ICD_FILENAMES"));
	size_t length;

	if (!vendors || !*vendors)
		vendors = VENDORS;
	length = strlen(vendors);
	if (is_folder(vendors)) {
		found += check_folder(checks, vendors);
	} else if (length > 4 && !strcmp(vendors + length - 4, ".icd")) {
		check_driver(checks, NULL, vendors);
		found++;
	} else if (!access(vendors, F_OK)) {
		found += check_named(checks, "OCL_ICD_VENDORS", vendors);
	}
	if (!found)
		check_add(checks, CHECK_MISSING, AREA, "driver", "apt-get install pocl-opencl-icd",
			  "%s names none", vendors);
}

static bool has(const struct checks *checks, const char *name, enum check_state state)
{
	for (size_t i = 0; i < checks->count; i++)
		if (!strcmp(checks->list[i].area, AREA) && !strcmp(checks->list[i].name, name) &&
		    checks->list[i].state == state)
			return true;
	return false;
}

bool domain_check_opencl(struct checks *checks)
{
	struct library library = {.path = ""};

	/* Where it is missing, that has been said. */
	if (library_find(&library))
		library.path[0] = '\0';
	check_drivers(checks);
	check_apart(checks, AREA, "loader", SECONDS, load_loader, &library);
	if (has(checks, "loader", CHECK_OK) && !has(checks, "device", CHECK_OK))
		check_add(checks, CHECK_MISSING, AREA, "device", "apt-get install pocl-opencl-icd",
			  "no platform has one");
	return has(checks, "loader", CHECK_OK) && has(checks, "device", CHECK_OK);
}
