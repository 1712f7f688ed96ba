/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/dominate.h"

#include <errno.h>

#include "util/units.h"

/* Of the time between a process's first command and its last; what is less does not dominate it.
 * How long it took to begin says nothing of that, but what is less than a part of the run is not
 * worth the words. */
#define DOMINATES 0.1
#define DOMINATES_RUN 0.04

/* On average, of one: what is less is a result, and takes what any transfer does. */
#define LEAST_BYTES (UINT64_C(256) << 10)

static struct copy_time *time_of(struct copy_buffer *buffer, bool to_host)
{
	return to_host ? &buffer->to_host : &buffer->to_device;
}

/* What is left of it without what the kernel hides: where that is in its middle, the longer side. */
static void hide(struct dominate_recent *recent, int64_t from_ns, int64_t to_ns)
{
	if (from_ns - recent->from_ns > recent->to_ns - to_ns)
		recent->to_ns = from_ns > recent->from_ns ? from_ns : recent->from_ns;
	else
		recent->from_ns = to_ns < recent->to_ns ? to_ns : recent->to_ns;
}

/* Operations come as they end: those before it ended during the kernel, or before. */
static void kernel_beside(struct dominate *dominate, struct copy_buffers *buffers,
			  const struct operation_times *times)
{
	uint64_t count = dominate->recent_count;

	for (uint64_t i = 0; i < count && i < DOMINATE_RECENT; i++) {
		struct dominate_recent *recent =
			&dominate->recent[(count - 1 - i) % DOMINATE_RECENT];
		int64_t left_ns = recent->to_ns - recent->from_ns;
		struct copy_time *time;

		if (recent->to_ns <= times->start_ns)
			return;
		if (!left_ns || recent->from_ns >= times->end_ns)
			continue;
		hide(recent, times->start_ns, times->end_ns);
		left_ns -= recent->to_ns - recent->from_ns;
		time = time_of(&buffers->rows[recent->row], recent->to_host);
		time->ns -= (uint64_t)left_ns < time->ns ? (uint64_t)left_ns : time->ns;
	}
}

void dominate_command(struct dominate *dominate, struct copy_buffers *buffers,
		      const struct operation *operation)
{
	if (!dominate->last_ns || operation->times.start_ns < dominate->first_ns)
		dominate->first_ns = operation->times.start_ns;
	if (operation->times.end_ns > dominate->last_ns)
		dominate->last_ns = operation->times.end_ns;
	if (operation->kind == TANDEM_OPERATION_KIND_kernel)
		kernel_beside(dominate, buffers, &operation->times);
}

static void time_move(struct dominate *dominate, struct copy_buffers *buffers, uint32_t row,
		      const struct operation *operation, uint64_t ns)
{
	bool to_host = operation->kind == TANDEM_OPERATION_KIND_copy_d2h;
	struct copy_time *time = time_of(&buffers->rows[row], to_host);

	copy_time_add(time, operation->api, operation->record->bytes, ns);
	time->moved_ns += operation->record->end - operation->record->start;
	dominate->recent[dominate->recent_count++ % DOMINATE_RECENT] = (struct dominate_recent){
		.call = operation->call,
		.row = row,
		.to_host = to_host,
		.from_ns = operation->times.end_ns - (int64_t)ns,
		.to_ns = operation->times.end_ns,
	};
}

bool dominate_transfer(struct dominate *dominate, struct copy_buffers *buffers, uint32_t row,
		       const struct operation *operation, const struct copy_call *call, uint64_t ns)
{
	struct copy_buffer *buffer = &buffers->rows[row];
	uint64_t inputs;
	bool counted;

	if (operation->kind == TANDEM_OPERATION_KIND_copy_h2d) {
		dominate->inputs += !call->unchanged;
		if (!call->changed)
			time_move(dominate, buffers, row, operation, ns);
		return !call->changed;
	}
	/* Where nothing new came since, what is read is on its way to a result. Ends of several queues are
	 * handed over in any order. */
	inputs = dominate->given ? call->given : dominate->inputs;
	counted = buffer->inputs == inputs || !buffer->inputs;
	if (counted)
		time_move(dominate, buffers, row, operation, ns);
	buffer->inputs = inputs;
	return counted;
}

void dominate_unread(struct copy_buffers *buffers, const struct unread_taken *taken)
{
	struct copy_time *time = &buffers->rows[taken->row].to_host;

	time->unread++;
	if (taken->counted)
		return;
	copy_time_add(time, taken->api, taken->bytes, taken->ns);
	time->moved_ns += taken->moved_ns;
}

/* What is counted of it still. */
static uint64_t take_recent(struct dominate *dominate, const struct copy_latest *last)
{
	for (unsigned i = 0; i < DOMINATE_RECENT; i++) {
		struct dominate_recent *recent = &dominate->recent[i];
		int64_t left_ns = recent->to_ns - recent->from_ns;

		if (!last->call || recent->call != last->call)
			continue;
		*recent = (struct dominate_recent){.call = 0};
		return (uint64_t)left_ns;
	}
	return last->ns;
}

void dominate_take_back(struct dominate *dominate, struct copy_buffer *buffer,
			const struct copy_latest *last, uint64_t bytes)
{
	uint64_t ns = take_recent(dominate, last);

	buffer->to_device.count--;
	buffer->to_device.bytes -= bytes;
	buffer->to_device.ns -= ns < buffer->to_device.ns ? ns : buffer->to_device.ns;
	buffer->to_device.moved_ns -= last->moved_ns;
}

void dominate_given(struct dominate *dominate)
{
	dominate->given++;
}

void dominate_take_back_input(struct dominate *dominate)
{
	if (dominate->inputs)
		dominate->inputs--;
}

struct dominate_sum {
	uint64_t saved_ns; /* if each buffer were moved once each way */
	uint64_t moved_ns, count, bytes, unread;
	const struct copy_time *worst;
};

static void sum_add(struct dominate_sum *sum, const struct copy_time *time)
{
	if (time->count < COPY_HABIT_COUNT || time->bytes < time->count * LEAST_BYTES)
		return;
	sum->saved_ns += time->ns - (time->most_ns < time->ns ? time->most_ns : time->ns);
	if (!sum->worst || time->ns > sum->worst->ns)
		sum->worst = time;
	sum->moved_ns += time->moved_ns;
	sum->count += time->count;
	sum->unread += time->unread;
	sum->bytes += time->bytes;
}

int dominate_add(const struct dominate *dominate, uint32_t process,
		 const struct copy_buffers *buffers, uint64_t told_ns, struct findings *findings)
{
	struct dominate_sum sum = {.worst = NULL};
	double span_ns = (double)(dominate->last_ns - dominate->first_ns);
	char number[UNITS_BYTES], all[UNITS_BYTES];
	struct finding *finding;

	for (size_t i = 0; i < buffers->count; i++) {
		if (buffers->rows[i].process != process)
			continue;
		sum_add(&sum, &buffers->rows[i].to_device);
		sum_add(&sum, &buffers->rows[i].to_host);
	}
	/* That is reported already. */
	sum.saved_ns -= told_ns < sum.saved_ns ? told_ns : sum.saved_ns;
	/* Where calls take most of it, waiting is what is wrong. */
	if ((double)sum.saved_ns < DOMINATES * span_ns ||
	    (double)sum.saved_ns < DOMINATES_RUN * (double)findings->duration_ns ||
	    2 * sum.moved_ns < sum.saved_ns)
		return 0;
	finding = findings_add(findings, "copies", "dominate");
	if (!finding)
		return -ENOMEM;
	finding->count = sum.count;
	finding->object = sum.worst ? copy_time_api(sum.worst, findings) : "";
	finding->cost_ns = sum.saved_ns;
	finding->pid = findings->session->processes[process].pid;
	finding->what = findings_text(
		findings,
		"transfers of the same buffers take %.0f %% of the time from the first command to the "
		"last: %s of them%s%s%s, %s in all, with no kernel at the same time",
		100 * (double)sum.saved_ns / span_ns, units_count(number, sum.count),
		*finding->object ? " (mostly " : "", finding->object, *finding->object ? ")" : "",
		units_bytes(all, (double)sum.bytes));
	finding->confidence = CONFIDENCE_LOW;
	finding->why = "against one transfer of each buffer and direction; the program may need "
		       "each of them";
	if (2 * sum.unread > sum.count)
		finding->why = findings_text(
			findings,
			"the thread had no time to look at a half of what %s of them brought (50 bytes "
			"a ns); another one may do so",
			units_count(number, sum.unread));
	finding->suggestion = "keep the data on the device, move only what changed or is looked "
			      "at, or let the transfers run next to kernels (a second queue)";
	return 0;
}
