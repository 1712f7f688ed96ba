/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over the files that are given, for compilers without
 * libFuzzer and for inputs that once failed. Folders are read one level deep. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	uint8_t *data;
	size_t bytes;

	if (!file || fstat(fileno(file), &status)) {
		perror(path);
		return 1;
	}
	data = malloc((size_t)status.st_size + 1);
	bytes = data ? fread(data, 1, (size_t)status.st_size, file) : 0;
	fclose(file);
	LLVMFuzzerTestOneInput(data, bytes);
	free(data);
	return 0;
}

static int replay(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	char inside[4096];
	int failed = 0;

	if (!folder)
		return replay_file(path);
	while ((entry = readdir(folder))) {
		snprintf(inside, sizeof(inside), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			failed |= replay_file(inside);
	}
	closedir(folder);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	return failed;
}
