/* SPDX-License-Identifier: MIT */
/* Programs in which nothing is wrong. */
#include "styles.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

/* Three threads feed one queue. */
void style_clean_shared(bool)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	std::vector<std::thread> threads;

	for (const char *name : {"blur", "scale", "sharpen"})
		threads.emplace_back([&, name] {
			Stage stage(machine, name);

			for (int i = 0; i < 60; i++)
				stage.run(queue, 100);
			need(queue.finish());
		});
	for (std::thread &thread : threads)
		thread.join();
}

/* Three slots: what is prepared, is worked on, comes back. */
void style_clean_ring(bool)
{
	struct Slot {
		Slot(const Machine &machine)
		    : stage(machine, "blur"), queue(machine.queue()), host(items)
		{
		}
		Stage stage;
		cl::CommandQueue queue;
		std::vector<float> host;
		cl::Event done;
	};
	Machine machine;
	std::vector<Slot> slots(3, Slot(machine));

	for (Slot &slot : slots)
		slot = Slot(machine);
	for (int step = 0; step < 60; step++) {
		Slot &slot = slots[static_cast<std::size_t>(step) % 3];
		const std::size_t bytes = items * sizeof(float);

		if (slot.done())
			need(slot.done.wait());
		std::fill(slot.host.begin(), slot.host.end(), static_cast<float>(step));
		write(slot.queue, slot.stage.data, false, 0, bytes, slot.host.data());
		slot.stage.run(slot.queue, 100);
		read(slot.queue, slot.stage.data, false, 0, bytes, slot.host.data(), &slot.done);
		need(slot.queue.flush());
	}
	for (Slot &slot : slots)
		need(slot.done.wait());
}

static void pipeline(const Machine &machine, const char *name)
{
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, name);

	for (int i = 0; i < 80; i++)
		stage.run(queue, 100);
	need(queue.finish());
}

/* Processes that work one after another. */
void style_clean_workers(bool)
{
	for (const char *name : {"blur", "scale", "sharpen"}) {
		pid_t child = fork();

		if (!child) {
			pipeline(Machine(), name);
			std::exit(0);
		}
		waitpid(child, nullptr, 0);
	}
}

/* Until it is near enough, which is looked at after each ten steps. */
void style_clean_converge(bool)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "scale");
	float rest = 1;

	for (int round = 0; round < 20 && rest >= 0; round++) {
		for (int i = 0; i < 12; i++)
			stage.run(queue, 100);
		read(queue, stage.data, true, 0, sizeof(rest), &rest);
	}
}

/* Three kernels in turn over one field, which is moved once each way. */
void style_clean_three(bool)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stages[] = {{machine, "blur"}, {machine, "scale"}, {machine, "sharpen"}};
	std::vector<float> host(items, 2);

	write(queue, stages[0].data, true, 0, items * sizeof(float), host.data());
	for (Stage &stage : stages)
		need(stage.kernel.setArg(0, stages[0].data));
	for (int i = 0; i < 50; i++)
		for (Stage &stage : stages)
			stage.run(queue, 60);
	read(queue, stages[0].data, true, 0, items * sizeof(float), host.data());
}

/* Threads, each with objects of its own, that are made once. */
void style_clean_own(bool)
{
	Machine machine;
	std::vector<std::thread> threads;

	for (const char *name : {"blur", "sharpen"})
		threads.emplace_back(pipeline, std::cref(machine), name);
	for (std::thread &thread : threads)
		thread.join();
}

/* The host works by itself, and looks from time to time how far the device is. */
void style_clean_progress(bool)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "blur");

	for (int step = 0; step < 10; step++) {
		cl::Event event;

		for (int i = 0; i < 30; i++)
			stage.run(queue, 100, nullptr, &event);
		need(queue.flush());
		while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE)
			work_ms(0.5);
	}
}

/* What it computes is known only after a while. */
void style_clean_late_start(bool)
{
	Machine machine;
	std::vector<float> host(items);

	for (int i = 0; i < 20; i++) {
		work_ms(4);
		std::fill(host.begin(), host.end(), static_cast<float>(i));
	}
	pipeline(machine, "scale");
}
