/* SPDX-License-Identifier: MIT */
/* What a session's tables say, made by report_make.h: numbers and names only.
 *
 *	for (size_t i = 0; i < report.api_count; i++)
 *		puts(report.api[i].name);
 *	report_free(&report);
 *
 * All strings belong to the report and live as long; all times are in ns. Rows
 * are sorted, the most expensive first. One thread.
 */
#ifndef TANDEM_ANALYSIS_REPORT_REPORT_H
#define TANDEM_ANALYSIS_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/stats/batches.h"
#include "schema/losses.h"
#include "trace/session/session.h"
#include "util/arena.h"

struct report_times { /* of count durations */
	uint64_t total_ns;
	double mean_ns;
	uint64_t min_ns, p50_ns, p99_ns, max_ns;
};

struct report_api { /* one API function */
	const char *domain, *name;
	uint64_t calls, errors;
	uint64_t open;		   /* that did not return */
	uint64_t within_ns;	   /* in the range, of all that overlap it, whenever they began */
	struct report_times times; /* of the calls that returned */
	double percent;		   /* of the total of all functions */
	/* Of their time, where the kernel was recorded: */
	uint64_t on_cpu_ns, wait_cpu_ns, wait_blocked_ns, unknown_ns;
	unsigned index;		/* the layouts' */
	struct batches batches; /* of the durations of the calls that returned */
};

struct report_error { /* one API function's one return code */
	const char *domain, *name;
	int64_t code;
	const char *code_name; /* "" where the code has none */
	uint64_t count;
};

struct report_range {			 /* the program's ranges of one name, scope and kind */
	const char *name, *scope, *kind; /* scope: "" of the program's own */
	uint64_t count;			 /* of markers: how often */
	uint64_t open;			 /* whose end was not recorded */
	struct report_times times;	 /* on the host, of those that ended */
	/* Of what was enqueued inside: from the start of the first operation to the end of
	 * the last, on each device, and the sum of their executions. */
	uint64_t projected_ns, executing_ns;
	uint64_t operations, kernels;
};

struct report_overhead { /* what a runtime or its tracing cost in one process */
	const char *domain, *kind;
	uint64_t process; /* pid */
	uint64_t count, total_ns;
	double mean_ns;
	uint64_t max_ns;
};

struct report_fault {			    /* of unified memory, of one kind */
	const char *domain, *device, *kind; /* device: "host", where the CPU's pages were */
	uint64_t process;		    /* pid */
	uint64_t count, value;		    /* records; faults, as the driver counts them */
	uint64_t total_ns;
	double mean_ns;
};

struct report_module { /* device code that a process loaded */
	const char *domain;
	uint64_t process, program; /* pid; number of the program object */
	uint64_t count, bytes;	   /* how often, in all */
	uint64_t loaded_ns;	   /* the first time, since the session's start */
	const char *hash;
	bool saved; /* kept in the session */
};

struct report_external_id { /* a number that the program gave to its commands */
	const char *domain, *kind;
	uint64_t process; /* pid */
	uint64_t id, count;
};

struct report_task { /* the tasks that one place in the program makes */
	const char *domain, *kind, *name;
	const char *place, *file, *function; /* place: "file.cpp:12"; "": not known */
	uint64_t line;			     /* 0: not known */
	const char *device;
	uint64_t count;		      /* submitted */
	struct report_times submits;  /* in the threads that submitted them */
	uint64_t operations, untimed; /* of the device, of all of them */
	uint64_t bytes;
	uint64_t waiting_ns, executing_ns; /* of the operations: queued to start, start to end */
};

struct report_device { /* what a device did of one kind, by one name */
	const char *domain, *device, *kind, *name;
	uint64_t count;
	uint64_t failed;  /* that ended with an error of the runtime */
	uint64_t untimed; /* without device times: not in `times` */
	struct report_times times;
	uint64_t within_ns; /* in the range, of all that overlap it */
	double percent;	    /* of the total of all operations */
	uint64_t bytes;	    /* of all */
	double gb_per_s;    /* of those with times */
	uint64_t timed_bytes;
	struct batches batches; /* of durations */
};

struct report_zone { /* the three waits of a queue's commands */
	const char *domain, *device;
	uint64_t process;				       /* pid */
	uint64_t queue;					       /* number in the process */
	uint64_t host_queue_ns, device_queue_ns, executing_ns; /* sums over `count` */
	double host_queue_mean_ns, device_queue_mean_ns, executing_mean_ns; /* of one */
	uint64_t count; /* of operations with times */
	uint64_t untimed;
	const char *timing;    /* "asked", "forced", "off", "unavailable" */
	const char *profiling; /* the same: "by app", "by tandem", "off", "unavailable" */
};

struct report_busy { /* a device's time with at least one operation on it */
	const char *domain, *name, *type, *platform;
	uint64_t busy_ns;
	double busy_percent; /* of the session, or the range */
	uint64_t idle_ns;    /* the rest of it */
	uint64_t operations;
	/* The three waits of all its commands, whoever's; and how many were in
	 * the first two at a moment, on the average. */
	uint64_t host_queue_ns, device_queue_ns, executing_ns;
	double host_queue_depth, device_queue_depth;
};

struct report_sharing { /* a device that several processes used: who had it meanwhile */
	const char *domain, *device;
	uint64_t process;    /* pid, whose commands waited */
	const char *name;    /* of that process */
	const char *by_kind; /* "process", "itself", "idle" (nobody had it) */
	const char *by;	     /* name of the process whose commands were executing */
	uint64_t by_process; /* its pid; 0: idle */
	uint64_t waited_ns;  /* sum over the commands, from queued to start */
	uint64_t beside_ns;  /* while commands of both were executing */
};

struct report_memory {
	const char *domain, *device;
	uint64_t allocated_bytes, freed_bytes, peak_bytes;
	uint64_t allocations, frees;
};

struct report_build { /* one build, compile or link step; the first REPORT_BUILDS */
	const char *domain;
	uint64_t process, program;
	const char *step, *device, *options;
	int64_t status;
	const char *status_name; /* "" where the code has none */
	uint64_t duration_ns;
	const char *log; /* of a failed one */
};

struct report_thread {
	uint64_t process, thread; /* pid, tid */
	const char *process_name, *name;
	uint64_t calls, errors, api_ns;
	uint64_t events;
	/* Where the kernel was recorded; also of threads that made no call. */
	uint64_t running_ns, system_ns, wait_cpu_ns, wait_blocked_ns, unknown_ns;
	uint64_t switches, migrations;
};

struct report_process {	  /* the sums of its threads, and of its queues */
	uint64_t process; /* pid */
	const char *name;
	uint64_t threads, calls, api_ns;
	uint64_t running_ns, system_ns, wait_cpu_ns, wait_blocked_ns, unknown_ns;
	uint64_t switches, migrations;
	uint64_t operations, host_queue_ns, device_queue_ns, executing_ns;
};

struct report_wait { /* a thread's waits of one kind, in one function, on one process */
	uint64_t process, thread;      /* pid, tid */
	const char *name;	       /* of the thread */
	const char *domain, *function; /* "": outside of calls */
	const char *state;   /* "wait_cpu": for a CPU; "wait_blocked": for anything else */
	const char *wait;    /* the same: "runnable", "blocked" */
	const char *by_kind; /* "process", "interrupt", "idle" (waking up), "unknown" */
	const char *by;	     /* name of the process that had the CPU, or ended the wait */
	uint64_t by_process; /* its pid; 0: not known, or several of that name */
	bool by_others;	     /* it is not the program's */
	uint64_t total_ns, count;
};

struct report_engine { /* a GPU's engine, as the kernel's driver has it */
	const char *driver, *name;
	uint64_t jobs;		       /* that ended, of all processes */
	uint64_t busy_ns;	       /* with at least one job at the device */
	double busy_percent;	       /* of the session */
	double host_mean, device_mean; /* jobs in the host-side and the device-side queue */
	uint64_t host_most, device_most;
	uint64_t unknown_ns, dropped; /* after a loss: how long, and how many jobs */
	uint64_t unfinished;
};

struct report_engine_user { /* what one process had an engine do */
	const char *driver, *engine;
	uint64_t process; /* pid; 0: not known */
	const char *name; /* of the process */
	uint64_t jobs;
	uint64_t host_queue_ns, device_queue_ns, executing_ns; /* sums over its jobs */
	double host_queue_mean_ns, device_queue_mean_ns;       /* of one */
	uint64_t unsplit_ns; /* of jobs of which the driver did not tell the hand-over */
};

struct report_function {  /* of the sampled stacks */
	const char *name; /* "[libm.so.6]": of a file without a name for the place */
	const char *file;
	uint64_t self_samples, total_samples; /* with it innermost; anywhere on the stack */
	uint64_t self_ns, total_ns;	      /* time on a CPU that those stand for */
	double self_percent, total_percent;
};

struct report_open_call { /* that had not returned; the first REPORT_OPEN_CALLS */
	const char *domain, *name;
	uint64_t process, thread;
	uint64_t begin_ns; /* since the session's start */
};

struct report_queue { /* without device times for (some of) its commands */
	const char *domain, *device, *timing;
	uint64_t process, queue;
	uint64_t commands; /* that were enqueued; 0 too where the trace has no arguments */
};

struct report_clock {	    /* from a clock to CLOCK_MONOTONIC */
	const char *source; /* the device, or what the trace's time stamps are */
	const char *domain;
	int64_t offset_ns;		/* host minus source, at the first moment known */
	double drift_ppm;		/* how much faster the host's runs */
	uint64_t bound_ns;		/* a converted time is this far off at most, at worst... */
	uint64_t best_ns;		/* ... and at best; UINT64_MAX: not known */
	uint64_t segments;		/* straight lines */
	uint64_t constraints, outliers; /* what tells of it; what contradicts all else */
};

struct report_host { /* of a session of several: how its times were joined with the first's */
	const char *name;
	const char *clock; /* TRACE_HOST_CLOCKS (trace/session/run.h) */
	uint64_t processes;
	int64_t moved_ns;   /* what was added to its times */
	double drift_ppm;   /* how much faster the first one's clock runs */
	uint64_t bound_ns;  /* they are this far off at most; UINT64_MAX: not known */
	uint64_t messages;  /* that tell of it */
	uint64_t first_id;  /* what its numbers of processes and threads begin with */
	uint64_t first_cpu; /* ... and its CPUs' */
};

#define REPORT_BUILDS 200u
#define REPORT_OPEN_CALLS 200u
#define REPORT_LOG_BYTES 4096u
#define REPORT_QUEUES 200u

struct report {
	uint64_t duration_ns;
	bool ranged; /* the tables are of a part of it; all that is not said to be `of the
			session` is */
	uint64_t from_ns, to_ns; /* that part, since the session's start */
	uint64_t span_ns;	 /* its length; duration_ns where it is all */
	uint64_t processes, threads;
	uint64_t events;
	uint64_t calls;
	uint64_t api_ns, device_ns; /* in API calls; of device operations: sums */

	uint64_t lost[TANDEM_LOSS_COUNT], lost_total;
	uint64_t damaged_places, skipped_bytes;

	struct report_api *api;
	size_t api_count;
	struct report_error *errors;
	size_t error_count;
	struct report_task *tasks;
	size_t task_count;
	struct report_range *ranges;
	size_t range_count;
	struct report_overhead *overheads;
	size_t overhead_count;
	struct report_fault *faults;
	size_t fault_count;
	struct report_module *modules;
	size_t module_count;
	struct report_external_id *external_ids;
	size_t external_id_count;
	struct report_device *device;
	size_t device_count;
	struct report_zone *zones;
	size_t zone_count;
	struct report_busy *devices;
	size_t busy_count;
	struct report_sharing *sharing;
	size_t sharing_count;
	struct report_memory *memory;
	size_t memory_count;
	struct report_build *builds;
	size_t build_count;
	uint64_t builds_total, builds_failed, builds_ns;
	struct report_thread *thread;
	size_t thread_count;
	struct report_process *process;
	size_t process_count;
	struct report_wait *waits;
	size_t wait_count;
	/* The same for people: on the program's own processes first (own_wait_count), then on
	 * others', summed over all threads (thread 0) by the others' name. */
	struct report_wait *wait_summary;
	size_t wait_summary_count, own_wait_count;
	struct report_engine *engines;
	size_t engine_count;
	struct report_engine_user *engine_users;
	size_t engine_user_count;
	struct report_function *functions;
	size_t function_count;
	uint64_t samples, samples_in_kernel, sample_period_ns;
	struct report_host *hosts; /* none where there is one */
	size_t host_count;
	struct report_clock *clocks; /* the trace's own first */
	size_t clock_count;
	const char *scheduling; /* "system", "program" (the program's own threads), "none" */
	uint64_t kernel_events;
	struct report_open_call *open_calls;
	size_t open_call_count;
	uint64_t open_calls_total;
	struct report_queue *untimed_queues;
	size_t untimed_queue_count;
	uint64_t untimed_queues_total;
	uint64_t untimed_commands; /* nothing is known of them but their calls */

	uint64_t operations;	 /* that the device did */
	uint64_t unfinished;	 /* enqueued, never seen to end */
	uint64_t odd_operations; /* whose device times contradict each other */

	struct arena arena; /* of all of the above */
};

void report_free(struct report *report);

#endif
