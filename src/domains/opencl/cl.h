/* SPDX-License-Identifier: MIT */
/* The constants of OpenCL. From our own tables: libtandem.so is built without
 * OpenCL's headers. */
#ifndef TANDEM_OPENCL_CL_H
#define TANDEM_OPENCL_CL_H

#include "domains/opencl/gen/constants.h"

/* In no group of the registry. */
#define CL_BUILD_SUCCESS 0

/* The loader's layers (CL/cl_layer.h). */
#define CL_LAYER_API_VERSION 0x4240
#define CL_LAYER_NAME 0x4241
#define CL_LAYER_API_VERSION_100 100

#endif
