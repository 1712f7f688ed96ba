/* SPDX-License-Identifier: MIT */
/* How the host waits. */
#include "styles.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static void draw(const Machine &machine, int frames, bool wait)
{
	cl::CommandQueue queue = machine.queue();
	Stage stages[] = {{machine, "blur"}, {machine, "scale"}, {machine, "sharpen"}};

	for (int frame = 0; frame < frames; frame++)
		for (Stage &stage : stages) {
			stage.run(queue, 40);
			if (wait)
				need(queue.finish());
		}
	need(queue.finish());
}

/* A thread draws; the one that started it waits for it. */
void style_frames(bool repaired)
{
	Machine machine;
	std::thread drawer(draw, std::cref(machine), 100, !repaired);

	drawer.join();
}

void style_two_workers(bool repaired)
{
	Machine machine;
	std::thread one(draw, std::cref(machine), 60, !repaired);
	std::thread two(draw, std::cref(machine), 60, !repaired);

	one.join();
	two.join();
}

/* One value is looked at after each step, by mapping. */
void style_map_peek(bool repaired)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "scale");
	volatile float last = 0;

	for (int step = 0; step < 200; step++) {
		cl_int status;
		void *mapped;

		stage.run(queue, 40);
		if (repaired && step < 199)
			continue;
		mapped = queue.enqueueMapBuffer(stage.data, CL_TRUE, CL_MAP_READ, 0, sizeof(float),
						nullptr, nullptr, &status);
		need(status);
		last = *static_cast<float *>(mapped);
		need(queue.enqueueUnmapMemObject(stage.data, mapped));
	}
	need(queue.finish());
	(void)last;
}

/* One thread prepares, another one has the device work: in turn, or at the same time. */
void style_hand_over(bool repaired)
{
	Machine machine;
	std::mutex lock;
	std::condition_variable changed;
	int ready = 0, done = 0;
	const int steps = 50, ahead = repaired ? 4 : 1;
	std::thread worker([&] {
		cl::CommandQueue queue = machine.queue();
		Stage stage(machine, "blur");

		for (int step = 0; step < steps; step++) {
			{
				std::unique_lock<std::mutex> held(lock);
				changed.wait(held, [&] { return ready > step; });
			}
			for (int i = 0; i < 8; i++)
				stage.run(queue, 100);
			need(queue.finish());
			std::lock_guard<std::mutex> held(lock);
			done = step + 1;
			changed.notify_all();
		}
	});

	for (int step = 0; step < steps; step++) {
		{
			std::unique_lock<std::mutex> held(lock);
			changed.wait(held, [&] { return step - done < ahead; });
		}
		work_ms(2);
		std::lock_guard<std::mutex> held(lock);
		ready = step + 1;
		changed.notify_all();
	}
	worker.join();
}

/* Sleeps, and looks whether the command is over. */
void style_nap(bool repaired)
{
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "blur");

	for (int step = 0; step < 60; step++) {
		cl::Event event;

		stage.run(queue, 40, nullptr, &event);
		need(queue.flush());
		if (repaired)
			need(event.wait());
		while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE)
			std::this_thread::sleep_for(std::chrono::milliseconds(2));
	}
}

/* Processes, one after another, of which each waits for each command. */
void style_forked(bool repaired)
{
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			draw(Machine(), 60, !repaired);
			std::exit(0);
		}
		waitpid(child, nullptr, 0);
	}
}

/* The driver keeps what was enqueued until somebody waits for it. */
void style_two_unflushed(bool repaired)
{
	Machine machine;
	cl::CommandQueue queues[] = {machine.queue(), machine.queue()};
	Stage stages[] = {{machine, "blur"}, {machine, "sharpen"}};

	for (int step = 0; step < 30; step++) {
		std::vector<cl::Event> events(2);

		for (int i = 0; i < 2; i++) {
			stages[i].run(queues[i], 100);
			stages[i].run(queues[i], 100, nullptr, &events[i]);
			if (repaired)
				need(queues[i].flush());
		}
		work_ms(5);
		need(cl::Event::waitForEvents(events));
	}
}
