/* SPDX-License-Identifier: MIT */
/* Preloaded: a kernel that says of its clock what STUB_MAX_ERROR_US and STUB_CLOCK_STATUS have. */
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

int adjtimex(struct timex *kernel)
{
	const char *error = getenv("STUB_MAX_ERROR_US"), *status = getenv("STUB_CLOCK_STATUS");

	memset(kernel, 0, sizeof(*kernel));
	kernel->maxerror = error ? atol(error) : 0;
	kernel->status = status ? atoi(status) : 0;
	return kernel->status & STA_UNSYNC ? TIME_ERROR : TIME_OK;
}
