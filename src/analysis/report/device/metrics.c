/* SPDX-License-Identifier: MIT */
#include "analysis/report/device/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/pass.h"
#include "analysis/operations/launch_config.h"
#include "analysis/report/device/metrics_kernels.h"
#include "schema/gen/core_records.h"

struct maker {
	struct metrics *metrics;
	struct range range;
	struct launch_configs launch_configs;
	struct metrics_kernels kernels;
	struct map memories;	       /* process and number -> bytes and place */
	uint8_t calls[UINT16_MAX + 1]; /* by event id: 1 + enum metric, 1: none; 0: not asked */
};

/* What a call is timed as: 2 + enum metric, or 1. */
static uint8_t call_metric(const struct tandem_event *event)
{
	static const enum metric waits[TANDEM_WAIT_COUNT] = {
		[TANDEM_WAIT_none] = METRIC_GSYNC_UNK,	 [TANDEM_WAIT_queue] = METRIC_GSYNC_STR,
		[TANDEM_WAIT_device] = METRIC_GSYNC_CTX, [TANDEM_WAIT_all] = METRIC_GSYNC_CTX,
		[TANDEM_WAIT_event] = METRIC_GSYNC_EVT,	 [TANDEM_WAIT_in_queue] = METRIC_GSYNC_STRE,
	};

	/* A barrier that is an operation itself is none. */
	if (event->class == TANDEM_CLASS_WAIT ||
	    (event->class != TANDEM_CLASS_ENQUEUE && event->traits.wait == TANDEM_WAIT_in_queue))
		return (uint8_t)(2 + waits[event->traits.wait]);
	switch (event->traits.memory) {
	case TANDEM_MEMORY_ROLE_alloc:
	case TANDEM_MEMORY_ROLE_free:
	case TANDEM_MEMORY_ROLE_register:
	case TANDEM_MEMORY_ROLE_unregister:
		return 2 + METRIC_GMEM_SEC;
	default:
		return 1;
	}
}

static void add_call(struct maker *maker, const struct trace_event *event)
{
	double *value = maker->metrics->value, seconds;
	uint8_t *known = &maker->calls[event->record->id];
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
		return TANDEM_TRANSFER_MEMORY_KIND_pinned;
	case TANDEM_MEMORY_KIND_array:
	case TANDEM_MEMORY_KIND_image:
		return TANDEM_TRANSFER_MEMORY_KIND_array;
	case TANDEM_MEMORY_KIND_managed:
	case TANDEM_MEMORY_KIND_usm_shared:
	case TANDEM_MEMORY_KIND_svm:
		return TANDEM_TRANSFER_MEMORY_KIND_managed;
	case TANDEM_MEMORY_KIND_buffer:
	case TANDEM_MEMORY_KIND_pipe:
	case TANDEM_MEMORY_KIND_device:
	case TANDEM_MEMORY_KIND_pooled:
	case TANDEM_MEMORY_KIND_usm_device:
		return TANDEM_TRANSFER_MEMORY_KIND_device;
	default:
		return TANDEM_TRANSFER_MEMORY_KIND_unknown;
	}
}

/* A free says how much, and by its number what it was. */
static int add_memory(struct maker *maker, const struct trace_event *event)
{
	const struct tandem_rec_memory *record = (const void *)event->record;
	uint64_t key = (uint64_t)event->stream->process->index << 32 | record->memory;
	double *value = maker->metrics->value;
	uint8_t place = place_of(record->kind);

	if (record->kind == TANDEM_MEMORY_KIND_sub_buffer)
		return 0; /* a part of another */
	if (range_holds(&maker->range, event->ns)) {
		value[METRIC_GMEM_UNK + place] += (double)record->bytes;
		value[METRIC_GMEM_COUNT]++;
	}
	return map_set(&maker->memories, key, place);
}

static void add_free(struct maker *maker, const struct trace_event *event)
{
	const struct tandem_rec_memory_free *record = (const void *)event->record;
	uint64_t key = (uint64_t)event->stream->process->index << 32 | record->memory;
	uint64_t place = map_remove(&maker->memories, key);

	if (place == MAP_NONE || !range_holds(&maker->range, event->ns))
		return;
	maker->metrics->value[METRIC_GMEM_UNK + place] += (double)record->bytes;
	maker->metrics->value[METRIC_GMEM_COUNT]++;
}

static enum metric copy_metric(const struct tandem_rec_operation *record,
			       const struct launch_config *launch_config)
{
	bool from_array =
		launch_config && launch_config->source == TANDEM_TRANSFER_MEMORY_KIND_array;
	bool to_array =
		launch_config && launch_config->destination == TANDEM_TRANSFER_MEMORY_KIND_array;

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
		return from_array ? METRIC_GXCOPY_A2D
		       : to_array ? METRIC_GXCOPY_D2A
				  : METRIC_GXCOPY_D2D;
	default:
		return METRIC_GXCOPY_UNK;
	}
}

static void add_copy(struct maker *maker, const struct tandem_rec_operation *record,
		     const struct launch_config *launch_config, double seconds)
{
	double *value = maker->metrics->value;

	value[METRIC_GXCOPY_SEC] += seconds;
	value[METRIC_GXCOPY_COUNT]++;
	value[copy_metric(record, launch_config)] += (double)record->bytes;
}

static void add_fill(struct maker *maker, const struct tandem_rec_operation *record,
		     const struct launch_config *launch_config, double seconds)
{
	double *value = maker->metrics->value;
	uint8_t place =
		launch_config ? launch_config->destination : TANDEM_TRANSFER_MEMORY_KIND_device;

	if (place > TANDEM_TRANSFER_MEMORY_KIND_managed_static)
		place = TANDEM_TRANSFER_MEMORY_KIND_unknown;
	value[METRIC_GMSET_SEC] += seconds;
	value[METRIC_GMSET_COUNT]++;
	value[METRIC_GMSET_UNK + place] += (double)record->bytes;
}

static int add_operation(struct maker *maker, const struct operation *operation)
{
	const struct trace_operation_times *times = &operation->device_times;
	const struct tandem_rec_operation *record = operation->record;
	const struct launch_config *config = launch_configs_find(
		&maker->launch_configs, operation->process, record->launch_config);
	double seconds = 0;

	if (record->time_domain && times->start <= times->end)
		seconds = (double)(times->end - times->start) / 1e9;
	switch (record->kind) {
	case TANDEM_OPERATION_KIND_kernel:
		maker->metrics->value[METRIC_GKER_SEC] += seconds;
		maker->metrics->value[METRIC_GKER_COUNT]++;
		return config && config->is_launch
			       ? metrics_kernels_add(&maker->kernels, operation, config, seconds)
			       : 0;
	case TANDEM_OPERATION_KIND_copy_h2d:
	case TANDEM_OPERATION_KIND_copy_d2h:
	case TANDEM_OPERATION_KIND_copy_d2d:
		add_copy(maker, record, config, seconds);
		return 0;
	case TANDEM_OPERATION_KIND_fill:
		add_fill(maker, record, config, seconds);
		return 0;
	default:
		return 0;
	}
}

static bool operation_counts(const struct maker *maker, const struct operation *operation)
{
	int64_t from_ns, to_ns;

	if (range_is_whole(&maker->range))
		return true;
	operation_span(operation, INT64_MAX, &from_ns, &to_ns);
	return range_holds(&maker->range, from_ns);
}

static int take_record(struct maker *maker, const struct trace_event *event)
{
	switch (event->record->id) {
	case TANDEM_EVENT_memory:
		return add_memory(maker, event);
	case TANDEM_EVENT_memory_free:
		add_free(maker, event);
		return 0;
	case TANDEM_EVENT_launch_config:
	case TANDEM_EVENT_transfer_config:
		return launch_configs_learn(&maker->launch_configs, event);
	default:
		return event->layout->event->traits.record == TANDEM_RECORD_device_limits
			       ? metrics_kernels_limits(&maker->kernels, event)
			       : 0;
	}
}

static int take_item(void *user, const struct event_item *item)
{
	struct maker *maker = user;

	switch (item->kind) {
	case ITEM_CALL:
		if (range_holds(&maker->range, item->event->ns))
			add_call(maker, item->event);
		return 0;
	case ITEM_OPERATION:
		return operation_counts(maker, &item->operation)
			       ? add_operation(maker, &item->operation)
			       : 0;
	case ITEM_MEMORY:
	case ITEM_OTHER:
		return take_record(maker, item->event);
	default:
		return 0;
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

static int begin(void *user, struct pass *pass)
{
	struct maker *maker = user;

	maker->kernels.objects = &pass->iterator.devices.objects;
	return 0;
}

static int finish(void *user, struct pass *pass)
{
	struct maker *maker = user;

	(void)pass;
	sum_up(maker->metrics->value);
	return metrics_kernels_finish(&maker->kernels, &maker->metrics->arena,
				      &maker->metrics->kernels, &maker->metrics->kernel_count);
}

static void maker_free(void *user)
{
	struct maker *maker = user;

	metrics_kernels_free(&maker->kernels);
	launch_configs_free(&maker->launch_configs);
	map_free(&maker->memories);
	free(maker);
}

int metrics_join(struct pass *pass, struct metrics *metrics, const struct metrics_options *options)
{
	static const struct pass_consumer consumer = {
		.begin = begin,
		.item = take_item,
		.end = finish,
		.free = maker_free,
	};
	struct maker *maker = calloc(1, sizeof(*maker));

	memset(metrics, 0, sizeof(*metrics));
	if (!maker)
		return -ENOMEM;
	maker->metrics = metrics;
	maker->range = range_of(pass->session, options);
	pass->range = maker->range;
	pass->flags |= range_is_whole(&maker->range) ? 0 : EVENT_PLACED;
	pass_join(pass, &consumer, maker);
	return 0;
}

int metrics_make(struct metrics *metrics, struct trace_session *session,
		 const struct metrics_options *options, struct error *error)
{
	struct pass pass;
	int status;

	pass_init(&pass, session, options ? &options->progress : NULL);
	status = pass_run_alone(&pass, metrics_join(&pass, metrics, options), error);
	if (status)
		metrics_free(metrics);
	return status;
}

void metrics_free(struct metrics *metrics)
{
	arena_free(&metrics->arena);
	memset(metrics, 0, sizeof(*metrics));
}
