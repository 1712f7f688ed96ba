/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/control.h"

static char folder[128];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

static void remove_all(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *scratch(void)
{
	if (*folder)
		return folder;
	snprintf(folder, sizeof(folder), "%s/tandem-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(folder))
		abort();
	atexit(remove_all);
	return folder;
}

void scratch_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch(), name);
	if (mkdir(path, 0700))
		abort();
}

void scratch_put(const char *name, const void *data, size_t bytes)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", scratch(), name);
	file = fopen(path, "w");
	if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file))
		abort();
}

void scratch_put_control(void)
{
	static struct tandem_control control = {
		.args_level = TANDEM_ARGS_BASIC,
		.magic = TANDEM_CONTROL_MAGIC,
		.version = TANDEM_CONTROL_VERSION,
		.ticks_hz = 2500000000u,
		.start_ticks = 1000000000000u,
		.start_monotonic_ns = 400000000000u,
	};

	scratch_put("control", &control, sizeof(control));
}

struct scratch_part scratch_part(const uint8_t **data, size_t *bytes)
{
	struct scratch_part part = {*data, 0};
	size_t wanted;

	if (*bytes < 3) {
		*bytes = 0;
		return part;
	}
	wanted = (*data)[0] | (size_t)(*data)[1] << 8 | (size_t)(*data)[2] << 16;
	*data += 3;
	*bytes -= 3;
	part.data = *data;
	part.bytes = wanted <= *bytes ? wanted : wanted % (*bytes + 1);
	*data += part.bytes;
	*bytes -= part.bytes;
	return part;
}
