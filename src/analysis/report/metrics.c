#include "analysis/report/metrics.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/pass.h"
#include "analysis/operations/launch_config.h"
#include "analysis/report/metrics_kernels.h"
#include "schema/gen/core_records.h"
#include "schema/gen/cuda_records.h"
#include "trace/operation.h"

struct pass {
	struct metrics *metrics;
	struct trace_session *session;
	struct range range;
	struct trace_objects objects;
	struct launch_configs launch_configs;
	struct metrics_kernels kernels;
	struct map memories;  /* process and number -> bytes and place */
	uint8_t calls[UINT16_MAX + 1]; /* by event id: 1 + enum metric, 1: none; 0: not asked */
};

/* What a call is timed as, by its name: the first that matches. */
static const struct {
	const char *pattern;
	enum metric metric;
} call_metrics[] = {
	{"cuda*Malloc*", METRIC_GMEM_SEC},	  {"cudaHostAlloc", METRIC_GMEM_SEC},
	{"cudaFree*", METRIC_GMEM_SEC},		  {"cudaHost*egister", METRIC_GMEM_SEC},
	{"cuMemAlloc*", METRIC_GMEM_SEC},	  {"cuMemFree*", METRIC_GMEM_SEC},
	{"cuMemHostAlloc", METRIC_GMEM_SEC},	  {"cuMemHost*egister", METRIC_GMEM_SEC},
	{"cuMemCreate", METRIC_GMEM_SEC},	  {"cuMemRelease", METRIC_GMEM_SEC},
	{"cu*Array*Create", METRIC_GMEM_SEC},	  {"cu*ArrayDestroy", METRIC_GMEM_SEC},
	{"clCreateBuffer*", METRIC_GMEM_SEC},	  {"clCreateImage*", METRIC_GMEM_SEC},
	{"clCreatePipe", METRIC_GMEM_SEC},	  {"clSVMAlloc*", METRIC_GMEM_SEC},
	{"clSVMFree*", METRIC_GMEM_SEC},	  {"clReleaseMemObject", METRIC_GMEM_SEC},
	{"cl*MemAllocINTEL", METRIC_GMEM_SEC},	  {"clMem*FreeINTEL", METRIC_GMEM_SEC},
	{"*EventSynchronize", METRIC_GSYNC_EVT},  {"*StreamWaitEvent", METRIC_GSYNC_STRE},
	{"*StreamSynchronize", METRIC_GSYNC_STR}, {"cudaDeviceSynchronize", METRIC_GSYNC_CTX},
	{"cuCtxSynchronize", METRIC_GSYNC_CTX},	  {"cudaThreadSynchronize", METRIC_GSYNC_CTX},
	{"clFinish", METRIC_GSYNC_STR},		  {"clWaitForEvents", METRIC_GSYNC_EVT},
};

static uint8_t call_metric(const struct tandem_event *event)
{
	for (size_t i = 0; i < sizeof(call_metrics) / sizeof(*call_metrics); i++)
		if (!fnmatch(call_metrics[i].pattern, event->name, 0))
			return (uint8_t)(2 + call_metrics[i].metric);
	return event->class == TANDEM_CLASS_WAIT ? 2 + METRIC_GSYNC_UNK : 1;
}

static void add_call(struct pass *pass, const struct trace_event *event)
{
	double *value = pass->metrics->value, seconds;
	uint8_t *known = &pass->calls[event->record->id];
	enum metric metric;

	if (!*known)
		*known = call_metric(event->layout->event);
	if (*known == 1 || !event->end_ticks)
		return;
	metric = (enum metric)(*known - 2);
	seconds = (double)(event->end_ns - event->ns) / 1e9;
	value[metric] += seconds;
	if (metric != METRIC_GMEM_SEC) {
		value[METRIC_GSYNC_SEC] += seconds;
		value[METRIC_GSYNC_COUNT]++;
	}
}

/* Where memory of a kind lies, in the order of the metrics. */
static uint8_t place_of(uint8_t kind)
{
	switch (kind) {
	case TANDEM_MEMORY_KIND_host:
	case TANDEM_MEMORY_KIND_usm_host:
		return TANDEM_PLACE_pinned;
	case TANDEM_MEMORY_KIND_array:
	case TANDEM_MEMORY_KIND_image:
		return TANDEM_PLACE_array;
	case TANDEM_MEMORY_KIND_managed:
	case TANDEM_MEMORY_KIND_usm_shared:
	case TANDEM_MEMORY_KIND_svm:
		return TANDEM_PLACE_managed;
	case TANDEM_MEMORY_KIND_buffer:
	case TANDEM_MEMORY_KIND_pipe:
	case TANDEM_MEMORY_KIND_device:
	case TANDEM_MEMORY_KIND_pooled:
	case TANDEM_MEMORY_KIND_usm_device:
		return TANDEM_PLACE_device;
	default:
		return TANDEM_PLACE_unknown;
	}
}

/* A free says how much, and by its number what it was. */
static int add_memory(struct pass *pass, const struct trace_event *event)
{
	const struct tandem_rec_memory *record = (const void *)event->record;
	uint64_t key = (uint64_t)event->stream->process->index << 32 | record->memory;
	double *value = pass->metrics->value;
	uint8_t place = place_of(record->kind);

	if (record->kind == TANDEM_MEMORY_KIND_sub_buffer)
		return 0; /* a part of another */
	if (range_holds(&pass->range, event->ns)) {
		value[METRIC_GMEM_UNK + place] += (double)record->bytes;
		value[METRIC_GMEM_COUNT]++;
	}
	return map_set(&pass->memories, key, place);
}

static void add_free(struct pass *pass, const struct trace_event *event)
{
	const struct tandem_rec_memory_free *record = (const void *)event->record;
	uint64_t key = (uint64_t)event->stream->process->index << 32 | record->memory;
	uint64_t place = map_remove(&pass->memories, key);

	if (place == MAP_NONE || !range_holds(&pass->range, event->ns))
		return;
	pass->metrics->value[METRIC_GMEM_UNK + place] += (double)record->bytes;
	pass->metrics->value[METRIC_GMEM_COUNT]++;
}

static enum metric copy_metric(const struct tandem_rec_operation *record,
			       const struct launch_config *launch_config)
{
	bool from_array = launch_config && launch_config->source == TANDEM_PLACE_array;
	bool to_array = launch_config && launch_config->destination == TANDEM_PLACE_array;

	switch (record->kind) {
	case TANDEM_OPERATION_KIND_copy_h2d:
		return to_array ? METRIC_GXCOPY_H2A : METRIC_GXCOPY_H2D;
	case TANDEM_OPERATION_KIND_copy_d2h:
		return from_array ? METRIC_GXCOPY_A2H : METRIC_GXCOPY_D2H;
	case TANDEM_OPERATION_KIND_copy_d2d:
		if (launch_config && launch_config->from && launch_config->to &&
		    launch_config->from != launch_config->to)
			return METRIC_GXCOPY_P2P;
		if (from_array && to_array)
			return METRIC_GXCOPY_A2A;
		return from_array ? METRIC_GXCOPY_A2D : to_array ? METRIC_GXCOPY_D2A
								  : METRIC_GXCOPY_D2D;
	default:
		return METRIC_GXCOPY_UNK;
	}
}

static void add_copy(struct pass *pass, const struct tandem_rec_operation *record,
		     const struct launch_config *launch_config, double seconds)
{
	double *value = pass->metrics->value;

	value[METRIC_GXCOPY_SEC] += seconds;
	value[METRIC_GXCOPY_COUNT]++;
	value[copy_metric(record, launch_config)] += (double)record->bytes;
}

static void add_fill(struct pass *pass, const struct tandem_rec_operation *record,
		     const struct launch_config *launch_config, double seconds)
{
	double *value = pass->metrics->value;
	uint8_t place = launch_config ? launch_config->destination : TANDEM_PLACE_device;

	if (place > TANDEM_PLACE_managed_static)
		place = TANDEM_PLACE_unknown;
	value[METRIC_GMSET_SEC] += seconds;
	value[METRIC_GMSET_COUNT]++;
	value[METRIC_GMSET_UNK + place] += (double)record->bytes;
}

static int add_operation(struct pass *pass, const struct trace_event *event)
{
	const struct tandem_rec_operation *record = (const void *)event->record;
	const struct launch_config *launch_config = launch_configs_find(
		&pass->launch_configs, event->stream->process->index, record->shape);
	struct trace_operation_times times;
	double seconds = 0;

	if (trace_operation_times(pass->session, record, &times) && times.start <= times.end)
		seconds = (double)(times.end - times.start) / 1e9;
	switch (record->kind) {
	case TANDEM_OPERATION_KIND_kernel:
		pass->metrics->value[METRIC_GKER_SEC] += seconds;
		pass->metrics->value[METRIC_GKER_COUNT]++;
		return launch_config && launch_config->is_launch
			       ? metrics_kernels_add(&pass->kernels, event, launch_config, seconds)
			       : 0;
	case TANDEM_OPERATION_KIND_copy_h2d:
	case TANDEM_OPERATION_KIND_copy_d2h:
	case TANDEM_OPERATION_KIND_copy_d2d:
		add_copy(pass, record, launch_config, seconds);
		return 0;
	case TANDEM_OPERATION_KIND_fill:
		add_fill(pass, record, launch_config, seconds);
		return 0;
	default:
		return 0;
	}
}

static bool operation_counts(const struct pass *pass, const struct operation *operation)
{
	int64_t from_ns, to_ns;

	if (!operation)
		return true;
	operation_span(operation, INT64_MAX, &from_ns, &to_ns);
	return range_holds(&pass->range, from_ns);
}

static int add_event(void *user, const struct trace_event *event, const struct operation *operation)
{
	struct pass *pass = user;

	if (!event)
		return 0;
	if (trace_event_is_call(event)) {
		if (range_holds(&pass->range, event->ns))
			add_call(pass, event);
		return 0;
	}
	switch (event->record->id) {
	case TANDEM_EVENT_operation:
		return operation_counts(pass, operation) ? add_operation(pass, event) : 0;
	case TANDEM_EVENT_memory:
		return add_memory(pass, event);
	case TANDEM_EVENT_memory_free:
		add_free(pass, event);
		return 0;
	case TANDEM_CUDA_EVENT_multiprocessor:
		return metrics_kernels_limits(&pass->kernels, event);
	case TANDEM_EVENT_launch_shape:
	case TANDEM_EVENT_transfer_shape:
		return launch_configs_learn(&pass->launch_configs, event);
	default:
		return trace_objects_learn(&pass->objects, event);
	}
}

static struct range range_of(const struct trace_session *session,
			     const struct metrics_options *options)
{
	struct range range = RANGE_WHOLE;

	if (!options || !options->ranged)
		return range;
	return range_since(&options->range, session->start_ns);
}

static void sum_up(double *value)
{
	value[METRIC_GPUOP_SEC] = value[METRIC_GKER_SEC] + value[METRIC_GMEM_SEC] +
				  value[METRIC_GMSET_SEC] + value[METRIC_GXCOPY_SEC] +
				  value[METRIC_GSYNC_SEC];
}

int metrics_make(struct metrics *metrics, struct trace_session *session,
		 const struct metrics_options *options, struct error *error)
{
	struct pass *pass = calloc(1, sizeof(*pass));
	int status = pass ? 0 : -ENOMEM;

	memset(metrics, 0, sizeof(*metrics));
	if (pass) {
		pass->metrics = metrics;
		pass->session = session;
		pass->kernels.objects = &pass->objects;
		pass->range = range_of(session, options);
		status = pass_run(session, &pass->range, options ? &options->progress : NULL,
				  add_event, pass);
		if (!status)
			status = metrics_kernels_finish(&pass->kernels, metrics);
		sum_up(metrics->value);
		metrics_kernels_free(&pass->kernels);
		launch_configs_free(&pass->launch_configs);
		map_free(&pass->memories);
		trace_objects_free(&pass->objects);
	}
	free(pass);
	if (status) {
		metrics_free(metrics);
		error_add(error, status, "%s: %s", session->path, strerror(-status));
	}
	return status;
}

void metrics_free(struct metrics *metrics)
{
	arena_free(&metrics->arena);
	memset(metrics, 0, sizeof(*metrics));
}
