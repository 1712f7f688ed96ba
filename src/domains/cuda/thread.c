/* SPDX-License-Identifier: MIT */
#include "domains/cuda/thread.h"

__thread struct cuda_thread cuda_thread __attribute__((tls_model("initial-exec")));
