/* SPDX-License-Identifier: MIT */
#include "schema/descriptions.h"

#include <errno.h>
#include <string.h>

#include "format/packet.h"

#define LIMIT_LEAST_BYTES 32768u

static uint8_t *area_base(const struct descriptions *descriptions, unsigned area)
{
	return (uint8_t *)descriptions->header + DESCRIPTIONS_HEADER_BYTES +
	       area * descriptions->header->area_bytes;
}

void descriptions_init(struct descriptions *descriptions, void *base, uint64_t area_bytes,
		       uint64_t limit_bytes)
{
	descriptions->header = base;
	descriptions->limit_bytes = limit_bytes < area_bytes ? limit_bytes : area_bytes;
	descriptions->header->area_bytes = area_bytes;
	descriptions->header->magic = DESCRIPTIONS_MAGIC;
}

/* How much of what is not known to be alive is left out, of the oldest. */
struct excess {
	uint64_t bytes[DESCRIPTION_GONE + 1];
};

static void excess_find(const struct descriptions *descriptions, unsigned area,
			const struct descriptions_rules *rules, struct excess *excess)
{
	const uint8_t *at = area_base(descriptions, area);
	const uint8_t *end = at + atomic_load(&descriptions->header->bytes[area]);
	uint64_t most = descriptions->limit_bytes / 4;

	*excess = (struct excess){{0}};
	while (at < end) {
		const struct tandem_record *record = (const void *)at;

		excess->bytes[rules->state(rules->user, record)] += TANDEM_ALIGNED(record->size);
		at += TANDEM_ALIGNED(record->size);
	}
	excess->bytes[DESCRIPTION_LIVE] = 0;
	for (unsigned i = DESCRIPTION_UNKNOWN; i <= DESCRIPTION_GONE; i++)
		excess->bytes[i] = excess->bytes[i] > most ? excess->bytes[i] - most : 0;
}

static int copy(struct descriptions *descriptions, const struct descriptions_rules *rules)
{
	struct descriptions_header *header = descriptions->header;
	uint64_t generation = atomic_load(&header->generation) | 1;
	unsigned from = descriptions_area(generation), to = !from;
	const uint8_t *at = area_base(descriptions, from);
	const uint8_t *end = at + atomic_load(&header->bytes[from]);
	uint64_t bytes = 0;
	struct excess excess;
	int error = 0;

	excess_find(descriptions, from, rules, &excess);
	atomic_store(&header->generation, generation);
	atomic_store(&header->bytes[to], 0);
	while (!error && at < end) {
		const struct tandem_record *record = (const void *)at;
		uint64_t size = TANDEM_ALIGNED(record->size);
		enum description_state state = rules->state(rules->user, record);

		at += size;
		if (excess.bytes[state]) {
			excess.bytes[state] -=
				excess.bytes[state] < size ? excess.bytes[state] : size;
			continue;
		}
		error = rules->reserve(rules->user, to, bytes + size);
		if (!error)
			memcpy(area_base(descriptions, to) + bytes, record, size);
		bytes += size;
	}
	if (error) {
		atomic_store(&header->generation, generation - 1);
		return error;
	}
	atomic_store(&header->bytes[to], bytes);
	atomic_store(&header->generation, generation + 1);
	/* The next copy is to be worth it. */
	while (bytes > descriptions->limit_bytes / 4 * 3 &&
	       descriptions->limit_bytes < header->area_bytes)
		descriptions->limit_bytes = descriptions->limit_bytes * 2 < header->area_bytes
						    ? descriptions->limit_bytes * 2
						    : header->area_bytes;
	return 0;
}

/* Copies what counts to the other area, which then is the one in use. */
static int shrink(struct descriptions *descriptions, const struct descriptions_rules *rules)
{
	int error = rules->copy_begin(rules->user);

	if (error)
		return error;
	error = copy(descriptions, rules);
	/* Less of what may not count, where there is no room for it. */
	while (error && descriptions->limit_bytes > LIMIT_LEAST_BYTES) {
		descriptions->limit_bytes /= 2;
		error = copy(descriptions, rules);
	}
	rules->copy_end(rules->user);
	return error;
}

int descriptions_add(struct descriptions *descriptions, const struct tandem_record *record,
		     const struct descriptions_rules *rules)
{
	struct descriptions_header *header = descriptions->header;
	uint64_t size = TANDEM_ALIGNED(record->size);

	for (bool shrunk = false;; shrunk = true) {
		unsigned area = descriptions_area(atomic_load(&header->generation));
		uint64_t used = atomic_load(&header->bytes[area]);
		bool fits = used + size <= descriptions->limit_bytes;
		int error = fits ? rules->reserve(rules->user, area, used + size) : -ENOSPC;
		uint8_t *at = area_base(descriptions, area) + used;

		if (!error) {
			memcpy(at, record, record->size);
			memset(at + record->size, 0, size - record->size);
			atomic_store(&header->bytes[area], used + size);
			return 0;
		}
		if (shrunk)
			return error;
		/* The disk is full: what is there has to do. */
		if (fits)
			descriptions->limit_bytes = used;
		error = shrink(descriptions, rules);
		if (error)
			return error;
	}
}
