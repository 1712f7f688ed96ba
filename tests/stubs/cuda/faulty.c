/* SPDX-License-Identifier: MIT */
/* faulty CASE [repaired]: a CUDA program with one fault, or the same work without it, told by the
 * stub CUPTI. Its device keeps its own time and takes as long as the constants say; what it did is
 * told late, as by CUPTI. All is in one stream, but for uploads ahead, which have one and an engine
 * of their own. table.json says what is to be found in each, for bench/run findings. Without CASE it
 * prints their names. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tell.h"

#define ROUNDS 200
#define TICKS_US UINT64_C(2500) /* ticks that stand for a microsecond */
#define LAUNCH_US 4
#define BYTES ((uint64_t)1 << 20)
#define PINNED_BYTES_US 12000u /* a microsecond: PCI Express 3.0 */
#define PAGEABLE_BYTES_US 8000u

/* Addresses of the device: two buffers. */
#define DEVICE_A UINT64_C(0x10000000)
#define DEVICE_B UINT64_C(0x20000000)

#define AHEAD ((void *)0x28000) /* a second stream */
#define KERNEL ((void *)0x60000)

enum { TO_DEVICE = 1, TO_HOST = 2, DEVICE_TO_DEVICE = 3 };
enum { PAGEABLE = 1, PINNED = 2, DEVICE = 3 };

struct copy { /* CUpti_ActivityMemcpy6 */
	uint32_t kind;
	uint8_t copy_kind, source, destination, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation, runtime_correlation, padding;
	void *reserved;
	uint64_t node;
	uint32_t graph;
};

struct unified { /* CUpti_ActivityUnifiedMemoryCounter3 */
	uint32_t kind, counter;
	uint64_t value, start, end, address;
	uint32_t source, destination, stream, process, flags, padding[5];
};

static bool repaired;
static uint64_t free_at;       /* when the stream is done with all it was given */
static uint64_t ahead_free_at; /* the same of the stream of uploads ahead */
static uint8_t host[2][1 << 20];

static uint64_t now(void)
{
	return __builtin_ia32_rdtsc();
}

static void until(uint64_t ticks)
{
	while (now() < ticks)
		;
}

static void host_us(uint64_t us)
{
	until(now() + us * TICKS_US);
}

/* The device's time of a command that is given now. */
static void device_take(uint64_t *stream_free_at, uint64_t us, uint64_t *start, uint64_t *end)
{
	*start = now() + LAUNCH_US * TICKS_US;
	if (*start < *stream_free_at)
		*start = *stream_free_at + TICKS_US;
	*end = *start + us * TICKS_US;
	*stream_free_at = *end;
}

/* What the device did comes at the end, in one piece. */
static struct {
	union {
		uint32_t kind;
		struct copy copy;
		struct unified unified;
		struct kernel kernel;
	} record;
	size_t bytes;
} done[20 * ROUNDS];
static size_t done_count;
/* Kernels of one stream after another, as CUPTI may hand over a buffer. */
static bool by_stream;

static void keep(const void *record, size_t bytes)
{
	if (done_count == sizeof(done) / sizeof(done[0]))
		exit(2);
	memcpy(&done[done_count].record, record, bytes);
	done[done_count++].bytes = bytes;
}

struct lane { /* a stream, its number, and when it is done with all it was given */
	void *stream;
	uint32_t number;
	uint64_t *free_at;
};

static void kernel_named(const struct lane *lane, uint64_t us, uint32_t blocks, const char *name)
{
	struct launch launch = {
		.grid = {blocks, 1, 1}, .block = {256, 1, 1}, .stream = lane->stream};
	struct call call = tell_make("cudaLaunchKernel", &launch);
	struct kernel record = {.kind = 10,
				.context = 1,
				.stream = lane->number,
				.grid = {blocks, 1, 1},
				.block = {256, 1, 1},
				.correlation = tell_correlation,
				.name = name};

	call.symbol = name;
	tell_enter(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	device_take(lane->free_at, us, &record.start, &record.end);
	record.completed = record.end;
	tell_leave(DOMAIN_RUNTIME, RUNTIME_LAUNCH_KERNEL, &call);
	keep(&record, sizeof(record));
}

static void kernel_blocks(const struct lane *lane, uint64_t us, uint32_t blocks)
{
	kernel_named(lane, us, blocks, "work");
}

static void allocate(uint64_t address)
{
	uint64_t at = address, arguments[2] = {(uintptr_t)&at, BYTES};
	struct call call = tell_make("cuMemAlloc_v2", arguments);

	tell_both(DOMAIN_DRIVER, DRIVER_MEM_ALLOC, &call);
}

/* By the driver's API, and with a pointer. */
static void kernel_with(const struct lane *lane, uint64_t us, uint64_t address)
{
	static const size_t bytes = sizeof(address);
	void *parameters[1] = {&address};
	struct {
		const void *function;
		uint32_t shape[7];
		void *stream;
		void **parameters, **extra;
	} launch = {KERNEL, {1, 1, 1, 256, 1, 1, 0}, lane->stream, parameters, NULL};
	struct call call = tell_make("cuLaunchKernel", &launch);
	struct kernel record = {.kind = 10,
				.context = 1,
				.stream = lane->number,
				.grid = {1, 1, 1},
				.block = {256, 1, 1},
				.correlation = tell_correlation,
				.name = "work"};

	stub_cuda_get()->function(KERNEL, 1, 1, &bytes);
	call.symbol = "work";
	tell_enter(DOMAIN_DRIVER, DRIVER_LAUNCH_KERNEL, &call);
	device_take(lane->free_at, us, &record.start, &record.end);
	record.completed = record.end;
	tell_leave(DOMAIN_DRIVER, DRIVER_LAUNCH_KERNEL, &call);
	keep(&record, sizeof(record));
}

static void kernel_in(const struct lane *lane, uint64_t us)
{
	kernel_blocks(lane, us, 132);
}

static void kernel(uint64_t us)
{
	kernel_in(&(struct lane){STREAM, 7, &free_at}, us);
}

struct copy_arguments { /* of cudaMemcpyAsync(); those of cudaMemcpy() end before the stream */
	uint64_t to, from, bytes;
	int32_t kind;
	void *stream;
};

static struct copy copy_make(int kind, uint8_t memory, uint64_t bytes, uint32_t stream)
{
	return (struct copy){
		.kind = 1,
		.copy_kind = (uint8_t)(kind == DEVICE_TO_DEVICE ? 8 : kind),
		.source = kind == TO_DEVICE ? memory : DEVICE,
		.destination = kind == TO_HOST ? memory : DEVICE,
		.bytes = bytes,
		.context = 1,
		.stream = stream,
		.correlation = tell_correlation,
	};
}

static void copy(uint64_t to, uint64_t from, uint64_t bytes, int kind, uint8_t memory)
{
	struct copy_arguments arguments = {to, from, bytes, kind, NULL};
	struct call call = tell_make("cudaMemcpy", &arguments);
	struct copy record = copy_make(kind, memory, bytes, 7);
	uint64_t rate = memory == PAGEABLE ? PAGEABLE_BYTES_US : PINNED_BYTES_US;
	uint64_t us = kind == DEVICE_TO_DEVICE ? 1 : bytes / rate + 1;

	tell_enter(DOMAIN_RUNTIME, RUNTIME_MEMCPY, &call);
	device_take(&free_at, us, &record.start, &record.end);
	if (kind != DEVICE_TO_DEVICE)
		until(record.end + 2 * TICKS_US);
	tell_leave(DOMAIN_RUNTIME, RUNTIME_MEMCPY, &call);
	keep(&record, sizeof(record));
}

static void upload(int buffer, uint64_t to, uint8_t memory)
{
	copy(to, (uintptr_t)host[buffer], BYTES, TO_DEVICE, memory);
}

/* cudaMemcpyDefault: the driver finds out where the addresses are. */
static bool by_addresses;

static int said(int kind)
{
	return by_addresses ? 4 : kind;
}

/* Without waiting for it. */
static void upload_part(const struct lane *lane, const uint8_t *from, uint64_t to, uint64_t bytes)
{
	struct copy_arguments arguments = {to, (uintptr_t)from, bytes, said(TO_DEVICE),
					   lane->stream};
	struct call call = tell_make("cudaMemcpyAsync", &arguments);
	struct copy record = copy_make(TO_DEVICE, PINNED, bytes, lane->number);

	tell_enter(DOMAIN_RUNTIME, RUNTIME_MEMCPY_ASYNC, &call);
	device_take(lane->free_at, bytes / PINNED_BYTES_US + 1, &record.start, &record.end);
	tell_leave(DOMAIN_RUNTIME, RUNTIME_MEMCPY_ASYNC, &call);
	keep(&record, sizeof(record));
}

static void upload_in(const struct lane *lane, int buffer, uint64_t to)
{
	upload_part(lane, host[buffer], to, BYTES);
}

/* Same, to the host. */
static void download_part(const struct lane *lane, int buffer, uint64_t from, uint64_t bytes)
{
	struct copy_arguments arguments = {(uintptr_t)host[buffer], from, bytes, said(TO_HOST),
					   lane->stream};
	struct call call = tell_make("cudaMemcpyAsync", &arguments);
	struct copy record = copy_make(TO_HOST, PINNED, bytes, lane->number);

	tell_enter(DOMAIN_RUNTIME, RUNTIME_MEMCPY_ASYNC, &call);
	device_take(lane->free_at, bytes / PINNED_BYTES_US + 1, &record.start, &record.end);
	tell_leave(DOMAIN_RUNTIME, RUNTIME_MEMCPY_ASYNC, &call);
	keep(&record, sizeof(record));
}

static void download_in(const struct lane *lane, int buffer, uint64_t from)
{
	download_part(lane, buffer, from, BYTES);
}

/* In the stream of its own; kernels that are given later start after it. */
static void upload_ahead(int buffer, uint64_t to)
{
	upload_in(&(struct lane){AHEAD, 8, &ahead_free_at}, buffer, to);
}

static void download(int buffer, uint64_t from)
{
	copy((uintptr_t)host[buffer], from, BYTES, TO_HOST, PINNED);
}

static void synchronize(void)
{
	void *stream = STREAM;
	struct call call = tell_make("cudaStreamSynchronize", &stream);

	tell_enter(DOMAIN_RUNTIME, RUNTIME_STREAM_SYNCHRONIZE, &call);
	until(free_at + TICKS_US);
	tell_leave(DOMAIN_RUNTIME, RUNTIME_STREAM_SYNCHRONIZE, &call);
}

/* --- the cases */

static void wait_each(void)
{
	for (int i = 0; i < 10 * ROUNDS; i++) {
		kernel(30);
		if (!repaired)
			synchronize();
	}
	synchronize();
}

static void poll(void)
{
	void *stream = STREAM;

	for (int i = 0; i < ROUNDS; i++) {
		kernel(200);
		while (!repaired && now() < free_at) {
			struct call call = tell_make("cudaStreamQuery", &stream);

			tell_both(DOMAIN_RUNTIME, RUNTIME_STREAM_QUERY, &call);
		}
		synchronize();
	}
}

static void pageable(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		host[0][0]++;
		upload(0, DEVICE_A, repaired ? PINNED : PAGEABLE);
		kernel(20);
	}
	synchronize();
}

/* A table's columns, each for itself: of 16 KiB. */
static void columns(void)
{
	const struct lane lane = {STREAM, 7, &free_at};
	const uint64_t bytes = repaired ? 1 << 19 : 1 << 14;

	for (int i = 0; i < ROUNDS / 4; i++) {
		for (uint64_t at = 0; at < 1 << 19; at += bytes) {
			host[0][at] = (uint8_t)(i + 1);
			upload_part(&lane, &host[0][at], DEVICE_A + at, bytes);
			synchronize();
		}
		kernel(150);
	}
	synchronize();
}

static void bounce(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		kernel(20);
		if (repaired)
			continue;
		host[0][0]++; /* what is there changes as if the device had written it */
		download(0, DEVICE_A);
		upload(0, DEVICE_A, PINNED);
	}
	synchronize();
}

static void by_host(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		kernel(20);
		if (repaired) {
			copy(DEVICE_B, DEVICE_A, BYTES, DEVICE_TO_DEVICE, DEVICE);
			continue;
		}
		host[0][0]++; /* what is there changes as if the device had written it */
		download(0, DEVICE_A);
		upload(0, DEVICE_B, PINNED);
	}
	synchronize();
}

/* As by_host(), through a copy of the host's. */
static void by_host_copied(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		kernel(20);
		if (repaired) {
			copy(DEVICE_B, DEVICE_A, BYTES, DEVICE_TO_DEVICE, DEVICE);
			continue;
		}
		host[0][0]++;
		download(0, DEVICE_A);
		memcpy(host[1], host[0], BYTES);
		upload(1, DEVICE_B, PINNED);
	}
	synchronize();
}

/* One stream brings to the host what another takes from there, as soon as it is there: nobody waits. */
static void by_host_streams(void)
{
	const struct lane reading = {STREAM, 7, &free_at}, writing = {AHEAD, 8, &ahead_free_at};

	tell_cupti->stream(CONTEXT, AHEAD, 0, 8);
	for (int i = 0; i < ROUNDS; i++) {
		kernel(20);
		if (repaired) {
			copy(DEVICE_B, DEVICE_A, BYTES, DEVICE_TO_DEVICE, DEVICE);
			continue;
		}
		download_in(&reading, 0, DEVICE_A);
		download_in(&reading, 1, DEVICE_A + BYTES);
		if (ahead_free_at < free_at)
			ahead_free_at = free_at;
		upload_in(&writing, 0, DEVICE_B);
		upload_in(&writing, 1, DEVICE_B + BYTES);
		until(ahead_free_at);
	}
	synchronize();
}

/* In one stream, by calls that do not say which way. */
static void by_host_default(void)
{
	const struct lane lane = {STREAM, 7, &free_at};

	by_addresses = true;
	allocate(DEVICE_A);
	allocate(DEVICE_B);
	for (int i = 0; i < ROUNDS; i++) {
		kernel(20);
		if (repaired) {
			copy(DEVICE_B, DEVICE_A, BYTES, DEVICE_TO_DEVICE, DEVICE);
			continue;
		}
		download_in(&lane, 0, DEVICE_A);
		upload_in(&lane, 0, DEVICE_B);
	}
	synchronize();
}

/* A state is kept on the host once, and comes back after each trial. */
static void state_restored(void)
{
	const struct lane lane = {STREAM, 7, &free_at};

	by_addresses = true;
	allocate(DEVICE_A);
	allocate(DEVICE_B);
	if (!repaired)
		download_in(&lane, 0, DEVICE_A);
	for (int i = 0; i < ROUNDS; i++) {
		kernel(20);
		synchronize();
		if (repaired)
			copy(DEVICE_A, DEVICE_B, BYTES, DEVICE_TO_DEVICE, DEVICE);
		else
			upload_in(&lane, 0, DEVICE_A);
	}
	synchronize();
}

/* Memory that the kernels are not given comes to the host after each of them, and the host waits for the stream. */
static void download_untouched(void)
{
	const uint64_t first = UINT64_C(0x7f0000000000), second = UINT64_C(0x7f0000400000);
	const struct lane lane = {STREAM, 7, &free_at};

	allocate(first);
	allocate(second);
	for (int i = 0; i < ROUNDS; i++) {
		kernel_with(&lane, 20, second);
		if (!repaired || !i)
			download_in(&lane, 0, first);
		synchronize();
	}
}

/* It changes each time: a kernel is given it. */
static void clean_download_new(void)
{
	const uint64_t first = UINT64_C(0x7f0000000000);
	const struct lane lane = {STREAM, 7, &free_at};

	allocate(first);
	for (int i = 0; i < ROUNDS; i++) {
		kernel_with(&lane, 20, first);
		download_in(&lane, 0, first);
		synchronize();
	}
}

/* What the kernels do not touch comes to the host again and again. */
static void download_again(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!repaired || !i)
			download(0, DEVICE_B);
		kernel(20);
	}
	synchronize();
}

static void upload_again(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!repaired || !i)
			upload(0, DEVICE_A, PINNED);
		kernel(20);
	}
	synchronize();
}

struct array_arguments { /* of cudaMemcpy2DToArrayAsync() */
	uint64_t array, x, y, from, pitch, width, height;
	int32_t kind;
	void *stream;
};

/* The same texture before each kernel, as an array's rows: the left half of a picture's. */
static void array_again(void)
{
	const uint64_t pitch = 4096, bytes = BYTES / 2;
	struct array_arguments arguments = {DEVICE_B,		0,	   0,
					    (uintptr_t)host[0], pitch,	   pitch / 2,
					    BYTES / pitch,	TO_DEVICE, NULL};

	for (int i = 0; i < ROUNDS; i++) {
		struct call call = tell_make("cudaMemcpy2DToArrayAsync", &arguments);
		struct copy record = copy_make(TO_DEVICE, PINNED, bytes, 7);

		if (!repaired || !i) {
			record.copy_kind = 3; /* to an array */
			tell_enter(DOMAIN_RUNTIME, RUNTIME_MEMCPY_ARRAY_ASYNC, &call);
			device_take(&free_at, bytes / PINNED_BYTES_US + 1, &record.start,
				    &record.end);
			tell_leave(DOMAIN_RUNTIME, RUNTIME_MEMCPY_ARRAY_ASYNC, &call);
			keep(&record, sizeof(record));
		}
		kernel(20);
	}
	synchronize();
}

/* By calls that do not say which way. */
static void upload_again_default(void)
{
	const struct lane lane = {STREAM, 7, &free_at};

	by_addresses = true;
	allocate(DEVICE_A);
	for (int i = 0; i < ROUNDS; i++) {
		if (!repaired || !i)
			upload_in(&lane, 0, DEVICE_A);
		kernel(20);
	}
	synchronize();
}

struct box_end { /* cudaMemcpy3DParms */
	uint64_t array, x, y, z, at, pitch, width, height;
};

struct box {
	struct box_end from, to;
	uint64_t width, height, depth;
	int32_t kind;
};

static void box_copy(const struct box *box)
{
	const struct {
		const struct box *box;
		void *stream;
	} arguments = {box, NULL};
	bool waits = box->kind == TO_HOST;
	uint32_t id = waits ? RUNTIME_MEMCPY_3D : RUNTIME_MEMCPY_3D_ASYNC;
	struct call call = tell_make(waits ? "cudaMemcpy3D" : "cudaMemcpy3DAsync", &arguments);
	struct copy record = copy_make(box->kind, PINNED, BYTES, 7);

	tell_enter(DOMAIN_RUNTIME, id, &call);
	device_take(&free_at, BYTES / PINNED_BYTES_US + 1, &record.start, &record.end);
	if (waits)
		until(record.end + 2 * TICKS_US);
	tell_leave(DOMAIN_RUNTIME, id, &call);
	keep(&record, sizeof(record));
}

enum { VOLUME_ROW = 4096, VOLUME_ROWS = 16, VOLUME_SLICES = BYTES / (VOLUME_ROW * VOLUME_ROWS) };

static struct box_end volume_host(void)
{
	return (struct box_end){
		.at = (uintptr_t)host[0],
		.pitch = VOLUME_ROW,
		.width = VOLUME_ROW,
		.height = VOLUME_ROWS,
	};
}

/* The same volume before each kernel, as an array, whose elements have four bytes. */
static void volume_again(void)
{
	const struct box box = {
		.from = volume_host(),
		.to = {.array = DEVICE_B},
		.width = VOLUME_ROW / 4,
		.height = VOLUME_ROWS,
		.depth = VOLUME_SLICES,
		.kind = TO_DEVICE,
	};

	for (int i = 0; i < ROUNDS; i++) {
		if (!repaired || !i)
			box_copy(&box);
		kernel(20);
	}
	synchronize();
}

struct driver_end { /* CUDA_MEMCPY3D */
	uint64_t x, y, z, level, type, host, device, array, reserved, pitch, height;
};

/* The same by the driver's API. */
static void volume_again_driver(void)
{
	const struct {
		struct driver_end from, to;
		uint64_t width, height, depth;
	} box = {
		{.type = 1, .host = (uintptr_t)host[0], .pitch = VOLUME_ROW, .height = VOLUME_ROWS},
		{.type = 3, .array = DEVICE_B},
		VOLUME_ROW,
		VOLUME_ROWS,
		VOLUME_SLICES,
	};
	const void *arguments[2] = {&box, NULL};

	for (int i = 0; i < ROUNDS; i++) {
		struct call call = tell_make("cuMemcpy3DAsync_v2", arguments);
		struct copy record = copy_make(TO_DEVICE, PINNED, BYTES, 7);

		if (!repaired || !i) {
			tell_enter(DOMAIN_DRIVER, DRIVER_MEMCPY_3D_ASYNC, &call);
			device_take(&free_at, BYTES / PINNED_BYTES_US + 1, &record.start,
				    &record.end);
			tell_leave(DOMAIN_DRIVER, DRIVER_MEMCPY_3D_ASYNC, &call);
			keep(&record, sizeof(record));
		}
		kernel(20);
	}
	synchronize();
}

struct driver_flat_end { /* CUDA_MEMCPY2D */
	uint64_t x, y, type, host, device, array, pitch;
};

/* What no kernel changes comes as rows, again. */
static void rows_read_again(void)
{
	const struct {
		struct driver_flat_end from, to;
		uint64_t width, height;
	} rows = {
		{.type = 2, .device = DEVICE_B, .pitch = VOLUME_ROW},
		{.type = 1, .host = (uintptr_t)host[0], .pitch = VOLUME_ROW},
		VOLUME_ROW,
		BYTES / VOLUME_ROW,
	};
	const void *arguments[1] = {&rows};

	for (int i = 0; i < ROUNDS; i++) {
		struct call call = tell_make("cuMemcpy2D_v2", arguments);
		struct copy record = copy_make(TO_HOST, PINNED, BYTES, 7);

		if (!repaired || !i) {
			tell_enter(DOMAIN_DRIVER, DRIVER_MEMCPY_2D, &call);
			device_take(&free_at, BYTES / PINNED_BYTES_US + 1, &record.start,
				    &record.end);
			until(record.end + 2 * TICKS_US);
			tell_leave(DOMAIN_DRIVER, DRIVER_MEMCPY_2D, &call);
			keep(&record, sizeof(record));
		}
		kernel(20);
	}
	synchronize();
}

/* Another one each time: of memory with a pitch, by way of its last byte. */
static void clean_volume_new(void)
{
	const struct box box = {
		.from = volume_host(),
		.to = {.at = DEVICE_B, .pitch = VOLUME_ROW, .height = VOLUME_ROWS},
		.width = VOLUME_ROW,
		.height = VOLUME_ROWS,
		.depth = VOLUME_SLICES,
		.kind = TO_DEVICE,
	};

	for (int i = 0; i < ROUNDS; i++) {
		host[0][BYTES - 1] = (uint8_t)i;
		box_copy(&box);
		kernel(20);
	}
	synchronize();
}

/* A volume that no kernel changes, read after each. */
static void volume_read_again(void)
{
	const struct box box = {
		.from = {.at = DEVICE_B, .pitch = VOLUME_ROW, .height = VOLUME_ROWS},
		.to = volume_host(),
		.width = VOLUME_ROW,
		.height = VOLUME_ROWS,
		.depth = VOLUME_SLICES,
		.kind = TO_HOST,
	};

	for (int i = 0; i < ROUNDS; i++) {
		if (!repaired || !i)
			box_copy(&box);
		kernel(20);
	}
	synchronize();
}

/* Another input each time, for a kernel that takes so long; each turn is waited for, or all. */
static void turns(uint64_t kernel_us, bool waits)
{
	for (int i = 0; i < ROUNDS; i++) {
		memset(host[0], i, BYTES);
		upload(0, DEVICE_A, PINNED);
		kernel(kernel_us);
		if (waits)
			synchronize();
	}
	synchronize();
}

static void upload_new(void)
{
	turns(20, false);
}

static void module_load(void)
{
	static const char cubin[256] = "\177ELF";
	static uint32_t id;
	struct module module = {++id, sizeof(cubin), cubin};
	struct resource resource = {CONTEXT, NULL, &module};
	uint64_t arguments[2] = {DEVICE_A, (uintptr_t)cubin};
	struct call call = tell_make("cuModuleLoadData", arguments);

	tell_enter(DOMAIN_DRIVER, DRIVER_MODULE_LOAD_DATA, &call);
	host_us(40);
	tell_cupti->callback(DOMAIN_RESOURCE, 6, &resource);
	tell_leave(DOMAIN_DRIVER, DRIVER_MODULE_LOAD_DATA, &call);
}

static void module_loop(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!repaired || !i)
			module_load();
		kernel(20);
		synchronize();
	}
}

/* A stream is made, or released: by this call, of which CUPTI tells as that. */
static void stream_call(void *stream, const char *function, uint32_t id, const void *arguments,
			uint32_t told)
{
	struct resource resource = {CONTEXT, stream, NULL};
	struct call call = tell_make(function, arguments);

	tell_enter(DOMAIN_RUNTIME, id, &call);
	host_us(20);
	tell_cupti->callback(DOMAIN_RESOURCE, told, &resource);
	tell_leave(DOMAIN_RUNTIME, id, &call);
}

static void stream_loop(void)
{
	tell_cupti->stream(CONTEXT, NULL, 0, 17);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		void *stream = (void *)(uintptr_t)(0x30000 + i * 0x100), *place = &stream;

		if (!repaired) {
			tell_cupti->stream(CONTEXT, stream, 0, (uint32_t)(20 + i));
			stream_call(stream, "cudaStreamCreate", RUNTIME_STREAM_CREATE, &place, 3);
		}
		kernel(20);
		synchronize();
		if (!repaired)
			stream_call(stream, "cudaStreamDestroy", RUNTIME_STREAM_DESTROY, &stream,
				    4);
	}
}

/* Repaired, the next turn's data is on its way while this one's kernel runs. */
static void one_stream(void)
{
	if (!repaired) {
		turns(40, true);
		return;
	}
	tell_cupti->stream(CONTEXT, AHEAD, 0, 8);
	upload_ahead(0, DEVICE_A);
	for (int i = 0; i < ROUNDS; i++) {
		int next = (i + 1) % 2;

		if (free_at < ahead_free_at)
			free_at = ahead_free_at;
		kernel(40);
		memset(host[next], i, BYTES);
		upload_ahead(next, next ? DEVICE_B : DEVICE_A);
		synchronize();
	}
}

static void event_call(const char *function, uint32_t id, void *first, void *second)
{
	void *arguments[3] = {first, second, NULL}; /* and flags */
	struct call call = tell_make(function, arguments);

	tell_both(DOMAIN_RUNTIME, id, &call);
}

/* Two streams with data of their own, of which each waits for the other's event: nothing overlaps. */
static void streams_in_turn(void)
{
	const struct lane lanes[2] = {{STREAM, 7, &free_at}, {AHEAD, 8, &ahead_free_at}};
	void *events[2] = {(void *)0x50000, (void *)0x51000};

	tell_cupti->stream(CONTEXT, AHEAD, 0, 8);
	for (int i = 0; i < ROUNDS; i++) {
		const struct lane *lane = &lanes[i % 2], *other = &lanes[!(i % 2)];

		if (!repaired && i) {
			event_call("cudaStreamWaitEvent", RUNTIME_STREAM_WAIT_EVENT, lane->stream,
				   events[!(i % 2)]);
			if (*lane->free_at < *other->free_at)
				*lane->free_at = *other->free_at;
		}
		memset(host[i % 2], i, BYTES);
		upload_in(lane, i % 2, i % 2 ? DEVICE_B : DEVICE_A);
		kernel_in(lane, 90);
		event_call("cudaEventRecord", RUNTIME_EVENT_RECORD, events[i % 2], lane->stream);
	}
	until(ahead_free_at);
	synchronize();
}

enum chained { OWN_MEMORY, PARTS_OF_ONE, THE_SAME };

/* Two streams of which each waits for the other's kernel. */
static void streams_chained(int rounds, uint64_t kernel_us, enum chained what)
{
	const struct lane lanes[2] = {{STREAM, 7, &free_at}, {AHEAD, 8, &ahead_free_at}};
	const uint64_t first = UINT64_C(0x7f0000000000), second = UINT64_C(0x7f0000400000);
	const uint64_t memory[2] = {first, what == OWN_MEMORY	  ? second
					   : what == PARTS_OF_ONE ? first + BYTES / 2
								  : first};
	void *events[2] = {(void *)0x50000, (void *)0x51000};

	tell_cupti->stream(CONTEXT, AHEAD, 0, 8);
	allocate(first);
	allocate(second);
	for (int i = 0; i < rounds; i++) {
		const struct lane *lane = &lanes[i % 2], *other = &lanes[!(i % 2)];

		if (!repaired && i) {
			event_call("cudaStreamWaitEvent", RUNTIME_STREAM_WAIT_EVENT, lane->stream,
				   events[!(i % 2)]);
			if (*lane->free_at < *other->free_at)
				*lane->free_at = *other->free_at;
		}
		kernel_with(lane, kernel_us, memory[i % 2]);
		event_call("cudaEventRecord", RUNTIME_EVENT_RECORD, events[i % 2], lane->stream);
	}
	until(ahead_free_at);
	synchronize();
}

static void chained_streams(void)
{
	streams_chained(ROUNDS, 60, OWN_MEMORY);
}

/* Each works in its half of one allocation. */
static void chained_parts(void)
{
	streams_chained(ROUNDS, 60, PARTS_OF_ONE);
}

/* Few, which take long. */
static void chained_twice(void)
{
	streams_chained(4, 10000, OWN_MEMORY);
}

static void clean_chained_streams(void)
{
	streams_chained(ROUNDS, 60, THE_SAME);
}

enum { LANES = 4 };

static uint64_t lanes_free_at[LANES];

static struct lane lane_of(int i)
{
	void *streams[LANES] = {(void *)0x2C000, (void *)0x2D000, (void *)0x2E000, (void *)0x2F000};

	return (struct lane){streams[i], 20 + (uint32_t)i, &lanes_free_at[i]};
}

static void lanes_make(void)
{
	for (int i = 0; i < LANES; i++)
		tell_cupti->stream(CONTEXT, lane_of(i).stream, 0, lane_of(i).number);
}

static void lanes_end(void)
{
	for (int i = 0; i < LANES; i++)
		until(lanes_free_at[i]);
	synchronize();
}

/* Four streams work on tiles of the same memory. Each kernel waits for the one before it, whose tile is
 * another one. */
static void streams_in_step(void)
{
	const uint64_t memory = UINT64_C(0x7f0000000000);

	lanes_make();
	allocate(memory);
	for (int i = 0; i < 4 * ROUNDS; i++) {
		const struct lane lane = lane_of(i % LANES), before = lane_of((i + 3) % LANES);

		if (!repaired && i) {
			event_call("cudaStreamWaitEvent", RUNTIME_STREAM_WAIT_EVENT, lane.stream,
				   (void *)(uintptr_t)(0x50000 + 0x1000 * ((i + 3) % LANES)));
			if (*lane.free_at < *before.free_at)
				*lane.free_at = *before.free_at;
		}
		kernel_with(&lane, 60, memory);
		event_call("cudaEventRecord", RUNTIME_EVENT_RECORD,
			   (void *)(uintptr_t)(0x50000 + 0x1000 * (i % LANES)), lane.stream);
	}
	lanes_end();
}

static void lane_waits(const struct lane *lane, const struct lane *other, void *event)
{
	event_call("cudaStreamWaitEvent", RUNTIME_STREAM_WAIT_EVENT, lane->stream, event);
	if (*lane->free_at < *other->free_at)
		*lane->free_at = *other->free_at;
}

/* Four streams, each with a part of one allocation, and each in turn with more to do: all wait for all
 * others after each kernel. */
static void joined_parts(void)
{
	const uint64_t memory = UINT64_C(0x7f0000000000);
	uint64_t free_at_join[LANES];

	lanes_make();
	allocate(memory);
	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < LANES; j++) {
			const struct lane lane = lane_of(j);

			kernel_with(&lane, (i + j) % LANES ? 40 : 160,
				    memory + (uint64_t)j * (BYTES / 8));
			event_call("cudaEventRecord", RUNTIME_EVENT_RECORD,
				   (void *)(uintptr_t)(0x50000 + 0x1000 * j), lane.stream);
			free_at_join[j] = *lane.free_at;
		}
		for (int j = 0; j < LANES * LANES && !repaired; j++) {
			const struct lane lane = lane_of(j / LANES);
			const struct lane other = {NULL, 0, &free_at_join[j % LANES]};

			if (j / LANES != j % LANES)
				lane_waits(&lane, &other,
					   (void *)(uintptr_t)(0x50000 + 0x1000 * (j % LANES)));
		}
	}
	lanes_end();
}

static void ask_for_memory(int32_t bytes, bool refused)
{
	static int32_t invalid = 1;
	struct {
		const void *function;
		uint32_t attribute;
		int32_t value;
	} arguments = {KERNEL, 8, bytes};
	struct call call = tell_make("cudaFuncSetAttribute", &arguments);

	if (refused)
		call.result = &invalid;
	tell_both(DOMAIN_RUNTIME, RUNTIME_FUNC_SET_ATTRIBUTE, &call);
}

static void plain_or_meant(void)
{
	const struct lane lane = {STREAM, 7, &free_at};

	if (repaired)
		kernel(60);
	else
		kernel_named(&lane, 120, 132, "plain");
}

/* A kernel that wants more shared memory than there is: another one, which takes twice as long, is
 * launched each time. */
static void other_kernel(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		ask_for_memory(1 << 20, !repaired);
		plain_or_meant();
	}
	synchronize();
}

/* The same, where it is asked for once. */
static void other_kernel_since(void)
{
	ask_for_memory(1 << 20, !repaired);
	for (int i = 0; i < ROUNDS; i++)
		plain_or_meant();
	synchronize();
}

/* It takes less, when it is told that there is no more. */
static void clean_less_memory(void)
{
	ask_for_memory(1 << 20, true);
	ask_for_memory(1 << 16, false);
	for (int i = 0; i < ROUNDS; i++)
		plain_or_meant();
	synchronize();
}

/* The elements of an array, one after another, in one stream. */
static void elements_in_one_stream(void)
{
	const uint64_t memory = UINT64_C(0x7f0000000000);

	lanes_make();
	allocate(memory);
	for (int i = 0; i < 4 * ROUNDS; i++) {
		const struct lane lane = lane_of(repaired ? i % LANES : 0);

		kernel_with(&lane, 60, memory + (uint64_t)(i % LANES) * (BYTES / 8));
	}
	lanes_end();
}

/* A stream of kernels, and one that brings the small result of each. */
static void clean_results_apart(void)
{
	const struct lane work = lane_of(0), results = lane_of(1);

	by_stream = true;
	lanes_make();
	for (int i = 0; i < ROUNDS; i++) {
		kernel_in(&work, 60);
		if (*results.free_at < *work.free_at)
			*results.free_at = *work.free_at;
		download_part(&results, 0, DEVICE_A, 4096);
	}
	lanes_end();
}

/* Each result is brought while the next kernel runs, which is told of later. */
static void clean_results_beside(void)
{
	const struct lane work = lane_of(0), results = lane_of(1);

	lanes_make();
	for (int i = 0; i < ROUNDS; i++) {
		kernel_in(&work, 200);
		if (*results.free_at < *work.free_at)
			*results.free_at = *work.free_at;
		download_in(&results, i % 2, i % 2 ? DEVICE_B : DEVICE_A);
	}
	lanes_end();
}

/* A kernel, the longest, of which no call is known. */
static void lone_kernel(void)
{
	struct kernel record = {.kind = 10,
				.context = 1,
				.stream = 7,
				.grid = {132, 1, 1},
				.block = {256, 1, 1},
				.correlation = 0xfffffff,
				.name = "work"};

	for (int i = 0; i < ROUNDS; i++)
		kernel(20);
	device_take(&free_at, 400, &record.start, &record.end);
	record.completed = record.end;
	keep(&record, sizeof(record));
	synchronize();
}

/* Three places of one allocation: no array is known by them. */
static void clean_three_places(void)
{
	const uint64_t memory = UINT64_C(0x7f0000000000);
	const struct lane lane = lane_of(0);

	lanes_make();
	allocate(memory);
	for (int i = 0; i < 4 * ROUNDS; i++)
		kernel_with(&lane, 60, memory + (uint64_t)(i % 3) * (BYTES / 8));
	lanes_end();
}

/* Two streams with data of their own, and what clears each one's result beforehand, or an event of which
 * nobody asks, is in the default stream: both wait for it, and it for both. */
static void default_stream(bool blocking, bool event)
{
	void *first = (void *)(uintptr_t)(blocking ? 0x28000 : 0x2B000);
	void *second = (void *)(uintptr_t)(blocking ? 0x29000 : 0x3B000);
	uint64_t default_free_at = 0, lane_free_at[2] = {0};
	const struct lane lanes[2] = {{first, 18, &lane_free_at[0]},
				      {second, 19, &lane_free_at[1]}};
	const struct lane legacy = {NULL, 17, &default_free_at};

	by_stream = true;
	tell_cupti->stream(CONTEXT, NULL, 0, 17);
	tell_cupti->stream(CONTEXT, first, 0, 18);
	tell_cupti->stream(CONTEXT, second, 0, 19);
	for (int i = 0; i < ROUNDS; i++) {
		const struct lane *lane = &lanes[i % 2];
		const struct lane *clearing = repaired ? lane : &legacy;

		if (event) {
			if (!repaired && i) {
				event_call("cudaEventRecord", RUNTIME_EVENT_RECORD, (void *)0x50000,
					   NULL);
				lane_free_at[i % 2] = lane_free_at[!(i % 2)];
			}
		} else if (!repaired && blocking) {
			default_free_at = lane_free_at[0] > lane_free_at[1] ? lane_free_at[0]
									    : lane_free_at[1];
			kernel_blocks(clearing, 2, 4);
			lane_free_at[0] = lane_free_at[1] = default_free_at;
		} else {
			kernel_blocks(clearing, 2, 4);
		}
		kernel_blocks(lane, 60, 40);
	}
	until(lane_free_at[0] > lane_free_at[1] ? lane_free_at[0] : lane_free_at[1]);
	synchronize();
}

static void default_stream_between(void)
{
	default_stream(true, false);
}

static void default_event_between(void)
{
	default_stream(true, true);
}

/* Its streams do not wait for the default one. */
static void clean_default_stream(void)
{
	default_stream(false, false);
}

/* The stream calls a function of the program's behind each kernel, which takes its time. */
static void host_functions(bool heavy)
{
	void *arguments[3] = {STREAM, (void *)0x1000, NULL}; /* stream, function, its argument */
	struct call call = tell_make("cudaLaunchHostFunc", arguments);

	for (int i = 0; i < ROUNDS; i++) {
		kernel(60);
		tell_both(DOMAIN_RUNTIME, RUNTIME_LAUNCH_HOST_FUNC, &call);
		free_at += (heavy ? 120 : 4) * TICKS_US;
	}
	synchronize();
}

/* Same, at the end of what the stream was given: nothing but a wait is behind it. */
static void host_function_last(void)
{
	void *arguments[3] = {STREAM, (void *)0x1000, NULL};

	for (int i = 0; i < ROUNDS; i++) {
		struct call call = tell_make("cudaLaunchHostFunc", arguments);

		for (int k = 0; k < 10; k++)
			kernel(30);
		tell_both(DOMAIN_RUNTIME, RUNTIME_LAUNCH_HOST_FUNC, &call);
		free_at += (repaired ? 4 : 300) * TICKS_US;
		synchronize();
	}
}

/* A thread that makes each batch itself; or many that share it, and nothing comes back but the last. */
static void loader_alone(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		host_us(repaired ? 10 : 600);
		kernel(50);
	}
	synchronize();
}

enum { TO_DEVICE_MOVED = 1, TO_HOST_MOVED = 2, HOST_FAULT = 3, DEVICE_FAULTS = 4 };

static void keep_unified(uint32_t counter, uint64_t value, uint64_t start, uint64_t end)
{
	const bool to_host = counter == TO_HOST_MOVED, of_host = counter == HOST_FAULT;
	struct unified record = {.kind = 25,
				 .counter = counter,
				 .value = value,
				 .start = start,
				 .end = end,
				 .address = DEVICE_A,
				 .source = counter == TO_DEVICE_MOVED || of_host ? UINT32_MAX : 0,
				 .destination = to_host ? UINT32_MAX : 0};

	keep(&record, sizeof(record));
}

/* The host changes a part of what is in managed memory after each kernel, or does so once. */
static void managed_by_turns(void)
{
	uint64_t address = DEVICE_A;
	struct { /* cuMemAllocManaged_params */
		uint64_t *address, bytes;
		uint32_t flags;
	} arguments = {&address, BYTES, 1};
	struct call call = tell_make("cuMemAllocManaged", &arguments);

	tell_both(DOMAIN_DRIVER, DRIVER_MEM_ALLOC_MANAGED, &call);
	for (int i = 0; i < ROUNDS; i++) {
		const bool moves = !repaired || !i;
		uint64_t begun = free_at > now() ? free_at : now(), moved;

		kernel(moves ? 250 : 100);
		begun += LAUNCH_US * TICKS_US;
		if (moves) {
			keep_unified(TO_DEVICE_MOVED, BYTES, begun + 50 * TICKS_US,
				     begun + 120 * TICKS_US);
			keep_unified(DEVICE_FAULTS, 5, begun + 10 * TICKS_US,
				     begun + 160 * TICKS_US);
		}
		synchronize();
		if (!moves)
			continue;
		moved = now();
		for (int k = 0; k < 3; k++, moved += 60 * TICKS_US) {
			keep_unified(HOST_FAULT, DEVICE_B, moved, 0);
			keep_unified(TO_HOST_MOVED, BYTES / 3, moved + 20 * TICKS_US,
				     moved + 50 * TICKS_US);
		}
		until(moved);
	}
}

static void host_function_heavy(void)
{
	host_functions(!repaired);
}

static void clean_host_function(void)
{
	host_functions(false);
}

/* An event for each step, and none is destroyed. */
static void events_left(void)
{
	void *event = (void *)0x60000, *place = &event;

	for (int i = 0; i < ROUNDS; i++) {
		kernel(20);
		if (!repaired || !i)
			event_call("cudaEventCreate", RUNTIME_EVENT_CREATE, &place, NULL);
		event_call("cudaEventRecord", RUNTIME_EVENT_RECORD, event, STREAM);
	}
	synchronize();
}

static void synchronize_event(void *event, uint64_t done_at)
{
	struct call call = tell_make("cudaEventSynchronize", &event);

	tell_enter(DOMAIN_RUNTIME, RUNTIME_EVENT_SYNCHRONIZE, &call);
	until(done_at + TICKS_US);
	tell_leave(DOMAIN_RUNTIME, RUNTIME_EVENT_SYNCHRONIZE, &call);
}

/* Frames of an upload and a kernel, given two ahead, in one stream or in one for each of the two. A
 * buffer of the device is filled again after the kernel that uses it. */
static void frames(int buffers, bool two_streams)
{
	const struct lane computing = {STREAM, 7, &free_at}, ahead = {AHEAD, 8, &ahead_free_at};
	const struct lane *uploading = two_streams ? &ahead : &computing;
	void *events[2] = {(void *)0x50000, (void *)0x51000};
	void *uploaded = (void *)0x52000;
	uint64_t done_at[2] = {0};

	if (two_streams)
		tell_cupti->stream(CONTEXT, AHEAD, 0, 8);
	for (int i = 0; i < ROUNDS; i++) {
		int at = i % 2;

		if (i > 1)
			synchronize_event(events[at], done_at[at]);
		memset(host[at], i, BYTES);
		upload_in(uploading, at, buffers > 1 && at ? DEVICE_B : DEVICE_A);
		if (two_streams) {
			event_call("cudaEventRecord", RUNTIME_EVENT_RECORD, uploaded, AHEAD);
			event_call("cudaStreamWaitEvent", RUNTIME_STREAM_WAIT_EVENT, STREAM,
				   uploaded);
			if (free_at < ahead_free_at)
				free_at = ahead_free_at;
		}
		kernel(110);
		event_call("cudaEventRecord", RUNTIME_EVENT_RECORD, events[at], STREAM);
		done_at[at] = free_at;
	}
	synchronize();
}

static void frames_in_one_stream(void)
{
	frames(2, repaired);
}

/* The next upload would change what the kernel before it reads. */
static void clean_one_buffer(void)
{
	frames(1, false);
}

/* Graphs of a kernel and a function of the host's, which takes its time; all are given ahead. */
static void graph_host_node(void)
{
	void *node[1] = {(void *)0x71000}, *launch[2] = {(void *)0x70000, STREAM};
	struct call add = tell_make("cudaGraphAddHostNode", node);

	tell_both(DOMAIN_RUNTIME, RUNTIME_GRAPH_ADD_HOST_NODE, &add);
	for (int i = 0; i < ROUNDS; i++) {
		struct call call = tell_make("cudaGraphLaunch", launch);
		struct kernel record = {.kind = 10,
					.context = 1,
					.stream = 7,
					.grid = {132, 1, 1},
					.block = {256, 1, 1},
					.correlation = tell_correlation,
					.name = "work"};

		tell_enter(DOMAIN_RUNTIME, RUNTIME_GRAPH_LAUNCH, &call);
		device_take(&free_at, 60, &record.start, &record.end);
		record.completed = record.end;
		keep(&record, sizeof(record));
		tell_leave(DOMAIN_RUNTIME, RUNTIME_GRAPH_LAUNCH, &call);
		free_at += (repaired ? 4 : 250) * TICKS_US;
	}
	synchronize();
}

/* Graphs of five kernels that fill the device, of which twenty are waited for at a time. */
static void clean_graph_launches(void)
{
	void *arguments[2] = {(void *)0x70000, STREAM};

	for (int i = 0; i < ROUNDS; i++) {
		struct call call = tell_make("cudaGraphLaunch", arguments);
		struct kernel record = {.kind = 10,
					.context = 1,
					.stream = 7,
					.grid = {132, 1, 1},
					.block = {256, 1, 1},
					.correlation = tell_correlation,
					.name = "work"};

		tell_enter(DOMAIN_RUNTIME, RUNTIME_GRAPH_LAUNCH, &call);
		for (int k = 0; k < 5; k++) {
			device_take(&free_at, 20, &record.start, &record.end);
			record.completed = record.end;
			keep(&record, sizeof(record));
		}
		tell_leave(DOMAIN_RUNTIME, RUNTIME_GRAPH_LAUNCH, &call);
		if (i % 20 == 19)
			synchronize();
	}
}

/* Two events for each step; what makes and destroys them is not short here. */
static void events_in_loop(void)
{
	void *event = (void *)0x60000, *place = &event;

	for (int i = 0; i < ROUNDS; i++) {
		struct call make = tell_make("cudaEventCreate", &place);
		struct call destroy = tell_make("cudaEventDestroy", &event);

		kernel(20);
		if (repaired && i)
			continue;
		tell_enter(DOMAIN_RUNTIME, RUNTIME_EVENT_CREATE, &make);
		host_us(60);
		tell_leave(DOMAIN_RUNTIME, RUNTIME_EVENT_CREATE, &make);
		tell_enter(DOMAIN_RUNTIME, RUNTIME_EVENT_DESTROY, &destroy);
		host_us(30);
		tell_leave(DOMAIN_RUNTIME, RUNTIME_EVENT_DESTROY, &destroy);
	}
	synchronize();
}

/* Requests come now and then, and each is answered as soon as it can be. */
static void clean_server(void)
{
	for (int i = 0; i < ROUNDS / 4; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
		kernel(500);
		synchronize();
	}
}

/* The first commands wait for the host, which is busy with something else: a program begins. */
static void slow_start(void)
{
	for (int i = 0; i < 6; i++) {
		kernel(5);
		host_us(i < 3 ? 3000 : 300);
	}
	for (int i = 0; i < 10 * ROUNDS; i++)
		kernel(30);
	synchronize();
}

/* --- written later, and run before findings were changed for them */

static void device_synchronize(void)
{
	struct call call = tell_make("cudaDeviceSynchronize", NULL);

	tell_enter(DOMAIN_RUNTIME, RUNTIME_DEVICE_SYNCHRONIZE, &call);
	until(free_at + TICKS_US);
	tell_leave(DOMAIN_RUNTIME, RUNTIME_DEVICE_SYNCHRONIZE, &call);
}

/* A wait behind each launch that was put there to look for an error. */
static void check_each(void)
{
	for (int i = 0; i < 4 * ROUNDS; i++) {
		kernel(15);
		if (!repaired)
			device_synchronize();
	}
	device_synchronize();
}

/* A call of the runtime with the driver's in it, of the same arguments; the device is waited for
 * if it says so. */
static void memory_call(const char *function, uint32_t id, const char *inner_function,
			uint32_t inner_id, const void *arguments, bool waits)
{
	struct call call = tell_make(function, arguments), inner = call;
	uint64_t between = 0;

	inner.function = inner_function;
	inner.between = &between;
	tell_enter(DOMAIN_RUNTIME, id, &call);
	tell_enter(DOMAIN_DRIVER, inner_id, &inner);
	if (waits)
		until(free_at + TICKS_US);
	host_us(30);
	tell_leave(DOMAIN_DRIVER, inner_id, &inner);
	tell_leave(DOMAIN_RUNTIME, id, &call);
}

/* Memory for each step: to free it waits for the device. */
static void malloc_loop(void)
{
	uint64_t address = DEVICE_B;
	struct {
		uint64_t *address;
		size_t bytes;
	} arguments = {&address, BYTES};

	for (int i = 0; i < ROUNDS; i++) {
		if (!repaired)
			memory_call("cudaMalloc", RUNTIME_MALLOC, "cuMemAlloc_v2", DRIVER_MEM_ALLOC,
				    &arguments, false);
		kernel(60);
		if (!repaired)
			memory_call("cudaFree", RUNTIME_FREE, "cuMemFree_v2", DRIVER_MEM_FREE,
				    &address, true);
	}
	synchronize();
}

/* Same, that is never freed. */
static void malloc_left(void)
{
	uint64_t address = UINT64_C(0x7f0000000000);
	struct {
		uint64_t *address;
		size_t bytes;
	} arguments = {&address, BYTES};

	for (int i = 0; i < ROUNDS; i++) {
		if (!repaired || !i)
			memory_call("cudaMalloc", RUNTIME_MALLOC, "cuMemAlloc_v2", DRIVER_MEM_ALLOC,
				    &arguments, false);
		address += BYTES;
		kernel(10);
	}
	synchronize();
}

/* Before each launch it looks whether there is room. */
static void room_each(void)
{
	size_t room = 0, all = 0;
	const void *arguments[2] = {&room, &all};

	for (int i = 0; i < ROUNDS; i++) {
		struct call call = tell_make("cudaMemGetInfo", arguments);

		if (!repaired) {
			tell_enter(DOMAIN_RUNTIME, RUNTIME_MEM_GET_INFO, &call);
			host_us(60);
			tell_leave(DOMAIN_RUNTIME, RUNTIME_MEM_GET_INFO, &call);
		}
		kernel(10);
	}
	synchronize();
}

/* A structure for each launch, field by field. */
static void fields(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t parts = repaired ? 1 : 16, bytes = 1024 / parts;

		memset(host[0], i, 1024);
		for (uint64_t k = 0; k < parts; k++)
			copy(DEVICE_A + k * bytes, (uintptr_t)host[0] + k * bytes, bytes, TO_DEVICE,
			     PINNED);
		kernel(40);
	}
	synchronize();
}

/* Data of the next turn is on its way, and the host waits for the turn before. */
static void clean_ahead(void)
{
	repaired = true;
	one_stream();
}

static const struct tell_case cases[] = {
	TELL_CASE(wait_each),
	TELL_CASE(poll),
	TELL_CASE(pageable),
	TELL_CASE(columns),
	TELL_CASE(bounce),
	TELL_CASE(state_restored),
	TELL_CASE(by_host),
	TELL_CASE(by_host_copied),
	TELL_CASE(by_host_streams),
	TELL_CASE(by_host_default),
	TELL_CASE(download_untouched),
	TELL_CASE(clean_download_new),
	TELL_CASE(graph_host_node),
	TELL_CASE(download_again),
	TELL_CASE(upload_again),
	TELL_CASE(array_again),
	TELL_CASE(upload_again_default),
	TELL_CASE(volume_again),
	TELL_CASE(volume_again_driver),
	TELL_CASE(rows_read_again),
	TELL_CASE(clean_volume_new),
	TELL_CASE(volume_read_again),
	TELL_CASE(upload_new),
	TELL_CASE(module_loop),
	TELL_CASE(stream_loop),
	TELL_CASE(check_each),
	TELL_CASE(malloc_loop),
	TELL_CASE(malloc_left),
	TELL_CASE(room_each),
	TELL_CASE(fields),
	TELL_CASE(clean_ahead),
	TELL_CASE(one_stream),
	TELL_CASE(slow_start),
	TELL_CASE(streams_in_turn),
	TELL_CASE(streams_in_step),
	TELL_CASE(joined_parts),
	TELL_CASE(other_kernel),
	TELL_CASE(other_kernel_since),
	TELL_CASE(clean_less_memory),
	TELL_CASE(elements_in_one_stream),
	TELL_CASE(clean_three_places),
	TELL_CASE(lone_kernel),
	TELL_CASE(clean_results_apart),
	TELL_CASE(clean_results_beside),
	TELL_CASE(default_stream_between),
	TELL_CASE(default_event_between),
	TELL_CASE(chained_streams),
	TELL_CASE(chained_parts),
	TELL_CASE(chained_twice),
	TELL_CASE(clean_chained_streams),
	TELL_CASE(clean_default_stream),
	TELL_CASE(host_function_heavy),
	TELL_CASE(host_function_last),
	TELL_CASE(loader_alone),
	TELL_CASE(clean_host_function),
	TELL_CASE(events_left),
	TELL_CASE(managed_by_turns),
	TELL_CASE(frames_in_one_stream),
	TELL_CASE(clean_one_buffer),
	TELL_CASE(clean_graph_launches),
	TELL_CASE(clean_server),
	TELL_CASE(events_in_loop),
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	void (*run)(void);
	int status = tell_begin_case(argc, argv, cases, &run);

	if (!run)
		return status;
	repaired = argc > 2 && !strcmp(argv[2], "repaired");
	run();
	for (uint32_t stream = 0; by_stream && stream < 32; stream++) {
		for (size_t k = 0; k < done_count; k++) {
			if (done[k].record.kernel.stream == stream)
				tell_cupti->activity(&done[k].record, done[k].bytes);
		}
	}
	for (size_t k = 0; !by_stream && k < done_count; k++)
		tell_cupti->activity(&done[k].record, done[k].bytes);
	return 0;
}
