/* SPDX-License-Identifier: MIT */
/* What is kept of the runtime's addresses and ids: a value by key, any thread, without a lock
 * and without malloc. Keys stay where they once are and values are replaced: the runtime uses
 * its addresses again, so the table grows with what is alive at one time.
 *
 *	static struct sycl_table nodes;
 *
 *	sycl_table_set(&nodes, (uintptr_t)event, number);
 *	number = sycl_table_get(&nodes, (uintptr_t)event);	// 0: nothing set
 */
#ifndef TANDEM_DOMAINS_SYCL_TABLE_H
#define TANDEM_DOMAINS_SYCL_TABLE_H

#include <stdatomic.h>
#include <stdint.h>

#define SYCL_TABLES 12u /* each four times the one before */

struct sycl_table_slot {
	_Atomic uint64_t key, value;
};

struct sycl_table {
	struct sycl_table_slot *_Atomic slots[SYCL_TABLES];
	_Atomic uint64_t taken[SYCL_TABLES];
	_Atomic uint32_t count; /* of tables */
};

/* A key is not 0. Without memory the value is not set, which is counted. */
void sycl_table_set(struct sycl_table *table, uint64_t key, uint64_t value);
uint64_t sycl_table_get(struct sycl_table *table, uint64_t key);

#endif
