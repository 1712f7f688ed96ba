/* SPDX-License-Identifier: MIT */
/* A program that looks NVRTC's functions up in two libraries, which its arguments name: a call of the
 * first, two of the second, and one of the first. */
#include <dlfcn.h>
#include <stdio.h>

static int (*version_of(const char *path))(int *, int *)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*version)(int *, int *) = NULL;

	if (library)
		*(void **)&version = dlsym(library, "nvrtcVersion");
	return version;
}

int main(int argc, char **argv)
{
	int (*first)(int *, int *) = version_of(argc > 2 ? argv[1] : "");
	int (*second)(int *, int *) = version_of(argc > 2 ? argv[2] : "");
	int major = 0, minor = 0;

	if (!first || !second)
		return 9;
	printf("%d", first(&major, &minor));
	printf(" %d", second(&major, &minor));
	printf(" %d", second(&major, &minor));
	printf(" %d %d\n", first(&major, &minor), major);
	return 0;
}
