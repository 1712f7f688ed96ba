/* SPDX-License-Identifier: MIT */
#include "domains/annotation/handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "core/sandbox/sandbox.h"

#define CHUNK_BYTES 65536u

static void *memory_take(size_t bytes)
{
	static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
	static uint8_t *chunk;
	static size_t left;
	void *memory = NULL;

	pthread_mutex_lock(&taking);
	if (bytes > left) {
		chunk = sandbox_map(CHUNK_BYTES);
		left = chunk ? CHUNK_BYTES : 0;
	}
	if (bytes <= left) {
		memory = chunk;
		chunk += bytes;
		left -= bytes;
	}
	pthread_mutex_unlock(&taking);
	return memory;
}

static struct annotation_handle *handle_create(const char *text, uint32_t bytes, uint32_t scope)
{
	struct annotation_handle *handle =
		memory_take((sizeof(*handle) + bytes + 1 + 15) & ~(size_t)15);

	if (!handle)
		return NULL;
	handle->scope = scope;
	handle->statedump = 0;
	handle->bytes = bytes;
	memcpy(handle->text, text, bytes);
	handle->text[bytes] = 0;
	return handle;
}

struct annotation_handle *annotation_string_create(const char *text, uint32_t bytes)
{
	return handle_create(text, bytes, 0);
}

struct annotation_handle *annotation_scope_create(const char *name, uint32_t bytes)
{
	static _Atomic uint32_t scopes;

	return handle_create(name, bytes, atomic_fetch_add(&scopes, 1) + 1);
}
