/* SPDX-License-Identifier: MIT */
/* libtandem-xpti.so: a subscriber of XPTI, which leads into libtandem.so.
 *
 * A library of its own, named in XPTI_SUBSCRIBERS and never preloaded: its two entry points
 * are every subscriber's, and a preloaded library that had them would answer in their place. */
#include "domains/sycl/attach.h"
#include "xpti/xpti_trace_framework.h"

void xptiTraceInit(unsigned major, unsigned minor, const char *version, const char *stream)
{
	(void)major;
	(void)minor;
	(void)version;
	tandem_sycl_stream(stream);
}

/* May come after static destructors. What is recorded is in the files already. */
void xptiTraceFinish(const char *stream)
{
	(void)stream;
}
