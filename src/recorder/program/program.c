/* SPDX-License-Identifier: MIT */
#include "recorder/program/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __SIZEOF_POINTER__ == 8
#define OUR_CLASS ELFCLASS64
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
typedef Elf64_Dyn elf_dynamic;
#else
#define OUR_CLASS ELFCLASS32
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
typedef Elf32_Dyn elf_dynamic;
#endif

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__i386__)
#define OUR_MACHINE EM_386
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OUR_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define OUR_MACHINE EM_PPC64
#else
#error "which ELF machine is this?"
#endif

enum { SEGMENTS_MAX = 64, DYNAMIC_MAX = 512, INTERPRETERS_MAX = 4 };

struct elf {
	int fd;
	unsigned segments;
	elf_segment segment[SEGMENTS_MAX];
};

static const elf_segment *elf_find(const struct elf *elf, unsigned type)
{
	for (unsigned i = 0; i < elf->segments; i++)
		if (elf->segment[i].p_type == type)
			return &elf->segment[i];
	return NULL;
}

/* Where an address of the program lies in its file, or -1. */
static off_t elf_offset(const struct elf *elf, uint64_t address)
{
	for (unsigned i = 0; i < elf->segments; i++) {
		const elf_segment *segment = &elf->segment[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return (off_t)(address - segment->p_vaddr + segment->p_offset);
	}
	return -1;
}

static bool is_sanitizer(const char *soname)
{
	return !strncmp(soname, "libasan.so", 10) || !strncmp(soname, "libclang_rt.asan", 16);
}

/* AddressSanitizer's shared runtime refuses to start when another library comes
 * before it. */
static bool elf_has_sanitizer(const struct elf *elf)
{
	const elf_segment *segment = elf_find(elf, PT_DYNAMIC);
	elf_dynamic dynamic[DYNAMIC_MAX];
	uint64_t strings = 0;
	off_t offset;
	ssize_t bytes;
	size_t count;

	if (!segment)
		return false;
	bytes = pread(elf->fd, dynamic,
		      segment->p_filesz < sizeof(dynamic) ? segment->p_filesz : sizeof(dynamic),
		      (off_t)segment->p_offset);
	count = bytes > 0 ? (size_t)bytes / sizeof(*dynamic) : 0;
	for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++)
		if (dynamic[i].d_tag == DT_STRTAB)
			strings = dynamic[i].d_un.d_ptr;
	offset = elf_offset(elf, strings);
	if (offset < 0)
		return false;
	for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++) {
		char soname[32] = "";

		if (dynamic[i].d_tag != DT_NEEDED)
			continue;
		/* Damaged: wherever that is, it is not in the file. */
		if (pread(elf->fd, soname, sizeof(soname) - 1,
			  (off_t)((uint64_t)offset + dynamic[i].d_un.d_val)) > 0 &&
		    is_sanitizer(soname))
			return true;
	}
	return false;
}

/* Whether the kernel could run it at all is the kernel's to say: a 32-bit
 * program runs on a 64-bit machine, and qemu may be registered for others. */
static void inspect_elf(struct program *program, int fd)
{
	struct elf elf = {.fd = fd};
	elf_header header;
	ssize_t bytes;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return;
	if (header.e_ident[EI_CLASS] != OUR_CLASS || header.e_machine != OUR_MACHINE)
		return;
	if (header.e_phentsize != sizeof(elf_segment))
		return;
	elf.segments = header.e_phnum < SEGMENTS_MAX ? header.e_phnum : SEGMENTS_MAX;
	bytes = pread(fd, elf.segment, elf.segments * sizeof(elf_segment), (off_t)header.e_phoff);
	elf.segments = bytes > 0 ? (unsigned)((size_t)bytes / sizeof(elf_segment)) : 0;
	program->is_static = !elf_find(&elf, PT_INTERP);
	program->loadable = !program->is_static;
	program->has_sanitizer = program->loadable && elf_has_sanitizer(&elf);
}

/* "#! /usr/bin/env python3\n" -> "/usr/bin/env" */
static const char *interpreter_of(char *line)
{
	char *path = line + 2 + strspn(line + 2, " \t");

	path[strcspn(path, " \t\n")] = '\0';
	return path;
}

static int inspect(struct program *program)
{
	char head[PATH_MAX];
	const char *path = program->path;

	for (int depth = 0; depth < INTERPRETERS_MAX; depth++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t length = fd < 0 ? 0 : pread(fd, head, sizeof(head) - 1, 0);
		ssize_t line;

		if (fd < 0 && depth && (errno == ENOENT || errno == ENOTDIR))
			return -ELIBBAD;
		if (fd < 0)
			return 0; /* executable but not readable: nothing is known */
		length = length > 0 ? length : 0;
		head[length] = '\0';
		if (length >= SELFMAG && !memcmp(head, ELFMAG, SELFMAG)) {
			inspect_elf(program, fd);
			close(fd);
			return 0;
		}
		close(fd);
		if (!memcmp(head, "#!", 2)) {
			path = interpreter_of(head);
			continue;
		}
		/* The shells' own test: a first line with a NUL is no script. */
		line = (ssize_t)strcspn(head, "\n");
		if (depth || (line < length && head[line] == '\0'))
			return -ENOEXEC;
		program->plain_script = true;
		path = "/bin/sh";
	}
	return -ENOEXEC;
}

static int check_file(const char *path, struct program *program)
{
	struct stat status;

	if (stat(path, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return -EACCES;
	program->privileged = ((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
			      ((status.st_mode & S_ISGID) && status.st_gid != getgid());
	return 0;
}

static int search_path(const char *name, struct program *program)
{
	const char *folders = getenv("PATH");
	int result = -ENOENT;

	if (!folders)
		folders = "/bin:/usr/bin";
	for (const char *folder = folders; folder;) {
		const char *colon = strchrnul(folder, ':');
		int length =
			snprintf(program->path, sizeof(program->path), "%.*s%s%s",
				 (int)(colon - folder), folder, colon > folder ? "/" : "./", name);
		int error = length < (int)sizeof(program->path) ? check_file(program->path, program)
								: -ENAMETOOLONG;

		if (!error)
			return 0;
		/* As execvp(): one that may not be run is remembered, and the
		 * search goes on. A folder of that name is no program. */
		if (error == -EACCES)
			result = -EACCES;
		folder = *colon ? colon + 1 : NULL;
	}
	return result;
}

int program_find(const char *name, struct program *program)
{
	int error;

	*program = (struct program){.plain_script = false};
	if (strlen(name) >= sizeof(program->path))
		return -ENAMETOOLONG;
	if (!*name)
		return -ENOENT;
	if (strchr(name, '/')) {
		strcpy(program->path, name);
		error = check_file(name, program);
	} else {
		error = search_path(name, program);
	}
	return error ? error : inspect(program);
}
