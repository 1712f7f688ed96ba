/* SPDX-License-Identifier: MIT */
#include "recorder/session/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder/session/schema_text.h"
#include "util/system.h"

int schema_write(const char *path, enum tandem_args_level level)
{
	/* In one write: the file system then makes pages by the dozen. */
	struct iovec all = {(void *)(uintptr_t)schema_texts[level].data, schema_texts[level].bytes};
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error;

	if (fd < 0)
		return -errno;
	error = system_pwritev(fd, &all, 1, 0);
	close(fd);
	return error;
}
