/* SPDX-License-Identifier: MIT */
/* Runtimes by their titles, for sentences: "OpenCL, CUDA or HIP".
 *
 *	domain_titles_add(&text, domain_titles_runtimes(mask), "or");
 */
#ifndef TANDEM_CLI_DOMAIN_TITLES_H
#define TANDEM_CLI_DOMAIN_TITLES_H

#include <stdint.h>

#include "util/text.h"

/* Those of a mask of domains (1 << number) that are runtimes of their own. */
uint64_t domain_titles_runtimes(uint64_t domains);

/* Adds the titles by number, the last after `word`; nothing for 0. */
void domain_titles_add(struct text *text, uint64_t domains, const char *word);

#endif
