/* SPDX-License-Identifier: MIT */
/* dlsym() of the program, which finds this library's before the C library's: a function that a
 * domain interposes is interposed for those, too, who look it up in its library (PyTorch's NVRTC).
 * All else goes on to the C library's by a jump, which so sees who asks: RTLD_NEXT and RTLD_DEFAULT
 * mean something else for each library. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "core/dlsym.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/domain.h"
#include "core/local.h"

#if defined(__x86_64__)
__asm__(".text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	".hidden dlsym_answer\n"
	".hidden dlsym_real\n"
	"dlsym:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	"pushq %rdi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rsi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"subq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"movq 24(%rsp), %rdx\n\t"
	"call dlsym_answer\n\t"
	"addq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rsi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"testq %rax, %rax\n\t"
	"je 1f\n\t"
	"ret\n"
	"1:\tjmpq *dlsym_real(%rip)\n\t"
	".cfi_endproc\n\t"
	".size dlsym, .-dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl dlsym\n"
	".type dlsym, %function\n"
	".hidden dlsym_answer\n"
	".hidden dlsym_real\n"
	"dlsym:\n\t"
	".cfi_startproc\n\t"
	"hint #34\n\t" /* bti c */
	"stp x29, x30, [sp, #-32]!\n\t"
	".cfi_adjust_cfa_offset 32\n\t"
	".cfi_rel_offset x29, 0\n\t"
	".cfi_rel_offset x30, 8\n\t"
	"stp x0, x1, [sp, #16]\n\t"
	"mov x29, sp\n\t"
	"mov x2, x30\n\t"
	"bl dlsym_answer\n\t"
	"mov x9, x0\n\t"
	"ldp x0, x1, [sp, #16]\n\t"
	"ldp x29, x30, [sp], #32\n\t"
	".cfi_adjust_cfa_offset -32\n\t"
	".cfi_restore x29\n\t"
	".cfi_restore x30\n\t"
	"cbz x9, 1f\n\t"
	"mov x0, x9\n\t"
	"ret\n"
	"1:\tadrp x16, dlsym_real\n\t"
	"ldr x16, [x16, :lo12:dlsym_real]\n\t"
	"br x16\n\t"
	".cfi_endproc\n\t"
	".size dlsym, .-dlsym\n");
#endif

/* Runs before the sanitizers' own start. */
#define EARLY __attribute__((no_sanitize("address", "undefined", "thread")))

void *(*dlsym_real)(void *library, const char *name);

static EARLY void *nothing(void *library, const char *name)
{
	(void)library, (void)name;
	return NULL;
}

static EARLY bool is_own(const void *address)
{
	extern const char own_begin[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
	extern const char own_end[] __asm__("_end") __attribute__((visibility("hidden")));

	return (uintptr_t)address >= (uintptr_t)own_begin &&
	       (uintptr_t)address < (uintptr_t)own_end;
}

/* By the one way that is not ours: dlvsym(), with the versions that the C library has of it. The next one
 * or, where this library is not preloaded and stands behind the C library, the first. */
static EARLY void *real_find(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
	void *const places[] = {RTLD_NEXT, RTLD_DEFAULT};

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned j = 0; j < sizeof(versions) / sizeof(versions[0]); j++) {
			void *found = dlvsym(places[i], "dlsym", versions[j]);

			if (found && !is_own(found))
				return found;
		}
	}
	return NULL;
}

static EARLY void real_set(void)
{
	void *(*real)(void *, const char *) = nothing;
	int saved = errno;
	void *found = real_find();

	errno = saved;
	if (found)
		*(void **)&real = found;
	__atomic_store_n(&dlsym_real, real, __ATOMIC_RELEASE);
}

/* This library's of the same name; NULL: it has none. */
static void *own_symbol(const char *name)
{
	static void *_Atomic own;
	void *library = atomic_load(&own);
	Dl_info info;

	if (!library && dladdr((const void *)&dlsym_real, &info)) {
		library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		atomic_store(&own, library);
	}
	return library ? dlsym_real(library, name) : NULL;
}

static void *interposed(const struct domain *domain, void *library, const char *name)
{
	void *symbol = dlsym_real(library, name), *own;

	if (!symbol || is_own(symbol))
		return symbol;
	own = own_symbol(name);
	return own && domain->looked_up(name, symbol) ? own : symbol;
}

EARLY void *dlsym_answer(void *library, const char *name, const void *caller)
{
	const struct domain *domain;
	void *symbol;
	int saved;

	if (!__atomic_load_n(&dlsym_real, __ATOMIC_ACQUIRE))
		real_set();
	if (library == RTLD_NEXT || library == RTLD_DEFAULT || is_own(caller) || !name ||
	    !tandem_in_use() || !(domain = domain_that_interposes(name)))
		return NULL;
	saved = errno;
	symbol = interposed(domain, library, name);
	errno = saved;
	return symbol;
}
