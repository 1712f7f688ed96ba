/* SPDX-License-Identifier: MIT */
/* Uses HSA by itself, and prints what a trace of it must have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa.h"

#define BYTES 8192u

static int failures;
static uint64_t agents[2], pools[2];
static unsigned agent_count;

static void must(int32_t status, int32_t expected)
{
	failures += status != expected;
}

static int32_t pool_found(uint64_t pool, void *data)
{
	*(uint64_t *)data = pool;
	return 0;
}

static int32_t agent_found(uint64_t agent, void *data)
{
	(void)data;
	must(hsa_amd_agent_iterate_memory_pools(agent, pool_found, &pools[agent_count]), 0);
	agents[agent_count++] = agent;
	return 0;
}

static void packet_put(struct stub_queue *queue, uint16_t type, uint64_t kernel, uint64_t signal)
{
	uint64_t at = hsa_queue_add_write_index_relaxed(queue, 1);
	struct stub_packet packet = {.header = type,
				     .workgroup = {64, 1, 1},
				     .grid = {1024, 2, 1},
				     .kernel_object = kernel,
				     .signal = signal,
				     .group_bytes = 256};

	memcpy(queue->base + at % queue->size * sizeof(packet), &packet, sizeof(packet));
	hsa_signal_store_screlease(queue->doorbell, (int64_t)at);
}

int main(void)
{
	void *device = NULL, *host = NULL;
	struct stub_queue *queue = NULL;
	uint64_t signal = 0;

	if (hsa_init())
		return 3;
	must(hsa_iterate_agents(agent_found, NULL), 0);
	must(hsa_amd_memory_pool_allocate(pools[0], BYTES, 0, &host), 0);
	must(hsa_amd_memory_pool_allocate(pools[1], BYTES, 0, &device), 0);
	must(hsa_amd_memory_pool_allocate(99, BYTES, 0, &device), 0x1001);
	memset(host, 5, BYTES);
	must(hsa_signal_create(1, 0, NULL, &signal), 0);
	must(hsa_amd_memory_async_copy(device, agents[1], host, agents[0], BYTES, 0, NULL, signal),
	     0);
	failures += hsa_signal_wait_scacquire(signal, 2, 1, UINT64_MAX, 0) != 0;
	failures += memcmp(device, host, BYTES) != 0;
	must(hsa_amd_memory_async_copy(device, agents[1], host, agents[0], 0, 0, NULL, signal),
	     0x1001);
	must(hsa_executable_freeze(STUB_EXECUTABLE, NULL), 0);
	must(hsa_queue_create(agents[1], 16, 0, NULL, NULL, 0, 0, &queue), 0);
	/* Four kernels, of which the last has the signal, and a barrier. */
	for (int i = 0; i < 3; i++)
		packet_put(queue, 2, STUB_KERNEL(1), 0);
	hsa_signal_store_relaxed(signal, 2);
	packet_put(queue, 2, STUB_KERNEL(2), signal);
	packet_put(queue, 3, 0, signal);
	failures += hsa_signal_wait_scacquire(signal, 2, 1, UINT64_MAX, 0) != 0;
	hsa_signal_store_relaxed(signal, 1);
	must(hsa_amd_memory_async_copy(host, agents[0], device, agents[1], BYTES / 2, 0, NULL,
				       signal),
	     0);
	failures += hsa_signal_wait_scacquire(signal, 2, 1, UINT64_MAX, 0) != 0;
	must(hsa_queue_destroy(queue), 0);
	must(hsa_signal_destroy(signal), 0);
	must(hsa_amd_memory_pool_free(device), 0);
	must(hsa_amd_memory_pool_free(host), 0);
	must(hsa_shut_down(), 0);
	puts("expect calls:hsa_amd_memory_pool_allocate 3\nexpect failed:hsa_amd_memory_pool_allocate 1\n"
	     "expect calls:hsa_amd_memory_async_copy 3\nexpect failed:hsa_amd_memory_async_copy 1\n"
	     "expect calls:hsa_signal_wait_scacquire 3\nexpect calls:hsa_queue_create 1\n"
	     "expect calls:hsa_signal_store_relaxed 0\nexpect calls:dispatch 4\n"
	     "expect kernels 4\nexpect kernel:vector_add 3\nexpect kernel:reduce 1\n"
	     "expect copy_h2d 1\nexpect copy_d2h 1\nexpect bytes:copy_h2d 8192\n"
	     "expect bytes:copy_d2h 4096\nexpect allocated 2\nexpect freed 2\n"
	     "expect queues 2\nexpect devices 1\nexpect calls:memory_pool 3");
	return failures ? 1 : 0;
}
