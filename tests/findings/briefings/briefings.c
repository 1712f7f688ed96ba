/* SPDX-License-Identifier: MIT */
#include "briefings.h"

void picture(uint8_t *pixels, size_t count, int number)
{
	unsigned step = (unsigned)number * 2 + 3;

	for (size_t i = 0; i < count; i++)
		pixels[i] = (uint8_t)((unsigned)i * step >> 4);
	pixels[0] = (uint8_t)number;
}

cl_mem loaded(const struct app *app, size_t bytes, const void *data)
{
	cl_mem buffer = buffer_new(app, bytes);

	put_now(app->queue, buffer, bytes, data);
	return buffer;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, briefing_##name, NULL},
		BRIEFINGS(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
