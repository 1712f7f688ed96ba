/* SPDX-License-Identifier: MIT */
#ifndef TANDEM_TESTS_STUBS_KFD_WORK_H
#define TANDEM_TESTS_STUBS_KFD_WORK_H

/* 0: all went as it should. 2: there is no driver. */
int kfd_work(void);

#endif
