/* SPDX-License-Identifier: MIT */
/* What is made, how often, and of which shape. */
#include "styles.hpp"

#include <thread>

static void with_temporaries(const Machine &machine, const cl::CommandQueue &queue,
			     std::vector<cl::Buffer> *kept, Stage &stage)
{
	constexpr std::size_t bytes = 2 << 20;
	std::vector<cl::Buffer> own;
	std::vector<cl::Buffer> &scratch = kept ? *kept : own;

	for (std::size_t i = 0; i < 3; i++) {
		if (scratch.size() <= i)
			scratch.push_back(machine.buffer(bytes));
		need(queue.enqueueFillBuffer(scratch[i], cl_uint(i), 0, bytes));
	}
	stage.run(queue, 20);
	need(queue.finish());
}

/* A function's temporaries are buffers. */
void style_temporaries(bool repaired)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "scale");
	std::vector<cl::Buffer> kept;

	for (int step = 0; step < 60; step++)
		with_temporaries(machine, queue, repaired ? &kept : nullptr, stage);
}

/* A library's call that makes all that it needs. */
void style_compute_call(bool repaired)
{
	Machine machine;
	cl::Program kept = machine.program;

	for (int call = 0; call < 6; call++) {
		if (!repaired)
			machine.program = machine.build();
		cl::CommandQueue queue = machine.queue();
		Stage stage(machine, "blur");

		for (int i = 0; i < 10; i++)
			stage.run(queue, 100);
		need(queue.finish());
	}
}

static void forget(const Machine &machine, bool repaired)
{
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "scale");
	std::vector<cl_event> pending;

	for (int i = 0; i < 200; i++) {
		cl::Event event;

		stage.run(queue, 10, nullptr, &event);
		if (!repaired)
			need(clRetainEvent(event()));
		pending.push_back(event());
	}
	need(queue.finish());
}

/* Events that were retained for a list that is dropped. */
void style_forgotten(bool repaired)
{
	Machine machine;
	std::thread one(forget, std::cref(machine), repaired);
	std::thread two(forget, std::cref(machine), repaired);

	one.join();
	two.join();
}

/* Tiles of 3 by 3 work-items. */
void style_odd_tiles(bool repaired)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "sharpen");
	int rounds = 40;

	need(stage.kernel.setArg(1, rounds));
	for (int step = 0; step < 40; step++)
		need(queue.enqueueNDRangeKernel(stage.kernel, cl::NullRange,
						repaired ? cl::NDRange(256, 256)
							 : cl::NDRange(255, 255),
						repaired ? cl::NDRange(64, 4) : cl::NDRange(3, 3)));
	need(queue.finish());
}

/* Each task has a thread, a queue and a kernel of its own. */
void style_task_objects(bool repaired)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "blur");

	for (int task = 0; task < 200; task++) {
		std::thread worker([&] {
			if (repaired) {
				stage.run(queue, 1);
				need(queue.finish());
				return;
			}
			cl::CommandQueue own = machine.queue();
			cl::Kernel kernel(machine.program, "blur");

			need(kernel.setArg(0, stage.data));
			need(kernel.setArg(1, 1));
			need(own.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items)));
			need(own.finish());
		});

		worker.join();
	}
}
