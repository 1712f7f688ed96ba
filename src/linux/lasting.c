/* SPDX-License-Identifier: MIT */
#include "linux/lasting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/packet.h"
#include "schema/gen/lasting.h"

#define AREA_BYTES (1u << 20)
#define RESERVE_BYTES 65536u

/* Blocks: a store into a file on a full disk would end the recorder. */
static int reserve(void *user, unsigned area, uint64_t bytes)
{
	struct linux_lasting *lasting = user;
	uint64_t until = (bytes + RESERVE_BYTES - 1) & ~(uint64_t)(RESERVE_BYTES - 1);
	uint64_t place = DESCRIPTIONS_HEADER_BYTES + area * (uint64_t)AREA_BYTES;
	int error;

	if (bytes <= lasting->reserved[area])
		return 0;
	error = posix_fallocate(lasting->fd, (off_t)(place + lasting->reserved[area]),
				(off_t)(until - lasting->reserved[area]));
	if (!error)
		lasting->reserved[area] = until;
	return -error;
}

static int copy_begin(void *user)
{
	struct linux_lasting *lasting = user;

	lasting->copies++;
	return 0;
}

static enum description_state state(void *user, const struct tandem_record *record)
{
	(void)user, (void)record;
	return DESCRIPTION_UNKNOWN;
}

static void copy_end(void *user)
{
	(void)user;
}

static int lasting_open(struct linux_lasting *lasting, const char *folder)
{
	char name[DIRECTORY_NAME_BYTES];
	char *path;
	void *base = MAP_FAILED;
	int error = 0;

	directory_put(name, DIRECTORY_DESCRIPTIONS, 1, 0);
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	lasting->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	free(path);
	if (lasting->fd < 0)
		return -errno;
	if (ftruncate(lasting->fd, (off_t)descriptions_file_bytes(AREA_BYTES)))
		error = -errno;
	if (!error)
		error = -posix_fallocate(lasting->fd, 0, DESCRIPTIONS_HEADER_BYTES);
	if (!error)
		base = mmap(NULL, descriptions_file_bytes(AREA_BYTES), PROT_READ | PROT_WRITE,
			    MAP_SHARED, lasting->fd, 0);
	if (!error && base == MAP_FAILED)
		error = -errno;
	if (error) {
		close(lasting->fd);
		return error;
	}
	descriptions_init(&lasting->descriptions, base, AREA_BYTES, AREA_BYTES);
	/* For when the disk is full. */
	reserve(lasting, 0, RESERVE_BYTES);
	reserve(lasting, 1, RESERVE_BYTES);
	return 0;
}

int linux_lasting_keep(struct linux_lasting *lasting, const char *folder, const uint8_t *records,
		       uint32_t bytes)
{
	const struct descriptions_rules rules = {reserve, copy_begin, state, copy_end, lasting};
	uint32_t at = 0;

	while (at < bytes && !lasting->failed) {
		const struct tandem_record *record = (const void *)(records + at);

		at += TANDEM_ALIGNED((uint32_t)record->size);
		if (!tandem_id_lasts(record->id))
			continue;
		if (!lasting->descriptions.header)
			lasting->failed = lasting_open(lasting, folder);
		if (!lasting->failed)
			lasting->failed = descriptions_add(&lasting->descriptions, record, &rules);
	}
	return lasting->failed;
}

void linux_lasting_close(struct linux_lasting *lasting)
{
	if (!lasting->descriptions.header)
		return;
	munmap(lasting->descriptions.header, descriptions_file_bytes(AREA_BYTES));
	close(lasting->fd);
	lasting->descriptions.header = NULL;
}
