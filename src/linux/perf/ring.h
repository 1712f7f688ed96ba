/* SPDX-License-Identifier: MIT */
/* The memory that the kernel writes one CPU's perf records into (perf_event_open(2),
 * "MMAP layout"), mapped by the collector, which reads behind the kernel. The
 * kernel drops records when it is full, and says how many. One thread reads.
 *
 *	const struct perf_event_header *record;
 *
 *	linux_ring_begin(&ring);
 *	while ((record = linux_ring_next(&ring)))
 *		handle(record);
 *	linux_ring_release(&ring);
 */
#ifndef TANDEM_LINUX_RING_H
#define TANDEM_LINUX_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Of each CPU: 2,200 switches with their wake-ups. An unprivileged user may have
 * just that (perf_event_mlock_kb); each page of it takes 2 us to get and to give back. */
#define LINUX_RING_BYTES (512u * 1024)
/* Where stacks are saved, too: 120 of them. */
#define LINUX_RING_STACKS_BYTES (2u << 20)

struct linux_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	const uint8_t *data;
	size_t bytes; /* a power of two */
	uint64_t next, head;
	uint8_t *whole; /* where a record that wraps is put together */
};

/* Maps the ring of a perf event, of so many bytes. Halves the size until it may be
 * mapped. Returns 0 or -errno. */
int linux_ring_map(struct linux_ring *ring, int fd, size_t bytes);
void linux_ring_unmap(struct linux_ring *ring);

/* The same, but leaves it to the caller to unmap: where what it had mapped is. */
struct iovec linux_ring_leave(struct linux_ring *ring);

/* Sees how far the kernel has come: the records up to there can be read. */
void linux_ring_begin(struct linux_ring *ring);

/* How full it was then. */
unsigned linux_ring_percent(const struct linux_ring *ring);

/* The next of them, valid until the one after it is asked for; NULL: that was
 * the last. */
const struct perf_event_header *linux_ring_next(struct linux_ring *ring);

/* Gives the room of all records that were read back to the kernel. */
void linux_ring_release(struct linux_ring *ring);

#endif
