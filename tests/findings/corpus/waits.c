/* SPDX-License-Identifier: MIT */
/* Faults in how the host waits, and in what it does meanwhile. */
#include "corpus.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

void corpus_wait_each(struct corpus *corpus)
{
	for (int i = 0; i < 300; i++) {
		corpus_work(corpus, 40, 0, NULL, NULL);
		if (!corpus->repaired)
			corpus_finish(corpus);
	}
}

void corpus_wait_event_each(struct corpus *corpus)
{
	for (int i = 0; i < 300; i++) {
		cl_event event;

		corpus_work(corpus, 40, 0, NULL, &event);
		if (!corpus->repaired)
			must(clWaitForEvents(1, &event), "clWaitForEvents");
		must(clReleaseEvent(event), "clReleaseEvent");
	}
}

static void CL_CALLBACK signal_end(cl_event event, cl_int status, void *ended)
{
	(void)event;
	(void)status;
	sem_post(ended);
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

/* It sleeps until the driver says that the command has ended. */
void corpus_wait_callback(struct corpus *corpus)
{
	sem_t ended;

	sem_init(&ended, 0, 0);
	for (int i = 0; i < 300; i++) {
		cl_event event;

		corpus_work(corpus, 40, 0, NULL, &event);
		if (!corpus->repaired || i == 299) {
			must(clSetEventCallback(event, CL_COMPLETE, signal_end, &ended),
			     "clSetEventCallback");
			must(clFlush(corpus->queue), "clFlush");
			wait_for(&ended);
		}
		must(clReleaseEvent(event), "clReleaseEvent");
	}
	sem_destroy(&ended);
}

struct elsewhere {
	sem_t given, ended;
	cl_event event;
	int count;
};

static void *elsewhere_main(void *data)
{
	struct elsewhere *elsewhere = data;

	for (int i = 0; i < elsewhere->count; i++) {
		wait_for(&elsewhere->given);
		must(clWaitForEvents(1, &elsewhere->event), "clWaitForEvents");
		must(clReleaseEvent(elsewhere->event), "clReleaseEvent");
		sem_post(&elsewhere->ended);
	}
	return NULL;
}

/* Another thread waits for each command, and this one for that. */
void corpus_wait_elsewhere(struct corpus *corpus)
{
	struct elsewhere elsewhere = {.count = corpus->repaired ? 1 : 300};
	pthread_t thread;

	sem_init(&elsewhere.given, 0, 0);
	sem_init(&elsewhere.ended, 0, 0);
	pthread_create(&thread, NULL, elsewhere_main, &elsewhere);
	for (int i = 0; i < 300; i++) {
		bool waits = !corpus->repaired || i == 299;

		corpus_work(corpus, 40, 0, NULL, waits ? &elsewhere.event : NULL);
		if (!waits)
			continue;
		must(clFlush(corpus->queue), "clFlush");
		sem_post(&elsewhere.given);
		wait_for(&elsewhere.ended);
	}
	pthread_join(thread, NULL);
	sem_destroy(&elsewhere.given);
	sem_destroy(&elsewhere.ended);
}

void corpus_wait_nothing(struct corpus *corpus)
{
	static float data[1024];

	for (int i = 0; i < 200; i++) {
		corpus_work(corpus, 40, 0, NULL, NULL);
		corpus_read(corpus, corpus->buffer, CL_TRUE, 0, sizeof(data), data);
		for (int j = 0; !corpus->repaired && j < 20; j++)
			corpus_finish(corpus);
	}
}

void corpus_poll(struct corpus *corpus)
{
	for (int i = 0; i < 40; i++) {
		cl_int state = CL_QUEUED;
		cl_event event;

		corpus_work(corpus, 400, 0, NULL, &event);
		must(clFlush(corpus->queue), "clFlush");
		if (corpus->repaired)
			must(clWaitForEvents(1, &event), "clWaitForEvents");
		while (!corpus->repaired && state != CL_COMPLETE)
			must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state),
					    &state, NULL),
			     "clGetEventInfo");
		must(clReleaseEvent(event), "clReleaseEvent");
	}
}

static void prepare(struct corpus *corpus, void (*host)(double), double milliseconds)
{
	for (int i = 0; i < 40; i++) {
		corpus_work(corpus, 400, 0, NULL, NULL);
		must(clFlush(corpus->queue), "clFlush");
		if (!corpus->repaired)
			corpus_finish(corpus);
		host(milliseconds);
	}
}

void corpus_host_between(struct corpus *corpus)
{
	prepare(corpus, host_busy, 2);
}

/* What the host does with each result goes back to the device: it could have been done there. */
void corpus_host_on_results(struct corpus *corpus)
{
	static float result[1024];

	for (int i = 0; i < 60; i++) {
		corpus_work(corpus, 20, 0, NULL, NULL);
		corpus_read(corpus, corpus->buffer, CL_TRUE, 0, sizeof(result), result);
		if (!corpus->repaired)
			host_busy(4);
		result[i] += 1;
		corpus_write(corpus, corpus->buffer, CL_TRUE, 0, sizeof(result), result);
	}
}

void corpus_sleep_between(struct corpus *corpus)
{
	prepare(corpus, host_sleep, 2);
}

/* The device could work while the host does. */
void corpus_unflushed(struct corpus *corpus)
{
	for (int i = 0; i < 40; i++) {
		for (int j = 0; j < 4; j++)
			corpus_work(corpus, 100, 0, NULL, NULL);
		if (corpus->repaired)
			must(clFlush(corpus->queue), "clFlush");
		host_busy(6);
		corpus_finish(corpus);
	}
}

static void CL_CALLBACK heavy(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	host_busy(3);
}

void corpus_callback_heavy(struct corpus *corpus)
{
	cl_event events[40];

	for (int i = 0; i < 40; i++) {
		corpus_work(corpus, 100, 0, NULL, &events[i]);
		if (!corpus->repaired)
			must(clSetEventCallback(events[i], CL_COMPLETE, heavy, NULL),
			     "clSetEventCallback");
	}
	corpus_finish(corpus);
	for (int i = 0; i < 40; i++)
		must(clReleaseEvent(events[i]), "clReleaseEvent");
}

/* Kernels and transfers that need nothing of each other. */
static void independent(struct corpus *corpus, bool barriers, bool chain)
{
	static float data[(1 << 14) + 60 * 16] __attribute__((aligned(64)));
	size_t bytes = (1 << 14) * sizeof(*data);
	cl_mem other = corpus_buffer(corpus, bytes);
	cl_command_queue in_order = corpus->queue;
	cl_event last = NULL;

	for (size_t i = 0; i < sizeof(data) / sizeof(*data); i++)
		data[i] = (float)i;
	corpus->queue = corpus_out_of_order(corpus);
	for (int i = 0; i < 60; i++) {
		cl_event events[2];

		corpus_work(corpus, 100, last ? 1 : 0, last ? &last : NULL, &events[0]);
		if (barriers)
			must(clEnqueueBarrierWithWaitList(corpus->queue, 0, NULL, NULL),
			     "clEnqueueBarrierWithWaitList");
		must(clEnqueueWriteBuffer(corpus->queue, other, CL_FALSE, 0, bytes, data + i * 16,
					  chain ? 1 : 0, chain ? &events[0] : NULL, &events[1]),
		     "clEnqueueWriteBuffer");
		if (barriers)
			must(clEnqueueBarrierWithWaitList(corpus->queue, 0, NULL, NULL),
			     "clEnqueueBarrierWithWaitList");
		must(clReleaseEvent(events[0]), "clReleaseEvent");
		if (last)
			must(clReleaseEvent(last), "clReleaseEvent");
		last = chain ? events[1] : NULL;
		if (!chain)
			must(clReleaseEvent(events[1]), "clReleaseEvent");
	}
	corpus_finish(corpus);
	if (last)
		must(clReleaseEvent(last), "clReleaseEvent");
	must(clReleaseCommandQueue(corpus->queue), "clReleaseCommandQueue");
	must(clReleaseMemObject(other), "clReleaseMemObject");
	corpus->queue = in_order;
}

void corpus_barriers(struct corpus *corpus)
{
	independent(corpus, !corpus->repaired, false);
}

void corpus_event_chain(struct corpus *corpus)
{
	independent(corpus, false, !corpus->repaired);
}

static cl_kernel sums_kernel(cl_program program, cl_mem table, cl_mem sums)
{
	cl_kernel kernel;
	cl_int status, rounds = 60000;

	kernel = clCreateKernel(program, "row_sums", &status);
	must(status, "clCreateKernel");
	must(clSetKernelArg(kernel, 0, sizeof(table), &table), "clSetKernelArg");
	must(clSetKernelArg(kernel, 1, sizeof(sums), &sums), "clSetKernelArg");
	must(clSetKernelArg(kernel, 2, sizeof(rounds), &rounds), "clSetKernelArg");
	return kernel;
}

/* Two rows of sums of one table, in one work-group each: each waits for the one before, though both only
 * read what they share. */
void corpus_shared_input(struct corpus *corpus)
{
	static const char source[] =
		"__kernel void row_sums(__global float *table, __global float *sums, int rounds)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float sum = 0;\n"
		"	for (int k = 0; k < rounds; k++)\n"
		"		sum = sum * 0.5f + table[(i + k) & 1023];\n"
		"	sums[i] = sum;\n"
		"}\n";
	size_t items = 16, bytes = items * sizeof(cl_float);
	cl_program program = corpus_program(corpus->context, source);
	cl_command_queue queue = corpus_out_of_order(corpus);
	cl_mem sums[2] = {corpus_buffer(corpus, bytes), corpus_buffer(corpus, bytes)};
	cl_kernel kernels[2] = {sums_kernel(program, corpus->buffer, sums[0]),
				sums_kernel(program, corpus->buffer, sums[1])};
	cl_event last[2] = {NULL, NULL};

	for (int i = 0; i < 120; i++) {
		cl_event before = last[corpus->repaired ? i % 2 : 0], event;

		must(clEnqueueNDRangeKernel(queue, kernels[i % 2], 1, NULL, &items, &items,
					    before ? 1 : 0, before ? &before : NULL, &event),
		     "clEnqueueNDRangeKernel");
		if (before)
			must(clReleaseEvent(before), "clReleaseEvent");
		last[corpus->repaired ? i % 2 : 0] = event;
	}
	must(clFinish(queue), "clFinish");
	for (int i = 0; i < 2; i++) {
		if (last[i])
			must(clReleaseEvent(last[i]), "clReleaseEvent");
		must(clReleaseKernel(kernels[i]), "clReleaseKernel");
		must(clReleaseMemObject(sums[i]), "clReleaseMemObject");
	}
	must(clReleaseProgram(program), "clReleaseProgram");
	must(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

/* All threads of the process, those of the driver too. */
static void pin_all(int cpu)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	while (tasks && (task = readdir(tasks)))
		if (atoi(task->d_name) &&
		    sched_setaffinity(atoi(task->d_name), sizeof(cpus), &cpus))
			exit(1);
	if (tasks)
		closedir(tasks);
}

void corpus_one_cpu(struct corpus *corpus)
{
	if (!corpus->repaired)
		pin_all(sched_getcpu());
	for (int i = 0; i < 60; i++)
		corpus_work(corpus, 400, 0, NULL, NULL);
}

/* Kernels of one item, of which the runtime makes the group, each on memory of its own: in one queue, or
 * in one for each of the two. */
void corpus_lone_items(struct corpus *corpus)
{
	const size_t one = 1;
	cl_command_queue queues[2] = {corpus->queue, corpus->queue};
	cl_kernel kernels[2];
	cl_mem memory[2];
	cl_int status, rounds = 100000;

	if (corpus->repaired) {
		queues[1] = clCreateCommandQueue(corpus->context, corpus->device, 0, &status);
		must(status, "clCreateCommandQueue");
	}
	for (int i = 0; i < 2; i++) {
		memory[i] = corpus_buffer(corpus, 4096);
		kernels[i] = clCreateKernel(corpus->program, "work", &status);
		must(status, "clCreateKernel");
		must(clSetKernelArg(kernels[i], 0, sizeof(memory[i]), &memory[i]),
		     "clSetKernelArg");
		must(clSetKernelArg(kernels[i], 1, sizeof(rounds), &rounds), "clSetKernelArg");
	}
	for (int i = 0; i < 400; i++) {
		must(clEnqueueNDRangeKernel(queues[i % 2], kernels[i % 2], 1, NULL, &one, NULL, 0,
					    NULL, NULL),
		     "clEnqueueNDRangeKernel");
		if (i % 20 < 18)
			continue;
		must(clFlush(queues[i % 2]), "clFlush");
	}
	for (int i = 0; i < 2; i++) {
		must(clFinish(queues[i]), "clFinish");
		must(clReleaseKernel(kernels[i]), "clReleaseKernel");
		must(clReleaseMemObject(memory[i]), "clReleaseMemObject");
	}
	if (corpus->repaired)
		must(clReleaseCommandQueue(queues[1]), "clReleaseCommandQueue");
}

/* A pause after each step, which nothing needs. */
void corpus_nap_each(struct corpus *corpus)
{
	for (int i = 0; i < 60; i++) {
		corpus_work(corpus, 20, 0, NULL, NULL);
		corpus_finish(corpus);
		if (!corpus->repaired)
			host_sleep(4);
	}
}
