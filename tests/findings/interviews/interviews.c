/* SPDX-License-Identifier: MIT */
#include "interviews.h"

#include <stdlib.h>

uint32_t *words_new(size_t count, uint32_t seed)
{
	uint32_t *words = memory(count * sizeof(*words));

	for (size_t i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		words[i] = seed >> 4;
	}
	return words;
}

cl_mem words_buffer(const struct app *app, size_t count, uint32_t seed)
{
	uint32_t *words = words_new(count, seed);
	cl_mem buffer = buffer_new(app, count * sizeof(*words));

	put_now(app->queue, buffer, count * sizeof(*words), words);
	free(words);
	return buffer;
}

double words_sum(const uint32_t *words, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += words[i] & 0xffff;
	return sum;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, interview_##name, NULL},
		INTERVIEWS(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
