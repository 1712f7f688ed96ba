/* SPDX-License-Identifier: MIT */
/* A recording of what CUPTI told on a machine with a GPU (tests/hw/cuda/dump.c),
 * told again without one. Parts that share this header:
 *
 *   libcuda.so.1     the few functions of the driver that a tool asks; its
 *                    cuInit() injects the tool as the driver does
 *   libcupti.so.13   subscriber, callbacks, activity buffers
 *   replay FILE      the program: initialises CUDA and has the stub CUPTI tell
 *                    the file's lines, one by one, in one thread
 *   odd CASE         a program for which CUPTI hands over what a tool may not
 *                    expect (odd.c)
 *   parameters CASE  a program that launches kernels (parameters.c)
 *   faulty CASE      a program with one fault, on a device that keeps its own time
 *                    (faulty.c)
 *
 * What CUPTI may do wrong is asked for by STUB_CUPTI, words separated by commas:
 *
 *   busy             the subscription fails: another tool is there
 *   fail=FUNCTION    this function returns an error
 *   old              it is of CUDA 11
 *   noclock          it takes no clock of the tool's
 *   small=BYTES      buffers are called full at this size
 *   late             activity comes only when the tool flushes by force
 *   reverse          the records of a buffer come in the reverse order
 *   drop=N           every N-th activity record is dropped, and counted
 *   fatal            a fatal error is told in the middle
 *   record=WHAT      of every buffer's third record: `invalid` (it can't be read),
 *                    `again` (the second once more) or `null`
 *   words=WHAT       the words of a result are `null`, or `left` as they were
 */
#ifndef TANDEM_TESTS_STUBS_CUDA_REPLAY_H
#define TANDEM_TESTS_STUBS_CUDA_REPLAY_H

#include <stddef.h>
#include <stdint.h>

/* What the program tells libcupti.so.13 (by dlsym()). */
struct stub_cupti {
	/* An enabled callback reaches the tool; or any does. */
	void (*callback)(uint32_t domain, uint32_t id, const void *data);
	void (*any_callback)(uint32_t domain, uint32_t id, const void *data);
	/* A record of the device, if its kind is enabled; or any. */
	void (*activity)(const void *record, size_t bytes);
	void (*any_activity)(const void *record, size_t bytes);
	/* A buffer that was never asked for is given back. */
	void (*no_buffer)(void);
	/* Answers of cuptiGetStreamIdEx() and its like. */
	void (*stream)(void *context, void *stream, int per_thread, uint32_t id);
	void (*context)(void *context, uint32_t id, uint32_t device);
	void (*version)(uint32_t version);
};

/* What it tells libcuda.so.1. */
struct stub_cuda {
	void (*version)(int version);
	void (*device)(int device, const char *name);
	void (*memory)(int device, size_t bytes);
	void (*attribute)(int device, int attribute, int value);
	/* A handle of a CUkernel or CUfunction, and its parameters' sizes, which stay where they are. */
	void (*function)(const void *handle, int is_kernel, unsigned count, const size_t *sizes);
};

const struct stub_cupti *stub_cupti_get(void);
const struct stub_cuda *stub_cuda_get(void);

#endif
