/* SPDX-License-Identifier: MIT */
/* Runs code with a file-descriptor table of its own.
 *
 * A descriptor that a library opens in somebody else's program may be closed at
 * any moment by another thread of it (closefrom(3)), which then opens a file of
 * its own under the same number: what the library writes goes into that file, and
 * what it closes is that file. No check helps, since the number may change hands
 * after it. So nothing in the traced process opens a file while other threads run,
 * but in a short-lived child that shares the memory and not the descriptors: its
 * numbers mean its files for as long as it lives, and what it maps stays mapped.
 *
 *	static int make(void *data) { ... system_open(), mmap(), system_close() ... }
 *	int error = fdtable_run(make, &data);
 *
 * The caller's thread sleeps meanwhile (CLONE_VFORK), with all signals blocked.
 * About 35 us. `function` makes system calls only: no malloc, no stdio, no locks;
 * its number of files is not limited by what the program has open. A seccomp filter
 * that kills whoever opens a file kills the child, not the program.
 *
 * Returns what `function` returns (0 or -errno), or -errno where no child could be
 * made: -EPERM where the program's filter forbids it (sandbox.h). -ECANCELED: the child died, as of a seccomp filter; nothing is tried again
 * in this process.
 */
#ifndef TANDEM_CORE_FDTABLE_H
#define TANDEM_CORE_FDTABLE_H

int fdtable_run(int (*function)(void *data), void *data);

#endif
