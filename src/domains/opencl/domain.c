/* SPDX-License-Identifier: MIT */
#include "core/domain.h"

#include "domains/opencl/attach/loader.h"
#include "domains/opencl/command.h"
#include "domains/opencl/describe.h"

static void process_ends(void)
{
	opencl_loader_at_end();
	opencl_commands_at_end();
}

const struct domain domain_opencl = {
	.describe = opencl_describe,
	.at_fork = opencl_commands_at_fork,
	.at_end = process_ends,
	.at_flush = opencl_commands_at_flush,
};
