/* SPDX-License-Identifier: MIT */
/* The ranges that bound the recording, `--capture nvtx:NAME`: it is on while one of that
 * name is open in some thread. All are called for every range, before the record of its
 * begin and after that of its end, so that the range itself is recorded. */
#ifndef TANDEM_DOMAINS_ANNOTATION_TRIGGER_H
#define TANDEM_DOMAINS_ANNOTATION_TRIGGER_H

#include <stdint.h>

#include "domains/annotation/text.h"

/* Nested ranges of this thread; each scope nests for itself. */
void annotation_trigger_push(uint32_t scope, const struct annotation_text *text);
void annotation_trigger_pop(uint32_t scope);

/* Start-end ranges, of any thread, by number. */
void annotation_trigger_start(uint64_t range, const struct annotation_text *text);
void annotation_trigger_end(uint64_t range);

#endif
