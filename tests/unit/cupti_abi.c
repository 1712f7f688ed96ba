/* SPDX-License-Identifier: MIT */
/* What domains/cuda declares of CUPTI and of NVTX against NVIDIA's own headers,
 * where those are installed: compiling it is the test. */
#include <stdio.h>

#ifdef HAVE_CUPTI
#include <cupti.h>

/* NVIDIA's names begin with CUPTI_ too: ours are taken after theirs. */
static const int vendor_kinds[] = {
	CUPTI_ACTIVITY_KIND_MEMCPY,
	CUPTI_ACTIVITY_KIND_MEMSET,
	CUPTI_ACTIVITY_KIND_KERNEL,
	CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
	CUPTI_ACTIVITY_KIND_OVERHEAD,
	CUPTI_ACTIVITY_KIND_MEMCPY2,
	CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
	CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
	CUPTI_ACTIVITY_KIND_DRIVER,
	CUPTI_ACTIVITY_KIND_RUNTIME,
	CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
};

#include "domains/cuda/cupti/cupti.h"

static const int our_kinds[] = {
	CUPTI_KIND_COPY,	   CUPTI_KIND_MEMSET,
	CUPTI_KIND_KERNEL,	   CUPTI_KIND_CONCURRENT_KERNEL,
	CUPTI_KIND_OVERHEAD,	   CUPTI_KIND_PEER_COPY,
	CUPTI_KIND_UNIFIED_MEMORY, CUPTI_KIND_GRAPH,
	CUPTI_KIND_DRIVER,	   CUPTI_KIND_RUNTIME,
	CUPTI_KIND_EXTERNAL,
};

#define SAME(ours, our_field, theirs, their_field)                                          \
	_Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field) && \
			       sizeof(((struct ours *)0)->our_field) ==                     \
				       sizeof(((theirs *)0)->their_field),                  \
		       #ours "." #our_field)

#define KERNEL(our_field, their_field) \
	SAME(cupti_kernel, our_field, CUpti_ActivityKernel8, their_field)
KERNEL(registers, registersPerThread);
KERNEL(start, start);
KERNEL(end, end);
KERNEL(device, deviceId);
KERNEL(context, contextId);
KERNEL(stream, streamId);
KERNEL(grid[0], gridX);
KERNEL(grid[2], gridZ);
KERNEL(block[0], blockX);
KERNEL(block[2], blockZ);
KERNEL(static_shared_bytes, staticSharedMemory);
KERNEL(dynamic_shared_bytes, dynamicSharedMemory);
KERNEL(local_bytes_per_thread, localMemoryPerThread);
KERNEL(correlation, correlationId);
KERNEL(name, name);
KERNEL(queued, queued);
KERNEL(submitted, submitted);
KERNEL(launch_type, launchType);
KERNEL(shared_config_bytes, sharedMemoryExecuted);
KERNEL(node, graphNodeId);
KERNEL(graph, graphId);
KERNEL(cluster[0], clusterX);
KERNEL(cluster[2], clusterZ);
/* Later versions only add at the end. */
_Static_assert(offsetof(CUpti_ActivityKernel8, clusterZ) ==
		       offsetof(CUpti_ActivityKernel9, clusterZ),
	       "a kernel of CUDA 12");

#define COPY(our_field, their_field) SAME(cupti_copy, our_field, CUpti_ActivityMemcpy5, their_field)
COPY(copy_kind, copyKind);
COPY(source, srcKind);
COPY(destination, dstKind);
COPY(flags, flags);
COPY(bytes, bytes);
COPY(start, start);
COPY(end, end);
COPY(device, deviceId);
COPY(context, contextId);
COPY(stream, streamId);
COPY(correlation, correlationId);
COPY(node, graphNodeId);
COPY(graph, graphId);

#define PEER(our_field, their_field) \
	SAME(cupti_peer_copy, our_field, CUpti_ActivityMemcpyPtoP4, their_field)
PEER(bytes, bytes);
PEER(start, start);
PEER(device, deviceId);
PEER(stream, streamId);
PEER(source_device, srcDeviceId);
PEER(destination_device, dstDeviceId);
PEER(correlation, correlationId);
PEER(node, graphNodeId);
PEER(graph, graphId);

#define FILL(our_field, their_field) \
	SAME(cupti_memset, our_field, CUpti_ActivityMemset4, their_field)
FILL(bytes, bytes);
FILL(start, start);
FILL(device, deviceId);
FILL(stream, streamId);
FILL(correlation, correlationId);
FILL(flags, flags);
FILL(memory_kind, memoryKind);
FILL(node, graphNodeId);
FILL(graph, graphId);

#define GRAPH(our_field, their_field) \
	SAME(cupti_graph, our_field, CUpti_ActivityGraphTrace2, their_field)
GRAPH(correlation, correlationId);
GRAPH(start, start);
GRAPH(device, deviceId);
GRAPH(graph, graphId);
GRAPH(context, contextId);
GRAPH(stream, streamId);

#define OVERHEAD(our_field, their_field) \
	SAME(cupti_overhead, our_field, CUpti_ActivityOverhead3, their_field)
SAME(cupti_api, function, CUpti_ActivityAPI, cbid);
SAME(cupti_api, correlation, CUpti_ActivityAPI, correlationId);
SAME(cupti_external, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
SAME(cupti_external, id, CUpti_ActivityExternalCorrelation, externalId);
SAME(cupti_external, correlation, CUpti_ActivityExternalCorrelation, correlationId);
OVERHEAD(overhead_kind, overheadKind);
OVERHEAD(object_kind, objectKind);
OVERHEAD(object[1], objectId.pt.threadId);
OVERHEAD(start, start);
OVERHEAD(end, end);

#define UNIFIED(our_field, their_field) \
	SAME(cupti_unified, our_field, CUpti_ActivityUnifiedMemoryCounter3, their_field)
UNIFIED(counter, counterKind);
UNIFIED(value, value);
UNIFIED(start, start);
UNIFIED(address, address);
UNIFIED(source, srcId);
UNIFIED(destination, dstId);
UNIFIED(flags, flags);

#define CALL(our_field, their_field) SAME(cupti_call, our_field, CUpti_CallbackData, their_field)
CALL(site, callbackSite);
CALL(function, functionName);
CALL(arguments, functionParams);
CALL(result, functionReturnValue);
CALL(symbol, symbolName);
CALL(context, context);
CALL(context_id, contextUid);
CALL(between, correlationData);
CALL(correlation, correlationId);

SAME(cupti_resource_data, context, CUpti_ResourceData, context);
SAME(cupti_resource_data, stream, CUpti_ResourceData, resourceHandle.stream);
SAME(cupti_resource_data, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME(cupti_module, id, CUpti_ModuleResourceData, moduleId);
SAME(cupti_module, bytes, CUpti_ModuleResourceData, cubinSize);
SAME(cupti_module, cubin, CUpti_ModuleResourceData, pCubin);
SAME(cupti_state, result, CUpti_StateData, notification.result);
SAME(cupti_subscriber_options, other_bytes, CUpti_SubscriberParams, oldSubscriberSize);
_Static_assert(sizeof(struct cupti_unified_config) ==
		       sizeof(CUpti_ActivityUnifiedMemoryCounterConfig),
	       "configuration");

_Static_assert((int)CUPTI_MULTIPLE_SUBSCRIBERS ==
		       (int)CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
	       "");
_Static_assert((int)CUPTI_DRIVER == (int)CUPTI_CB_DOMAIN_DRIVER_API, "");
_Static_assert((int)CUPTI_RUNTIME == (int)CUPTI_CB_DOMAIN_RUNTIME_API, "");
_Static_assert((int)CUPTI_RESOURCE == (int)CUPTI_CB_DOMAIN_RESOURCE, "");
_Static_assert((int)CUPTI_STATE == (int)CUPTI_CB_DOMAIN_STATE, "");
_Static_assert((int)CUPTI_STREAM_CREATED == (int)CUPTI_CBID_RESOURCE_STREAM_CREATED, "");
_Static_assert((int)CUPTI_STREAM_DESTROYED == (int)CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, "");
_Static_assert((int)CUPTI_MODULE_LOADED == (int)CUPTI_CBID_RESOURCE_MODULE_LOADED, "");
_Static_assert((int)CUPTI_UNIFIED_DTOD ==
		       (int)CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD,
	       "");

static int compare(void)
{
	for (size_t i = 0; i < sizeof(our_kinds) / sizeof(our_kinds[0]); i++)
		if (our_kinds[i] != vendor_kinds[i])
			return printf("not ok 1 - kinds of activity\n"), 1;
	return 0;
}
#endif

#ifdef HAVE_NVTX
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "domains/annotation/nvtx.h"

#define EVENT(ours, theirs)                                             \
	_Static_assert(offsetof(struct nvtx_attributes, ours) ==        \
			       offsetof(nvtxEventAttributes_t, theirs), \
		       #ours)
EVENT(category, category);
EVENT(color_type, colorType);
EVENT(color, color);
EVENT(payload_type, payloadType);
EVENT(payload, payload);
EVENT(text_type, messageType);
EVENT(text, message);
_Static_assert(sizeof(struct nvtx_attributes) == sizeof(nvtxEventAttributes_t), "attributes");
_Static_assert((int)NVTX_TEXT_REGISTERED == (int)NVTX_MESSAGE_TYPE_REGISTERED, "");
_Static_assert((int)NVTX_F32 == (int)NVTX_PAYLOAD_TYPE_FLOAT, "");
_Static_assert((int)NVTX_NO_LEVEL == (int)NVTX_NO_PUSH_POP_TRACKING, "");
#endif

int main(void)
{
#ifdef HAVE_CUPTI
	if (compare())
		return 1;
#ifdef HAVE_NVTX
	printf("ok 1 - NVIDIA's headers agree\n");
	return 0;
#endif
#endif
	printf("NVIDIA's headers are not installed here\n");
	return 77;
}
