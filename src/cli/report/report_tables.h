/* SPDX-License-Identifier: MIT */
/* The columns of the report's tables. The keys are fixed: programs read them. */
#ifndef TANDEM_CLI_REPORT_REPORT_TABLES_H
#define TANDEM_CLI_REPORT_REPORT_TABLES_H

#include "analysis/report/report.h"
#include "cli/table.h"

/* X(field of struct report, its number of rows, name): in the order in which
 * they are printed. */
#define REPORT_TABLES(X)                                                          \
	X(api, api_count, "API calls")                                            \
	X(ranges, range_count, "Ranges (annotated by the program)")               \
	X(tasks, task_count, "Tasks, by the place that makes them")               \
	X(device, device_count, "Device operations")                              \
	X(zones, zone_count, "Command latency by queue")                          \
	X(devices, busy_count, "Devices")                                         \
	X(sharing, sharing_count, "Device contention")                            \
	X(memory, memory_count, "Device memory")                                  \
	X(faults, fault_count, "Unified memory faults")                           \
	X(builds, build_count, "Program builds")                                  \
	X(modules, module_count, "Loaded device code")                            \
	X(external_ids, external_id_count, "External ids (given by the program)") \
	X(overheads, overhead_count, "Runtime and tracing overhead")              \
	X(errors, error_count, "Errors")                                          \
	X(open_calls, open_call_count, "Calls that did not return")               \
	X(untimed_queues, untimed_queue_count, "Queues without device times")     \
	X(process, process_count, "Processes")                                    \
	X(thread, thread_count, "Threads")                                        \
	X(waits, wait_count, "Thread waits (waiting on, woken by)")               \
	X(functions, function_count, "CPU hot spots (sampled)")                   \
	X(engines, engine_count, "GPU engines (kernel driver)")                   \
	X(engine_users, engine_user_count, "GPU engine use by process")           \
	X(hosts, host_count, "Hosts (times on the first one's clock)")            \
	X(clocks, clock_count, "Clock synchronisation")

enum report_table {
#define X(field, count, words) REPORT_TABLE_##field,
	REPORT_TABLES(X) REPORT_TABLE_COUNT
#undef X
};

struct report_part {
	const struct table *table;
	const char *words;
	const void *rows;
	size_t count;
};

/* The rows of one table of a report, with how to print them. */
struct report_part report_part(const struct report *report, enum report_table which);

#endif
