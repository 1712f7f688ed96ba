/* SPDX-License-Identifier: MIT */
/* What the descriptors say that events mean: every wait has a scope, every enqueue
 * its operation, and the functions that analysis used to know by name have the
 * traits by which it knows them now. */
#include <fnmatch.h>
#include <string.h>

#include "check.h"
#include "schema/domain.h"
#include "schema/record.h"
#include "schema/schema.h"
#include "trace/field.h"
#include "trace/schema/layout.h"

static const struct tandem_event *find(unsigned number, const char *name)
{
	const struct tandem_domain *domain = tandem_domain_get(number);

	for (unsigned i = 1; i < domain->event_count; i++)
		if (domain->events[i].name && !strcmp(domain->events[i].name, name))
			return &domain->events[i];
	fprintf(stderr, "no event %s\n", name);
	check_failures++;
	return &domain->events[0];
}

static bool any_matches(const char *const *patterns, const char *name)
{
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, name, 0))
			return true;
	return false;
}

/* Each event of each domain; `check_event` names what is wrong, or returns NULL. */
static void each(const char *(*check_event)(const struct tandem_event *event))
{

	for (unsigned number = 0; number < 64; number++) {
		const struct tandem_domain *domain = tandem_domain_get(number);

		for (unsigned i = 1; domain && i < domain->event_count; i++) {
			const char *wrong = NULL;

			/* A number that is no event's. */
			if (domain->events[i].name)
				wrong = check_event(&domain->events[i]);
			if (wrong)
				fprintf(stderr, "%s: %s\n", domain->events[i].name, wrong);
			check_failures += wrong != NULL;
		}
	}
}

static const char *check_memory(const struct tandem_event *event)
{
	static const char *const allocs[] = {"cuda*Malloc*",
					     "cudaHostAlloc",
					     "cuMemAlloc*",
					     "cuMemHostAlloc",
					     "cuMemCreate",
					     "cu*Array*Create",
					     "clCreateBuffer*",
					     "clCreateImage*",
					     "clCreatePipe",
					     "clSVMAlloc*",
					     "cl*MemAllocINTEL",
					     "hip*Malloc*",
					     "hip*HostAlloc",
					     "hipMemAlloc*",
					     "hipMemCreate",
					     "hsa_*memory*_allocate",
					     NULL};
	static const char *const frees[] = {
		"cudaFree*",   "cuMemFree*",	     "cuMemRelease",	  "cu*ArrayDestroy",
		"clSVMFree*",  "clReleaseMemObject", "clMem*FreeINTEL",	  "hipFree*",
		"hipHostFree", "hipMemRelease",	     "hsa_*memory*_free", NULL};
	static const char *const registers[] = {"cudaHostRegister",	"cuMemHostRegister",
						"hipHostRegister",	"hsa_memory_register",
						"hsa_amd_memory_lock*", NULL};
	static const char *const unregisters[] = {"cudaHostUnregister",	   "cuMemHostUnregister",
						  "hipHostUnregister",	   "hsa_memory_deregister",
						  "hsa_amd_memory_unlock", NULL};
	uint8_t role = event->traits.memory;

	if (any_matches(allocs, event->name) != (role == TANDEM_MEMORY_ROLE_alloc))
		return "allocates?";
	if (any_matches(frees, event->name) != (role == TANDEM_MEMORY_ROLE_free))
		return "frees?";
	if (any_matches(registers, event->name) != (role == TANDEM_MEMORY_ROLE_register))
		return "registers?";
	if (any_matches(unregisters, event->name) != (role == TANDEM_MEMORY_ROLE_unregister))
		return "unregisters?";
	return NULL;
}

static const char *check_wait(const struct tandem_event *event)
{
	static const char *const devices[] = {"cudaDeviceSynchronize",
					      "cuCtxSynchronize",
					      "cudaThreadSynchronize",
					      "hipDeviceSynchronize",
					      "hipCtxSynchronize",
					      "hipExecutionCtxSynchronize",
					      NULL};
	static const char *const queues[] = {"*StreamSynchronize", "*StreamSynchronize_spt",
					     "clFinish", NULL};
	static const char *const events[] = {"*EventSynchronize", "clWaitForEvents",
					     "hsa_*signal_*wait_*", NULL};
	static const char *const in_queue[] = {"*StreamWaitEvent", "*StreamWaitEvent_spt",
					       "clEnqueueWaitForEvents", NULL};
	static const char *const hosts[] = {"*LaunchHostFunc*", "*StreamAddCallback*",
					    "*GraphAddHostNode*", "*NativeKernel", NULL};
	uint8_t scope = event->traits.wait;

	if ((event->class == TANDEM_CLASS_WAIT) !=
	    (scope != TANDEM_WAIT_none && scope != TANDEM_WAIT_in_queue &&
	     scope != TANDEM_WAIT_host))
		return "a wait has a scope, and only a wait";
	if (any_matches(devices, event->name) != (scope == TANDEM_WAIT_device))
		return "waits for a device?";
	if (any_matches(queues, event->name) != (scope == TANDEM_WAIT_queue))
		return "waits for a queue?";
	if (any_matches(events, event->name) != (scope == TANDEM_WAIT_event))
		return "waits for an event?";
	if (any_matches(in_queue, event->name) != (scope == TANDEM_WAIT_in_queue))
		return "lets a queue wait?";
	if (any_matches(hosts, event->name) != (scope == TANDEM_WAIT_host))
		return "lets a queue wait for a function?";
	return NULL;
}

static bool has_role(const struct tandem_event *event, enum tandem_role role)
{
	const struct tandem_layout *layout = &event->layout[TANDEM_ARGS_FULL];

	for (unsigned i = 0; i < layout->field_count; i++)
		if (layout->fields[i].role == role)
			return true;
	return false;
}

static const char *check_enqueue(const struct tandem_event *event)
{
	static const char *const graphs[] = {"*GraphLaunch", "*GraphLaunch_spt",
					     "clEnqueueCommandBufferKHR", NULL};
	/* CUDA Runtime API, "API synchronization behavior": no host waits for these. */
	static const char *const not_waiting[] = {"*Async*", "cuMemcpyDto[AD]", "cuMemcpyAto[AD]",
						  "cu*Memcpy*Peer", NULL};
	const struct tandem_traits *traits = &event->traits;

	if ((event->class == TANDEM_CLASS_ENQUEUE) != has_role(event, TANDEM_ROLE_op))
		if (event->class != TANDEM_CLASS_RECORD)
			return "an enqueue has its operation, and nothing else has";
	if (event->class != TANDEM_CLASS_ENQUEUE)
		return traits->synchronous || traits->graph ? "no enqueue" : NULL;
	if ((traits->synchronous == TANDEM_WHEN_argument) != has_role(event, TANDEM_ROLE_blocking))
		return "synchronous by which argument?";
	if (any_matches(not_waiting, event->name) && traits->synchronous == TANDEM_WHEN_always)
		return "not synchronous";
	if (!fnmatch("cu*Memcpy*", event->name, 0) && !any_matches(not_waiting, event->name) &&
	    traits->synchronous != TANDEM_WHEN_always)
		return "synchronous";
	if (any_matches(graphs, event->name) != traits->graph)
		return "a graph?";
	return NULL;
}

static const char *check_class(const struct tandem_event *event)
{
	bool retains = !fnmatch("clRetain*", event->name, 0);

	if (retains != (event->class == TANDEM_CLASS_RETAIN))
		return "retains?";
	if (!fnmatch("clGet*Info*", event->name, 0) && event->class != TANDEM_CLASS_QUERY)
		return "only asks";
	return NULL;
}

static const char *check_roles(const struct tandem_event *event)
{
	for (unsigned level = 0; level < 3; level++) {
		const struct tandem_layout *layout = &event->layout[level];
		unsigned seen = 0;

		for (unsigned i = 0; i < layout->field_count; i++) {
			unsigned role = layout->fields[i].role;

			if (role && seen >> role & 1)
				return "two fields of one role";
			seen |= 1u << role;
		}
	}
	return NULL;
}

/* A role stands for a name: of the field that the name had. */
static void test_fields(void)
{
	static const struct {
		unsigned domain;
		const char *event, *field;
		enum tandem_role role;
	} known[] = {
		{1, "clEnqueueReadBuffer", "queue", TANDEM_ROLE_queue},
		{1, "clEnqueueReadBuffer", "buffer", TANDEM_ROLE_memory},
		{1, "clEnqueueReadBuffer", "blocking", TANDEM_ROLE_blocking},
		{1, "clEnqueueReadBuffer", "ptr", TANDEM_ROLE_address},
		{1, "clEnqueueReadBuffer", "size", TANDEM_ROLE_bytes},
		{1, "clEnqueueWriteImage", "image", TANDEM_ROLE_memory},
		{1, "clEnqueueCopyBuffer", "src_buffer", TANDEM_ROLE_memory_from},
		{1, "clEnqueueCopyBuffer", "dst_buffer", TANDEM_ROLE_memory_to},
		{1, "clEnqueueNDRangeKernel", "kernel", TANDEM_ROLE_kernel},
		{1, "clEnqueueNDRangeKernel", "global", TANDEM_ROLE_global},
		{1, "clEnqueueNDRangeKernel", "high", TANDEM_ROLE_high},
		{1, "clCreateBuffer", "returned", TANDEM_ROLE_returned},
		{1, "clCreateProgramWithSource", "strings", TANDEM_ROLE_source_text},
		{1, "clGetEventInfo", "param_name", TANDEM_ROLE_query},
		{1, "clGetEventInfo", "event", TANDEM_ROLE_event},
		{1, "clWaitForEvents", "wait", TANDEM_ROLE_events},
		{2, "cuLaunchKernel", "kernel", TANDEM_ROLE_kernel},
		{2, "cuStreamSynchronize", "queue", TANDEM_ROLE_queue},
		{3, "hipLaunchKernel", "kernel", TANDEM_ROLE_kernel},
		{3, "hipModuleLaunchKernel", "kernel", TANDEM_ROLE_kernel},
		{3, "hipMemcpyAsync", "bytes", TANDEM_ROLE_bytes},
		{3, "hipStreamSynchronize", "queue", TANDEM_ROLE_queue},
		{3, "hipEventSynchronize", "event", TANDEM_ROLE_event},
		{4, "dispatch", "queue", TANDEM_ROLE_queue},
		{4, "dispatch", "kernel", TANDEM_ROLE_kernel},
		{4, "hsa_amd_memory_async_copy", "bytes", TANDEM_ROLE_bytes},
		{10, "cudaMemcpyAsync", "queue", TANDEM_ROLE_queue},
		{10, "cudaMemcpyAsync", "bytes", TANDEM_ROLE_bytes},
		{10, "cudaEventSynchronize", "event", TANDEM_ROLE_event},
	};
	struct trace_layouts *layouts = trace_layouts_create(NULL, TANDEM_ARGS_FULL);

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const struct tandem_event *event = find(known[i].domain, known[i].event);
		const struct trace_layout *layout = trace_layouts_get(layouts, event->id);
		const struct tandem_field *field = trace_field_role(layout, known[i].role);

		CHECK(field && field == trace_field_find(layout, known[i].field));
	}
	trace_layouts_destroy(layouts);
}

static void test_names(void)
{
	const struct tandem_domain_row *opencl = tandem_domain_row_find("opencl");
	const struct tandem_domain_row *cuda = tandem_domain_row_find("cuda");

	CHECK(opencl && opencl->number == 1 && opencl == tandem_domain_row(1));
	CHECK(!tandem_domain_row(59) && !tandem_domain_row(63) && !tandem_domain_row(1000));
	CHECK(!strcmp(tandem_domain_row_find("cudart")->part, "cuda"));
	CHECK(opencl->runtime && !strcmp(opencl->part, "opencl"));
	CHECK(!tandem_domain_row(0)->runtime && !tandem_domain_row_find("kernel")->runtime);
	CHECK(!strcmp(tandem_domain_brief(opencl, "clEnqueueReadBuffer"), "ReadBuffer"));
	CHECK(!strcmp(tandem_domain_brief(opencl, "clFinish"), "Finish"));
	CHECK(!strcmp(tandem_domain_brief(opencl, "clEnqueue"), "Enqueue"));
	CHECK(!strcmp(tandem_domain_brief(cuda, "cudaMemcpy"), "Memcpy"));
	CHECK(!strcmp(tandem_domain_brief(cuda, "cuMemAlloc"), "MemAlloc"));
	CHECK(!strcmp(tandem_domain_brief(cuda, "__cudaLaunch"), "__cudaLaunch"));
	CHECK(!strcmp(tandem_domain_command(opencl, "clEnqueueReadBuffer"), "ReadBuffer"));
	CHECK(!strcmp(tandem_domain_command(opencl, "clFinish"), "clFinish"));
	CHECK(!strcmp(tandem_domain_command(cuda, "cudaMemcpy"), "cudaMemcpy"));
}

int main(void)
{
	each(check_memory);
	each(check_wait);
	each(check_enqueue);
	each(check_class);
	each(check_roles);
	CHECK(find(1, "clGetEventInfo")->traits.poll == TANDEM_WHEN_argument &&
	      find(1, "clGetEventInfo")->traits.poll_value == 0x11d3);
	CHECK(find(2, "multiprocessor")->traits.record == TANDEM_RECORD_device_limits);
	test_fields();
	test_names();
	return check_status();
}
