/* SPDX-License-Identifier: MIT */
/* Operations once more as Perfetto itself has what a GPU did (GpuRenderStageEvent): by hardware
 * queue and stage, for its table `gpu_slice` and its rows below "GPU". */
#include <string.h>

#include "analysis/operations/operation.h"
#include "export/perfetto/perfetto.h"

/* Field numbers of perfetto.dev's protos/perfetto/trace/gpu/ and of InternedData. */
enum {
	PACKET_STAGE = 53,

	INTERNED_CONTEXTS = 23,
	INTERNED_SPECIFICATIONS = 24,

	SPECIFICATION_ID = 1,
	SPECIFICATION_NAME = 2,
	SPECIFICATION_CATEGORY = 4,
	CATEGORY_OTHER = 0,
	CATEGORY_COMPUTE = 2,
	CONTEXT_ID = 1,
	CONTEXT_PID = 2,

	STAGE_EVENT = 1,
	STAGE_DURATION = 2,
	STAGE_CONTEXT = 5,
	STAGE_GPU = 11,
	STAGE_QUEUE = 13,
	STAGE_STAGE = 14,
	STAGE_NAME = 17,
};

/* Numbers of stages are above those of queues. */
#define FIRST_STAGE (UINT64_C(1) << 55)

static void specify(struct perfetto_writer *writer, uint64_t id, const char *name, bool compute)
{
	size_t entry;

	if (!perfetto_intern_once(writer, INTERNED_SPECIFICATIONS, id))
		return;
	entry = proto_begin(&writer->fresh, INTERNED_SPECIFICATIONS);
	proto_number(&writer->fresh, SPECIFICATION_ID, id);
	proto_string(&writer->fresh, SPECIFICATION_NAME, name, strlen(name));
	proto_number(&writer->fresh, SPECIFICATION_CATEGORY,
		     compute ? CATEGORY_COMPUTE : CATEGORY_OTHER);
	proto_end(&writer->fresh, entry);
}

static uint64_t context_id(struct export *export, uint32_t process)
{
	const struct trace_process *of = &export->iterator->session->processes[process];
	struct perfetto *state = export->state;
	struct text *fresh = &state->writer.fresh;
	uint64_t id = export_process(export, process);
	size_t entry;

	if (perfetto_intern_once(&state->writer, INTERNED_CONTEXTS, id)) {
		entry = proto_begin(fresh, INTERNED_CONTEXTS);
		proto_number(fresh, CONTEXT_ID, id);
		proto_number(fresh, CONTEXT_PID, of->pid);
		proto_end(fresh, entry);
	}
	return id;
}

void perfetto_stage(struct export *export, const struct operation *operation, int64_t start_ns,
		    int64_t end_ns)
{
	struct perfetto *state = export->state;
	struct perfetto_writer *writer = &state->writer;
	struct text *packet = &writer->packet;
	uint64_t queue = export_process(export, operation->process) << 24 | operation->queue_number;
	uint64_t stage = FIRST_STAGE | operation->kind, context;
	bool kernel = operation->kind == TANDEM_OPERATION_KIND_kernel;
	struct text name = TEXT_INIT;
	size_t event;

	perfetto_packet_begin(writer, start_ns);
	text_format(&name, "queue %u", operation->queue_number);
	specify(writer, queue, name.failed ? "queue" : name.data, true);
	specify(writer, stage, operation_kind_name(operation->kind), kernel);
	context = context_id(export, operation->process);
	event = proto_begin(packet, PACKET_STAGE);
	proto_number(packet, STAGE_EVENT, export->operation_count);
	proto_number(packet, STAGE_DURATION, (uint64_t)(end_ns - start_ns));
	proto_number(packet, STAGE_CONTEXT, context);
	proto_number(packet, STAGE_GPU, export_device(export, operation->device) - 1);
	proto_number(packet, STAGE_QUEUE, queue);
	proto_number(packet, STAGE_STAGE, stage);
	proto_string(packet, STAGE_NAME, operation->name, strlen(operation->name));
	proto_end(packet, event);
	perfetto_packet_end(writer, &export->output);
	text_free(&name);
}
