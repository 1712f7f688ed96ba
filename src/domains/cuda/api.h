/* SPDX-License-Identifier: MIT */
/* The two APIs' functions by CUPTI's callback id: what their records are and how
 * they are filled from the arguments. Tables in gen/api.c; call.c walks them. */
#ifndef TANDEM_DOMAINS_CUDA_API_H
#define TANDEM_DOMAINS_CUDA_API_H

#include <stdint.h>

enum cuda_step_kind {
	CUDA_STEP_COPY,	 /* the argument's bytes as they lie */
	CUDA_STEP_ZERO,	 /* this version of the function has no such argument */
	CUDA_STEP_QUEUE, /* our number of a stream; of an event; of the launch's kernel */
	CUDA_STEP_EVENT,
	CUDA_STEP_KERNEL,
	CUDA_STEP_TEXT, /* a string behind the fixed part; here its length */
};

#define CUDA_STEP_DIRECT UINT16_MAX

struct cuda_step {
	uint8_t kind;	 /* enum cuda_step_kind */
	uint8_t bytes;	 /* that it fills */
	uint16_t at;	 /* offset in the arguments */
	uint16_t inside; /* the argument is a pointer: offset behind it */
};

/* Flags of a function. */
#define CUDA_QUIET 1u		 /* recorded only when all calls are asked for ... */
#define CUDA_QUERY 8u		 /* ... or queries are */
#define CUDA_PER_THREAD 2u	 /* stream 0 is the thread's own */
#define CUDA_NO_STATUS 16u	 /* returns something else, or nothing */
#define CUDA_HOOK 4u		 /* heard under the runtime's calls too: memory, captures, marks */
#define CUDA_CONTENT 32u	 /* it moves to the device what calls/content.h looks at ... */
#define CUDA_CONTENT_READ 64u	 /* ... or to the host, where it is when the function returns */
#define CUDA_CONTENT_LATER 128u	 /* ... or where it is when the thread has waited for it */
#define CUDA_WAITS_QUEUE 256u	 /* it waits for all of the stream that it is given ... */
#define CUDA_WAITS_DEVICE 512u	 /* ... or of the device */
#define CUDA_CONTENT_ROWS 1024u	 /* as CUDA_CONTENT, of rows: to linear memory ... */
#define CUDA_CONTENT_ARRAY 2048u /* ... or to an array */
#define CUDA_CONTENT_BOX 4096u	 /* what a struct says, to the device or as CUDA_CONTENT_READ ... */
#define CUDA_CONTENT_BOX_LATER 8192u  /* ... or as CUDA_CONTENT_LATER */
#define CUDA_CONTENT_DRIVER_2D 16384u /* the struct is the driver's: CUDA_MEMCPY2D ... */
#define CUDA_CONTENT_DRIVER_3D 32768u /* ... or CUDA_MEMCPY3D */

struct cuda_api {
	uint16_t id; /* event; 0: no such callback */
	uint16_t flags;
	uint8_t class;
	struct {
		uint16_t first; /* in cuda_steps */
		uint8_t count;
		uint8_t bytes; /* of the fixed part behind the call's own */
	} level[3];	       /* by enum tandem_args_level */
	/* Of an enqueue: where its arguments say how much; 0: they do not. Nothing
	 * to do makes no operation. */
	uint16_t sizes[2];
};

extern const struct cuda_step cuda_steps[];
extern const struct cuda_api cuda_driver_api[];
extern const uint32_t cuda_driver_api_count;
extern const struct cuda_api cuda_runtime_api[];
extern const uint32_t cuda_runtime_api_count;

#endif
