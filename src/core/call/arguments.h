/* SPDX-License-Identifier: MIT */
/* The record of one API call, filled by a table of steps from a struct of the call's
 * arguments, as a runtime's callback or a wrapper of its dispatch table has them.
 * tools/apigen writes the tables.
 *
 *	static uint32_t number(enum arguments_kind kind, const void *handle);
 *
 *	arguments_begin(&call, &hip_functions[id], hip_steps, arguments, op, number);
 *	... the real call
 *	tandem_call_end(&call, status);
 *
 * Any thread; no malloc, no lock, no system call.
 */
#ifndef TANDEM_CORE_ARGUMENTS_H
#define TANDEM_CORE_ARGUMENTS_H

#include <stdint.h>

#include "core/call/call.h"

enum arguments_kind {
	ARGUMENTS_COPY, /* the argument's bytes */
	ARGUMENTS_ZERO, /* this version of the function has no such argument */
	ARGUMENTS_TEXT, /* a string behind the fixed part; here its length */
	/* A handle, of which the record has our number: the domain's to find. */
	ARGUMENTS_QUEUE,
	ARGUMENTS_EVENT,
	ARGUMENTS_KERNEL,
	ARGUMENTS_DEVICE,
	ARGUMENTS_MEMORY,
	ARGUMENTS_PROGRAM,
	ARGUMENTS_CONTEXT,
	ARGUMENTS_SYMBOL, /* a function of the host's that stands for a kernel */
};

struct arguments_step {
	uint8_t kind;  /* enum arguments_kind */
	uint8_t bytes; /* that it fills */
	uint16_t at;   /* offset in the struct of arguments */
};

/* Flags of a function. */
#define ARGUMENTS_QUIET 1u     /* recorded only when all calls are asked for */
#define ARGUMENTS_HOOK 2u      /* the domain looks at it too */
#define ARGUMENTS_NO_STATUS 4u /* returns something else, or nothing */
#define ARGUMENTS_NO_DEVICE 8u /* succeeds where there is no device */

struct arguments_function {
	uint16_t id; /* event; 0: there is no such function */
	uint8_t class;
	uint8_t flags;
	uint16_t args_bytes; /* of the struct of arguments, up to its last one */
	struct {
		uint16_t first; /* step */
		uint8_t count;
		uint8_t bytes; /* of the fixed part behind the call's own */
	} level[3];	       /* by enum tandem_args_level */
};

/* Begins the record; call->record is NULL where it can't be recorded (counted). `op` is
 * recorded where the function is an enqueue. Sinks get the arguments: they stay where they
 * are until the call has ended. A NULL `arguments` is recorded as zeros.
 * `number` is called outside of any record and may write its own. */
void arguments_begin(struct tandem_call *call, const struct arguments_function *function,
		     const struct arguments_step *steps, const void *arguments, uint64_t op,
		     uint32_t (*number)(enum arguments_kind kind, const void *handle));

/* The handle of the function's first argument of that kind, and where there is none,
 * `otherwise`. */
const void *arguments_handle(const struct arguments_function *function,
			     const struct arguments_step *steps, const void *arguments,
			     enum arguments_kind kind, const void *otherwise);

#endif
