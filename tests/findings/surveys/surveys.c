/* SPDX-License-Identifier: MIT */
#include "surveys.h"

#include <stdlib.h>

cl_mem numbers(const struct app *app, size_t count, unsigned seed)
{
	float *data = floats(count, seed);
	cl_mem buffer = buffer_new(app, count * sizeof(*data));

	put_now(app->queue, buffer, count * sizeof(*data), data);
	free(data);
	return buffer;
}

double sum_of(const struct app *app, cl_mem buffer, size_t count)
{
	float *data = memory(count * sizeof(*data));
	double sum;

	get(app->queue, buffer, count * sizeof(*data), data);
	sum = total(data, count);
	free(data);
	return sum;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, survey_##name, NULL},
		SURVEYS(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
