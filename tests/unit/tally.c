/* SPDX-License-Identifier: MIT */
/* Counting what a session's directory holds: whole, cut off, damaged. */
#include "recorder/session/count_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "format/packet.h"
#include "schema/record.h"

static uint8_t packet[4096];

/* A packet of `count` records, each 8 bytes longer than the one before, up to
 * 16 more. Returns its content's size. */
static size_t fill_packet(unsigned count, size_t packet_bytes)
{
	struct tandem_packet_header *header = (void *)packet;
	size_t at = sizeof(*header);

	memset(packet, 0, sizeof(packet));
	for (unsigned i = 0; i < count; i++) {
		struct tandem_record *record = (void *)(packet + at);

		record->size = (uint16_t)(sizeof(*record) + i % 3 * 8);
		at += (record->size + 7u) & ~7u;
	}
	header->magic = TANDEM_CTF_MAGIC;
	header->content_bits = at * 8;
	header->packet_bits = (packet_bytes ? packet_bytes : at) * 8;
	return at;
}

static void append(const char *path, const void *bytes, size_t count)
{
	FILE *file = fopen(path, "a");

	CHECK(file && fwrite(bytes, 1, count, file) == count);
	if (file)
		fclose(file);
}

static void expect(uint64_t events, uint64_t bytes)
{
	struct record_count tally;

	CHECK(count_records(".", &tally) == 0);
	CHECK(tally.events == events);
	CHECK(tally.bytes == bytes);
	CHECK(!tally.estimated);
}

int main(void)
{
	struct tandem_packet_header *header = (void *)packet;
	char folder[] = "/tmp/tandem-tally.XXXXXX", command[64];
	size_t ten, bytes;
	struct record_count tally;

	CHECK(mkdtemp(folder) && !chdir(folder));
	CHECK(count_records("no-such-folder", &tally) == -ENOENT);
	expect(0, 0);
	CHECK(!mkdir("process-1", 0700) && !mkdir("process-1.1", 0700) && !mkdir("other", 0700));
	append("process-1/metadata", "text", 4);
	expect(0, 0);

	ten = fill_packet(10, 0);
	append("process-1/stream-1", packet, ten);
	append("process-1/stream-1", packet, ten);
	expect(20, 2 * ten);
	bytes = fill_packet(7, sizeof(packet));
	append("process-1.1/window-1", packet, sizeof(packet));
	expect(27, 2 * ten + bytes);
	append("other/stream-1", packet, sizeof(packet));
	append("stream-1", packet, sizeof(packet));
	expect(27, 2 * ten + bytes);

	/* Cut off, and garbage: what is before counts. */
	append("process-1/stream-2", packet, 60);
	append("process-1/stream-3", "", 0);
	fill_packet(10, 0);
	append("process-1/stream-4", packet, ten);
	append("process-1/stream-4", packet, ten - 8);
	expect(37, 3 * ten + bytes);
	append("process-1/stream-5", packet, ten);
	header->magic ^= 1;
	append("process-1/stream-5", packet, ten);
	expect(47, 4 * ten + bytes);

	/* Sizes that lie: endless loops, reads beyond the end. */
	fill_packet(10, 0);
	header->packet_bits = 0;
	append("process-1/stream-6", packet, ten);
	fill_packet(10, 0);
	header->content_bits = 0;
	header->packet_bits = 0;
	append("process-1/stream-7", packet, ten);
	fill_packet(10, 0);
	header->content_bits = UINT64_MAX;
	header->packet_bits = UINT64_MAX;
	append("process-1/stream-8", packet, ten);
	expect(47, 4 * ten + bytes);
	fill_packet(10, 0);
	((struct tandem_record *)(packet + sizeof(*header)))->size = 0;
	append("process-1/stream-9", packet, ten);
	expect(47, 5 * ten + bytes);
	/* The packet that a killed process had appended, and its window. */
	fill_packet(10, 0);
	append("process-1.1/stream-2", packet, ten);
	fill_packet(10, sizeof(packet));
	append("process-1.1/window-2", packet, sizeof(packet));
	expect(57, 6 * ten + bytes);
	CHECK(!unlink("process-1.1/stream-2") && !unlink("process-1.1/window-2"));
	CHECK(!mkfifo("process-1/stream-10", 0600));
	expect(47, 5 * ten + bytes);

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CHECK(!chdir("/") && !system(command));
	return check_status();
}
