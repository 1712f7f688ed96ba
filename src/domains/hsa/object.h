/* SPDX-License-Identifier: MIT */
/* Agents, their queues and memory, by handle. Outside of any record; any thread. */
#ifndef TANDEM_DOMAINS_HSA_OBJECT_H
#define TANDEM_DOMAINS_HSA_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/object.h"

/* Our number of the agent, described; 0 for none. */
uint32_t hsa_agent(uint64_t agent);
bool hsa_agent_is_gpu(uint64_t agent);

/* The number in the name of its processor: 0x90a of gfx90a; 0: it has none. */
uint32_t hsa_agent_gfx(uint64_t agent);
uint32_t hsa_agent_wave_items(uint64_t agent);

/* Our number of the queue, described. */
uint32_t hsa_queue_described(const void *queue, uint64_t agent);
uint32_t hsa_queue(const void *queue); /* 0: of none of its agents */
void hsa_queue_destroyed(const void *queue);

/* Where an agent's copies run: a row of it. */
uint32_t hsa_copy_queue(uint64_t agent);

/* All agents and their memory pools, once, and again after a resume; opens the process. */
void hsa_objects_describe(void);

#endif
