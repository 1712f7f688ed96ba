/* SPDX-License-Identifier: MIT */
#include "linux/perf/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int linux_ring_map(struct linux_ring *ring, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at;

	for (; bytes >= page; bytes /= 2) {
		at = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED)
			break;
		if (errno != EPERM && errno != ENOMEM)
			return -errno;
	}
	if (bytes < page)
		return -errno;
	ring->page = at;
	ring->data = (uint8_t *)at + page;
	ring->bytes = bytes;
	ring->next = ring->head = 0;
	return 0;
}

struct iovec linux_ring_leave(struct linux_ring *ring)
{
	struct iovec map = {.iov_base = ring->page};

	if (ring->page)
		map.iov_len = ring->bytes + (size_t)(ring->data - (uint8_t *)ring->page);
	free(ring->whole);
	*ring = (struct linux_ring){.page = NULL};
	return map;
}

void linux_ring_unmap(struct linux_ring *ring)
{
	struct iovec map = linux_ring_leave(ring);

	if (map.iov_base)
		munmap(map.iov_base, map.iov_len);
}

/* A record's size is 16 bits wide. */
static const struct perf_event_header *put_together(struct linux_ring *ring, size_t at,
						    uint16_t bytes)
{
	size_t first = ring->bytes - at;

	if (!ring->whole)
		ring->whole = malloc(UINT16_MAX);
	if (!ring->whole)
		return NULL;
	memcpy(ring->whole, ring->data + at, first);
	memcpy(ring->whole + first, ring->data, bytes - first);
	return (const struct perf_event_header *)ring->whole;
}

void linux_ring_begin(struct linux_ring *ring)
{
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

unsigned linux_ring_percent(const struct linux_ring *ring)
{
	return (unsigned)((ring->head - ring->next) * 100 / ring->bytes);
}

const struct perf_event_header *linux_ring_next(struct linux_ring *ring)
{
	const struct perf_event_header *record;
	size_t at;

	if (ring->next == ring->head)
		return NULL;
	/* Records are aligned to 8 bytes, so a header never wraps. */
	at = ring->next & (ring->bytes - 1);
	record = (const struct perf_event_header *)(ring->data + at);
	if (at + record->size > ring->bytes)
		record = put_together(ring, at, record->size);
	if (!record || record->size < sizeof(*record)) {
		/* No memory for it, or no sense in it: what is there is passed over. */
		ring->next = ring->head;
		return NULL;
	}
	ring->next += record->size;
	return record;
}

void linux_ring_release(struct linux_ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->next, __ATOMIC_RELEASE);
}
