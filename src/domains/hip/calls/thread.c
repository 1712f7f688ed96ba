/* SPDX-License-Identifier: MIT */
#include "domains/hip/calls/thread.h"

__thread struct hip_thread hip_thread __attribute__((tls_model("initial-exec")));
