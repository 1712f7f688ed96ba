/* SPDX-License-Identifier: MIT */
/*
 * Blocks of 64 KiB for tables that may grow large: zeros, and with pages behind them, because a
 * fault for each page costs more than what is stored in it. (Not huge pages: where memory is
 * fragmented the kernel stops the program to make one.) What is put back is used again.
 */
#ifndef XPTI_BLOCKS_H
#define XPTI_BLOCKS_H

#define BLOCK_BYTES (64 * 1024)

/* NULL: no memory. Takes a lock; for callers that hold a table's. */
void *block_get(void);
void block_put(void *block);

/* Around fork(). */
void blocks_lock(void);
void blocks_unlock(void);

#endif
