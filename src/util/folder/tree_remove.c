/* SPDX-License-Identifier: MIT */
#include "util/folder/tree_remove.h"

#include <ftw.h>
#include <stdio.h>

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

void tree_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
