/* SPDX-License-Identifier: MIT */
/* A library with one entry point of a subscriber. */
__attribute__((visibility("default"))) void ENTRY(void);

void ENTRY(void)
{
}
