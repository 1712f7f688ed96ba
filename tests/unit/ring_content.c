/* SPDX-License-Identifier: MIT */
/* A thread that goes round its whole ring while a snapshot reads it: what was recorded last is in
 * the snapshot all the same. */
#include "recorder/snapshot/ring_content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "format/ring.h"

#define SUBBUFFER (128u * 1024)
#define SUBBUFFERS 4u

static uint64_t sequence; /* of the next packet */
static unsigned overtakes;
static int ring;

/* One packet fills a sub-buffer. */
static void record_one(void)
{
	struct tandem_packet_header header = {
		.magic = TANDEM_CTF_MAGIC,
		.content_bits = (uint64_t)SUBBUFFER * 8,
		.packet_bits = (uint64_t)SUBBUFFER * 8,
		.packet_seq_num = sequence,
		.timestamp_begin = sequence + 1,
	};
	uint64_t place = sequence++ % SUBBUFFERS * SUBBUFFER;

	CHECK(pwrite(ring, &header, sizeof(header), (off_t)place) == (ssize_t)sizeof(header));
	CHECK(ftruncate(ring, SUBBUFFER * SUBBUFFERS) == 0);
}

/* As the C library's: before the latest sub-buffer is copied, the thread overtakes the reader. */
ssize_t pread(int fd, void *data, size_t bytes, off_t at)
{
	uint64_t latest = (sequence - 1) % SUBBUFFERS * SUBBUFFER;

	if (bytes == SUBBUFFER && (uint64_t)at == latest && overtakes) {
		overtakes--;
		for (unsigned i = 0; i < SUBBUFFERS; i++)
			record_one();
	}
	return syscall(SYS_pread64, fd, data, bytes, at);
}

static void check_read(uint64_t begun, unsigned times)
{
	struct tandem_packet_header *packet = NULL;
	struct ring_content content;
	uint64_t before, next = 0, last = 0;
	bool first = true;

	sequence = 0;
	overtakes = 0;
	CHECK(!ftruncate(ring, 0));
	while (sequence < begun)
		record_one();
	before = sequence;
	overtakes = times;
	CHECK(!ring_content_read(&content, ring, SUBBUFFER, 0));
	CHECK(overtakes == 0);
	while ((packet = ring_content_next(&content, packet))) {
		CHECK(first || packet->packet_seq_num == next);
		next = packet->packet_seq_num + 1;
		last = packet->packet_seq_num;
		first = false;
	}
	CHECK(!first && last >= before - 1);
	CHECK(last == sequence - 1);
	ring_content_free(&content);
}

int main(void)
{
	char path[] = "/tmp/tandem-ring-XXXXXX";

	ring = mkstemp(path);
	CHECK(ring >= 0);
	unlink(path);
	check_read(4, 0);
	check_read(10, 0);
	/* It is full; and it has only been filled once. */
	check_read(10, 1);
	check_read(10, 3);
	check_read(4, 1);
	check_read(3, 1);
	close(ring);
	return check_status();
}
