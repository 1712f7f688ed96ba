/* SPDX-License-Identifier: MIT */
#include "setup/file_block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BEGIN "# tandem system: begin"
#define CUT ", after a line without an end"
#define MADE ", in a file made for it"
#define FOLDERS ", with so many folders: "
#define END "# tandem system: end\n"

static int fail(struct error *error, int status, const char *path)
{
	return error_add(error, status, "%s: %s", path, strerror(-status));
}

static int read_all(int fd, struct text *text)
{
	char buffer[4096];
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		text_add(text, buffer, (size_t)got);
	return got < 0 ? -errno : text->failed ? -ENOMEM : 0;
}

/* The first line that begins so. */
static const char *find_line(const char *text, const char *start)
{
	while (text && strncmp(text, start, strlen(start)) != 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

/* Divides what was read into what is ours and the rest. */
static int divide(struct file_block *block, const struct text *all, struct error *error)
{
	const char *text = all->data ? all->data : "", *number;
	const char *begin = find_line(text, BEGIN), *lines, *end, *after;
	size_t before;

	if (!begin) {
		text_add(&block->rest, text, all->length);
		return block->rest.failed ? -ENOMEM : 0;
	}
	lines = strchr(begin, '\n');
	end = lines ? find_line(lines + 1, END) : NULL;
	if (!end)
		return error_add(error, -EBADMSG,
				 "%s has a line `" BEGIN "...` without its `# tandem system: end`: "
				 "remove what is Tandem's there",
				 block->path);
	number = strstr(begin, FOLDERS);
	block->has = true;
	block->cut = memmem(begin, (size_t)(lines - begin), CUT, strlen(CUT));
	block->made = memmem(begin, (size_t)(lines - begin), MADE, strlen(MADE));
	if (number && number < lines)
		block->folders = (unsigned)strtoul(number + strlen(FOLDERS), NULL, 10);
	text_add(&block->lines, lines + 1, (size_t)(end - lines - 1));
	after = end + strlen(END);
	before = (size_t)(begin - text);
	if (block->cut && before && !*after)
		before--;
	text_add(&block->rest, text, before);
	text_add_string(&block->rest, after);
	return block->rest.failed || block->lines.failed ? -ENOMEM : 0;
}

int file_block_read(const char *path, struct file_block *block, struct error *error)
{
	struct text all = TEXT_INIT;
	int fd, status;

	*block = (struct file_block){.there = false};
	snprintf(block->path, sizeof(block->path), "%s", path);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : fail(error, -errno, path);
	block->there = true;
	status = fstat(fd, &block->status) ? -errno : read_all(fd, &all);
	close(fd);
	if (!status && all.data && strlen(all.data) != all.length)
		status = -EILSEQ;
	if (status)
		fail(error, status, path);
	else
		status = divide(block, &all, error);
	text_free(&all);
	if (status)
		file_block_free(block);
	return status;
}

static bool is_as_read(const struct file_block *block)
{
	struct stat now;

	if (lstat(block->path, &now))
		return errno == ENOENT ? !block->there : !block->there && errno == ENOTDIR;
	return block->there && now.st_ino == block->status.st_ino &&
	       now.st_dev == block->status.st_dev && now.st_size == block->status.st_size &&
	       now.st_mtim.tv_sec == block->status.st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == block->status.st_mtim.tv_nsec;
}

static int draft_fill(int fd, const struct file_block *block, const struct text *text)
{
	size_t done = 0;

	if (block->there && (fchown(fd, block->status.st_uid, block->status.st_gid) ||
			     fchmod(fd, block->status.st_mode & 07777)))
		return -errno;
	while (done < text->length) {
		ssize_t written = write(fd, text->data + done, text->length - done);

		if (written < 0 && errno != EINTR)
			return -errno;
		done += written > 0 ? (size_t)written : 0;
	}
	return fsync(fd) ? -errno : 0;
}

/* In one step, unless somebody has written it since it was read. */
static int replace(const struct file_block *block, const struct text *text)
{
	char draft[PATH_MAX + 32];
	int fd, status;

	snprintf(draft, sizeof(draft), "%s.tandem-%d", block->path, (int)getpid());
	fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	status = text->failed ? -ENOMEM : draft_fill(fd, block, text);
	if (close(fd) && !status)
		status = -errno;
	if (!status && !is_as_read(block))
		status = -EAGAIN;
	if (!status && rename(draft, block->path))
		status = -errno;
	if (status)
		unlink(draft);
	return status;
}

static int folders_make(const char *path, unsigned *made)
{
	char folder[PATH_MAX];

	strcpy(folder, path);
	*made = 0;
	for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!mkdir(folder, 0755))
			++*made;
		else if (errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

static void folders_remove(const char *path, unsigned count)
{
	char folder[PATH_MAX];

	strcpy(folder, path);
	for (char *slash; count-- && (slash = strrchr(folder, '/'));) {
		*slash = '\0';
		if (rmdir(folder))
			return;
	}
}

static int explain(const struct file_block *block, int status, struct error *error)
{
	if (status == -EAGAIN)
		return error_add(error, status, "%s was changed by somebody else: try again",
				 block->path);
	return status ? fail(error, status, block->path) : 0;
}

int file_block_write(const struct file_block *block, const char *lines, struct error *error)
{
	bool made = block->has ? block->made : !block->there;
	unsigned folders = block->folders;
	const struct text *rest = &block->rest;
	bool cut = rest->length && rest->data[rest->length - 1] != '\n';
	struct text text = TEXT_INIT;
	int status = 0;

	if (block->has && block->lines.data && !strcmp(block->lines.data, lines))
		return 0;
	if (!block->there)
		status = folders_make(block->path, &folders);
	if (rest->length)
		text_add(&text, rest->data, rest->length);
	text_format(&text, "%s" BEGIN "%s%s", cut ? "\n" : "", cut ? CUT : "", made ? MADE : "");
	if (folders)
		text_format(&text, FOLDERS "%u", folders);
	text_format(&text, "\n%s" END, lines);
	if (!status)
		status = replace(block, &text);
	text_free(&text);
	if (status && !block->there)
		folders_remove(block->path, folders);
	return explain(block, status, error);
}

int file_block_remove(const struct file_block *block, struct error *error)
{
	if (!block->has)
		return 0;
	if (!block->made || block->rest.length)
		return explain(block, replace(block, &block->rest), error);
	if (!is_as_read(block))
		return explain(block, -EAGAIN, error);
	if (unlink(block->path))
		return explain(block, -errno, error);
	folders_remove(block->path, block->folders);
	return 0;
}

void file_block_free(struct file_block *block)
{
	text_free(&block->rest);
	text_free(&block->lines);
}
