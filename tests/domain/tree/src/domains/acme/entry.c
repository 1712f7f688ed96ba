/* SPDX-License-Identifier: MIT */
/* libtandem-acme.so: the entry point that the runtime calls, which leads into libtandem.so.
 * A library of its own, so that a preloaded one exports no name of a tool's. */
#include "domains/acme/attach.h"

__attribute__((visibility("default"))) int acm_tool_begin(const struct acm_runtime *runtime,
							  struct acm_tool *tool);

int acm_tool_begin(const struct acm_runtime *runtime, struct acm_tool *tool)
{
	return runtime && tool ? tandem_acme_begin(runtime, tool) : -1;
}
