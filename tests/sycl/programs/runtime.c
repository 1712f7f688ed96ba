/* SPDX-License-Identifier: MIT */
/* Makes the events of XPTI that Intel's SYCL runtimes make, in their order, around real OpenCL
 * commands, where no such runtime is:
 *
 *	runtime earlier|later ROUNDS      2024.2's, or 2026.2's (doc/SYCL.md)
 *	runtime graph ROUNDS              a buffer that is read, written and brought back
 *	runtime bad                       what no runtime should do
 *	runtime forked                    a child goes on in the middle of a task
 *
 * It uses the dispatcher that the environment names, as libsycl does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../programs/world.h"
#include "xpti/xpti_trace_framework.h"

#define COUNT 64

/* An object of the later runtime's adapter: the OpenCL event is the second word. */
struct adapter_event {
	const void *table;
	cl_event event;
};

struct node {
	xpti_event_data_t *event;
	uint64_t instance, task_instance;
	const void *signalled;
};

static bool later;
static xpti_stream_id_t graph_stream, memory_stream, buffer_stream, image_stream, layer_stream;
static xpti_event_data_t *graph;
static uint64_t instances; /* the later runtime's */
static struct world world;

static void init_stream(const char *name)
{
	xptiInitialize(name, 9, 0, "made up");
}

static void add_number(xpti_event_data_t *event, const char *key, uint64_t value)
{
	xptiAddMetadata(event, key,
			xptiRegisterObject((const char *)&value, sizeof(value),
					   xpti_object_unsigned_integer));
}

static void add_text(xpti_event_data_t *event, const char *key, const char *text)
{
	xptiAddMetadata(event, key, xptiRegisterObject(text, strlen(text), xpti_object_string));
}

static xpti_event_data_t *event_make(const char *name, const char *file, uint32_t line)
{
	xpti_payload_data_t payload = {
		.name = name,
		.source_file = file,
		.line_no = line,
		.flags = xpti_payload_NameAvailable |
			 (file ? xpti_payload_SourceFileAvailable | xpti_payload_LineInfoAvailable
			       : 0),
	};
	uint64_t instance;

	return xptiMakeEvent(name, &payload, xpti_event_graph, xpti_activity_active, &instance);
}

static void notify(uint16_t type, const struct node *node, uint64_t instance, const void *data)
{
	xptiNotifySubscribers(graph_stream, type, graph, node->event, instance, data);
}

/* A visit: the earlier runtime has one event for all of a place, which `shared` is. */
static struct node node_make(struct node *shared, const char *name, uint32_t line)
{
	struct node node = {.event = later || !shared->event ? event_make(name, __FILE__, line)
							     : shared->event};

	shared->event = node.event;
	node.instance = later ? ++instances : ++shared->instance;
	node.task_instance = node.instance;
	return node;
}

static void edge(const struct node *from, const struct node *to, const char *name, uint64_t access,
		 uint64_t buffer, const void *handle)
{
	struct node made = {.event = event_make(name, NULL, 0), .instance = ++instances};

	made.event->source_id = from->event->unique_id;
	made.event->target_id = to->event->unique_id;
	if (handle)
		add_number(made.event, "event", (uint64_t)(uintptr_t)handle);
	if (access)
		add_number(made.event, "access_mode", access);
	if (buffer)
		add_number(made.event, "memory_object", buffer);
	notify(xpti_edge_create, &made, made.instance, NULL);
	if (later)
		xptiReleaseEvent(made.event);
}

/* A kernel that depends on an event of an earlier command, if there is one. */
static struct node kernel(cl_mem numbers, const struct node *after, const char *name)
{
	static struct node shared;
	static struct adapter_event adapted[256];
	static unsigned adapted_count;
	xpti_offload_kernel_enqueue_data_t ranges = {{COUNT, 1, 1}, {8, 1, 1}, {0, 0, 0}, 2};
	struct node node = node_make(&shared, name, __LINE__);
	cl_event event;

	add_text(node.event, "kernel_name", name);
	add_text(node.event, "sycl_device_name", "made up");
	xptiAddMetadata(
		node.event, "enqueue_kernel_data",
		xptiRegisterObject((const char *)&ranges, sizeof(ranges), xpti_object_binary));
	notify(xpti_node_create, &node, node.instance, "command_group_node");
	if (after && after->signalled) {
		struct node stand_in;
		char text[48];

		snprintf(text, sizeof(text), "virtual_node[%p]", after->signalled);
		stand_in.event = event_make(text, NULL, 0);
		stand_in.instance = ++instances;
		add_text(stand_in.event, "kernel_name", text);
		notify(xpti_node_create, &stand_in, stand_in.instance, "virtual_node");
		snprintf(text, sizeof(text), "Event[%p]", after->signalled);
		edge(&stand_in, &node, text, 0, 0, after->signalled);
	}
	notify(xpti_task_begin, &node, node.instance, NULL);
	numbers_add(&world, numbers, COUNT, 1, &event);
	adapted[adapted_count % 256] = (struct adapter_event){.event = event};
	node.signalled = later ? (void *)&adapted[adapted_count++ % 256] : (void *)event;
	notify(xpti_signal, &node, node.instance, node.signalled);
	notify(xpti_task_end, &node, node.instance, NULL);
	return node;
}

/* A copy by a function of the queue class: it signals nothing, and the later runtime's task
 * has the next number. */
static void copy(cl_mem numbers, int *data)
{
	static const char *const words[] = {"memory_transfer_node", "memory_transfer_node::memcpy"};
	static struct node shared;
	struct node node = node_make(&shared, "copy_function", __LINE__);

	add_number(node.event, "queue_id", 1);
	add_number(node.event, "memory_size", COUNT * sizeof(int));
	add_number(node.event, "dest_memory_ptr", (uint64_t)(uintptr_t)data);
	add_number(node.event, "src_memory_ptr", (uint64_t)(uintptr_t)numbers);
	notify(xpti_node_create, &node, node.instance, words[later]);
	if (later)
		node.task_instance = ++instances;
	xptiSetUniversalId(node.event->unique_id);
	notify(xpti_task_begin, &node, node.task_instance, words[later]);
	CL(clEnqueueReadBuffer(world.queue, numbers, CL_FALSE, 0, COUNT * sizeof(int), data, 0,
			       NULL, NULL));
	notify(xpti_task_end, &node, node.task_instance, words[later]);
	xptiSetUniversalId(0);
}

static void host_task(const struct node *after, uint64_t buffer)
{
	static struct node shared;
	struct node node = node_make(&shared, "host task", __LINE__);

	add_text(node.event, "kernel_name", "host task");
	notify(xpti_node_create, &node, node.instance, "command_group_node");
	edge(after, &node, "read[1]", 1024, buffer, NULL);
	notify(xpti_task_begin, &node, node.instance, NULL);
	notify(xpti_signal, &node, node.instance, NULL);
	notify(xpti_task_end, &node, node.instance, NULL);
}

static void wait_for(const struct node *node)
{
	char text[48];
	cl_event event = later ? ((const struct adapter_event *)node->signalled)->event
			       : (cl_event)(uintptr_t)node->signalled;
	struct node whole = {.event = graph};

	snprintf(text, sizeof(text), later ? "event.wait[%lx]" : "event.wait[0x%lx]",
		 (unsigned long)(uintptr_t)node->signalled);
	notify(xpti_wait_begin, &whole, ++instances, text);
	CL(clWaitForEvents(1, &event));
	notify(xpti_wait_end, &whole, instances, text);
}

static void usm(void)
{
	static struct node shared;
	struct node node = node_make(&shared, "main", __LINE__);

	add_number(node.event, "memory_size", 4096);
	xptiNotifySubscribers(memory_stream, xpti_node_create, graph, node.event, node.instance,
			      "malloc_host");
	xptiNotifySubscribers(memory_stream, xpti_mem_alloc_begin, graph, node.event, node.instance,
			      "malloc_host");
	add_number(node.event, "memory_ptr", 0x10000);
	xptiNotifySubscribers(memory_stream, xpti_mem_alloc_end, graph, node.event, node.instance,
			      "malloc_host");
	xptiNotifySubscribers(memory_stream, xpti_mem_release_begin, graph, node.event,
			      node.instance, "usm::free");
	xptiNotifySubscribers(memory_stream, xpti_mem_release_end, graph, node.event, node.instance,
			      "usm::free");
}

static void buffer_event(uint16_t type, const void *data)
{
	xptiNotifySubscribers(buffer_stream, type, graph, event_make("main", __FILE__, 7),
			      ++instances, data);
}

static cl_mem buffer_make(uint64_t handle)
{
	xpti_offload_buffer_data_t buffer = {handle, 0, "i", 4, 1, {COUNT, 0, 0}};
	xpti_offload_accessor_data_t accessor = {handle, handle + 8, 2014, 1026};
	xpti_mem_alloc_data_t memory = {0, 0, COUNT * sizeof(int), 0, NULL};
	cl_mem numbers;

	buffer_event(xpti_offload_alloc_memory_object_construct, &buffer);
	buffer_event(xpti_offload_alloc_accessor, &accessor);
	xptiNotifySubscribers(memory_stream, xpti_mem_alloc_begin, graph, NULL, ++instances,
			      &memory);
	numbers = numbers_create(&world, COUNT);
	memory.mem_object_handle = memory.alloc_pointer = (uintptr_t)numbers;
	xptiNotifySubscribers(memory_stream, xpti_mem_alloc_end, graph, NULL, instances, &memory);
	xptiNotifySubscribers(buffer_stream, xpti_offload_alloc_memory_object_associate, graph,
			      NULL, ++instances,
			      &(xpti_offload_association_data_t){handle, (uintptr_t)numbers});
	return numbers;
}

/* A barrier that a thread waits at, a message of the runtime, an image, and what its layer below calls. */
static void others(void)
{
	static struct node shared;
	struct node node = node_make(&shared, "barrier", __LINE__);
	xpti_offload_image_data_t image = {
		.user_object_handle = 0x2000, .dim = 2, .range = {16, 8, 1}, .format = 11};
	xpti_offload_accessor_data_t accessor = {0x2000, 0x2008, 2017, 1024};
	xpti_function_with_args_t call = {.function_id = 77,
					  .function_name = "urEnqueueEventsWait"};

	notify(xpti_node_create, &node, node.instance, "command_group_node");
	notify(xpti_barrier_begin, &node, node.instance, NULL);
	notify(xpti_barrier_end, &node, node.instance, NULL);
	notify(xpti_diagnostics, &node, node.instance, "the device is slow");
	node.event = event_make("main", __FILE__, 9);
	xptiNotifySubscribers(image_stream, xpti_offload_alloc_memory_object_construct, graph,
			      node.event, ++instances, &image);
	xptiNotifySubscribers(image_stream, xpti_offload_alloc_accessor, graph, node.event,
			      ++instances, &accessor);
	xptiNotifySubscribers(image_stream, xpti_offload_alloc_memory_object_destruct, graph,
			      node.event, ++instances,
			      &(xpti_offload_association_data_t){0x2000, 0});
	if (later) {
		xptiNotifySubscribers(layer_stream, xpti_function_with_args_begin, graph, NULL, 1,
				      &call);
		xptiNotifySubscribers(layer_stream, xpti_function_with_args_end, graph, NULL, 1,
				      &call);
	} else {
		xptiNotifySubscribers(layer_stream, xpti_function_begin, graph, NULL, 1,
				      "piEventsWait");
		xptiNotifySubscribers(layer_stream, xpti_function_end, graph, NULL, 1,
				      "piEventsWait");
	}
}

static void begin(void)
{
	struct node queue;

	xptiFrameworkInitialize();
	init_stream("sycl.experimental.buffer");
	init_stream("sycl.experimental.image");
	init_stream("sycl.experimental.mem_alloc");
	init_stream(later ? "ur.call" : "sycl.pi");
	init_stream("sycl");
	if (later)
		init_stream("sycl.debug");
	graph_stream = xptiRegisterStream(later ? "sycl.debug" : "sycl");
	memory_stream = xptiRegisterStream("sycl.experimental.mem_alloc");
	buffer_stream = xptiRegisterStream("sycl.experimental.buffer");
	image_stream = xptiRegisterStream("sycl.experimental.image");
	layer_stream = xptiRegisterStream(later ? "ur.call" : "sycl.pi");
	graph = event_make("sycl.application.graph", NULL, 0);
	if (!graph) { /* nobody traces */
		later = false;
		return;
	}
	xptiNotifySubscribers(graph_stream, xpti_graph_create, NULL, graph, 1, NULL);
	queue.event = event_make("queue[1]", NULL, 0);
	add_number(queue.event, "queue_id", 1);
	notify(xpti_queue_create, &queue, 1, "queue_create");
}

static void end(void)
{
	xptiFinalize(later ? "sycl.debug" : "sycl");
	xptiFinalize(later ? "ur.call" : "sycl.pi");
	xptiFinalize("sycl.experimental.mem_alloc");
	xptiFinalize("sycl.experimental.image");
	xptiFinalize("sycl.experimental.buffer");
	xptiFrameworkFinalize();
}

static void work(int rounds)
{
	cl_mem numbers = buffer_make(0x1000);
	struct node last = {.signalled = NULL};
	int data[COUNT];

	usm();
	others();
	for (int i = 0; i < rounds; i++) {
		last = kernel(numbers, &last, "_ZTS4Kern");
		if (i % 2)
			host_task(&last, 0x1000);
		copy(numbers, data);
		wait_for(&last);
	}
	CL(clFinish(world.queue));
	buffer_event(xpti_offload_alloc_memory_object_destruct,
		     &(xpti_offload_association_data_t){0x1000, 0});
	CL(clReleaseMemObject(numbers));
}

/* A kernel that reads a buffer, then one that says it reads and writes it, then the buffer
 * back to the host, again and again. */
static void dependent(int rounds)
{
	cl_mem numbers = buffer_make(0x1000);
	struct node shared = {.event = NULL}, transfers = {.event = NULL};
	struct node allocation = node_make(&shared, "Memory Allocation[1000]", 0);
	int data[COUNT];

	add_number(allocation.event, "memory_object", 0x1000);
	notify(xpti_node_create, &allocation, allocation.instance, "memory_allocation_node");
	for (int i = 0; i < rounds; i++) {
		struct node reader = kernel(numbers, NULL, "reader"), writer, transfer;

		edge(&allocation, &reader, "read[1000]", 1024, 0x1000, NULL);
		writer = kernel(numbers, NULL, "writer");
		edge(&reader, &writer, "read_write[1000]", 1026, 0x1000, NULL);
		transfer = node_make(&transfers, "Memory Transfer (Map)[1000]", 0);
		add_number(transfer.event, "memory_object", 0x1000);
		notify(xpti_node_create, &transfer, transfer.instance, "memory_transfer_node");
		edge(&writer, &transfer, "read[1000]", 1024, 0x1000, NULL);
		notify(xpti_task_begin, &transfer, transfer.instance, NULL);
		CL(clEnqueueReadBuffer(world.queue, numbers, CL_TRUE, 0, COUNT * sizeof(int), data,
				       0, NULL, NULL));
		notify(xpti_task_end, &transfer, transfer.instance, NULL);
	}
	CL(clReleaseMemObject(numbers));
}

static void bad(void)
{
	static xpti_event_data_t empty;
	struct node node = {.event = &empty}, named;
	cl_mem numbers = numbers_create(&world, COUNT);

	/* No payload, ids of 0, nothing with it; ends without a begin. */
	notify(xpti_node_create, &node, 0, NULL);
	notify(xpti_edge_create, &node, 0, NULL);
	notify(xpti_task_end, &node, 0, NULL);
	notify(xpti_wait_end, &node, 0, NULL);
	notify(xpti_queue_create, &node, 0, NULL);
	notify(xpti_diagnostics, &node, 0, "\xff\xfe");
	xptiNotifySubscribers(memory_stream, xpti_mem_alloc_end, graph, NULL, 1, &empty);
	/* A task of a node that nobody saw, and nesting that never closes. */
	for (int i = 0; i < 100; i++) {
		notify(xpti_task_begin, &node, 1000 + (uint64_t)i, NULL);
		notify(xpti_wait_begin, &node, 0, i % 2 ? "event.wait[" : "]");
	}
	named.event = event_make("\xc3\x28[zz]", "\xff", 4000000000u);
	add_text(named.event, "kernel_name", "\xf0\x28\x8c\x28 \"quoted\"\n");
	notify(xpti_node_create, &named, UINT64_MAX, "[");
	notify(xpti_signal, &named, UINT64_MAX, NULL);
	kernel(numbers, NULL, "after");
	CL(clFinish(world.queue));
	CL(clReleaseMemObject(numbers));
}

static void forked(void)
{
	cl_mem numbers = buffer_make(0x1000);
	struct node open = {.event = event_make("main", __FILE__, 1)};
	int status = 1;
	pid_t child;

	CL(clReleaseMemObject(numbers));
	notify(xpti_node_create, &open, 1, "command_group_node");
	notify(xpti_task_begin, &open, 1, NULL);
	child = fork();
	if (!child) {
		notify(xpti_task_end, &open, 1, NULL);
		notify(xpti_node_create, &open, 2, "command_group_node");
		notify(xpti_task_begin, &open, 2, NULL);
		notify(xpti_task_end, &open, 2, NULL);
		_exit(0);
	}
	waitpid(child, &status, 0);
	notify(xpti_task_end, &open, 1, NULL);
	CHECK(status == 0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "later";

	later = strcmp(mode, "earlier") != 0;
	world_create(&world, 0, 0);
	begin();
	if (!graph)
		printf("not traced\n");
	else if (!strcmp(mode, "graph"))
		dependent(argc > 2 ? atoi(argv[2]) : 8);
	else if (!strcmp(mode, "bad"))
		bad();
	else if (!strcmp(mode, "forked"))
		forked();
	else
		work(argc > 2 ? atoi(argv[2]) : 3);
	world_destroy(&world);
	if (graph)
		end();
	/* Nobody is there any more. */
	if (graph)
		xptiNotifySubscribers(graph_stream, xpti_task_begin, graph, graph, 1, NULL);
	printf("ok\n");
	return 0;
}
