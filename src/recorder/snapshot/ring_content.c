/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/ring_content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ring.h"

/* A thread that fills its ring faster than it can be read here would have to be very fast. */
#define TRIES 5u
/* But may be, in a small ring on a busy machine. */
#define TRIES_MOST 200u

struct subbuffer {
	uint64_t first, last; /* sequence numbers */
	uint64_t begin;	      /* ticks, of the first packet */
	uint64_t place;	      /* in the file, then in what was read */
	uint32_t bytes;
};

static int compare(const void *a, const void *b)
{
	const struct subbuffer *left = a, *right = b;

	return left->first < right->first ? -1 : left->first > right->first;
}

struct tandem_packet_header *ring_content_next(const struct ring_content *content,
					       const struct tandem_packet_header *packet)
{
	const uint8_t *at =
		packet ? (const uint8_t *)packet + packet->packet_bits / 8 : content->data;

	return content->bytes && at < content->data + content->bytes ? (void *)(uintptr_t)at : NULL;
}

/* Which there are, the oldest first: that one is overwritten next. */
static size_t subbuffers_find(int fd, uint32_t subbuffer_bytes, struct subbuffer *found,
			      size_t most)
{
	size_t count = 0;

	for (size_t i = 0; i < most; i++) {
		struct tandem_packet_header header;
		uint64_t place = (uint64_t)i * subbuffer_bytes;

		if (pread(fd, &header, sizeof(header), (off_t)place) == (ssize_t)sizeof(header) &&
		    header.magic == TANDEM_CTF_MAGIC)
			found[count++] = (struct subbuffer){.first = header.packet_seq_num,
							    .begin = header.timestamp_begin,
							    .place = place};
	}
	qsort(found, count, sizeof(*found), compare);
	return count;
}

/* Ends the last packet where the sub-buffer does, and notes which packets there are. */
static void packets_note(uint8_t *data, struct subbuffer *subbuffer)
{
	struct tandem_packet_header *packet = (void *)data;

	subbuffer->first = packet->packet_seq_num;
	for (uint32_t at = 0; at < subbuffer->bytes; at += (uint32_t)(packet->packet_bits / 8)) {
		packet = (void *)(data + at);
		if (packet->packet_bits / 8 > subbuffer->bytes - at)
			packet->packet_bits = (uint64_t)(subbuffer->bytes - at) * 8;
		subbuffer->last = packet->packet_seq_num;
	}
}

/* What was overwritten between two readings leaves a gap: what comes after counts. */
static size_t gap_skip(const struct subbuffer *found, size_t count)
{
	size_t first = 0;

	for (size_t i = 1; i < count; i++)
		if (found[i].first != found[i - 1].last + 1)
			first = i;
	return first;
}

/* How many of the oldest are not asked for. */
static size_t subbuffers_skip(const struct subbuffer *found, size_t count, uint64_t since)
{
	size_t skipped = 0;

	while (skipped + 1 < count && found[skipped + 1].begin < since)
		skipped++;
	return skipped;
}

/* More than may be missing: among them what was recorded last. */
#define LAST_MISSING SIZE_MAX

/* Returns how many sub-buffers could not be read, though they were asked for. */
static size_t read_once(struct ring_content *content, int fd, uint32_t subbuffer_bytes,
			struct subbuffer *found, size_t most, uint64_t since)
{
	size_t count = subbuffers_find(fd, subbuffer_bytes, found, most), kept = 0, first;
	size_t skipped = subbuffers_skip(found, count, since);
	uint64_t end = 0;
	bool last = skipped == count;

	for (size_t i = skipped; i < count; i++) {
		struct subbuffer *subbuffer = &found[i];
		uint64_t sequence;

		subbuffer->bytes =
			ring_read(fd, subbuffer->place, subbuffer_bytes, content->data + end);
		sequence = subbuffer->first;
		if (subbuffer->bytes)
			packets_note(content->data + end, subbuffer);
		/* Overwritten since it was found, when its place in the order was another. */
		if (!subbuffer->bytes || subbuffer->first != sequence)
			continue;
		subbuffer->place = end;
		end += subbuffer->bytes;
		found[kept++] = *subbuffer;
		last = i + 1 == count;
	}
	first = gap_skip(found, kept);
	content->bytes = kept ? end - found[first].place : 0;
	content->overwritten = kept ? found[first].first != 0 : count != 0;
	if (kept && found[first].place)
		memmove(content->data, content->data + found[first].place, content->bytes);
	return last ? count - skipped - (kept - first) : LAST_MISSING;
}

int ring_content_read(struct ring_content *content, int fd, uint32_t subbuffer_bytes,
		      uint64_t since)
{
	struct stat status;
	struct subbuffer *found;
	size_t most, missing;

	*content = (struct ring_content){.data = NULL};
	if (fstat(fd, &status))
		return -errno;
	most = (size_t)((uint64_t)status.st_size + subbuffer_bytes - 1) / subbuffer_bytes;
	found = calloc(most + 1, sizeof(*found));
	content->data = malloc((most + 1) * subbuffer_bytes);
	if (!found || !content->data) {
		free(found);
		ring_content_free(content);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < (content->bytes ? TRIES : TRIES_MOST); i++) {
		missing = read_once(content, fd, subbuffer_bytes, found, most, since);
		/* All but what is being overwritten: the oldest. Where the thread has gone round the
		 * whole ring since it was looked at, it is the latest. */
		if (!missing || (content->bytes && missing < 3))
			break;
	}
	free(found);
	return 0;
}

void ring_content_free(struct ring_content *content)
{
	free(content->data);
	*content = (struct ring_content){.data = NULL};
}
