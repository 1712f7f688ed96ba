/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "object.h"

static const char *const names[STUB_FN_COUNT] = {
#define X(name) [STUB_FN_##name] = #name,
	STUB_TABLE(X) STUB_EXTENSIONS(X)
#undef X
		[STUB_FN_clGetExtensionFunctionAddress] = "clGetExtensionFunctionAddress",
};

static _Atomic long calls[STUB_FN_COUNT];
static const char *reported_name; /* set once the report has been written */

static struct {
	cl_int error;
	long nth; /* 0: every call */
} failures[STUB_FN_COUNT];

cl_int stub_call(enum stub_function function)
{
	long nth = ++calls[function];

	/* Not where the program's query may be answered without us. */
	if (stub_config.sets_errno && !strncmp(names[function], "clGet", strlen("clGet")) &&
	    function != STUB_FN_clGetEventProfilingInfo)
		errno = EBADFD;
	/* Somebody's exit handlers run after ours: the last line counts. */
	if (reported_name)
		stub_calls_report(reported_name);
	if (failures[function].error && (!failures[function].nth || failures[function].nth == nth))
		return failures[function].error;
	return CL_SUCCESS;
}

void *stub_fail(cl_int *errcode_ret, cl_int error)
{
	if (errcode_ret)
		*errcode_ret = error;
	return NULL;
}

void stub_succeed(cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = CL_SUCCESS;
}

static void failure_set(const char *name, int error, long nth)
{
	bool known = false;

	for (int i = 0; i < STUB_FN_COUNT; i++) {
		if (strcmp(name, names[i]) && strcmp(name, "all"))
			continue;
		failures[i].error = error;
		failures[i].nth = nth;
		known = true;
	}
	if (!known)
		fprintf(stderr, "stub: STUB_FAIL names no function: %s\n", name);
}

void stub_calls_start(void)
{
	char *text = strdup(stub_config.fail), *rest = NULL;

	for (char *word = text ? strtok_r(text, ",", &rest) : NULL; word;
	     word = strtok_r(NULL, ",", &rest)) {
		char name[64];
		int error;
		long nth = 0;

		if (sscanf(word, "%63[^:]:%d:%ld", name, &error, &nth) >= 2)
			failure_set(name, error, nth);
		else
			fprintf(stderr, "stub: STUB_FAIL is FUNCTION:CODE[:N], not %s\n", word);
	}
	free(text);
}

void stub_calls_report(const char *name)
{
	static char line[32768];
	size_t used;
	const char *comma = "";

	reported_name = name;
	if (!*stub_config.report)
		return;

#define PUT(...) used += (size_t)snprintf(line + used, sizeof(line) - used, __VA_ARGS__)
	used = 0;
	PUT("{\"name\":\"%s\",\"pid\":%d,\"live\":{", name, (int)getpid());
	for (int i = STUB_none + 1; i < STUB_TYPE_COUNT; i++, comma = ",")
		PUT("%s\"%s\":%ld", comma, stub_type_names[i], stub_object_live(i));
	PUT("},\"created\":{");
	comma = "";
	for (int i = STUB_none + 1; i < STUB_TYPE_COUNT; i++, comma = ",")
		PUT("%s\"%s\":%ld", comma, stub_type_names[i], stub_object_created(i));
	PUT("},\"misused\":%ld,\"calls\":{", stub_object_misused());
	comma = "";
	for (int i = 0; i < STUB_FN_COUNT; i++) {
		if (!calls[i])
			continue;
		PUT("%s\"%s\":%ld", comma, names[i], calls[i]);
		comma = ",";
	}
	PUT("}}\n");
#undef PUT

	int file = open(stub_config.report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (file < 0 || write(file, line, used) != (ssize_t)used)
		perror(stub_config.report);
	if (file >= 0)
		close(file);
}
