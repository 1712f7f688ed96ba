/* SPDX-License-Identifier: MIT */
/* Some of NVRTC's functions, as its header declares them: what they take and return has the same
 * sizes. */
#ifndef TANDEM_TESTS_STUBS_NVRTC_H
#define TANDEM_TESTS_STUBS_NVRTC_H

#include <stddef.h>

enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_PROGRAM = 4,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6,
	NVRTC_ERROR_INTERNAL_ERROR = 11,
	NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
};

typedef struct program *nvrtcProgram;

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
		       const char *const *headers, const char *const *includeNames);
int nvrtcDestroyProgram(nvrtcProgram *prog);
int nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options);
int nvrtcGetPTXSize(nvrtcProgram prog, size_t *bytes);
int nvrtcGetPTX(nvrtcProgram prog, char *ptx);
int nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *bytes);
int nvrtcGetProgramLog(nvrtcProgram prog, char *log);
int nvrtcAddNameExpression(nvrtcProgram prog, const char *name);
int nvrtcGetLoweredName(nvrtcProgram prog, const char *name, const char **lowered);
int nvrtcGetPCHCreateStatus(nvrtcProgram prog);
const char *nvrtcGetErrorString(int status);

/* Of another version: the stub has none. */
__attribute__((weak)) int nvrtcGetNVVMSize(nvrtcProgram prog, size_t *bytes);

#ifdef LOOKUP
#include "../lookup.h"
#define nvrtcVersion LOOKED_UP(nvrtcVersion)
#define nvrtcCreateProgram LOOKED_UP(nvrtcCreateProgram)
#define nvrtcDestroyProgram LOOKED_UP(nvrtcDestroyProgram)
#define nvrtcCompileProgram LOOKED_UP(nvrtcCompileProgram)
#define nvrtcGetPTXSize LOOKED_UP(nvrtcGetPTXSize)
#define nvrtcGetPTX LOOKED_UP(nvrtcGetPTX)
#define nvrtcGetProgramLogSize LOOKED_UP(nvrtcGetProgramLogSize)
#define nvrtcGetProgramLog LOOKED_UP(nvrtcGetProgramLog)
#define nvrtcAddNameExpression LOOKED_UP(nvrtcAddNameExpression)
#define nvrtcGetLoweredName LOOKED_UP(nvrtcGetLoweredName)
#define nvrtcGetPCHCreateStatus LOOKED_UP(nvrtcGetPCHCreateStatus)
#define nvrtcGetErrorString LOOKED_UP(nvrtcGetErrorString)
#endif

#endif
