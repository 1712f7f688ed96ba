/* SPDX-License-Identifier: MIT */
/* What a program does by NVRTC: a line a call, its status, errno and its name. NVRTC_WORK names what
 * is done; all that is there where it is not set. It does the same with the real library and with the stub. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvrtc.h"
#include "work.h"

#define KERNEL "extern \"C\" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n"
#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

static const char *const options[] = {"--gpu-architecture=compute_90", "-DNUMBER=1"};
static const char *const other_options[] = {"--gpu-architecture=compute_90", "-DNUMBER=2"};

#define CALL(call)                                                  \
	__extension__({                                             \
		int status_;                                        \
                                                                    \
		errno = EUCLEAN;                                    \
		status_ = call;                                     \
		printf("%d %d %s\n", status_, show_errno(), #call); \
		status_;                                            \
	})

static int is_stub(void)
{
	return getenv("NVRTC_STUB") != NULL;
}

/* What the real library leaves in errno is not to be relied on. */
static int show_errno(void)
{
	return is_stub() ? errno : 0;
}

static void ptx_print(nvrtcProgram program)
{
	size_t bytes = 0, hash = 5381;
	char *ptx;

	CALL(nvrtcGetPTXSize(program, &bytes));
	ptx = malloc(bytes + 1);
	if (!ptx || CALL(nvrtcGetPTX(program, ptx)))
		return;
	for (size_t i = 0; i < bytes; i++)
		hash = hash * 33 + (unsigned char)ptx[i];
	printf("PTX %zu bytes, %zx\n", bytes, hash);
	free(ptx);
}

static nvrtcProgram made(const char *source, int count, const char *const *headers,
			 const char *const *names)
{
	nvrtcProgram program = NULL;

	CALL(nvrtcCreateProgram(&program, source, "twice.cu", count, headers, names));
	return program;
}

static void same(void)
{
	for (unsigned i = 0; i < 20; i++) {
		nvrtcProgram program = made(KERNEL, 0, NULL, NULL);

		CALL(nvrtcCompileProgram(program, COUNT(options), options));
		if (!i)
			ptx_print(program);
		CALL(nvrtcDestroyProgram(&program));
		printf("program %d\n", program != NULL);
	}
}

static void build_once(nvrtcProgram program, int count, const char *const *with)
{
	CALL(nvrtcCompileProgram(program, count, with));
	CALL(nvrtcDestroyProgram(&program));
}

/* No two of these are the same. */
static void different(void)
{
	static const char *const headers[] = {"#define A 1\n", "#define B 1\n"};
	static const char *const others[] = {"#define A 1\n", "#define B 2\n"};
	static const char *const joined[] = {"#define A 1\n#define B 1\n", ""};
	static const char *const names[] = {"a.h", "b.h"}, *const other_names[] = {"a.h", "c.h"};
	nvrtcProgram program;

	build_once(made(KERNEL, 0, NULL, NULL), COUNT(options), options);
	build_once(made(KERNEL, 0, NULL, NULL), COUNT(other_options), other_options);
	build_once(made(KERNEL, 0, NULL, NULL), 1, options);
	build_once(made(KERNEL "// 1\n", 0, NULL, NULL), COUNT(options), options);
	build_once(made(KERNEL "// 2\n", 0, NULL, NULL), COUNT(options), options);
	build_once(made(KERNEL, 2, headers, names), COUNT(options), options);
	build_once(made(KERNEL, 2, others, names), COUNT(options), options);
	build_once(made(KERNEL, 2, joined, names), COUNT(options), options);
	build_once(made(KERNEL, 2, headers, other_names), COUNT(options), options);
	build_once(made(KERNEL, 1, headers, names), COUNT(options), options);
	program = made(KERNEL, 0, NULL, NULL);
	CALL(nvrtcAddNameExpression(program, "twice"));
	build_once(program, COUNT(options), options);
	program = made(KERNEL, 0, NULL, NULL);
	CALL(nvrtcAddNameExpression(program, "&twice"));
	build_once(program, COUNT(options), options);
}

static void log_print(nvrtcProgram program)
{
	size_t bytes = 0;
	char *log;

	CALL(nvrtcGetProgramLogSize(program, &bytes));
	log = malloc(bytes + 1);
	if (log && !CALL(nvrtcGetProgramLog(program, log)))
		printf("log of %zu bytes: %.40s\n", strlen(log), log);
	free(log);
}

/* A build that fails, twice; one with an option that there is not; and a log that is longer than what is recorded. */
static void failing(void)
{
	static const char *const wrong[] = {"--gpu-architecture=compute_90", "no option"};
	nvrtcProgram program = made(KERNEL "#error 1 of it\n", 0, NULL, NULL);
	char *source = malloc(100000);

	CALL(nvrtcCompileProgram(program, COUNT(options), options));
	log_print(program);
	CALL(nvrtcCompileProgram(program, COUNT(wrong), wrong));
	log_print(program);
	CALL(nvrtcDestroyProgram(&program));
	if (!source)
		return;
	strcpy(source, "#error 1000 of it\n");
	for (unsigned i = 0; i < 4000; i++)
		strcat(source + 18 * i, "#error and another\n");
	program = made(source, 0, NULL, NULL);
	CALL(nvrtcCompileProgram(program, COUNT(options), options));
	log_print(program);
	CALL(nvrtcDestroyProgram(&program));
	free(source);
}

/* What NVRTC rejects. */
static void rejected(void)
{
	nvrtcProgram program = NULL;
	size_t bytes = 0;

	CALL(nvrtcCreateProgram(NULL, KERNEL, NULL, 0, NULL, NULL));
	CALL(nvrtcCreateProgram(&program, NULL, NULL, 0, NULL, NULL));
	CALL(nvrtcCreateProgram(&program, KERNEL, NULL, -1, NULL, NULL));
	CALL(nvrtcCreateProgram(&program, KERNEL, NULL, 1, NULL, NULL));
	CALL(nvrtcCompileProgram(NULL, 0, NULL));
	CALL(nvrtcCompileProgram(NULL, 2, options));
	CALL(nvrtcDestroyProgram(NULL));
	CALL(nvrtcDestroyProgram(&program));
	CALL(nvrtcGetPTXSize(NULL, &bytes));
	CALL(nvrtcGetProgramLog(NULL, NULL));
	CALL(nvrtcVersion(NULL, NULL));
	CALL(nvrtcCreateProgram(&program, KERNEL, NULL, 0, NULL, NULL));
	CALL(nvrtcCompileProgram(program, -1, options));
#ifndef OLD /* CUDA 11.8 dies of these */
	CALL(nvrtcAddNameExpression(NULL, NULL));
	CALL(nvrtcAddNameExpression(program, NULL));
	CALL(nvrtcCompileProgram(program, 1, NULL));
#endif
	CALL(nvrtcCompileProgram(program, 1, options));
	CALL(nvrtcDestroyProgram(&program));
}

/* Options that are longer than what is recorded, and some that are not there, of which the real library dies. */
static void long_options(void)
{
	static char option[10000];
	const char *const long_ones[] = {"--gpu-architecture=compute_90", option, "-DNUMBER=1"};
	const char *const none[] = {NULL, "-DNUMBER=1", NULL};

	memset(option, 'x', sizeof(option) - 1);
	memcpy(option, "-DX", 3);
	build_once(made(KERNEL, 0, NULL, NULL), COUNT(long_ones), long_ones);
	if (is_stub())
		build_once(made(KERNEL, 0, NULL, NULL), COUNT(none), none);
}

/* Two that are there before NVRTC_BEFORE, a command, has been run: it resumes the recording. */
static void early(void)
{
	nvrtcProgram one = made(KERNEL, 0, NULL, NULL), two = made(KERNEL, 0, NULL, NULL);
	const char *command = getenv("NVRTC_BEFORE");

	if (command && system(command))
		puts("the command failed");
	CALL(nvrtcAddNameExpression(one, "twice"));
	build_once(one, COUNT(options), options);
	build_once(two, COUNT(options), options);
}

/* Six that nobody destroys. */
static void leaked(void)
{
	for (unsigned i = 0; i < 6; i++)
		CALL(nvrtcCompileProgram(made(KERNEL, 0, NULL, NULL), COUNT(options), options));
}

/* One that the end of the process does away with. */
static void left(void)
{
	build_once(made(KERNEL, 0, NULL, NULL), COUNT(options), options);
	CALL(nvrtcCompileProgram(made(KERNEL, 0, NULL, NULL), COUNT(options), options));
}

/* What is an answer, though it is no success; and what this version has no more. */
static void others(void)
{
	nvrtcProgram program = made(KERNEL, 0, NULL, NULL);
	int major = 0, minor = 0;
	const char *lowered = NULL;
	size_t bytes = 0;

	CALL(nvrtcVersion(&major, &minor));
	printf("version %d\n", major > 10);
	CALL(nvrtcAddNameExpression(program, "twice"));
	CALL(nvrtcCompileProgram(program, COUNT(options), options));
	CALL(nvrtcGetLoweredName(program, "twice", &lowered));
	printf("lowered %s\n", lowered ? lowered : "");
#ifndef OLD /* than CUDA 12.8 */
	CALL(nvrtcGetPCHCreateStatus(program));
#endif
#ifdef LACKING
	CALL(nvrtcGetNVVMSize(program, &bytes));
#endif
	printf("%s %zu\n", nvrtcGetErrorString(0), bytes);
	CALL(nvrtcDestroyProgram(&program));
}

__attribute__((visibility("default"))) int nvrtc_work(void)
{
	static const struct {
		const char *name;
		void (*work)(void);
	} works[] = {{"same", same},	     {"different", different},	{"failing", failing},
		     {"rejected", rejected}, {"leaked", leaked},	{"left", left},
		     {"others", others},     {"options", long_options}, {"early", early}};
	const char *wanted = getenv("NVRTC_WORK");

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!wanted || !strcmp(wanted, works[i].name))
			works[i].work();
	return 0;
}
