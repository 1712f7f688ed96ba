/* SPDX-License-Identifier: MIT */
/* The second way in: hipRegisterTracerCallback(), HIP 5.4 and later. One function of ours is
 * asked at each API call whether it is wanted, and given each operation that has ended.
 * What the runtime then calls at entry and exit, it reads from behind the call's
 * arguments, at an offset that depends on its version. */
#ifndef TANDEM_DOMAINS_HIP_TRACER_CALLBACK_H
#define TANDEM_DOMAINS_HIP_TRACER_CALLBACK_H

/* 0; -ENOSYS: the runtime has none, or of a version whose layout is not known. */
int hip_tracer_begin(void);

#endif
