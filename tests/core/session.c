/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/packet.h"
#include "schema/control.h"
#include "schema/record.h"
#include "schema_put.h"

int session_test_failures;

static void control_write(const char *dir, uint32_t subbuffer_bytes, uint64_t limit_bytes)
{
	static struct tandem_control control;
	char path[512];
	FILE *file;

	control = (struct tandem_control){
		.recording = UINT32_MAX,
		.args_level = TANDEM_ARGS_BASIC,
		.clock_source = TANDEM_CLOCK_COUNTER,
		.subbuffer_bytes = subbuffer_bytes,
		.max_string_bytes = 1024,
		.magic = TANDEM_CONTROL_MAGIC,
		.version = TANDEM_CONTROL_VERSION,
		.state = TANDEM_STATE_RECORDING,
		.domains = UINT32_MAX,
		.ticks_hz = 1000000000,
		.limit_bytes = limit_bytes,
	};
	snprintf(path, sizeof(path), "%s/control", dir);
	file = fopen(path, "w");
	if (!file || fwrite(&control, sizeof(control), 1, file) != 1 || fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* The core attaches in its constructor, so the child is this program again, with
 * the session in its environment and the test to call as an offset from main. */
extern int main(int argc, char **argv);

int session_test_run(struct session_test *session, uint32_t subbuffer_bytes, uint64_t limit_bytes,
		     void (*test)(void))
{
	static unsigned number;
	const char *tmp = getenv("TANDEM_TMP");
	char offset[32], path[512];
	int status;
	pid_t child;

	snprintf(session->dir, sizeof(session->dir), "%s/core-%d-%u", tmp ? tmp : "/tmp", getpid(),
		 number++);
	if (mkdir(session->dir, 0700)) {
		perror(session->dir);
		exit(1);
	}
	control_write(session->dir, subbuffer_bytes, limit_bytes);
	snprintf(path, sizeof(path), "%s/schema", session->dir);
	schema_put(path, TANDEM_ARGS_BASIC);
	snprintf(offset, sizeof(offset), "%td", (char *)(void *)test - (char *)(void *)main);
	child = fork();
	if (!child) {
		setenv("TANDEM_SESSION", session->dir, 1);
		execl("/proc/self/exe", "session-test", offset, (char *)NULL);
		_exit(126);
	}
	waitpid(child, &status, 0);
	return status;
}

void session_test_child(int argc, char **argv)
{
	void (*test)(void);
	char *place = (char *)(void *)main;

	if (argc != 2 || strcmp(argv[0], "session-test"))
		return;
	place += atol(argv[1]);
	memcpy(&test, &place, sizeof(test));
	test();
	exit(session_test_failures ? 1 : 0);
}

static uint64_t packet_count(const char *path, const char *packet, uint64_t bytes, uint16_t id)
{
	uint64_t count = 0;

	for (uint64_t at = sizeof(struct tandem_packet_header); at < bytes;) {
		const struct tandem_record *record = (const void *)(packet + at);

		if (record->size < sizeof(*record) || at + record->size > bytes) {
			fprintf(stderr, "%s: a record of %u bytes at %ju of %ju\n", path,
				record->size, (uintmax_t)at, (uintmax_t)bytes);
			exit(1);
		}
		count += record->id == id;
		at += (record->size + 7u) & ~7u;
	}
	return count;
}

/* A process that dies while it appends a window leaves part of a packet at the
 * stream's end; the window still has all of it. */
static int cut_in_append(const char *path)
{
	char window[1024];
	char *name;

	snprintf(window, sizeof(window), "%s", path);
	name = strstr(window, "/stream-");
	if (!name)
		return 0;
	memcpy(name, "/window-", 8);
	return !access(window, F_OK);
}

static uint64_t file_count(const char *path, uint16_t id)
{
	uint64_t count = 0, at = 0;
	struct stat status;
	char *bytes;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &status)) {
		perror(path);
		exit(1);
	}
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes || read(fd, bytes, (size_t)status.st_size) != status.st_size) {
		perror(path);
		exit(1);
	}
	close(fd);
	while (at < (uint64_t)status.st_size) {
		const struct tandem_packet_header *header = (const void *)(bytes + at);

		if (at + sizeof(*header) > (uint64_t)status.st_size ||
		    header->magic != TANDEM_CTF_MAGIC ||
		    header->content_bits > header->packet_bits ||
		    at + header->packet_bits / 8 > (uint64_t)status.st_size) {
			if (cut_in_append(path))
				break;
			fprintf(stderr, "%s: no whole packet at %ju\n", path, (uintmax_t)at);
			exit(1);
		}
		count += packet_count(path, bytes + at, header->content_bits / 8, id);
		at += header->packet_bits / 8;
	}
	free(bytes);
	return count;
}

static uint64_t process_count(const char *dir, uint16_t id)
{
	DIR *folder = opendir(dir);
	uint64_t count = 0;
	char path[1024];

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (strncmp(entry->d_name, "stream-", 7) && strncmp(entry->d_name, "window-", 7))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		count += file_count(path, id);
	}
	if (folder)
		closedir(folder);
	return count;
}

uint64_t session_test_count(const struct session_test *session, uint16_t id)
{
	DIR *folder = opendir(session->dir);
	uint64_t count = 0;
	char path[768];

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (strncmp(entry->d_name, "process-", 8))
			continue;
		snprintf(path, sizeof(path), "%s/%s", session->dir, entry->d_name);
		count += process_count(path, id);
	}
	if (folder)
		closedir(folder);
	return count;
}

static FILE *number_open(const char *dir, const char *mode)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/number", dir);
	file = fopen(path, mode);
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

void leave_number(uint64_t number)
{
	FILE *file = number_open(getenv("TANDEM_SESSION"), "w");

	fprintf(file, "%ju", (uintmax_t)number);
	fclose(file);
}

uint64_t session_test_number(const struct session_test *session)
{
	FILE *file = number_open(session->dir, "r");
	uintmax_t number = 0;

	if (fscanf(file, "%ju", &number) != 1)
		session_test_failures++;
	fclose(file);
	return number;
}

uint64_t session_test_lost(const struct session_test *session, unsigned reason)
{
	static struct tandem_control control;
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/control", session->dir);
	file = fopen(path, "r");
	if (!file || fread(&control, sizeof(control), 1, file) != 1) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return control.lost[reason];
}
