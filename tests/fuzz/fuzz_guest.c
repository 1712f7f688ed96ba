/* SPDX-License-Identifier: MIT */
/* Fuzz target of what is read before and around a program's run: the file that is to be run
 * (ELF headers, scripts), a seccomp filter that it installs, and what a reader of another
 * trace, a process of its own, sends through a pipe. The first byte chooses. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/sandbox/seccomp_filter.h"
#include "look.h"
#include "recorder/program/program.h"
#include "scratch.h"
#include "trace/external/external_pipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void try_program(const uint8_t *data, size_t bytes)
{
	struct program program;
	char path[256];

	scratch_put("program", data, bytes);
	strcpy(stpcpy(path, scratch()), "/program");
	chmod(path, 0700);
	program_find(path, &program);
}

static void try_filter(const uint8_t *data, size_t bytes)
{
	struct seccomp_data call = {.nr = 257, .arch = 0xc000003e};
	unsigned length = (unsigned)(bytes / sizeof(struct sock_filter));
	/* Its own block: nothing lies behind it. */
	struct sock_filter *filter = malloc(length * sizeof(*filter) + !length);

	memcpy(filter, data, length * sizeof(*filter));
	seccomp_filter_run(filter, length, &call);
	free(filter);
}

static void try_pipe(const uint8_t *data, size_t bytes)
{
	FILE *file = bytes ? fmemopen((void *)(uintptr_t)data, bytes, "r") : NULL;
	char why[400];

	if (!file)
		return;
	external_pipe_read(file, &look_sink, why, sizeof(why));
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes < 1)
		return 0;
	switch (*data % 3) {
	case 0:
		try_program(data + 1, bytes - 1);
		break;
	case 1:
		try_filter(data + 1, bytes - 1);
		break;
	default:
		try_pipe(data + 1, bytes - 1);
	}
	return 0;
}
