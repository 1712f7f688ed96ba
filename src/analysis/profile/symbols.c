/* SPDX-License-Identifier: MIT */
#include "analysis/profile/symbols.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/arena.h"
#include "util/array.h"
#include "util/demangle.h"

/* Where a file is reported to libdwfl: any page will do. */
#define BASE UINT64_C(0x100000000)

enum { MOST_SEGMENTS = 16 };

struct symbols_file {
	char *path;
	uint8_t build_id[ADDRESS_SPACES_BUILD_ID];
	uint32_t build_id_bytes;
	Dwfl *dwfl; /* NULL: it can't be read, or is another file */
	Dwfl_Module *module;
	GElf_Addr bias;
	uint64_t low;
	struct {
		uint64_t offset, address, bytes;
	} segments[MOST_SEGMENTS];
	size_t segment_count;
};

struct symbols {
	struct symbols_file *files;
	size_t count, capacity;
	struct map names; /* address of elfutils' own string -> one of ours */
	struct arena arena;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbols *symbols_create(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->count; i++) {
		if (symbols->files[i].dwfl)
			dwfl_end(symbols->files[i].dwfl);
		free(symbols->files[i].path);
	}
	free(symbols->files);
	map_free(&symbols->names);
	arena_free(&symbols->arena);
	free(symbols);
}

static bool take_segments(struct symbols_file *file)
{
	Elf *elf = dwfl_module_getelf(file->module, &file->bias);
	size_t count = 0;

	if (!elf || elf_getphdrnum(elf, &count))
		return false;
	file->low = UINT64_MAX;
	for (size_t i = 0; i < count && file->segment_count < MOST_SEGMENTS; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		file->segments[file->segment_count].offset = header.p_offset;
		file->segments[file->segment_count].address = header.p_vaddr;
		file->segments[file->segment_count++].bytes = header.p_filesz;
		if ((header.p_vaddr & -UINT64_C(4096)) < file->low)
			file->low = header.p_vaddr & -UINT64_C(4096);
	}
	return file->segment_count > 0;
}

/* What was recorded of it must be so. */
static bool same_build(const struct symbols_file *file)
{
	const unsigned char *bits;
	GElf_Addr address;
	int bytes;

	if (!file->build_id_bytes)
		return true;
	bytes = dwfl_module_build_id(file->module, &bits, &address);
	return bytes == (int)file->build_id_bytes && !memcmp(bits, file->build_id, (size_t)bytes);
}

static void file_open(struct symbols_file *file)
{
	struct stat status;

	/* "[vdso]", "//anon", "/memfd:... (deleted)"; and a path is what the trace says. */
	if (file->path[0] != '/' || stat(file->path, &status) || !S_ISREG(status.st_mode) ||
	    access(file->path, R_OK))
		return;
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		return;
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(file->dwfl, file->path, file->path, -1, BASE, false);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (file->module && same_build(file) && take_segments(file))
		return;
	dwfl_end(file->dwfl);
	file->dwfl = NULL;
}

static struct symbols_file *file_get(struct symbols *symbols, const struct mapped_file *wanted)
{
	struct symbols_file *file;

	for (size_t i = 0; i < symbols->count; i++) {
		file = &symbols->files[i];
		if (file->build_id_bytes == wanted->build_id_bytes &&
		    !memcmp(file->build_id, wanted->build_id, wanted->build_id_bytes) &&
		    !strcmp(file->path, wanted->path))
			return file;
	}
	if (array_reserve(&symbols->files, &symbols->capacity, symbols->count + 1,
			  sizeof(*symbols->files)))
		return NULL;
	file = &symbols->files[symbols->count];
	*file = (struct symbols_file){.path = strdup(wanted->path),
				      .build_id_bytes = wanted->build_id_bytes};
	if (!file->path)
		return NULL;
	memcpy(file->build_id, wanted->build_id, sizeof(file->build_id));
	symbols->count++;
	file_open(file);
	return file;
}

/* The file's own address of a place in it. */
static bool address_of(const struct symbols_file *file, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		/* The loader maps whole pages. */
		uint64_t from = file->segments[i].offset & -UINT64_C(4096);

		if (offset < from || offset >= file->segments[i].offset + file->segments[i].bytes)
			continue;
		*address = file->segments[i].address - file->segments[i].offset + offset;
		return true;
	}
	return false;
}

/* elfutils' names live as long as the file is open, so that each is demangled once. */
static const char *own_name(struct symbols *symbols, const char *name)
{
	uint64_t known = map_get(&symbols->names, (uintptr_t)name);
	size_t plain = strcspn(name, "@");
	char *words;
	const char *own = name;

	if (known != MAP_NONE)
		return (const char *)(uintptr_t)known;
	words = demangle(name);
	if (words)
		own = arena_copy(&symbols->arena, words, strlen(words));
	else if (plain && name[plain]) /* the version of a library's symbol */
		own = arena_copy(&symbols->arena, name, plain);
	free(words);
	if (!own || map_set(&symbols->names, (uintptr_t)name, (uintptr_t)own))
		return name;
	return own;
}

const char *symbols_find(struct symbols *symbols, const struct mapped_file *wanted, uint64_t offset)
{
	struct symbols_file *file = symbols ? file_get(symbols, wanted) : NULL;
	const char *name;
	uint64_t address;
	GElf_Off within;
	GElf_Sym symbol;

	if (!file || !file->dwfl || !address_of(file, offset, &address))
		return "";
	name = dwfl_module_addrinfo(file->module, address + file->bias, &within, &symbol, NULL,
				    NULL, NULL);
	/* Behind the end of the nearest function lies one without a symbol. */
	if (!name || (symbol.st_size && within >= symbol.st_size))
		return "";
	return own_name(symbols, name);
}

bool symbols_bias(struct symbols *symbols, const struct mapped_file *wanted, uint64_t offset,
		  uint64_t start, uint64_t *bias, uint64_t *low)
{
	struct symbols_file *file = symbols ? file_get(symbols, wanted) : NULL;
	uint64_t address;

	if (!file || !file->dwfl || !address_of(file, offset, &address))
		return false;
	*bias = start - address;
	*low = file->low;
	return true;
}
