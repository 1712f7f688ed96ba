/* SPDX-License-Identifier: MIT */
/* Values that options of several commands take. `option` is its name, "--output". Each returns
 * 0, or -EINVAL after it has said what is right, and leaves the place alone then.
 *
 *	case OPTION_duration:
 *		return option_time("--duration", value, &request->duration_ns);
 */
#ifndef TANDEM_CLI_OPTION_VALUE_H
#define TANDEM_CLI_OPTION_VALUE_H

#include <stdint.h>

/* A name of a directory, which may not be empty. */
int option_directory(const char *option, const char *value, const char **name);

/* A time that is longer than none, "1.5s". */
int option_time(const char *option, const char *value, uint64_t *ns);

/* A number of ms. */
int option_ms(const char *option, const char *value, uint32_t *ms);

#endif
