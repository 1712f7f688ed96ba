/* SPDX-License-Identifier: MIT */
/* Transfers of a box whose rows are a few bytes each: they move at a fraction of the rate at which one
 * piece does. Memory grows with such calls whose command is on its way. One thread.
 *
 *	struct rows rows = {0};
 *
 *	rows_call(&rows, item);				each call
 *	if (rows_take(&rows, operation))		each transfer: whether it is such a one
 *		transfer_class_add(&class, operation, exposed_ns);
 *	rows_add(findings, device, kind, &class, best);	at the end
 *	rows_free(&rows);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_ROWS_H
#define TANDEM_ANALYSIS_FINDINGS_ROWS_H

#include "analysis/findings/finding.h"
#include "analysis/findings/transfers/transfer_class.h"
#include "util/map.h"

struct rows {
	struct map narrow; /* call -> its box */
};

/* Returns 0 or -ENOMEM. */
int rows_call(struct rows *rows, const struct event_item *item);

bool rows_take(struct rows *rows, const struct operation *operation);

/* `best`: what one piece reached, or the link carries, bytes a ns. Returns 0 or -ENOMEM. */
int rows_add(struct findings *findings, uint32_t device, uint8_t kind,
	     const struct transfer_class *class, double best);

void rows_free(struct rows *rows);

#endif
