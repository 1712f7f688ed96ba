/* SPDX-License-Identifier: MIT */
#include "tracer/roctracer/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tandem/tracer.h"

static __thread char last[200];

roctracer_status_t status_set(roctracer_status_t status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(last, sizeof(last), format, arguments);
	va_end(arguments);
	return status;
}

roctracer_status_t status_of(int error)
{
	if (error >= 0)
		return ROCTRACER_STATUS_SUCCESS;
	snprintf(last, sizeof(last), "%s", tandem_tracer_error());
	switch (error) {
	case -ENODEV:
		return ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID;
	case -EINVAL:
	case -EBADF:
		return ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT;
	case -ENOMEM:
		return ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION;
	default:
		return ROCTRACER_STATUS_ERROR;
	}
}

const char *roctracer_error_string(void)
{
	return strdup(last);
}
