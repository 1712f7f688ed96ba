/* SPDX-License-Identifier: MIT */
/* HIP's runtime and a tool, loaded and closed in the order that HIP_ORDER has: `hip`, `tool` (HIP_TOOL;
 * nothing if it is not set), `-hip`, `-tool`; `calls` prints what each returned, `held` whether the
 * runtime is loaded. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *hip, *tool;

static void *load(const char *name)
{
	void *library = name ? dlopen(name, RTLD_NOW) : NULL;

	if (name && !library) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return library;
}

static void close_it(void **library)
{
	if (*library && dlclose(*library)) {
		printf("%s\n", dlerror());
		exit(1);
	}
	*library = NULL;
}

static int (*function(const char *name))(void *, size_t)
{
	int (*found)(void *, size_t) = NULL;

	*(void **)&found = hip ? dlsym(hip, name) : NULL;
	if (!found) {
		printf("no %s\n", name);
		exit(1);
	}
	return found;
}

static void calls(void)
{
	void *memory = NULL;
	int count = 0;

	printf("%d hipRuntimeGetVersion\n", function("hipRuntimeGetVersion")(&count, 0));
	printf("%d hipGetDeviceCount\n", function("hipGetDeviceCount")(&count, 0));
	printf("%d hipMalloc\n", function("hipMalloc")(&memory, 4096));
	printf("%d hipDeviceSynchronize\n", function("hipDeviceSynchronize")(NULL, 0));
}

int main(void)
{
	char steps[200];

	snprintf(steps, sizeof(steps), "%s", getenv("HIP_ORDER") ?: "");
	setbuf(stdout, NULL);
	for (char *step = strtok(steps, " "); step; step = strtok(NULL, " ")) {
		if (!strcmp(step, "hip"))
			hip = load("libamdhip64.so.5");
		else if (!strcmp(step, "tool"))
			tool = load(getenv("HIP_TOOL"));
		else if (!strcmp(step, "-hip"))
			close_it(&hip);
		else if (!strcmp(step, "-tool"))
			close_it(&tool);
		else if (!strcmp(step, "calls"))
			calls();
		else if (!strcmp(step, "held"))
			fputs(dlopen("libamdhip64.so.5", RTLD_LAZY | RTLD_NOLOAD) ? "held\n"
										  : "gone\n",
			      stderr);
		else
			return 2;
	}
	puts("end");
	return 0;
}
