/* SPDX-License-Identifier: MIT */
#include "analysis/findings/transfers/migrations.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/field.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer are no habit: memory is touched a first time. */
#define HABIT_COUNT 16u

#define SHORTEST_PART 0.1

/* Longer ones are the program's own work: a fault takes 20 to 100 us (H100, H200), with what counting it costs. */
#define HOST_FAULT_MOST_NS 150000u

/* Less than such a part of what goes to the host is not what comes back. */
#define BACK_PART 4

/* What one fault moves comes in pieces that follow each other at once. */
#define APART_NS 1000

/* Bytes a ns that a prefetch reaches where the device's link is not known: as pinned memory does with
 * PCI Express 3.0 and 16 lanes. */
#define PREFETCH_RATE 12.0

static struct migration_row *row_find(struct migrations *migrations, uint32_t process,
				      uint32_t device)
{
	const struct migration_row fresh = {.process = process, .device = device};

	return keyed_row(&migrations->row_of, (uint64_t)process << 32 | device, &migrations->rows,
			 &migrations->capacity, &migrations->count, &fresh, sizeof(fresh));
}

static void count_fault(struct migration_row *row, int64_t from_ns, int64_t to_ns)
{
	row->faults++;
	if (to_ns - from_ns > row->end_ns - row->begin_ns) {
		row->begin_ns = from_ns;
		row->end_ns = to_ns;
	}
	if (from_ns < row->fault_until_ns)
		from_ns = row->fault_until_ns;
	if (to_ns <= from_ns)
		return;
	row->fault_ns += (uint64_t)(to_ns - from_ns);
	row->fault_until_ns = to_ns;
}

/* The host's have no device, and no end. */
int migrations_fault(struct migrations *migrations, struct findings *findings,
		     const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct migration_row *row;
	uint32_t process;

	if (event->layout->event->traits.record != TANDEM_RECORD_fault)
		return 0;
	process = event->stream->process->index;
	if (item->device == TRACE_NONE)
		return map_count(&migrations->host_faults, process, 1);
	if (!trace_field_number(event, "end"))
		return 0;
	row = row_find(migrations, process, item->device);
	if (!row)
		return -ENOMEM;
	count_fault(row, findings_ns(findings, trace_field_number(event, "begin")),
		    findings_ns(findings, trace_field_number(event, "end")));
	return 0;
}

int migrations_command(struct migrations *migrations, const struct operation *operation,
		       bool to_host)
{
	struct migration_row *row;
	struct migration_side *side;
	int64_t apart_ns;

	if (!operation->record || !operation->placed)
		return 0;
	row = row_find(migrations, operation->process, operation->device);
	if (!row)
		return -ENOMEM;
	side = to_host ? &row->to_host : &row->to_device;
	side->bytes += operation->record->bytes;
	side->ns += (uint64_t)(operation->times.end_ns - operation->times.start_ns);
	if (!to_host)
		return 0;
	apart_ns = operation->times.start_ns - row->to_host_until_ns;
	if (!row->to_host_until_ns || apart_ns > APART_NS) {
		row->stretches++;
		if (row->to_host_until_ns && histogram_add(&row->between, (uint64_t)apart_ns))
			return -ENOMEM;
	}
	if (operation->times.end_ns > row->to_host_until_ns)
		row->to_host_until_ns = operation->times.end_ns;
	return 0;
}

/* What a fault of the host's takes besides moving its pages: the tenth of the times between two that are
 * the shortest say so, in which the thread did the least of its own. */
static uint64_t host_fault_ns(const struct migration_row *row)
{
	uint64_t ns = histogram_percentile(&row->between, SHORTEST_PART);

	return ns < HOST_FAULT_MOST_NS ? ns : HOST_FAULT_MOST_NS;
}

static struct finding *add_finding(struct findings *findings, const struct migration_row *row,
				   const char *cause, uint64_t count, uint64_t cost_ns)
{
	const struct trace_process *process = &findings->session->processes[row->process];
	struct finding *finding = findings_add(findings, "transfers", cause);

	if (!finding)
		return NULL;
	finding->count = count;
	finding->cost_ns = cost_ns;
	finding->pid = process->pid;
	finding->object = operation_kind_name(TANDEM_OPERATION_KIND_migrate);
	finding_device(findings, finding, row->device);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	finding->confidence = CONFIDENCE_MEDIUM;
	return finding;
}

static const char *by_call(struct findings *findings, uint32_t device)
{
	const char *prefetch = findings_domain(findings, device)->prefetch;

	return *prefetch ? findings_text(findings, " (%s)", prefetch) : "";
}

/* Pages that go to the host and come back. */
static int add_both_ways(struct findings *findings, const struct migration_row *row,
			 uint64_t host_faults, uint64_t host_ns)
{
	char to_host[UNITS_BYTES], to_device[UNITS_BYTES], count[UNITS_BYTES], own[UNITS_BYTES];
	char service[UNITS_BYTES];
	struct finding *finding = add_finding(findings, row, "back-and-forth",
					      host_faults + row->faults, host_ns + row->fault_ns);

	if (!finding)
		return -ENOMEM;
	finding->what = findings_text(
		findings,
		"pages of managed memory went to the host (%s, %s page faults) and back to the "
		"device (%s, %s groups of page faults)",
		units_bytes(to_host, (double)row->to_host.bytes), units_count(count, host_faults),
		units_bytes(to_device, (double)row->to_device.bytes),
		units_count(own, row->faults));
	finding->why = findings_text(
		findings,
		"the driver says when each group of the device's faults began and ended; one of "
		"the host's takes %s besides moving its pages, as the shortest tenth of the times "
		"between two do",
		units_ns(service, (double)host_fault_ns(row)));
	finding->suggestion = findings_text(
		findings,
		"keep the data on the device and change it there, with a kernel; or copy what the "
		"host needs of it; else move it as a whole before it is used%s",
		by_call(findings, row->device));
	return 0;
}

/* Page by page, where all could be moved at once. */
static int add_by_page(struct findings *findings, const struct migration_row *row, uint64_t bytes,
		       uint64_t ns, double rate)
{
	char moved[UNITS_BYTES], count[UNITS_BYTES], took[UNITS_BYTES], best[UNITS_BYTES];
	double at_once_ns = (double)bytes / rate;
	struct finding *finding;

	if (at_once_ns >= (double)ns)
		return 0;
	finding = add_finding(findings, row, "small", row->faults, ns - (uint64_t)at_once_ns);
	if (!finding)
		return -ENOMEM;
	finding->what = findings_text(
		findings,
		"managed memory moved page by page, as it was touched: %s in %s, with %s groups "
		"of the device's page faults",
		units_bytes(moved, (double)bytes), units_ns(took, (double)ns),
		units_count(count, row->faults));
	finding->why = findings_text(findings, "against moving it as a whole, at %s/s",
				     units_bytes(best, rate * 1e9));
	finding->suggestion = findings_text(
		findings,
		"move it as a whole before it is used%s, or allocate it on the device and copy",
		by_call(findings, row->device));
	return 0;
}

static int add_row(const struct migrations *migrations, struct findings *findings,
		   const struct migration_row *row, double rate)
{
	uint64_t host_faults = map_get(&migrations->host_faults, row->process);
	uint64_t bytes = row->to_device.bytes, ns = row->fault_ns, host_ns;
	int status = 0;

	if (row->faults < HABIT_COUNT)
		return 0;
	/* A prefetch has none. */
	if (host_faults == MAP_NONE)
		host_faults = 0;
	if (host_faults > row->stretches)
		host_faults = row->stretches;
	if (host_faults >= HABIT_COUNT && BACK_PART * row->to_device.bytes > row->to_host.bytes) {
		host_ns = row->to_host.ns + host_faults * host_fault_ns(row);
		status = add_both_ways(findings, row, host_faults, host_ns);
		bytes += row->to_host.bytes;
		ns += host_ns;
	}
	return status || !row->to_device.bytes ? status
					       : add_by_page(findings, row, bytes, ns, rate);
}

int migrations_add(const struct migrations *migrations, struct findings *findings,
		   const struct places *places)
{
	int status = 0;

	for (size_t i = 0; !status && i < migrations->count; i++) {
		double rate = places_link_rate(places, migrations->rows[i].device);

		status = add_row(migrations, findings, &migrations->rows[i],
				 rate > 0 ? rate : PREFETCH_RATE);
	}
	return status;
}

void migrations_free(struct migrations *migrations)
{
	for (size_t i = 0; i < migrations->count; i++)
		histogram_free(&migrations->rows[i].between);
	map_free(&migrations->row_of);
	free(migrations->rows);
	map_free(&migrations->host_faults);
}
