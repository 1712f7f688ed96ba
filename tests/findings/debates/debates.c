/* SPDX-License-Identifier: MIT */
#include "debates.h"

#include <stdlib.h>

cl_mem loaded(const struct app *app, size_t count, unsigned seed)
{
	cl_mem buffer = buffer_new(app, count * sizeof(float));
	float *data = floats(count, seed);

	put_now(app->queue, buffer, count * sizeof(float), data);
	free(data);
	return buffer;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, debate_##name, NULL},
		DEBATES(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
