/* SPDX-License-Identifier: MIT */
/* Texts that are packed and unpacked again, and packed ones that are damaged. */
#include "schema/lz4.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST = 200000 };

static char text[MOST], found[MOST + 1];
static uint8_t packed[LZ4_PACKED_MOST(MOST)];

/* Returns what it was packed into. */
static size_t comes_back(size_t bytes)
{
	size_t packed_bytes = lz4_pack(packed, text, bytes);

	memset(found, 'x', sizeof(found));
	CHECK(packed_bytes && packed_bytes <= LZ4_PACKED_MOST(bytes));
	CHECK(lz4_unpack(found, bytes, packed, packed_bytes) == bytes);
	CHECK(!memcmp(found, text, bytes) && found[bytes] == 'x');
	CHECK(!bytes || !lz4_unpack(found, bytes - 1, packed, packed_bytes));
	return packed_bytes;
}

static void random_text(unsigned letters)
{
	for (size_t i = 0; i < MOST; i++)
		text[i] = (char)('a' + rand() % (int)letters);
}

static void whole(void)
{
	for (unsigned letters = 1; letters < 200; letters *= 3) {
		random_text(letters);
		for (size_t bytes = 0; bytes < 600; bytes++)
			comes_back(bytes);
		comes_back(MOST);
	}
	/* A repetition as far back as one can be, and one that is too far. */
	random_text(200);
	memcpy(text + 65535, text, 1000);
	CHECK(comes_back(66535) < 66000);
	memmove(text + 65536, text, 1000);
	random_text(1);
	CHECK(comes_back(MOST) < MOST / 200);
}

/* As the format's description has it: three letters, 18 more of them, and five to end with. */
static void by_hand(void)
{
	static const uint8_t block[] = {0x3e, 'a', 'b', 'c', 3, 0, 0x50, 'a', 'b', 'c', '.', '\n'};
	static const char expected[] = "abcabcabcabcabcabcabcabc.\n";

	CHECK(lz4_unpack(found, MOST, block, sizeof(block)) == sizeof(expected) - 1);
	CHECK(!memcmp(found, expected, sizeof(expected) - 1));
}

static void damaged(void)
{
	size_t bytes;

	random_text(3);
	bytes = lz4_pack(packed, text, 5000);
	for (size_t cut = 0; cut < bytes; cut++) {
		static uint8_t part[8192];

		memcpy(part, packed, cut);
		CHECK(lz4_unpack(found, 5000, part, cut) < 5000);
	}
	for (int i = 0; i < 20000; i++) {
		packed[rand() % (int)bytes] = (uint8_t)rand();
		found[5000] = 'x';
		CHECK(lz4_unpack(found, 5000, packed, bytes) <= 5000 && found[5000] == 'x');
	}
}

int main(void)
{
	whole();
	by_hand();
	damaged();
	return check_status();
}
