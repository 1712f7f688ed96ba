/* SPDX-License-Identifier: MIT */
#include "workloads.h"

float *new_field(size_t count, unsigned seed)
{
	float *field = memory(count * sizeof(*field));

	for (size_t i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		field[i] = (float)(seed >> 8) / 16777216.0f;
	}
	return field;
}

void host_work(float *data, size_t count, int rounds)
{
	while (rounds--)
		for (size_t i = 0; i < count; i++) {
			data[i] = data[i] * 0.5f + (float)(i & 15) * 0.03125f;
			__asm__ volatile("" ::: "memory");
		}
}

static const struct app_entry entries[] = {
	{"pinned_start", workload_pinned_start, pinned_start_early},
#define X(name) {#name, workload_##name, NULL},
	WORKLOADS(X)
#undef X
};

int main(int argc, char **argv)
{
	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
