/* SPDX-License-Identifier: MIT */
/*
 * The functions of a dispatcher that a test opens by itself, as a proxy would: `xptiMakeEvent`
 * and so on call `dispatch.xptiMakeEvent`. EARLIER asks for what proxies up to 2024.2 ask for,
 * LATER for all.
 */
#ifndef TEST_DISPATCHER_H
#define TEST_DISPATCHER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/xpti/functions.h"
#include "xpti/xpti_trace_framework.h"

static struct {
#define X(name, since) __typeof__(name) *name;
	XPTI_REQUIRED_FUNCTIONS(X) XPTI_LATER_FUNCTIONS(X)
#undef X
} dispatch;

/* Exits if it can't be loaded or lacks what it should have. */
__attribute__((unused)) static void open_dispatcher(const char *path, const char *generation)
{
	int last = !strcmp(generation, "earlier") ? 20242 : 99999;
	void *library = dlopen(path, RTLD_LAZY);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
#define X(name, since)                                                             \
	if (since <= last &&                                                       \
	    !(dispatch.name = (__typeof__(dispatch.name))dlsym(library, #name))) { \
		fprintf(stderr, "%s has no %s\n", path, #name);                    \
		exit(1);                                                           \
	}
	XPTI_REQUIRED_FUNCTIONS(X) XPTI_LATER_FUNCTIONS(X)
#undef X
}

#define D(name) dispatch.name

static inline xpti_payload_data_t payload_at(const char *name, const char *file, uint32_t line,
					     uint32_t column, const void *code)
{
	xpti_payload_data_t payload = {
		.name = name,
		.source_file = file,
		.line_no = line,
		.column_no = column,
		.code_ptr_va = code,
	};

	if (name)
		payload.flags |= xpti_payload_NameAvailable;
	if (file)
		payload.flags |= xpti_payload_SourceFileAvailable | xpti_payload_LineInfoAvailable |
				 xpti_payload_ColumnInfoAvailable;
	if (code)
		payload.flags |= xpti_payload_CodePointerAvailable;
	return payload;
}

#endif
