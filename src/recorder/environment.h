/* SPDX-License-Identifier: MIT */
/* The environment of a program that is to be recorded: the caller's own, plus
 * what names the session and what brings libtandem.so into the process.
 *
 *   TANDEM_SESSION  the session's directory
 *   LD_PRELOAD      ours first, so that it catches the calls of programs that
 *                   are linked to the runtime, at the cost of one branch
 *   OPENCL_LAYERS   ours last: the loader puts each layer around the ones
 *                   before it, and the outermost sees the program's own calls,
 *                   those through dlopen() and dlsym() too
 *   CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH
 *                   ours: each holds one library, which CUDA's driver and each
 *                   user of NVTX load when the program first uses them. Another
 *                   tool's moves to TANDEM_CUDA_INJECTION, and our library brings
 *                   it in; NVTX can't be heard twice, so that there the other stays
 *   XPTI_SUBSCRIBERS, XPTI_FRAMEWORK_DISPATCHER, XPTI_TRACE_ENABLE
 *                   our subscriber behind the caller's, and our dispatcher unless the
 *                   caller has one; SYCL's runtime reads them, other programs do not
 *
 * A library that is there already is not named twice.
 */
#ifndef TANDEM_RECORDER_ENVIRONMENT_H
#define TANDEM_RECORDER_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"

struct environment {
	char **variables;	/* NULL-terminated; for exec */
	size_t count, capacity; /* without the NULL */
	struct arena arena;	/* those that are not the caller's own */
	bool failed;		/* out of memory */
};

/* What is to be brought in, and how. */
struct environment_request {
	const char *session; /* directory, absolute */
	const char *library;
	const char *layer;		     /* the OpenCL loader's; NULL: none */
	const char *subscriber, *dispatcher; /* of XPTI; NULL: none */
	bool preload;
	bool cuda, nvtx;
	bool layer_calls; /* of the layer below SYCL: Unified Runtime's tracing layer */
};

/* Whether a sanitizer's runtime is preloaded anyway: the caller's LD_PRELOAD
 * begins with one, which then stays first, or our own library needs one. */
bool environment_has_sanitizer(void);

/* Composes it. Returns 0 or -ENOMEM. environment_destroy() frees. */
int environment_create(struct environment *environment, const struct environment_request *request);

/* Sets one more variable, any number of them: instead of the caller's of that name. What
 * runs out of memory is remembered in `failed`. */
void environment_set(struct environment *environment, const char *name, const char *value);

void environment_destroy(struct environment *environment);

/* The lists, for the tests as well: the new value, allocated, or NULL when
 * out of memory. `old` may be NULL. */
char *environment_compose_preload(const char *old, const char *library);
char *environment_compose_layers(const char *old, const char *library);
char *environment_compose_subscribers(const char *old, const char *library);

#endif
