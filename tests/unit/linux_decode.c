/* SPDX-License-Identifier: MIT */
/* The collector's inside, on perf records made by hand: what becomes of each in
 * the stream, and that damaged ones are passed over. */
#include "linux/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"

enum { ID_SWITCH = 300, ID_WAKING = 301, RAW = 72 };

static struct tandem_control control;
static struct perf_clock machine_clock;
static struct linux_folder folder;
static struct linux_stream stream;
static struct linux_decoder decoder;
static char directory[] = "/tmp/tandem-unit-XXXXXX";

/* As Linux 6.1 lays them out. */
static void formats_fill(struct linux_formats *formats)
{
	struct linux_format *sw = &formats->of[LINUX_SWITCH];
	struct linux_format *waking = &formats->of[LINUX_WAKING];

	formats->type = (struct linux_field){0, 2};
	formats->flags = (struct linux_field){2, 1};
	formats->tid = (struct linux_field){4, 4};
	sw->id = ID_SWITCH;
	sw->fields[LINUX_SWITCH_PREV_COMM] = (struct linux_field){8, 16};
	sw->fields[LINUX_SWITCH_PREV] = (struct linux_field){24, 4};
	sw->fields[LINUX_SWITCH_PREV_PRIO] = (struct linux_field){28, 4};
	sw->fields[LINUX_SWITCH_STATE] = (struct linux_field){32, 8};
	sw->fields[LINUX_SWITCH_NEXT_COMM] = (struct linux_field){40, 16};
	sw->fields[LINUX_SWITCH_NEXT] = (struct linux_field){56, 4};
	sw->fields[LINUX_SWITCH_NEXT_PRIO] = (struct linux_field){60, 4};
	waking->id = ID_WAKING;
	waking->fields[LINUX_WAKE_TID] = (struct linux_field){24, 4};
	waking->fields[LINUX_WAKE_CPU] = (struct linux_field){32, 4};
	formats->states[0].bit = 1;
	formats->states[0].state = TANDEM_TASK_STATE_sleeping;
	formats->states[1].bit = 0x20;
	formats->states[1].state = TANDEM_TASK_STATE_zombie;
	formats->state_count = 2;
	formats->preempted = 0x100;
}

static void begin(void)
{
	perf_clock_begin(&machine_clock, TANDEM_CLOCK_MONOTONIC);
	CHECK(!linux_folder_open(&folder, directory, &control, &machine_clock));
	linux_stream_open(&stream, &folder, 0);
	linux_decoder_init(&decoder, &machine_clock);
	formats_fill(&decoder.formats);
	decoder.tasks.system = true;
	decoder.tasks.first_namespace = true;
}

static void end(void)
{
	char command[96];

	linux_stream_flush(&stream);
	linux_stream_close(&stream);
	linux_decoder_free(&decoder);
	linux_folder_close(&folder);
	snprintf(command, sizeof(command), "rm -rf %s/kernel", directory);
	CHECK(!system(command));
}

struct sample {
	struct perf_event_header header;
	struct perf_who_when current;
	uint32_t raw_bytes;
	uint8_t raw[RAW + 4];
};

static struct sample sample_make(uint16_t id, uint32_t tid, uint64_t ns)
{
	struct sample sample = {
		.header = {.type = PERF_RECORD_SAMPLE, .size = 8 + 16 + 4 + 68},
		.current = {.pid = tid, .tid = tid, .ns = ns},
		.raw_bytes = 68,
	};

	memcpy(sample.raw, &id, sizeof(id));
	memcpy(sample.raw + 4, &tid, sizeof(tid));
	return sample;
}

static void switch_give(uint64_t ns, uint32_t prev, uint64_t state, uint32_t next)
{
	struct sample sample = sample_make(ID_SWITCH, prev, ns);
	int prio = 120;

	snprintf((char *)sample.raw + 8, 16, "t%u", prev);
	memcpy(sample.raw + 24, &prev, 4);
	memcpy(sample.raw + 28, &prio, 4);
	memcpy(sample.raw + 32, &state, 8);
	snprintf((char *)sample.raw + 40, 16, "t%u", next);
	memcpy(sample.raw + 56, &next, 4);
	memcpy(sample.raw + 60, &prio, 4);
	linux_decode(&decoder, &stream, &sample.header);
}

/* The n-th record that is being put together, or NULL. */
static const struct tandem_record *record_at(unsigned n)
{
	uint32_t at = sizeof(struct tandem_packet_header);

	while (at < stream.used) {
		const struct tandem_record *record = (const void *)(folder.packet + at);

		if (!n--)
			return record;
		at += (record->size + 7u) & ~7u;
	}
	return NULL;
}

static void test_switch(void)
{
	const struct tandem_kernel_sched_switch *record;
	const struct tandem_kernel_task *task;

	begin();
	switch_give(5000, 11, 1, 12);
	CHECK(stream.count == 3);
	task = (const void *)record_at(0);
	CHECK(task->head.id == TANDEM_KERNEL_EVENT_task && task->tid == 11 && task->pid == 11);
	CHECK(task->name_count == 3 && !memcmp(task + 1, "t11", 3));
	task = (const void *)record_at(1);
	CHECK(task->tid == 12 && task->pid == 0 && task->local_tid == 12);
	record = (const void *)record_at(2);
	CHECK(record->head.id == TANDEM_KERNEL_EVENT_sched_switch &&
	      record->head.timestamp == 5000);
	CHECK(record->prev_tid == 11 && record->next_tid == 12 && record->prev_prio == 120);
	CHECK(record->prev_state == TANDEM_TASK_STATE_sleeping);

	/* Who is known is not told again; whose process is new is. */
	switch_give(6000, 12, 0x100, 11);
	CHECK(stream.count == 5);
	task = (const void *)record_at(3);
	CHECK(task->tid == 12 && task->pid == 12);
	record = (const void *)record_at(4);
	CHECK(record->prev_state == TANDEM_TASK_STATE_preempted && stream.gaps == 0);

	/* Time does not run backwards in a stream. */
	switch_give(5500, 11, 0, 12);
	record = (const void *)record_at(5);
	CHECK(record->head.timestamp == 6000);
	CHECK(record->prev_state == TANDEM_TASK_STATE_runnable);

	/* 12 ran, but 13 gives the CPU up; the dead are forgotten. */
	switch_give(7000, 13, 0x20, 12);
	CHECK(stream.gaps == 1);
	CHECK(!linux_tasks_has(&decoder.tasks, 13));
	CHECK(linux_tasks_has(&decoder.tasks, 12));
	end();
}

static void test_waking(void)
{
	static const struct {
		uint8_t flags, waker;
	} cases[] = {{0, TANDEM_WAKER_thread},
		     {0x10, TANDEM_WAKER_softirq},
		     {0x18, TANDEM_WAKER_hardirq},
		     {0x08, TANDEM_WAKER_hardirq},
		     {0x48, TANDEM_WAKER_nmi}};

	begin();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sample sample = sample_make(ID_WAKING, 5, 1000);
		const struct tandem_kernel_sched_waking *record;
		uint32_t tid = 77, cpu = 3;

		sample.raw[2] = cases[i].flags;
		memcpy(sample.raw + 24, &tid, 4);
		memcpy(sample.raw + 32, &cpu, 4);
		linux_decode(&decoder, &stream, &sample.header);
		record = (const void *)record_at(i);
		CHECK(record && record->head.id == TANDEM_KERNEL_EVENT_sched_waking);
		CHECK(record && record->tid == 77 && record->by == 5 && record->target_cpu == 3);
		CHECK(record && record->waker == cases[i].waker);
	}
	end();
}

static void task_give(uint32_t type, uint64_t ns, uint32_t pid, uint32_t ppid)
{
	struct perf_task task = {
		.header = {.type = type, .size = sizeof(task)},
		.pid = pid,
		.ppid = ppid,
		.tid = pid,
		.ptid = ppid,
		.ns = ns,
		.current = {.pid = ppid, .tid = ppid, .ns = ns},
	};

	linux_decode(&decoder, &stream, &task.header);
}

/* With a sampler in the ring, each comes twice. */
static void test_tasks(void)
{
	struct linux_process_tree tree = {.count = 0};

	begin();
	decoder.processes = &tree;
	for (uint32_t pid = 21; pid < 24; pid++) {
		uint64_t ns = pid * 1000;

		task_give(PERF_RECORD_FORK, ns, pid, 20);
		task_give(PERF_RECORD_FORK, ns + 300, pid, 20);
		task_give(PERF_RECORD_EXIT, ns + 700, pid, 20);
		task_give(PERF_RECORD_EXIT, ns + 900, pid, 20);
	}
	CHECK(stream.count == 6 && tree.count == 3);
	CHECK(record_at(0)->id == TANDEM_KERNEL_EVENT_task_new);
	CHECK(record_at(1)->id == TANDEM_KERNEL_EVENT_task_exit);
	CHECK(tree.processes[1].ticks == 22000 && tree.processes[1].end_ticks == 22700);
	/* A number that is used again is another process. */
	task_give(PERF_RECORD_FORK, 30000, 23, 20);
	CHECK(stream.count == 7 && tree.count == 4);
	linux_process_tree_free(&tree);
	end();
}

static void test_lost(void)
{
	struct perf_lost lost = {
		.header = {.type = PERF_RECORD_LOST, .size = sizeof(lost)},
		.count = 55,
		.current = {.ns = 2000},
	};
	const struct tandem_rec_lost *record;

	begin();
	linux_decode(&decoder, &stream, &lost.header);
	CHECK(control.lost[TANDEM_LOSS_kernel_buffer] == 55);
	switch_give(3000, 11, 1, 11);
	record = (const void *)record_at(0);
	CHECK(record->head.id == TANDEM_EVENT_lost && record->count == 55);
	CHECK(record->reason == TANDEM_LOSS_kernel_buffer);
	linux_stream_flush(&stream);
	CHECK(stream.lost[TANDEM_LOSS_kernel_buffer] == 0 && stream.discarded == 55);
	end();
	control.lost[TANDEM_LOSS_kernel_buffer] = 0;
}

/* A stream that can't be written loses what it holds, counts it, and says so
 * once it can. */
static void test_unwritable(void)
{
	const struct tandem_rec_lost *record;

	begin();
	control.limit_bytes = 10;
	switch_give(1000, 11, 1, 12);
	linux_stream_flush(&stream);
	CHECK(control.lost[TANDEM_LOSS_size_limit] == 3 && folder.failures == 1);
	control.limit_bytes = 0;
	linux_decoder_invalidate(&decoder);
	switch_give(2000, 11, 1, 12);
	record = (const void *)record_at(0);
	CHECK(record->head.id == TANDEM_EVENT_lost && record->count == 3);
	CHECK(record->reason == TANDEM_LOSS_size_limit);
	CHECK(((const struct tandem_kernel_task *)record_at(1))->tid == 11);
	linux_stream_flush(&stream);
	CHECK(stream.offset > 0 && stream.sequence == 1);
	end();
}

static uint32_t any(uint32_t below)
{
	static uint64_t seed = 3;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Records of any kind and size with any contents do no harm. */
static void test_damage(void)
{
	begin();
	for (int i = 0; i < 200000; i++) {
		uint64_t words[64];
		struct perf_event_header *header = (void *)words;

		for (unsigned k = 0; k < 64; k++)
			words[k] = (uint64_t)any(UINT32_MAX) << 32 | any(UINT32_MAX);
		if (any(2))
			memset(words + 1, 0, sizeof(words) - 8);
		header->type = any(20);
		header->misc = (uint16_t)any(65536);
		header->size = (uint16_t)(8 + 8 * any(63));
		if (header->type == PERF_RECORD_SAMPLE && header->size > 40) {
			uint32_t raw_bytes = any(5) ? header->size - 28u : any(1000);
			uint16_t id = (uint16_t)(ID_SWITCH + any(3));

			memcpy((uint8_t *)words + 24, &raw_bytes, 4);
			memcpy((uint8_t *)words + 28, &id, 2);
		}
		linux_decode(&decoder, &stream, header);
		if (any(100) == 0)
			linux_stream_flush(&stream);
	}
	end();
}

int main(void)
{
	if (!mkdtemp(directory))
		return 77;
	control.clock_source = TANDEM_CLOCK_MONOTONIC;
	control.ticks_hz = 1000000000;
	test_switch();
	test_waking();
	test_tasks();
	test_lost();
	test_unwritable();
	test_damage();
	rmdir(directory);
	return check_status();
}
