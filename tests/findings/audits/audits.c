/* SPDX-License-Identifier: MIT */
#include "audits.h"

#include <stdlib.h>

cl_mem loaded(const struct app *app, size_t count, unsigned seed)
{
	float *data = floats(count, seed);
	cl_mem buffer = buffer_new(app, count * sizeof(*data));

	put_now(app->queue, buffer, count * sizeof(*data), data);
	free(data);
	return buffer;
}

cl_mem zeroed(const struct app *app, size_t bytes)
{
	void *data = memory(bytes);
	cl_mem buffer = buffer_new(app, bytes);

	put_now(app->queue, buffer, bytes, data);
	free(data);
	return buffer;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, audit_##name, NULL},
		AUDITS(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
