/* SPDX-License-Identifier: MIT */
/* Transfers: many small ones, and rates far under the best of the device. What their host memory
 * has to do with it (places.h), rows of a few bytes (rows.h), the same buffer back and forth
 * (bounces.h), and pages of managed memory (migrations.h). */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/exposed.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/transfers/bounces.h"
#include "analysis/findings/transfers/further.h"
#include "analysis/findings/transfers/migrations.h"
#include "analysis/findings/transfers/places.h"
#include "analysis/findings/transfers/rows.h"
#include "util/array.h"
#include "util/units.h"

#define SIZE_CLASSES 64u

/* Fewer are no habit. */
#define HABIT_COUNT 16u

/* What comes before the first kernel is there once in a run, however long that is, as first builds: from a
 * tenth of it on. */
#define ONCE_SHARE 10u

/* Copies on the device, or fills, that follow one another: so many, and fewer, belong to each other's
 * buffers. */
#define FEW_ON_DEVICE 3u

/* Of so many bytes none is small, whatever its fixed cost. */
#define SMALL_MOST (UINT64_C(1) << 18)

/* Of the best rate. */
#define AS_FAST 0.8

/* Tiny ones are moved at this rate (bytes a ns) at least, where no larger ones say more. */
#define TINY_RATE 1.0

struct transfer_row { /* one device and direction */
	uint32_t device;
	uint8_t kind;
	struct transfer_class classes[SIZE_CLASSES];
	/* Of these, such as follow another one of their thread with no kernel in between. */
	struct transfer_class further[SIZE_CLASSES];
	uint64_t runs[SIZE_CLASSES]; /* of such, by the size of the second: one more is in each */
	uint64_t once[SIZE_CLASSES]; /* of such: before the first kernel of their process */
	struct transfer_class places[PLACES]; /* large ones, by their host memory */
	struct transfer_class rows;	      /* of a few bytes: these are in none of the others */
};

enum direction { TO_DEVICE, TO_HOST, ON_DEVICE, FILLS, MAPS, DIRECTIONS };

struct transfer_run {	/* transfers of one direction */
	uint64_t call;	/* the latest; 0: none */
	int64_t end_ns; /* of that one */
	uint64_t bytes; /* same */
	bool goes_on;	/* it followed another one */
};

struct transfer_thread { /* of a stream */
	uint64_t kernel; /* the latest call that enqueued one */
	struct transfer_run runs[DIRECTIONS];
};

struct transfers {
	struct transfer_row *rows;
	size_t count, capacity;
	struct transfer_thread *threads; /* by stream */
	struct bounces bounces;
	struct further further;
	int64_t *kernels_until_ns; /* by process */
	struct places places;
	struct rows narrow;
	struct migrations migrations;
};

static int transfers_begin(struct findings *findings, void *state)
{
	struct transfers *transfers = state;

	transfers->threads =
		calloc(findings->session->stream_count + 1, sizeof(*transfers->threads));
	transfers->kernels_until_ns =
		calloc(findings->session->process_count + 1, sizeof(*transfers->kernels_until_ns));
	if (!transfers->threads || !transfers->kernels_until_ns ||
	    further_begin(&transfers->further, findings->session))
		return -ENOMEM;
	return bounces_begin(&transfers->bounces, findings->session);
}

static struct transfer_row *row_find(struct transfers *transfers, uint32_t device, uint8_t kind)
{
	struct transfer_row *row;

	for (size_t i = 0; i < transfers->count; i++) {
		row = &transfers->rows[i];
		if (row->device == device && row->kind == kind)
			return row;
	}
	if (array_reserve(&transfers->rows, &transfers->capacity, transfers->count + 1,
			  sizeof(*transfers->rows)))
		return NULL;
	row = &transfers->rows[transfers->count++];
	*row = (struct transfer_row){.device = device, .kind = kind};
	return row;
}

/* DIRECTIONS: it moves nothing. */
static enum direction direction_of(uint8_t kind)
{
	switch (kind) {
	case TANDEM_OPERATION_KIND_copy_h2d:
		return TO_DEVICE;
	case TANDEM_OPERATION_KIND_copy_d2h:
		return TO_HOST;
	case TANDEM_OPERATION_KIND_copy_d2d:
		return ON_DEVICE;
	case TANDEM_OPERATION_KIND_fill:
		return FILLS;
	case TANDEM_OPERATION_KIND_map:
		return MAPS;
	default:
		return DIRECTIONS;
	}
}

/* Whether it may be a result of its own, of a thread that only fetches what others compute: a kernel has
 * ended behind its thread's one before. */
static bool is_of_kernel(const struct transfers *transfers, const struct operation *operation,
			 int64_t before_ns)
{
	int64_t until_ns = transfers->kernels_until_ns[operation->process];
	enum direction direction = direction_of(operation->kind);

	return (direction == TO_HOST || direction == MAPS) &&
	       !transfers->threads[operation->stream].kernel && until_ns > before_ns &&
	       until_ns <= operation->times.start_ns;
}

/* Whether its thread could have moved it together with the one before; then when that one ended,
 * and whether that was the first. */
static bool is_further(struct transfers *transfers, const struct operation *operation,
		       int64_t *before_ns, bool *second)
{
	struct transfer_thread *thread;
	struct transfer_run *run;
	uint64_t before;

	if (operation->stream == TRACE_NONE || !operation->call)
		return false;
	thread = &transfers->threads[operation->stream];
	run = &thread->runs[direction_of(operation->kind)];
	*second = !run->goes_on;
	*before_ns = run->end_ns;
	before = run->bytes < SMALL_MOST ? run->call : 0;
	run->call = operation->call;
	run->end_ns = operation->times.end_ns;
	run->bytes = operation->record->bytes;
	run->goes_on =
		before && before < operation->call &&
		(thread->kernel < before || thread->kernel > operation->call) &&
		!is_of_kernel(transfers, operation, *before_ns) &&
		further_is_next(&transfers->further, operation->stream, before, operation->call);
	return run->goes_on;
}

/* What it took of the run behind the one before, by the device's clock: with that one it would have
 * been moved in no more than its bytes take. */
static uint64_t further_ns(const struct transfers *transfers, const struct operation *operation,
			   int64_t before_ns, uint64_t exposed_ns)
{
	int64_t kernels_until_ns = transfers->kernels_until_ns[operation->process];
	int64_t ns = operation->times.end_ns -
		     (kernels_until_ns > before_ns ? kernels_until_ns : before_ns);

	return ns > 0 && (uint64_t)ns > exposed_ns ? (uint64_t)ns : exposed_ns;
}

static int count_size(struct transfers *transfers, const struct operation *operation,
		      enum place place, uint64_t exposed_ns)
{
	struct transfer_row *row = row_find(transfers, operation->device, operation->kind);
	unsigned size = 63 - (unsigned)__builtin_clzll(operation->record->bytes | 1);
	bool second = false;
	int64_t before_ns;

	if (!row)
		return -ENOMEM;
	transfer_class_add(&row->classes[size], operation, exposed_ns);
	if (is_further(transfers, operation, &before_ns, &second)) {
		transfer_class_add(&row->further[size], operation,
				   further_ns(transfers, operation, before_ns, exposed_ns));
		row->runs[size] += second;
		row->once[size] += !transfers->kernels_until_ns[operation->process];
	}
	if (place < PLACES)
		transfer_class_add(&row->places[place], operation, exposed_ns);
	return 0;
}

/* Between the device and the host. */
static bool is_transfer(uint8_t kind)
{
	return kind == TANDEM_OPERATION_KIND_copy_h2d || kind == TANDEM_OPERATION_KIND_copy_d2h;
}

static int count_command(struct transfers *transfers, const struct operation *operation)
{
	enum place place = places_take(&transfers->places, operation);
	bool narrow = rows_take(&transfers->narrow, operation);
	struct transfer_row *row;
	int64_t *kernels_until_ns = &transfers->kernels_until_ns[operation->process];
	uint64_t ns;
	int status;

	if (places_command(&transfers->places, operation))
		return -ENOMEM;
	if (operation->record && operation->placed)
		exposed_kernel(kernels_until_ns, operation);
	if (operation->kind == TANDEM_OPERATION_KIND_kernel && operation->stream != TRACE_NONE &&
	    operation->call > transfers->threads[operation->stream].kernel)
		transfers->threads[operation->stream].kernel = operation->call;
	if (!operation->record || !operation->placed ||
	    direction_of(operation->kind) == DIRECTIONS || !operation->record->bytes)
		return 0;
	ns = exposed_ns(*kernels_until_ns, operation);
	if (!is_transfer(operation->kind))
		return count_size(transfers, operation, PLACES, ns);
	further_command(&transfers->further, operation);
	row = narrow ? row_find(transfers, operation->device, operation->kind) : NULL;
	if (row)
		transfer_class_add(&row->rows, operation, ns);
	status = row ? 0 : count_size(transfers, operation, place, ns);
	return status ? status : bounces_command(&transfers->bounces, operation, ns);
}

static void take_arrived(struct transfers *transfers, const struct findings *findings,
			 const struct event_item *item)
{
	const struct tandem_rec_content_arrived *content = (const void *)item->event->record;
	const struct async_read *read = async_reads_find(
		&findings->async_reads, item->event->stream->process->index, content->op);

	if (read)
		bounces_arrived(&transfers->bounces, read,
				&(struct bounce_content){.offset = content->offset,
							 .words = content->words});
}

static void take_content(struct transfers *transfers, const struct findings *findings,
			 const struct event_item *item)
{
	const struct tandem_rec_content *written = (const void *)item->event->record;
	const struct tandem_rec_content_read *read = (const void *)item->event->record;

	if (item->event->record->id == TANDEM_EVENT_content)
		bounces_content(&transfers->bounces, item,
				&(struct bounce_content){written->offset, written->hashed,
							 written->hash, written->words});
	else if (item->event->record->id == TANDEM_EVENT_content_read)
		bounces_content(&transfers->bounces, item,
				&(struct bounce_content){read->offset, read->hashed, read->hash,
							 read->words});
	else if (item->event->record->id == TANDEM_EVENT_content_arrived)
		take_arrived(transfers, findings, item);
}

static int transfers_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct transfers *transfers = state;
	int status = places_item(&transfers->places, item);

	if (!status && item->kind == ITEM_CALL)
		status = rows_call(&transfers->narrow, item);
	if (!status && item->kind == ITEM_CALL)
		status = further_call(&transfers->further, findings->graph, item);
	if (!status && item->kind == ITEM_CALL)
		return bounces_call(&transfers->bounces, item);
	if (!status && item->kind == ITEM_OTHER)
		take_content(transfers, findings, item);
	if (!status && item->kind == ITEM_OTHER)
		status = migrations_fault(&transfers->migrations, findings, item);
	if (!status && item->kind == ITEM_OPERATION &&
	    item->operation.kind == TANDEM_OPERATION_KIND_migrate)
		return migrations_command(&transfers->migrations, &item->operation,
					  places_is_to_host(&transfers->places, &item->operation));
	if (!status && (item->kind == ITEM_OPERATION || item->kind == ITEM_UNFINISHED))
		return count_command(transfers, &item->operation);
	return status;
}

static double best_of(const struct transfer_row *row)
{
	double best = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		if (transfer_class_rate(&row->classes[i]) > best)
			best = transfer_class_rate(&row->classes[i]);
	}
	return best;
}

/* Of transfers of less than LARGE_CLASS, what each costs besides is in their average: where there are no
 * others, the fastest one says more, or what the link did in the other direction. A core copies at 10
 * bytes a ns at the least. */
#define LARGE_CLASS 16u
#define CORE_RATE 10.0

struct rate {
	double value; /* bytes a ns */
	const char *words;
};

static const char *const rate_assumed = "least that is assumed of so few bytes";

static bool has_large(const struct transfer_row *row)
{
	for (unsigned i = LARGE_CLASS; i < SIZE_CLASSES; i++)
		if (row->classes[i].count)
			return true;
	return false;
}

static double fastest_of(const struct transfer_row *row)
{
	double fastest = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		if (row->classes[i].fastest > fastest)
			fastest = row->classes[i].fastest;
	return fastest;
}

static struct rate rate_of(const struct transfers *transfers, const struct transfer_row *row,
			   bool is_cpu)
{
	struct rate rate = {best_of(row), "best rate seen here"};

	if (has_large(row))
		return rate;
	rate.value = fastest_of(row);
	if (is_cpu && rate.value < CORE_RATE)
		rate.value = CORE_RATE;
	if (is_cpu || !is_transfer(row->kind))
		return rate;
	if (rate.value < TINY_RATE)
		rate = (struct rate){TINY_RATE, rate_assumed};
	for (size_t i = 0; i < transfers->count; i++) {
		const struct transfer_row *other = &transfers->rows[i];

		if (other->device == row->device && other->kind != row->kind &&
		    is_transfer(other->kind) && has_large(other) && best_of(other) > rate.value)
			rate = (struct rate){best_of(other), "best rate in the other direction"};
	}
	return rate;
}

/* What a transfer costs whatever its size: of the fastest of the smallest, all
 * that moving its bytes does not explain. */
static double fixed_ns(const struct transfer_row *row, double best)
{
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct transfer_class *class = &row->classes[i];

		if (class->count)
			return (double)class->least_ns -
			       (double)class->bytes / (double)class->count / best;
	}
	return 0;
}

/* Smaller than what could be moved while its fixed cost runs. */
static bool is_small(const struct transfer_class *class, double best, double fixed)
{
	return class->count && class->bytes < class->count * SMALL_MOST &&
	       ((double)class->bytes / best < fixed * (double)class->count ||
		class->bytes <= class->count * OPERATION_TINY_BYTES);
}

static const char *kind_words(uint8_t kind)
{
	switch (direction_of(kind)) {
	case FILLS:
		return "fills";
	case MAPS:
		return "maps";
	case ON_DEVICE:
		return "copies";
	default:
		return "transfers";
	}
}

static int add_small(struct findings *findings, const struct transfers *transfers,
		     const struct transfer_row *row, const struct rate *rate)
{
	double best = rate->value, fixed = fixed_ns(row, best);
	struct transfer_class small = {.stream = TRACE_NONE};
	char count[UNITS_BYTES], bytes[UNITS_BYTES], all[UNITS_BYTES], each[UNITS_BYTES];
	double known = best > TINY_RATE ? best : TINY_RATE;
	struct finding *finding;
	double moved_ns = 0;
	uint64_t runs = 0, tiny = 0, once = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct transfer_class *class = &row->further[i];

		if (!is_small(&row->classes[i], best, fixed) || !class->count)
			continue;
		small.count += class->count;
		tiny += class->bytes <= class->count * OPERATION_TINY_BYTES ? class->count : 0;
		runs += row->runs[i];
		once += row->once[i];
		small.bytes += class->bytes;
		small.ns += class->exposed_ns;
		moved_ns += (double)class->bytes /
			    (class->bytes <= class->count * OPERATION_TINY_BYTES ? known : best);
		if (class->longest_ns >= small.longest_ns) {
			small.longest_ns = class->longest_ns;
			small.stream = class->stream;
			small.process = class->process;
			small.api = class->api;
			small.begin_ns = class->begin_ns;
			small.end_ns = class->end_ns;
		}
	}
	if (small.count < HABIT_COUNT || moved_ns >= (double)small.ns)
		return 0;
	/* On the device: of two or three each may have another buffer. */
	if (!is_transfer(row->kind) && direction_of(row->kind) != MAPS &&
	    small.count < FEW_ON_DEVICE * runs)
		return 0;
	if (2 * once > small.count && transfers->kernels_until_ns[small.process] &&
	    ((double)small.ns - moved_ns) * ONCE_SHARE < (double)findings->duration_ns)
		return 0;
	finding = transfer_class_finding(&small, findings, row->device, row->kind, "small");
	if (!finding)
		return -ENOMEM;
	finding->count = small.count + runs;
	finding->cost_ns = small.ns - (uint64_t)moved_ns;
	/* Others are not known to be small before the end. */
	if (2 * tiny > small.count && 2 * transfers->further.removed > small.count)
		finding->removes = GRAPH_SMALL;
	finding->what = findings_text(
		findings,
		"%s small %s %s (%s), of %s on average, one right after another, took %s "
		"with what is between them",
		units_count(count, finding->count), kind_words(row->kind),
		transfer_direction(row->kind), transfer_class_api(&small, findings),
		units_bytes(bytes, (double)small.bytes / (double)small.count),
		units_ns(all, (double)small.ns));
	finding->why = findings_text(
		findings, "against one transfer with those before them, at %s/s, the %s",
		units_bytes(each, (double)small.bytes / moved_ns * 1e9),
		best < known && small.bytes <= small.count * OPERATION_TINY_BYTES ? rate_assumed
										  : rate->words);
	finding->suggestion =
		direction_of(row->kind) == MAPS ? "map all of them with one call"
		: is_transfer(row->kind)
			? "gather them into one buffer and transfer that at once, or leave the data on "
			  "the device"
			: "let one command do it: a two-dimensional copy, a larger one, or a kernel";
	return 0;
}

/* Large ones, of a size that was slower than others. Where the device is the CPU, caches make the
 * rates. */
static int add_slow(struct findings *findings, const struct transfer_row *row, double best,
		    double fixed)
{
	const struct tandem_domain_row *domain = findings_domain(findings, row->device);
	char count[UNITS_BYTES], bytes[UNITS_BYTES], rate[UNITS_BYTES], most[UNITS_BYTES];

	for (unsigned i = LARGE_CLASS; i < SIZE_CLASSES; i++) {
		const struct transfer_class *class = &row->classes[i];
		struct finding *finding;

		/* Where one of them was as fast, what slows the others down is not their size. */
		if (class->count < 2 || transfer_class_rate(class) > best / 2 ||
		    class->fastest > AS_FAST * best || is_small(class, best, fixed))
			continue;
		finding = transfer_class_finding(class, findings, row->device, row->kind, "slow");
		if (!finding)
			return -ENOMEM;
		finding->cost_ns = class->ns - (uint64_t)((double)class->bytes / best);
		finding->what = findings_text(
			findings,
			"%s transfers %s (%s) of about %s ran at %s/s; the device reached "
			"%s/s",
			units_count(count, class->count), transfer_direction(row->kind),
			transfer_class_api(class, findings),
			units_bytes(bytes, (double)class->bytes / (double)class->count),
			units_bytes(rate, transfer_class_rate(class) * 1e9),
			units_bytes(most, best * 1e9));
		finding->why = "against the best rate of this device and direction in this run";
		finding->suggestion = findings_text(
			findings,
			"use pinned host memory%s%s%s, aligned to pages, and touch it "
			"before the transfer",
			*domain->pinned ? " (" : "", domain->pinned, *domain->pinned ? ")" : "");
	}
	return 0;
}

static bool is_cpu(const struct findings *findings, uint32_t device)
{
	return devices_taken_part(&findings->iterator->devices.rows[device]) > 0;
}

static int transfers_end(struct findings *findings, void *state)
{
	struct transfers *transfers = state;
	int status = 0;

	for (size_t i = 0; !status && i < transfers->count; i++) {
		const struct transfer_row *row = &transfers->rows[i];
		double link = places_link_rate(&transfers->places, row->device);
		double best = best_of(row);
		struct rate rate = rate_of(transfers, row, is_cpu(findings, row->device));

		status = rows_add(findings, row->device, row->kind, &row->rows,
				  link > best ? link : best);
		if (status || !(best > 0))
			continue;
		status = add_small(findings, transfers, row, &rate);
		if (!is_transfer(row->kind))
			continue;
		if (!status && !is_cpu(findings, row->device))
			status = add_slow(findings, row, best, fixed_ns(row, best));
		if (!status)
			status = places_add(&transfers->places, findings, row->device, row->kind,
					    row->places);
	}
	if (!status)
		status = bounces_add(&transfers->bounces, findings);
	return status ? status
		      : migrations_add(&transfers->migrations, findings, &transfers->places);
}

static void transfers_release(struct findings *findings, void *state)
{
	struct transfers *transfers = state;

	(void)findings;
	free(transfers->rows);
	free(transfers->threads);
	bounces_release(&transfers->bounces);
	further_release(&transfers->further);
	places_release(&transfers->places);
	rows_free(&transfers->narrow);
	migrations_free(&transfers->migrations);
	free(transfers->kernels_until_ns);
}

const struct finding_ops finding_transfers = {
	.name = "transfers",
	.words = "small, slow and unaligned transfers, the same data back and forth",
	.state_bytes = sizeof(struct transfers),
	.graph = true,
	.begin = transfers_begin,
	.item = transfers_item,
	.end = transfers_end,
	.release = transfers_release,
};
