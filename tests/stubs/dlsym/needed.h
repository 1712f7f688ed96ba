/* SPDX-License-Identifier: MIT */
#ifndef TANDEM_TESTS_STUBS_DLSYM_NEEDED_H
#define TANDEM_TESTS_STUBS_DLSYM_NEEDED_H

int needed_word(void);
int needed_only(void);

#endif
