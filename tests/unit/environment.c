/* SPDX-License-Identifier: MIT */
/* The lists that bring libtandem.so into a program. */
#include "recorder/program/environment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "schema/domain/sycl.h"
#include "schema/ids.h"

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
	same(environment_compose_list(NULL, OURS, ':'), OURS);
	same(environment_compose_list("", OURS, ':'), OURS);
	same(environment_compose_list("/a.so", OURS, ':'), "/a.so:" OURS);
	same(environment_compose_list(OURS ":/a.so", OURS, ':'), OURS ":/a.so");
	same(environment_compose_list("/a.so", OURS, ','), "/a.so," OURS);
	same(environment_compose_list("/a.so:" OURS, OURS, ','), "/a.so:" OURS "," OURS);
	/* Blanks are no separators here. */
	same(environment_compose_list("/a b.so", OURS, ':'), "/a b.so:" OURS);
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
	struct environment_request request = {.session = "/inner",
					      .library = OURS,
					      .domains = TANDEM_DOMAIN_BIT(opencl),
					      .layers = true};
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
	request.layers = false;
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "OPENCL_LAYERS"), "/a.so"));
	CHECK(!strcmp(value_of(environment.variables, "LD_PRELOAD"), OURS));
	environment_destroy(&environment);
	/* Not recorded: not asked for. */
	request.domains = TANDEM_DOMAIN_BIT(cuda);
	request.layers = true;
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "OPENCL_LAYERS"), "/a.so"));
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
		.session = "/inner",
		.library = OURS,
		.domains = TANDEM_DOMAIN_BIT(cuda) | TANDEM_DOMAIN_BIT(annotation),
	};
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

	request.domains = 0;
	clearenv();
	setenv("HOME", "/root", 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!value_of(environment.variables, "CUDA_INJECTION64_PATH"));
	CHECK(!value_of(environment.variables, "NVTX_INJECTION64_PATH"));
	environment_destroy(&environment);
}

static void touch(const char *folder, const char *name, char *path)
{
	FILE *file;

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	file = fopen(path, "w");
	CHECK(file);
	if (file)
		fclose(file);
}

/* XPTI's: the caller's subscribers come first, and his dispatcher and switch stay. */
static void subscribers(void)
{
	char folder[] = "/tmp/environment-XXXXXX", subscriber[PATH_MAX], below[PATH_MAX];
	char dispatcher[PATH_MAX], library[PATH_MAX], expected[PATH_MAX + 32];
	uint32_t choices[TANDEM_DOMAINS] = {0};
	struct environment_request request = {.session = "/s",
					      .library = library,
					      .domains = TANDEM_DOMAIN_BIT(sycl),
					      .choices = choices};
	struct environment environment;

	CHECK(mkdtemp(folder));
	snprintf(below, sizeof(below), "%s/tandem", folder);
	CHECK(!mkdir(below, 0700));
	snprintf(library, sizeof(library), "%s/libtandem.so.0", folder);
	touch(folder, "libtandem-xpti.so", subscriber);
	touch(below, "libxptifw.so", dispatcher);
	clearenv();
	setenv("XPTI_TRACE_ENABLE", "", 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "XPTI_SUBSCRIBERS"), subscriber));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_FRAMEWORK_DISPATCHER"), dispatcher));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_TRACE_ENABLE"), "1"));
	CHECK(!value_of(environment.variables, "UR_ENABLE_LAYERS"));
	environment_destroy(&environment);

	setenv("XPTI_SUBSCRIBERS", "/a.so,/b.so", 1);
	setenv("XPTI_FRAMEWORK_DISPATCHER", "/other.so", 1);
	setenv("XPTI_TRACE_ENABLE", "0", 1);
	choices[TANDEM_DOMAIN_sycl] = TANDEM_SYCL_BIT(calls) | TANDEM_SYCL_BIT(graph);
	CHECK(environment_create(&environment, &request) == 0);
	snprintf(expected, sizeof(expected), "/a.so,/b.so,%s", subscriber);
	CHECK(!strcmp(value_of(environment.variables, "XPTI_SUBSCRIBERS"), expected));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_FRAMEWORK_DISPATCHER"), "/other.so"));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_TRACE_ENABLE"), "0"));
	CHECK(!strcmp(value_of(environment.variables, "UR_ENABLE_LAYERS"), "UR_LAYER_TRACING"));
	environment_destroy(&environment);

	/* No dispatcher of ours: his serves. */
	CHECK(!unlink(dispatcher));
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!strcmp(value_of(environment.variables, "XPTI_SUBSCRIBERS"), expected));
	CHECK(!strcmp(value_of(environment.variables, "XPTI_FRAMEWORK_DISPATCHER"), "/other.so"));
	environment_destroy(&environment);

	/* None at all: nothing would read the rest. */
	clearenv();
	setenv("HOME", "/root", 1);
	CHECK(environment_create(&environment, &request) == 0);
	CHECK(!value_of(environment.variables, "XPTI_SUBSCRIBERS"));
	CHECK(!value_of(environment.variables, "XPTI_TRACE_ENABLE"));
	environment_destroy(&environment);

	CHECK(!unlink(subscriber) && !rmdir(below) && !rmdir(folder));
	same(environment_compose_list("/t.so,/a.so", "/t.so", ','), "/t.so,/a.so");
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
