/* SPDX-License-Identifier: MIT */
/* Callbacks and activity records of a real OpenCL: what they are, and that they belong
 * together. Runs alone and under `tandem record`. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/world.h"
#include "check.h"
#include "tandem/opencl_args.h"
#include "tandem/tracer.h"

#define COMMANDS 200u
#define ITEMS 1000u

static uint32_t opencl;
static uint64_t launch_ids[COMMANDS];
static unsigned entered, left, wrong, buffers, releases;
static cl_mem made;
static struct world world;
static cl_mem numbers;

static void called(const struct tandem_tracer_call *call, void *arg)
{
	const char *name = tandem_tracer_id_string(call->domain, call->op);
	static uint64_t begin_ns, id;

	wrong += call->struct_size != sizeof(*call) || arg != &entered || !call->correlation_id;
	if (!name)
		return;
	if (!strcmp(name, "clEnqueueNDRangeKernel")) {
		const struct opencl_args_clEnqueueNDRangeKernel *args = call->args;

		wrong += args->command_queue != world.queue || args->kernel != world.add ||
			 args->work_dim != 1 || *(const size_t *)args->global_work_size != ITEMS ||
			 args->event != NULL;
		if (call->phase == TANDEM_TRACER_ENTER) {
			wrong += *call->data != 0;
			*call->data = entered + 1;
			begin_ns = call->time_ns;
			id = call->correlation_id;
			launch_ids[entered++ % COMMANDS] = id;
		} else {
			wrong += *call->data != entered || call->result ||
				 call->correlation_id != id || call->time_ns < begin_ns ||
				 args->returned != CL_SUCCESS;
			left++;
		}
	} else if (!strcmp(name, "clCreateBuffer")) {
		const struct opencl_args_clCreateBuffer *args = call->args;

		wrong += args->size != ITEMS * sizeof(cl_int) || args->context != world.context;
		if (call->phase == TANDEM_TRACER_EXIT)
			made = args->returned;
		buffers++;
	} else if (!strcmp(name, "clReleaseMemObject")) {
		const struct opencl_args_clReleaseMemObject *args = call->args;

		wrong += args->memobj != made;
		releases++;
	}
	/* What a callback calls is nobody's event. */
	clRetainContext(world.context);
	clReleaseContext(world.context);
}

struct seen {
	unsigned calls, kernels, copies, wrong, deliveries, externals, untimed, off, inside;
	uint64_t call_id[COMMANDS], call_begin[COMMANDS], call_end[COMMANDS];
	uint64_t kernel_id[COMMANDS];
	uint32_t error_ns;
	pthread_t thread;
};

static struct seen seen;

static void kernel_seen(const struct tandem_tracer_record *record)
{
	unsigned i = seen.kernels++;

	seen.wrong += strcmp(record->name, "add") != 0;
	seen.wrong += !record->queue || !record->device || record->result;
	if (i < COMMANDS)
		seen.kernel_id[i] = record->correlation_id;
	if (!(record->flags & TANDEM_TRACER_TIMED)) {
		seen.untimed++;
		return;
	}
	seen.wrong += record->end_ns < record->begin_ns;
	if (record->error_ns != UINT32_MAX)
		seen.error_ns = record->error_ns;
	/* On a device that runs it in the call, it is inside of the call, give or take the
	 * stated error. */
	if (i < COMMANDS && i < seen.calls && seen.call_id[i] == record->correlation_id &&
	    record->error_ns != UINT32_MAX) {
		bool inside = record->begin_ns + record->error_ns >= seen.call_begin[i] &&
			      record->end_ns <= seen.call_end[i] + record->error_ns;

		seen.inside += inside;
		seen.off += !inside;
	}
}

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	seen.deliveries++;
	seen.thread = pthread_self();
	seen.wrong += arg != &seen;
	for (const struct tandem_tracer_record *record = begin; record < end;
	     record = (const void *)((const char *)record + record->struct_size)) {
		seen.wrong += record->domain != opencl;
		if (record->kind == TANDEM_TRACER_API) {
			if (!strcmp(record->name, "clEnqueueNDRangeKernel")) {
				unsigned i = seen.calls++;

				if (i < COMMANDS) {
					seen.call_id[i] = record->correlation_id;
					seen.call_begin[i] = record->begin_ns;
					seen.call_end[i] = record->end_ns;
				}
			}
			seen.wrong += record->thread_id != (uint32_t)syscall(SYS_getpid) ||
				      record->process_id != (uint32_t)getpid() ||
				      record->end_ns < record->begin_ns;
			seen.externals +=
				record->flags & TANDEM_TRACER_EXTERNAL && record->external_id == 77;
		} else if (record->op == TANDEM_TRACER_KERNEL) {
			kernel_seen(record);
		} else if (record->op == TANDEM_TRACER_COPY_TO_HOST) {
			seen.copies++;
			seen.wrong += record->bytes != ITEMS * sizeof(cl_int);
		}
	}
}

static void work(unsigned commands)
{
	cl_int host[ITEMS];

	for (unsigned i = 0; i < commands; i++)
		numbers_add(&world, numbers, ITEMS, 1, NULL);
	CL(clEnqueueReadBuffer(world.queue, numbers, CL_TRUE, 0, sizeof(host), host, 0, NULL,
			       NULL));
	CL(clFinish(world.queue));
}

static void same_ids(void)
{
	unsigned launches = 0, kernels = 0;

	for (unsigned i = 0; i < COMMANDS; i++) {
		launches += launch_ids[i] == seen.call_id[i];
		for (unsigned j = 0; j < COMMANDS; j++)
			kernels += launch_ids[i] == seen.kernel_id[j];
	}
	OK(launches == COMMANDS, "calls' records have their callbacks' ids (%u)", launches);
	OK(kernels == COMMANDS, "each kernel has the id of its call (%u)", kernels);
}

int main(void)
{
	struct tandem_tracer_pool_properties properties = {
		.struct_size = sizeof(properties), .deliver = delivered, .deliver_arg = &seen};
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};
	struct tandem_tracer *tracer;
	tandem_tracer_pool_t pool;
	uint64_t before, after, id;

	opencl = (uint32_t)tandem_tracer_domain("opencl");
	OK(!tandem_tracer_create(&tracer), "a tracer");
	OK(!tandem_tracer_pool_open(&properties, &pool), "a pool");
	OK(!tandem_tracer_callback_enable(tracer, opencl, TANDEM_TRACER_ALL, called, &entered),
	   "callbacks of all OpenCL: %s", tandem_tracer_error());
	OK(!tandem_tracer_activity_enable(tracer, opencl, TANDEM_TRACER_ALL, TANDEM_TRACER_ALL,
					  pool),
	   "activity of all OpenCL");
	tandem_tracer_timestamp(&before);
	world_create(&world, 0, 0);
	numbers = numbers_create(&world, ITEMS);
	OK(buffers == 2, "clCreateBuffer had an entry and an exit");
	OK(made == numbers, "and its exit has what it returned");
	tandem_tracer_external_push(77);
	work(COMMANDS);
	tandem_tracer_external_pop(&id);
	OK(id == 77, "the external id comes back");
	OK(entered == COMMANDS && left == COMMANDS, "%u entries, %u exits", entered, left);
	OK(!tandem_tracer_pool_flush(pool), "flushed");
	tandem_tracer_timestamp(&after);
	OK(seen.calls == COMMANDS, "%u launches were recorded", seen.calls);
	OK(seen.kernels == COMMANDS && seen.copies == 1, "%u kernels and %u copies", seen.kernels,
	   seen.copies);
	OK(seen.externals >= COMMANDS + 2, "calls have the external id (%u)", seen.externals);
	OK(!seen.untimed, "every kernel has times");
	OK(seen.error_ns, "the clock's error is stated: %u ns", seen.error_ns);
	if (getenv("POCL_DEVICES") && !strcmp(getenv("POCL_DEVICES"), "basic"))
		OK(seen.inside == COMMANDS && !seen.off,
		   "kernels ran in their calls: %u, others %u", seen.inside, seen.off);
	OK(seen.call_begin[0] >= before && seen.call_end[COMMANDS - 1] <= after,
	   "times are the host's");
	same_ids();
	OK(!pthread_equal(seen.thread, pthread_self()), "delivered in a thread of the pool's");
	clReleaseMemObject(numbers);
	OK(releases == 2, "clReleaseMemObject had an entry and an exit");

	OK(!tandem_tracer_stop(tracer), "stopped");
	entered = left = 0;
	numbers = numbers_create(&world, ITEMS);
	work(10);
	OK(!entered && !left, "nothing is called while stopped");
	OK(!tandem_tracer_start(tracer), "started");
	work(10);
	OK(entered == 10 && left == 10, "called again");
	OK(!tandem_tracer_callback_disable(tracer, opencl, TANDEM_TRACER_ALL), "disabled");
	work(10);
	OK(entered == 10 && left == 10, "not called any more");
	OK(!tandem_tracer_pool_flush(pool), "flushed");
	OK(seen.calls == COMMANDS + 20 && seen.kernels == COMMANDS + 20,
	   "activity goes on: %u calls, %u kernels", seen.calls, seen.kernels);
	tandem_tracer_pool_counts(pool, &counts);
	OK(!counts.dropped && counts.delivered, "%llu records delivered, %llu dropped",
	   (unsigned long long)counts.delivered, (unsigned long long)counts.dropped);
	OK(!tandem_tracer_pool_close(pool), "closed");
	work(10);
	OK(seen.calls == COMMANDS + 20, "nothing is recorded any more");
	OK(!wrong && !seen.wrong, "%u and %u wrong", wrong, seen.wrong);
	OK(!tandem_tracer_destroy(tracer), "destroyed");
	for (unsigned i = 0; i < COMMANDS; i++)
		fprintf(stderr, "%llu\n", (unsigned long long)launch_ids[i]);
	return tap_end();
}
