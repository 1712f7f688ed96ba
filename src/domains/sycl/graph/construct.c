/* SPDX-License-Identifier: MIT */
#include "domains/sycl/graph/construct.h"

#include <stdatomic.h>

#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/sycl/table.h"
#include "schema/gen/sycl_records.h"

static struct sycl_table known; /* hash -> statedump << 32 | number */
static _Atomic uint32_t numbers;

static bool is_unknown(struct sycl_text text)
{
	return sycl_text_begins(text, "<unknown-");
}

void sycl_place_of(struct sycl_place *place, xpti_event_data_t *event)
{
	const xpti_payload_data_t *payload = event ? xptiQueryPayload(event) : NULL;
	struct sycl_text name;

	*place = (struct sycl_place){.name = {"", 0}, .file = {"", 0}};
	if (!payload)
		return;
	name = sycl_text(payload->name, SYCL_TEXT_MOST);
	place->name = sycl_text_without_address(name);
	place->file = sycl_text(payload->source_file, SYCL_TEXT_MOST);
	/* What is named after an object has that object's address, and no code's. */
	if (place->name.bytes == name.bytes)
		place->address = (uint64_t)(uintptr_t)payload->code_ptr_va;
	if (is_unknown(place->name))
		place->name.bytes = 0;
	if (is_unknown(place->file))
		place->file.bytes = 0;
	if (!place->file.bytes || payload->line_no > INT32_MAX)
		return;
	place->line = payload->line_no;
	place->column = payload->column_no > INT32_MAX ? 0 : payload->column_no;
}

static uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t hash_text(uint64_t hash, struct sycl_text text)
{
	uint64_t word;

	for (; text.bytes >= sizeof(word); text.at += sizeof(word), text.bytes -= sizeof(word)) {
		memcpy(&word, text.at, sizeof(word));
		hash = hash_word(hash, word);
	}
	word = text.bytes;
	for (uint32_t i = 0; i < text.bytes; i++)
		word = word << 8 | (uint8_t)text.at[i];
	return hash_word(hash, word);
}

/* IDs of equal objects are equal. */
static uint64_t key_of(const struct sycl_place *place, const struct sycl_metadata *metadata,
		       struct sycl_text what)
{
	uint64_t hash = hash_text(hash_text(1, place->name), place->file);
	xpti_object_id_t name = metadata->values[SYCL_KEY_kernel_name];

	/* That of a stand-in for an event holds the event's address. */
	if (sycl_text_begins(place->name, "virtual_node"))
		name = 0;
	hash = hash_word(hash, (uint64_t)place->line << 32 | place->column);
	hash = hash_word(hash, (uint64_t)(uint32_t)name << 32 |
				       (uint32_t)metadata->values[SYCL_KEY_sycl_device_name]);
	hash = hash_word(hash_text(hash, what), place->file.bytes ? 0 : place->address);
	return hash ? hash : 1;
}

static bool is_one_of(struct sycl_text text, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (sycl_text_begins(text, *beginnings))
			return true;
	return false;
}

/* The names are those of the runtimes of 2024.2 and 2026.2 (doc/SYCL.md). */
static uint8_t kind_of(struct sycl_text name, struct sycl_text what,
		       const struct sycl_metadata *metadata)
{
	static const char *const transfers[] = {
		"memory_transfer", "Memory Transfer", "copy",	     "fill", "memcpy",
		"memset",	   "prefetch",	      "update host", NULL};
	static const char *const allocations[] = {"usm::alignedAlloc", "malloc",
						  "Memory Allocation", NULL};
	static const char *const releases[] = {"usm::free", "Memory Deallocation", NULL};

	if (sycl_text_begins(name, "virtual_node"))
		return TANDEM_TASK_KIND_external;
	if (sycl_text_begins(name, "host task"))
		return TANDEM_TASK_KIND_host_task;
	if (sycl_metadata_has(metadata, SYCL_KEY_enqueue_kernel_data) ||
	    sycl_metadata_has(metadata, SYCL_KEY_from_source))
		return TANDEM_TASK_KIND_kernel;
	if (is_one_of(what, releases) || is_one_of(name, releases))
		return TANDEM_TASK_KIND_release;
	if (is_one_of(what, allocations) || is_one_of(name, allocations))
		return TANDEM_TASK_KIND_allocation;
	if (is_one_of(what, transfers) || is_one_of(name, transfers))
		return TANDEM_TASK_KIND_transfer;
	return TANDEM_TASK_KIND_other;
}

/* What is done there: the kernel, or the word behind the runtime's kind of node; the earlier
 * runtime has none for transfers, whose arguments say which it is. */
static struct sycl_text name_of(const struct sycl_place *place, struct sycl_text what,
				const struct sycl_metadata *metadata)
{
	static const char node[] = "memory_transfer_node", separator[] = "::";
	size_t skipped = sizeof(node) + sizeof(separator) - 2;
	struct sycl_text name;

	sycl_metadata_text(metadata, SYCL_KEY_kernel_name, &name);
	if (name.bytes)
		return sycl_text_without_address(name);
	if (sycl_text_begins(what, "command_group"))
		return place->name;
	if (!sycl_text_begins(what, node))
		return what.bytes && !sycl_text_begins(what, "memory_") ? what : place->name;
	if (what.bytes > skipped)
		return sycl_text(what.at + skipped, what.bytes - skipped);
	if (sycl_metadata_has(metadata, SYCL_KEY_dest_memory_ptr))
		return sycl_text("memcpy", SYCL_TEXT_MOST);
	if (sycl_metadata_has(metadata, SYCL_KEY_memory_ptr))
		return sycl_text("memset", SYCL_TEXT_MOST);
	return place->name.bytes ? place->name : what;
}

static void describe(uint32_t number, const struct sycl_place *place, struct sycl_text what,
		     const struct sycl_metadata *metadata)
{
	struct sycl_text name = name_of(place, what, metadata), function = place->name, device;
	struct tandem_sycl_construct *record;
	void *at;

	if (function.bytes == name.bytes && !memcmp(function.at, name.at, name.bytes))
		function.bytes = 0;
	sycl_metadata_text(metadata, SYCL_KEY_sycl_device_name, &device);
	record = tandem_record_begin(TANDEM_SYCL_EVENT_construct,
				     (uint32_t)sizeof(*record) + name.bytes + function.bytes +
					     place->file.bytes + device.bytes);
	if (!record)
		return;
	record->construct = number;
	record->kind = kind_of(name, what, metadata);
	record->line = place->line;
	record->column = place->column;
	record->address = place->address;
	record->name_count = (uint16_t)name.bytes;
	record->function_count = (uint16_t)function.bytes;
	record->file_count = (uint16_t)place->file.bytes;
	record->device_count = (uint16_t)device.bytes;
	at = sycl_text_put(record + 1, &name);
	at = sycl_text_put(at, &function);
	at = sycl_text_put(at, &place->file);
	sycl_text_put(at, &device);
	tandem_record_commit();
}

uint32_t sycl_construct_of(xpti_event_data_t *event, const struct sycl_metadata *metadata,
			   const char *what)
{
	uint64_t statedump = (uint64_t)(tandem_process_statedump() + 1) << 32, key, value;
	struct sycl_text word = sycl_text(what, SYCL_TEXT_MOST);
	struct sycl_place place;
	uint32_t number;

	sycl_place_of(&place, event);
	key = key_of(&place, metadata, word);
	value = sycl_table_get(&known, key);
	number = (uint32_t)value;
	if (tandem_likely(number && (value & ~(uint64_t)UINT32_MAX) == statedump))
		return number;
	/* Two threads that meet it at once describe it both, by one number each. */
	if (!number)
		number = atomic_fetch_add(&numbers, 1) + 1;
	sycl_table_set(&known, key, statedump | number);
	describe(number, &place, word, metadata);
	return number;
}
