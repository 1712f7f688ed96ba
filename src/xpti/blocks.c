/* SPDX-License-Identifier: MIT */
#include "blocks.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "spinlock.h"

static struct spinlock lock;
static void *returned; /* linked by their first word */

void *block_get(void)
{
	void *block;

	spin_lock(&lock);
	block = returned;
	if (block)
		memcpy(&returned, block, sizeof(returned));
	spin_unlock(&lock);
	if (block)
		return memset(block, 0, BLOCK_BYTES);
	block = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return block == MAP_FAILED ? NULL : block;
}

void block_put(void *block)
{
	spin_lock(&lock);
	memcpy(block, &returned, sizeof(returned));
	returned = block;
	spin_unlock(&lock);
}

void blocks_lock(void)
{
	spin_lock(&lock);
}

void blocks_unlock(void)
{
	spin_unlock(&lock);
}
