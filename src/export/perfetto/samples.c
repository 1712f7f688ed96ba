/* SPDX-License-Identifier: MIT */
/* Sampled stacks as Perfetto has them (PerfSample). */

#include <errno.h>
#include <string.h>

#include "export/perfetto/perfetto.h"

/* Field numbers of perfetto.dev's protos/perfetto/trace/profiling/ and of InternedData. */
enum {
	PACKET_DEFAULTS = 59,
	PACKET_SAMPLE = 66,

	DEFAULTS_SAMPLE = 12,
	SAMPLE_TIMEBASE = 1,
	TIMEBASE_FREQUENCY = 2,

	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES = 6,
	INTERNED_STACKS = 7,
	INTERNED_PATHS = 17,
	INTERNED_MAPPINGS = 19,

	FRAME_ID = 1,
	FRAME_FUNCTION = 2,
	FRAME_MAPPING = 3,
	MAPPING_ID = 1,
	MAPPING_PATH = 7,
	STACK_ID = 1,
	STACK_FRAME = 2,

	SAMPLE_CPU = 1,
	SAMPLE_PID = 2,
	SAMPLE_TID = 3,
	SAMPLE_STACK = 4,
	SAMPLE_MODE = 5,
	MODE_KERNEL = 1,
	MODE_USER = 2,
};

/* A file, whole: its path is one piece, which is what readers put together. */
static uint64_t mapping_id(struct perfetto_writer *writer, const char *file)
{
	const char *path = *file ? file : "[unknown]";
	uint64_t id = perfetto_intern(writer, INTERNED_PATHS, path, strlen(path));
	size_t mapping;

	if (perfetto_intern_once(writer, INTERNED_MAPPINGS, id)) {
		mapping = proto_begin(&writer->fresh, INTERNED_MAPPINGS);
		proto_number(&writer->fresh, MAPPING_ID, id);
		proto_number(&writer->fresh, MAPPING_PATH, id);
		proto_end(&writer->fresh, mapping);
	}
	return id;
}

static uint64_t number_of(const struct export *export, uint32_t index)
{
	return (uint64_t) export->session << 32 | (index + UINT64_C(1));
}

static uint64_t frame_id(struct export *export, const struct samples *samples, uint32_t frame)
{
	struct perfetto *state = export->state;
	struct perfetto_writer *writer = &state->writer;
	const char *name = samples_name(samples, frame);
	uint64_t id = number_of(export, frame), function, mapping;
	size_t begun;

	if (!perfetto_intern_once(writer, INTERNED_FRAMES, id))
		return id;
	function = perfetto_intern(writer, INTERNED_FUNCTIONS, name, strlen(name));
	mapping = mapping_id(writer, samples_file(samples, frame));
	begun = proto_begin(&writer->fresh, INTERNED_FRAMES);
	proto_number(&writer->fresh, FRAME_ID, id);
	proto_number(&writer->fresh, FRAME_FUNCTION, function);
	proto_number(&writer->fresh, FRAME_MAPPING, mapping);
	proto_end(&writer->fresh, begun);
	return id;
}

static uint64_t stack_id(struct export *export, const struct samples *samples, uint32_t node)
{
	struct perfetto *state = export->state;
	struct perfetto_writer *writer = &state->writer;
	uint32_t frames[SAMPLES_DEEPEST];
	uint64_t id = number_of(export, node), ids[SAMPLES_DEEPEST];
	size_t depth, stack;

	if (!perfetto_intern_once(writer, INTERNED_STACKS, id))
		return id;
	depth = samples_stack(samples, node, frames, SAMPLES_DEEPEST);
	for (size_t i = 0; i < depth; i++)
		ids[i] = frame_id(export, samples, frames[i]);
	stack = proto_begin(&writer->fresh, INTERNED_STACKS);
	proto_number(&writer->fresh, STACK_ID, id);
	/* The outermost first. */
	while (depth)
		proto_number(&writer->fresh, STACK_FRAME, ids[--depth]);
	proto_end(&writer->fresh, stack);
	return id;
}

static void add_rate(struct text *packet, uint64_t period_ns)
{
	size_t defaults = proto_begin(packet, PACKET_DEFAULTS);
	size_t sample = proto_begin(packet, DEFAULTS_SAMPLE);
	size_t timebase = proto_begin(packet, SAMPLE_TIMEBASE);

	proto_number(packet, TIMEBASE_FREQUENCY, (1000000000 + period_ns / 2) / period_ns);
	proto_end(packet, timebase);
	proto_end(packet, sample);
	proto_end(packet, defaults);
}

static int on_sample(void *user, const struct samples_sample *sample)
{
	struct export *export = user;
	struct perfetto *state = export->state;
	struct perfetto_samples *samples = &state->samples;
	struct perfetto_writer *writer = &state->writer;
	struct text *packet = &writer->packet;
	uint64_t stack;
	size_t begun;

	/* Defaults hold from the packet on that has them. */
	if (!samples->rated && sample->period_ns) {
		perfetto_packet_begin(writer, export_time(export, sample->ns));
		add_rate(packet, sample->period_ns);
		perfetto_packet_end(writer, &export->output);
		samples->rated = true;
	}
	perfetto_packet_begin(writer, export_time(export, sample->ns));
	stack = stack_id(export, &samples->samples, sample->node);
	begun = proto_begin(packet, PACKET_SAMPLE);
	proto_number(packet, SAMPLE_CPU, sample->cpu);
	proto_number(packet, SAMPLE_PID, sample->pid);
	proto_number(packet, SAMPLE_TID, sample->tid);
	proto_number(packet, SAMPLE_STACK, stack);
	proto_number(packet, SAMPLE_MODE, sample->in_kernel ? MODE_KERNEL : MODE_USER);
	proto_end(packet, begun);
	perfetto_packet_end(writer, &export->output);
	return 0;
}

void perfetto_samples_session(struct perfetto_samples *samples, struct export *export)
{
	perfetto_samples_end(samples);
	samples_init(&samples->samples, on_sample, export);
	samples->samples.range = export->range;
	samples->begun = true;
}

int perfetto_samples_event(struct perfetto_samples *samples, const struct trace_event *event)
{
	return samples_consume(&samples->samples, event);
}

void perfetto_samples_end(struct perfetto_samples *samples)
{
	if (samples->begun)
		samples_free(&samples->samples);
	samples->begun = samples->rated = false;
}
