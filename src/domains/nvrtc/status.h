/* SPDX-License-Identifier: MIT */
/* Some of what NVRTC's functions return (nvrtcResult; nvrtc.api has all). */
#ifndef TANDEM_DOMAINS_NVRTC_STATUS_H
#define TANDEM_DOMAINS_NVRTC_STATUS_H

enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_PROGRAM = 4,
	NVRTC_ERROR_INTERNAL_ERROR = 11,
};

#endif
