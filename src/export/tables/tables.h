/* SPDX-License-Identifier: MIT */
/* A session as tables: what the formats that want rows (SQLite, CSV) have in
 * common. The columns of each are listed once, here; a sink takes the rows as
 * they come.
 *
 *	struct csv {
 *		struct tables tables;        first member of the format's state
 *		...
 *	};
 *	static const struct export_ops ops = {.call = tables_call, ...};
 *
 * Times are in ns from the first session's start. Ids are unique in the database
 * and count from 1; a `number` is the process's own, as `tandem print` shows it.
 */
#ifndef TANDEM_EXPORT_TABLES_H
#define TANDEM_EXPORT_TABLES_H

#include <stdint.h>

#include "analysis/sched/states.h"
#include "export/export.h"

/* X(column, type, words) */
#define TABLE_SESSIONS(X)                                               \
	X(id, INTEGER, "")                                              \
	X(path, TEXT, "directory, as it was given")                     \
	X(program, TEXT, "")                                            \
	X(command, TEXT, "words of the command line")                   \
	X(host, TEXT, "")                                               \
	X(start, TEXT, "date and time")                                 \
	X(begin_ns, INTEGER, "on the axis of all times")                \
	X(duration_ns, INTEGER, "to the end of the run")                \
	X(start_monotonic_ns, INTEGER, "CLOCK_MONOTONIC at the start")  \
	X(start_realtime_ns, INTEGER, "CLOCK_REALTIME at the start")    \
	X(exit_code, INTEGER, "NULL: killed, or not seen to end")       \
	X(exit_signal, INTEGER, "NULL: not killed, or not seen to end") \
	X(args_level, TEXT, "none, basic, full")                        \
	X(tandem, TEXT, "version that recorded")                        \
	X(fingerprint, TEXT, "changes when the trace does")             \
	X(from_ns, INTEGER, "where a part begins; NULL: the run does")  \
	X(to_ns, INTEGER, "where a part ends; NULL: the run does")      \
	X(range, TEXT, "--range that chose the part; NULL: none did")

#define TABLE_PROCESSES(X)                                                \
	X(id, INTEGER, "")                                                \
	X(session, INTEGER, "sessions.id")                                \
	X(pid, INTEGER, "")                                               \
	X(ppid, INTEGER, "")                                              \
	X(instance, INTEGER, "0: the pid's first program, 1: its second") \
	X(name, TEXT, "")                                                 \
	X(command, TEXT, "")

#define TABLE_THREADS(X)                                          \
	X(id, INTEGER, "")                                        \
	X(process, INTEGER, "processes.id")                       \
	X(tid, INTEGER, "")                                       \
	X(stream, INTEGER, "number of its stream in the process") \
	X(name, TEXT, "")

#define TABLE_DEVICES(X)                                               \
	X(id, INTEGER, "")                                             \
	X(session, INTEGER, "sessions.id")                             \
	X(domain, TEXT, "its name, as in --domains")                   \
	X(name, TEXT, "with ' #2' behind where several have the same") \
	X(type, TEXT, "cpu, gpu, accelerator, other")                  \
	X(platform, TEXT, "")                                          \
	X(ordinal, INTEGER, "among the platform's devices")            \
	X(parent, INTEGER, "devices.id of a sub-device's")             \
	X(compute_units, INTEGER, "")                                  \
	X(clock_mhz, INTEGER, "")                                      \
	X(memory_bytes, INTEGER, "")                                   \
	X(max_work_group, INTEGER, "")                                 \
	X(timer_ns, INTEGER, "resolution of its clock")                \
	X(vendor, TEXT, "")                                            \
	X(version, TEXT, "")                                           \
	X(driver, TEXT, "")

#define TABLE_CONTEXTS(X)                   \
	X(process, INTEGER, "processes.id") \
	X(number, INTEGER, "")              \
	X(domain, TEXT, "")                 \
	X(handle, TEXT, "")                 \
	X(devices, INTEGER, "how many it holds")

#define TABLE_QUEUES(X)                                                                        \
	X(process, INTEGER, "processes.id")                                                    \
	X(number, INTEGER, "")                                                                 \
	X(domain, TEXT, "")                                                                    \
	X(device, INTEGER, "devices.id")                                                       \
	X(context, INTEGER, "contexts.number")                                                 \
	X(timing, TEXT, "asked, forced, off, unavailable")                                     \
	X(in_order, INTEGER,                                                                   \
	  "0: commands may overtake; 2: it and the others of its context wait for each other") \
	X(handle, TEXT, "")

#define TABLE_PROGRAMS(X)                                      \
	X(process, INTEGER, "processes.id")                    \
	X(number, INTEGER, "")                                 \
	X(domain, TEXT, "")                                    \
	X(context, INTEGER, "contexts.number")                 \
	X(source, TEXT, "source, binary, il, builtin, linked") \
	X(bytes, INTEGER, "of what it was made of")

#define TABLE_KERNELS(X)                                         \
	X(process, INTEGER, "processes.id")                      \
	X(number, INTEGER, "")                                   \
	X(domain, TEXT, "")                                      \
	X(name, TEXT, "")                                        \
	X(program, INTEGER, "programs.number")                   \
	X(max_work_group, INTEGER, "")                           \
	X(preferred_multiple, INTEGER, "of a work-group's size") \
	X(local_bytes, INTEGER, "of each work-group")            \
	X(private_bytes, INTEGER, "of each work-item")

#define TABLE_BUILDS(X)                        \
	X(process, INTEGER, "processes.id")    \
	X(program, INTEGER, "programs.number") \
	X(step, TEXT, "build, compile, link")  \
	X(device, INTEGER, "devices.id")       \
	X(begin_ns, INTEGER, "")               \
	X(duration_ns, INTEGER, "")            \
	X(status, INTEGER, "0: built")         \
	X(options, TEXT, "")                   \
	X(log, TEXT, "of a failed one")

#define TABLE_API_CALLS(X)                                                  \
	X(id, INTEGER, "in the order of begins")                            \
	X(thread, INTEGER, "threads.id")                                    \
	X(domain, TEXT, "")                                                 \
	X(name, TEXT, "of the function")                                    \
	X(class, TEXT, "call, enqueue, wait, create, release, build")       \
	X(begin_ns, INTEGER, "")                                            \
	X(end_ns, INTEGER, "NULL: it had not returned")                     \
	X(duration_ns, INTEGER, "")                                         \
	X(result, INTEGER, "NULL: it returns nothing, or had not returned") \
	X(result_name, TEXT, "CL_SUCCESS...")                               \
	X(failed, INTEGER, "1: an error was returned")                      \
	X(op, INTEGER, "operation id of the command that it enqueued")      \
	X(args, TEXT, "JSON object of what was recorded")

#define TABLE_DEVICE_OPS(X)                                                        \
	X(id, INTEGER, "in the order in which ends were seen")                     \
	X(process, INTEGER, "processes.id")                                        \
	X(domain, TEXT, "")                                                        \
	X(kind, TEXT, "kernel, copy_h2d, copy_d2h, copy_d2d, fill, map...")        \
	X(name, TEXT, "of the kernel, else of the call without its prefix")        \
	X(device, INTEGER, "devices.id")                                           \
	X(queue, INTEGER, "queues.number")                                         \
	X(op, INTEGER, "operation id, unique in the process")                      \
	X(call, INTEGER, "api_calls.id that enqueued it")                          \
	X(queued_ns, INTEGER, "on the host's axis; NULL: no device times")         \
	X(submitted_ns, INTEGER, "")                                               \
	X(start_ns, INTEGER, "")                                                   \
	X(end_ns, INTEGER, "")                                                     \
	X(duration_ns, INTEGER, "start to end, by the device's clock")             \
	X(bound_ns, INTEGER, "the four times are at most so far off")              \
	X(causal, INTEGER, "0: they contradict the call or the end seen")          \
	X(bytes, INTEGER, "moved")                                                 \
	X(status, INTEGER,                                                         \
	  "0: done; negative: the runtime's error; NULL: completion not recorded") \
	X(completion_source, TEXT, "completion source")                            \
	X(seen_ns, INTEGER, "when it did")                                         \
	X(seen_call, INTEGER, "api_calls.id during or before which it did")        \
	X(kernel, INTEGER, "kernels.number")                                       \
	X(global_x, INTEGER, "")                                                   \
	X(global_y, INTEGER, "")                                                   \
	X(global_z, INTEGER, "")                                                   \
	X(local_x, INTEGER, "NULL: the runtime chose")                             \
	X(local_y, INTEGER, "")                                                    \
	X(local_z, INTEGER, "")                                                    \
	X(node, INTEGER, "task_nodes.number whose task it is of")

#define TABLE_TASK_NODES(X)                                                                \
	X(process, INTEGER, "processes.id")                                                \
	X(number, INTEGER, "")                                                             \
	X(domain, TEXT, "")                                                                \
	X(at_ns, INTEGER, "when it was made")                                              \
	X(instance, INTEGER, "the runtime's number of the visit")                          \
	X(kind, TEXT, "kernel, host_task, transfer, allocation, release, external, other") \
	X(name, TEXT, "of the kernel, or what it does")                                    \
	X(file, TEXT, "of the program, where it was made")                                 \
	X(line, INTEGER, "")                                                               \
	X(function, TEXT, "")                                                              \
	X(device, TEXT, "as the runtime calls it")

#define TABLE_TASK_EDGES(X)                                              \
	X(process, INTEGER, "processes.id")                              \
	X(source, INTEGER, "task_nodes.number that completes before...") \
	X(target, INTEGER, "... this one begins")                        \
	X(access, TEXT, "event, read, write, read_write, discard_write") \
	X(buffer, INTEGER, "by which it came")

#define TABLE_MEMORY(X)                                        \
	X(thread, INTEGER, "threads.id")                       \
	X(at_ns, INTEGER, "")                                  \
	X(number, INTEGER, "of the allocation in its process") \
	X(event, TEXT, "allocate, free")                       \
	X(kind, TEXT, "buffer, image, svm...; NULL of a free") \
	X(context, INTEGER, "contexts.number")                 \
	X(device, INTEGER, "devices.id, where it is on one")   \
	X(bytes, INTEGER, "")                                  \
	X(in_use_bytes, INTEGER, "there, from here on")

#define TABLE_RANGES(X)                                                      \
	X(id, INTEGER, "in the order of begins")                             \
	X(process, INTEGER, "processes.id")                                  \
	X(thread, INTEGER, "threads.id; of start_end the one that began it") \
	X(parent, INTEGER, "ranges.id of the nested one around it")          \
	X(depth, INTEGER, "of a nested one: how many are around it")         \
	X(kind, TEXT, "nested, start_end, marker")                           \
	X(scope, TEXT, "its domain (NVTX); NULL: the program's own")         \
	X(name, TEXT, "")                                                    \
	X(category, TEXT, "its name, else its number; NULL: none")           \
	X(color, TEXT, "ARGB")                                               \
	X(begin_ns, INTEGER, "")                                             \
	X(end_ns, INTEGER, "NULL: it was not recorded")                      \
	X(duration_ns, INTEGER, "")                                          \
	X(operations, INTEGER, "enqueued inside, that the devices did")      \
	X(kernels, INTEGER, "of these")                                      \
	X(unfinished, INTEGER, "enqueued inside, whose end was not recorded")

#define TABLE_RANGE_DEVICES(X)                                             \
	X(range, INTEGER, "ranges.id")                                     \
	X(device, INTEGER, "devices.id that did what was enqueued inside") \
	X(begin_ns, INTEGER, "start of the first operation")               \
	X(end_ns, INTEGER, "end of the last")                              \
	X(duration_ns, INTEGER, "from the one to the other")               \
	X(executing_ns, INTEGER, "sum of their executions")                \
	X(operations, INTEGER, "")                                         \
	X(kernels, INTEGER, "")

#define TABLE_OVERHEADS(X)                                   \
	X(process, INTEGER, "processes.id")                  \
	X(tid, INTEGER, "NULL: not of one thread")           \
	X(domain, TEXT, "")                                  \
	X(kind, TEXT, "what the runtime or its tracing did") \
	X(begin_ns, INTEGER, "")                             \
	X(end_ns, INTEGER, "")                               \
	X(duration_ns, INTEGER, "")

#define TABLE_FAULTS(X)                                                            \
	X(process, INTEGER, "processes.id")                                        \
	X(domain, TEXT, "")                                                        \
	X(kind, TEXT, "cpu_page, gpu_page, thrashing...")                          \
	X(begin_ns, INTEGER, "")                                                   \
	X(end_ns, INTEGER, "NULL: a moment")                                       \
	X(address, TEXT, "")                                                       \
	X(value, INTEGER, "faults of the group; of a CPU's fault the instruction") \
	X(device, INTEGER, "devices.id; NULL: the CPU")

#define TABLE_MODULES(X)                        \
	X(process, INTEGER, "processes.id")     \
	X(program, INTEGER, "programs.number")  \
	X(domain, TEXT, "")                     \
	X(at_ns, INTEGER, "when it was loaded") \
	X(hash, TEXT, "FNV-1a of the code")     \
	X(bytes, INTEGER, "")                   \
	X(saved, INTEGER, "1: kept in the session")

#define TABLE_EXTERNAL_IDS(X)                         \
	X(process, INTEGER, "processes.id")           \
	X(op, INTEGER, "api_calls.op, device_ops.op") \
	X(kind, TEXT, "")                             \
	X(number, INTEGER, "the program's own, of the command")

#define TABLE_LOSSES(X)                    \
	X(session, INTEGER, "sessions.id") \
	X(reason, TEXT, "")                \
	X(words, TEXT, "")                 \
	X(count, INTEGER, "of events")

#define TABLE_CLOCKS(X)                                                       \
	X(device, INTEGER, "devices.id")                                      \
	X(segment, INTEGER, "from 1; the clock was set or slewed in between") \
	X(begin_ns, INTEGER, "first moment that bounds it")                   \
	X(end_ns, INTEGER, "last one")                                        \
	X(offset_ns, INTEGER, "host minus device, at the begin")              \
	X(drift_ppm, REAL, "how much faster the host's clock runs")           \
	X(bound_ns, INTEGER, "at most so far off, at worst; NULL: unknown")   \
	X(best_ns, INTEGER, "... at best")                                    \
	X(constraints, INTEGER, "moments that bound it")

#define TABLE_THREAD_STATES(X)                                                                     \
	X(process, INTEGER, "processes.id")                                                        \
	X(thread, INTEGER, "threads.id; NULL: it recorded nothing itself")                         \
	X(tid, INTEGER, "")                                                                        \
	X(name, TEXT, "of the thread")                                                             \
	X(state, TEXT, "running, wait_cpu, wait_blocked, unknown")                                 \
	X(begin_ns, INTEGER, "")                                                                   \
	X(end_ns, INTEGER, "")                                                                     \
	X(duration_ns, INTEGER, "")                                                                \
	X(cpu, INTEGER, "where it ran or waited")                                                  \
	X(in_system, INTEGER, "1: it ran in a system call, where these are recorded")              \
	X(by_kind, TEXT, "what ran instead, or ended the wait: process, interrupt, idle, unknown") \
	X(by_pid, INTEGER, "its process")                                                          \
	X(by_tid, INTEGER, "its thread, as the kernel counts")                                     \
	X(by_name, TEXT, "its thread's name")

#define TABLE_FINDINGS(X)                                              \
	X(session, INTEGER, "sessions.id")                             \
	X(name, TEXT, "kind")                                          \
	X(cause, TEXT, "within the kind")                              \
	X(description, TEXT, "one sentence")                           \
	X(suggestion, TEXT, "one sentence")                            \
	X(culprits, TEXT, "caused it; NULL: the program itself")       \
	X(confidence, TEXT, "high, medium, low")                       \
	X(evidence, TEXT, "of the confidence")                         \
	X(cost_ns, INTEGER, "what it cost; costs of findings overlap") \
	X(percent, REAL, "of the run")                                 \
	X(count, INTEGER, "how often")                                 \
	X(pid, INTEGER, "")                                            \
	X(tid, INTEGER, "")                                            \
	X(queue, INTEGER, "queues.number")                             \
	X(device, TEXT, "devices.name")                                \
	X(object, TEXT, "function, kernel...")                         \
	X(begin_ns, INTEGER, "of the longest, or the first")           \
	X(end_ns, INTEGER, "")                                         \
	X(what, TEXT, "description, by its name in version 0.1")       \
	X(todo, TEXT, "suggestion, likewise; so are the next")         \
	X(who, TEXT, "culprits")                                       \
	X(sure, TEXT, "confidence, in the words of 0.1")               \
	X(why, TEXT, "evidence")

/* X(name, TABLE_NAME, words) */
#define TABLES(X)                                                                          \
	X(sessions, SESSIONS, "recorded runs")                                             \
	X(processes, PROCESSES, "")                                                        \
	X(threads, THREADS, "")                                                            \
	X(devices, DEVICES, "")                                                            \
	X(contexts, CONTEXTS, "")                                                          \
	X(queues, QUEUES, "")                                                              \
	X(programs, PROGRAMS, "")                                                          \
	X(kernels, KERNELS, "kernel objects")                                              \
	X(builds, BUILDS, "of programs")                                                   \
	X(api_calls, API_CALLS, "each call of a runtime's function")                       \
	X(device_ops, DEVICE_OPS, "each command that a device was given")                  \
	X(task_nodes, TASK_NODES, "of task graphs")                                        \
	X(task_edges, TASK_EDGES, "between them")                                          \
	X(memory, MEMORY, "allocations and frees")                                         \
	X(ranges, RANGES, "ranges and markers that the program set (NVTX)")                \
	X(range_devices, RANGE_DEVICES, "ranges, projected onto devices")                  \
	X(overheads, OVERHEADS, "what runtimes and their tracing cost (CUPTI)")            \
	X(faults, FAULTS, "of unified memory")                                             \
	X(modules, MODULES, "loaded device code")                                          \
	X(external_ids, EXTERNAL_IDS, "the program's own numbers of its commands")         \
	X(losses, LOSSES, "why events are missing")                                        \
	X(clocks, CLOCKS, "how device clocks were fitted to the host's")                   \
	X(thread_states, THREAD_STATES, "what threads did, where the kernel was recorded") \
	X(findings, FINDINGS, "what is wrong, and what it cost")

enum table_id {
#define X(name, list, words) TABLE_##name,
	TABLES(X) TABLE_COUNT
#undef X
};

enum table_type { TABLE_NULL, TABLE_INTEGER, TABLE_REAL, TABLE_TEXT };

struct table_column {
	const char *name, *words;
	enum table_type type;
};

struct table {
	const char *name, *words;
	const struct table_column *columns;
	unsigned count;
};

extern const struct table tables_all[TABLE_COUNT];

/* Most columns that a table has. */
#define TABLE_COLUMNS 32u

struct table_value {
	enum table_type type; /* NULL or the column's */
	int64_t integer;
	double real;
	const char *text; /* any bytes */
	size_t length;
};

struct tables {
	/* Takes a row of tables_all[id]; values live during the call. Returns 0 or
	 * -errno. */
	int (*row)(struct export *export, enum table_id id, const struct table_value *values);
	struct text json, words; /* of the row that is being made */
	struct map described;	 /* objects of this session that have their row */

	/* What its threads did (tables_states.c). */
	struct states states;
	bool watching;	       /* `states` is in use */
	struct map pids, tids; /* pid -> processes.id; pid and tid -> threads.id */
	struct export *export; /* whose rows on_interval() makes */
	int status;	       /* of these */
};

/* The operations of a format that wants rows. */
int tables_session(struct export *export);
int tables_process(struct export *export, const struct trace_process *process);
int tables_thread(struct export *export, const struct trace_stream *stream);
int tables_call(struct export *export, const struct event_item *item);
int tables_operation(struct export *export, const struct event_item *item);
int tables_memory(struct export *export, const struct event_item *item);
int tables_build(struct export *export, const struct event_item *item);
int tables_object(struct export *export, const struct event_item *item);
int tables_range(struct export *export, const struct range_instance *range);
int tables_any(struct export *export, const struct event_item *item);
int tables_session_end(struct export *export);
void tables_release(struct tables *tables);

#define TABLES_OPS                                                                          \
	.session = tables_session, .process = tables_process, .thread = tables_thread,      \
	.call = tables_call, .operation = tables_operation, .unfinished = tables_operation, \
	.memory = tables_memory, .build = tables_build, .object = tables_object,            \
	.range = tables_range, .any = tables_any, .session_end = tables_session_end,        \
	.with_findings = true

#endif
