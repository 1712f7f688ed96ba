/* SPDX-License-Identifier: MIT */
#include "reviews.h"

void put_at(cl_command_queue queue, cl_mem buffer, size_t at, size_t bytes, const void *data)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, at, bytes, data, 0, NULL, NULL));
}

float largest(const float *data, size_t count)
{
	float most = data[0];

	for (size_t i = 1; i < count; i++)
		most = data[i] > most ? data[i] : most;
	return most;
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
#define X(name) {#name, review_##name, NULL},
		REVIEWS(X)
#undef X
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
