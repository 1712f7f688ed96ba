/* SPDX-License-Identifier: MIT */
/* How arguments become elements of a record: core/call/args.h, opencl/shape.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/call/args.h"
#include "domains/opencl/calls/shape.h"

static int failed;

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			failed = 1;                                            \
		}                                                              \
	} while (0)

static void count_test(void)
{
	const size_t sizes[] = {1, 2, 3};

	CHECK(args_count(3, sizes, 255) == 3);
	CHECK(args_count(300, sizes, 255) == 255);
	CHECK(args_count(1ull << 40, sizes, 255) == 255);
	CHECK(args_count(3, NULL, 255) == 0);
	CHECK(args_sizes_sum(3, sizes) == 6);
	CHECK(args_sizes_sum(3, NULL) == 0);
	tandem_control.max_string_bytes = 64;
	CHECK(args_cut(8) == 8);
	tandem_control.max_string_bytes = UINT32_MAX;
	CHECK(args_cut(1) == UINT16_MAX);
}

static void list_test(void)
{
	const uint64_t pairs[] = {0x1093, 0, 0x1094, 7, 0, 99};

	/* A value of 0 does not end a list of pairs; a name does. */
	CHECK(args_pairs_count(pairs, 100) == 4);
	CHECK(args_pairs_count(pairs, 3) == 2);
	CHECK(args_pairs_count(pairs, 1) == 0);
	CHECK(args_pairs_count(NULL, 100) == 0);
	CHECK(args_list0_count(pairs, 100) == 1);
	CHECK(args_list0_count(pairs + 2, 1) == 1);
	CHECK(args_list0_count(NULL, 100) == 0);
}

static void texts_test(void)
{
	/* The second has no NUL, the third none to look for, the fourth is missing. */
	const char open[2] = {'d', 'e'};
	const char *texts[] = {"abc", open, "fghijk", NULL};
	const size_t lengths[] = {0, 2, 3, 5};
	char out[16];

	CHECK(args_text_count("abcdef", 4) == 4);
	CHECK(args_text_count("ab", 4) == 2);
	CHECK(args_text_count(NULL, 4) == 0);
	CHECK(args_texts_bytes(4, texts, lengths) == 8);
	CHECK(args_texts_bytes(1, texts, NULL) == 3);
	CHECK(args_texts_bytes(4, NULL, lengths) == 0);
	CHECK(args_texts_count(4, texts, lengths, 100) == 8);
	for (uint32_t most = 0; most <= 8; most++) {
		memset(out, '?', sizeof(out));
		CHECK(args_texts_count(4, texts, lengths, most) == most);
		CHECK((char *)args_texts_put(out, 4, texts, lengths, most) == out + most);
		CHECK(!memcmp(out, "abcdefgh", most) && out[most] == '?');
	}
}

static uint32_t word(const uint8_t *at, unsigned i)
{
	uint32_t value;

	memcpy(&value, at + 4 * i, 4);
	return value;
}

static void shape_test(void)
{
	const size_t global[] = {1920, 1080, 3}, local[] = {16, 8, 65535}, zeros[3] = {0};
	const size_t huge[] = {5ull << 32 | 7, 1, 2}, wide[] = {65536, 1, 1}, moved[] = {0, 9, 0};
	struct opencl_shape shape;
	uint8_t out[64];

	opencl_shape_read(&shape, 3, zeros, global, local);
	CHECK(shape.globals == 3 && shape.locals == 3 && !shape.offsets && !shape.highs);
	CHECK(opencl_shape_bytes(&shape) == 18);
	CHECK(opencl_shape_put(out, &shape) == out + 18);
	CHECK(word(out, 0) == 1920 && word(out, 1) == 1080 && word(out, 2) == 3);
	CHECK(word(out, 3) == (8u << 16 | 16) && out[16] == 0xff && out[17] == 0xff);

	opencl_shape_read(&shape, 2, moved, global, NULL);
	CHECK(shape.globals == 2 && !shape.locals && shape.offsets == 2 && !shape.highs);
	CHECK(opencl_shape_put(out, &shape) == out + opencl_shape_bytes(&shape));
	CHECK(word(out, 2) == 0 && word(out, 3) == 9);

	/* What does not fit: low parts first, then all the high ones. */
	opencl_shape_read(&shape, 2, moved, huge, wide);
	CHECK(shape.highs == 6);
	CHECK(opencl_shape_put(out, &shape) == out + opencl_shape_bytes(&shape));
	CHECK(word(out, 0) == 7 && word(out, 1) == 1); /* global */
	CHECK(word(out, 2) == (1u << 16 | 0));	       /* local, two halves */
	CHECK(word(out, 3) == 0 && word(out, 4) == 9); /* offset */
	CHECK(word(out, 5) == 5 && word(out, 6) == 0); /* above: global */
	CHECK(word(out, 7) == 1 && word(out, 8) == 0); /* local */
	CHECK(word(out, 9) == 0 && word(out, 10) == 0);

	/* Errors of the program: nothing of its memory is read. */
	opencl_shape_read(&shape, 4, (void *)8, (void *)8, (void *)8);
	CHECK(opencl_shape_bytes(&shape) == 0);
	opencl_shape_read(&shape, 1, NULL, NULL, NULL);
	CHECK(opencl_shape_bytes(&shape) == 0 && opencl_shape_put(out, &shape) == out);
}

static void region_test(void)
{
	const size_t region[] = {16, 4, 2};

	CHECK(opencl_region_bytes(region) == 128);
	CHECK(opencl_region_bytes(NULL) == 0);
	CHECK(opencl_sub_buffer_word(OPENCL_BUFFER_CREATE_TYPE_REGION, region, 1) == 4);
	CHECK(opencl_sub_buffer_word(0, region, 1) == 0);
	CHECK(opencl_sub_buffer_word(OPENCL_BUFFER_CREATE_TYPE_REGION, NULL, 1) == 0);
}

int main(void)
{
	count_test();
	list_test();
	texts_test();
	shape_test();
	region_test();
	return failed;
}
