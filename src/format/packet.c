/* SPDX-License-Identifier: MIT */
#include "format/packet.h"

#include <string.h>

void packet_begin(struct tandem_packet_header *header, const uint8_t uuid[16], uint64_t stream,
		  uint64_t ticks, uint64_t bytes)
{
	header->content_bits = sizeof(*header) * 8;
	header->packet_bits = bytes * 8;
	header->magic = TANDEM_CTF_MAGIC;
	memcpy(header->uuid, uuid, sizeof(header->uuid));
	header->stream_id = 0;
	header->stream_instance_id = stream;
	header->timestamp_begin = ticks;
	header->timestamp_end = ticks;
}

void packet_clock(struct tandem_packet_header *header, const struct ticks_pair *pair)
{
	header->monotonic_ns = pair->monotonic_ns;
	header->ticks = pair->ticks;
	header->ticks_error = pair->error;
}

void packet_thread(struct tandem_packet_header *header, uint32_t tid, const char *name)
{
	size_t length = strnlen(name, sizeof(header->thread_name) - 1);

	header->tid = tid;
	memset(header->thread_name, 0, sizeof(header->thread_name));
	memcpy(header->thread_name, name, length);
}

void packet_end(struct tandem_packet_header *header, uint64_t last_ticks, uint64_t content_bytes,
		uint64_t bytes)
{
	header->timestamp_end = last_ticks;
	header->content_bits = content_bytes * 8;
	header->packet_bits = bytes * 8;
}

bool packet_is_partial(const struct tandem_packet_header *found,
		       const struct tandem_packet_header *window, uint64_t bytes)
{
	struct tandem_packet_header whole = *window;
	const unsigned char *is = (const unsigned char *)found;
	const unsigned char *was = (const unsigned char *)&whole;
	unsigned at = 0;

	whole.content_bits = sizeof(whole) * 8;
	whole.packet_bits = bytes * 8;
	while (at < sizeof(whole) && is[at] == was[at])
		at++;
	if (at == sizeof(whole))
		return false;
	while (at < sizeof(whole) && !is[at])
		at++;
	return at == sizeof(whole) && bytes <= window->packet_bits / 8;
}
