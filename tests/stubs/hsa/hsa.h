/* SPDX-License-Identifier: MIT */
/* What of HSA the stub has, and its program calls; handles are words.
 * X(returned, name, parameters, arguments) */
#ifndef STUB_HSA_HSA_H
#define STUB_HSA_HSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void stub_writer(const void *packets, uint64_t count);
typedef void stub_handler(const void *packets, uint64_t count, uint64_t index, void *data,
			  stub_writer *writer);

struct stub_times {
	uint64_t start, end;
};

struct stub_queue { /* hsa_queue_t */
	uint32_t type, features;
	uint8_t *base;
	uint64_t doorbell;
	uint32_t size, reserved;
	uint64_t id;
};

#define STUB_HSA_CORE(X)                                                                          \
	X(int32_t, hsa_init, (void), ())                                                          \
	X(int32_t, hsa_shut_down, (void), ())                                                     \
	X(int32_t, hsa_system_get_info, (uint32_t what, void *value), (what, value))              \
	X(int32_t, hsa_iterate_agents, (int32_t(*found)(uint64_t, void *), void *data),           \
	  (found, data))                                                                          \
	X(int32_t, hsa_agent_get_info, (uint64_t agent, uint32_t what, void *value),              \
	  (agent, what, value))                                                                   \
	X(int32_t, hsa_queue_create,                                                              \
	  (uint64_t agent, uint32_t size, uint32_t type, void *callback, void *data,              \
	   uint32_t private_bytes, uint32_t group_bytes, struct stub_queue **queue),              \
	  (agent, size, type, callback, data, private_bytes, group_bytes, queue))                 \
	X(int32_t, hsa_queue_destroy, (struct stub_queue * queue), (queue))                       \
	X(uint64_t, hsa_queue_add_write_index_relaxed,                                            \
	  (const struct stub_queue *queue, uint64_t value), (queue, value))                       \
	X(int32_t, hsa_signal_create,                                                             \
	  (int64_t value, uint32_t count, const uint64_t *agents, uint64_t *signal),              \
	  (value, count, agents, signal))                                                         \
	X(int32_t, hsa_signal_destroy, (uint64_t signal), (signal))                               \
	X(void, hsa_signal_store_relaxed, (uint64_t signal, int64_t value), (signal, value))      \
	X(void, hsa_signal_store_screlease, (uint64_t signal, int64_t value), (signal, value))    \
	X(void, hsa_signal_subtract_screlease, (uint64_t signal, int64_t value), (signal, value)) \
	X(int64_t, hsa_signal_wait_scacquire,                                                     \
	  (uint64_t signal, uint32_t condition, int64_t than, uint64_t timeout, uint32_t how),    \
	  (signal, condition, than, timeout, how))                                                \
	X(int32_t, hsa_system_get_major_extension_table,                                          \
	  (uint16_t extension, uint16_t major, size_t bytes, void *table),                        \
	  (extension, major, bytes, table))                                                       \
	X(int32_t, hsa_executable_freeze, (uint64_t executable, const char *options),             \
	  (executable, options))                                                                  \
	X(int32_t, hsa_executable_symbol_get_info, (uint64_t symbol, uint32_t what, void *value), \
	  (symbol, what, value))                                                                  \
	X(int32_t, hsa_executable_iterate_symbols,                                                \
	  (uint64_t executable, int32_t(*found)(uint64_t, uint64_t, void *), void *data),         \
	  (executable, found, data))

#define STUB_HSA_AMD(X)                                                                          \
	X(int32_t, hsa_amd_profiling_set_profiler_enabled,                                       \
	  (struct stub_queue * queue, int32_t on), (queue, on))                                  \
	X(int32_t, hsa_amd_profiling_async_copy_enable, (bool on), (on))                         \
	X(int32_t, hsa_amd_profiling_get_dispatch_time,                                          \
	  (uint64_t agent, uint64_t signal, struct stub_times * times), (agent, signal, times))  \
	X(int32_t, hsa_amd_profiling_get_async_copy_time,                                        \
	  (uint64_t signal, struct stub_times * times), (signal, times))                         \
	X(int32_t, hsa_amd_signal_async_handler,                                                 \
	  (uint64_t signal, int32_t condition, int64_t than, bool (*handler)(int64_t, void *),   \
	   void *data),                                                                          \
	  (signal, condition, than, handler, data))                                              \
	X(int32_t, hsa_amd_memory_pool_get_info, (uint64_t pool, uint32_t what, void *value),    \
	  (pool, what, value))                                                                   \
	X(int32_t, hsa_amd_agent_iterate_memory_pools,                                           \
	  (uint64_t agent, int32_t(*found)(uint64_t, void *), void *data), (agent, found, data)) \
	X(int32_t, hsa_amd_memory_pool_allocate,                                                 \
	  (uint64_t pool, uint64_t bytes, uint32_t flags, void **address),                       \
	  (pool, bytes, flags, address))                                                         \
	X(int32_t, hsa_amd_memory_pool_free, (void *address), (address))                         \
	X(int32_t, hsa_amd_memory_async_copy,                                                    \
	  (void *to, uint64_t to_agent, const void *from, uint64_t from_agent, uint64_t bytes,   \
	   uint32_t count, const uint64_t *signals, uint64_t signal),                            \
	  (to, to_agent, from, from_agent, bytes, count, signals, signal))                       \
	X(int32_t, hsa_amd_queue_intercept_create,                                               \
	  (uint64_t agent, uint32_t size, uint32_t type, void *callback, void *data,             \
	   uint32_t private_bytes, uint32_t group_bytes, struct stub_queue **queue),             \
	  (agent, size, type, callback, data, private_bytes, group_bytes, queue))                \
	X(int32_t, hsa_amd_queue_intercept_register,                                             \
	  (struct stub_queue * queue, stub_handler * handler, void *data), (queue, handler, data))

#define X(returned, name, parameters, arguments) returned name parameters;
STUB_HSA_CORE(X)
STUB_HSA_AMD(X)
#undef X

struct stub_packet {
	uint16_t header, setup, workgroup[3], reserved0;
	uint32_t grid[3], private_bytes, group_bytes;
	uint64_t kernel_object, kernarg, reserved2, signal;
};

/* The stub's one executable, and its kernels' objects. */
#define STUB_EXECUTABLE 0x77u
#define STUB_KERNEL(n) (0x7000u + 0x40u * (n))

#endif
