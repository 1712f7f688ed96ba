/* SPDX-License-Identifier: MIT */
/* What the library's own syscall() is made of. Any thread, also in a signal handler.
 *
 *	if (seccomp_copy(&args, pointer, sizeof(args)))
 *		result = seccomp_raw_syscall(SYS_clone3, &args, sizeof(args), 0l, 0l, 0l, 0l);
 */
#ifndef TANDEM_CORE_SECCOMP_CALLS_H
#define TANDEM_CORE_SECCOMP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* The C library's syscall(), by instructions of our own: -1 and errno where it fails. */
#if defined(__x86_64__)
long seccomp_raw_syscall(long number, ...);
#else
#define seccomp_raw_syscall syscall
#endif

/* Memory of the program's, which may not be there: then false. Changes errno. */
__attribute__((visibility("hidden"))) bool seccomp_copy(void *to, const void *from, size_t bytes);

#endif
