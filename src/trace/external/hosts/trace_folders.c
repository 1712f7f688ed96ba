/* SPDX-License-Identifier: MIT */
#include "trace/external/hosts/trace_folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/schema/metadata.h"
#include "util/array.h"

#define DEPTH 6
#define METADATA_SEARCHED (64u << 10)
/* libbabeltrace2 takes all of it into memory; that of a thousand programs has some 400 MB. */
#define METADATA_MOST (1 << 30)

/* CTF 1.8, section 7.1: metadata as packets, each behind such a header. */
#define PACKET_MAGIC 0x75d11d57u
#define PACKET_HEADER 37u
#define PACKET_CONTENT_AT 24u /* bits, the header's among them */
#define PACKET_SIZE_AT 28u

static uint32_t word_at(const char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Takes the headers out; how much of the text there is. */
static size_t unpack(char *text, size_t bytes)
{
	size_t at = 0, used = 0;

	if (bytes < PACKET_HEADER || word_at(text) != PACKET_MAGIC)
		return bytes;
	while (at + PACKET_HEADER <= bytes && word_at(text + at) == PACKET_MAGIC) {
		size_t content = word_at(text + at + PACKET_CONTENT_AT) / 8;
		size_t size = word_at(text + at + PACKET_SIZE_AT) / 8;

		if (content < PACKET_HEADER || size < content)
			break;
		if (content > bytes - at)
			content = bytes - at;
		memmove(text + used, text + at + PACKET_HEADER, content - PACKET_HEADER);
		used += content - PACKET_HEADER;
		at += size;
	}
	return used;
}

static const char *word_find(const char *from, const char *end, const char *word)
{
	return from ? memmem(from, (size_t)(end - from), word, strlen(word)) : NULL;
}

/* LTTng's packets begin with a magic, an id of 16 bytes, the stream's number, mostly that of
 * the instance, the times of begin and end, the size of the content, and that of the packet. */
static unsigned packet_size_at(const char *text, size_t bytes)
{
	const char *end = text + bytes, *begin = word_find(text, end, "timestamp_begin");
	const char *last = word_find(begin, end, "timestamp_end");

	last = word_find(word_find(last, end, "content_size"), end, "packet_size");
	if (!last || word_find(text, end, "packet_size") != last)
		return 0;
	return 24 + (word_find(text, end, "stream_instance_id") ? 8 : 0) + 24;
}

/* Who wrote it is told before the events: what is behind METADATA_SEARCHED is not asked. */
static int describe(struct trace_folder *folder, char *text, size_t bytes)
{
	struct trace_metadata metadata;
	uint64_t hz;

	bytes = unpack(text, bytes);
	if (trace_metadata_parse(&metadata, text, bytes))
		return -ENOMEM;
	folder->packet_size_at = packet_size_at(text, bytes);
	hz = trace_metadata_number(&metadata, "clock", "freq", 1000000000);
	folder->kernel = !strcmp(trace_metadata_get(&metadata, "env", "domain", ""), "kernel");
	folder->uuid = strdup(trace_metadata_get(&metadata, "trace", "uuid", ""));
	folder->host = strdup(trace_metadata_get(&metadata, "env", "hostname", ""));
	folder->boot_id = strdup(trace_metadata_get(&metadata, "clock", "uuid", ""));
	folder->clock = strdup(trace_metadata_get(&metadata, "clock", "name", ""));
	folder->offset_ns = trace_metadata_number(&metadata, "clock", "offset", 0);
	if (hz && hz != 1000000000)
		folder->offset_ns =
			(uint64_t)((unsigned __int128)folder->offset_ns * 1000000000 / hz);
	trace_metadata_free(&metadata);
	return folder->uuid && folder->host && folder->boot_id && folder->clock ? 0 : -ENOMEM;
}

static ssize_t fill(int fd, char *text, size_t bytes)
{
	size_t used = 0;
	ssize_t count;

	while (used < bytes && (count = read(fd, text + used, bytes - used)) > 0)
		used += (size_t)count;
	return (ssize_t)used;
}

/* Whether the trace says that it holds events of ours: anywhere, as each program that
 * registers adds to it. */
static bool has_ours(int fd, char *text, size_t bytes)
{
	/* An event of ours; the metadata of our own streams have types of such names alone. */
	const char *word = "name = \"tandem_";
	size_t kept;

	for (;;) {
		ssize_t more;

		if (memmem(text, bytes, word, strlen(word)))
			return true;
		kept = bytes < 16 ? bytes : 16;
		memmove(text, text + bytes - kept, kept);
		more = fill(fd, text + kept, METADATA_SEARCHED - kept);
		if (more <= 0)
			return false;
		bytes = kept + (size_t)more;
	}
}

static void folder_free(struct trace_folder *folder)
{
	free(folder->path);
	free(folder->uuid);
	free(folder->host);
	free(folder->boot_id);
	free(folder->clock);
}

static int folder_add(struct trace_folders *folders, const char *path, const char *metadata)
{
	char *text = malloc(METADATA_SEARCHED), *copy = text ? malloc(METADATA_SEARCHED) : NULL;
	/* Without waiting, should it be a pipe by now. */
	int fd = copy ? open(metadata, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	struct trace_folder folder = {.path = strdup(path)};
	ssize_t bytes = fd < 0 ? 0 : fill(fd, text, METADATA_SEARCHED);
	int status = -ENOMEM;

	if (folder.path && copy) {
		memcpy(copy, text, (size_t)bytes);
		status = describe(&folder, copy, (size_t)bytes);
	}
	if (!status && fd >= 0 && !folder.kernel)
		folder.ours = has_ours(fd, text, (size_t)bytes);
	if (!status)
		status = array_reserve(&folders->list, &folders->capacity, folders->count + 1,
				       sizeof(folder));
	if (status)
		folder_free(&folder);
	else
		folders->list[folders->count++] = folder;
	if (fd >= 0)
		close(fd);
	free(text);
	free(copy);
	return status;
}

static int find(struct trace_folders *folders, const char *path, int depth)
{
	char inside[PATH_MAX];
	struct stat status;
	struct dirent *entry;
	DIR *folder;
	int error = 0;

	if (snprintf(inside, sizeof(inside), "%s/metadata", path) >= (int)sizeof(inside))
		return 0;
	if (!lstat(inside, &status) && S_ISREG(status.st_mode))
		return status.st_size <= METADATA_MOST ? folder_add(folders, path, inside) : 0;
	folder = depth ? opendir(path) : NULL;
	while (folder && !error && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || snprintf(inside, sizeof(inside), "%s/%s", path,
							entry->d_name) >= (int)sizeof(inside))
			continue;
		/* Links are not followed: a hundred to their own folder are no end of folders. */
		if (!lstat(inside, &status) && S_ISDIR(status.st_mode))
			error = find(folders, inside, depth - 1);
	}
	if (folder)
		closedir(folder);
	return error;
}

static int by_trace(const void *a, const void *b)
{
	const struct trace_folder *left = a, *right = b;
	int order = strcmp(left->uuid, right->uuid);

	/* A rotation's chunks have the time and their number in their names. */
	return order ? order : strcmp(left->path, right->path);
}

int trace_folders_find(struct trace_folders *folders, const char *path)
{
	int status;

	*folders = (struct trace_folders){.count = 0};
	status = find(folders, path, DEPTH);
	if (status)
		trace_folders_free(folders);
	else if (folders->count)
		qsort(folders->list, folders->count, sizeof(*folders->list), by_trace);
	return status;
}

void trace_folders_free(struct trace_folders *folders)
{
	for (size_t i = 0; i < folders->count; i++)
		folder_free(&folders->list[i]);
	free(folders->list);
	*folders = (struct trace_folders){.count = 0};
}
