/* SPDX-License-Identifier: MIT */
/* When commands would run that are kept apart (analysis/findings/ordering/relaxed_schedule.c). */
#include "analysis/findings/ordering/relaxed_schedule.h"

#include "check.h"

#define ROUNDS 1000
#define KERNEL_NS 100000
#define ROUND_NS (2 * KERNEL_NS)

/* The kernel of one of two threads, each half of the device, in one queue: of a round, the other one's is before
 * it or behind it. It was enqueued when the thread's kernel before had ended, and been waited for. */
static int64_t end_of(int round, int thread)
{
	return (int64_t)(round + 1) * ROUND_NS + (thread + 1) * KERNEL_NS;
}

static void kernel(struct relaxed_schedule *schedule, int round, int thread)
{
	struct used_memory_list memory = {
		.memory = {(uint32_t)thread + 1}, .whole = {(uint32_t)thread + 1}, .count = 1};
	int64_t end_ns = end_of(round, thread);

	CHECK(!relaxed_command(schedule, &(struct relaxed_command){
						 .queued_ns = end_ns - ROUND_NS + 1000,
						 .start_ns = end_ns - KERNEL_NS,
						 .end_ns = end_ns,
						 .memory = &memory,
						 .queue = 1,
						 .engine = -1,
						 .slots = 4,
					 }));
}

/* All waits are known before the first command is, as where the device's records come late. */
int main(void)
{
	struct relaxed_schedule schedule = {.slot_count = 8};
	uint64_t saved_ns;

	for (int i = 0; i < ROUNDS; i++) {
		for (int thread = 0; thread < 2; thread++)
			CHECK(!relaxed_waited(&schedule, end_of(i, thread) + 500));
	}
	for (int i = 0; i < ROUNDS; i++) {
		for (int thread = 0; thread < 2; thread++)
			kernel(&schedule, i, thread);
	}
	saved_ns = relaxed_saved_ns(&schedule);
	CHECK(saved_ns > (uint64_t)ROUNDS * ROUND_NS * 4 / 10);
	CHECK(saved_ns < (uint64_t)ROUNDS * ROUND_NS * 6 / 10);
	relaxed_free(&schedule);
	return check_status();
}
