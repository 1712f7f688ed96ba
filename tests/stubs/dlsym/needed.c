/* SPDX-License-Identifier: MIT */
/* What the library that looks symbols up is linked to. */
#include "needed.h"

__attribute__((visibility("default"))) int needed_word(void)
{
	return 2;
}

__attribute__((visibility("default"))) int needed_only(void)
{
	return 3;
}
