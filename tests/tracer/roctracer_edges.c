/* SPDX-License-Identifier: MIT */
/* What goes wrong by ROCTracer's interface, each with the status that its header has and words of
 * roctracer_error_string(); and sentences of the headers that roctracer.c does not show. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "roctracer/roctracer.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_roctx.h"
#include "tandem/tracer.h"

#define S(call) ((call) == ROCTRACER_STATUS_SUCCESS)
#define IS(status, call) ((call) == ROCTRACER_STATUS_##status)
#define API ACTIVITY_DOMAIN_OPENCL_API

static uint32_t get_platforms;
static unsigned entries, exits;

static void call(void)
{
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
}

/* The last failure's words; they are gone with the next one. */
static const char *words(void)
{
	static char text[300];
	char *owned = (char *)roctracer_error_string();

	snprintf(text, sizeof(text), "%s", owned);
	free(owned);
	return text;
}

/* The status, and words that have that in them. */
#define FAILS(status, text, call, what) \
	OK(IS(status, call) && strstr(words(), text), "%s: %s", what, words())

static void counting(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	const tandem_api_data_t *api = data;

	(void)domain, (void)cid, (void)arg;
	if (api->phase == ACTIVITY_API_PHASE_ENTER)
		entries++;
	else
		exits++;
}

static bool enable(activity_rtapi_callback_t callback)
{
	entries = exits = 0;
	return S(roctracer_enable_op_callback(API, get_platforms, callback, NULL));
}

static bool disable(void)
{
	return S(roctracer_disable_op_callback(API, get_platforms));
}

/* --- arguments ----------------------------------------------------------------------------------- */

static void *other_error(void *says)
{
	char *text = (char *)roctracer_error_string();

	*(int *)says = strcmp(text, "");
	free(text);
	return NULL;
}

static void arguments(void)
{
	const roctracer_record_t record = {0}, *next = NULL;
	roctracer_pool_t *none = (roctracer_pool_t *)(uintptr_t)12345;
	roctracer_ext_properties_t ext = {NULL, NULL};
	pthread_t thread;
	int says = 1;

	FAILS(ERROR_INVALID_ARGUMENT, "no record", roctracer_next_record(NULL, &next), "no record");
	FAILS(ERROR_INVALID_ARGUMENT, "no place", roctracer_next_record(&record, NULL), "no place");
	OK(S(roctracer_next_record(&record, &next)) && next == &record + 1, "the next record");
	FAILS(ERROR_INVALID_DOMAIN_ID, "domain 99",
	      roctracer_enable_domain_callback(99, counting, NULL), "an unknown domain");
	FAILS(ERROR_INVALID_DOMAIN_ID, "domain 99", roctracer_disable_domain_callback(99),
	      "to disable");
	FAILS(ERROR_INVALID_DOMAIN_ID, "domain 99", roctracer_disable_op_callback(99, 1),
	      "one of it");
	FAILS(ERROR_INVALID_DOMAIN_ID, "domain 99", roctracer_enable_domain_activity_expl(99, none),
	      "its activity");
	FAILS(ERROR_INVALID_DOMAIN_ID, "domain 99", roctracer_disable_domain_activity(99),
	      "to disable");
	FAILS(ERROR_INVALID_DOMAIN_ID, "domain 99", roctracer_disable_op_activity(99, 1),
	      "one of it");
	FAILS(ERROR_INVALID_ARGUMENT, "operation 5000", roctracer_disable_op_callback(API, 5000),
	      "an id out of range");
	FAILS(ERROR_INVALID_ARGUMENT, "operation 5000",
	      roctracer_enable_op_activity_expl(API, 5000, none), "its activity");
	FAILS(ERROR_INVALID_ARGUMENT, "operation 5000", roctracer_disable_op_activity(API, 5000),
	      "to disable");
	FAILS(ERROR_INVALID_ARGUMENT, "operation 5",
	      roctracer_enable_op_callback(ACTIVITY_DOMAIN_ROCTX, 5, counting, NULL),
	      "ROCTX has 0 to 4");
	FAILS(ERROR_INVALID_ARGUMENT, "not open",
	      roctracer_enable_op_activity_expl(API, get_platforms, none), "a pool that is none");
	FAILS(ERROR_INVALID_ARGUMENT, "not open", roctracer_flush_activity_expl(none), "to flush");
	FAILS(ERROR_INVALID_ARGUMENT, "not open", roctracer_close_pool_expl(none), "to close");
	FAILS(ERROR_INVALID_ARGUMENT, "no callback", roctracer_enable_callback(NULL, NULL),
	      "no callback");
	FAILS(ERROR_DEFAULT_POOL_UNDEFINED, "default pool", roctracer_enable_activity(), "no pool");
	FAILS(ERROR_INVALID_DOMAIN_ID, "domain",
	      roctracer_set_properties(ACTIVITY_DOMAIN_ROCTX, &ext), "a domain without properties");
	pthread_create(&thread, NULL, other_error, &says);
	pthread_join(thread, NULL);
	OK(!says && strstr(words(), "domain"), "failures are their thread's");
}

/* --- callbacks ----------------------------------------------------------------------------------- */

static int disabled = 1;

static void disabling(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	counting(domain, cid, data, arg);
	disabled = roctracer_disable_op_callback(API, get_platforms);
}

static void calling(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	counting(domain, cid, data, arg);
	call();
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	(void)signal;
	call();
	handled = handled + 1;
}

static void raising(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	counting(domain, cid, data, arg);
	raise(SIGUSR1);
}

static jmp_buf out;

static void leaving(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	counting(domain, cid, data, arg);
	if (((const tandem_api_data_t *)data)->phase == ACTIVITY_API_PHASE_ENTER)
		longjmp(out, 1);
}

static _Atomic int staying;

static void stay(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	(void)domain, (void)cid, (void)data, (void)arg;
	staying = 1;
	WAIT_FOR(staying == 2);
}

static void *call_thread(void *unused)
{
	call();
	return unused;
}

static void callbacks(void)
{
	struct sigaction action = {.sa_handler = handler};
	pthread_t thread;

	OK(enable(disabling), "a callback that disables itself");
	call();
	call();
	OK(!disabled && entries == 1 && !exits, "is called once");
	OK(enable(calling), "one that calls what is traced");
	call();
	OK(entries == 1 && exits == 1, "is not called for that");
	sigaction(SIGUSR1, &action, NULL);
	OK(enable(raising), "one that raises a signal");
	call();
	OK(handled == 2 && entries == 1 && exits == 1, "whose handler calls what is traced");
	OK(enable(leaving), "one that is left by longjmp()");
	for (volatile int i = 0; i < 100; i++)
		if (!setjmp(out))
			call();
	OK(entries == 100 && !exits && disable(), "is called each time");
	OK(enable(counting), "the thread is in it until its next call");
	call();
	OK(entries == 1 && exits == 1 && disable(), "which is traced");

	OK(enable(stay), "one that does not return");
	pthread_create(&thread, NULL, call_thread, NULL);
	WAIT_FOR(staying);
	FAILS(ERROR, "in a callback still", roctracer_disable_op_callback(API, get_platforms),
	      "is disabled, and");
	staying = 2;
	pthread_join(thread, NULL);
	OK(disable(), "until it returns");
}

/* --- pools --------------------------------------------------------------------------------------- */

static _Atomic unsigned records;
static _Atomic int held;
static roctracer_pool_t *own;
static int inside[2];
static char inside_words[300];

static void delivered(const char *begin, const char *end, void *arg)
{
	(void)arg;
	WAIT_FOR(!held);
	records += (unsigned)((const roctracer_record_t *)(const void *)end -
			      (const roctracer_record_t *)(const void *)begin);
}

static void closing(const char *begin, const char *end, void *arg)
{
	char *text;

	delivered(begin, end, arg);
	inside[0] = roctracer_flush_activity_expl(own);
	inside[1] = roctracer_close_pool_expl(own);
	text = (char *)roctracer_error_string();
	snprintf(inside_words, sizeof(inside_words), "%s", text);
	free(text);
}

static roctracer_pool_t *pool_open(uint32_t mode, roctracer_buffer_callback_t callback)
{
	roctracer_properties_t properties = {
		.mode = mode, .buffer_size = 0x800, .buffer_callback_fun = callback};
	roctracer_pool_t *pool = NULL;

	records = 0;
	return S(roctracer_open_pool_expl(&properties, &pool)) &&
			       S(roctracer_enable_op_activity_expl(API, get_platforms, pool))
		       ? pool
		       : NULL;
}

static void pools(void)
{
	roctracer_timestamp_t first = 0;
	uint64_t second = 0;

	own = pool_open(0, delivered);
	for (int i = 0; i < 5000; i++)
		call();
	OK(own && S(roctracer_close_pool_expl(own)) && records == 5000,
	   "mode 0: the program waits for room (%u)", records);
	held = 1;
	own = pool_open(ROCTRACER_MODE_DROP, delivered);
	for (int i = 0; i < 5000; i++)
		call();
	held = 0;
	OK(own && S(roctracer_close_pool_expl(own)) && records > 0 && records < 1000,
	   "mode DROP: it does not (%u)", records);
	FAILS(ERROR_INVALID_ARGUMENT, "not open", roctracer_close_pool_expl(own), "closed twice");
	own = pool_open(0, closing);
	call();
	OK(own && S(roctracer_flush_activity_expl(own)) && inside[0] == ROCTRACER_STATUS_ERROR &&
		   inside[1] == ROCTRACER_STATUS_ERROR,
	   "a pool's callback can't flush or close it: %s", inside_words);
	OK(strstr(inside_words, "can't close a pool") && S(roctracer_close_pool_expl(own)),
	   "as it says, and it is closed outside");
	OK(S(roctracer_get_timestamp(&first)) && !tandem_tracer_timestamp(&second) &&
		   second - first < 60000000000u,
	   "time stamps are CLOCK_MONOTONIC's");
}

/* --- forks, marks, libraries --------------------------------------------------------------------- */

static int child(void)
{
#ifndef __SANITIZE_THREAD__
	roctracer_pool_t *mine;
#endif
	int failed;

	entries = exits = 0;
	failed = !IS(ERROR_INVALID_ARGUMENT, roctracer_flush_activity_expl(own)) ||
		 !strstr(words(), "not open");
	failed |= (!IS(ERROR_INVALID_ARGUMENT, roctracer_close_pool_expl(own))) << 1;
	call();
	failed |= (entries != 1 || exits != 1) << 2;
#ifndef __SANITIZE_THREAD__ /* which has no threads after a fork */
	mine = pool_open(0, delivered);
	call();
	failed |= (!mine || !S(roctracer_close_pool_expl(mine)) || records != 1) << 3;
#endif
	return failed;
}

static void forks(void)
{
	int status = -1;
	pid_t pid;

	own = pool_open(0, delivered);
	OK(own && enable(counting), "a pool and a callback");
	call();
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(child());
	waitpid(pid, &status, 0);
	OK(!status, "the child of a fork has callbacks, and no pool of the parent's (%#x)", status);
	OK(S(roctracer_close_pool_expl(own)) && records == 1 && disable(), "which are as before");
}

static unsigned marks;

static void marked(const struct tandem_tracer_call *call, void *arg)
{
	const struct tandem_tracer_range *range = call->args;

	(void)arg;
	marks += call->op == TANDEM_TRACER_MARK && !strcmp(range->text, "marked");
}

static void mark(void)
{
	struct tandem_tracer *tracer = NULL;

	OK(!tandem_tracer_create(&tracer) &&
		   !tandem_tracer_callback_enable(tracer,
						  (uint32_t)tandem_tracer_domain("annotation"),
						  TANDEM_TRACER_ALL, marked, NULL),
	   "a tool of the tracer's");
	roctracer_mark("marked");
	OK(marks == 1, "roctracer_mark() marks");
	OK(!tandem_tracer_destroy(tracer), "destroyed");
}

static void library(const char *path)
{
	void *client = dlopen(path, RTLD_NOW);
	int (*begin)(void) = NULL;
	unsigned (*calls)(void) = NULL;

	if (client) {
		*(void **)&begin = dlsym(client, "face_begin");
		*(void **)&calls = dlsym(client, "face_calls");
	}
	if (!OK(begin && calls && !begin(), "a client that is a library"))
		return;
	call();
	dlclose(client);
	call();
	OK(calls() == 4, "dlclose() of it does no harm");
}

int main(int argc, char **argv)
{
	call();
	OK(S(roctracer_op_code(API, "clGetPlatformIDs", &get_platforms, NULL)), "a function");
	arguments();
	callbacks();
	pools();
	forks();
	mark();
	if (argc > 1)
		library(argv[1]);
	OK(S(roctracer_disable_callback()), "all disabled");
	return tap_end();
}
