/* SPDX-License-Identifier: MIT */
/* What include/tandem/tracer.h says and the other programs here do not show: who is called when,
 * what a callback and a signal handler may do, pools' memory and threads, calls that nest. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../programs/world.h"
#include "check.h"
#include "tandem/opencl_args.h"
#include "tandem/tracer.h"

#define ALL TANDEM_TRACER_ALL

static struct tandem_tracer *tracer, *second;
static uint32_t opencl, annotation, get_platforms;
static unsigned entries, others;

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

static int enable(struct tandem_tracer *of, tandem_tracer_callback_t callback, void *arg)
{
	return tandem_tracer_callback_enable(of, opencl, ALL, callback, arg);
}

/* --- calls in flight, and those that take another's place ------------------------------------- */

static unsigned first[2], late[2];
static int enabled = 1;

static void enabling(const struct tandem_tracer_call *call, void *arg)
{
	counting(call, arg);
	if (call->phase == TANDEM_TRACER_ENTER)
		enabled = enable(second, counting, late);
}

static void replacing(const struct tandem_tracer_call *call, void *arg)
{
	counting(call, arg);
	enabled = enable(tracer, counting, late);
}

static void in_flight(void)
{
	OK(!enable(tracer, enabling, first), "a callback that enables another tool's");
	call();
	OK(!enabled && first[0] == 1 && first[1] == 1 && !late[0] && !late[1],
	   "what is under way has no entry there, and no exit");
	call();
	OK(first[0] == 2 && first[1] == 2 && late[0] == 1 && late[1] == 1, "the next one has both");
	OK(!tandem_tracer_callback_disable(second, opencl, ALL), "disabled");

	memset(first, 0, sizeof(first));
	memset(late, 0, sizeof(late));
	OK(!enable(tracer, replacing, first), "a callback that is replaced at the entry");
	call();
	OK(!enabled && first[0] == 1 && !first[1] && !late[0] && !late[1],
	   "has no exit, nor has the new one");
	call();
	OK(first[0] == 1 && late[0] == 1 && late[1] == 1, "which has the next call");
	OK(!tandem_tracer_stop(tracer) && !tandem_tracer_stop(tracer) &&
		   !tandem_tracer_start(tracer) && !tandem_tracer_start(tracer),
	   "stopped and started twice");
	OK(!tandem_tracer_callback_disable(tracer, opencl, ALL), "disabled");
}

/* --- signals ------------------------------------------------------------------------------------ */

static volatile sig_atomic_t handled;
static uint64_t handler_ns;

static void handler(int signal)
{
	(void)signal;
	handled = handled + 1;
	call();
	if (tandem_tracer_timestamp(&handler_ns))
		handler_ns = 0;
}

static pthread_t caller;

static void raising(const struct tandem_tracer_call *call, void *arg)
{
	counting(call, arg);
	caller = pthread_self();
	if (arg == first)
		raise(SIGUSR1);
}

static void signals(void)
{
	struct sigaction action = {.sa_handler = handler};
	unsigned plain[2] = {0};
	uint64_t before, after;

	sigaction(SIGUSR1, &action, NULL);
	memset(first, 0, sizeof(first));
	tandem_tracer_timestamp(&before);
	OK(!enable(tracer, raising, first), "raise() in a callback");
	call();
	tandem_tracer_timestamp(&after);
	OK(handled == 2 && first[0] == 1 && first[1] == 1,
	   "what its handler calls is not reported");
	OK(handler_ns >= before && handler_ns <= after, "the handler has a time stamp");
	OK(!enable(tracer, raising, plain), "and a handler outside of one");
	raise(SIGUSR1);
	OK(plain[0] == 1 && plain[1] == 1 && pthread_equal(caller, pthread_self()),
	   "is reported, in the thread that it interrupts");
	tandem_tracer_callback_disable(tracer, opencl, ALL);
}

/* --- callbacks that do not come back ------------------------------------------------------------ */

static void ending(const struct tandem_tracer_call *call, void *arg)
{
	counting(call, arg);
	pthread_exit(NULL);
}

static void *calling(void *unused)
{
	(void)unused;
	call();
	return NULL;
}

static _Atomic int staying;

static void stay(const struct tandem_tracer_call *call, void *arg)
{
	(void)call, (void)arg;
	staying = 1;
	WAIT_FOR(staying == 2);
}

static int inside = 1;

static void disabling(const struct tandem_tracer_call *call, void *arg)
{
	(void)call, (void)arg;
	inside = tandem_tracer_callback_disable(second, opencl, ALL);
}

static void never_return(void)
{
	struct tandem_tracer *third = NULL;
	pthread_t thread;

	memset(first, 0, sizeof(first));
	OK(!enable(tracer, ending, first), "pthread_exit() in a callback");
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, calling, NULL);
		pthread_join(thread, NULL);
	}
	OK(first[0] == 3 && !first[1], "is the end of the thread");
	OK(!tandem_tracer_callback_disable(tracer, opencl, ALL), "and nobody waits for it");

	OK(!tandem_tracer_create(&third) && !enable(third, stay, NULL), "a callback that stays");
	pthread_create(&thread, NULL, calling, NULL);
	WAIT_FOR(staying == 1);
	OK(tandem_tracer_destroy(third) == -EBUSY, "its tool is destroyed meanwhile: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_start(third) == -EINVAL, "and is none any more");
	OK(!enable(second, disabling, NULL), "a callback that disables");
	call();
	OK(!inside, "does not wait for others");
	staying = 2;
	pthread_join(thread, NULL);
}

/* --- pools -------------------------------------------------------------------------------------- */

#define EDGE 0x5c
static struct {
	unsigned gets, gives;
	size_t bytes;
	char *at;
	bool damaged;
} memory;

static void allocate(char **ptr, size_t bytes, void *arg)
{
	if (arg != &memory)
		memory.damaged = true;
	if (!*ptr) {
		memory.gets++;
		memory.bytes = bytes;
		memory.at = malloc(bytes + 128);
		memset(memory.at, EDGE, bytes + 128);
		*ptr = memory.at + 64;
		return;
	}
	memory.gives++;
	memory.damaged |= bytes || *ptr != memory.at + 64;
	for (int i = 0; i < 64; i++)
		memory.damaged |= memory.at[i] != EDGE || memory.at[64 + memory.bytes + i] != EDGE;
	free(memory.at);
}

static _Atomic tandem_tracer_pool_t another;
static int close_error = 1, flush_error = 1;
static bool unblocked, overlap;
static _Atomic unsigned in_deliver, seen;
static struct tandem_tracer_record last;

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	sigset_t blocked;

	(void)arg;
	overlap |= in_deliver++ != 0;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	for (int signal = 1; signal < 32; signal++)
		unblocked |=
			signal != SIGKILL && signal != SIGSTOP && !sigismember(&blocked, signal);
	close_error = tandem_tracer_pool_close(another);
	flush_error = tandem_tracer_pool_flush(another);
	seen += (unsigned)(end - begin);
	last = end[-1];
	in_deliver--;
}

static tandem_tracer_pool_t pool_open(size_t bytes)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties) + 64,
							   .buffer_bytes = bytes,
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered,
							   .allocate = allocate,
							   .allocate_arg = &memory};
	struct {
		struct tandem_tracer_pool_properties properties;
		char later[64]; /* what a later version may have appended */
	} longer = {.properties = properties};
	tandem_tracer_pool_t pool = 0;

	return tandem_tracer_pool_open(&longer.properties, &pool) ? 0 : pool;
}

static void pools(void)
{
	tandem_tracer_pool_t pool;
	const char *name;

	pool = pool_open(0);
	OK(pool && memory.gets == 1 && memory.bytes >= 512 * 1024, "0 bytes: twice 256 KiB, %zu",
	   memory.bytes);
	OK(!tandem_tracer_pool_close(pool) && memory.gives == 1 && !memory.damaged, "given back");
	pool = pool_open(1);
	OK(pool && memory.bytes >= 4096 && memory.bytes < 16384, "1 byte: twice 2 KiB, %zu",
	   memory.bytes);
	another = 0;
	OK(!tandem_tracer_activity_enable(tracer, opencl, 0, get_platforms, pool), "activity");
	for (int i = 0; i < 5000; i++)
		call();
	another = pool;
	OK(!tandem_tracer_pool_flush(pool) && seen == 5000, "%u records", seen);
	OK(close_error == -EBADF || close_error == -EDEADLK, "a callback can close no pool");
	call();
	tandem_tracer_pool_flush(pool);
	OK(close_error == -EDEADLK && flush_error == -EDEADLK, "nor flush one");
	OK(!unblocked, "all signals are blocked in its thread");
	OK(!overlap, "one call at a time");
	name = last.name;
	OK(last.process_id == (uint32_t)getpid() && last.flags == TANDEM_TRACER_TIMED &&
		   !last.result,
	   "the record has its process, and is timed");
	OK(!tandem_tracer_pool_close(pool) && memory.gets == 2 && memory.gives == 2 &&
		   !memory.damaged,
	   "its allocator is asked once, and given it back once, unharmed");
	OK(!strcmp(name, "clGetPlatformIDs"), "names stay");
}

static void closing(const struct tandem_tracer_call *call, void *arg)
{
	if (call->phase == TANDEM_TRACER_ENTER)
		inside = tandem_tracer_pool_close(*(tandem_tracer_pool_t *)arg);
}

/* Another pool's callback may not close one either: `another` is not the one that delivers. */
static void other_pool(void)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .deliver = delivered};
	tandem_tracer_pool_t pool = 0, other = 0;

	OK(!tandem_tracer_pool_open(&properties, &pool) &&
		   !tandem_tracer_pool_open(&properties, &other),
	   "two pools");
	another = other;
	tandem_tracer_activity_enable(tracer, opencl, 0, get_platforms, pool);
	close_error = flush_error = 1;
	call();
	OK(!tandem_tracer_pool_flush(pool) && close_error == -EDEADLK && flush_error == -EDEADLK,
	   "one's callback can't close the other, nor flush it");
	OK(!tandem_tracer_pool_close(another), "which is open");
	OK(!enable(tracer, closing, &pool), "a callback that closes a pool");
	call();
	OK(inside == -EBUSY && tandem_tracer_pool_close(pool) == -EBADF,
	   "it is closed, and its memory kept");
	tandem_tracer_callback_disable(tracer, opencl, ALL);
}

/* --- external ids, annotations, nested calls, libraries ------------------------------------------ */

static uint64_t at_exit;

static void pushing(const struct tandem_tracer_call *call, void *arg)
{
	const struct opencl_args_clGetPlatformIDs *args = call->args;

	entries += call->args_bytes == sizeof(*args) && call->struct_size == sizeof(*call);
	if (call->phase == TANDEM_TRACER_ENTER)
		tandem_tracer_external_push(*(uint64_t *)arg);
	else
		at_exit = call->external_id;
}

static void external(void)
{
	tandem_tracer_pool_t pool = pool_open(0);
	uint64_t id = 4711;

	entries = 0;
	OK(!tandem_tracer_callback_enable(tracer, opencl, get_platforms, pushing, &id) &&
		   !tandem_tracer_activity_enable(tracer, opencl, 0, get_platforms, pool),
	   "an external id pushed in the entry callback");
	call();
	OK(!tandem_tracer_external_pop(NULL) && tandem_tracer_external_pop(NULL) == -ENOENT,
	   "is the thread's innermost");
	OK(!tandem_tracer_pool_close(pool) && at_exit == id && last.external_id == id &&
		   last.flags & TANDEM_TRACER_EXTERNAL,
	   "and that call's: at its exit, and in its record");
	OK(entries == 2, "arguments have their size");
	tandem_tracer_callback_disable(tracer, opencl, ALL);
}

static void annotated(const struct tandem_tracer_call *call, void *arg)
{
	const struct tandem_tracer_range *range = call->args;

	others += call->phase != TANDEM_TRACER_ENTER || call->args_bytes != sizeof(*range) ||
		  !call->correlation_id;
	if (call->op == TANDEM_TRACER_RANGE_START || call->op == TANDEM_TRACER_RANGE_STOP)
		((uint64_t *)arg)[call->op == TANDEM_TRACER_RANGE_STOP] = range->range;
	if (call->op == TANDEM_TRACER_RANGE_STOP || call->op == TANDEM_TRACER_RANGE_POP)
		others += range->text[0] != '\0';
}

static void annotations(void)
{
	tandem_tracer_pool_t pool = pool_open(0);
	uint64_t ranges[2] = {0}, range = 0;

	OK(!tandem_tracer_callback_enable(tracer, annotation, ALL, annotated, ranges) &&
		   !tandem_tracer_activity_enable(tracer, annotation, 0, ALL, pool),
	   "annotations");
	tandem_tracer_mark("mark");
	tandem_tracer_range_push("pushed");
	tandem_tracer_range_pop();
	OK(!tandem_tracer_range_start("started", &range) && !tandem_tracer_range_stop(range) &&
		   range && ranges[0] == range && ranges[1] == range,
	   "a range has its number at its begin and end");
	OK(!others, "there is no exit, and no text at an end");
	OK(!tandem_tracer_pool_close(pool) && last.flags & TANDEM_TRACER_INSTANT &&
		   last.begin_ns == last.end_ns && last.bytes == range,
	   "the record is an instant");
	tandem_tracer_callback_disable(tracer, annotation, ALL);
}

/* Each one's release is made in the release of the one before. */
#define NESTED 70u
static cl_mem buffers[NESTED];
static unsigned releases[2], deepest;

static void CL_CALLBACK destroyed(cl_mem buffer, void *place)
{
	unsigned next = (unsigned)(uintptr_t)place + 1;

	(void)buffer;
	deepest = next;
	if (next < NESTED)
		clReleaseMemObject(buffers[next]);
}

static void nested(void)
{
	tandem_tracer_pool_t pool;
	struct world world;
	uint32_t release;

	world_create(&world, 0, 0);
	tandem_tracer_op_code(opencl, "clReleaseMemObject", &release, NULL);
	for (unsigned i = 0; i < NESTED; i++) {
		buffers[i] = numbers_create(&world, 16);
		clSetMemObjectDestructorCallback(buffers[i], destroyed, (void *)(uintptr_t)i);
	}
	pool = pool_open(0);
	seen = 0;
	tandem_tracer_callback_enable(tracer, opencl, release, counting, releases);
	tandem_tracer_activity_enable(tracer, opencl, 0, release, pool);
	clReleaseMemObject(buffers[0]);
	tandem_tracer_pool_close(pool);
	OK(deepest == NESTED && releases[0] == NESTED && releases[1] == 64 && seen == 64,
	   "%u calls in one another have %u entries, %u exits, %u records", deepest, releases[0],
	   releases[1], seen);
	buffers[NESTED - 1] = numbers_create(&world, 16);
	memset(releases, 0, sizeof(releases));
	clReleaseMemObject(buffers[NESTED - 1]);
	OK(releases[0] == 1 && releases[1] == 1, "and the thread is traced on");
	tandem_tracer_callback_disable(tracer, opencl, ALL);
}

static void kept(const char *path)
{
	void *client = dlopen(path, RTLD_NOW);
	void *function = client ? dlsym(client, "client_calls") : NULL;

	tandem_tracer_keep(NULL);
	tandem_tracer_keep(function);
	OK(function && !dlclose(client) && (client = dlopen(path, RTLD_NOW | RTLD_NOLOAD)),
	   "a library stays that has a function which is kept");
}

int main(int argc, char **argv)
{
	opencl = (uint32_t)tandem_tracer_domain("opencl");
	annotation = (uint32_t)tandem_tracer_domain("annotation");
	tandem_tracer_op_code(opencl, "clGetPlatformIDs", &get_platforms, NULL);
	OK(!tandem_tracer_create(&tracer) && !tandem_tracer_create(&second), "two tools");
	call();
	in_flight();
	signals();
	never_return();
	pools();
	other_pool();
	external();
	annotations();
	nested();
	if (argc > 1)
		kept(argv[1]);
	OK(!tandem_tracer_destroy(second) && !tandem_tracer_destroy(tracer), "destroyed");
	return tap_end();
}
