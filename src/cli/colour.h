/* SPDX-License-Identifier: MIT */
/* Colours of a terminal, as few as make a table easier to read: "" where there
 * are none (cli_colour() says). */
#ifndef TANDEM_CLI_COLOUR_H
#define TANDEM_CLI_COLOUR_H

#include <stdbool.h>

/* ECMA-48, 8.3.117 (SGR). */
#define COLOUR_BOLD "\033[1m"
#define COLOUR_DIM "\033[2m"
#define COLOUR_RED "\033[31m"
#define COLOUR_YELLOW "\033[33m"
#define COLOUR_CYAN "\033[36m"

static inline const char *colour_begin(bool on, const char *code)
{
	return on ? code : "";
}

static inline const char *colour_end(bool on)
{
	return on ? "\033[0m" : "";
}

#endif
