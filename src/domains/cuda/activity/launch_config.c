/* SPDX-License-Identifier: MIT */
#include "domains/cuda/activity/launch_config.h"

#include "core/call/launch_config.h"

uint32_t cuda_launch_config(const struct cupti_kernel *kernel, uint32_t number)
{
	struct tandem_rec_launch_config config = {
		.domain = TANDEM_DOMAIN_cuda,
		.kernel = number,
		.groups_x = (uint32_t)kernel->grid[0],
		.groups_y = (uint32_t)kernel->grid[1],
		.groups_z = (uint32_t)kernel->grid[2],
		.items_x = (uint32_t)kernel->block[0],
		.items_y = (uint32_t)kernel->block[1],
		.items_z = (uint32_t)kernel->block[2],
		.cluster_x = kernel->cluster[0],
		.cluster_y = kernel->cluster[1],
		.cluster_z = kernel->cluster[2],
		.registers = kernel->registers,
		.static_local_bytes = (uint32_t)kernel->static_shared_bytes,
		.dynamic_local_bytes = (uint32_t)kernel->dynamic_shared_bytes,
		.local_config_bytes = kernel->shared_config_bytes,
		.private_bytes = kernel->local_bytes_per_thread,
		.graph = kernel->graph,
		.node = kernel->node,
	};

	return launch_config_number(TANDEM_EVENT_launch_config, &config, sizeof(config));
}

uint32_t cuda_transfer_config(const struct tandem_rec_transfer_config *transfer)
{
	struct tandem_rec_transfer_config config = *transfer;

	config.launch_config = 0;
	config.domain = TANDEM_DOMAIN_cuda;
	return launch_config_number(TANDEM_EVENT_transfer_config, &config, sizeof(config));
}
