/* SPDX-License-Identifier: MIT */
/* What a doctor has found (setup/check.h), as text on stdout: by area, with what fixes it. */
#ifndef TANDEM_CLI_DOCTOR_CHECKS_TEXT_H
#define TANDEM_CLI_DOCTOR_CHECKS_TEXT_H

#include "setup/check.h"

void checks_print(const struct checks *checks);

#endif
