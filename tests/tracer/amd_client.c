/* SPDX-License-Identifier: MIT */
/* A client of ROCTracer's in a library of its own, as profilers of HIP and HSA are: it begins when
 * it is loaded (LD_PRELOAD), or when HSA calls its OnLoad() (HSA_TOOLS_LIB), and says when the
 * process ends what it got, in the words of the programs' `expect` lines, on stderr.
 *
 * AMD_CLIENT   hip hsa: all of the domain; hip-op: one function, one operation; hip-domain: as hip,
 *              enabled for all domains at once; hip-stop: stopped before the program's first call
 * AMD_PHASE_DATA   where the struct of HIP's version has it; 0: nowhere
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roctracer/roctracer.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hip.h"
#include "roctracer/roctracer_hsa.h"

#define FUNCTIONS 1024u
#define IDS 4096u
#define NAMES 8u
#define MAGIC 0x5eed5eed5eed5eedu

static const char *mode = "";
static uint32_t api_domain, ops_domain;
static size_t phase_data_at;
static unsigned entries[FUNCTIONS], exits[FUNCTIONS], failed[FUNCTIONS], api_records[FUNCTIONS];
static unsigned wrong, strays, kernels, copies, fills, barriers, to_device, to_host, written;
static uint64_t bytes_to_device, bytes_to_host, bytes_filled;
static struct {
	const char *name;
	unsigned count;
} names[NAMES];
static struct {
	uint64_t id, entered_ns;
	uint32_t cid;
} calls[IDS];
static unsigned call_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (!(condition) && wrong++ < 10)                                      \
			fprintf(stderr, "wrong: line %d: %s\n", __LINE__, #condition); \
	} while (0)

static bool is_hip(void)
{
	return !strncmp(mode, "hip", 3);
}

static void call_note(uint64_t id, uint32_t cid)
{
	uint64_t now = 0;

	roctracer_get_timestamp(&now);
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < call_count; i++)
		CHECK(calls[i].id != id);
	if (call_count < IDS) {
		calls[call_count].id = id;
		calls[call_count].cid = cid;
		calls[call_count++].entered_ns = now;
	}
	pthread_mutex_unlock(&lock);
}

/* The arguments, by their places in the structs of HIP's and HSA's headers. */
static void arguments_check(uint32_t domain, uint32_t cid, const void *data, uint32_t phase)
{
	const char *name = roctracer_op_string(domain, cid, 0);
	const uint8_t *args = (const uint8_t *)data + 16;
	const hsa_api_data_t *hsa = data;
	void *const *pointer;
	uint64_t bytes;
	uint32_t grid[3];

	CHECK(name != NULL);
	if (!name)
		return;
	if (!strcmp(name, "hipMalloc")) {
		memcpy(&pointer, args, sizeof(pointer));
		memcpy(&bytes, args + 16, sizeof(bytes));
		CHECK(pointer != NULL && bytes >= 16);
		CHECK(phase == ACTIVITY_API_PHASE_ENTER || *pointer ||
		      getenv("STUB_HIP_NO_DEVICE"));
	} else if (!strcmp(name, "hipLaunchKernel")) {
		memcpy(&pointer, args, sizeof(pointer));
		memcpy(grid, args + 8, sizeof(grid));
		CHECK(pointer != NULL && grid[0] >= 1 && grid[0] <= 64 && grid[2] == 1);
	} else if (!strcmp(name, "hsa_amd_memory_pool_allocate")) {
		CHECK(hsa->args.hsa_amd_memory_pool_allocate.size == 8192 &&
		      hsa->args.hsa_amd_memory_pool_allocate.memory_pool.handle);
		written += phase == ACTIVITY_API_PHASE_EXIT && !hsa->hsa_status_t_retval &&
			   *(void **)hsa->args.hsa_amd_memory_pool_allocate.ptr;
	} else if (!strcmp(name, "hsa_queue_create")) {
		CHECK(hsa->args.hsa_queue_create.size == 16 &&
		      hsa->args.hsa_queue_create.queue != NULL);
	}
}

static uint64_t *phase_data_of(const void *data)
{
	uint64_t *at = NULL;

	if (!is_hip())
		return ((const hsa_api_data_t *)data)->phase_data;
	if (phase_data_at)
		memcpy(&at, (const uint8_t *)data + phase_data_at, sizeof(at));
	return at;
}

static void called(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	const hip_api_data_t *api = data;
	uint64_t *word = phase_data_of(data);

	CHECK(arg == &entries && api->correlation_id && cid < FUNCTIONS);
	if (domain != api_domain || cid >= FUNCTIONS)
		return;
	CHECK(word || (is_hip() && !phase_data_at));
	arguments_check(domain, cid, data, api->phase);
	if (api->phase == ACTIVITY_API_PHASE_ENTER) {
		entries[cid]++;
		call_note(api->correlation_id, cid);
		CHECK(!word || !*word);
		if (word)
			*word = api->correlation_id ^ MAGIC;
	} else {
		exits[cid]++;
		CHECK(!word || *word == (api->correlation_id ^ MAGIC));
		if (!is_hip())
			failed[cid] += ((const hsa_api_data_t *)data)->hsa_status_t_retval != 0;
	}
	/* Clients fill in what pointers lead to (hipApiArgsInit): the struct is theirs. */
	if (is_hip() && phase_data_at)
		((uint8_t *)(uintptr_t)data)[phase_data_at - 1] = 1;
}

static void name_count(const char *name)
{
	for (unsigned i = 0; i < NAMES; i++) {
		if (!names[i].name)
			names[i].name = name;
		if (!strcmp(names[i].name, name)) {
			names[i].count++;
			return;
		}
	}
}

/* What a device did: of a call that was called back, and after its entry. */
static void operation(const roctracer_record_t *record)
{
	const char *kind = roctracer_op_string(record->domain, record->op, record->kind);
	bool found = false;

	CHECK(record->begin_ns && record->begin_ns <= record->end_ns);
	CHECK(record->device_id >= 0 && record->device_id < 8 && record->queue_id);
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < call_count && !found; i++) {
		if (calls[i].id != record->correlation_id)
			continue;
		found = true;
		/* The clock's fit is good to some 100 us here. */
		CHECK(record->end_ns + 1000000 > calls[i].entered_ns);
	}
	pthread_mutex_unlock(&lock);
	strays += !found && (is_hip() || record->op == HSA_OP_ID_COPY);
	CHECK(kind != NULL);
	if (record->op == HIP_OP_ID_DISPATCH) {
		kernels++;
		/* HIP 5.2 does not say what a graph launches. */
		CHECK(record->kernel_name && (record->kernel_name[0] || !phase_data_at));
		name_count(record->kernel_name);
	} else if (record->op == HIP_OP_ID_COPY) {
		copies++;
		CHECK(record->bytes);
		if (record->kind == 0x1207) {
			fills++;
			bytes_filled += record->bytes;
		} else if (record->kind == 0x11F4) {
			to_device++;
			bytes_to_device += record->bytes;
			CHECK(!is_hip() || !strcmp(kind, "CopyHostToDevice"));
		} else if (record->kind == 0x11F3) {
			to_host++;
			bytes_to_host += record->bytes;
			CHECK(!is_hip() || !strcmp(kind, "CopyDeviceToHost"));
		}
	} else if (record->op == HIP_OP_ID_BARRIER) {
		barriers++;
	}
}

static void delivered(const char *begin, const char *end, void *arg)
{
	const roctracer_record_t *record = (const void *)begin, *last = (const void *)end;

	CHECK(arg == &wrong);
	while (record < last) {
		if (record->domain == api_domain) {
			CHECK(record->op < FUNCTIONS && record->process_id == (uint32_t)getpid() &&
			      record->thread_id && record->begin_ns <= record->end_ns);
			api_records[record->op % FUNCTIONS]++;
		} else if (record->domain == ops_domain) {
			operation(record);
		}
		CHECK(roctracer_next_record(record, &record) == ROCTRACER_STATUS_SUCCESS);
	}
}

static void enable(void)
{
	roctracer_properties_t properties = {.buffer_size = 0x4000,
					     .buffer_callback_fun = delivered,
					     .buffer_callback_arg = &wrong};
	uint32_t cid = 0;

	CHECK(!roctracer_open_pool(&properties));
	if (!strcmp(mode, "hip-domain")) {
		CHECK(!roctracer_enable_callback(called, &entries));
		CHECK(!roctracer_enable_activity());
	} else if (!strcmp(mode, "hip-op")) {
		CHECK(!roctracer_op_code(api_domain, "hipMalloc", &cid, NULL));
		CHECK(!roctracer_enable_op_callback(api_domain, cid, called, &entries));
		CHECK(!roctracer_enable_op_activity(api_domain, cid));
		CHECK(!roctracer_enable_op_activity(ops_domain, HIP_OP_ID_COPY));
	} else {
		CHECK(!roctracer_enable_domain_callback(api_domain, called, &entries));
		CHECK(!roctracer_enable_domain_activity(api_domain));
		CHECK(!roctracer_enable_domain_activity(ops_domain));
	}
	if (!strcmp(mode, "hip-stop"))
		roctracer_stop();
}

static void say(const char *what, const char *name, uint64_t count)
{
	fprintf(stderr, "got %s%s %lu\n", what, name ? name : "", (unsigned long)count);
}

static void end(void)
{
	static bool ended;

	if (ended)
		return;
	ended = true;
	CHECK(!roctracer_flush_activity());
	if (!strcmp(mode, "hip-domain")) {
		CHECK(!roctracer_disable_callback() && !roctracer_disable_activity());
	} else {
		CHECK(!roctracer_disable_domain_callback(api_domain));
		CHECK(!roctracer_disable_domain_activity(api_domain));
		CHECK(!roctracer_disable_domain_activity(ops_domain));
	}
	CHECK(!roctracer_close_pool());
	/* Not in commands on the way to the program. */
	if (strncmp(program_invocation_short_name, "hip-", 4) != 0 &&
	    strncmp(program_invocation_short_name, "hsa-", 4) != 0)
		return;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const char *name = roctracer_op_string(api_domain, i, 0);

		CHECK(entries[i] == exits[i] || !strcmp(mode, "hip-stop"));
		if (entries[i] || api_records[i]) {
			say("calls:", name, entries[i]);
			say("records:", name, api_records[i]);
			say("failed:", name, failed[i]);
		}
	}
	say("kernels", NULL, kernels);
	say("copy_h2d", NULL, to_device);
	say("copy_d2h", NULL, to_host);
	say("copies", NULL, copies);
	say("fill", NULL, fills);
	say("barrier", NULL, barriers);
	say("bytes:copy_h2d", NULL, bytes_to_device);
	say("bytes:copy_d2h", NULL, bytes_to_host);
	say("bytes:fill", NULL, bytes_filled);
	say("written", NULL, written);
	for (unsigned i = 0; i < NAMES && names[i].name; i++)
		say("kernel:", names[i].name, names[i].count);
	say("strays", NULL, strays);
	say("wrong", NULL, wrong);
}

__attribute__((visibility("default"))) bool OnLoad(void *table, uint64_t version,
						   uint64_t failed_count, const char *const *tools);
__attribute__((visibility("default"))) void OnUnload(void);

/* As rocprof's tool does: the table first, then what it wants of it. */
bool OnLoad(void *table, uint64_t version, uint64_t failed_count, const char *const *tools)
{
	struct hsa_ops_properties_t properties = {.table = table};

	(void)version, (void)failed_count, (void)tools;
	CHECK(!roctracer_set_properties(ACTIVITY_DOMAIN_HSA_API, table));
	CHECK(!roctracer_set_properties(ACTIVITY_DOMAIN_HSA_OPS, &properties));
	enable();
	return true;
}

void OnUnload(void)
{
	end();
}

__attribute__((constructor)) static void loaded(void)
{
	const char *at = getenv("AMD_PHASE_DATA");

	mode = getenv("AMD_CLIENT") ?: "";
	phase_data_at = at ? strtoul(at, NULL, 10) : 0;
	api_domain = is_hip() ? ACTIVITY_DOMAIN_HIP_API : ACTIVITY_DOMAIN_HSA_API;
	ops_domain = is_hip() ? ACTIVITY_DOMAIN_HIP_OPS : ACTIVITY_DOMAIN_HSA_OPS;
	if (is_hip())
		enable();
}

__attribute__((destructor)) static void unloaded(void)
{
	end();
}
