/* SPDX-License-Identifier: MIT */
#include "analysis/report/device/operation_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/table.h"
#include "schema/gen/core_records.h"
#include "util/array.h"
#include "util/keyed_row.h"
#include "util/order/compare.h"

/* The caches begin anew at this size; the rows themselves stay. */
#define CACHE_MOST (1u << 18)

int operation_stats_init(struct operation_stats *stats, struct devices *devices,
			 struct trace_session *session, const struct range *range)
{
	memset(stats, 0, sizeof(*stats));
	stats->devices = devices;
	stats->session = session;
	stats->range = *range;
	stats->latest = calloc(session->stream_count + 1, sizeof(*stats->latest));
	return stats->latest ? 0 : -ENOMEM;
}

int operation_stats_enqueued(struct operation_stats *stats, const struct trace_event *event)
{
	/* A call that failed made no operation; one that has not returned may
	 * or may not have. */
	if (trace_event_op(event) || !event->end_ticks || trace_event_failed(event) ||
	    !range_holds(&stats->range, event->ns))
		return 0;
	return untimed_call(&stats->untimed, event);
}

static int queue_make(struct operation_stats *stats, const struct operation *operation,
		      uint32_t *index)
{
	struct operation_queue queue = {
		.process = operation->process,
		.number = operation->queue_number,
		.domain = operation->domain,
		.device = operation->device,
	};

	if (operation->queue != TRACE_NONE) {
		const struct trace_queue *known = &stats->devices->objects.queues[operation->queue];

		queue.described = true;
		queue.domain = known->domain;
		queue.timing = known->timing;
	}
	if (array_reserve(&stats->queues, &stats->queue_capacity, stats->queue_count + 1,
			  sizeof(*stats->queues)))
		return -ENOMEM;
	*index = (uint32_t)stats->queue_count;
	stats->queues[stats->queue_count++] = queue;
	return 0;
}

static int queue_find(struct operation_stats *stats, const struct operation *operation,
		      struct operation_latest_row *latest, uint32_t *index)
{
	uint64_t key = (uint64_t)operation->process << 32 | operation->queue_number;
	uint64_t known;

	if (latest->queue_key == key + 1) {
		*index = latest->queue;
		return 0;
	}
	known = map_get(&stats->queue_of, key);
	if (known == MAP_NONE) {
		if (queue_make(stats, operation, index) || map_set(&stats->queue_of, key, *index))
			return -ENOMEM;
		known = *index;
	}
	*index = (uint32_t)known;
	latest->queue_key = key + 1;
	latest->queue = *index;
	return 0;
}

static int row_make(struct operation_stats *stats, const struct operation *operation,
		    const struct operation_queue *queue, uint32_t *index)
{
	struct operation_row row = {
		.device = queue->device, .domain = queue->domain, .kind = operation->kind};
	const struct operation_row *known;
	uint64_t key;
	int status = intern_add(&stats->names, operation->name, strlen(operation->name), &row.name);

	if (status)
		return status;
	/* A million devices have room beside a byte, four bits and a name. */
	key = (uint64_t)row.device << 44 ^ (uint64_t)row.domain << 36 ^ (uint64_t)row.kind << 32 ^
	      row.name;
	known = keyed_row(&stats->row_of, key, &stats->rows, &stats->row_capacity,
			  &stats->row_count, &row, sizeof(row));
	if (!known)
		return -ENOMEM;
	*index = (uint32_t)(known - stats->rows);
	return 0;
}

static int row_find(struct operation_stats *stats, const struct operation *operation,
		    uint32_t queue, struct operation_latest_row *latest, uint32_t *index)
{
	const struct tandem_rec_operation *record = operation->record;
	bool kernel = operation->kind == TANDEM_OPERATION_KIND_kernel && record->kernel;
	struct map *cache = kernel ? &stats->kernels : &stats->others;
	uint64_t key = (uint64_t)queue << 32 |
		       (kernel ? record->kernel : (uint32_t)record->kind << 16 | operation->api);
	uint64_t known;
	int status;

	/* Only of kernels: those of other commands' keys look alike. */
	if (kernel && latest->row_key == key) {
		*index = latest->row;
		return 0;
	}
	known = map_get(cache, key);
	if (known == MAP_NONE) {
		status = row_make(stats, operation, &stats->queues[queue], index);
		if (!status && cache->count >= CACHE_MOST)
			map_clear(cache);
		if (status || map_set(cache, key, *index))
			return -ENOMEM;
		known = *index;
	}
	*index = (uint32_t)known;
	if (kernel) {
		latest->row_key = key;
		latest->row = *index;
	}
	return 0;
}

static bool in_order(const struct trace_operation_times *times)
{
	return times->queued <= times->submitted && times->submitted <= times->start;
}

/* Some drivers stamp "submitted" late: then the waits are unknown, but the execution
 * is not. */
static inline int count_times(struct operation_stats *stats, struct operation_row *row,
			      struct operation_queue *queue,
			      const struct trace_operation_times *times, bool waits, uint64_t bytes)
{
	stats->odd += times->waits != waits || times->start > times->end;
	if (times->start > times->end) {
		row->untimed++;
		queue->untimed++;
		return 0;
	}
	if (waits) {
		queue->host_queue_ns += times->submitted - times->queued;
		queue->device_queue_ns += times->start - times->submitted;
	}
	queue->executing_ns += times->end - times->start;
	queue->count++;
	row->timed_bytes += bytes;
	batches_add(&row->batches, times->end - times->start);
	return histogram_add(&row->times, times->end - times->start);
}

/* What the device had of it. */
static inline int occupy(struct operation_stats *stats, uint32_t row, uint32_t process,
			 const struct trace_operation_times *times, bool waits)
{
	struct device_row *device = &stats->devices->rows[row];

	if (times->start > times->end)
		return 0;
	if (waits) {
		device->host_queue_ns += times->submitted - times->queued;
		device->device_queue_ns += times->start - times->submitted;
	}
	device->executing_ns += times->end - times->start;
	return devices_busy(stats->devices, row, process, waits ? times->queued : times->start,
			    times->start, times->end);
}

static uint64_t clamp(const struct range *range, uint64_t ns, int64_t shift)
{
	return (uint64_t)range_clamp(range, (int64_t)ns + shift);
}

/* The same on the host's clock, as far as it lies in the range. */
static int occupy_range(struct operation_stats *stats, uint32_t row,
			const struct operation *operation,
			const struct trace_operation_times *times, bool waits)
{
	int64_t shift = operation->times.start_ns - (int64_t)times->start;
	const struct range *range = &stats->range;
	struct trace_operation_times clamped = {
		.start = clamp(range, times->start, shift),
		.end = clamp(range, times->end, shift),
		.waits = waits,
	};

	if (waits) {
		clamped.queued = clamp(range, times->queued, shift);
		clamped.submitted = clamp(range, times->submitted, shift);
	}
	if (clamped.end == (waits ? clamped.queued : clamped.start))
		return 0;
	return occupy(stats, row, operation->process, &clamped, waits && in_order(&clamped));
}

/* Without the runtime's own word, an operation waits from the begin of its call on,
 * and all of that counts as the device's queue: such a runtime submits within the call. */
static const struct trace_operation_times *times_complete(struct operation_stats *stats,
							  const struct operation *operation,
							  struct trace_operation_times *completed)
{
	const struct trace_operation_times *times = &operation->device_times;
	int64_t start_ns = stats->session->start_ns, begin_ns = operation->call_begin_ns;
	uint64_t from_ns = (uint64_t)(begin_ns > start_ns ? begin_ns : start_ns);

	if (times->waits || !times->on_host || !operation->call || from_ns > times->start)
		return times;
	*completed = *times;
	completed->queued = from_ns;
	completed->submitted = from_ns;
	completed->waits = true;
	return completed;
}

/* Whether it began in the range; what of it lies there. */
static bool in_range(const struct operation_stats *stats, const struct operation *operation,
		     uint64_t *within_ns)
{
	int64_t from_ns, to_ns;

	operation_span(operation, INT64_MAX, &from_ns, &to_ns);
	*within_ns = range_within(&stats->range, from_ns, to_ns);
	return range_holds(&stats->range, from_ns);
}

static void count(struct operation_stats *stats, struct operation_row *row,
		  const struct tandem_rec_operation *record)
{
	stats->count++;
	stats->devices->rows[row->device].operations++;
	row->count++;
	row->bytes += record->bytes;
	row->failed += record->status < 0;
}

static inline int add_timed(struct operation_stats *stats, struct operation_row *row,
			    struct operation_queue *queue,
			    const struct trace_operation_times *times,
			    const struct operation *operation, bool counts)
{
	bool waits = times->waits && in_order(times);
	int status = 0;

	if (counts)
		status = count_times(stats, row, queue, times, waits, operation->record->bytes);
	if (status)
		return status;
	if (range_is_whole(&stats->range))
		return occupy(stats, row->device, queue->process, times, waits);
	return operation->placed ? occupy_range(stats, row->device, operation, times, waits) : 0;
}

int operation_stats_add(struct operation_stats *stats, const struct operation *operation,
			uint32_t stream, bool idle)
{
	const struct tandem_rec_operation *record = operation->record;
	struct operation_latest_row *latest = &stats->latest[stream];
	struct trace_operation_times completed;
	struct operation_row *row;
	uint64_t within_ns = 0;
	uint32_t queue, index;
	bool counts = range_is_whole(&stats->range) || in_range(stats, operation, &within_ns);
	int status = queue_find(stats, operation, latest, &queue);

	if (!status)
		status = row_find(stats, operation, queue, latest, &index);
	if (status)
		return status;
	row = &stats->rows[index];
	row->within_ns += within_ns;
	if (counts)
		count(stats, row, record);
	if (record->time_domain) {
		status = add_timed(stats, row, &stats->queues[queue],
				   times_complete(stats, operation, &completed), operation, counts);
	} else if (counts) {
		row->untimed++;
		stats->queues[queue].untimed++;
	}
	/* What no call of the program's made ends nothing that was in flight. */
	return status || !idle || !operation->call ? status : devices_settle(stats->devices);
}

void operation_stats_unfinished(struct operation_stats *stats, const struct operation *operation)
{
	stats->unfinished += range_holds(&stats->range, operation->call_begin_ns);
}

static int device_compare(const void *a, const void *b)
{
	const struct report_device *left = a, *right = b;

	return COMPARE(right->times.total_ns, left->times.total_ns)
	       ?: COMPARE(right->within_ns, left->within_ns)
	       ?: COMPARE(right->count, left->count)
	       ?: strcmp(left->name, right->name);
}

static int finish_rows(struct operation_stats *stats, struct report *report)
{
	report->device = arena_alloc(&report->arena, stats->row_count * sizeof(*report->device));
	if (!report->device)
		return -ENOMEM;
	for (size_t i = 0; i < stats->row_count; i++) {
		const struct operation_row *row = &stats->rows[i];
		uint64_t total = row->times.sum;

		if (report->ranged && !row->count && !row->within_ns)
			continue;
		report->device_ns += total;
		report->device[report->device_count++] = (struct report_device){
			.domain = devices_domain(stats->session, row->domain),
			.device = stats->devices->rows[row->device].shown,
			.kind = operation_kind_name(row->kind),
			.name = table_string(report, intern_text(&stats->names, row->name)),
			.count = row->count,
			.failed = row->failed,
			.untimed = row->untimed,
			.times = table_times(&row->times),
			.within_ns = report->ranged ? row->within_ns : total,
			.bytes = row->bytes,
			.timed_bytes = row->timed_bytes,
			.batches = row->batches,
			/* Bytes in a ns are GB in a second. */
			.gb_per_s = total ? (double)row->timed_bytes / (double)total : 0,
		};
	}
	for (size_t i = 0; i < report->device_count; i++)
		report->device[i].percent =
			table_percent(report->device[i].times.total_ns, report->device_ns);
	table_sort(report->device, report->device_count, sizeof(*report->device), device_compare);
	return 0;
}

static const char *timing_word(uint8_t timing)
{
	static const char *const words[] = {
		[TANDEM_TIMING_unavailable] = "unavailable",
		[TANDEM_TIMING_forced] = "forced",
		[TANDEM_TIMING_asked] = "asked",
		[TANDEM_TIMING_off] = "off",
	};

	return timing < sizeof(words) / sizeof(*words) ? words[timing] : "unknown";
}

static int zone_compare(const void *a, const void *b)
{
	const struct report_zone *left = a, *right = b;
	uint64_t left_ns = left->host_queue_ns + left->device_queue_ns + left->executing_ns;
	uint64_t right_ns = right->host_queue_ns + right->device_queue_ns + right->executing_ns;

	return COMPARE(right_ns, left_ns)
	       ?: COMPARE(left->process, right->process)
	       ?: COMPARE(left->queue, right->queue);
}

static const char *profiling_word(uint8_t timing)
{
	return timing == TANDEM_TIMING_forced  ? "by tandem"
	       : timing == TANDEM_TIMING_asked ? "by app"
					       : timing_word(timing);
}

static double mean_of(uint64_t sum, uint64_t count)
{
	return count ? (double)sum / (double)count : 0;
}

static int finish_zones(struct operation_stats *stats, struct report *report)
{
	report->zones = arena_alloc(&report->arena, stats->queue_count * sizeof(*report->zones));
	if (!report->zones)
		return -ENOMEM;
	for (size_t i = 0; i < stats->queue_count; i++) {
		const struct operation_queue *queue = &stats->queues[i];

		if (report->ranged && !queue->count && !queue->untimed)
			continue;
		report->zones[report->zone_count++] = (struct report_zone){
			.domain = devices_domain(stats->session, queue->domain),
			.device = stats->devices->rows[queue->device].shown,
			.process = stats->session->processes[queue->process].pid,
			.queue = queue->number,
			.host_queue_ns = queue->host_queue_ns,
			.device_queue_ns = queue->device_queue_ns,
			.executing_ns = queue->executing_ns,
			.host_queue_mean_ns = mean_of(queue->host_queue_ns, queue->count),
			.device_queue_mean_ns = mean_of(queue->device_queue_ns, queue->count),
			.executing_mean_ns = mean_of(queue->executing_ns, queue->count),
			.count = queue->count,
			.untimed = queue->untimed,
			.timing = queue->described ? timing_word(queue->timing) : "unknown",
			.profiling = queue->described ? profiling_word(queue->timing) : "unknown",
		};
	}
	table_sort(report->zones, report->zone_count, sizeof(*report->zones), zone_compare);
	return 0;
}

/* Queues whose commands have no device times, as they were described. */
static int finish_untimed(struct operation_stats *stats, struct report *report)
{
	struct devices *devices = stats->devices;
	const struct trace_objects *objects = &devices->objects;

	report->untimed_queues =
		arena_alloc(&report->arena, REPORT_QUEUES * sizeof(*report->untimed_queues));
	if (!report->untimed_queues)
		return -ENOMEM;
	for (size_t i = 0; i < objects->queue_count; i++) {
		const struct trace_queue *queue = &objects->queues[i];
		uint32_t row;

		if (queue->timing == TANDEM_TIMING_asked || queue->timing == TANDEM_TIMING_forced)
			continue;
		report->untimed_queues_total++;
		if (report->untimed_queue_count == REPORT_QUEUES)
			continue;
		if (devices_of_known(devices, queue->process, queue->device, queue->domain, &row))
			return -ENOMEM;
		report->untimed_queues[report->untimed_queue_count++] = (struct report_queue){
			.domain = devices_domain(stats->session, queue->domain),
			.device = devices->rows[row].shown ? devices->rows[row].shown : "",
			.timing = timing_word(queue->timing),
			.process = stats->session->processes[queue->process].pid,
			.queue = queue->number,
			.commands =
				untimed_of_queue(&stats->untimed, queue->process, queue->number),
		};
	}
	report->untimed_commands = stats->untimed.operations;
	return 0;
}

int operation_stats_finish(struct operation_stats *stats, struct report *report)
{
	int status = finish_rows(stats, report);

	if (!status)
		status = finish_zones(stats, report);
	if (!status)
		status = finish_untimed(stats, report);
	report->operations = stats->count;
	report->odd_operations = stats->odd;
	report->unfinished = stats->unfinished;
	return status;
}

void operation_stats_free(struct operation_stats *stats)
{
	for (size_t i = 0; i < stats->row_count; i++)
		histogram_free(&stats->rows[i].times);
	free(stats->rows);
	free(stats->queues);
	free(stats->latest);
	intern_free(&stats->names);
	map_free(&stats->row_of);
	map_free(&stats->queue_of);
	map_free(&stats->kernels);
	map_free(&stats->others);
	untimed_free(&stats->untimed);
	memset(stats, 0, sizeof(*stats));
}
