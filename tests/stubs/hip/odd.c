/* SPDX-License-Identifier: MIT */
/* odd [CASE]: a program for which HIP's runtime reports what a tool may not expect, case by
 * case: calls that end twice, elsewhere, never or in the wrong order, ids and operations that
 * nobody knows, times reversed, names that are no text. Before and after there is a launch
 * as it should be, which the trace must have. Without CASE it prints their names. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"
#include "generation.h"
#include "hip.h"

#define IDS 1024u
#define ARGUMENTS_BYTES 800u

static char normal; /* a kernel: a function of the host's */

/* As large as any generation's. */
union call_room {
	struct call call;
	uint8_t room[4096];
};

static uint32_t id_of(const char *name)
{
	for (uint32_t id = 1; id < IDS; id++) {
		const char *found = hipApiName(id);

		if (found && !strcmp(found, name))
			return id;
	}
	exit(2);
}

static void begin(union call_room *call, uint32_t id)
{
	memset(call, 0, sizeof(*call));
	call_begin(&call->call, id);
	if (call->call.arguments)
		memset(call->call.arguments, 0, ARGUMENTS_BYTES);
}

static void filled(union call_room *call)
{
	if (call->call.arguments)
		call_filled(&call->call);
}

static void end(union call_room *call)
{
	call_end(&call->call);
}

static void both(uint32_t id)
{
	union call_room call;

	begin(&call, id);
	filled(&call);
	end(&call);
}

static void launch_of(const void *kernel)
{
	struct dim one = {1, 1, 1};

	if (hipLaunchKernel(kernel, one, one, NULL, 0, NULL) || hipDeviceSynchronize())
		exit(3);
}

static void launch_normal(void)
{
	launch_of(&normal);
}

static struct stream hardware = {.number = 3, .captured = -1};

static struct operation operation_make(void)
{
	return (struct operation){.command = 0x11F0,
				  .kernel = "odd",
				  .begin_ns = 5000000000000u,
				  .end_ns = 5000000001000u,
				  .stream = &hardware};
}

/* --- calls */

static void ends_twice(void)
{
	union call_room outer, inner;

	begin(&outer, id_of("hipMalloc"));
	filled(&outer);
	begin(&inner, id_of("hipStreamSynchronize"));
	filled(&inner);
	end(&inner);
	end(&inner);
	end(&outer);
	end(&outer);
}

static void *end_elsewhere(void *call)
{
	end(call);
	return NULL;
}

static void ends_in_another_thread(void)
{
	static union call_room call;
	pthread_t thread;

	begin(&call, id_of("hipStreamSynchronize"));
	filled(&call);
	if (!pthread_create(&thread, NULL, end_elsewhere, &call))
		pthread_join(thread, NULL);
}

static void ends_crossed(void)
{
	union call_room first, second;

	begin(&first, id_of("hipMalloc"));
	filled(&first);
	begin(&second, id_of("hipFree"));
	filled(&second);
	end(&first);
	end(&second);
}

static void entered_twice(void)
{
	union call_room call;

	begin(&call, id_of("hipStreamSynchronize"));
	filled(&call);
	filled(&call);
	end(&call);
	filled(&call);
}

static void never_ends(void)
{
	static union call_room calls[3000];

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		begin(&calls[i], id_of("hipStreamSynchronize"));
		filled(&calls[i]);
	}
}

static void is_left(void)
{
	static union call_room outer, inner;
	static jmp_buf out;

	begin(&outer, id_of("hipStreamSynchronize"));
	filled(&outer);
	if (!setjmp(out)) {
		begin(&inner, id_of("hipMalloc"));
		filled(&inner);
		longjmp(out, 1);
	}
	end(&outer);
}

static void unknown_ids(void)
{
	static const uint32_t ids[] = {0, 900, 1023, 1024, 65535, 70000, UINT32_MAX};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		both(ids[i]);
}

/* Arguments that are all zeros: pointers too. */
static void null_arguments(void)
{
	for (uint32_t id = 1; id < IDS; id++)
		both(id);
}

static uint32_t handler_id;

static void on_signal(int number)
{
	(void)number;
	both(handler_id);
}

static void in_a_handler(void)
{
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	uint32_t id = id_of("hipStreamSynchronize");

	handler_id = id_of("hipFree");
	signal(SIGVTALRM, on_signal);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
	for (int i = 0; i < 100000; i++)
		both(id);
	setitimer(ITIMER_VIRTUAL, &never, NULL);
}

static void in_a_child(void)
{
	struct operation operation = operation_make();
	union call_room call;
	int status = 0;
	pid_t child;

	begin(&call, id_of("hipStreamSynchronize"));
	filled(&call);
	child = fork();
	if (!child) {
		end(&call);
		both(id_of("hipMalloc"));
		stub_report(&operation);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(4);
	end(&call);
}

/* When the tool has ended. */
static void late(void)
{
	struct operation operation = operation_make();

	both(id_of("hipStreamSynchronize"));
	stub_report(&operation);
}

static void after_exit(void)
{
	stub_hip_at_end(late);
}

/* --- operations */

static void odd_operations(void)
{
	static const uint64_t correlations[] = {0, 1, 0x7fffffff, UINT64_MAX / 2, UINT64_MAX};
	static const uint32_t commands[] = {0, 0x11F3, 0x1208, 0x7777, UINT32_MAX};
	struct operation operation;

	for (size_t i = 0; i < sizeof(correlations) / sizeof(correlations[0]); i++) {
		operation = operation_make();
		operation.correlation = correlations[i];
		stub_report(&operation);
		stub_report(&operation);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		for (uint32_t kind = 0; kind < 5; kind++) {
			operation = operation_make();
			operation.command = commands[i];
			operation.operation = kind;
			operation.device = -7;
			operation.bytes = UINT64_MAX;
			stub_report(&operation);
		}
	operation = operation_make();
	operation.kernel = NULL;
	stub_report(&operation);
	operation = operation_make();
	operation.begin_ns = operation.end_ns + 1000000;
	stub_report(&operation);
	operation.begin_ns = 0;
	stub_report(&operation);
	operation.begin_ns = operation.end_ns = UINT64_MAX;
	stub_report(&operation);
	operation.begin_ns = 1;
	stub_report(&operation);
}

static void no_operation(void)
{
	stub_report(NULL);
}

/* --- names */

static void odd_names(void)
{
	static char names[8][40000], kernels[8];

	strcpy(names[1], "\xff\xfe\x80 not text");
	strcpy(names[2], "a\033[31mred\r\nsecond line\t");
	strcpy(names[3], "=1+1");
	memset(names[4], 'x', sizeof(names[4]) - 1);
	strcpy(names[5], "_ZN");
	for (int i = 0; i < 6000; i++)
		strcpy(names[5] + 3 + 6 * i, "1aIS0_");
	strcpy(names[6], "\"quoted\", 'and' <b>more</b> \\");
	strcpy(names[7], "_Z4axpyPfS_f\xc3");
	for (size_t i = 0; i < sizeof(kernels); i++) {
		__hipRegisterFunction(NULL, &kernels[i], NULL, names[i], 0, NULL, NULL, NULL, NULL,
				      NULL);
		launch_of(&kernels[i]);
	}
}

/* What the runtime itself answers is odd (STUB_HIP_ODD). */
static void answers(void)
{
	struct dim large = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
	void *memory = NULL;

	hipMalloc(&memory, 64);
	hipFree(memory);
	hipSetDevice(1);
	hipLaunchKernel(&normal, large, large, NULL, SIZE_MAX, NULL);
	hipDeviceSynchronize();
	hipSetDevice(0);
}

/* HIP 6: tables of other sizes, none, and one that was handed out already. */
static void tables(void)
{
	int32_t (*hand)(const char *, uint32_t (*)(void), uint32_t, void **, uint64_t, uint64_t *);
	static uint64_t words[4] = {sizeof(uint64_t)};
	void *none = NULL, *table = words;
	uint64_t id;

	*(void **)&hand = dlsym(RTLD_DEFAULT, "rocprofiler_register_library_api_table");
	if (!hand)
		return;
	hand("hip", NULL, 60300, &none, 1, &id);
	hand("hip", NULL, 60300, NULL, 0, &id);
	hand("hip", NULL, UINT32_MAX, &table, 1, &id);
	words[0] = 0;
	hand("hip_compiler", NULL, 0, &table, 1, &id);
	words[0] = sizeof(words);
	hand("hip", NULL, 60300, &table, 1, &id);
	hand("hip", NULL, 60300, &table, 1, &id);
	hand("", NULL, 1, &table, 1, &id);
	hand("of tomorrow", NULL, 1, &table, 1, &id);
	hand("hsa", NULL, 1, &none, 1, &id);
}

static const struct {
	const char *name;
	void (*tell)(void);
} cases[] = {
#define CASE(function)                              \
	{                                           \
		.name = #function, .tell = function \
	}
	CASE(ends_twice),   CASE(ends_in_another_thread),
	CASE(ends_crossed), CASE(entered_twice),
	CASE(never_ends),   CASE(is_left),
	CASE(unknown_ids),  CASE(null_arguments),
	CASE(in_a_handler), CASE(in_a_child),
	CASE(after_exit),   CASE(odd_operations),
	CASE(no_operation), CASE(odd_names),
	CASE(answers),	    CASE(tables),
#undef CASE
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2) {
			puts(cases[i].name);
		} else if (!strcmp(argv[1], cases[i].name)) {
			__hipRegisterFunction(NULL, &normal, NULL, "normal", 0, NULL, NULL, NULL,
					      NULL, NULL);
			launch_normal();
			cases[i].tell();
			launch_normal();
			return 0;
		}
	}
	return argc < 2 ? 0 : 2;
}
