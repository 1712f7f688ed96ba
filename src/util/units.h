/* SPDX-License-Identifier: MIT */
/* Times, sizes and counts as people read them. A caller's buffer of UNITS_BYTES
 * takes the text and is returned. Any thread. */
#ifndef TANDEM_UTIL_UNITS_H
#define TANDEM_UTIL_UNITS_H

#include <stdint.h>

#define UNITS_BYTES 32

/* "950 ns", "1.23 us", "45.6 ms", "789 s": three digits that matter. */
char *units_ns(char *buffer, double ns);

/* "512 B", "1.23 kB", "45.6 MB": powers of 1000. */
char *units_bytes(char *buffer, double bytes);

/* "1,234,567" */
char *units_count(char *buffer, uint64_t count);

/* "12.345678901": seconds with all nine digits. */
char *units_seconds(char *buffer, int64_t ns);

/* Reads "1.5s", "20ms", "3 us", "450ns", "2m", or plain seconds, to ns. Returns
 * 0, -EINVAL (no number, unknown unit) or -ERANGE. */
int units_parse_ns(const char *text, int64_t *ns);

#endif
