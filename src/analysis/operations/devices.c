/* SPDX-License-Identifier: MIT */
#include "analysis/operations/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/thread/thread.h"

/* A chain of sub-devices longer than this is damage. */
#define PARENTS_MOST 8u

void devices_init(struct devices *devices, struct trace_session *session)
{
	unsigned recorded = 0;

	memset(devices, 0, sizeof(*devices));
	devices->session = session;
	/* Others that the program started used no device that anybody knows of. */
	for (size_t i = 0; i < session->traced_count && recorded < 2; i++)
		recorded += !session->processes[i].untraced;
	devices->shared = recorded > 1;
	devices->two_cpus = thread_two_cpus();
}

static int device_add(struct devices *devices, const struct device_row *row, uint32_t *index)
{
	if (array_reserve(&devices->rows, &devices->capacity, devices->count + 1,
			  sizeof(*devices->rows)))
		return -ENOMEM;
	*index = (uint32_t)devices->count;
	devices->rows[devices->count++] = *row;
	return 0;
}

static bool device_same(const struct device_row *a, const struct device_row *b)
{
	return a->described && b->described && a->host == b->host && a->domain == b->domain &&
	       a->name == b->name && a->platform_name == b->platform_name &&
	       a->platform == b->platform && a->ordinal == b->ordinal && a->parent == b->parent;
}

/* One for each domain may still come. */
int devices_settled(struct devices *devices)
{
	size_t domains = sizeof(devices->unknown) / sizeof(*devices->unknown);

	return array_reserve(&devices->rows, &devices->capacity, devices->count + domains,
			     sizeof(*devices->rows));
}

static int device_unknown(struct devices *devices, uint8_t domain, uint32_t *row)
{
	struct device_row unknown = {.domain = domain, .parent = TRACE_NONE};
	int status = 0;

	if (!devices->unknown[domain]) {
		status = device_add(devices, &unknown, row);
		if (!status)
			devices->unknown[domain] = *row + 1;
	}
	*row = devices->unknown[domain] - 1;
	return status;
}

static int device_find(struct devices *devices, uint32_t process, uint32_t number, uint8_t domain,
		       uint32_t *row, unsigned depth)
{
	const struct trace_device *device;
	struct device_row made = {.described = true, .parent = TRACE_NONE};
	uint32_t index = trace_objects_device(&devices->objects, process, number);
	int status = 0;

	if (index == TRACE_NONE || depth > PARENTS_MOST)
		return device_unknown(devices, domain, row);
	device = &devices->objects.devices[index];
	made.host =
		trace_run_host(&devices->session->run, devices->session->processes[process].pid);
	made.domain = device->domain;
	made.type = device->type;
	made.name = device->name;
	made.platform_name = device->platform_name;
	made.platform = device->platform;
	made.ordinal = device->ordinal;
	made.compute_units = device->compute_units;
	made.timer_ns = device->timer_ns;
	if (device->parent)
		status = device_find(devices, process, device->parent, domain, &made.parent,
				     depth + 1);
	if (status)
		return status;
	for (size_t i = 0; i < devices->count; i++) {
		if (device_same(&devices->rows[i], &made)) {
			*row = (uint32_t)i;
			return 0;
		}
	}
	return device_add(devices, &made, row);
}

int devices_of_known(struct devices *devices, uint32_t process, uint32_t number, uint8_t domain,
		     uint32_t *row)
{
	uint64_t key = (uint64_t)process << 32 | number;
	uint64_t known = map_get(&devices->known, key);
	int status;

	if (known != MAP_NONE) {
		*row = (uint32_t)known;
		return 0;
	}
	status = device_find(devices, process, number, domain, row, 0);
	if (!status && number && devices->rows[*row].described)
		status = map_set(&devices->known, key, *row);
	return status;
}

int devices_of_number(struct devices *devices, const struct trace_event *event, uint32_t number,
		      uint8_t domain, uint32_t *row)
{
	int status = 0;

	if (number)
		status = trace_objects_look(&devices->objects, event, TANDEM_OBJECT_device, number);
	return status ? status
		      : devices_of_known(devices, event->stream->process->index, number, domain,
					 row);
}

/* A block of commands is full. The worker starts with the first. */
static int feed_flush(struct devices *devices, struct contention_feed *feed)
{
	if (devices->two_cpus && !devices->worker) {
		devices->worker = worker_create();
		devices->two_cpus = devices->worker;
	}
	return contention_feed_flush(feed, devices->worker);
}

int devices_busy(struct devices *devices, uint32_t row, uint32_t process, uint64_t queued_ns,
		 uint64_t start_ns, uint64_t end_ns)
{
	struct device_row *device = &devices->rows[row];

	if (!devices->shared)
		return utilization_add(&device->utilization, start_ns, end_ns);
	if (!device->feed)
		device->feed = contention_feed_create();
	if (!device->feed)
		return -ENOMEM;
	return contention_feed_add(device->feed, process, queued_ns, start_ns, end_ns)
		       ? feed_flush(devices, device->feed)
		       : 0;
}

bool devices_have_cpu(const struct devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->rows[i].type == TANDEM_DEVICE_TYPE_cpu)
			return true;
	return false;
}

uint32_t devices_cpu_cores(const struct devices *devices)
{
	uint32_t cores = 0;

	if (!devices_have_cpu(devices))
		return 0;
	for (size_t i = 0; i < devices->objects.device_count; i++)
		if (devices->objects.devices[i].compute_units > cores)
			cores = devices->objects.devices[i].compute_units;
	return cores ? cores : 1;
}

double devices_taken_part(const struct device_row *row)
{
	if (row->type != TANDEM_DEVICE_TYPE_cpu)
		return 0;
	return row->compute_units ? 1 / (double)row->compute_units : 1;
}

int devices_settle(struct devices *devices)
{
	int status = 0;

	for (size_t i = 0; !status && i < devices->count; i++) {
		status = utilization_flush(&devices->rows[i].utilization);
		if (devices->rows[i].feed)
			contention_feed_rest(devices->rows[i].feed);
	}
	return status;
}

int devices_finish(struct devices *devices)
{
	int status = 0;

	if (devices->worker)
		worker_wait(devices->worker);
	for (size_t i = 0; !status && i < devices->count; i++)
		if (devices->rows[i].feed)
			status = contention_feed_finish(devices->rows[i].feed);
	return status;
}

const char *devices_domain(const struct trace_session *session, uint8_t domain)
{
	return trace_session_domain(session, domain)->name;
}

const char *devices_type(uint8_t type)
{
	static const char *const words[] = {
		[TANDEM_DEVICE_TYPE_other] = "other",
		[TANDEM_DEVICE_TYPE_cpu] = "cpu",
		[TANDEM_DEVICE_TYPE_gpu] = "gpu",
		[TANDEM_DEVICE_TYPE_accelerator] = "accelerator",
	};

	return type < sizeof(words) / sizeof(*words) ? words[type] : "other";
}

/* Numbers those that share a name: " #1" goes to the first by platform and
 * ordinal, which is the order in which a program finds them. */
static const char *device_shown(const struct devices *devices, size_t index, struct arena *arena)
{
	const struct device_row *row = &devices->rows[index];
	const char *name = intern_text(&devices->objects.names, row->name);
	const char *host = row->host ? row->host->name : "";
	unsigned same = 0, before = 0;
	char *shown;
	size_t bytes;

	if (!row->described)
		return "unknown device";
	for (size_t i = 0; i < devices->count; i++) {
		const struct device_row *other = &devices->rows[i];

		if (!other->described || other->host != row->host || other->name != row->name ||
		    other->domain != row->domain)
			continue;
		same++;
		before += other->platform < row->platform ||
			  (other->platform == row->platform &&
			   (other->ordinal < row->ordinal ||
			    (other->ordinal == row->ordinal && i < index)));
	}
	bytes = strlen(name) + strlen(host) + 24;
	shown = arena_alloc(arena, bytes);
	if (!shown)
		return "";
	if (same < 2)
		snprintf(shown, bytes, "%s", name);
	else
		snprintf(shown, bytes, "%s #%u", name, before + 1);
	if (*host)
		snprintf(shown + strlen(shown), bytes - strlen(shown), " on %s", host);
	return shown;
}

void devices_name(struct devices *devices, struct arena *arena)
{
	for (size_t i = 0; i < devices->count; i++)
		devices->rows[i].shown = device_shown(devices, i, arena);
}

void devices_free(struct devices *devices)
{
	worker_destroy(devices->worker);
	for (size_t i = 0; i < devices->count; i++) {
		utilization_free(&devices->rows[i].utilization);
		contention_feed_destroy(devices->rows[i].feed);
	}
	free(devices->rows);
	map_free(&devices->known);
	trace_objects_free(&devices->objects);
	memset(devices, 0, sizeof(*devices));
}
