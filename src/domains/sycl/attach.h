/* SPDX-License-Identifier: MIT */
/* What libtandem-xpti.so, the subscriber of XPTI, calls in libtandem.so. */
#ifndef TANDEM_DOMAINS_SYCL_ATTACH_H
#define TANDEM_DOMAINS_SYCL_ATTACH_H

/* A stream begins: subscribes to it, if it is one that is recorded. Any thread. */
__attribute__((visibility("default"))) void tandem_sycl_stream(const char *stream);

#endif
