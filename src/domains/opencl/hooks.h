/* SPDX-License-Identifier: MIT */
/* What the generated wrappers and records call, and with it the rules (opencl.rules):
 * the parts of the OpenCL domain. Everything here runs in the program's own calls,
 * under the rules at the top of core/stream/stream.h. Real functions are called through
 * opencl_next, which no wrapper of ours is in.
 *
 *   gen/          wrappers, records, the table of next functions (tools/apigen)
 *   layer.c       the layer's entry points: libtandem-opencl.so
 *   loader.h      the real functions, and the two ways in
 *   recording.h   whether OpenCL is recorded
 *   query.h       what a driver says of its objects
 *   timer.h       a device's clock read beside ours
 *   queue.h       queues; queue_calls.c: forced profiling and its hiding
 *   *_calls.c     calls that are not only recorded: about queues, events, memory
 *   command.h     commands
 *   event.h       events that no command made
 *   describe.h    devices, contexts, programs, kernels as records
 *   memory.h, build.c   allocations and frees; builds
 *   extension.c   functions that a driver hands out by name
 */
#ifndef TANDEM_OPENCL_HOOKS_H
#define TANDEM_OPENCL_HOOKS_H

#include "core/call/call.h"
#include "domains/opencl/command.h"
#include "domains/opencl/describe.h"
#include "domains/opencl/event.h"
#include "domains/opencl/memory.h"
#include "domains/opencl/queue.h"
#include "domains/opencl/recording.h"

#endif
