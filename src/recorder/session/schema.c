/* SPDX-License-Identifier: MIT */
#include "recorder/session/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "recorder/session/schema_text.h"
#include "schema/tsdl.h"

static int write_at(int fd, const char *bytes, size_t count, off_t offset)
{
	while (count) {
		ssize_t written = pwrite(fd, bytes, count, offset);

		if (written <= 0)
			return written ? -errno : -ENOSPC;
		bytes += written;
		count -= (size_t)written;
		offset += written;
	}
	return 0;
}

static int write_domains(int fd, uint64_t domains, enum tandem_args_level level)
{
	struct text index = TEXT_INIT;
	off_t at = (off_t)__builtin_popcountll(domains) * TANDEM_SCHEMA_INDEX_BYTES;
	int error = 0;

	for (unsigned number = 0; !error && number < TANDEM_DOMAINS; number++) {
		const struct schema_text *text = &schema_texts[level][number];

		if (!(domains >> number & 1))
			continue;
		tandem_tsdl_index(&index, tandem_domain_get(number), (size_t)at, text->bytes);
		error = write_at(fd, text->data, text->bytes, at);
		at += (off_t)text->bytes;
	}
	if (!error)
		error = index.failed ? -ENOMEM : write_at(fd, index.data, index.length, 0);
	text_free(&index);
	return error;
}

int schema_write(const struct session *session)
{
	const struct tandem_control *control = session->control;
	uint64_t domains = control->domains | TANDEM_DOMAIN_BIT(core) | TANDEM_DOMAIN_BIT(kernel);
	char path[SESSION_PATH_BYTES + 16];
	int fd, error;

	snprintf(path, sizeof(path), "%s/schema", session->directory);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	error = write_domains(fd, domains, (enum tandem_args_level)control->args_level);
	close(fd);
	return error;
}
