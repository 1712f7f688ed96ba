/* SPDX-License-Identifier: MIT */
#include "object.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

const char *const stub_type_names[STUB_TYPE_COUNT] = {
#define X(name) [STUB_##name] = #name,
	STUB_TYPES(X)
#undef X
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stub_object *pool[STUB_TYPE_COUNT];
static _Atomic long live[STUB_TYPE_COUNT], created[STUB_TYPE_COUNT], misused;

/* All objects of a type have one size, so the memory of one fits any other. */
static struct stub_object *pool_take(enum stub_type type)
{
	pthread_mutex_lock(&pool_lock);
	struct stub_object *object = pool[type];

	if (object)
		pool[type] = object->next_free;
	pthread_mutex_unlock(&pool_lock);
	return object;
}

void *stub_object_create(enum stub_type type, size_t bytes)
{
	struct stub_object *object = stub_config.reuse ? pool_take(type) : NULL;

	if (object)
		memset(object, 0, bytes);
	else
		object = calloc(1, bytes);
	if (!object)
		return NULL;
	object->dispatch = &stub_dispatch;
	object->type = type;
	object->references = 1;
	live[type]++;
	created[type]++;
	return object;
}

bool stub_object_check(const void *handle, enum stub_type type)
{
	const struct stub_object *object = handle;

	if (!object)
		return false;
	if (object->type == type && object->references > 0)
		return true;
	misused++;
	return false;
}

void stub_object_retain(void *handle)
{
	((struct stub_object *)handle)->references++;
}

bool stub_object_release(void *handle)
{
	struct stub_object *object = handle;
	int left = --object->references;

	if (left >= 0)
		return left == 0;
	object->references++;
	misused++;
	return false;
}

void stub_object_free(void *handle)
{
	struct stub_object *object = handle;

	live[object->type]--;
	pthread_mutex_lock(&pool_lock);
	object->next_free = pool[object->type];
	pool[object->type] = object;
	pthread_mutex_unlock(&pool_lock);
}

long stub_object_live(enum stub_type type)
{
	return live[type];
}

long stub_object_created(enum stub_type type)
{
	return created[type];
}

long stub_object_misused(void)
{
	return misused;
}
