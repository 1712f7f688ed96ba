/* SPDX-License-Identifier: MIT */
/* What there is in the body of a kernel (enum kernel_body of schema/events/core.events), by its text. No
 * memory of its own; reads text that the program owns. */
#ifndef TANDEM_DOMAINS_OPENCL_SOURCE_BODY_H
#define TANDEM_DOMAINS_OPENCL_SOURCE_BODY_H

#include "domains/opencl/source/tokens.h"
#include "schema/gen/core_records.h"

/* Whether a word outside of kernels is none of those that body.c looks for: what a kernel calls has none. */
bool source_is_plain(const struct token *token);

/* `body` is behind the brace that opens it, `text` the whole source. `plain_before`: all words before it are
 * plain that are outside of kernels. */
enum tandem_kernel_body source_body(struct tokens body, const char *text, size_t bytes,
				    bool plain_before);

#endif
