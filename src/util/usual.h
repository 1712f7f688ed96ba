/* SPDX-License-Identifier: MIT */
/* About the median of values that come one by one: half of them are below what steps up and down so
 * come to. One thread.
 *
 *	struct usual usual = {0};
 *
 *	usual_add(&usual, ns);
 *	... usual.value, of usual.count
 */
#ifndef TANDEM_UTIL_USUAL_H
#define TANDEM_UTIL_USUAL_H

#include <stdint.h>

#define USUAL_FIRST 16
#define USUAL_STEP_FIRST 4
#define USUAL_STEP 32

struct usual {
	int64_t value, count;
};

static inline void usual_add(struct usual *usual, int64_t value)
{
	int64_t step =
		usual->value / (usual->count < USUAL_FIRST ? USUAL_STEP_FIRST : USUAL_STEP) + 1;

	if (!usual->count++)
		usual->value = value;
	else if (value > usual->value)
		usual->value += step;
	else if (value < usual->value)
		usual->value -= step;
}

#endif
