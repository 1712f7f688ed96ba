/* SPDX-License-Identifier: MIT */
#include "domains/sycl/metadata.h"

#include <stdio.h>
#include <string.h>

/* From a key's ID to its place, open addressing: half empty at the most. */
#define PLACES 64u
_Static_assert(SYCL_KEY_COUNT * 2 <= PLACES, "half empty");

#define ARGUMENTS_MOST 16u

static struct {
	xpti_string_id_t id;
	uint32_t key; /* enum sycl_key + 1; 0: empty */
} places[PLACES];

static xpti_string_id_t argument_ids[ARGUMENTS_MOST];

static uint32_t place_of(xpti_string_id_t id)
{
	return id * 0x9e3779b9u >> 26;
}

void sycl_metadata_open(void)
{
	static const char *const names[] = {
#define X(name) #name,
		SYCL_KEYS(X)
#undef X
	};
	char name[16], *stored;

	for (uint32_t i = 0; i < SYCL_KEY_COUNT; i++) {
		xpti_string_id_t id = xptiRegisterString(names[i], &stored);
		uint32_t at = place_of(id);

		while (places[at].key)
			at = (at + 1) % PLACES;
		places[at].id = id;
		places[at].key = i + 1;
	}
	for (unsigned i = 0; i < ARGUMENTS_MOST; i++) {
		snprintf(name, sizeof(name), "arg%u", i);
		argument_ids[i] = xptiRegisterString(name, &stored);
	}
}

void sycl_metadata_read(struct sycl_metadata *metadata, xpti_event_data_t *event)
{
	const xpti_metadata_item_t *item = NULL;

	for (uint32_t i = 0; i < SYCL_KEY_COUNT; i++)
		metadata->values[i] = XPTI_INVALID_OBJECT;
	metadata->map = event ? xptiQueryMetadata(event) : NULL;
	while (metadata->map && (item = xpti_metadata_next(metadata->map, item))) {
		uint32_t at = place_of(item->key);

		while (places[at].key && places[at].id != item->key)
			at = (at + 1) % PLACES;
		if (places[at].key)
			metadata->values[places[at].key - 1] = item->value;
	}
}

uint64_t sycl_metadata_number(const struct sycl_metadata *metadata, enum sycl_key key,
			      uint64_t none)
{
	xpti_object_data_t object;
	uint64_t number = 0;

	if (!sycl_metadata_has(metadata, key))
		return none;
	object = xptiLookupObject(metadata->values[key]);
	if (!object.data || !object.size || object.size > sizeof(number))
		return none;
	memcpy(&number, object.data, object.size);
	return number;
}

void sycl_metadata_text(const struct sycl_metadata *metadata, enum sycl_key key,
			struct sycl_text *text)
{
	xpti_object_data_t object = {0};

	if (sycl_metadata_has(metadata, key))
		object = xptiLookupObject(metadata->values[key]);
	*text = sycl_text(object.data, object.size);
}

static bool struct_of(xpti_object_id_t id, void *to, size_t bytes)
{
	xpti_object_data_t object = xptiLookupObject(id);

	if (!object.data || object.size != bytes)
		return false;
	memcpy(to, object.data, bytes);
	return true;
}

bool sycl_metadata_struct(const struct sycl_metadata *metadata, enum sycl_key key, void *to,
			  size_t bytes)
{
	return sycl_metadata_has(metadata, key) && struct_of(metadata->values[key], to, bytes);
}

bool sycl_metadata_argument(const struct sycl_metadata *metadata, unsigned index,
			    xpti_offload_kernel_arg_data_t *argument)
{
	const xpti_metadata_item_t *item = NULL;

	if (index >= ARGUMENTS_MOST)
		return false;
	while (metadata->map && (item = xpti_metadata_next(metadata->map, item)))
		if (item->key == argument_ids[index])
			return struct_of(item->value, argument, sizeof(*argument));
	return false;
}
