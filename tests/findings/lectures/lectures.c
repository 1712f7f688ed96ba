/* SPDX-License-Identifier: MIT */
#include "lectures.h"

#include <stdlib.h>

cl_mem filled(const struct app *app, size_t count, unsigned seed)
{
	float *data = floats(count, seed);
	cl_mem buffer = buffer_new(app, count * sizeof(*data));

	put_now(app->queue, buffer, count * sizeof(*data), data);
	free(data);
	return buffer;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, lecture_##name, NULL},
		LECTURES(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
