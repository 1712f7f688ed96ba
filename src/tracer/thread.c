/* SPDX-License-Identifier: MIT */
#include "tracer/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tandem/tracer.h"
#include "tracer/error.h"

__thread struct tracer_thread *tracer_thread_here __attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static bool key_made;
static void (*_Atomic at_end)(struct tracer_thread *thread);

void tracer_thread_at_end(void (*leave)(struct tracer_thread *thread))
{
	at_end = leave;
}

static void thread_ends(void *value)
{
	struct tracer_thread *thread = value;
	void (*leave)(struct tracer_thread * thread) = at_end;

	if (thread->making && leave)
		leave(thread);
	tracer_thread_here = NULL;
	munmap(value, sizeof(struct tracer_thread));
}

__attribute__((constructor)) static void key_make(void)
{
	key_made = !pthread_key_create(&key, thread_ends);
}

struct tracer_thread *tracer_thread_make(void)
{
	int saved = errno;
	void *memory = mmap(NULL, sizeof(struct tracer_thread), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	if (memory == MAP_FAILED)
		return NULL;
	tracer_thread_here = memory;
	tracer_thread_here->tid = (uint32_t)syscall(SYS_gettid);
	if (key_made)
		pthread_setspecific(key, memory);
	return memory;
}

void tracer_thread_forked(void)
{
	struct tracer_thread *thread = tracer_thread_here;

	if (!thread)
		return;
	thread->tid = (uint32_t)syscall(SYS_gettid);
	memset(thread->chunk, 0, sizeof(thread->chunk));
	thread->making = NULL;
}

int error_set(int error, const char *format, ...)
{
	struct tracer_thread *thread = tracer_thread();
	int saved = errno;
	va_list arguments;

	if (!thread)
		return error;
	va_start(arguments, format);
	vsnprintf(thread->error, sizeof(thread->error), format, arguments);
	va_end(arguments);
	errno = saved;
	return error;
}

const char *tandem_tracer_error(void)
{
	struct tracer_thread *thread = tracer_thread();

	return thread ? thread->error : "out of memory";
}

int tandem_tracer_external_push(uint64_t id)
{
	struct tracer_thread *thread = tracer_thread();

	if (!thread)
		return -ENOMEM;
	if (thread->external_count == THREAD_EXTERNAL_MOST)
		return error_set(-ENOSPC, "%u external ids are pushed", THREAD_EXTERNAL_MOST);
	thread->external[thread->external_count++] = id;
	return 0;
}

int tandem_tracer_external_pop(uint64_t *id)
{
	struct tracer_thread *thread = tracer_thread();

	if (!thread)
		return -ENOMEM;
	if (!thread->external_count)
		return error_set(-ENOENT, "no external id is pushed in this thread");
	thread->external_count--;
	if (id)
		*id = thread->external[thread->external_count];
	return 0;
}
