/* The files of a stream: the window that is mapped, and stream-K to which it is
 * appended. System calls only; what they mean is stream.c's. All return 0 or
 * -errno, with nothing changed but as said, and may be called with signals
 * blocked only: a write beyond RLIMIT_FSIZE raises SIGXFSZ.
 */
#ifndef TANDEM_CORE_WINDOW_H
#define TANDEM_CORE_WINDOW_H

#include <stdint.h>

#include "schema/packet.h"

/* Opens the window's file, reserves its blocks, and maps it at `place`, or, when
 * that is NULL, at a place of its own with room for the largest window: growing
 * never moves it. `flags` are added to those of open(2). */
int window_map(const char *path, int flags, uint32_t bytes, void *place, void **window);

/* Writes the window's first `content` bytes as a packet of `bytes` at `offset`.
 * A process may be killed in the middle of a long write, and then part of it is
 * in the file. So the packet is an empty one of its final size first, then its
 * records come, then its content: whenever that ends, the file is whole packets,
 * and the window still has the records. */
int window_write(int fd, const struct tandem_packet_header *window, uint64_t content,
		 uint64_t bytes, uint64_t offset);

#endif
