/* SPDX-License-Identifier: MIT */
#ifndef TANDEM_TESTS_STUBS_CHIP_WORK_H
#define TANDEM_TESTS_STUBS_CHIP_WORK_H

/* 0: all went as it should. */
int chip_work(void);

#endif
