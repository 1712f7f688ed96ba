/* SPDX-License-Identifier: MIT */
/* Loaded device code: its size and a hash that names it, and the code itself in
 * the session when it was asked for (`--cuda cubin`). */
#include "domains/cuda/calls/module.h"

#include <errno.h>
#include <string.h>

#include "core/object.h"
#include "core/process.h"
#include "core/sandbox/fdtable.h"
#include "core/stream/stream.h"
#include "domains/cuda/state.h"
#include "format/directory.h"
#include "schema/gen/core_records.h"
#include "schema/gen/cuda_records.h"
#include "util/system.h"

/* FNV-1a over 64-bit words (the last one filled up with zeros): a cubin may have
 * hundreds of megabytes, and the program waits. */
static uint64_t hash_of(const char *data, size_t bytes)
{
	uint64_t hash = 0xcbf29ce484222325u;
	uint64_t word;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), data += sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		hash = (hash ^ word) * 0x100000001b3u;
	}
	word = 0;
	memcpy(&word, data, bytes);
	return (hash ^ word) * 0x100000001b3u;
}

struct cubin {
	char path[TANDEM_PATH_BYTES + 64];
	struct iovec code;
};

/* With descriptors of its own (core/sandbox/fdtable.h). */
static int cubin_write(void *data)
{
	struct cubin *cubin = data;
	int fd = system_open(cubin->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int error;

	if (fd < 0)
		return fd;
	error = system_pwritev(fd, &cubin->code, 1, 0);
	system_close(fd);
	if (error)
		syscall(SYS_unlinkat, AT_FDCWD, cubin->path, 0); /* a piece is of no use */
	return error;
}

/* DIR/cubin-HASH of the session: processes that load the same code keep it once. */
static bool save(uint64_t hash, const char *data, size_t bytes)
{
	static const char digits[] = "0123456789abcdef";
	struct cubin cubin = {.code = {(void *)(uintptr_t)data, bytes}};
	char *at = stpcpy(stpcpy(cubin.path, tandem_session_dir), "/" DIRECTORY_CUBIN "-");
	int error;

	for (int shift = 60; shift >= 0; shift -= 4)
		*at++ = digits[hash >> shift & 15];
	*at = 0;
	error = fdtable_run(cubin_write, &cubin);
	if (error && error != -EEXIST)
		tandem_lost(error == -ENOSPC ? TANDEM_LOSS_disk_full : TANDEM_LOSS_io_error, 1);
	return !error || error == -EEXIST;
}

void cuda_module_loaded(const struct cupti_module *module)
{
	uint64_t hash = module && module->cubin ? hash_of(module->cubin, module->bytes) : 0;
	struct tandem_cuda_module *record;
	struct tandem_rec_program *program;
	uint32_t number;
	bool saved;

	if (!module || !module->cubin)
		return;
	saved = cuda_wanted(TANDEM_CUDA_cubin) && save(hash, module->cubin, module->bytes);
	number = tandem_object_assign(TANDEM_KIND(cuda, program),
				      (const void *)((uintptr_t)module->id << 4 | 1));
	program = tandem_record_begin(TANDEM_EVENT_program, sizeof(*program));
	if (!program)
		return;
	program->program = number;
	program->domain = TANDEM_DOMAIN_cuda;
	program->handle = module->id;
	program->context = 0;
	program->source = TANDEM_PROGRAM_SOURCE_binary;
	program->bytes = module->bytes;
	tandem_record_commit();

	record = tandem_record_begin(TANDEM_CUDA_EVENT_module, sizeof(*record));
	if (!record)
		return;
	record->program = number;
	record->id = module->id;
	record->hash = hash;
	record->bytes = module->bytes;
	record->saved = saved;
	tandem_record_commit();
}
