/* SPDX-License-Identifier: MIT */
#include "core/call/content_hash.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/call/args.h"
#include "core/sandbox/sandbox.h"

#define CONTENT_LINE 64u
#define CONTENT_ENDS 64u /* lines at each end */

/* Words of a line are hashed next to each other: a multiplication waits for none of the others, and
 * a transfer of 64 KiB from the cache takes hardly less than a few of those for each line. */
#define LANES (CONTENT_LINE / sizeof(uint64_t))
#define LANE_PRIME UINT64_C(0xff51afd7ed558ccd)

struct content_hash {
	uint64_t lanes[LANES];
};

static inline uint64_t hash_word(uint64_t lane, const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	/* Turned, so that the highest bits (signs of numbers) reach others. */
	return ((lane << 29 | lane >> 35) ^ word) * LANE_PRIME;
}

/* Written out: in a loop the lanes would be kept in memory. */
static inline void hash_line(struct content_hash *hash, const uint8_t *line)
{
	hash->lanes[0] = hash_word(hash->lanes[0], line);
	hash->lanes[1] = hash_word(hash->lanes[1], line + 8);
	hash->lanes[2] = hash_word(hash->lanes[2], line + 16);
	hash->lanes[3] = hash_word(hash->lanes[3], line + 24);
	hash->lanes[4] = hash_word(hash->lanes[4], line + 32);
	hash->lanes[5] = hash_word(hash->lanes[5], line + 40);
	hash->lanes[6] = hash_word(hash->lanes[6], line + 48);
	hash->lanes[7] = hash_word(hash->lanes[7], line + 56);
}

/* Its first and last bytes, where what changes is most often (counts, the first elements), and lines in
 * between: one in each step, each at another place of it, so that what repeats itself is seen. */
static void hash_samples(struct content_hash *hash, const uint8_t *data, uint64_t bytes)
{
	const uint64_t lines = CONTENT_SAMPLES / CONTENT_LINE - 2 * CONTENT_ENDS;
	const uint64_t end = CONTENT_ENDS * CONTENT_LINE;
	const uint64_t step = (bytes - 2 * end) / lines;

	for (uint64_t i = 0; i < CONTENT_ENDS; i++) {
		hash_line(hash, data + i * CONTENT_LINE);
		hash_line(hash, data + bytes - end + i * CONTENT_LINE);
	}
	for (uint64_t i = 0; i < lines; i++)
		hash_line(hash,
			  data + end + i * step + i * 2654435761u % (step - CONTENT_LINE + 1));
}

uint64_t content_hash(const uint8_t *data, uint64_t bytes, bool samples)
{
	struct content_hash hash;
	uint64_t at = 0;

	for (unsigned i = 0; i < LANES; i++)
		hash.lanes[i] = ARGS_HASH_START + i;
	if (samples) {
		hash_samples(&hash, data, bytes);
		at = bytes;
	}
	for (; bytes - at >= CONTENT_LINE; at += CONTENT_LINE)
		hash_line(&hash, data + at);
	return args_hash(args_hash(bytes, hash.lanes, sizeof(hash.lanes)), data + at, bytes - at);
}

/* Where the words are that are looked at: no step that rows of a matrix could have. */
uint64_t content_word_place(uint64_t bytes, unsigned i)
{
	const uint64_t slice = bytes / sizeof(uint64_t) / CONTENT_WORDS;

	return (i * slice + (2 * i + 1) * UINT64_C(2654435761) % slice) * sizeof(uint64_t);
}

uint64_t content_words_sign(const uint64_t words[CONTENT_WORDS])
{
	uint64_t sign = 0, byte;

	for (unsigned i = 0; i < CONTENT_WORDS; i++) {
		byte = words[i] * LANE_PRIME >> 56;
		sign |= (words[i] ? byte ? byte : 1 : 0) << 8 * i;
	}
	return sign;
}

bool content_words_safely(const uint8_t *data, uint64_t bytes, uint64_t *sign)
{
	uint64_t words[CONTENT_WORDS];
	struct iovec here = {words, sizeof(words)}, there[CONTENT_WORDS];
	int saved = errno;
	ssize_t copied;

	if (bytes < sizeof(words) || !sandbox_allows(SANDBOX_READ))
		return false;
	for (unsigned i = 0; i < CONTENT_WORDS; i++)
		there[i] = (struct iovec){(void *)(uintptr_t)(data + content_word_place(bytes, i)),
					  sizeof(*words)};
	copied = process_vm_readv(getpid(), &here, 1, there, CONTENT_WORDS, 0);
	errno = saved;
	if (copied != sizeof(words))
		return false;
	*sign = content_words_sign(words);
	return true;
}
