/* SPDX-License-Identifier: MIT */
/* The room of a stream's file: blocks and pages ahead of the records, and the session's limit. */
#ifndef TANDEM_CORE_STREAM_RESERVE_H
#define TANDEM_CORE_STREAM_RESERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/pool.h"
#include "format/packet.h"
#include "format/ring.h"

struct stream_file {
	struct stream_file *next; /* the pool's; then the part before this one */
	uint8_t *base;
	uint64_t bytes;	   /* of the file and its mapping */
	uint64_t reserved; /* bytes from the front that may be written */
	uint64_t written;  /* bytes from the front whose blocks are there: as many or more */
	uint64_t device, inode;
	uint64_t session;  /* in which it was made (core/control.h) */
	struct ring ring;  /* a flight recorder's; no sub-buffers: it is none */
	uint32_t number;   /* K */
	_Atomic bool gone; /* somebody has cut the file; what is mapped is memory */
	bool in_memory;	   /* on tmpfs */
	uint32_t part;	   /* 1, or that of a stream which outgrew its first file */

	/* Of a stream that a thread has left: where it goes on. */
	struct tandem_packet_header *packet;
	uint64_t operations;
};

/* What a thread with a few calls needs: of zeros, in each new file. */
#define STREAM_FIRST_BYTES 32768u

/* Bytes of the session's limit. -EFBIG: there are no more. */
int stream_space_take(uint64_t bytes);
void stream_space_give(uint64_t bytes);

/* PATH_BYTES and 64 more: the file's, under a name that begins with that. */
void stream_file_path(char *path, const char *name, const struct stream_file *file);

/* Whether this is the file, whole. Its name may mean another one after chroot(), or when
 * the session's directory was replaced by a later session's. */
bool stream_file_is(const struct stream_file *file, const struct stat *status);

/* Blocks that were written are reserved, and their pages are there; a large write makes them
 * in large folios. */
int stream_zeros_write(int fd, uint64_t from, uint64_t bytes);

/* Reserves at least `bytes` more (0: as many as is usual). -ENOSPC: the disk is full;
 * -EFBIG: the session's limit; -EMSGSIZE: the file has no more. */
int stream_file_reserve(struct stream_file *file, uint64_t bytes);

/* The records before `until` are not expected to be written again soon: they need
 * not count as the program's memory. */
void stream_file_release(const struct stream_file *file, uint64_t from, uint64_t until);

/* As many as a thread needs in a sandbox, which lets none be written any more. */
void stream_file_zeros(struct stream_file *file);

#endif
