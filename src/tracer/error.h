/* SPDX-License-Identifier: MIT */
/* What went wrong last in a thread, in words: tandem_tracer_error(). */
#ifndef TANDEM_TRACER_ERROR_H
#define TANDEM_TRACER_ERROR_H

/* Returns `error`. errno stays. */
int error_set(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
