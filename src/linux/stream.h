/* SPDX-License-Identifier: MIT */
/* A CPU's stream in DIR/kernel/: the records of one drain make a packet, which
 * is appended to stream-K by one write, so that the file always ends with a
 * whole packet (format/packet.h; K is the CPU's number + 1, as K begins at 1).
 *
 * A flight recorder's stream is a ring (format/ring.h), of which the packets are written the
 * same way; what outlasts it is next to it (lasting.h).
 *
 * The folder is made, with its metadata, when the first packet is written. One
 * thread; the streams of a folder are filled one after another, as they share
 * the memory of a packet.
 *
 *	record = linux_stream_put(stream, TANDEM_LINUX_EVENT_sched_in, ticks, sizeof(*record));
 *	if (record)
 *		record->tid = tid;
 *	...
 *	linux_stream_flush(stream);
 */
#ifndef TANDEM_LINUX_STREAM_H
#define TANDEM_LINUX_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "format/packet.h"
#include "linux/lasting.h"
#include "linux/perf/perf_clock.h"
#include "schema/control.h"
#include "schema/gen/kernel_records.h"
#include "schema/record.h"

struct linux_folder {
	const char *session;		/* borrowed */
	char *path;			/* DIR/kernel */
	struct tandem_control *control; /* borrowed */
	const struct perf_clock *clock; /* borrowed */
	int made;			/* 0: not yet; else 1, or the -errno that it failed with */
	uint8_t uuid[16];
	uint8_t *packet;
	uint32_t packet_bytes;
	struct linux_lasting lasting;
	uint64_t failures; /* packets that could not be written: their records are gone */
};

struct linux_stream {
	struct linux_folder *folder; /* borrowed */
	int cpu;
	int fd; /* -1: not open */
	uint64_t offset, sequence, discarded;
	uint64_t last_offset; /* of the packet before, in a ring */
	/* What the stream holds, as it last said: said again in each packet of a ring. */
	struct tandem_kernel_collecting collecting;
	uint64_t last_ticks;		  /* of the latest record: none comes before it */
	uint32_t running;		  /* tid, by the records so far; ~0: not known */
	uint32_t task_type, task_tid;	  /* of the latest record of a task's begin or end */
	uint32_t gaps;			  /* switches that must have been and left no record */
	uint32_t used;			  /* bytes of the packet that is being filled; 0: none is */
	uint32_t content;		  /* of them, without what aligns the next record */
	uint32_t count;			  /* records in it */
	uint32_t lost[TANDEM_LOSS_COUNT]; /* not in the file yet */
	uint32_t told[TANDEM_LOSS_COUNT]; /* of them, in this packet's records `lost` */
};

/* `path` and the rest are the session's. Returns 0 or -ENOMEM. */
int linux_folder_open(struct linux_folder *folder, const char *session,
		      struct tandem_control *control, const struct perf_clock *clock);

/* Makes the directory and its metadata, once; the first packet does it otherwise. */
void linux_folder_make(struct linux_folder *folder);
void linux_folder_close(struct linux_folder *folder);

void linux_stream_open(struct linux_stream *stream, struct linux_folder *folder, int cpu);
void linux_stream_close(struct linux_stream *stream);

/* A new record with its head filled, zeroes behind, valid until the next call;
 * NULL: it is lost, and counted. Ticks that lie before the latest record's (an
 * interrupt between the reading of the clock and the writing of the record)
 * become the same as those. */
void *linux_stream_put(struct linux_stream *stream, uint16_t id, uint64_t ticks, uint32_t bytes);

/* Writes what was put; a failure is counted. */
void linux_stream_flush(struct linux_stream *stream);

/* Counts, and says it in the stream at the next place. */
void linux_stream_lost(struct linux_stream *stream, enum tandem_loss reason, uint64_t count);

#endif
