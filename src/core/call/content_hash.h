/* SPDX-License-Identifier: MIT */
/* A hash of the bytes that a transfer moves: the same for the same bytes. Of many, samples can do. */
#ifndef TANDEM_CORE_CALL_CONTENT_HASH_H
#define TANDEM_CORE_CALL_CONTENT_HASH_H

#include <stdbool.h>
#include <stdint.h>

/* So much is looked at as a whole: few bytes that change are seen, in 7 us at most. Of more, so much
 * in lines of memory: 30 us for each MiB would be the program's host at work, to who looks at it. */
#define CONTENT_WHOLE (1u << 18)
#define CONTENT_SAMPLES 65536u

/* `bytes` of memory at `data`, which can be read. `samples`: CONTENT_SAMPLES of them, of more than
 * CONTENT_WHOLE; else all. Any thread. */
uint64_t content_hash(const uint8_t *data, uint64_t bytes, bool samples);

/* Eight words of it, of CONTENT_LEAST bytes and more: where each is, and a byte for each of them. How many are the same
 * in another content of as many bytes says how much of it changed. 0: the word is 0, as in all that is not filled.
 * Any thread. */
#define CONTENT_WORDS 8u
uint64_t content_word_place(uint64_t bytes, unsigned i);
uint64_t content_words_sign(const uint64_t words[CONTENT_WORDS]);

/* That of memory that may be gone by now: then false. A system call. */
bool content_words_safely(const uint8_t *data, uint64_t bytes, uint64_t *words);

#endif
