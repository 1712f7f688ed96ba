/* SPDX-License-Identifier: MIT */
#include "schema/schema_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "schema/schema.h"
#include "util/system.h"

void schema_file_open(struct schema_file *file, const char *dir)
{
	char path[TANDEM_PATH_BYTES + 16];
	long got = 0;

	file->index_bytes = 0;
	file->fd = -ENAMETOOLONG;
	if (strlen(dir) >= TANDEM_PATH_BYTES)
		return;
	strcpy(stpcpy(path, dir), "/schema");
	file->fd = system_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (file->fd >= 0)
		got = syscall(SYS_pread64, file->fd, file->index, sizeof(file->index), (off_t)0);
	if (got > 0)
		file->index_bytes = (size_t)got;
}

void schema_file_close(struct schema_file *file)
{
	if (file->fd >= 0)
		system_close(file->fd);
}

/* Decimal digits behind blanks, less than 2^31; -1: there are none. */
static int64_t number_at(const char **at, const char *end)
{
	int64_t number = -1;

	while (*at < end && **at == ' ')
		++*at;
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		number = (number < 0 ? 0 : number * 10) + (**at - '0');
		if (number > INT32_MAX)
			return -1;
	}
	return number;
}

/* Where the description of a domain's very layouts lies. */
static bool find(const struct schema_file *file, const struct tandem_domain *domain,
		 int64_t *offset, int64_t *bytes)
{
	static const char start[] = "/* index ";
	size_t hash = strlen(domain->hash);

	for (size_t i = 0; i + SCHEMA_INDEX_LINE <= file->index_bytes; i += SCHEMA_INDEX_LINE) {
		const char *at = file->index + i, *end = at + SCHEMA_INDEX_LINE;

		if (memcmp(at, start, sizeof(start) - 1) != 0)
			return false;
		at += sizeof(start) - 1;
		if (number_at(&at, end) != domain->number || (size_t)(end - at) <= hash + 1 ||
		    memcmp(at + 1, domain->hash, hash) != 0)
			continue;
		at += hash + 1;
		*offset = number_at(&at, end);
		*bytes = number_at(&at, end);
		return *offset > 0 && *bytes > 0;
	}
	return false;
}

int schema_file_copy(struct schema_file *file, unsigned number, int to)
{
	/* Not on the stack, which may be a signal handler's. */
	static char buffer[16384];
	const struct tandem_domain *domain = tandem_domain_get(number);
	int64_t offset, bytes = 0;
	bool found;
	int error = 0;

	if (!domain)
		return 0;
	found = find(file, domain, &offset, &bytes);
	while (found && !error && bytes > 0) {
		size_t want = bytes < (int64_t)sizeof(buffer) ? (size_t)bytes : sizeof(buffer);
		long got = syscall(SYS_pread64, file->fd, buffer, want, (off_t)offset);

		/* Cut: what is there of it does no harm. */
		found = got > 0;
		if (found)
			error = system_write_all(to, buffer, (size_t)got);
		offset += got;
		bytes -= got;
	}
	if (found || error)
		return error;
	snprintf(buffer, sizeof(buffer), "\n/* domain %u %s layout=\"%s\" */\n", number,
		 domain->name, domain->hash);
	return system_write_all(to, buffer, strlen(buffer));
}
