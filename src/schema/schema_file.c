/* SPDX-License-Identifier: MIT */
#include "schema/schema_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "schema/lz4.h"
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

/* Where the description of a domain's very layouts lies, and how it is stored. */
struct place {
	bool packed;
	int64_t offset, bytes;
};

static bool find(const struct schema_file *file, const struct tandem_domain *domain,
		 struct place *place)
{
	static const char plain[] = "/* " SCHEMA_PLAIN " ", packed[] = "/*   " SCHEMA_PACKED " ";
	size_t hash = strlen(domain->hash);

	_Static_assert(sizeof(plain) == sizeof(packed), "columns");
	for (size_t i = 0; i + SCHEMA_INDEX_LINE <= file->index_bytes; i += SCHEMA_INDEX_LINE) {
		const char *at = file->index + i, *end = at + SCHEMA_INDEX_LINE;

		place->packed = !memcmp(at, packed, sizeof(packed) - 1);
		if (!place->packed && memcmp(at, plain, sizeof(plain) - 1) != 0)
			return false;
		at += sizeof(plain) - 1;
		if (number_at(&at, end) != domain->number || (size_t)(end - at) <= hash + 1 ||
		    memcmp(at + 1, domain->hash, hash) != 0)
			continue;
		at += hash + 1;
		place->offset = number_at(&at, end);
		place->bytes = number_at(&at, end);
		return place->offset > 0 && place->bytes > 0;
	}
	return false;
}

static bool read_all(int fd, void *bytes, const struct place *place, size_t room)
{
	return (uint64_t)place->bytes <= room &&
	       syscall(SYS_pread64, fd, bytes, (size_t)place->bytes, (off_t)place->offset) ==
		       (long)place->bytes;
}

/* Returns its bytes; 0: there is none, or not all of it. */
static size_t read_text(const struct schema_file *file, const struct tandem_domain *domain,
			char text[SCHEMA_TEXT_BYTES])
{
	static uint8_t packed[SCHEMA_PACKED_BYTES];
	struct place place;

	if (!find(file, domain, &place))
		return 0;
	if (!place.packed)
		return read_all(file->fd, text, &place, SCHEMA_TEXT_BYTES) ? (size_t)place.bytes
									   : 0;
	if (!read_all(file->fd, packed, &place, sizeof(packed)))
		return 0;
	return lz4_unpack(text, SCHEMA_TEXT_BYTES, packed, (size_t)place.bytes);
}

int schema_file_copy(struct schema_file *file, unsigned number, int to)
{
	/* Not on the stack, which may be a signal handler's. */
	static char text[SCHEMA_TEXT_BYTES];
	const struct tandem_domain *domain = tandem_domain_get(number);
	size_t bytes;

	if (!domain)
		return 0;
	bytes = read_text(file, domain, text);
	if (!bytes)
		bytes = (size_t)snprintf(text, sizeof(text), "\n/* domain %u %s layout=\"%s\" */\n",
					 number, domain->name, domain->hash);
	return system_write_all(to, text, bytes);
}
