/* SPDX-License-Identifier: MIT */
/* Whether programs find LTTng's session daemon: it makes a socket for them with the number of the
 * protocol that it speaks, and liblttng-ust looks for that of its own only. Programs of another
 * version register nowhere, and nobody says so.
 *
 *	status = lttng_version_check(&error);
 */
#ifndef TANDEM_RECORDER_LTTNG_VERSION_H
#define TANDEM_RECORDER_LTTNG_VERSION_H

#include "util/error.h"

/* While a daemon runs. 0, also where nothing is known of the daemon; -EPROTO: of other versions. */
int lttng_version_check(struct error *error);

#endif
