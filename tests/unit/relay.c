/* SPDX-License-Identifier: MIT */
/* Entries arrive whole, in their order, each once, however large they are and whenever they are
 * handed over; and all that was handed over is taken before the thread ends. */
#include <string.h>

#include "check.h"
#include "util/thread/relay.h"

struct taker {
	uint64_t count, wrong;
};

static uint64_t step(uint64_t state)
{
	return state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

static size_t bytes_of(uint64_t number)
{
	uint64_t hash = step(number) >> 33;

	return hash % 16 ? hash % 200 : hash % (RELAY_ENTRY_MOST - sizeof(struct relay_entry) + 1);
}

static void fill(uint8_t *payload, size_t bytes, uint64_t number)
{
	for (size_t i = 0; i < bytes; i++)
		payload[i] = (uint8_t)(number * 7 + i);
}

static void take(void *user, const struct relay_entry *entry)
{
	struct taker *taker = user;
	uint64_t number = taker->count++;
	size_t bytes = bytes_of(number);
	uint8_t wanted[RELAY_ENTRY_MOST];

	fill(wanted, bytes, number);
	taker->wrong += entry->kind != number % 7 || entry->bytes % 8 ||
			entry->bytes < sizeof(*entry) + bytes || (uintptr_t)entry->payload % 8 ||
			memcmp(entry->payload, wanted, bytes) != 0;
}

static void hand_over(struct relay *relay, uint64_t from, uint64_t to)
{
	for (uint64_t number = from; number < to; number++) {
		size_t bytes = bytes_of(number);

		fill(relay_begin(relay, number % 7, bytes), bytes, number);
		relay_end(relay);
		if (number % 1000 == 0)
			relay_flush(relay);
	}
}

int main(void)
{
	struct taker taker = {.count = 0};
	struct relay *relay = relay_create(take, &taker);

	CHECK(relay != NULL);
	if (!relay)
		return check_status();
	relay_wait(relay);
	CHECK(taker.count == 0);
	hand_over(relay, 0, 1);
	relay_wait(relay);
	CHECK(taker.count == 1 && !taker.wrong);
	hand_over(relay, 1, 100000);
	relay_wait(relay);
	CHECK(taker.count == 100000 && !taker.wrong);
	hand_over(relay, 100000, 150000);
	relay_flush(relay);
	relay_destroy(relay);
	CHECK(taker.count == 150000 && !taker.wrong);
	relay_destroy(NULL);
	return check_status();
}
