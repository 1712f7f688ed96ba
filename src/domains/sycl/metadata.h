/* SPDX-License-Identifier: MIT */
/* What the runtime says of an event by its metadata: values by key. The IDs of the keys are
 * asked for once, so that reading an event's costs no look-up of a string.
 *
 *	struct sycl_metadata metadata;
 *
 *	sycl_metadata_read(&metadata, event);
 *	bytes = sycl_metadata_number(&metadata, SYCL_KEY_memory_size, 0);
 *
 * Texts belong to the dispatcher and live as long as it. Any thread. */
#ifndef TANDEM_DOMAINS_SYCL_METADATA_H
#define TANDEM_DOMAINS_SYCL_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "domains/sycl/text.h"
#include "xpti/xpti_trace_framework.h"

#define SYCL_KEYS(X)           \
	X(access_mode)         \
	X(dest_memory_ptr)     \
	X(enqueue_kernel_data) \
	X(event)               \
	X(from_source)         \
	X(is_inorder)          \
	X(kernel_name)         \
	X(memory_object)       \
	X(memory_ptr)          \
	X(memory_size)         \
	X(queue_handle)        \
	X(queue_id)            \
	X(src_memory_ptr)      \
	X(sycl_device)         \
	X(sycl_device_name)    \
	X(sym_column_no)       \
	X(sym_function_name)   \
	X(sym_line_no)         \
	X(sym_source_file_name)

enum sycl_key {
#define X(name) SYCL_KEY_##name,
	SYCL_KEYS(X) SYCL_KEY_COUNT
#undef X
};

struct sycl_metadata {
	xpti_object_id_t values[SYCL_KEY_COUNT]; /* XPTI_INVALID_OBJECT: has none */
	const xpti_metadata_map_t *map;		 /* NULL: there is none */
};

/* Asks for the keys' IDs: before anything is read, once. */
void sycl_metadata_open(void);

void sycl_metadata_read(struct sycl_metadata *metadata, xpti_event_data_t *event);

static inline bool sycl_metadata_has(const struct sycl_metadata *metadata, enum sycl_key key)
{
	return metadata->values[key] != XPTI_INVALID_OBJECT;
}

/* An integer or an address of any size up to 8 bytes; `none` where it is not there. */
uint64_t sycl_metadata_number(const struct sycl_metadata *metadata, enum sycl_key key,
			      uint64_t none);

/* Empty where it is not there. */
void sycl_metadata_text(const struct sycl_metadata *metadata, enum sycl_key key,
			struct sycl_text *text);

/* Copies what is there of a struct; false: nothing, or of another size. */
bool sycl_metadata_struct(const struct sycl_metadata *metadata, enum sycl_key key, void *to,
			  size_t bytes);

/* The kernel's argument `arg<index>`; false: there is none. */
bool sycl_metadata_argument(const struct sycl_metadata *metadata, unsigned index,
			    xpti_offload_kernel_arg_data_t *argument);

#endif
