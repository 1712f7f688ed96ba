/* SPDX-License-Identifier: MIT */
#include "styles.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static const char source[] =
	"kernel void blur(global float *data, int rounds) {\n"
	" size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
	" float x = data[i];\n"
	" for (int r = 0; r < rounds; r++) x = x * 0.75f + 0.5f;\n"
	" data[i] = x; }\n"
	"kernel void scale(global float *data, int rounds) {\n"
	" size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
	" float x = data[i];\n"
	" for (int r = 0; r < rounds; r++) x = x * 0.5f + 0.5f;\n"
	" data[i] = x; }\n"
	"kernel void sharpen(global float *data, int rounds) {\n"
	" size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
	" float x = data[i];\n"
	" for (int r = 0; r < rounds; r++) x = x * 0.25f + 0.5f;\n"
	" data[i] = x; }\n";

void need(cl_int status)
{
	if (status == CL_SUCCESS)
		return;
	std::fprintf(stderr, "styles: error %d\n", status);
	std::exit(1);
}

static cl::Device first_device()
{
	std::vector<cl::Platform> platforms;
	std::vector<cl::Device> devices;

	need(cl::Platform::get(&platforms));
	need(platforms.at(0).getDevices(CL_DEVICE_TYPE_ALL, &devices));
	return devices.at(0);
}

Machine::Machine() : device(first_device()), context(device), program(build())
{
	cl::CommandQueue first = queue();

	for (const char *name : {"blur", "scale", "sharpen"})
		Stage(*this, name).run(first, 1);
	need(first.finish());
}

cl::CommandQueue Machine::queue(cl_command_queue_properties properties) const
{
	cl_int status;
	cl::CommandQueue made(context, device, properties, &status);

	need(status);
	return made;
}

cl::Buffer Machine::buffer(std::size_t bytes) const
{
	cl_int status;
	cl::Buffer made(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);

	need(status);
	return made;
}

cl::Program Machine::build() const
{
	cl::Program made(context, std::string(source));

	need(made.build());
	return made;
}

Stage::Stage(const Machine &machine, const char *name)
    : kernel(machine.program, name), data(machine.buffer(items * sizeof(float)))
{
	need(kernel.setArg(0, data));
}

void Stage::run(const cl::CommandQueue &queue, int rounds, const std::vector<cl::Event> *waits,
		cl::Event *event)
{
	need(kernel.setArg(1, rounds));
	need(queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NullRange,
					waits, event));
}

void write(const cl::CommandQueue &queue, const cl::Buffer &buffer, bool blocking,
	   std::size_t offset, std::size_t bytes, const void *from,
	   const std::vector<cl::Event> *waits, cl::Event *event)
{
	need(queue.enqueueWriteBuffer(buffer, blocking, offset, bytes, from, waits, event));
}

void read(const cl::CommandQueue &queue, const cl::Buffer &buffer, bool blocking,
	  std::size_t offset, std::size_t bytes, void *to, cl::Event *event)
{
	need(queue.enqueueReadBuffer(buffer, blocking, offset, bytes, to, nullptr, event));
}

void work_ms(double milliseconds)
{
	using clock = std::chrono::steady_clock;
	auto end = clock::now() + std::chrono::duration<double, std::milli>(milliseconds);

	while (clock::now() < end) {
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(bool repaired);
	} styles[] = {
#define X(name) {#name, style_##name},
		STYLES(X)
#undef X
	};

	for (const auto &style : styles)
		if (argc > 1 && !std::strcmp(style.name, argv[1])) {
			style.run(argc > 2 && !std::strcmp(argv[2], "repaired"));
			return 0;
		}
	std::fprintf(stderr, "usage: styles NAME [repaired]\n");
	return 2;
}
