/* SPDX-License-Identifier: MIT */
/* hot PLUGIN [wait]: spends known shares of its CPU time in known functions: 600 ms
 * under outer() in busy_long(), 200 ms in busy_short(), 200 ms in a library that it
 * opens itself, and its child 200 ms in busy_child(). With `wait` it begins when a
 * line comes. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile double sink;

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Long enough that reading the clock in between is not seen. */
#define TURN(x)                          \
	for (int i = 0; i < 200000; i++) \
	(x) = (x)*1.0000001 + i

static NOINLINE void busy_long(double until)
{
	double x = sink;

	while (cpu_ms() < until)
		TURN(x);
	sink = x;
}

static NOINLINE void busy_short(double until)
{
	double x = sink;

	while (cpu_ms() < until)
		TURN(x);
	sink = x;
}

static NOINLINE void busy_child(double until)
{
	double x = sink;

	while (cpu_ms() < until)
		TURN(x);
	sink = x;
}

static NOINLINE void outer(void)
{
	busy_long(cpu_ms() + 600);
	sink = sink + 1; /* no tail call */
}

int main(int argc, char **argv)
{
	void (*plugin)(double) = NULL;
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *symbol = library ? dlsym(library, "plugin_work") : NULL;
	char line[8];
	pid_t child;

	if (!symbol) {
		fprintf(stderr, "hot: %s\n", argc > 1 ? dlerror() : "which plugin?");
		return 2;
	}
	memcpy(&plugin, &symbol, sizeof(plugin));
	if (argc > 2 && (puts("ready"), fflush(stdout), !fgets(line, sizeof(line), stdin)))
		return 2;
	outer();
	busy_short(cpu_ms() + 200);
	plugin(200);
	child = fork();
	if (!child) {
		busy_child(cpu_ms() + 200);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
