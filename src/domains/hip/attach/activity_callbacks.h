/* SPDX-License-Identifier: MIT */
/* The first way in, up to HIP 5.3: a callback for each function, one that makes room for
 * its arguments, and one for operations that have ended. */
#ifndef TANDEM_DOMAINS_HIP_ACTIVITY_CALLBACKS_H
#define TANDEM_DOMAINS_HIP_ACTIVITY_CALLBACKS_H

/* 0; -ENOSYS: the runtime has none. Functions that it refuses are reported. */
int hip_activity_callbacks_begin(void);

#endif
