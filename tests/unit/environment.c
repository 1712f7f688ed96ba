/* SPDX-License-Identifier: MIT */
/* The lists that bring libtandem.so into a program. */
#include "recorder/environment.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define OURS "/lib/libtandem.so.0"
#define LAYER "/lib/libtandem-opencl.so"

static void same(char *value, const char *expected)
{
	CHECK(value && !strcmp(value, expected));
	if (value && strcmp(value, expected) != 0)
		fprintf(stderr, "  is %s\n  not %s\n", value, expected);
	free(value);
}

static void preload(void)
{
	same(environment_compose_preload(NULL, OURS), OURS);
	same(environment_compose_preload("", OURS), OURS);
	same(environment_compose_preload("a.so", OURS), OURS ":a.so");
	same(environment_compose_preload("a.so b.so", OURS), OURS ":a.so b.so");
	same(environment_compose_preload(" a.so", OURS), OURS " a.so");
	same(environment_compose_preload(OURS, OURS), OURS);
	same(environment_compose_preload("a.so:" OURS, OURS), "a.so:" OURS);
	same(environment_compose_preload("a.so " OURS " b.so", OURS), "a.so " OURS " b.so");
	/* A name that only begins or ends like ours. */
	same(environment_compose_preload(OURS ".1", OURS), OURS ":" OURS ".1");
	same(environment_compose_preload("/x" OURS, OURS), OURS ":/x" OURS);
	/* Sanitizers' runtimes come first. */
	same(environment_compose_preload("libasan.so.8", OURS), "libasan.so.8:" OURS);
	same(environment_compose_preload("/usr/lib/libtsan.so.2 a.so", OURS),
	     "/usr/lib/libtsan.so.2:" OURS " a.so");
	same(environment_compose_preload("libclang_rt.asan-x86_64.so:libasan.so.8:a.so", OURS),
	     "libclang_rt.asan-x86_64.so:libasan.so.8:" OURS ":a.so");
	same(environment_compose_preload("a.so:libasan.so.8", OURS), OURS ":a.so:libasan.so.8");
}

static void layers(void)
{
	same(environment_compose_layers(NULL, OURS), OURS);
	same(environment_compose_layers("", OURS), OURS);
	same(environment_compose_layers("/a.so", OURS), "/a.so:" OURS);
	same(environment_compose_layers(OURS ":/a.so", OURS), OURS ":/a.so");
	/* Blanks are no separators here. */
	same(environment_compose_layers("/a b.so", OURS), "/a b.so:" OURS);
}

static const char *value_of(char **variables, const char *name)
{
	const char *value = NULL;
	size_t length = strlen(name);

	for (; *variables; variables++)
		if (!strncmp(*variables, name, length) && (*variables)[length] == '=') {
			CHECK(!value); /* not twice */
			value = *variables + length + 1;
		}
	return value;
}

static void whole(void)
{
	struct environment_request request = {.session = "/inner", .library = OURS, .layer = LAYER};
	struct environment environment;

	clearenv();
	setenv("HOME", "/root", 1);
	setenv("TANDEM_SESSION", "/outer", 1);
	setenv("OPENCL_LAYERS", "/a.so", 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "HOME"), "/root"));
	CHECK(!strcmp(value_of(environment.variables, "TANDEM_SESSION"), "/inner"));
	CHECK(!strcmp(value_of(environment.variables, "OPENCL_LAYERS"), "/a.so:" LAYER));
	CHECK(!value_of(environment.variables, "LD_PRELOAD"));
	environment_destroy(&environment);

	request.preload = true;
	request.layer = NULL;
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "OPENCL_LAYERS"), "/a.so"));
	CHECK(!strcmp(value_of(environment.variables, "LD_PRELOAD"), OURS));
	environment_destroy(&environment);
	/* The caller's own is as it was. */
	CHECK(!strcmp(getenv("TANDEM_SESSION"), "/outer"));

	CHECK(!environment_has_sanitizer());
	setenv("LD_PRELOAD", "/x/libasan.so.8 a.so", 1);
	CHECK(environment_has_sanitizer());
	setenv("LD_PRELOAD", "a.so", 1);
	CHECK(!environment_has_sanitizer());
}

/* One library each: another tool's is brought in by ours, or stays. */
static void injections(void)
{
	struct environment_request request = {
		.session = "/inner", .library = OURS, .cuda = true, .nvtx = true};
	struct environment environment;

	clearenv();
	setenv("HOME", "/root", 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "CUDA_INJECTION64_PATH"), OURS));
	CHECK(!strcmp(value_of(environment.variables, "NVTX_INJECTION64_PATH"), OURS));
	CHECK(!value_of(environment.variables, "TANDEM_CUDA_INJECTION"));
	environment_destroy(&environment);

	setenv("CUDA_INJECTION64_PATH", "/other.so", 1);
	setenv("NVTX_INJECTION64_PATH", "/other.so", 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "CUDA_INJECTION64_PATH"), OURS));
	CHECK(!strcmp(value_of(environment.variables, "TANDEM_CUDA_INJECTION"), "/other.so"));
	CHECK(!strcmp(value_of(environment.variables, "NVTX_INJECTION64_PATH"), "/other.so"));
	environment_destroy(&environment);

	/* Ours of an outer recording is nobody else's. */
	setenv("CUDA_INJECTION64_PATH", OURS, 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!value_of(environment.variables, "TANDEM_CUDA_INJECTION"));
	environment_destroy(&environment);

	request.cuda = request.nvtx = false;
	clearenv();
	setenv("HOME", "/root", 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!value_of(environment.variables, "CUDA_INJECTION64_PATH"));
	CHECK(!value_of(environment.variables, "NVTX_INJECTION64_PATH"));
	environment_destroy(&environment);
}

/* XPTI's: the caller's subscribers come first, and his dispatcher and switch stay. */
static void subscribers(void)
{
	struct environment_request request = {
		.session = "/s", .library = OURS, .subscriber = "/t.so", .dispatcher = "/x.so"};
	struct environment environment;

	clearenv();
	setenv("XPTI_TRACE_ENABLE", "", 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "XPTI_SUBSCRIBERS"), "/t.so"));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_FRAMEWORK_DISPATCHER"), "/x.so"));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_TRACE_ENABLE"), "1"));
	CHECK(!value_of(environment.variables, "UR_ENABLE_LAYERS"));
	environment_destroy(&environment);

	setenv("XPTI_SUBSCRIBERS", "/a.so,/b.so", 1);
	setenv("XPTI_FRAMEWORK_DISPATCHER", "/other.so", 1);
	setenv("XPTI_TRACE_ENABLE", "0", 1);
	request.layer_calls = true;
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "XPTI_SUBSCRIBERS"), "/a.so,/b.so,/t.so"));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_FRAMEWORK_DISPATCHER"), "/other.so"));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_TRACE_ENABLE"), "0"));
	CHECK(!strcmp(value_of(environment.variables, "UR_ENABLE_LAYERS"), "UR_LAYER_TRACING"));
	environment_destroy(&environment);

	/* No dispatcher, ours or his: nothing would read the rest. */
	clearenv();
	setenv("HOME", "/root", 1);
	request.dispatcher = NULL;
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!value_of(environment.variables, "XPTI_SUBSCRIBERS"));
	CHECK(!value_of(environment.variables, "XPTI_TRACE_ENABLE"));
	environment_destroy(&environment);

	same(environment_compose_subscribers("/t.so,/a.so", "/t.so"), "/t.so,/a.so");
}

/* As many as anybody may ever want to set. */
static void many(void)
{
	struct environment_request request = {.session = "/s", .library = OURS, .preload = true};
	struct environment environment;
	char name[32];

	clearenv();
	setenv("HOME", "/root", 1);
	setenv("NAME_7", "the caller's", 1);
	CHECK(environment_create(&environment, &request) == 0);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "NAME_%d", i);
		environment_set(&environment, name, name);
	}
	environment_set(&environment, "NAME_9", "again");
	CHECK(!environment.failed && environment.count == 1003);
	CHECK(!environment.variables[environment.count]);
	CHECK(!strcmp(value_of(environment.variables, "NAME_7"), "NAME_7"));
	CHECK(!strcmp(value_of(environment.variables, "NAME_9"), "again"));
	CHECK(!strcmp(value_of(environment.variables, "NAME_999"), "NAME_999"));
	CHECK(!strcmp(value_of(environment.variables, "HOME"), "/root"));
	environment_destroy(&environment);
}

int main(void)
{
	/* A build with a sanitizer puts its runtime before everything. */
	if (!getenv("TANDEM_SANITIZE")) {
		preload();
		whole();
		injections();
		subscribers();
		many();
	}
	layers();
	return check_status();
}
