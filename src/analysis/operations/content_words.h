/* SPDX-License-Identifier: MIT */
/* What the words of two contents say (`words` of `content` and the like: a byte for each of eight words at
 * the same places, 0 of a word that is 0). */
#ifndef TANDEM_ANALYSIS_OPERATIONS_CONTENT_WORDS_H
#define TANDEM_ANALYSIS_OPERATIONS_CONTENT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* So many of eight are as they were: most of it is. */
#define CONTENT_WORDS_ALIKE 6u

/* Words that are not 0, and the same in both. */
static inline unsigned content_words_alike(uint64_t one, uint64_t other)
{
	unsigned alike = 0;

	for (unsigned i = 0; i < 64; i += 8)
		alike += (one >> i & 0xff) && (one >> i & 0xff) == (other >> i & 0xff);
	return alike;
}

static inline bool content_words_mostly(uint64_t one, uint64_t other)
{
	return content_words_alike(one, other) >= CONTENT_WORDS_ALIKE;
}

/* Whether contents that are not the same would hardly have these same words. */
static inline bool content_words_tell(uint64_t words)
{
	bool differ = false;

	for (unsigned i = 8; i < 64; i += 8)
		differ |= (words >> i & 0xff) != (words & 0xff);
	return differ && content_words_mostly(words, words);
}

#endif
