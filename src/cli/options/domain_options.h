/* SPDX-License-Identifier: MIT */
/* What `tandem record` is told about domains: which are recorded (--domains), what of
 * each (--cuda LIST and its like, one option for each row of schema/domains.def that has
 * choices), and what of the program's own marks bounds the recording (--capture).
 *
 * Lists are words separated by commas; with a minus before the first, what is on by
 * itself is changed by them instead. Functions return 0, or -EINVAL after a line that
 * says what was wrong.
 */
#ifndef TANDEM_CLI_DOMAIN_OPTIONS_H
#define TANDEM_CLI_DOMAIN_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/options/options.h"
#include "schema/domain.h"

/* 1 << number for all that --domains can name. */
uint64_t domain_options_all(void);
int domain_options_parse(const char *list, uint64_t *mask);

/* A row with choices; --NAME LIST. */
int domain_choices_parse(const struct tandem_domain_row *row, const char *list, uint32_t *mask);

/* What --domains takes: option_word_at. */
const char *domain_options_word(size_t number, const char **about);

/* The options of the rows with choices, and which row that is; NULL behind the last. */
const struct option_row *domain_options_row(size_t number);
const struct tandem_domain_row *domain_options_domain(size_t number);

/* What --capture takes: option_word_at. */
const char *capture_word(size_t number, const char **about);
int capture_parse(const char *text, char *capture, size_t bytes);

#endif
