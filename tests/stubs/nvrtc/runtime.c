/* SPDX-License-Identifier: MIT */
/* libnvrtc as a compiler of which all is known: it takes 2 ms for a program, fails where the source has
 * an `#error`, with a log that is as long as the source demands, checks its arguments as the real one
 * does, and changes errno. A build is no call of its own functions by their names, as that of the real one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nvrtc.h"

#define TAG 0x5052

struct program {
	int tag, built;
	char *source, *log;
};

static char *text_copy(const char *text)
{
	char *copy = malloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

int nvrtcVersion(int *major, int *minor)
{
	if (!major || !minor)
		return NVRTC_ERROR_INVALID_INPUT;
	*major = 13;
	*minor = 0;
	return NVRTC_SUCCESS;
}

int nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
		       const char *const *headers, const char *const *includeNames)
{
	(void)name;
	errno = ENOTTY;
	if (!prog || !src || numHeaders < 0 || (numHeaders > 0 && (!headers || !includeNames)))
		return NVRTC_ERROR_INVALID_INPUT;
	*prog = calloc(1, sizeof(**prog));
	if (!*prog)
		return NVRTC_ERROR_INTERNAL_ERROR;
	(*prog)->tag = TAG;
	(*prog)->source = text_copy(src);
	return NVRTC_SUCCESS;
}

int nvrtcDestroyProgram(nvrtcProgram *prog)
{
	if (!prog || !*prog || (*prog)->tag != TAG)
		return NVRTC_ERROR_INVALID_PROGRAM;
	(*prog)->tag = 0;
	free((*prog)->source);
	free((*prog)->log);
	free(*prog);
	*prog = NULL;
	return NVRTC_SUCCESS;
}

/* "#error N": a log of N lines. */
static int build_fail(nvrtcProgram prog, const char *error)
{
	static const char line[] = "default_program(1): error: #error directive: of the source\n";
	long count = strtol(error + strlen("#error"), NULL, 10);
	char *at = malloc((size_t)count * (sizeof(line) - 1) + 1);

	prog->log = at;
	for (long i = 0; at && i < count; i++, at += sizeof(line) - 1)
		memcpy(at, line, sizeof(line));
	return NVRTC_ERROR_COMPILATION;
}

int nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options)
{
	const struct timespec some = {.tv_nsec = 2000000};
	const char *error;

	errno = EDOM;
	if (!prog)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (numOptions < 0 || (numOptions > 0 && !options))
		return NVRTC_ERROR_INVALID_INPUT;
	free(prog->log);
	prog->log = NULL;
	for (int i = 0; i < numOptions; i++) {
		if (options[i] && options[i][0] == '-')
			continue;
		prog->log = text_copy("nvrtc: error: unrecognized option found\n");
		return NVRTC_ERROR_INVALID_OPTION;
	}
	nanosleep(&some, NULL);
	errno = EDOM;
	error = strstr(prog->source, "#error");
	prog->built = !error;
	return error ? build_fail(prog, error) : NVRTC_SUCCESS;
}

int nvrtcGetPTXSize(nvrtcProgram prog, size_t *bytes)
{
	if (!prog || !bytes)
		return prog ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	*bytes = prog->built ? strlen(prog->source) + 1 : 0;
	return NVRTC_SUCCESS;
}

int nvrtcGetPTX(nvrtcProgram prog, char *ptx)
{
	if (!prog || !ptx)
		return prog ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	if (prog->built)
		strcpy(ptx, prog->source);
	return NVRTC_SUCCESS;
}

int nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *bytes)
{
	errno = ERANGE;
	if (!prog || !bytes)
		return prog ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	*bytes = prog->log ? strlen(prog->log) + 1 : 1;
	return NVRTC_SUCCESS;
}

int nvrtcGetProgramLog(nvrtcProgram prog, char *log)
{
	errno = ERANGE;
	if (!prog || !log)
		return prog ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	strcpy(log, prog->log ? prog->log : "");
	return NVRTC_SUCCESS;
}

int nvrtcAddNameExpression(nvrtcProgram prog, const char *name)
{
	if (!prog || !name)
		return prog ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	return NVRTC_SUCCESS;
}

int nvrtcGetLoweredName(nvrtcProgram prog, const char *name, const char **lowered)
{
	if (!prog || !name || !lowered)
		return prog ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
	*lowered = name;
	return NVRTC_SUCCESS;
}

int nvrtcGetPCHCreateStatus(nvrtcProgram prog)
{
	return prog ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}

const char *nvrtcGetErrorString(int status)
{
	return status ? "an error" : "NVRTC_SUCCESS";
}
