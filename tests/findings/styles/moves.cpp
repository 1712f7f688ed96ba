/* SPDX-License-Identifier: MIT */
/* What is moved, and in which order. */
#include "styles.hpp"

#include <array>
#include <functional>
#include <numeric>
#include <thread>

/* The parameters of a step go to the device one by one. */
void style_fields(bool repaired)
{
	constexpr std::size_t fields = 24;
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	cl::Buffer parameters = machine.buffer(4096);
	Stage stage(machine, "scale");

	for (int step = 0; step < 100; step++) {
		std::array<float, fields> values;

		std::iota(values.begin(), values.end(), static_cast<float>(step));
		if (repaired)
			write(queue, parameters, false, 0, sizeof(values), values.data());
		for (std::size_t i = 0; !repaired && i < fields; i++)
			write(queue, parameters, false, i * sizeof(float), sizeof(float),
			      &values[i]);
		stage.run(queue, 40);
		need(queue.finish());
	}
}

/* A tile is read column by column, or at once. */
void style_columns(bool repaired)
{
	constexpr std::size_t side = 256, pitch = side * sizeof(float);
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "sharpen");
	std::vector<float> tile(side * side);

	for (int step = 0; step < 10; step++) {
		stage.run(queue, 40);
		for (std::size_t x = 0; x < (repaired ? 1 : side); x++)
			need(queue.enqueueReadBufferRect(
				stage.data, CL_TRUE, {x * sizeof(float), 0, 0},
				{x * sizeof(float), 0, 0},
				{repaired ? pitch : sizeof(float), side, 1}, pitch, 0, pitch, 0,
				tile.data()));
	}
}

/* Two tables that never change, by turns. */
void style_tables(bool repaired)
{
	constexpr std::size_t count = 1 << 19;
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	Stage stage(machine, "blur");
	std::vector<float> tables[] = {std::vector<float>(count, 1.5f),
				       std::vector<float>(count, 2.5f)};
	cl::Buffer buffers[] = {machine.buffer(count * 4), machine.buffer(count * 4)};

	for (int step = 0; step < 60; step++) {
		if (!repaired || step < 2)
			write(queue, buffers[step % 2], false, 0, count * 4,
			      tables[step % 2].data());
		stage.run(queue, 20);
		if (step % 4 == 3)
			need(queue.finish());
	}
	need(queue.finish());
}

static void pass_on(const Machine &machine, bool repaired)
{
	constexpr std::size_t bytes = 2 << 20;
	cl::CommandQueue queue = machine.queue();
	cl::Buffer from = machine.buffer(bytes), to = machine.buffer(bytes);
	std::vector<char> between(bytes, 1);
	Stage first(machine, "blur"), second(machine, "scale");

	write(queue, from, true, 0, bytes, between.data());
	for (int step = 0; step < 40; step++) {
		first.run(queue, 20);
		if (repaired) {
			need(queue.enqueueCopyBuffer(from, to, 0, 0, bytes));
		} else {
			read(queue, from, true, 0, bytes, between.data());
			write(queue, to, false, 0, bytes, between.data());
		}
		second.run(queue, 20);
	}
	need(queue.finish());
}

/* One stage's result becomes the next one's input, by way of a vector. */
void style_relay(bool repaired)
{
	Machine machine;
	std::thread worker(pass_on, std::cref(machine), repaired);

	worker.join();
}

/* A step's whole field comes back, of which four bytes are looked at. */
void style_all_back(bool repaired)
{
	constexpr std::size_t bytes = 4 << 20;
	Machine machine;
	cl::CommandQueue queue = machine.queue();
	cl::Buffer field = machine.buffer(bytes);
	Stage stage(machine, "sharpen");
	std::vector<float> host(bytes / sizeof(float), 1);
	float sum = 0;

	write(queue, field, true, 0, bytes, host.data());
	for (int step = 0; step < 40; step++) {
		cl::Event event;

		stage.run(queue, 20);
		read(queue, field, false, 0, repaired ? 4 : bytes, host.data(), &event);
		need(event.wait());
		sum += host[0];
	}
	(void)sum;
}

/* Uploads and kernels on two queues wait for each other, and have no buffer in common. */
void style_two_queue_chain(bool repaired)
{
	constexpr std::size_t bytes = 64 << 10;
	Machine machine;
	cl::CommandQueue compute = machine.queue(), upload = machine.queue();
	cl::Buffer next = machine.buffer(bytes);
	Stage stage(machine, "blur");
	std::vector<char> data(bytes + 100);
	std::vector<cl::Event> before;

	std::iota(data.begin(), data.end(), 0);
	for (int step = 0; step < 60; step++) {
		std::vector<cl::Event> events(1);

		stage.run(compute, 100, before.empty() || repaired ? nullptr : &before, &events[0]);
		need(compute.flush());
		before.resize(1);
		write(upload, next, false, 0, bytes, &data[static_cast<std::size_t>(step)],
		      repaired ? nullptr : &events, &before[0]);
		need(upload.flush());
	}
	need(compute.finish());
	need(upload.finish());
}
