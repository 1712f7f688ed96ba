/* SPDX-License-Identifier: MIT */
/* An HSA runtime without a GPU: one agent of each kind, signals, queues that can be
 * intercepted, copies; a thread does what the device would, on a clock of 100 MHz that runs
 * 30 ppm too fast. Tools are loaded as AMD's runtime loads them. STUB_HSA_ODD names what it
 * does oddly. */
#include "hsa.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "domains/hsa/gen/ids.h"

#define CPU 0x1000u
#define GPU 0x2000u
#define CORE_WORDS 140u
#define AMD_WORDS 90u
#define JOBS 64u

struct signal { /* amd_signal_t, and what the stub has of it */
	int64_t kind, value;
	uint64_t mailbox;
	uint32_t event, reserved;
	uint64_t start, end;
	struct stub_queue *queue; /* whose doorbell it is */
	bool (*handler)(int64_t, void *);
	void *data;
};

struct queue {
	struct stub_queue public;
	uint64_t written, handed;
	bool profiled;
	stub_handler *handler;
	void *data;
};

struct job {
	uint64_t signal;
	void *to;
	const void *from;
	uint64_t bytes;
	bool timed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job jobs[JOBS];
static uint64_t first_job, next_job;
static bool copies_profiled;
static uint64_t core[CORE_WORDS], amd[AMD_WORDS];
static __thread struct queue *writing;

#define X(returned, name, parameters, arguments) static returned real_##name parameters;
STUB_HSA_CORE(X)
STUB_HSA_AMD(X)
#undef X
#define X(returned, name, parameters, arguments)                                 \
	returned name parameters                                                 \
	{                                                                        \
		return ((returned(*) parameters)core[HSA_CORE_##name])arguments; \
	}
STUB_HSA_CORE(X)
#undef X
#define X(returned, name, parameters, arguments)                               \
	returned name parameters                                               \
	{                                                                      \
		return ((returned(*) parameters)amd[HSA_AMD_##name])arguments; \
	}
STUB_HSA_AMD(X)
#undef X

/* The program's first call comes before there is a table. */
__attribute__((constructor)) static void tables_make(void)
{
	uint32_t core_head[4] = {2, sizeof(core)}, amd_head[4] = {2, sizeof(amd)};

	memcpy(core, core_head, sizeof(core_head));
	memcpy(amd, amd_head, sizeof(amd_head));
#define X(returned, name, parameters, arguments) core[HSA_CORE_##name] = (uintptr_t)real_##name;
	STUB_HSA_CORE(X)
#undef X
#define X(returned, name, parameters, arguments) amd[HSA_AMD_##name] = (uintptr_t)real_##name;
	STUB_HSA_AMD(X)
#undef X
}

static bool is_odd(const char *what)
{
	const char *odd = getenv("STUB_HSA_ODD");

	return odd && !strcmp(odd, what);
}

static uint64_t ticks(void)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return (ns + ns / 33333) / 10 + 700000000000u;
}

static void signal_changed(struct signal *signal, int64_t value)
{
	bool (*handler)(int64_t, void *) = NULL;

	pthread_mutex_lock(&lock);
	signal->value = value;
	if (value < 1 && signal->handler) {
		handler = signal->handler;
		signal->handler = NULL;
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (handler)
		handler(value, signal->data);
	if (handler && is_odd("ends_twice"))
		handler(value, signal->data);
}

static struct signal *signal_of(uint64_t handle)
{
	return (struct signal *)(uintptr_t)handle;
}

static void job_run(const struct job *job)
{
	struct timespec pause = {.tv_nsec = 200000};
	struct signal *signal = signal_of(job->signal);
	uint64_t start = ticks();

	nanosleep(&pause, NULL);
	if (job->to)
		memcpy(job->to, job->from, job->bytes);
	if (!signal)
		return;
	if (job->timed) {
		signal->start = start;
		signal->end = ticks();
	}
	if (is_odd("times_reversed"))
		signal->start = signal->end + 1000;
	if (is_odd("times_without_bounds"))
		signal->start = signal->end = UINT64_MAX;
	signal_changed(signal, signal->value - 1);
}

static void *device(void *unused)
{
	(void)unused;
	for (;;) {
		struct job job;

		pthread_mutex_lock(&lock);
		while (first_job == next_job)
			pthread_cond_wait(&changed, &lock);
		job = jobs[first_job++ % JOBS];
		pthread_mutex_unlock(&lock);
		job_run(&job);
	}
	return NULL;
}

static void job_add(const struct job *job)
{
	pthread_mutex_lock(&lock);
	jobs[next_job++ % JOBS] = *job;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void packets_write(const void *packets, uint64_t count)
{
	const struct stub_packet *packet = packets;

	for (uint64_t i = 0; i < count; i++, packet++) {
		struct job job = {.signal = packet->signal, .timed = writing->profiled};

		job_add(&job);
	}
}

/* The doorbell. */
static void queue_ring(struct queue *queue, uint64_t last)
{
	while (queue->handed <= last) {
		uint64_t at = queue->handed++;
		const void *packet =
			queue->public.base + at % queue->public.size * sizeof(struct stub_packet);

		writing = queue;
		if (queue->handler && is_odd("no_packets"))
			queue->handler(NULL, 0, at, queue->data, packets_write);
		if (queue->handler)
			queue->handler(packet, 1, at, queue->data, packets_write);
		else
			packets_write(packet, 1);
	}
}

struct tables {
	uint32_t version[4];
	void *tables[8];
};

/* What is not in `bytes` is where nothing can be read. */
static void *tables_end(const struct tables *table, uint32_t bytes)
{
	uint8_t *pages =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *copy = pages + 4096 - bytes;

	mprotect(pages + 4096, 4096, PROT_NONE);
	memcpy(copy, table, bytes);
	((struct tables *)copy)->version[1] = bytes;
	return copy;
}

static void tools_load_odd(bool (*load)(void *, uint64_t, uint64_t, const char *const *))
{
	struct tables none = {{3, sizeof(none), 1, 0}, {0}};
	struct tables head = {{3, 16, 1, 0}, {0}};
	struct tables table = {{3, sizeof(table), 1, 0}, {core, amd}};

	if (is_odd("tables_null"))
		load(NULL, 3, 0, NULL);
	if (is_odd("tables_empty"))
		load(&none, 3, 0, NULL);
	if (is_odd("tables_short"))
		load(tables_end(&table, 24), 3, 1, NULL);
	if (is_odd("tables_of_no_functions")) {
		head.tables[0] = tables_end(&table, 16);
		head.tables[1] = tables_end(&table, 16);
		head.version[1] = sizeof(head);
		load(&head, 3, 0, NULL);
	}
}

static int32_t tools_load(void)
{
	struct tables table = {{3, sizeof(table), 1, 0}, {core, amd}};
	const char *names = getenv("HSA_TOOLS_LIB");
	char *list = strdup(names ? names : ""), *rest = list, *name;

	while ((name = strsep(&rest, " "))) {
		void *library = *name ? dlopen(name, RTLD_LAZY) : NULL;
		bool (*load)(void *, uint64_t, uint64_t, const char *const *) = NULL;

		if (library)
			*(void **)&load = dlsym(library, "OnLoad");
		if (load)
			tools_load_odd(load);
		if (load)
			load(&table, 3, 0, NULL);
		if (load && is_odd("tables_twice"))
			load(&table, 3, 0, NULL);
	}
	free(list);
	return 0;
}

static int32_t real_hsa_init(void)
{
	static int references;
	pthread_t thread;

	if (references++)
		return 0;
	if (getenv("STUB_HSA_NO_DEVICE"))
		return 0x1008;
	pthread_create(&thread, NULL, device, NULL);
	pthread_detach(thread);
	return tools_load();
}

static int32_t real_hsa_shut_down(void)
{
	return 0;
}

static int32_t real_hsa_system_get_info(uint32_t what, void *value)
{
	*(uint64_t *)value = what == 2 ? ticks() : what == 3 ? 100000000u : 0;
	if (is_odd("clock_stopped"))
		*(uint64_t *)value = 0;
	if (is_odd("clock_backwards") && what == 2)
		*(uint64_t *)value = UINT64_MAX - ticks();
	if (is_odd("clock_fast") && what == 3)
		*(uint64_t *)value = UINT64_MAX;
	return is_odd("clock_refused") ? 0x1000 : 0;
}

static int32_t real_hsa_iterate_agents(int32_t (*found)(uint64_t, void *), void *data)
{
	int32_t status = found(CPU, data);

	return status ? status : found(GPU, data);
}

static int32_t real_hsa_agent_get_info(uint64_t agent, uint32_t what, void *value)
{
	if (is_odd("agent_names") && (what < 2 || what == 0xA009)) {
		memset(value, 0xff, 64); /* no text, and without an end */
		return 0;
	}
	if (is_odd("agent_refused") && what != 17)
		return 0x1001;
	switch (what) {
	case 0:
		strcpy(value, agent == GPU ? "gfx90a" : "cpu");
		return 0;
	case 1:
		strcpy(value, "Stub");
		return 0;
	case 6:
		*(uint32_t *)value = 64;
		return 0;
	case 17:
		*(uint32_t *)value = agent == GPU;
		return 0;
	case 0xA00A:
		*(uint32_t *)value = 32;
		return 0;
	case 0xA002:
		*(uint32_t *)value = agent == GPU ? 104 : 2;
		return 0;
	case 0xA004:
		*(uint32_t *)value = agent == GPU;
		return 0;
	case 0xA009:
		strcpy(value, agent == GPU ? "Stub Instinct" : "Stub CPU");
		return 0;
	default:
		return 0x1001;
	}
}

static _Atomic unsigned signals_made;

static int32_t real_hsa_signal_create(int64_t value, uint32_t count, const uint64_t *agents,
				      uint64_t *signal)
{
	struct signal *made = calloc(1, sizeof(*made));

	(void)count;
	(void)agents;
	if (value == 1 && is_odd("no_signal") && ++signals_made > 3) {
		free(made);
		return 0x1008;
	}
	made->value = value;
	*signal = (uintptr_t)made;
	return 0;
}

static int32_t real_hsa_signal_destroy(uint64_t signal)
{
	free(signal_of(signal));
	return 0;
}

static void real_hsa_signal_store_screlease(uint64_t signal, int64_t value)
{
	if (signal_of(signal)->queue)
		queue_ring((struct queue *)(void *)signal_of(signal)->queue, (uint64_t)value);
	else
		signal_changed(signal_of(signal), value);
}

static void real_hsa_signal_store_relaxed(uint64_t signal, int64_t value)
{
	real_hsa_signal_store_screlease(signal, value);
}

static void real_hsa_signal_subtract_screlease(uint64_t signal, int64_t value)
{
	signal_changed(signal_of(signal), signal_of(signal)->value - value);
}

/* Less than, all that is used. */
static int64_t real_hsa_signal_wait_scacquire(uint64_t signal, uint32_t condition, int64_t than,
					      uint64_t timeout, uint32_t how)
{
	int64_t value;

	(void)condition;
	(void)timeout;
	(void)how;
	pthread_mutex_lock(&lock);
	while (signal_of(signal)->value >= than)
		pthread_cond_wait(&changed, &lock);
	value = signal_of(signal)->value;
	pthread_mutex_unlock(&lock);
	return value;
}

static int32_t real_hsa_queue_create(uint64_t agent, uint32_t size, uint32_t type, void *callback,
				     void *data, uint32_t private_bytes, uint32_t group_bytes,
				     struct stub_queue **queue)
{
	struct queue *made = calloc(1, sizeof(*made));

	(void)callback, (void)data, (void)private_bytes, (void)group_bytes;
	if (agent != GPU)
		return 0x1004;
	made->public.type = type;
	made->public.size = size;
	made->public.base = calloc(size, sizeof(struct stub_packet));
	real_hsa_signal_create(0, 0, NULL, &made->public.doorbell);
	signal_of(made->public.doorbell)->queue = &made->public;
	*queue = &made->public;
	return 0;
}

static int32_t real_hsa_queue_destroy(struct stub_queue *queue)
{
	free(queue->base);
	real_hsa_signal_destroy(queue->doorbell);
	free(queue);
	return 0;
}

static uint64_t real_hsa_queue_add_write_index_relaxed(const struct stub_queue *queue,
						       uint64_t value)
{
	struct queue *own = (struct queue *)(uintptr_t)queue;

	own->written += value;
	return own->written - value;
}

/* The loader's extension: the host's copy of a kernel's descriptor. */
static int32_t host_address(const void *device, const void **host)
{
	static const uint8_t descriptors[2][64] = {{[48] = 8}, {[48] = 0x40}};
	uintptr_t kernel = ((uintptr_t)device - STUB_KERNEL(1)) / 0x40;

	if (is_odd("descriptor_null"))
		return 0;
	if (kernel > 1 || is_odd("descriptor_refused"))
		return 0x1001;
	*host = descriptors[kernel];
	return 0;
}

static int32_t real_hsa_system_get_major_extension_table(uint16_t extension, uint16_t major,
							 size_t bytes, void *table)
{
	int32_t (*function)(const void *, const void **) = host_address;

	if (extension != 0x201 || major != 1 || bytes != sizeof(function) || is_odd("no_loader"))
		return 0x1001;
	memcpy(table, &function, sizeof(function));
	return 0;
}

static int32_t real_hsa_executable_freeze(uint64_t executable, const char *options)
{
	(void)options;
	return executable == STUB_EXECUTABLE ? 0 : 0x1010;
}

static int32_t real_hsa_executable_symbol_get_info(uint64_t symbol, uint32_t what, void *value)
{
	const char *name = symbol == 1 ? "_Z10vector_addPfS_.kd" : "reduce.kd";

	if (is_odd("symbol_names") && what == 2)
		name = symbol == 1 ? "\xff\x1b[31m\x80red\r\n=1+1..." : "...........";
	if (is_odd("symbol_lengths") && what == 1) {
		*(uint32_t *)value = symbol == 1 ? UINT32_MAX : 4096;
		return 0;
	}
	if (is_odd("symbol_empty") && what == 1) {
		*(uint32_t *)value = 0;
		return 0;
	}
	switch (what) {
	case 0:
		*(uint32_t *)value = 1;
		return 0;
	case 1:
		*(uint32_t *)value = (uint32_t)strlen(name);
		return 0;
	case 2:
		memcpy(value, name, strlen(name));
		return 0;
	case 22:
		*(uint64_t *)value = STUB_KERNEL(symbol);
		return 0;
	default:
		return 0x1001;
	}
}

static int32_t real_hsa_executable_iterate_symbols(uint64_t executable,
						   int32_t (*found)(uint64_t, uint64_t, void *),
						   void *data)
{
	for (uint64_t symbol = 1; symbol <= 2; symbol++)
		found(executable, symbol, data);
	return 0;
}

static int32_t real_hsa_amd_profiling_set_profiler_enabled(struct stub_queue *queue, int32_t on)
{
	((struct queue *)(void *)queue)->profiled = on;
	return 0;
}

static int32_t real_hsa_amd_profiling_async_copy_enable(bool on)
{
	copies_profiled = on;
	return 0;
}

static int32_t real_hsa_amd_profiling_get_dispatch_time(uint64_t agent, uint64_t signal,
							struct stub_times *times)
{
	if (agent != GPU || !signal_of(signal)->end)
		return 0x1000;
	times->start = signal_of(signal)->start;
	times->end = signal_of(signal)->end;
	return 0;
}

static int32_t real_hsa_amd_profiling_get_async_copy_time(uint64_t signal, struct stub_times *times)
{
	return real_hsa_amd_profiling_get_dispatch_time(GPU, signal, times);
}

static int32_t real_hsa_amd_signal_async_handler(uint64_t signal, int32_t condition, int64_t than,
						 bool (*handler)(int64_t, void *), void *data)
{
	if (condition != 2 || than != 1 || is_odd("no_handler"))
		return 0x1001;
	signal_of(signal)->data = data;
	signal_of(signal)->handler = handler;
	return 0;
}

static int32_t real_hsa_amd_memory_pool_get_info(uint64_t pool, uint32_t what, void *value)
{
	bool local = pool == GPU + 0x20;

	if (what == 2)
		*(uint64_t *)value = local ? 65536 : pool << 20;
	else if (what == 0)
		*(uint32_t *)value = local ? 3 : 0;
	else
		*(uint32_t *)value = what == 1 ? 4 : 0;
	return 0;
}

static int32_t real_hsa_amd_agent_iterate_memory_pools(uint64_t agent,
						       int32_t (*found)(uint64_t, void *),
						       void *data)
{
	int32_t status = agent == GPU ? found(agent + 0x20, data) : 0;

	return status ? status : found(agent + 0x10, data);
}

static int32_t real_hsa_amd_memory_pool_allocate(uint64_t pool, uint64_t bytes, uint32_t flags,
						 void **address)
{
	(void)flags;
	if (pool != CPU + 0x10 && pool != GPU + 0x10)
		return 0x1001;
	*address = malloc(bytes);
	return 0;
}

static int32_t real_hsa_amd_memory_pool_free(void *address)
{
	free(address);
	return 0;
}

static int32_t real_hsa_amd_memory_async_copy(void *to, uint64_t to_agent, const void *from,
					      uint64_t from_agent, uint64_t bytes, uint32_t count,
					      const uint64_t *signals, uint64_t signal)
{
	struct job job = {
		.signal = signal, .to = to, .from = from, .bytes = bytes, .timed = copies_profiled};

	(void)count;
	(void)signals;
	if (!bytes || (to_agent != CPU && to_agent != GPU) ||
	    (from_agent != CPU && from_agent != GPU))
		return 0x1001;
	job_add(&job);
	return 0;
}

static int32_t real_hsa_amd_queue_intercept_create(uint64_t agent, uint32_t size, uint32_t type,
						   void *callback, void *data,
						   uint32_t private_bytes, uint32_t group_bytes,
						   struct stub_queue **queue)
{
	return getenv("STUB_HSA_NO_INTERCEPTION")
		       ? 0x1000
		       : real_hsa_queue_create(agent, size, type, callback, data, private_bytes,
					       group_bytes, queue);
}

static int32_t real_hsa_amd_queue_intercept_register(struct stub_queue *queue,
						     stub_handler *handler, void *data)
{
	struct queue *own = (struct queue *)(void *)queue;

	own->handler = handler;
	own->data = data;
	return 0;
}
