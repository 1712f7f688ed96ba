/* SPDX-License-Identifier: MIT */
#include "view/index/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (1u << 20)

static int store_nameless(struct view_store *store, struct error *error)
{
	const char *folder = getenv("TMPDIR");
	char *path;
	int status;

	if (!folder || !*folder)
		folder = "/tmp";
	if (asprintf(&path, "%s/tandem-timeline.XXXXXX", folder) < 0)
		return error_add(error, -ENOMEM, "out of memory");
	store->fd = mkostemp(path, O_CLOEXEC);
	status = store->fd < 0 ? -errno : 0;
	if (status)
		error_add(error, status, "%s: %s", path, strerror(-status));
	else
		unlink(path);
	free(path);
	return status;
}

static int store_named(struct view_store *store, const char *folder)
{
	int status;

	if (asprintf(&store->final, "%s/" VIEW_INDEX_FILE, folder) < 0) {
		store->final = NULL;
		return -ENOMEM;
	}
	if (asprintf(&store->path, "%s.XXXXXX", store->final) < 0) {
		store->path = NULL;
		return -ENOMEM;
	}
	store->fd = mkostemp(store->path, O_CLOEXEC);
	status = store->fd < 0 ? -errno : 0;
	if (status) {
		free(store->path);
		store->path = NULL;
	}
	return status;
}

int view_store_create(struct view_store *store, const char *folder, struct error *error)
{
	static const struct view_header none;
	int status;

	*store = (struct view_store){.fd = -1, .buffer = malloc(BUFFER_BYTES)};
	if (!store->buffer)
		return error_add(error, -ENOMEM, "out of memory");
	status = folder ? store_named(store, folder) : -ENOENT;
	if (status && status != -ENOMEM)
		status = store_nameless(store, error);
	if (!status)
		status = view_store_append(store, &none, sizeof(none));
	if (status)
		view_store_close(store);
	return status;
}

static int store_write(int fd, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	while (bytes) {
		ssize_t written = write(fd, at, bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		at += written;
		bytes -= (size_t)written;
	}
	return 0;
}

static int store_flush(struct view_store *store)
{
	int status = store_write(store->fd, store->buffer, store->used);

	store->used = 0;
	return status;
}

int view_store_append(struct view_store *store, const void *data, size_t bytes)
{
	int status = 0;

	if (store->used + bytes > BUFFER_BYTES)
		status = store_flush(store);
	if (status)
		return status;
	store->offset += bytes;
	if (bytes > BUFFER_BYTES)
		return store_write(store->fd, data, bytes);
	if (bytes)
		memcpy(store->buffer + store->used, data, bytes);
	store->used += bytes;
	return 0;
}

int view_store_align(struct view_store *store)
{
	static const uint8_t zeros[8];

	return view_store_append(store, zeros, -store->offset & 7);
}

int view_store_commit(struct view_store *store, const struct view_header *header)
{
	int status = store_flush(store);

	if (!status && pwrite(store->fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
		status = -errno;
	if (!status && store->path && rename(store->path, store->final))
		status = -errno;
	if (!status) {
		free(store->path);
		store->path = NULL;
	}
	return status;
}

void view_store_close(struct view_store *store)
{
	if (store->path)
		unlink(store->path);
	if (store->fd >= 0)
		close(store->fd);
	free(store->path);
	free(store->final);
	free(store->buffer);
	*store = (struct view_store){.fd = -1};
}
