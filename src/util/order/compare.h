/* SPDX-License-Identifier: MIT */
/* Two values in ascending order, as a comparison for qsort() returns it: negative, 0, positive.
 *
 *	return COMPARE(left->begin_ns, right->begin_ns)
 *	       ?: COMPARE(right->bytes, left->bytes) // of those the largest first
 *	       ?: strcmp(left->name, right->name);
 *
 * Each argument is evaluated twice. */
#ifndef TANDEM_UTIL_ORDER_COMPARE_H
#define TANDEM_UTIL_ORDER_COMPARE_H

#define COMPARE(left, right) ((left) < (right) ? -1 : (left) > (right))

#endif
