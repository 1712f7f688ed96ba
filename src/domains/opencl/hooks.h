/* SPDX-License-Identifier: MIT */
/* What the generated wrappers and records call, and with it the rules (opencl.rules):
 * the parts of the OpenCL domain. Everything here runs in the program's own calls,
 * under the rules at the top of core/stream/stream.h. Real functions are called through
 * opencl_next, which no wrapper of ours is in.
 *
 *   gen/          wrappers, records, the table of next functions (tools/apigen)
 *   attach/       the layer's entry points (libtandem-opencl.so), the real functions and
 *                 the two ways in, functions that a driver hands out by name
 *   calls/        calls that are not only recorded: about queues (forced profiling and its
 *                 hiding), events, memory; builds
 *   recording.h   whether OpenCL is recorded
 *   query.h       what a driver says of its objects
 *   timer.h       a device's clock read beside ours
 *   queue.h       queues
 *   command.h     commands
 *   content.h     what transfers move
 *   mapped.h      what is written to memory that is mapped
 *   shared.h      memory that has an address on the host and the device, and what copies bring there
 *   event.h       events that no command made
 *   describe.h    devices, contexts, programs, kernels as records
 *   memory.h      allocations and frees
 *   source/       what the kernels of a source only read
 */
#ifndef TANDEM_OPENCL_HOOKS_H
#define TANDEM_OPENCL_HOOKS_H

#include "core/call/call.h"
#include "domains/opencl/command.h"
#include "domains/opencl/content.h"
#include "domains/opencl/describe.h"
#include "domains/opencl/event.h"
#include "domains/opencl/mapped.h"
#include "domains/opencl/memory.h"
#include "domains/opencl/queue.h"
#include "domains/opencl/recording.h"
#include "domains/opencl/shared.h"
#include "domains/opencl/source/arguments.h"

#endif
