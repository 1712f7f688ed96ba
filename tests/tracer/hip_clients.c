/* SPDX-License-Identifier: MIT */
/* Clients of ROCTracer's in HIP programs, in the order of their calls and with their checks, around
 * MatrixTranspose, the program that ROCTracer's specification traces. Facts: their public sources
 * (TAU's TauRocTracer.cpp, APEX's hip_trace.cpp, Caliper's RocTracer.cpp, ROCTracer's tracer_tool).
 *
 *	hip-clients-N matrix|tau|apex|caliper|rocprof|numbers */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../stubs/hip/hip.h"
#include "check.h"
#include "roctracer/roctracer.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hcc.h"
#include "roctracer/roctracer_hip.h"
#include "roctracer/roctracer_roctx.h"

#define WIDTH 64u
#define NUM (WIDTH * WIDTH)
#define ITERATIONS 3u
#define IDS 256u
#define S(call) ((call) == ROCTRACER_STATUS_SUCCESS)

/* What all of these do with a status: a library that fails ends the program. */
#define ROCTRACER_CALL(call)                                                          \
	do {                                                                          \
		if ((call) != ROCTRACER_STATUS_SUCCESS) {                             \
			fprintf(stderr, "%s: %s\n", #call, roctracer_error_string()); \
			abort();                                                      \
		}                                                                     \
	} while (0)

static uint32_t launch, memcpy_id, malloc_id;
static unsigned entries, exits, kernels, copies, barriers, calls, bad_domains, unmatched,
	names_wrong;
static unsigned ranges, marks, at_exit, host_times_wrong;
static uint64_t ids[IDS], first_ns;
static unsigned id_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- MatrixTranspose ------------------------------------------------------------------------- */

static char matrixTranspose; /* the kernel's host function */

static void transpose(void **arguments)
{
	float *out = *(float **)arguments[0], *in = *(float **)arguments[1];

	for (unsigned y = 0; y < WIDTH; y++)
		for (unsigned x = 0; x < WIDTH; x++)
			out[y * WIDTH + x] = in[x * WIDTH + y];
}

static unsigned matrix_transpose(void)
{
	struct dim blocks = {WIDTH / 4, WIDTH / 4, 1}, threads = {4, 4, 1};
	static float matrix[NUM], transposed[NUM];
	float *device_in = NULL, *device_out = NULL;
	void *arguments[] = {&device_out, &device_in};
	unsigned errors = 0;

	for (unsigned i = 0; i < NUM; i++)
		matrix[i] = (float)i * 10.0f;
	errors += hipMalloc((void **)&device_in, sizeof(matrix)) != 0;
	errors += hipMalloc((void **)&device_out, sizeof(matrix)) != 0;
	errors += hipMemcpy(device_in, matrix, sizeof(matrix), HIP_HOST_TO_DEVICE) != 0;
	errors += hipLaunchKernel(&matrixTranspose, blocks, threads, arguments, 0, NULL) != 0;
	errors += hipMemcpy(transposed, device_out, sizeof(matrix), HIP_DEVICE_TO_HOST) != 0;
	for (unsigned y = 0; y < WIDTH; y++)
		for (unsigned x = 0; x < WIDTH; x++)
			errors += fabsf(transposed[y * WIDTH + x] - matrix[x * WIDTH + y]) > 1e-6f;
	errors += hipFree(device_in) != 0;
	errors += hipFree(device_out) != 0;
	return errors;
}

/* --- what clients keep ------------------------------------------------------------------------ */

static void id_keep(uint64_t id)
{
	pthread_mutex_lock(&lock);
	if (id_count < IDS)
		ids[id_count++] = id;
	pthread_mutex_unlock(&lock);
}

/* As their maps do: an id is found once. */
static bool id_take(uint64_t id)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < id_count && !found; i++)
		if (ids[i] == id) {
			ids[i] = 0;
			found = id != 0;
		}
	pthread_mutex_unlock(&lock);
	return found;
}

static void hip_callback(uint32_t domain, uint32_t cid, const void *callback_data, void *arg)
{
	const hip_api_data_t *data = callback_data;
	const uint8_t *args = (const uint8_t *)callback_data + 16;
	const void *function;
	void **pointer;

	(void)arg;
	bad_domains += domain != ACTIVITY_DOMAIN_HIP_API;
	if (data->phase == ACTIVITY_API_PHASE_ENTER) {
		entries++;
		if (cid == launch) {
			memcpy(&function, args, sizeof(function));
			names_wrong += strcmp(hipKernelNameRefByPtr(function, NULL) ?: "",
					      "matrixTranspose") != 0;
		}
		if (cid == launch || cid == memcpy_id)
			id_keep(data->correlation_id);
	} else {
		exits++;
		if (cid == malloc_id) {
			memcpy(&pointer, args, sizeof(pointer));
			names_wrong += !*pointer;
		}
	}
}

static void roctx_callback(uint32_t domain, uint32_t cid, const void *callback_data, void *arg)
{
	const roctx_api_data_t *data = callback_data;

	(void)arg;
	bad_domains += domain != ACTIVITY_DOMAIN_ROCTX;
	ranges += cid == ROCTX_API_ID_roctxRangePushA && !strcmp(data->args.message, "step");
	ranges += cid == ROCTX_API_ID_roctxRangePop;
	ranges += cid == ROCTX_API_ID_roctxRangeStartA && data->args.id;
	ranges += cid == ROCTX_API_ID_roctxRangeStop && data->args.id;
	marks += cid == ROCTX_API_ID_roctxMarkA;
}

/* Those of operations alone end the program at anything else; so this counts. */
static void record_take(const roctracer_record_t *record, bool calls_too)
{
	uint64_t now = 0;

	roctracer_get_timestamp(&now);
	if (record->domain == ACTIVITY_DOMAIN_HIP_API && calls_too) {
		calls++;
		return;
	}
	if (record->domain != ACTIVITY_DOMAIN_HCC_OPS) {
		bad_domains++;
		return;
	}
	kernels += record->op == HIP_OP_ID_DISPATCH;
	copies += record->op == HIP_OP_ID_COPY;
	barriers += record->op == HIP_OP_ID_BARRIER;
	unmatched += !id_take(record->correlation_id);
	names_wrong += !roctracer_op_string(record->domain, record->op, record->kind);
	/* They add the difference of two clocks' readings, and expect the program's time. */
	host_times_wrong += record->begin_ns + 1000000 < first_ns || record->end_ns > now + 1000000;
}

static void records_take(const char *begin, const char *end, bool calls_too)
{
	const roctracer_record_t *record = (const void *)begin, *last = (const void *)end;

	while (record < last) {
		record_take(record, calls_too);
		ROCTRACER_CALL(roctracer_next_record(record, &record));
	}
}

static void operations_callback(const char *begin, const char *end, void *arg)
{
	(void)arg;
	records_take(begin, end, false);
}

static void all_callback(const char *begin, const char *end, void *arg)
{
	(void)arg;
	records_take(begin, end, true);
}

static void results(unsigned runs, bool external_calls)
{
	OK(entries == exits && entries == 7 * runs, "%u entries, %u exits", entries, exits);
	OK(kernels == runs && copies == 2 * runs, "%u kernels, %u copies, %u barriers", kernels,
	   copies, barriers);
	OK(!external_calls || calls == 7 * runs, "%u records of calls", calls);
	OK(!unmatched, "%u without their call", unmatched);
	OK(!bad_domains, "%u of other domains", bad_domains);
	OK(!names_wrong, "%u names or arguments wrong", names_wrong);
	OK(!host_times_wrong, "%u times that are not the host's", host_times_wrong);
}

/* --- the specification's sample, around MatrixTranspose ------------------------------------------ */

static void matrix(void)
{
	roctracer_properties_t properties = {.buffer_size = 0x1000,
					     .buffer_callback_fun = all_callback};

	ROCTRACER_CALL(roctracer_open_pool(&properties));
	for (unsigned i = 0; i < ITERATIONS; i++) {
		ROCTRACER_CALL(roctracer_enable_callback(hip_callback, NULL));
		ROCTRACER_CALL(roctracer_enable_activity());
		OK(!matrix_transpose(), "the matrix is transposed");
		ROCTRACER_CALL(roctracer_disable_callback());
		ROCTRACER_CALL(roctracer_disable_activity());
		ROCTRACER_CALL(roctracer_flush_activity());
	}
	OK(!matrix_transpose(), "and once more, untraced");
	ROCTRACER_CALL(roctracer_close_pool());
	results(ITERATIONS, true);
}

/* --- TAU ------------------------------------------------------------------------------------------ */

static void tau_start(void)
{
	static bool begun;
	roctracer_properties_t properties;

	if (!begun) {
		begun = true;
		roctracer_set_properties(ACTIVITY_DOMAIN_HIP_API, NULL);
		memset(&properties, 0, sizeof(properties));
		properties.buffer_size = 65536;
		properties.buffer_callback_fun = operations_callback;
		ROCTRACER_CALL(roctracer_open_pool(&properties));
	}
	ROCTRACER_CALL(
		roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, hip_callback, NULL));
	ROCTRACER_CALL(
		roctracer_enable_domain_callback(ACTIVITY_DOMAIN_ROCTX, roctx_callback, NULL));
	ROCTRACER_CALL(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
}

static void tau(void)
{
	for (unsigned i = 0; i < 2; i++) {
		roctx_range_id_t range;

		tau_start();
		roctxRangePush("step");
		range = roctxRangeStart("iteration");
		OK(!matrix_transpose(), "the matrix is transposed");
		roctxRangeStop(range);
		roctxRangePop();
		roctxMark("done");
		ROCTRACER_CALL(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API));
		ROCTRACER_CALL(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
		ROCTRACER_CALL(roctracer_flush_activity());
	}
	/* It flushes at MPI_Finalize as well; its pool is never closed. */
	ROCTRACER_CALL(roctracer_flush_activity());
	OK(ranges == 8 && marks == 2, "%u ends of ranges, %u marks", ranges, marks);
	results(2, false);
}

/* --- APEX ----------------------------------------------------------------------------------------- */

static void apex(void)
{
	roctracer_properties_t properties;

	roctracer_set_properties(ACTIVITY_DOMAIN_HIP_API, NULL);
	memset(&properties, 0, sizeof(properties));
	properties.buffer_size = 0x1000;
	properties.buffer_callback_fun = operations_callback;
	ROCTRACER_CALL(roctracer_open_pool(&properties));
	ROCTRACER_CALL(
		roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, hip_callback, NULL));
	ROCTRACER_CALL(
		roctracer_enable_domain_callback(ACTIVITY_DOMAIN_KFD_API, roctx_callback, NULL));
	ROCTRACER_CALL(
		roctracer_enable_domain_callback(ACTIVITY_DOMAIN_ROCTX, roctx_callback, NULL));
	ROCTRACER_CALL(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
	ROCTRACER_CALL(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_KFD_API));
	roctracer_start();
	OK(!matrix_transpose(), "the matrix is transposed");
	ROCTRACER_CALL(roctracer_flush_activity());
	roctracer_stop();
	ROCTRACER_CALL(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API));
	ROCTRACER_CALL(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_KFD_API));
	ROCTRACER_CALL(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_ROCTX));
	ROCTRACER_CALL(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
	ROCTRACER_CALL(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_EXT_API));
	ROCTRACER_CALL(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_KFD_API));
	ROCTRACER_CALL(roctracer_flush_activity());
	results(1, false);
}

/* --- Caliper -------------------------------------------------------------------------------------- */

static void caliper(void)
{
	roctracer_properties_t properties;
	roctracer_pool_t *pool = NULL;
	uint64_t start = 0;

	OK(S(roctracer_get_timestamp(&start)) && start, "a time");
	roctracer_set_properties(ACTIVITY_DOMAIN_HIP_API, NULL);
	OK(S(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, hip_callback, &entries)),
	   "callbacks, before there is a pool");
	memset(&properties, 0, sizeof(properties));
	properties.buffer_size = 0x800000;
	properties.buffer_callback_fun = operations_callback;
	OK(S(roctracer_open_pool_expl(&properties, &pool)), "a pool of 8 MiB");
	OK(!roctracer_default_pool_expl(pool), "which becomes the default one: there was none");
	OK(S(roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HIP_OPS, pool)),
	   "HIP's operations");
	OK(S(roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HCC_OPS, pool)),
	   "and HCC's, which are the same");
	OK(!matrix_transpose(), "the matrix is transposed");
	OK(S(roctracer_flush_activity_expl(pool)), "flushed before the channel is");
	OK(S(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API)), "no callbacks");
	OK(S(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HCC_OPS)) &&
		   S(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS)),
	   "no operations, said twice");
	OK(S(roctracer_close_pool_expl(pool)), "closed");
	results(1, false);
}

/* --- rocprof's tool -------------------------------------------------------------------------------- */

static bool rocprof_on;

static void rocprof_unload(void)
{
	if (!rocprof_on)
		return;
	ROCTRACER_CALL(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API));
	ROCTRACER_CALL(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_API));
	ROCTRACER_CALL(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HCC_OPS));
	ROCTRACER_CALL(roctracer_flush_activity());
	ROCTRACER_CALL(roctracer_close_pool());
	results(1, true);
	at_exit++;
}

/* After the exit handlers: nothing may fail, and all has been delivered. */
__attribute__((destructor)) static void destructor(void)
{
	rocprof_unload();
	if (rocprof_on && tap_failed)
		_exit(1);
}

static void rocprof(void)
{
	roctracer_properties_t properties = {.buffer_size = 0x80000,
					     .buffer_callback_fun = all_callback};

	ROCTRACER_CALL(roctracer_open_pool(&properties));
	ROCTRACER_CALL(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HCC_OPS));
	ROCTRACER_CALL(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_API));
	ROCTRACER_CALL(
		roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, hip_callback, NULL));
	rocprof_on = true;
	OK(!matrix_transpose(), "the matrix is transposed");
}

/* --- numbers ---------------------------------------------------------------------------------- */

#if STUB_HIP == 603
static unsigned number_calls[IDS * 2], number_records[IDS * 2];

static void number_called(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	(void)domain, (void)data;
	number_calls[cid % (IDS * 2)] += arg == number_calls;
}

static void number_recorded(const char *begin, const char *end, void *arg)
{
	(void)arg;
	for (const roctracer_record_t *record = (const void *)begin;
	     record < (const roctracer_record_t *)(const void *)end; record++)
		number_records[record->op % (IDS * 2)]++;
}

/* A client has HIP_API_ID_* of the headers of its time: 365 or 379, 399 or 406. */
static void numbers(void)
{
	static const char *const names[] = {"hipExtGetLastError", "hipSetValidDevices"};
	roctracer_properties_t properties = {.buffer_size = 0x1000,
					     .buffer_callback_fun = number_recorded};
	unsigned number[2] = {0}, wrong = 0, all = 0;
	uint32_t op = 0, kind = 1;
	int device = 0;

	OK(sscanf(getenv("HIP_NUMBERS") ?: "", "%u %u", &number[0], &number[1]) == 2, "numbers");
	for (int i = 0; i < 2; i++)
		wrong += roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, names[i], &op, &kind) ||
			 op != number[i] || kind ||
			 strcmp(roctracer_op_string(ACTIVITY_DOMAIN_HIP_API, number[i], 0) ?: "",
				names[i]) != 0;
	OK(!wrong, "functions have those of the runtime that is here, both ways");
	for (uint32_t i = 1; i < 2 * IDS; i++) {
		const char *name = roctracer_op_string(ACTIVITY_DOMAIN_HIP_API, i, 0);

		all += name != NULL;
		wrong += name &&
			 (roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, name, &op, NULL) || op != i);
	}
	OK(!wrong && all > 400, "each of %u numbers is one function's", all);
	OK(S(roctracer_open_pool(&properties)) &&
		   S(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HIP_API, number[0], number_called,
						  number_calls)) &&
		   S(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HIP_API, number[1], number_called,
						  number_calls)) &&
		   S(roctracer_enable_op_activity(ACTIVITY_DOMAIN_HIP_API, number[1])),
	   "they are enabled by them");
	hipExtGetLastError();
	hipSetValidDevices(&device, 1);
	hipSetDevice(0);
	OK(S(roctracer_disable_op_callback(ACTIVITY_DOMAIN_HIP_API, number[1])), "and disabled");
	hipSetValidDevices(&device, 1);
	hipExtGetLastError();
	OK(S(roctracer_close_pool()), "closed");
	OK(number_calls[number[0]] == 4 && number_calls[number[1]] == 2 &&
		   number_records[number[1]] == 2,
	   "callbacks and records have them: %u, %u, %u", number_calls[number[0]],
	   number_calls[number[1]], number_records[number[1]]);
	OK(S(roctracer_disable_callback()), "disabled");
}
#else
static void numbers(void)
{
}
#endif

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} clients[] = {{"matrix", matrix},   {"tau", tau},	   {"apex", apex},
		       {"caliper", caliper}, {"rocprof", rocprof}, {"numbers", numbers}};

	__hipRegisterFunction(NULL, &matrixTranspose, NULL, "matrixTranspose", 0, NULL, NULL, NULL,
			      NULL, NULL);
	stub_hip_code(&matrixTranspose, transpose);
	roctracer_get_timestamp(&first_ns);
	OK(S(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipLaunchKernel", &launch, NULL)) &&
		   S(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipMemcpy", &memcpy_id, NULL)) &&
		   S(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipMalloc", &malloc_id, NULL)),
	   "the functions' numbers");
	for (size_t i = 0; argc > 1 && i < sizeof(clients) / sizeof(clients[0]); i++)
		if (!strcmp(argv[1], clients[i].name))
			clients[i].run();
	return tap_end();
}
