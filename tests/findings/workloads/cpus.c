/* SPDX-License-Identifier: MIT */
/* Threads, processes and contexts that are in each other's way. */
#include "workloads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char bodies_source[] =
	"kernel void bodies(global const float4 *from, global float4 *to, int count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float4 me = from[i];\n"
	"	float2 pull = 0;\n"
	"	for (int j = 0; j < count; j++) {\n"
	"		float2 d = from[j].xy - me.xy;\n"
	"		pull += d * native_rsqrt(d.x * d.x + d.y * d.y + 0.01f);\n"
	"	}\n"
	"	me.zw += 0.0001f * pull;\n"
	"	me.xy += 0.01f * me.zw;\n"
	"	to[i] = me;\n"
	"}\n";

/* Moves the bodies, count of them; the caller's thread waits for each 20 steps. */
static void bodies_move(const struct app *w, cl_command_queue queue, int count, int steps)
{
	size_t bytes = (size_t)count * 16;
	float *body = new_field((size_t)count * 4, 91);
	cl_kernel bodies = kernel_of(w, bodies_source, "bodies");
	cl_mem memory[2] = {buffer_new(w, bytes), buffer_new(w, bytes)};

	put_now(queue, memory[0], bytes, body);
	for (int i = 0; i < steps; i++) {
		args(bodies, "bbi", memory[i % 2], memory[1 - i % 2], count);
		run(queue, bodies, (size_t)count, 32);
		flush(queue);
		if (i % 20 == 19)
			finish(queue);
	}
	get(queue, memory[0], bytes, body);
	answer(total(body, (size_t)count * 4));
	DROP(memory[0]);
	DROP(memory[1]);
	DROP(bodies);
	free(body);
}

/* Gravity between bodies. The program binds itself to a CPU at its start, for steady timings, and
 * the driver's threads are then bound to it too; repaired, it does not. */
void pinned_start_early(bool repaired)
{
	cpu_set_t cpus, one;
	int first = 0;

	if (repaired || sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	while (!CPU_ISSET(first, &cpus))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

void workload_pinned_start(struct app *w)
{
	bodies_move(w, w->queue, 1024, 400);
}

struct parser {
	atomic_bool *over;
	bool blocks;
	pthread_mutex_t *lock;
	pthread_cond_t *work;
};

static void *parser_main(void *argument)
{
	struct parser *parser = argument;

	if (parser->blocks) {
		pthread_mutex_lock(parser->lock);
		while (!atomic_load(parser->over))
			pthread_cond_wait(parser->work, parser->lock);
		pthread_mutex_unlock(parser->lock);
	}
	while (!atomic_load(parser->over)) {
		for (int i = 0; i < 20000; i++)
			__asm__ volatile("" ::: "memory");
		sched_yield();
	}
	return NULL;
}

/* A pool of parser threads is there for requests that seldom come, and looks for them in a loop
 * while the device's threads want the CPUs; repaired, the pool sleeps until it is woken. */
void workload_parser_pool(struct app *w)
{
	enum { count = 2 };
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t work = PTHREAD_COND_INITIALIZER;
	atomic_bool over = false;
	struct parser parser = {&over, w->repaired, &lock, &work};
	pthread_t threads[count];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, parser_main, &parser))
			must(-1, "pthread_create");
	bodies_move(w, w->queue, 1024, 80);
	pthread_mutex_lock(&lock);
	atomic_store(&over, true);
	pthread_cond_broadcast(&work);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static volatile sig_atomic_t tenant_over;

static void tenant_stop(int number)
{
	(void)number;
	tenant_over = 1;
}

/* Until the simulation tells it to stop. */
static void tenant_render(const struct app *w)
{
	struct sigaction stop = {.sa_handler = tenant_stop};
	cl_kernel bodies = kernel_of(w, bodies_source, "bodies");
	float *body = new_field(4 * KIB, 17);
	cl_mem memory[2] = {buffer_new(w, 16 * KIB), buffer_new(w, 16 * KIB)};

	if (sigaction(SIGTERM, &stop, NULL))
		must(-1, "sigaction");
	put_now(w->queue, memory[0], 16 * KIB, body);
	args(bodies, "bbi", memory[0], memory[1], 1024);
	while (!tenant_over) {
		for (int i = 0; i < 4; i++)
			run(w->queue, bodies, 1024, 32);
		finish(w->queue);
	}
	DROP(memory[0]);
	DROP(memory[1]);
	DROP(bodies);
	free(body);
}

/* A simulation, and beside it a second process that draws a demonstration nobody asked for, on the
 * same device; repaired, there is no second one. */
void workload_two_tenants(struct app *w)
{
	char *words[] = {(char *)w->self, "two_tenants", "tenant", NULL};
	pid_t tenant = 0;

	if (!strcmp(w->word, "tenant")) {
		tenant_render(w);
		return;
	}
	if (!w->repaired && posix_spawn(&tenant, w->self, NULL, NULL, words, environ))
		must(-1, "posix_spawn");
	bodies_move(w, w->queue, 1024, 300);
	if (tenant) {
		kill(tenant, SIGTERM);
		waitpid(tenant, NULL, 0);
	}
}

struct index_job {
	struct app w;
	atomic_bool over;
};

static void *index_main(void *argument)
{
	struct index_job *job = argument;
	float *body = new_field(8 * 1024, 3);
	cl_command_queue queue = queue_new(&job->w, 0);
	cl_kernel bodies = kernel_of(&job->w, bodies_source, "bodies");
	cl_mem memory[2] = {buffer_new(&job->w, 32 * KIB), buffer_new(&job->w, 32 * KIB)};

	put_now(queue, memory[0], 32 * KIB, body);
	args(bodies, "bbi", memory[0], memory[1], 1024);
	while (!atomic_load(&job->over)) {
		for (int i = 0; i < 4; i++)
			run(queue, bodies, 2048, 32);
		finish(queue);
	}
	DROP(memory[0]);
	DROP(memory[1]);
	DROP(bodies);
	DROP(queue);
	free(body);
	return NULL;
}

/* A search index is built again and again by a plugin of the same process, which has a context of
 * its own, while the simulation runs; repaired, the plugin is off. */
void workload_index_beside(struct app *w)
{
	struct index_job job = {.w = *w};
	pthread_t thread;

	if (!w->repaired) {
		job.w.context = context_new(w);
		if (pthread_create(&thread, NULL, index_main, &job))
			must(-1, "pthread_create");
	}
	bodies_move(w, w->queue, 1024, 300);
	if (!w->repaired) {
		atomic_store(&job.over, true);
		pthread_join(thread, NULL);
		DROP(job.w.context);
	}
}
