/* SPDX-License-Identifier: MIT */
/* A library whose name begins as libnvrtc's does, and that has none of its functions: NVRTC's
 * built-in functions are one. */
int helper(void);

__attribute__((visibility("default"))) int helper(void)
{
	return 1;
}
