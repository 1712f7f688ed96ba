/* SPDX-License-Identifier: MIT */
/* Names of the system calls of the machine that Tandem was built for. */
#ifndef TANDEM_LINUX_SYSCALL_H
#define TANDEM_LINUX_SYSCALL_H

#include <stdint.h>

/* NULL where the C library's headers knew no such number. Static. */
const char *linux_syscall_name(uint32_t number);

#endif
