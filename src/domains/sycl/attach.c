/* SPDX-License-Identifier: MIT */
/* Which streams of XPTI are recorded, and where what they report goes. The runtime's earlier
 * generation reports the graph in the stream `sycl`, the later one in `sycl.debug`, and
 * announces the other, which stays empty. */
#include "domains/sycl/attach.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "core/process.h"
#include "core/stream/stream.h"
#include "domains/sycl/buffer.h"
#include "domains/sycl/graph/node.h"
#include "domains/sycl/graph/task.h"
#include "domains/sycl/layer.h"
#include "domains/sycl/memory.h"
#include "domains/sycl/metadata.h"
#include "domains/sycl/queue.h"
#include "schema/domain/sycl.h"

#define TYPES_MOST 16u

static bool recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(sycl);
}

static void graph_event(uint16_t type, xpti_event_data_t *event, uint64_t instance,
			const void *data)
{
	switch (type) {
	case xpti_graph_create:
		sycl_graph_create(event);
		break;
	case xpti_node_create:
		sycl_node_create(event, instance, data);
		break;
	case xpti_edge_create:
		sycl_edge_create(event);
		break;
	case xpti_task_begin:
		sycl_task_begin(event, instance);
		break;
	case xpti_task_end:
		sycl_task_end();
		break;
	case xpti_signal:
		sycl_task_signal(event, instance, data);
		break;
	case xpti_wait_begin:
		sycl_wait_begin(event, instance, data);
		break;
	case xpti_wait_end:
		sycl_wait_end();
		break;
	case xpti_barrier_begin:
		sycl_barrier_begin(event, instance);
		break;
	case xpti_barrier_end:
		sycl_barrier_end();
		break;
	case xpti_queue_create:
		sycl_queue_create(event);
		break;
	case xpti_queue_destroy:
		sycl_queue_destroy(event);
		break;
	case xpti_diagnostics:
		sycl_diagnostic(event, data);
		break;
	default:
		break;
	}
}

/* Callbacks are not given the stream: each kind of stream has its own. A diagnostic may come
 * without an event; nothing else of the graph does. */
static void in_graph(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		     uint64_t instance, const void *data)
{
	int saved = errno;

	(void)parent;
	if (recording() && (event || type == xpti_diagnostics))
		graph_event(type, event, instance, data);
	errno = saved;
}

static void in_memory(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		      uint64_t instance, const void *data)
{
	int saved = errno;

	(void)parent;
	(void)instance;
	if (recording())
		sycl_memory_event(type, event, data);
	errno = saved;
}

static void in_buffers(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		       uint64_t instance, const void *data)
{
	int saved = errno;

	(void)parent;
	(void)instance;
	if (recording())
		sycl_buffer_event(type, event, data);
	errno = saved;
}

static void in_images(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		      uint64_t instance, const void *data)
{
	int saved = errno;

	(void)parent;
	(void)instance;
	if (recording())
		sycl_image_event(type, event, data);
	errno = saved;
}

static void in_layer(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		     uint64_t instance, const void *data)
{
	int saved = errno;

	(void)parent;
	(void)event;
	(void)instance;
	if (recording())
		sycl_layer_event(type, data);
	errno = saved;
}

#define GRAPH_TYPES                                                                     \
	{                                                                               \
		xpti_graph_create, xpti_node_create, xpti_edge_create, xpti_task_begin, \
			xpti_task_end, xpti_signal, xpti_wait_begin, xpti_wait_end,     \
			xpti_barrier_begin, xpti_barrier_end, xpti_queue_create,        \
			xpti_queue_destroy, xpti_diagnostics                            \
	}
#define OBJECT_TYPES                                                                          \
	{                                                                                     \
		xpti_offload_alloc_memory_object_construct,                                   \
			xpti_offload_alloc_memory_object_destruct,                            \
			xpti_offload_alloc_memory_object_associate,                           \
			xpti_offload_alloc_memory_object_release, xpti_offload_alloc_accessor \
	}

static const struct {
	const char *name;
	uint32_t choice; /* bits of which one is asked for */
	xpti_callback_t callback;
	uint16_t types[TYPES_MOST]; /* 0 ends them */
} streams[] = {
	{"sycl", TANDEM_SYCL_BIT(graph), in_graph, GRAPH_TYPES},
	{"sycl.debug", TANDEM_SYCL_BIT(graph), in_graph, GRAPH_TYPES},
	{"sycl.experimental.mem_alloc",
	 TANDEM_SYCL_BIT(memory),
	 in_memory,
	 {xpti_mem_alloc_begin, xpti_mem_alloc_end, xpti_mem_release_begin, xpti_mem_release_end}},
	{"sycl.experimental.buffer", TANDEM_SYCL_BIT(buffers), in_buffers, OBJECT_TYPES},
	{"sycl.experimental.image", TANDEM_SYCL_BIT(buffers), in_images, OBJECT_TYPES},
	{"sycl.pi", TANDEM_SYCL_BIT(calls), in_layer, {xpti_function_begin, xpti_function_end}},
	{"ur.call",
	 TANDEM_SYCL_BIT(calls),
	 in_layer,
	 {xpti_function_with_args_begin, xpti_function_with_args_end}},
};

static void subscribe(unsigned at)
{
	xpti_stream_id_t id = xptiRegisterStream(streams[at].name);

	for (unsigned i = 0; i < TYPES_MOST && streams[at].types[i]; i++)
		xptiRegisterCallback(id, streams[at].types[i], streams[at].callback);
}

void tandem_sycl_stream(const char *stream)
{
	static _Atomic int opened;
	int saved = errno;

	if (!stream || !tandem_session_dir[0] ||
	    !(tandem_control.domains & TANDEM_DOMAIN_BIT(sycl)))
		return;
	for (unsigned i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		if (strcmp(stream, streams[i].name) != 0 ||
		    !(tandem_choices(TANDEM_DOMAIN_sycl) & streams[i].choice))
			continue;
		if (!atomic_exchange(&opened, 1)) {
			tandem_process_uses(TANDEM_DOMAIN_sycl);
			sycl_metadata_open();
		}
		subscribe(i);
	}
	errno = saved;
}
