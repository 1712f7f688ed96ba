/* SPDX-License-Identifier: MIT */
/* OpenCL's own numbers in the control page (tandem_domain_control): its notices, as
 * those of schema/domain/cuda.h. */
#ifndef TANDEM_SCHEMA_OPENCL_H
#define TANDEM_SCHEMA_OPENCL_H

#define TANDEM_OPENCL_NOTICES(X)                                                                 \
	X(no_layer, "OpenCL was used, but its loader (libOpenCL) did not take Tandem's "         \
		    "layer: only calls of functions that the program is linked to are "          \
		    "recorded (see `tandem doctor`)")                                            \
	X(second_loader, "a process used a second OpenCL loader (libOpenCL): its calls are not " \
			 "recorded")                                                             \
	X(outer_layer, "OPENCL_LAYERS names another layer after Tandem's: only calls of "        \
		       "functions that the program is linked to are recorded")

enum tandem_opencl_notice {
#define X(name, text) TANDEM_OPENCL_NOTICE_##name,
	TANDEM_OPENCL_NOTICES(X)
#undef X
};

#endif
