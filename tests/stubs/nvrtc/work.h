/* SPDX-License-Identifier: MIT */
#ifndef TANDEM_TESTS_STUBS_NVRTC_WORK_H
#define TANDEM_TESTS_STUBS_NVRTC_WORK_H

/* 0: all went as it should. */
int nvrtc_work(void);

#endif
