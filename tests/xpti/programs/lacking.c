/* SPDX-License-Identifier: MIT */
/* A library with the names of a dispatcher, but for one. A proxy must not call any of them. */
#include <stdlib.h>

#include "../../../src/xpti/functions.h"

#define xptiFindEvent xptiFindEventOfAnotherVersion

#define X(name, since)                                          \
	__attribute__((visibility("default"))) void name(void); \
	void name(void)                                         \
	{                                                       \
		abort();                                        \
	}
XPTI_REQUIRED_FUNCTIONS(X)
