/* SPDX-License-Identifier: MIT */
/* Faults and clean programs that were written when findings were as they are told in
 * doc/FINDINGS.md, and run before anything was changed for them. */
#include "corpus.h"

#include <pthread.h>
#include <string.h>

/* A thread that makes work for the queue that all share, or for one of its own. */
struct producer {
	struct corpus corpus;
	pthread_t thread;
	bool own_queue;
};

static void *produce(void *argument)
{
	struct producer *producer = argument;
	struct corpus *corpus = &producer->corpus;
	cl_int status;

	corpus->kernel = clCreateKernel(corpus->program, "work", &status);
	must(status, "clCreateKernel");
	corpus->buffer = corpus_buffer(corpus, corpus_items * sizeof(float));
	must(clSetKernelArg(corpus->kernel, 0, sizeof(corpus->buffer), &corpus->buffer),
	     "clSetKernelArg");
	for (int i = 0; i < 150; i++) {
		corpus_work(corpus, 40, 0, NULL, NULL);
		if (!corpus->repaired)
			corpus_finish(corpus);
	}
	corpus_finish(corpus);
	must(clReleaseKernel(corpus->kernel), "clReleaseKernel");
	must(clReleaseMemObject(corpus->buffer), "clReleaseMemObject");
	return NULL;
}

static void run_producers(struct corpus *corpus, bool own_queue)
{
	struct producer producers[2];

	for (int i = 0; i < 2; i++) {
		producers[i].corpus = *corpus;
		if (own_queue)
			producers[i].corpus.queue = corpus_out_of_order(corpus);
		if (pthread_create(&producers[i].thread, NULL, produce, &producers[i]))
			must(-1, "pthread_create");
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(producers[i].thread, NULL);
		if (own_queue)
			must(clReleaseCommandQueue(producers[i].corpus.queue),
			     "clReleaseCommandQueue");
	}
}

/* Each waits for all that is in the queue, the other's commands too. */
void corpus_producers(struct corpus *corpus)
{
	run_producers(corpus, false);
}

/* Each has a queue, and waits once. */
void corpus_clean_producers(struct corpus *corpus)
{
	struct corpus own = *corpus;

	own.repaired = true;
	run_producers(&own, true);
}

/* A queue for uploads next to one for kernels, of two buffers by turns; the planted one takes
 * the same buffer each time, so that an upload has to wait for the kernel before. */
static void double_buffer(struct corpus *corpus, int buffers)
{
	static float data[2][corpus_items];
	cl_event done[2] = {NULL, NULL};
	cl_command_queue uploads;
	cl_mem both[2];
	cl_int status;

	uploads = clCreateCommandQueue(corpus->context, corpus->device, 0, &status);
	must(status, "clCreateCommandQueue");
	for (int i = 0; i < 2; i++)
		both[i] = corpus_buffer(corpus, sizeof(data[0]));
	for (int i = 0; i < 60; i++) {
		int at = i % buffers;
		cl_event up;

		if (done[at] && i >= 2)
			must(clWaitForEvents(1, &done[at]), "clWaitForEvents");
		for (size_t j = 0; j < corpus_items; j += 16)
			data[at][j] = (float)(i + 1);
		must(clEnqueueWriteBuffer(uploads, both[at], CL_FALSE, 0, sizeof(data[0]), data[at],
					  done[at] ? 1 : 0, done[at] ? &done[at] : NULL, &up),
		     "clEnqueueWriteBuffer");
		if (done[at])
			must(clReleaseEvent(done[at]), "clReleaseEvent");
		must(clFlush(uploads), "clFlush");
		must(clSetKernelArg(corpus->kernel, 0, sizeof(both[at]), &both[at]),
		     "clSetKernelArg");
		corpus_work(corpus, 100, 1, &up, &done[at]);
		must(clFlush(corpus->queue), "clFlush");
		must(clReleaseEvent(up), "clReleaseEvent");
	}
	corpus_finish(corpus);
	for (int i = 0; i < 2; i++) {
		if (done[i])
			must(clReleaseEvent(done[i]), "clReleaseEvent");
		must(clReleaseMemObject(both[i]), "clReleaseMemObject");
	}
	must(clReleaseCommandQueue(uploads), "clReleaseCommandQueue");
}

void corpus_double_buffer(struct corpus *corpus)
{
	double_buffer(corpus, corpus->repaired ? 2 : 1);
}

void corpus_clean_two_queues(struct corpus *corpus)
{
	double_buffer(corpus, 2);
}

/* The whole buffer is mapped in each step, for its first value. */
void corpus_map_each(struct corpus *corpus)
{
	size_t bytes = corpus_items * sizeof(float);
	float sum = 0;

	for (int i = 0; i < 200; i++) {
		cl_int status;
		float *mapped;

		corpus_work(corpus, 40, 0, NULL, NULL);
		if (corpus->repaired && i < 199)
			continue;
		mapped = clEnqueueMapBuffer(corpus->queue, corpus->buffer, CL_TRUE, CL_MAP_READ, 0,
					    bytes, 0, NULL, NULL, &status);
		must(status, "clEnqueueMapBuffer");
		sum += mapped[0];
		must(clEnqueueUnmapMemObject(corpus->queue, corpus->buffer, mapped, 0, NULL, NULL),
		     "clEnqueueUnmapMemObject");
	}
	if (sum < -1e9f)
		must(-1, "sum");
}

/* A part of the buffer for each launch, made anew. */
void corpus_parts_in_loop(struct corpus *corpus)
{
	size_t bytes = corpus_items * sizeof(float) / 16;
	cl_mem parts[16];
	size_t items = corpus_items / 64;
	int rounds = 1;

	must(clSetKernelArg(corpus->kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
	for (int i = 0; i < 4000; i++) {
		int at = i % 16;

		if (!corpus->repaired || i < 16) {
			cl_buffer_region region = {.origin = (size_t)at * bytes, .size = bytes};
			cl_int status;

			parts[at] =
				clCreateSubBuffer(corpus->buffer, CL_MEM_READ_WRITE,
						  CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
			must(status, "clCreateSubBuffer");
		}
		must(clSetKernelArg(corpus->kernel, 0, sizeof(parts[at]), &parts[at]),
		     "clSetKernelArg");
		must(clEnqueueNDRangeKernel(corpus->queue, corpus->kernel, 1, NULL, &items, NULL, 0,
					    NULL, NULL),
		     "clEnqueueNDRangeKernel");
		if (!corpus->repaired)
			must(clReleaseMemObject(parts[at]), "clReleaseMemObject");
	}
	corpus_finish(corpus);
	for (int i = 0; corpus->repaired && i < 16; i++)
		must(clReleaseMemObject(parts[i]), "clReleaseMemObject");
}

/* The same picture goes to the device before each kernel. */
void corpus_image_again(struct corpus *corpus)
{
	static unsigned char picture[1024 * 1024 * 4];
	cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc description = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1024, .image_height = 1024};
	const size_t origin[3] = {0, 0, 0}, region[3] = {1024, 1024, 1};
	cl_int status;
	cl_mem image = clCreateImage(corpus->context, CL_MEM_READ_ONLY, &format, &description, NULL,
				     &status);

	must(status, "clCreateImage");
	memset(picture, 7, sizeof(picture));
	for (int i = 0; i < 120; i++) {
		if (!corpus->repaired || !i)
			must(clEnqueueWriteImage(corpus->queue, image, CL_FALSE, origin, region, 0,
						 0, picture, 0, NULL, NULL),
			     "clEnqueueWriteImage");
		corpus_work(corpus, 40, 0, NULL, NULL);
	}
	corpus_finish(corpus);
	must(clReleaseMemObject(image), "clReleaseMemObject");
}

static void CL_CALLBACK blocks(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	host_sleep(2);
}

/* The function that is called at the end of each command sleeps: it waits for a file, say. */
void corpus_callback_blocks(struct corpus *corpus)
{
	for (int i = 0; i < 60; i++) {
		cl_event event;

		corpus_work(corpus, 100, 0, NULL, &event);
		if (!corpus->repaired)
			must(clSetEventCallback(event, CL_COMPLETE, blocks, NULL),
			     "clSetEventCallback");
		must(clReleaseEvent(event), "clReleaseEvent");
	}
	corpus_finish(corpus);
}

/* Asks each millisecond whether a command is done that takes less. */
void corpus_poll_asleep(struct corpus *corpus)
{
	for (int i = 0; i < 100; i++) {
		cl_int state = CL_QUEUED;
		cl_event event;

		corpus_work(corpus, 100, 0, NULL, &event);
		must(clFlush(corpus->queue), "clFlush");
		if (corpus->repaired)
			must(clWaitForEvents(1, &event), "clWaitForEvents");
		while (!corpus->repaired && state != CL_COMPLETE) {
			must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state),
					    &state, NULL),
			     "clGetEventInfo");
			if (state != CL_COMPLETE)
				host_sleep(3);
		}
		must(clReleaseEvent(event), "clReleaseEvent");
	}
}

/* The host waits for what one queue did before it gives the other its part. */
void corpus_between_queues(struct corpus *corpus)
{
	cl_command_queue queues[2] = {corpus->queue, NULL};
	cl_event last = NULL;
	cl_int status;

	queues[1] = clCreateCommandQueue(corpus->context, corpus->device, 0, &status);
	must(status, "clCreateCommandQueue");
	for (int i = 0; i < 300; i++) {
		cl_event event;

		corpus->queue = queues[i % 2];
		if (!corpus->repaired && last)
			must(clWaitForEvents(1, &last), "clWaitForEvents");
		corpus_work(corpus, 40, last && corpus->repaired ? 1 : 0,
			    last && corpus->repaired ? &last : NULL, &event);
		must(clFlush(corpus->queue), "clFlush");
		if (last)
			must(clReleaseEvent(last), "clReleaseEvent");
		last = event;
	}
	must(clWaitForEvents(1, &last), "clWaitForEvents");
	must(clReleaseEvent(last), "clReleaseEvent");
	must(clReleaseCommandQueue(queues[1]), "clReleaseCommandQueue");
	corpus->queue = queues[0];
}

/* A launch for each row of a small field. */
void corpus_launch_rows(struct corpus *corpus)
{
	size_t row = 64;
	int rounds = 4;

	must(clSetKernelArg(corpus->kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
	for (int i = 0; i < 100; i++) {
		for (size_t at = 0; at < 4096; at += row) {
			size_t items = corpus->repaired ? 4096 : row;

			must(clEnqueueNDRangeKernel(corpus->queue, corpus->kernel, 1, &at, &items,
						    NULL, 0, NULL, NULL),
			     "clEnqueueNDRangeKernel");
			if (corpus->repaired)
				break;
		}
	}
}

/* A kernel that prints now and then. */
void corpus_clean_printf(struct corpus *corpus)
{
	cl_program program =
		corpus_program(corpus->context, "kernel void chatty(global float *data) {\n"
						"	size_t i = get_global_id(0);\n"
						"	data[i] = data[i] * 0.5f + 1;\n"
						"	if (!i) printf(\"at %f\\n\", data[i]);\n"
						"}\n");
	size_t items = corpus_items;
	cl_kernel kernel;
	cl_int status;

	kernel = clCreateKernel(program, "chatty", &status);
	must(status, "clCreateKernel");
	must(clSetKernelArg(kernel, 0, sizeof(corpus->buffer), &corpus->buffer), "clSetKernelArg");
	for (int i = 0; i < 100; i++) {
		corpus_work(corpus, 40, 0, NULL, NULL);
		if (i % 10 == 0)
			must(clEnqueueNDRangeKernel(corpus->queue, kernel, 1, NULL, &items, NULL, 0,
						    NULL, NULL),
			     "clEnqueueNDRangeKernel");
	}
	corpus_finish(corpus);
	must(clReleaseKernel(kernel), "clReleaseKernel");
	must(clReleaseProgram(program), "clReleaseProgram");
}
