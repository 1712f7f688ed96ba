/* SPDX-License-Identifier: MIT */
#include "recorder/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

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

/* One domain after another: a recorder that runs /bin/true touches little memory. */
static int write_domains(int fd, uint64_t domains, enum tandem_args_level level)
{
	struct text text = TEXT_INIT, index = TEXT_INIT;
	off_t at = (off_t)__builtin_popcountll(domains) * TANDEM_SCHEMA_INDEX_BYTES;
	int error = 0;

	for (unsigned number = 0; !error && number < TANDEM_DOMAINS; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);

		if (!(domains >> number & 1))
			continue;
		text_clear(&text);
		tandem_tsdl_domain(&text, domain, level);
		tandem_tsdl_index(&index, domain, (size_t)at, text.length);
		error = text.failed ? -ENOMEM : write_at(fd, text.data, text.length, at);
		at += (off_t)text.length;
	}
	if (!error)
		error = index.failed ? -ENOMEM : write_at(fd, index.data, index.length, 0);
	text_free(&text);
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
