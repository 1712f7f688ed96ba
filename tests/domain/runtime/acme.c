/* SPDX-License-Identifier: MIT */
/* Operations run one after another in a thread, by a clock of its own: another zero, and
 * 250 ppm faster than the host's. */
#include "acme.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domains/acme/abi.h"

#define PENDING 4096u
#define QUEUES 16u

struct acm_queue {
	bool exists;
	_Atomic unsigned pending;
};

struct command {
	struct acm_done done;
	struct acm_queue *queue;
	void *to;
	const void *from;
	uint64_t duration_ns;
};

static struct acm_queue queues[QUEUES];
static struct command ring[PENDING];
static unsigned head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct acm_tool tool;
static _Atomic uint64_t correlations;

static uint64_t host_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t device_ns(void)
{
	uint64_t now = host_ns();

	return now + now / 4000 + 7000000000000u;
}

static void *device(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	for (;;) {
		struct command *command;

		while (head == tail)
			pthread_cond_wait(&changed, &lock);
		command = &ring[head % PENDING];
		pthread_mutex_unlock(&lock);
		command->done.start_ns = device_ns();
		if (command->to)
			memcpy(command->to, command->from, command->done.bytes);
		while (device_ns() - command->done.start_ns < command->duration_ns) {
		}
		command->done.end_ns = device_ns();
		if (tool.done)
			tool.done(&command->done);
		pthread_mutex_lock(&lock);
		head++;
		atomic_fetch_sub(&command->queue->pending, 1);
		pthread_cond_broadcast(&changed);
	}
	return NULL;
}

static void tell(uint32_t function, bool ended, const uint64_t *args, uint64_t correlation,
		 int status, uint64_t returned)
{
	struct acm_call call = {function, ended, correlation, args, returned, status};

	if (tool.call)
		tool.call(&call);
}

#define BEGIN(function, ...)                                                      \
	const uint64_t args[] = {__VA_ARGS__};                                    \
	const uint32_t id = (function);                                           \
	uint64_t correlation = (function) == ACM_COPY || (function) == ACM_LAUNCH \
				       ? atomic_fetch_add(&correlations, 1) + 1   \
				       : 0;                                       \
	int status = ACM_OK;                                                      \
	tell(id, false, args, correlation, ACM_OK, 0)

#define END(made)                                                             \
	do {                                                                  \
		tell(id, true, args, correlation, status, (uintptr_t)(made)); \
		return status;                                                \
	} while (0)

static void tool_begin(void)
{
	static const struct acm_runtime runtime = {1, device_ns};
	const char *path = getenv("ACM_TOOL");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*begin)(const struct acm_runtime *, struct acm_tool *) = NULL;

	if (library)
		*(void **)&begin = dlsym(library, "acm_tool_begin");
	if (begin)
		begin(&runtime, &tool);
}

int acmInit(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static pthread_t thread;

	pthread_once(&once, tool_begin);
	BEGIN(ACM_INIT, 0);
	if (!thread && !pthread_create(&thread, NULL, device, NULL))
		pthread_detach(thread);
	END(0);
}

static bool is_queue(const struct acm_queue *queue)
{
	return queue >= queues && queue < queues + QUEUES && queue->exists;
}

int acmQueueCreate(acm_queue_t *queue)
{
	struct acm_queue *made = NULL;

	BEGIN(ACM_QUEUE_CREATE, (uintptr_t)queue);
	for (unsigned i = 0; !made && i < QUEUES; i++)
		if (!queues[i].exists)
			made = &queues[i];
	if (made)
		made->exists = true;
	else
		status = ACM_NO_MEMORY;
	*queue = made;
	END(made);
}

static void drain(struct acm_queue *queue)
{
	pthread_mutex_lock(&lock);
	while (atomic_load(&queue->pending))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

int acmQueueDestroy(acm_queue_t queue)
{
	BEGIN(ACM_QUEUE_DESTROY, (uintptr_t)queue);
	if (is_queue(queue)) {
		drain(queue);
		queue->exists = false;
	} else {
		status = ACM_BAD_HANDLE;
	}
	END(0);
}

int acmAlloc(uint64_t bytes, void **memory)
{
	BEGIN(ACM_ALLOC, bytes, (uintptr_t)memory);
	*memory = malloc(bytes);
	if (!*memory)
		status = ACM_NO_MEMORY;
	END(*memory);
}

int acmFree(void *memory)
{
	BEGIN(ACM_FREE, (uintptr_t)memory);
	free(memory);
	END(0);
}

static void enqueue(struct command command)
{
	pthread_mutex_lock(&lock);
	while (tail - head == PENDING)
		pthread_cond_wait(&changed, &lock);
	atomic_fetch_add(&command.queue->pending, 1);
	ring[tail++ % PENDING] = command;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

int acmCopy(acm_queue_t queue, void *to, const void *from, uint64_t bytes, int blocking)
{
	struct command command = {.queue = queue, .to = to, .from = from, .duration_ns = bytes / 8};

	BEGIN(ACM_COPY, (uintptr_t)queue, (uintptr_t)to, (uintptr_t)from, bytes,
	      (uint64_t)blocking);
	command.done = (struct acm_done){.correlation = correlation,
					 .queue = queue,
					 .kind = blocking ? ACM_READ : ACM_WRITE,
					 .bytes = bytes};
	if (!is_queue(queue))
		status = ACM_BAD_HANDLE;
	else
		enqueue(command);
	if (!status && blocking)
		drain(queue);
	END(0);
}

int acmLaunch(acm_queue_t queue, const char *kernel, uint64_t items)
{
	struct command command = {.queue = queue, .duration_ns = items};

	BEGIN(ACM_LAUNCH, (uintptr_t)queue, (uintptr_t)kernel, items);
	command.done = (struct acm_done){
		.correlation = correlation, .queue = queue, .kind = ACM_KERNEL, .kernel = kernel};
	if (!is_queue(queue))
		status = ACM_BAD_HANDLE;
	else
		enqueue(command);
	END(0);
}

int acmQueueWait(acm_queue_t queue)
{
	BEGIN(ACM_QUEUE_WAIT, (uintptr_t)queue);
	if (is_queue(queue))
		drain(queue);
	else
		status = ACM_BAD_HANDLE;
	END(0);
}

int acmQueueQuery(acm_queue_t queue)
{
	BEGIN(ACM_QUEUE_QUERY, (uintptr_t)queue);
	if (!is_queue(queue))
		status = ACM_BAD_HANDLE;
	else if (atomic_load(&queue->pending))
		status = ACM_BUSY;
	END(0);
}

const char *acmErrorName(int value)
{
	const uint64_t args[] = {(uint64_t)value};
	const char *name = value < 0 ? "error" : "ok";

	tell(ACM_ERROR_NAME, false, args, 0, 0, 0);
	tell(ACM_ERROR_NAME, true, args, 0, 0, (uintptr_t)name);
	return name;
}
