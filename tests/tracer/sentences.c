/* SPDX-License-Identifier: MIT */
/* Sentences of include/tandem/tracer.h that the other programs here do not show, in its order.
 *
 *   sentences [LIBRARY]      of a client, which is closed with a pool open */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/world.h"
#include "check.h"
#include "tandem/opencl_args.h"
#include "tandem/tracer.h"

#define ALL TANDEM_TRACER_ALL

static struct tandem_tracer *tracer;
static uint32_t opencl, annotation, get_platforms;

static void call(void)
{
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
}

static void counting(const struct tandem_tracer_call *call, void *arg)
{
	unsigned *counts = arg;

	counts[call->phase != TANDEM_TRACER_ENTER]++;
}

#define KEPT 300u
static struct {
	_Atomic unsigned count;
	struct tandem_tracer_record record[KEPT];
} kept;

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	_Atomic unsigned *count = arg;

	for (const struct tandem_tracer_record *record = begin; record < end;
	     record = (const void *)((const char *)record + record->struct_size)) {
		if (!count && kept.count < KEPT)
			kept.record[kept.count++] = *record;
		if (count)
			++*count;
	}
}

/* NULL: the records are kept. */
static tandem_tracer_pool_t pool_open(_Atomic unsigned *count)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered,
							   .deliver_arg = count};
	tandem_tracer_pool_t pool = 0;

	return tandem_tracer_pool_open(&properties, &pool) ? 0 : pool;
}

/* --- "a negative errno and have changed nothing" ------------------------------------------------ */

static void *other_error(void *says)
{
	*(int *)says = strcmp(tandem_tracer_error(), "");
	return NULL;
}

static void failures(void)
{
	_Atomic unsigned records = 0;
	tandem_tracer_pool_t pool = pool_open(&records), none = 77;
	struct tandem_tracer_pool_properties properties = {
		.struct_size = sizeof(properties), .buffer_bytes = SIZE_MAX, .deliver = delivered};
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};
	unsigned calls[2] = {0};
	pthread_t thread;
	int says = 1;

	OK(!tandem_tracer_callback_enable(tracer, opencl, get_platforms, counting, calls) &&
		   !tandem_tracer_activity_enable(tracer, opencl, 0, get_platforms, pool),
	   "a callback and a pool");
	OK(tandem_tracer_callback_enable(tracer, opencl, get_platforms, NULL, NULL) == -EINVAL &&
		   tandem_tracer_callback_enable(tracer, opencl, 5000, counting, NULL) == -EINVAL &&
		   tandem_tracer_callback_disable(tracer, opencl, 5000) == -EINVAL &&
		   tandem_tracer_callback_disable(tracer, 63, ALL) == -ENODEV &&
		   tandem_tracer_activity_disable(tracer, 63, 0, ALL) == -ENODEV &&
		   tandem_tracer_activity_disable(NULL, opencl, 0, ALL) == -EINVAL &&
		   tandem_tracer_activity_enable(tracer, opencl, 0, get_platforms, 12345) == -EBADF,
	   "what fails: %s", tandem_tracer_error());
	call();
	OK(!tandem_tracer_pool_flush(pool) && calls[0] == 1 && calls[1] == 1 && records == 1,
	   "has changed nothing");
	pthread_create(&thread, NULL, other_error, &says);
	pthread_join(thread, NULL);
	OK(!says && strcmp(tandem_tracer_error(), ""), "and is this thread's failure alone");
	OK(tandem_tracer_pool_open(&properties, &none) == -EINVAL && none == 77 &&
		   !strcmp(tandem_tracer_error(), "a buffer can't have so many bytes"),
	   "a buffer of too many bytes: %s", tandem_tracer_error());
	OK(tandem_tracer_pool_counts(pool, NULL) == -EINVAL, "no place for counts: %s",
	   tandem_tracer_error());
	OK(!tandem_tracer_pool_close(pool) && tandem_tracer_pool_counts(pool, &counts) == -EBADF,
	   "a closed pool has no counts: %s", tandem_tracer_error());
	tandem_tracer_callback_disable(tracer, opencl, ALL);
}

/* --- "every function may be called [...] in a callback" ------------------------------------------ */

static unsigned failed;
static int closed = 1, destroyed = 1;

#define EXPECT(condition) (failed += !(condition))

static void everything(const struct tandem_tracer_call *in, void *arg)
{
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};
	struct tandem_tracer *own = NULL;
	tandem_tracer_pool_t pool;
	uint64_t number;
	uint32_t value;
	static unsigned unused[2];

	if (in->phase != TANDEM_TRACER_ENTER)
		return;
	++*(unsigned *)arg;
	EXPECT(tandem_tracer_version() && !strcmp(tandem_tracer_error(), ""));
	EXPECT(tandem_tracer_domain("opencl") == (int)opencl);
	EXPECT(tandem_tracer_domain_string(opencl) && tandem_tracer_domain_next(ALL) != ALL);
	EXPECT(tandem_tracer_op_string(opencl, 0, get_platforms) &&
	       tandem_tracer_id_string(opencl, get_platforms));
	EXPECT(!tandem_tracer_op_code(opencl, "clFinish", &value, NULL) &&
	       tandem_tracer_op_next(opencl, 0, ALL) != ALL);
	EXPECT(!tandem_tracer_create(&own) && !tandem_tracer_stop(own) &&
	       !tandem_tracer_start(own));
	EXPECT((pool = pool_open(NULL)) != 0);
	EXPECT(!tandem_tracer_callback_enable(own, opencl, ALL, counting, unused));
	EXPECT(!tandem_tracer_activity_enable(own, opencl, ALL, ALL, pool));
	call(); /* nobody's */
	EXPECT(!tandem_tracer_pool_flush(pool) && !tandem_tracer_pool_counts(pool, &counts) &&
	       !counts.delivered);
	EXPECT(!tandem_tracer_activity_disable(own, opencl, ALL, ALL) &&
	       !tandem_tracer_callback_disable(own, opencl, ALL));
	EXPECT(!tandem_tracer_external_push(1) && !tandem_tracer_external_pop(&number));
	EXPECT(!tandem_tracer_timestamp(&number));
	EXPECT(tandem_tracer_clock_error(1000, &value) == -ENOENT);
	EXPECT(!tandem_tracer_mark("nobody's") && tandem_tracer_range_push("nobody's") == 0 &&
	       tandem_tracer_range_pop() == 0);
	EXPECT(!tandem_tracer_range_start("nobody's", &number) &&
	       !tandem_tracer_range_stop(number));
	tandem_tracer_keep(NULL);
	closed = tandem_tracer_pool_close(pool);
	destroyed = tandem_tracer_destroy(own);
	EXPECT(!unused[0] && !unused[1]);
}

static void in_a_callback(void)
{
	unsigned called = 0;

	OK(!tandem_tracer_callback_enable(tracer, opencl, ALL, everything, &called), "a callback");
	call();
	OK(called == 1 && !failed, "calls every function (%u fail)", failed);
	OK(closed == -EBUSY && destroyed == -EBUSY,
	   "its pool and its tool are closed, and kept: it is in a callback itself");
	tandem_tracer_callback_disable(tracer, opencl, ALL);
}

/* --- domains and operations ---------------------------------------------------------------------- */

static void names(void)
{
	static const struct {
		const char *name;
		int number;
	} domains[] = {{"opencl", 1},  {"cuda", 2},	   {"hip", 3},	{"hsa", 4},   {"sycl", 7},
		       {"cudart", 10}, {"annotation", 11}, {"kfd", 12}, {"nvrtc", 13}};
	static const char *const operations[] = {"kernel",  "copy_h2d", "copy_d2h", "copy_d2d",
						 "fill",    "map",	"unmap",    "migrate",
						 "barrier", "marker",	"other"};
	static const char *const annotations[] = {"mark", "range_push", "range_pop", "range_start",
						  "range_stop"};
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(domains) / sizeof(*domains); i++)
		wrong += tandem_tracer_domain(domains[i].name) != domains[i].number;
	OK(!wrong, "domains have the numbers that they always had");
	for (uint32_t i = TANDEM_TRACER_KERNEL; i <= TANDEM_TRACER_OTHER; i++)
		wrong += strcmp(tandem_tracer_op_string(opencl, 1, i), operations[i]) != 0;
	for (uint32_t i = TANDEM_TRACER_MARK; i <= TANDEM_TRACER_RANGE_STOP; i++)
		wrong += strcmp(tandem_tracer_id_string(annotation, i), annotations[i - 1]) != 0;
	OK(!wrong, "operations and annotations are named as they are numbered");
	OK(tandem_tracer_op_next(opencl, 0, ALL) == 1 &&
		   tandem_tracer_op_next(opencl, 1, ALL) == 0 &&
		   tandem_tracer_op_next(opencl, 1, TANDEM_TRACER_OTHER) == ALL &&
		   tandem_tracer_op_next(63, 0, ALL) == ALL,
	   "functions are numbered from 1, operations from 0 to the last");
	for (uint32_t i = ALL; (i = tandem_tracer_op_next(opencl, 0, i)) != ALL;)
		wrong +=
			tandem_tracer_id_string(opencl, i) != tandem_tracer_op_string(opencl, 0, i);
	OK(!wrong, "id_string is op_string of functions");
}

static void tools(void)
{
	struct tandem_tracer *more[8] = {tracer};
	unsigned made = 1;

	while (made < 8 && !tandem_tracer_create(&more[made]))
		made++;
	OK(made == 7 && !more[7], "%u tools at once: %s", made, tandem_tracer_error());
	OK(!tandem_tracer_destroy(more[--made]) && !tandem_tracer_create(&more[made]),
	   "and one more where one has gone");
	for (; made; made--)
		tandem_tracer_destroy(more[made]);
}

/* --- callbacks ----------------------------------------------------------------------------------- */

static _Atomic int staying;

/* Long enough to be waited for, and shorter than anyone waits. */
static void stay(const struct tandem_tracer_call *call, void *arg)
{
	const struct timespec pause = {.tv_nsec = 200000000};

	(void)call, (void)arg;
	staying = 1;
	nanosleep(&pause, NULL);
	staying = 2;
}

static void *calling(void *unused)
{
	(void)unused;
	call();
	return NULL;
}

/* -EBUSY says that the second was over, on a busy machine. */
static int waited(int destroys)
{
	struct tandem_tracer *own = NULL;
	pthread_t thread;
	int error, left;

	staying = 0;
	if (tandem_tracer_create(&own) ||
	    tandem_tracer_callback_enable(own, opencl, ALL, stay, NULL))
		return -ENOMEM;
	pthread_create(&thread, NULL, calling, NULL);
	WAIT_FOR(staying);
	error = destroys ? tandem_tracer_destroy(own)
			 : tandem_tracer_callback_disable(own, opencl, ALL);
	left = staying == 2;
	pthread_join(thread, NULL);
	if (!destroys)
		tandem_tracer_destroy(own);
	return error ? error : left ? 0 : -ECHILD;
}

static void waits(void)
{
	for (int destroys = 0; destroys < 2; destroys++) {
		int error = -EBUSY;

		for (int turn = 0; turn < 10 && error == -EBUSY; turn++)
			error = waited(destroys);
		OK(!error, "%s waits for a callback in another thread (%d)",
		   destroys ? "destroy" : "disable", error);
	}
}

static struct {
	unsigned calls, wrong;
	int32_t result;
	uint64_t begin_ns, end_ns;
	uint32_t args_bytes;
	int32_t returned; /* by clUnloadCompiler() */
} last;

static void noting(const struct tandem_tracer_call *call, void *arg)
{
	(void)arg;
	last.calls++;
	last.wrong += call->external_id || !call->data || !call->correlation_id;
	last.args_bytes = call->args_bytes;
	if (call->args_bytes == sizeof(struct opencl_args_clUnloadCompiler))
		last.returned = ((const struct opencl_args_clUnloadCompiler *)call->args)->returned;
	if (call->phase == TANDEM_TRACER_ENTER) {
		last.begin_ns = call->time_ns;
		last.wrong += call->result != 0;
	} else {
		last.end_ns = call->time_ns;
		last.result = call->result;
	}
}

static void call_members(struct world *world)
{
	uint64_t before, after, own;
	struct timespec now;
	cl_int error;

	clock_gettime(CLOCK_MONOTONIC, &now);
	own = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	OK(!tandem_tracer_timestamp(&after) && after >= own && after - own < 60000000000u,
	   "a time stamp is CLOCK_MONOTONIC's");
	OK(!tandem_tracer_callback_enable(tracer, ALL, ALL, noting, NULL), "all of all domains");
	tandem_tracer_timestamp(&before);
	OK(clFinish(NULL) == CL_INVALID_COMMAND_QUEUE && last.result == CL_INVALID_COMMAND_QUEUE,
	   "a call that fails has its status (%d)", last.result);
	tandem_tracer_timestamp(&after);
	OK(before <= last.begin_ns && last.begin_ns <= last.end_ns && last.end_ns <= after,
	   "its times are between others of the clock");
	OK(!clCreateBuffer(world->context, 0, 0, NULL, &error) && error && last.result == error &&
		   last.args_bytes == sizeof(struct opencl_args_clCreateBuffer),
	   "also one that stores it");
	last.result = 1;
	OK(!clGetExtensionFunctionAddress("nothing") && !last.result, "what has none has 0");
	last.calls = 0;
	error = clUnloadCompiler();
	OK(last.calls == 2 && last.returned == error && last.result == error,
	   "without arguments there is what the function returned");
	last.calls = 0;
	tandem_tracer_mark("of another domain");
	OK(last.calls == 1 && !last.wrong, "annotations too, and no external id is 0");
	OK(!tandem_tracer_callback_disable(tracer, ALL, ALL), "all disabled");
	call();
	tandem_tracer_mark("unheard");
	OK(last.calls == 1, "of all domains");
}

/* --- ids ----------------------------------------------------------------------------------------- */

#define THREADS 4
#define CALLS 5000u
static uint64_t ids[THREADS * CALLS];
static _Atomic unsigned id_count;

static void ids_note(const struct tandem_tracer_call *call, void *arg)
{
	unsigned place = call->phase == TANDEM_TRACER_ENTER ? id_count++ : THREADS * CALLS;

	(void)arg;
	if (place < THREADS * CALLS)
		ids[place] = call->correlation_id;
}

static void *many(void *unused)
{
	for (unsigned i = 0; i < CALLS; i++)
		call();
	return unused;
}

static int id_order(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

static void unique_ids(void)
{
	pthread_t thread[THREADS];
	unsigned same = 0;

	tandem_tracer_callback_enable(tracer, opencl, get_platforms, ids_note, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, many, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	qsort(ids, THREADS * CALLS, sizeof(*ids), id_order);
	for (unsigned i = 1; i < THREADS * CALLS; i++)
		same += ids[i] == ids[i - 1];
	OK(id_count == THREADS * CALLS && !same && ids[0], "%u ids: none is 0, none comes twice",
	   id_count);
	tandem_tracer_callback_disable(tracer, opencl, ALL);
}

/* --- records ------------------------------------------------------------------------------------- */

static void pools(void)
{
	_Atomic unsigned first = 0, second = 0;
	tandem_tracer_pool_t one = pool_open(&first), other = pool_open(&second);
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};

	OK(!tandem_tracer_activity_enable(tracer, ALL, ALL, ALL, one), "all into one pool");
	call();
	tandem_tracer_mark("recorded");
	OK(!tandem_tracer_activity_enable(tracer, opencl, 0, get_platforms, other),
	   "one function into another");
	call();
	call();
	tandem_tracer_mark("recorded");
	tandem_tracer_pool_flush(one);
	tandem_tracer_pool_flush(other);
	OK(first == 3 && second == 2, "in place of the first: %u and %u", first, second);
	OK(!tandem_tracer_activity_disable(tracer, opencl, 0, get_platforms), "disabled");
	call();
	tandem_tracer_mark("recorded");
	tandem_tracer_pool_flush(one);
	tandem_tracer_pool_flush(other);
	OK(first == 4 && second == 2, "that alone: %u and %u", first, second);
	OK(!tandem_tracer_activity_disable(tracer, ALL, ALL, ALL), "all disabled");
	tandem_tracer_mark("not recorded");
	OK(!tandem_tracer_pool_flush(one) && first == 4 &&
		   !tandem_tracer_pool_counts(one, &counts) && counts.delivered == 4,
	   "nothing more comes");
	OK(!tandem_tracer_pool_close(one) && !tandem_tracer_pool_close(other), "closed");
}

static pid_t thread_id;

static void *call_thread(void *unused)
{
	thread_id = (pid_t)syscall(SYS_gettid);
	call();
	return unused;
}

static const struct tandem_tracer_record *kept_of(uint32_t kind, uint32_t op)
{
	for (unsigned i = 0; i < kept.count; i++)
		if (kept.record[i].kind == kind && kept.record[i].op == op)
			return &kept.record[i];
	return NULL;
}

/* world's own queue was made before the tool. */
/* A command whose event it waits for fails: the runtime never runs it. */
static void never_run(cl_context context, cl_command_queue queue, cl_mem numbers,
		      tandem_tracer_pool_t pool)
{
	const struct tandem_tracer_record *fill;
	cl_event gate, event;
	cl_int zero = 0, error, status = CL_QUEUED;

	gate = clCreateUserEvent(context, &error);
	CL(error);
	kept.count = 0;
	CL(clEnqueueFillBuffer(queue, numbers, &zero, sizeof(zero), 0, 64, 1, &gate, &event));
	CL(clSetUserEventStatus(gate, -5));
	clFlush(queue);
	for (unsigned i = 0; i < 2000 && status >= 0; i++, usleep(1000))
		CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				  NULL));
	clReleaseEvent(event);
	clReleaseEvent(gate);
	tandem_tracer_pool_flush(pool);
	fill = kept_of(TANDEM_TRACER_OPERATION, TANDEM_TRACER_FILL);
	OK(status < 0 && fill && fill->result == status && !(fill->flags & TANDEM_TRACER_TIMED) &&
		   fill->error_ns == UINT32_MAX,
	   "a command that never ran has the runtime's error (%d, %d) and no times", status,
	   fill ? fill->result : 1);
}

static void members(struct world *world)
{
	const struct tandem_tracer_record *of_call, *fill, *kernel;
	cl_mem numbers = numbers_create(world, 100);
	tandem_tracer_pool_t pool = pool_open(NULL);
	cl_command_queue before = world->queue, timed, after;
	const cl_int zero = 0;
	uint32_t error_ns = 0;
	pthread_t thread;
	cl_int error;

	timed = clCreateCommandQueue(world->context, world->device, CL_QUEUE_PROFILING_ENABLE,
				     &error);
	OK(!tandem_tracer_activity_enable(tracer, opencl, ALL, ALL, pool), "all of OpenCL");
	after = clCreateCommandQueue(world->context, world->device, 0, &error);
	pthread_create(&thread, NULL, call_thread, NULL);
	pthread_join(thread, NULL);
	world->queue = timed;
	numbers_add(world, numbers, 100, 1, NULL);
	CL(clFinish(timed));
	OK(!tandem_tracer_pool_flush(pool), "flushed");
	of_call = kept_of(TANDEM_TRACER_API, get_platforms);
	kernel = kept_of(TANDEM_TRACER_OPERATION, TANDEM_TRACER_KERNEL);
	OK(of_call && of_call->struct_size == sizeof(*of_call) && !of_call->device &&
		   !of_call->queue && of_call->thread_id == (uint32_t)thread_id &&
		   of_call->process_id == (uint32_t)getpid() && !of_call->error_ns &&
		   !of_call->external_id && of_call->flags == TANDEM_TRACER_TIMED,
	   "a call has its process and thread, and no device");
	OK(kernel && kernel->flags & TANDEM_TRACER_TIMED && kernel->device && kernel->queue &&
		   !kernel->process_id && !kernel->thread_id && !strcmp(kernel->name, "add"),
	   "an operation the opposite; times are known where the program asks for them");
	OK(kernel && !tandem_tracer_clock_error(kernel->device, &error_ns) && error_ns,
	   "times of its device may be off by %u ns", error_ns);

	kept.count = 0;
	CL(clEnqueueFillBuffer(after, numbers, &zero, sizeof(zero), 0, 64, 0, NULL, NULL));
	CL(clFinish(after));
	tandem_tracer_pool_flush(pool);
	fill = kept_of(TANDEM_TRACER_OPERATION, TANDEM_TRACER_FILL);
	OK(fill && fill->flags & TANDEM_TRACER_TIMED && fill->bytes == 64,
	   "of queues that were made afterwards; what was filled");

	never_run(world->context, after, numbers, pool);

	kept.count = 0;
	CL(clEnqueueFillBuffer(before, numbers, &zero, sizeof(zero), 0, 64, 0, NULL, NULL));
	CL(clFinish(before));
	OK(!tandem_tracer_pool_close(pool), "closed");
	fill = kept_of(TANDEM_TRACER_OPERATION, TANDEM_TRACER_FILL);
	OK(getenv("TANDEM_SESSION") || !fill || !(fill->flags & TANDEM_TRACER_TIMED),
	   "and of none that was made before, but for those of a session");
	clReleaseMemObject(numbers);
	clReleaseCommandQueue(timed);
	world->queue = before;
	clReleaseCommandQueue(after);
}

static void library(const char *path)
{
	void *client = dlopen(path, RTLD_NOW);
	uint64_t (*open)(void) = NULL;
	int (*records)(void) = NULL;
	tandem_tracer_pool_t pool;

	if (client) {
		*(void **)&open = dlsym(client, "client_pool");
		*(void **)&records = dlsym(client, "client_records");
	}
	if (!OK(open && records && (pool = open()), "a library with a pool of its own"))
		return;
	tandem_tracer_activity_enable(tracer, opencl, 0, get_platforms, pool);
	dlclose(client);
	call();
	OK(!tandem_tracer_pool_flush(pool) && records() == 1 && !tandem_tracer_pool_close(pool),
	   "dlclose() of it does no harm");
}

int main(int argc, char **argv)
{
	struct world world;

	opencl = (uint32_t)tandem_tracer_domain("opencl");
	annotation = (uint32_t)tandem_tracer_domain("annotation");
	tandem_tracer_op_code(opencl, "clGetPlatformIDs", &get_platforms, NULL);
	world_create(&world, 0, 0);
	OK(!tandem_tracer_create(&tracer), "a tool");
	in_a_callback();
	failures();
	names();
	tools();
	waits();
	call_members(&world);
	unique_ids();
	pools();
	members(&world);
	if (argc > 1)
		library(argv[1]);
	tandem_tracer_mark("for tools, and for a session");
	OK(!tandem_tracer_destroy(tracer), "destroyed");
	return tap_end();
}
