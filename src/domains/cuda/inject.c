/* The way in. CUDA's driver, when it is initialised, loads the library that
 * CUDA_INJECTION64_PATH names and calls its InitializeInjection(). Programs
 * without CUDA never come here. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "domains/cuda/cuda.h"

/* A library that was to be injected before `tandem record` took its place. */
#define ENV_CHAINED "TANDEM_CUDA_INJECTION"

__thread struct cuda_thread cuda_thread __attribute__((tls_model("initial-exec")));
_Atomic uint32_t cuda_dead;
_Atomic uint64_t cuda_correlation_latest;

void cuda_notice(enum tandem_cuda_notice notice)
{
	tandem_notice(TANDEM_DOMAIN_cuda, notice);
}

static enum tandem_cuda_notice refused_notice(enum tandem_cuda_activity_kind what)
{
	switch (what) {
	case TANDEM_CUDA_ACTIVITY_KIND_kernel:
		return TANDEM_CUDA_NOTICE_no_kernels;
	case TANDEM_CUDA_ACTIVITY_KIND_copy:
	case TANDEM_CUDA_ACTIVITY_KIND_peer_copy:
		return TANDEM_CUDA_NOTICE_no_copies;
	case TANDEM_CUDA_ACTIVITY_KIND_memset:
		return TANDEM_CUDA_NOTICE_no_fills;
	case TANDEM_CUDA_ACTIVITY_KIND_unified_memory:
		return TANDEM_CUDA_NOTICE_no_um;
	case TANDEM_CUDA_ACTIVITY_KIND_overhead:
		return TANDEM_CUDA_NOTICE_no_overhead;
	case TANDEM_CUDA_ACTIVITY_KIND_graph:
		return TANDEM_CUDA_NOTICE_no_graphs;
	case TANDEM_CUDA_ACTIVITY_KIND_external:
		return TANDEM_CUDA_NOTICE_no_external;
	default:
		return TANDEM_CUDA_NOTICE_partly;
	}
}

void cuda_refused(enum tandem_cuda_activity_kind what, int32_t status)
{
	struct tandem_cuda_refused *record;
	const char *words = NULL;
	uint32_t bytes;

	if (cupti.cuptiGetResultString(status, &words) || !words)
		words = "";
	bytes = (uint32_t)strnlen(words, 200);
	cuda_notice(refused_notice(what));
	record = tandem_record_begin(TANDEM_CUDA_EVENT_refused, (uint32_t)sizeof(*record) + bytes);
	if (!record)
		return;
	record->what = (uint8_t)what;
	record->status = status;
	record->words_count = (uint16_t)bytes;
	memcpy(record + 1, words, bytes);
	tandem_record_commit();
}

static char cupti_path[CUDA_PATH_BYTES];

void cuda_cupti_describe(void)
{
	const char *path = cupti_path;
	uint32_t bytes = (uint32_t)strlen(path);
	struct tandem_cuda_cupti *record =
		tandem_record_begin(TANDEM_CUDA_EVENT_cupti, (uint32_t)sizeof(*record) + bytes);

	if (!record)
		return;
	record->version = cupti_version;
	record->driver = cuda_driver_version();
	record->interval_ms = tandem_control.domain[TANDEM_DOMAIN_cuda].interval_ms;
	record->own_clock = cuda_activity_own_clock();
	record->path_count = (uint16_t)bytes;
	memcpy(record + 1, path, bytes);
	tandem_record_commit();
}

/* The other tool first: one that wants CUPTI for itself then has it, as it would
 * without us, and we say so. */
static void chain(void)
{
	const char *path = getenv(ENV_CHAINED);
	void *library = path && path[0] ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
	int (*initialize)(void) = NULL;

	if (!path || !path[0])
		return;
	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjection");
	if (initialize)
		initialize();
	else
		cuda_notice(TANDEM_CUDA_NOTICE_chain);
}

static void say_why(int error, int status)
{
	if (error == -ENOENT)
		cuda_notice(TANDEM_CUDA_NOTICE_no_cupti);
	else if (error == -ENOEXEC)
		cuda_notice(TANDEM_CUDA_NOTICE_old_cupti);
	else
		cuda_notice(status == CUPTI_MULTIPLE_SUBSCRIBERS ? TANDEM_CUDA_NOTICE_busy
								  : TANDEM_CUDA_NOTICE_failed);
}

/* CUPTI found and willing: a library that does not suit the driver refuses the
 * subscription, and another may not. 0, or -errno and *status. */
static int start(char path[CUDA_PATH_BYTES], int *status)
{
	int error;

	for (unsigned attempt = 0; !(error = cuda_library_open(attempt, path)); attempt++) {
		*status = cuda_subscribe();
		if (!*status)
			return 0;
		if (*status == CUPTI_MULTIPLE_SUBSCRIBERS)
			return -EBUSY;
	}
	return *status ? -EIO : error;
}

void cuda_die(void)
{
	atomic_store(&cuda_dead, 1);
	atomic_store(&cuda_gate, 0);
}

static void inject(void)
{
	int status = 0, error;

	cuda_driver_find();
	error = start(cupti_path, &status);
	if (error) {
		say_why(error, status);
		return;
	}
	tandem_process_at_fork(cuda_die);
	tandem_process_uses(TANDEM_DOMAIN_cuda);
	tandem_process_uses(TANDEM_DOMAIN_cudart);
	cuda_capture_begin();
	cuda_activity_begin();
	cuda_switch_ready();
	cuda_drain_begin();
}

/* NVIDIA's OpenCL holds a driver of its own and injects as well. Its calls are the
 * OpenCL domain's, and CUPTI would tell nothing of them, but give the program two
 * threads. */
static bool is_of_opencl(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "-opencl.so");
}

__attribute__((visibility("default"))) int InitializeInjection(void);

/* Called by libcuda in the first cuInit(). Always 1: the program runs on. */
int InitializeInjection(void)
{
	static _Atomic int begun;
	int saved = errno;

	if (is_of_opencl(__builtin_return_address(0))) {
		chain();
		errno = saved;
		return 1;
	}
	if (atomic_exchange(&begun, 1))
		return 1;
	chain();
	if (tandem_session_dir[0] && tandem_control.domains & TANDEM_DOMAIN_BIT(cuda)) {
		cuda_inside_begin();
		inject();
		cuda_inside_end();
	}
	errno = saved;
	return 1;
}
