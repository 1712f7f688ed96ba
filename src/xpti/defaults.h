/* SPDX-License-Identifier: MIT */
/*
 * What a program that names no stream and no types reports as. Any thread.
 */
#ifndef XPTI_DEFAULTS_H
#define XPTI_DEFAULTS_H

#include <stdint.h>

/* 0: none. */
uint8_t defaults_stream(void);
void defaults_set_stream(uint8_t stream);

#endif
