/* SPDX-License-Identifier: MIT */
/* The directory that `record -o` names: %p is the program's name, %t the date and time, %h
 * the host, %q{NAME} an environment variable, %% a percent sign. Any thread. */
#ifndef TANDEM_RECORDER_DIRECTORY_NAME_H
#define TANDEM_RECORDER_DIRECTORY_NAME_H

#include <stddef.h>
#include <stdint.h>

/* Fills `name`. Returns 0, -ENAMETOOLONG, -EINVAL: there is no such sign; or -ENOKEY: the
 * variable is not set; *wrong is where in `pattern`. */
int directory_name_expand(char *name, size_t bytes, const char *pattern, const char *program,
			  uint64_t realtime_ns, const char **wrong);

/* Makes the directories above it. Returns 0 or -errno. */
int directory_name_make_parents(const char *name);

#endif
