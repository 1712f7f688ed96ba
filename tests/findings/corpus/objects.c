/* SPDX-License-Identifier: MIT */
/* Faults in what is made: programs, memory, queues, kernels, events; and errors. */
#include "corpus.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char other_source[] = "kernel void other(global float *data)\n"
				   "{\n"
				   "	data[get_global_id(0)] *= 2;\n"
				   "}\n";

void corpus_build_again(struct corpus *corpus)
{
	for (int i = 0; i < (corpus->repaired ? 1 : 8); i++)
		must(clReleaseProgram(corpus_program(corpus->context, other_source)),
		     "clReleaseProgram");
	for (int i = 0; i < 20; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
}

void corpus_build_in_contexts(struct corpus *corpus)
{
	for (int i = 0; i < (corpus->repaired ? 0 : 5); i++) {
		struct corpus further = {.device = corpus->device};

		corpus_open(&further);
		corpus_close(&further);
	}
	for (int i = 0; i < 20; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
}

static cl_kernel kernel_of_rate(struct corpus *corpus, int rate)
{
	char source[256];
	cl_program program;
	cl_kernel kernel;
	cl_int error;

	snprintf(source, sizeof(source),
		 "kernel void grow(global float *data, float rate)\n"
		 "{\n"
		 "	data[get_global_id(0)] *= 1.%03df + rate;\n"
		 "}\n",
		 rate);
	program = corpus_program(corpus->context, source);
	kernel = clCreateKernel(program, "grow", &error);
	must(error, "clCreateKernel");
	must(clReleaseProgram(program), "clReleaseProgram");
	must(clSetKernelArg(kernel, 0, sizeof(corpus->buffer), &corpus->buffer), "clSetKernelArg");
	return kernel;
}

/* Each rate is written into the text, or given as an argument. */
void corpus_build_rates(struct corpus *corpus)
{
	const size_t size = corpus_items;
	cl_kernel kernel = NULL;

	for (int i = 0; i < 12; i++) {
		cl_float rate = corpus->repaired ? 0.003f * (float)i : 0;

		if (!kernel)
			kernel = kernel_of_rate(corpus, corpus->repaired ? 97 : 97 + 3 * i);
		must(clSetKernelArg(kernel, 1, sizeof(rate), &rate), "clSetKernelArg");
		for (int j = 0; j < 4; j++)
			must(clEnqueueNDRangeKernel(corpus->queue, kernel, 1, NULL, &size, NULL, 0,
						    NULL, NULL),
			     "clEnqueueNDRangeKernel");
		corpus_finish(corpus);
		host_busy(25);
		if (corpus->repaired && i < 11)
			continue;
		must(clReleaseKernel(kernel), "clReleaseKernel");
		kernel = NULL;
	}
}

/* The builds of the setup are it: the driver takes its time, or does not. */
void corpus_build_first(struct corpus *corpus)
{
	for (int i = 0; i < 20; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
}

void corpus_allocate_in_loop(struct corpus *corpus)
{
	size_t bytes = 8 << 20;
	cl_mem buffer = NULL;
	static char data[8 << 20];

	memset(data, 1, sizeof(data));
	for (int i = 0; i < 40; i++) {
		if (!buffer)
			buffer = corpus_buffer(corpus, bytes);
		corpus_write(corpus, buffer, CL_TRUE, 0, bytes, data);
		corpus_work(corpus, 20, 0, NULL, NULL);
		corpus_finish(corpus);
		if (corpus->repaired && i < 39)
			continue;
		must(clReleaseMemObject(buffer), "clReleaseMemObject");
		buffer = NULL;
	}
}

/* Each step needs a little more. */
void corpus_allocate_sizes(struct corpus *corpus)
{
	size_t most = (size_t)corpus_items * sizeof(float) + 100 * 4096;
	cl_mem buffer = corpus->repaired ? corpus_buffer(corpus, most) : NULL;

	for (size_t i = 0; i < 100; i++) {
		if (!corpus->repaired)
			buffer = corpus_buffer(corpus, most - (99 - i) * 4096);
		must(clSetKernelArg(corpus->kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
		corpus_work(corpus, 1, 0, NULL, NULL);
		corpus_finish(corpus);
		if (!corpus->repaired)
			must(clReleaseMemObject(buffer), "clReleaseMemObject");
	}
	if (corpus->repaired)
		must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* What a kernel writes gets a new buffer each time, which takes the place of the old one before it is used. */
void corpus_replaced_buffer(struct corpus *corpus)
{
	size_t bytes = (size_t)corpus_items * sizeof(float);
	cl_mem buffer = corpus_buffer(corpus, bytes);

	for (int i = 0; i < 60; i++) {
		if (!corpus->repaired) {
			cl_mem old = buffer;

			buffer = corpus_buffer(corpus, bytes);
			must(clReleaseMemObject(old), "clReleaseMemObject");
		}
		must(clSetKernelArg(corpus->kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
		corpus_work(corpus, 1, 0, NULL, NULL);
		corpus_finish(corpus);
	}
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

void corpus_queue_in_loop(struct corpus *corpus)
{
	for (int i = 0; i < 400; i++) {
		cl_int status;

		if (!corpus->repaired) {
			must(clReleaseCommandQueue(corpus->queue), "clReleaseCommandQueue");
			corpus->queue =
				clCreateCommandQueue(corpus->context, corpus->device, 0, &status);
			must(status, "clCreateCommandQueue");
		}
		corpus_work(corpus, 1, 0, NULL, NULL);
		corpus_finish(corpus);
	}
}

void corpus_kernel_in_loop(struct corpus *corpus)
{
	for (int i = 0; i < 1000; i++) {
		cl_int status;

		if (!corpus->repaired) {
			must(clReleaseKernel(corpus->kernel), "clReleaseKernel");
			corpus->kernel = clCreateKernel(corpus->program, "work", &status);
			must(status, "clCreateKernel");
			must(clSetKernelArg(corpus->kernel, 0, sizeof(corpus->buffer),
					    &corpus->buffer),
			     "clSetKernelArg");
		}
		corpus_work(corpus, 1, 0, NULL, NULL);
	}
}

void corpus_events_leaked(struct corpus *corpus)
{
	for (int i = 0; i < 500; i++) {
		cl_command_type type;
		cl_event event;

		corpus_work(corpus, 1, 0, NULL, &event);
		must(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL),
		     "clGetEventInfo");
		if (corpus->repaired)
			must(clReleaseEvent(event), "clReleaseEvent");
	}
}

/* An event of each launch, which nobody looks at. */
void corpus_events_unnamed(struct corpus *corpus)
{
	for (int i = 0; i < 500; i++) {
		cl_event event;

		corpus_work(corpus, 1, 0, NULL, &event);
		if (corpus->repaired)
			must(clReleaseEvent(event), "clReleaseEvent");
	}
}

void corpus_buffers_leaked(struct corpus *corpus)
{
	for (int i = 0; i < 20; i++) {
		cl_mem buffer = corpus_buffer(corpus, 1 << 20);

		corpus_work(corpus, 100, 0, NULL, NULL);
		if (corpus->repaired)
			must(clReleaseMemObject(buffer), "clReleaseMemObject");
	}
}

static void launch(struct corpus *corpus, size_t global, const size_t *local)
{
	int rounds = 40;
	cl_mem buffer = corpus_buffer(corpus, (1 << 17) * sizeof(float));

	must(clSetKernelArg(corpus->kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
	must(clSetKernelArg(corpus->kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
	for (int i = 0; i < 20; i++)
		must(clEnqueueNDRangeKernel(corpus->queue, corpus->kernel, 1, NULL, &global, local,
					    0, NULL, NULL),
		     "clEnqueueNDRangeKernel");
	corpus_finish(corpus);
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

void corpus_prime_size(struct corpus *corpus)
{
	launch(corpus, corpus->repaired ? 65536 : 65537, NULL);
}

void corpus_group_of_one(struct corpus *corpus)
{
	size_t local = corpus->repaired ? 256 : 1;

	launch(corpus, 65536, &local);
}

static void *keep_busy(void *argument)
{
	struct corpus *corpus = argument;

	for (int i = 0; i < 60; i++) {
		corpus_work(corpus, 100, 0, NULL, NULL);
		corpus_finish(corpus);
	}
	return NULL;
}

void corpus_contexts(struct corpus *corpus)
{
	struct corpus further = {.device = corpus->device};
	pthread_t thread;

	corpus_open(&further);
	if (!corpus->repaired && !pthread_create(&thread, NULL, keep_busy, &further)) {
		keep_busy(corpus);
		pthread_join(thread, NULL);
	} else {
		keep_busy(corpus);
		keep_busy(&further);
	}
	corpus_close(&further);
}

void corpus_errors(struct corpus *corpus)
{
	for (int i = 0; i < 20; i++) {
		corpus_work(corpus, 100, 0, NULL, NULL);
		if (!corpus->repaired)
			clSetKernelArg(corpus->kernel, 7, sizeof(i), &i);
	}
}

/* A kernel that does all steps of a solver by itself is refused: the host launches each step. */
void corpus_refused_phases(struct corpus *corpus)
{
	enum { STEPS = 20 };

	size_t step_items = corpus_items, items = STEPS * step_items;
	size_t local = corpus->repaired ? 256 : 1 << 16;
	int rounds = 1;
	cl_program program = corpus_program(corpus->context, other_source);
	cl_mem buffer = corpus_buffer(corpus, items * sizeof(float));
	cl_int status;
	cl_kernel step = clCreateKernel(program, "other", &status);

	must(status, "clCreateKernel");
	must(clSetKernelArg(step, 0, sizeof(buffer), &buffer), "clSetKernelArg");
	must(clSetKernelArg(corpus->kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
	must(clSetKernelArg(corpus->kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
	for (int i = 0; i < 20; i++) {
		status = clEnqueueNDRangeKernel(corpus->queue, corpus->kernel, 1, NULL, &items,
						&local, 0, NULL, NULL);
		for (int j = 0; status != CL_SUCCESS && j < STEPS; j++) {
			must(clEnqueueNDRangeKernel(corpus->queue, step, 1, NULL, &step_items, NULL,
						    0, NULL, NULL),
			     "clEnqueueNDRangeKernel");
			corpus_finish(corpus);
		}
	}
	corpus_finish(corpus);
	must(clReleaseKernel(step), "clReleaseKernel");
	must(clReleaseProgram(program), "clReleaseProgram");
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* So many contexts, each with work under way at the same time as the others'. */
void corpus_many_contexts(struct corpus *corpus)
{
	enum { most = 2000, steps = 4 };
	static struct corpus contexts[most];
	int count = corpus->number > 0 && corpus->number < most ? corpus->number : most;

	for (int i = 0; i < count; i++) {
		contexts[i].device = corpus->device;
		corpus_open(&contexts[i]);
	}
	/* As many commands however many contexts there are. */
	for (int i = 0; i < steps * most; i++) {
		corpus_work(&contexts[i % count], 1, 0, NULL, NULL);
		if (i % 1000 == 999)
			for (int j = 0; j < count; j++)
				corpus_finish(&contexts[j]);
	}
	for (int i = 0; i < count; i++)
		corpus_close(&contexts[i]);
}

/* A hundred contexts come and go before the two that share the device. */
void corpus_late_contexts(struct corpus *corpus)
{
	struct corpus idle[100] = {{.device = corpus->device}};

	for (int i = 0; i < 100; i++) {
		idle[i].device = corpus->device;
		corpus_open(&idle[i]);
	}
	corpus_contexts(corpus);
	for (int i = 0; i < 100; i++)
		corpus_close(&idle[i]);
}
