/* SPDX-License-Identifier: MIT */
#include "recorder/system_pages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "schema/system_folder.h"
#include "util/array.h"

#define HIDDEN_LINK "." SYSTEM_SESSION

/* A process that begins may ask for the lock at the same moment. */
static int page_lock(int fd)
{
	struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned turn = 0; flock(fd, LOCK_EX | LOCK_NB); turn++) {
		if (errno != EWOULDBLOCK || turn == 20)
			return errno == EWOULDBLOCK ? -EBUSY : -errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static bool page_read(int fd, struct tandem_control *page)
{
	return pread(fd, page, sizeof(*page), 0) == (ssize_t)sizeof(*page) &&
	       page->magic == TANDEM_CONTROL_MAGIC && page->version == TANDEM_CONTROL_VERSION;
}

static void page_close(struct system_page *page)
{
	if (page->map)
		munmap(page->map, TANDEM_CONTROL_BYTES);
	if (page->fd >= 0)
		close(page->fd);
	if (page->folder >= 0)
		close(page->folder);
}

/* `control`: made where there is none. */
static int page_open(struct system_page *page, const char *base, uint32_t uid,
		     const struct tandem_control *control)
{
	struct tandem_control copy;
	void *map;
	int error = 0;

	*page = (struct system_page){.uid = uid, .fd = -1};
	page->folder = system_folder_open(base, uid, control != NULL);
	if (page->folder < 0)
		return page->folder;
	page->fd = system_page_open(page->folder, uid);
	if (page->fd == -ENOENT && control) {
		copy = *control;
		copy.recording = 0;
		copy.state = TANDEM_STATE_PAUSED;
		system_page_make(page->folder, &copy);
		page->fd = system_page_open(page->folder, uid);
	}
	if (page->fd < 0)
		error = page->fd;
	else if (!page_read(page->fd, &copy))
		error = -EPROTO;
	else
		error = page_lock(page->fd);
	if (error) {
		page_close(page);
		return error;
	}
	map = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page->fd, 0);
	page->map = map == MAP_FAILED ? NULL : map;
	return 0;
}

static int explain(const char *base, uint32_t uid, int status, struct error *error)
{
	char path[SYSTEM_PATH_BYTES];

	system_folder_path(path, base, uid, NULL);
	switch (status) {
	case -EBUSY:
		return error_add(error, status,
				 "another `tandem system record` is at work (%s/" SYSTEM_PAGE
				 " is locked)",
				 path);
	case -EPERM:
		return error_add(error, status,
				 "%s is not yours alone: remove it, or have its owner do so", path);
	case -EPROTO:
		return error_add(error, status,
				 "%s is of another version of tandem: end the programs of that "
				 "version (`tandem system status` counts them), remove it, and try "
				 "again",
				 path);
	default:
		return error_add(error, status, "%s: %s", path, strerror(-status));
	}
}

static bool pages_have(const struct system_pages *pages, uint32_t uid)
{
	for (size_t i = 0; i < pages->count; i++)
		if (pages->list[i].uid == uid)
			return true;
	return false;
}

static int pages_add(struct system_pages *pages, uint32_t uid, const struct tandem_control *control)
{
	int status = array_reserve(&pages->list, &pages->capacity, pages->count + 1,
				   sizeof(*pages->list));

	if (!status)
		status = page_open(&pages->list[pages->count], pages->base, uid, control);
	if (!status)
		pages->count++;
	return status;
}

bool system_pages_find(struct system_pages *pages)
{
	const size_t prefix = strlen(SYSTEM_FOLDER), before = pages->count;
	DIR *folder = pages->all ? opendir(pages->base) : NULL;
	size_t refused = 0;

	if (!folder)
		return false;
	for (struct dirent *entry; (entry = readdir(folder));) {
		const char *digits = entry->d_name + prefix;
		unsigned long uid;
		char *end;

		if (strncmp(entry->d_name, SYSTEM_FOLDER, prefix) != 0 || *digits < '0' ||
		    *digits > '9')
			continue;
		uid = strtoul(digits, &end, 10);
		if (*end || uid >= UINT32_MAX || pages_have(pages, (uint32_t)uid))
			continue;
		refused += pages_add(pages, (uint32_t)uid, NULL) != 0;
	}
	closedir(folder);
	pages->refused = refused;
	return pages->count > before;
}

int system_pages_begin(struct system_pages *pages, const char *base, uint32_t uid, bool all,
		       const struct tandem_control *control, struct error *error)
{
	int status;

	*pages = (struct system_pages){.base = base, .all = all};
	status = pages_add(pages, uid, control);
	if (status) {
		free(pages->list);
		return explain(base, uid, status, error);
	}
	system_pages_find(pages);
	return 0;
}

static bool word_write(const struct system_page *page, const void *word, size_t bytes, size_t at)
{
	return pwrite(page->fd, word, bytes, (off_t)at) == (ssize_t)bytes;
}

/* Processes see the recording switched on last, and find everything else in its place. */
static bool page_begin(const struct system_page *page, const struct tandem_control *control,
		       uint32_t statedump, const char *directory)
{
	struct tandem_control filled = *control;
	const size_t first = offsetof(struct tandem_control, device_timing);

	unlinkat(page->folder, HIDDEN_LINK, 0);
	if (symlinkat(directory, page->folder, HIDDEN_LINK) ||
	    renameat(page->folder, HIDDEN_LINK, page->folder, SYSTEM_SESSION))
		return false;
	filled.statedump = statedump;
	return word_write(page, (const char *)&filled + first, sizeof(filled) - first, first);
}

static void page_turn(struct system_page *page, const struct tandem_control *control,
		      const char *directory, bool on)
{
	uint64_t recording = on ? control->domains : 0;
	uint32_t state = on ? TANDEM_STATE_RECORDING : TANDEM_STATE_PAUSED, statedump;
	struct tandem_control copy;

	if (!page_read(page->fd, &copy))
		return;
	statedump = copy.statedump + 1;
	if (on && !page->begun) {
		if (!page_begin(page, control, statedump, directory))
			return;
		page->begun = true;
	} else if (on) {
		word_write(page, &statedump, sizeof(statedump),
			   offsetof(struct tandem_control, statedump));
	}
	word_write(page, &state, sizeof(state), offsetof(struct tandem_control, state));
	if (!word_write(page, &recording, sizeof(recording),
			offsetof(struct tandem_control, recording)))
		return;
	page->on = on;
	if (page->map)
		syscall(SYS_futex, page->map, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void system_pages_turn(struct system_pages *pages, const struct tandem_control *control,
		       const char *directory, bool on)
{
	for (size_t i = 0; i < pages->count; i++)
		if (pages->list[i].on != on)
			page_turn(&pages->list[i], control, directory, on);
}

void system_pages_count(struct system_pages *pages, struct tandem_control *control)
{
	struct tandem_control page;

	for (size_t i = 0; i < pages->count; i++) {
		if (!pages->list[i].begun || !page_read(pages->list[i].fd, &page))
			continue;
		for (size_t reason = 0; reason < sizeof(page.lost) / sizeof(*page.lost); reason++)
			control->lost[reason] += page.lost[reason];
		for (size_t domain = 0; domain < TANDEM_DOMAINS_MOST; domain++)
			control->domain[domain].notices |= page.domain[domain].notices;
		control->processes += page.processes;
		control->threads += page.threads;
		control->unfinished += page.unfinished;
		control->untimed_queues += page.untimed_queues;
		control->used_bytes += page.used_bytes;
	}
}

void system_pages_end(struct system_pages *pages)
{
	for (size_t i = 0; i < pages->count; i++) {
		unlinkat(pages->list[i].folder, SYSTEM_SESSION, 0);
		page_close(&pages->list[i]);
	}
	free(pages->list);
	*pages = (struct system_pages){.base = pages->base};
}

int system_page_look(const char *base, uint32_t uid, struct tandem_control *page)
{
	int folder = system_folder_open(base, uid, false), fd, answer;

	if (folder < 0)
		return folder;
	fd = system_page_open(folder, uid);
	close(folder);
	if (fd < 0)
		return fd;
	if (!page_read(fd, page))
		answer = -EPROTO;
	else
		answer = flock(fd, LOCK_SH | LOCK_NB) ? 1 : 0;
	close(fd);
	return answer;
}
