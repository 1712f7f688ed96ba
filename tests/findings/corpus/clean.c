/* SPDX-License-Identifier: MIT */
/* Programs in which nothing is wrong. */
#include "corpus.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char data[8 << 20];

void corpus_clean_pipeline(struct corpus *corpus)
{
	for (int i = 0; i < 200; i++)
		corpus_work(corpus, 40, 0, NULL, NULL);
}

struct fetcher {
	const struct corpus *corpus;
	sem_t given, fetched;
};

static void fetcher_wait(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

static void *fetcher_main(void *user)
{
	struct fetcher *fetcher = user;

	for (int i = 0; i < 200; i++) {
		fetcher_wait(&fetcher->given);
		corpus_read(fetcher->corpus, fetcher->corpus->buffer, CL_TRUE, 0, 256, data);
		sem_post(&fetcher->fetched);
	}
	return NULL;
}

/* Another thread fetches what each kernel has computed, which says what comes next. */
void corpus_clean_fetcher(struct corpus *corpus)
{
	struct fetcher fetcher = {.corpus = corpus};
	pthread_t thread;

	sem_init(&fetcher.given, 0, 0);
	sem_init(&fetcher.fetched, 0, 0);
	pthread_create(&thread, NULL, fetcher_main, &fetcher);
	for (int i = 0; i < 200; i++) {
		corpus_work(corpus, 40, 0, NULL, NULL);
		corpus_finish(corpus);
		sem_post(&fetcher.given);
		fetcher_wait(&fetcher.fetched);
	}
	pthread_join(thread, NULL);
	sem_destroy(&fetcher.given);
	sem_destroy(&fetcher.fetched);
}

void corpus_clean_events(struct corpus *corpus)
{
	cl_event last = NULL;

	for (int i = 0; i < 100; i++) {
		cl_event event;

		corpus_work(corpus, 100, last ? 1 : 0, last ? &last : NULL, &event);
		if (last)
			must(clReleaseEvent(last), "clReleaseEvent");
		last = event;
	}
	must(clWaitForEvents(1, &last), "clWaitForEvents");
	must(clReleaseEvent(last), "clReleaseEvent");
}

struct halves { /* of a step: a thread each, one behind the other */
	struct corpus *corpus;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	int turn; /* even: the first one's */
};

static void half_step(struct halves *halves, cl_kernel kernel, int half)
{
	const size_t size = 64;

	pthread_mutex_lock(&halves->lock);
	while (halves->turn % 2 != half)
		pthread_cond_wait(&halves->moved, &halves->lock);
	pthread_mutex_unlock(&halves->lock);
	for (int i = 0; i < 8; i++) {
		host_busy(0.1);
		must(clEnqueueNDRangeKernel(halves->corpus->queue, kernel, 1, NULL, &size, NULL, 0,
					    NULL, NULL),
		     "clEnqueueNDRangeKernel");
	}
	pthread_mutex_lock(&halves->lock);
	halves->turn++;
	pthread_cond_signal(&halves->moved);
	pthread_mutex_unlock(&halves->lock);
}

static void half_steps(struct halves *halves, const char *name, int half)
{
	static const char source[] =
		"kernel void forwards(global float *data) { data[get_global_id(0)] *= 2; }\n"
		"kernel void backwards(global float *data) { data[get_global_id(0)] += 1; }\n";
	cl_program program = corpus_program(halves->corpus->context, source);
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, name, &error);

	must(error, "clCreateKernel");
	must(clSetKernelArg(kernel, 0, sizeof(halves->corpus->buffer), &halves->corpus->buffer),
	     "clSetKernelArg");
	for (int i = 0; i < 60; i++)
		half_step(halves, kernel, half);
	must(clReleaseKernel(kernel), "clReleaseKernel");
	must(clReleaseProgram(program), "clReleaseProgram");
}

static void *second_half(void *user)
{
	half_steps(user, "backwards", 1);
	return NULL;
}

/* What the one thread does needs what the other has done, as with a model's way back. */
void corpus_clean_halves(struct corpus *corpus)
{
	struct halves halves = {.corpus = corpus,
				.lock = PTHREAD_MUTEX_INITIALIZER,
				.moved = PTHREAD_COND_INITIALIZER};
	pthread_t second;

	if (pthread_create(&second, NULL, second_half, &halves))
		exit(1);
	half_steps(&halves, "forwards", 0);
	pthread_join(second, NULL);
	must(clFinish(corpus->queue), "clFinish");
}

/* The host prepares a part while the device works on the one before. */
void corpus_clean_double_buffer(struct corpus *corpus)
{
	cl_event events[2] = {NULL, NULL};

	for (int i = 0; i < 40; i++) {
		cl_event *event = &events[i % 2];

		if (*event) {
			must(clWaitForEvents(1, event), "clWaitForEvents");
			must(clReleaseEvent(*event), "clReleaseEvent");
		}
		corpus_work(corpus, 400, 0, NULL, event);
		must(clFlush(corpus->queue), "clFlush");
		host_busy(0.5);
	}
	for (int i = 0; i < 2; i++) {
		must(clWaitForEvents(1, &events[i]), "clWaitForEvents");
		must(clReleaseEvent(events[i]), "clReleaseEvent");
	}
}

/* Of one length, and not the same. */
void corpus_clean_two_programs(struct corpus *corpus)
{
	static const char *const sources[] = {
		"kernel void one(global float *data) { data[get_global_id(0)] *= 2; }\n",
		"kernel void two(global float *data) { data[get_global_id(0)] *= 3; }\n",
		"kernel void six(global float *data) { data[get_global_id(0)] *= 6; }\n",
	};

	for (int i = 0; i < 3; i++)
		must(clReleaseProgram(corpus_program(corpus->context, sources[i])),
		     "clReleaseProgram");
	for (int i = 0; i < 50; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
}

/* Each process builds once, as it must. */
void corpus_clean_processes(struct corpus *corpus)
{
	pid_t child = fork();

	if (!child) {
		execl(corpus->self, corpus->self, "clean_pipeline", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	for (int i = 0; i < 100; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
}

static cl_program linked(struct corpus *corpus, int number)
{
	char text[160];
	const char *source = text;
	cl_program compiled, program;
	cl_int status;

	snprintf(text, sizeof(text),
		 "kernel void part%d(global float *data) { data[get_global_id(0)] *= %d; }\n",
		 number, number);
	compiled = clCreateProgramWithSource(corpus->context, 1, &source, NULL, &status);
	must(status, "clCreateProgramWithSource");
	must(clCompileProgram(compiled, 0, NULL, "", 0, NULL, NULL, NULL, NULL),
	     "clCompileProgram");
	program = clLinkProgram(corpus->context, 0, NULL, "", 1, &compiled, NULL, NULL, &status);
	must(status, "clLinkProgram");
	must(clReleaseProgram(compiled), "clReleaseProgram");
	return program;
}

void corpus_clean_linked(struct corpus *corpus)
{
	for (int i = 2; i < 6; i++)
		must(clReleaseProgram(linked(corpus, i)), "clReleaseProgram");
	for (int i = 0; i < 50; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
}

void corpus_clean_queries(struct corpus *corpus)
{
	char name[256];

	for (int i = 0; i < 600; i++)
		must(clGetDeviceInfo(corpus->device, CL_DEVICE_NAME, sizeof(name), name, NULL),
		     "clGetDeviceInfo");
	for (int i = 0; i < 100; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
}

void corpus_clean_transfer_once(struct corpus *corpus)
{
	cl_mem buffer = corpus_buffer(corpus, sizeof(data));

	memset(data, 1, sizeof(data));
	corpus_write(corpus, buffer, CL_TRUE, 0, sizeof(data), data);
	for (int i = 0; i < 100; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
	corpus_read(corpus, buffer, CL_TRUE, 0, sizeof(data), data);
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* A table goes to the device in parts, of which many are alike. */
void corpus_clean_chunks(struct corpus *corpus)
{
	size_t part = 64 << 10;
	cl_mem buffer = corpus_buffer(corpus, 16 * part);

	memset(data, 0, 16 * part);
	for (size_t i = 0; i < 16; i++)
		corpus_write(corpus, buffer, CL_FALSE, i * part, part, data + i * part);
	for (int i = 0; i < 100; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
	corpus_finish(corpus);
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* Each step has data of its own; every other one has those of the step before the last. */
void corpus_clean_upload(struct corpus *corpus)
{
	size_t bytes = 64 << 10;

	for (int i = 0; i < 40; i++) {
		memset(data, i % 2, bytes);
		memset(data + bytes / 2, i, 64);
		corpus_write(corpus, corpus->buffer, CL_TRUE, 0, bytes, data);
		for (int j = 0; j < 20; j++)
			corpus_work(corpus, 100, 0, NULL, NULL);
	}
}

/* A matrix of which one number has changed each time, somewhere between samples. */
void corpus_clean_element(struct corpus *corpus)
{
	size_t bytes = 4 << 20;
	cl_mem buffer = corpus_buffer(corpus, bytes);

	memset(data, 1, bytes);
	for (int i = 0; i < 40; i++) {
		data[bytes / 2 + (size_t)i * 4096 + 100] ^= 1;
		corpus_write(corpus, buffer, CL_TRUE, 0, bytes, data);
		for (int j = 0; j < 20; j++)
			corpus_work(corpus, 100, 0, NULL, NULL);
	}
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* Each step has new data, and a result. */
void corpus_clean_stream(struct corpus *corpus)
{
	size_t bytes = corpus_items * sizeof(float);

	for (int i = 0; i < 40; i++) {
		memset(data, i, bytes);
		corpus_write(corpus, corpus->buffer, CL_FALSE, 0, bytes, data);
		corpus_work(corpus, 100, 0, NULL, NULL);
		corpus_read(corpus, corpus->buffer, CL_TRUE, 0, bytes, data + bytes);
	}
}

/* What comes to the host makes place for something else, which goes to another buffer; and to all of a
 * buffer's numbers something is added, which the host alone knows. */
void corpus_clean_replace(struct corpus *corpus)
{
	enum { bytes = corpus_items * sizeof(float) };
	cl_mem from = corpus_buffer(corpus, bytes), to = corpus_buffer(corpus, bytes);

	for (int i = 0; i < 40; i++) {
		corpus_work(corpus, 100, 0, NULL, NULL);
		corpus_read(corpus, from, CL_TRUE, 0, bytes, data);
		memset(data, i, bytes);
		corpus_write(corpus, to, CL_TRUE, 0, bytes, data);
		corpus_work(corpus, 100, 0, NULL, NULL);
		corpus_read(corpus, corpus->buffer, CL_TRUE, 0, bytes, data);
		for (int k = 0; k < bytes; k++)
			data[k] = (char)(data[k] + i + k % 7 + 1);
		corpus_write(corpus, corpus->buffer, CL_TRUE, 0, bytes, data);
	}
	must(clReleaseMemObject(from), "clReleaseMemObject");
	must(clReleaseMemObject(to), "clReleaseMemObject");
}

void corpus_clean_map(struct corpus *corpus)
{
	for (int i = 0; i < 8; i++) {
		cl_int status;
		void *mapped = clEnqueueMapBuffer(
			corpus->queue, corpus->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
			corpus_items * sizeof(float), 0, NULL, NULL, &status);

		must(status, "clEnqueueMapBuffer");
		memset(mapped, 0, 64);
		must(clEnqueueUnmapMemObject(corpus->queue, corpus->buffer, mapped, 0, NULL, NULL),
		     "clEnqueueUnmapMemObject");
		for (int j = 0; j < 20; j++)
			corpus_work(corpus, 100, 0, NULL, NULL);
	}
}

void corpus_clean_pool(struct corpus *corpus)
{
	cl_mem pool[4];

	for (int i = 0; i < 4; i++)
		pool[i] = corpus_buffer(corpus, 1 << 20);
	for (int i = 0; i < 100; i++) {
		must(clSetKernelArg(corpus->kernel, 0, sizeof(pool[0]), &pool[i % 4]),
		     "clSetKernelArg");
		corpus_work(corpus, 100, 0, NULL, NULL);
	}
	corpus_finish(corpus);
	for (int i = 0; i < 4; i++)
		must(clReleaseMemObject(pool[i]), "clReleaseMemObject");
}

static void *drive(void *argument)
{
	struct corpus *corpus = argument;
	struct corpus own = *corpus;
	cl_int status;

	own.queue = clCreateCommandQueue(corpus->context, corpus->device, 0, &status);
	must(status, "clCreateCommandQueue");
	own.kernel = clCreateKernel(corpus->program, "work", &status);
	must(status, "clCreateKernel");
	own.buffer = corpus_buffer(corpus, corpus_items * sizeof(float));
	must(clSetKernelArg(own.kernel, 0, sizeof(own.buffer), &own.buffer), "clSetKernelArg");
	for (int i = 0; i < 60; i++)
		corpus_work(&own, 100, 0, NULL, NULL);
	corpus_finish(&own);
	must(clReleaseMemObject(own.buffer), "clReleaseMemObject");
	must(clReleaseKernel(own.kernel), "clReleaseKernel");
	must(clReleaseCommandQueue(own.queue), "clReleaseCommandQueue");
	return NULL;
}

void corpus_clean_threads(struct corpus *corpus)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, drive, corpus))
			exit(1);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* Mostly the host's work; the device has one thing to do at the end. */
void corpus_clean_host(struct corpus *corpus)
{
	host_busy(120);
	corpus_work(corpus, 400, 0, NULL, NULL);
}

/* Every so often the host must know how far it has come. */
void corpus_clean_residual(struct corpus *corpus)
{
	float residual;

	for (int i = 0; i < 200; i++) {
		corpus_work(corpus, 100, 0, NULL, NULL);
		if (i % 40 == 39)
			corpus_read(corpus, corpus->buffer, CL_TRUE, 0, sizeof(residual),
				    &residual);
	}
}

void corpus_clean_sub_buffers(struct corpus *corpus)
{
	cl_mem parts[4];

	for (int i = 0; i < 4; i++) {
		cl_buffer_region region = {(size_t)i * (corpus_items / 4) * sizeof(float),
					   (corpus_items / 4) * sizeof(float)};
		cl_int status;

		parts[i] = clCreateSubBuffer(corpus->buffer, CL_MEM_READ_WRITE,
					     CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
		must(status, "clCreateSubBuffer");
	}
	for (int i = 0; i < 100; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
	corpus_finish(corpus);
	for (int i = 0; i < 4; i++)
		must(clReleaseMemObject(parts[i]), "clReleaseMemObject");
}

static void CL_CALLBACK light(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	++*(int *)user;
}

void corpus_clean_callback(struct corpus *corpus)
{
	static int count;

	for (int i = 0; i < 60; i++) {
		cl_event event;

		corpus_work(corpus, 100, 0, NULL, &event);
		must(clSetEventCallback(event, CL_COMPLETE, light, &count), "clSetEventCallback");
		must(clReleaseEvent(event), "clReleaseEvent");
	}
}

void corpus_clean_one_kernel(struct corpus *corpus)
{
	corpus_work(corpus, 4000, 0, NULL, NULL);
}

void corpus_clean_retained(struct corpus *corpus)
{
	for (int i = 0; i < 60; i++) {
		must(clRetainMemObject(corpus->buffer), "clRetainMemObject");
		corpus_work(corpus, 100, 0, NULL, NULL);
	}
	for (int i = 0; i < 60; i++)
		must(clReleaseMemObject(corpus->buffer), "clReleaseMemObject");
}

void corpus_clean_out_of_order(struct corpus *corpus)
{
	cl_command_queue in_order = corpus->queue;
	cl_event last = NULL;

	corpus->queue = corpus_out_of_order(corpus);
	for (int i = 0; i < 100; i++) {
		cl_event event;

		corpus_work(corpus, 100, last ? 1 : 0, last ? &last : NULL, &event);
		if (last)
			must(clReleaseEvent(last), "clReleaseEvent");
		last = event;
	}
	corpus_finish(corpus);
	must(clReleaseEvent(last), "clReleaseEvent");
	must(clReleaseCommandQueue(corpus->queue), "clReleaseCommandQueue");
	corpus->queue = in_order;
}

/* One source, built for each of its meanings. */
void corpus_clean_options(struct corpus *corpus)
{
	static const char *const options[] = {"-D SIZE=1", "-D SIZE=2", "-D SIZE=3"};
	const char *source = "kernel void sized(global float *data) { data[SIZE] = SIZE; }\n";

	for (int i = 0; i < 3; i++) {
		cl_int status;
		cl_program program =
			clCreateProgramWithSource(corpus->context, 1, &source, NULL, &status);

		must(status, "clCreateProgramWithSource");
		must(clBuildProgram(program, 0, NULL, options[i], NULL, NULL), "clBuildProgram");
		must(clReleaseProgram(program), "clReleaseProgram");
	}
	for (int i = 0; i < 50; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
}
