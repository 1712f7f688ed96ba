/* SPDX-License-Identifier: MIT */
#include "inquests.h"

#include <stdlib.h>

cl_mem filled(const struct app *app, size_t count, unsigned seed)
{
	float *data = floats(count, seed);
	cl_mem buffer = buffer_new(app, count * sizeof(*data));

	put_now(app->queue, buffer, count * sizeof(*data), data);
	free(data);
	return buffer;
}

unsigned char *text_new(size_t bytes, unsigned seed)
{
	unsigned char *text = memory(bytes);

	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 69069u + 12345u;
		text[i] = seed >> 29 ? (unsigned char)('a' + (seed >> 20) % 12) : ' ';
	}
	return text;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, inquest_##name, NULL},
		INQUESTS(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
