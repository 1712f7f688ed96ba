/* SPDX-License-Identifier: MIT */
/* Sessions that are damaged, by chance, and in the same way each time.
 *
 *	damage_folder(path);	each stream of the session
 */
#ifndef TESTS_UNIT_DAMAGED_H
#define TESTS_UNIT_DAMAGED_H

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Some bytes of each stream changed, and every third stream cut. */
static void damage_file(const char *path)
{
	int fd = open(path, O_RDWR);
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		exit(1);
	for (int i = 0; i < 4; i++) {
		off_t at = (off_t)(next_random() % (uint64_t)status.st_size);
		uint8_t byte;

		if (pread(fd, &byte, 1, at) != 1)
			exit(1);
		byte ^= (uint8_t)(1u << next_random() % 8);
		if (pwrite(fd, &byte, 1, at) != 1)
			exit(1);
	}
	if (next_random() % 3 == 0 && ftruncate(fd, status.st_size / 4 * 3 + 5))
		exit(1);
	close(fd);
}

static void damage_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	char inside[512];

	while (folder && (entry = readdir(folder))) {
		snprintf(inside, sizeof(inside), "%s/%s", path, entry->d_name);
		if (!strncmp(entry->d_name, "stream-", 7))
			damage_file(inside);
		else if (!strncmp(entry->d_name, "process-", 8) || !strcmp(entry->d_name, "kernel"))
			damage_folder(inside);
	}
	if (folder)
		closedir(folder);
}

#endif
