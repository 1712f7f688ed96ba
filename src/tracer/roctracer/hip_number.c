/* SPDX-License-Identifier: MIT */
#include "tracer/roctracer/hip_number.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct number {
	uint32_t number, function;
};

/* hip_prof_str.h of rocm-6.0.0 and 6.0.2, and of rocm-6.2.0 to 6.2.2: 5.6 to 5.7.1, 6.1.0 to 6.1.2 and
 * 6.3 have the tracer's. What is moved away takes the place that was left. */
static const struct number rocm_6_0[] = {{365, 379}, {366, 365}, {367, 366}, {379, 367}, {0, 0}};
static const struct number rocm_6_2[] = {{393, 400}, {394, 401}, {395, 402}, {396, 403}, {397, 404},
					 {398, 405}, {399, 406}, {400, 393}, {401, 394}, {402, 395},
					 {403, 396}, {404, 397}, {405, 398}, {406, 399}, {0, 0}};
static const struct number as_the_tracer[] = {{0, 0}};

static const struct number *_Atomic numbers;

/* libamdhip64.so.6.2.60200, behind the names that lead to it. */
static int runtime_look(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;
	unsigned major = 0, minor = 0;
	char *real;

	(void)size;
	if (strncmp(name, "libamdhip64.so", strlen("libamdhip64.so")) != 0)
		return 0;
	real = realpath(info->dlpi_name, NULL);
	name = real ? strrchr(real, '/') : NULL;
	if (name && sscanf(name, "/libamdhip64.so.%u.%u", &major, &minor) == 2 && major == 6 &&
	    (minor == 0 || minor == 2))
		*(const struct number **)data = minor ? rocm_6_2 : rocm_6_0;
	else
		*(const struct number **)data = as_the_tracer;
	free(real);
	return 1;
}

void hip_number_begin(void)
{
	const struct number *found = NULL;

	if (!atomic_load(&numbers) && dl_iterate_phdr(runtime_look, &found))
		atomic_store(&numbers, found);
}

uint32_t hip_number_of(uint32_t function)
{
	const struct number *at = atomic_load_explicit(&numbers, memory_order_acquire);

	for (; at && at->number; at++)
		if (at->function == function)
			return at->number;
	return function;
}

uint32_t hip_number_function(uint32_t number)
{
	const struct number *at = atomic_load_explicit(&numbers, memory_order_acquire);

	for (; at && at->number; at++)
		if (at->number == number)
			return at->function;
	return number;
}
