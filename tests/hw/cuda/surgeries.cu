// SPDX-License-Identifier: MIT
// surgeries CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cases.h"
#include "faults.h"

namespace
{
// What a kernel of wide() blocks works on: about one element for each thread of the device.
constexpr int COUNT = 1056 * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of churn() that take 1 us with all threads of the device.
constexpr int WIDE_US = 110;

void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

// Blocks of 256 that fill the device once.
int wide()
{
	static const int blocks = [] {
		int units;
		CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
		return units * 8;
	}();
	return blocks;
}

// Stays within [-1.9, 1.9] and depends on each bit of the input.
__device__ float churn(float x, int rounds)
{
#pragma unroll 16
	for (int round = 0; round < rounds; round++)
		x = fmaf(-x, x, 1.7f);
	return x;
}

__device__ unsigned mixed(unsigned value)
{
	value = (value ^ (value >> 16)) * 0x7feb352dU;
	value = (value ^ (value >> 15)) * 0x846ca68bU;
	return value ^ (value >> 16);
}

__device__ float unit(unsigned value)
{
	return (float)(int)value * 4.65661287e-10f;
}

__device__ int first_index()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int index_step()
{
	return (int)(gridDim.x * blockDim.x);
}

__global__ void seed(float *data, int count, unsigned salt)
{
	for (int i = first_index(); i < count; i += index_step())
		data[i] = unit(mixed((unsigned)i ^ salt * 0x9e3779b9U));
}

// Kernels that change each element by itself.
#define ELEMENTWISE(name)                                                 \
	__global__ void name(float *data, int count, int rounds)          \
	{                                                                 \
		for (int i = first_index(); i < count; i += index_step()) \
			data[i] = churn(data[i], rounds);                 \
	}
// Kernels that make floats of words.
#define OF_WORDS(name)                                                                          \
	__global__ void name(const unsigned *words, float *data, int count, int rounds)         \
	{                                                                                       \
		for (int i = first_index(); i < count; i += index_step())                       \
			data[i] = churn(0.5f * data[i] + 0.5f * unit(mixed(words[i])), rounds); \
	}

uint64_t hash_of(const void *bytes, size_t count, uint64_t hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

// The hash of what is on the device when all is done.
void answer(const void *data, size_t bytes)
{
	std::vector<char> seen(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(seen.data(), data, bytes, cudaMemcpyDeviceToHost));
	printf("answer %016llx\n", (unsigned long long)hash_of(seen.data(), bytes));
}

float *floats(void *at)
{
	return (float *)at;
}

// Words of new data, one in each 4 KiB.
void new_words(Pinned &buffer, size_t bytes, unsigned round)
{
	for (size_t at = 0; at < bytes; at += 4096)
		*(unsigned *)buffer.at(at) = round * 2654435761U + (unsigned)at;
}

ELEMENTWISE(diffuse)
ELEMENTWISE(deblur)
ELEMENTWISE(sharpen)
ELEMENTWISE(window_levels)
ELEMENTWISE(transform_tiles)
ELEMENTWISE(align)
ELEMENTWISE(fold)
ELEMENTWISE(dose_plan)
ELEMENTWISE(conduct)
ELEMENTWISE(contract)
ELEMENTWISE(stain)
ELEMENTWISE(route)
ELEMENTWISE(ray_march)
OF_WORDS(deconvolve)
OF_WORDS(detect)

void driver(CUresult status, const char *call)
{
	if (status == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, (int)status);
	exit(1);
}

// Rounds of churn() by which a kernel of wide() blocks takes so many us for so many elements.
int rounds_of(int us, size_t elements)
{
	return std::max(1, (int)((size_t)us * WIDE_US * COUNT / elements));
}

// A drug that spreads in tissue. The error of a step decides how long the next one is.
class Integrator
{
	Stream stream_;
	Event done_;
	Device state_;
	Pinned error_;

	void wait()
	{
		if (repaired) {
			CHECK(cudaEventSynchronize(done_));
			return;
		}
		cudaError_t status;
		// the core is for others meanwhile
		while ((status = cudaEventQuery(done_)) == cudaErrorNotReady)
			host_sleep(1000);
		CHECK(status);
	}

      public:
	Integrator() : state_(BYTES), error_(sizeof(float))
	{
		seed<<<wide(), 256, 0, stream_>>>(floats(state_), COUNT, 3);
		CHECK(cudaGetLastError());
	}
	float step(int rounds)
	{
		diffuse<<<wide(), 256, 0, stream_>>>(floats(state_), COUNT, rounds);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(error_, state_, sizeof(float), cudaMemcpyDeviceToHost,
				      stream_));
		CHECK(cudaEventRecord(done_, stream_));
		wait();
		return *(float *)error_.at(0);
	}
	void finish()
	{
		answer(state_, BYTES);
	}
};

void dose_steps()
{
	Integrator integrator;
	int rounds = 350 * WIDE_US;

	for (int step = 0; step < 500; step++)
		rounds = 350 * WIDE_US + (integrator.step(rounds) > 0.5f ? 2000 : -2000);
	integrator.finish();
}

// Stages of a microscope's pictures. Whoever wrote them took pictures from the host.
class Stage
{
	Device picture_;
	void (*kernel_)(float *, int, int);

      public:
	static constexpr size_t PICTURE = 8 << 20;
	static constexpr int PIXELS = PICTURE / sizeof(float);

	Stage(void (*kernel)(float *, int, int)) : picture_(PICTURE), kernel_(kernel)
	{
	}
	void *picture()
	{
		return picture_;
	}
	void put(void *from, cudaStream_t stream)
	{
		CHECK(cudaMemcpyAsync(picture_, from, PICTURE, cudaMemcpyDefault, stream));
	}
	void get(void *to, cudaStream_t stream)
	{
		CHECK(cudaMemcpyAsync(to, picture_, PICTURE, cudaMemcpyDefault, stream));
	}
	void run(cudaStream_t stream)
	{
		kernel_<<<wide(), 256, 0, stream>>>(floats(picture_), PIXELS,
						    rounds_of(100, PIXELS));
		CHECK(cudaGetLastError());
	}
};

void microscope_stages()
{
	Stage first(deblur), second(sharpen);
	Pinned between(Stage::PICTURE);
	Stream stream;

	for (unsigned picture = 0; picture < 600; picture++) {
		seed<<<wide(), 256, 0, stream>>>(floats(first.picture()), Stage::PIXELS, picture);
		CHECK(cudaGetLastError());
		first.run(stream);
		if (repaired) {
			second.put(first.picture(), stream);
		} else {
			first.get(between, stream);
			second.put(between, stream);
		}
		second.run(stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(second.picture(), BYTES);
}

// A service that windows X-ray pictures; a thread of its own sends the replies.
class Replies
{
	std::mutex mutex_;
	std::condition_variable change_;
	std::deque<char *> ready_, free_;
	uint64_t sum_ = 0;
	int sent_ = 0;

      public:
	static constexpr size_t REPLY = 2 << 20;

	Replies()
	{
		for (int i = 0; i < (repaired ? 4 : 0); i++)
			free_.push_back(made());
	}
	~Replies()
	{
		for (char *buffer : free_)
			CHECK(cudaFreeHost(buffer));
	}
	static char *made()
	{
		char *buffer;

		CHECK(cudaMallocHost((void **)&buffer, REPLY));
		return buffer;
	}
	char *buffer()
	{
		if (!repaired)
			return made(); // the sender is the owner from now on
		std::unique_lock<std::mutex> hold(mutex_);
		change_.wait(hold, [this] { return !free_.empty(); });
		char *buffer = free_.front();
		free_.pop_front();
		return buffer;
	}
	void push(char *buffer)
	{
		const std::lock_guard<std::mutex> hold(mutex_);
		ready_.push_back(buffer);
		change_.notify_all();
	}
	void send(int count)
	{
		std::unique_lock<std::mutex> hold(mutex_);

		for (; sent_ < count; sent_++) {
			change_.wait(hold, [this] { return !ready_.empty(); });
			char *buffer = ready_.front();
			ready_.pop_front();
			for (size_t at = 0; at < REPLY; at += 4096)
				sum_ += *(unsigned *)(buffer + at);
			if (repaired)
				free_.push_back(buffer);
			change_.notify_all();
		}
	}
	uint64_t sum() const
	{
		return sum_;
	}
};

void xray_replies()
{
	constexpr int REQUESTS = 300;
	constexpr int PIXELS = Replies::REPLY / sizeof(float);
	Replies replies;
	Stream stream;
	Device picture(Replies::REPLY);
	std::thread sender([&replies] { replies.send(REQUESTS); });

	for (unsigned request = 0; request < REQUESTS; request++) {
		char *reply = replies.buffer();

		seed<<<wide(), 256, 0, stream>>>(floats(picture), PIXELS, request);
		CHECK(cudaGetLastError());
		window_levels<<<wide(), 256, 0, stream>>>(floats(picture), PIXELS,
							  rounds_of(700, PIXELS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(reply, picture, Replies::REPLY, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		replies.push(reply);
	}
	sender.join();
	printf("answer %016llx\n", (unsigned long long)replies.sum());
}

// Radiotherapy: the attenuation of each beam is a plug-in that comes as PTX.
class Plugin
{
	CUmodule module_;
	CUfunction function_;

      public:
	Plugin(const char *text)
	{
		driver(cuModuleLoadData(&module_, text), "cuModuleLoadData");
		driver(cuModuleGetFunction(&function_, module_, "attenuate"),
		       "cuModuleGetFunction");
	}
	Plugin(const Plugin &) = delete;
	~Plugin()
	{
		driver(cuModuleUnload(module_), "cuModuleUnload");
	}
	void apply(float *data, unsigned rounds, CUstream stream)
	{
		CUdeviceptr at = (CUdeviceptr)data;
		unsigned count = COUNT;
		void *words[] = {&at, &count, &rounds};

		driver(cuLaunchKernel(function_, COUNT / 256, 1, 1, 256, 1, 1, 0, stream, words,
				      nullptr),
		       "cuLaunchKernel");
	}
};

const char attenuate[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .b8 gains[4194304];
.visible .entry attenuate(.param .u64 data, .param .u32 count, .param .u32 rounds)
{
	.reg .pred %p<3>;
	.reg .f32 %f<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [data];
	ld.param.u32 %r1, [count];
	ld.param.u32 %r2, [rounds];
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %tid.x;
	mad.lo.s32 %r6, %r3, %r4, %r5;
	setp.ge.u32 %p1, %r6, %r1;
	@%p1 bra DONE;
	cvta.to.global.u64 %rd2, %rd1;
	mul.wide.u32 %rd3, %r6, 4;
	add.s64 %rd4, %rd2, %rd3;
	mov.u64 %rd5, gains;
	add.s64 %rd6, %rd5, %rd3;
	ld.global.f32 %f1, [%rd4];
	ld.global.f32 %f2, [%rd6];
	add.f32 %f1, %f1, %f2;
	mov.f32 %f3, 0f3FD9999A;
AGAIN:
	neg.f32 %f2, %f1;
	fma.rn.f32 %f1, %f2, %f1, %f3;
	sub.u32 %r2, %r2, 1;
	setp.ne.u32 %p2, %r2, 0;
	@%p2 bra AGAIN;
	st.global.f32 [%rd4], %f1;
DONE:
	ret;
}
)";

void beam_plugins()
{
	Stream stream;
	Device dose(BYTES);
	std::unique_ptr<Plugin> kept;

	seed<<<wide(), 256, 0, stream>>>(floats(dose), COUNT, 11);
	CHECK(cudaGetLastError());
	for (unsigned beam = 0; beam < 250; beam++) {
		if (repaired) {
			if (!kept)
				kept.reset(new Plugin(attenuate));
			kept->apply(floats(dose), 9000 + beam, stream);
		} else {
			Plugin plugin(attenuate);

			plugin.apply(floats(dose), 9000 + beam, stream);
			// not unloaded while it runs
			CHECK(cudaStreamSynchronize(stream));
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(dose, BYTES);
}

// Video: the device transforms and quantises, the host codes the symbols.
struct Slot {
	Pinned symbols;
	Event done;

	Slot(size_t bytes) : symbols(bytes)
	{
	}
};

void symbol_coder()
{
	constexpr size_t SYMBOLS = 256 << 10;
	constexpr int FRAMES = 500;
	Stream stream;
	Device frame(BYTES);
	Slot slots[2] = {SYMBOLS, SYMBOLS};
	uint64_t code = 1;

	const auto transform = [&](int number) {
		Slot &slot = slots[number % 2];

		transform_tiles<<<wide(), 256, 0, stream>>>(floats(frame), COUNT, 600 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(slot.symbols, frame, SYMBOLS, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(slot.done, stream));
	};
	const auto encode = [&](int number) {
		Slot &slot = slots[number % 2];

		CHECK(cudaEventSynchronize(slot.done));
		code = hash_of(slot.symbols.at(0), SYMBOLS, code);
	};

	seed<<<wide(), 256, 0, stream>>>(floats(frame), COUNT, 7);
	CHECK(cudaGetLastError());
	if (repaired) {
		transform(0);
		for (int number = 1; number < FRAMES; number++) {
			transform(number);
			encode(number - 1);
		}
		encode(FRAMES - 1);
	} else {
		for (int number = 0; number < FRAMES; number++) {
			transform(number);
			encode(number);
		}
	}
	printf("answer %016llx\n", (unsigned long long)code);
}

// Relaxation times of each voxel from its 8 echoes: a thread for each echo, a row of threads for
// each voxel.
__global__ void fit_echoes(const float *echoes, float *times, int rounds)
{
	__shared__ float fits[32][8];
	const int voxel = (int)(blockIdx.x * blockDim.y + threadIdx.y);

	fits[threadIdx.y][threadIdx.x] = churn(echoes[voxel * 8 + threadIdx.x], rounds);
	__syncthreads();
	if (threadIdx.x == 0) {
		float sum = times[voxel];
		for (int echo = 0; echo < 8; echo++)
			sum = fmaf(0.1f, fits[threadIdx.y][echo], 0.5f * sum);
		times[voxel] = sum;
	}
}

void voxel_fit()
{
	constexpr int VOXELS = 131072;
	Stream stream;
	Device echoes(VOXELS * 8 * sizeof(float)), times(VOXELS * sizeof(float));
	const unsigned rows = repaired ? 32 : 1; // voxels of a block

	seed<<<wide(), 256, 0, stream>>>(floats(times), VOXELS, 1);
	for (unsigned slice = 0; slice < 500; slice++) {
		seed<<<wide(), 256, 0, stream>>>(floats(echoes), VOXELS * 8, slice);
		CHECK(cudaGetLastError());
		fit_echoes<<<VOXELS / rows, dim3(8, rows), 0, stream>>>(floats(echoes),
									floats(times), 5000);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(times, VOXELS * sizeof(float));
}

// Reflections of light in a fibre: one stream brings traces, another one works on them.
void fibre_traces()
{
	constexpr size_t TRACE = 16 << 20;
	constexpr int POINTS = TRACE / sizeof(float);
	constexpr int HOST = 4;
	const unsigned inputs = repaired ? 2 : 1;
	Stream bring, work_on;
	Device sum(TRACE);
	std::vector<Device> input = several<Device>((int)inputs, TRACE);
	std::vector<Pinned> host = several<Pinned>(HOST, TRACE);
	Event brought[HOST], taken[2];

	for (Pinned &one : host)
		memset(one.at(0), 0, TRACE);
	seed<<<wide(), 256, 0, work_on>>>(floats(sum), POINTS, 5);
	CHECK(cudaGetLastError());
	for (unsigned trace = 0; trace < 500; trace++) {
		const unsigned from = trace % HOST, to = trace % inputs;

		if (trace >= HOST)
			CHECK(cudaEventSynchronize(brought[from]));
		new_words(host[from], TRACE, trace);
		if (trace >= inputs)
			CHECK(cudaStreamWaitEvent(bring, taken[to], 0));
		CHECK(cudaMemcpyAsync(input[to], host[from], TRACE, cudaMemcpyHostToDevice, bring));
		CHECK(cudaEventRecord(brought[from], bring));
		CHECK(cudaStreamWaitEvent(work_on, brought[from], 0));
		deconvolve<<<wide(), 256, 0, work_on>>>((unsigned *)(void *)input[to], floats(sum),
							POINTS, rounds_of(700, POINTS));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(taken[to], work_on));
	}
	CHECK(cudaStreamSynchronize(bring));
	CHECK(cudaStreamSynchronize(work_on));
	answer(sum, BYTES);
}

// Readings of 96 sensors, each with a ring of its own, go to the filter with each tick.
__global__ void fuse(const unsigned *readings, int words, float *data, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		data[i] = churn(0.5f * data[i] + 0.5f * unit(mixed(readings[i % words])), rounds);
}

void sensor_ticks()
{
	constexpr int SENSORS = 96, RING = 8;
	constexpr size_t READING = 1024;
	Stream stream;
	Device readings(SENSORS * READING), state(BYTES);
	Pinned rings(SENSORS * RING * READING), packed(RING * SENSORS * READING);
	Event done[RING];

	memset(rings.at(0), 0, SENSORS * RING * READING);
	seed<<<wide(), 256, 0, stream>>>(floats(state), COUNT, 9);
	CHECK(cudaGetLastError());
	for (unsigned tick = 0; tick < 1200; tick++) {
		const unsigned at = tick % RING;

		if (tick >= RING)
			CHECK(cudaEventSynchronize(done[at]));
		for (unsigned sensor = 0; sensor < SENSORS; sensor++) {
			char *reading = rings.at((sensor * RING + at) * READING);
			char *place = packed.at((at * SENSORS + sensor) * READING);

			*(unsigned *)reading = tick * 2654435761U + sensor;
			if (repaired)
				memcpy(place, reading, READING);
			else
				CHECK(cudaMemcpyAsync(readings.at(sensor * READING), reading,
						      READING, cudaMemcpyHostToDevice, stream));
		}
		if (repaired)
			CHECK(cudaMemcpyAsync(readings, packed.at(at * SENSORS * READING),
					      SENSORS * READING, cudaMemcpyHostToDevice, stream));
		fuse<<<wide(), 256, 0, stream>>>((unsigned *)(void *)readings,
						 (int)(SENSORS * READING / 4), floats(state), COUNT,
						 100 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(done[at], stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(state, BYTES);
}

// An optimiser's step over the tensors of a network.
__global__ void gradient(const float *weights, float *gradients, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		gradients[i] = churn(weights[i], rounds);
}

__global__ void adam(float *weights, float *momenta, const float *gradients, int count)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const float momentum = fmaf(0.1f, gradients[i], 0.9f * momenta[i]);

		momenta[i] = momentum;
		weights[i] = fmaf(-0.01f, momentum, 0.99f * weights[i]);
	}
}

struct Tensor {
	float *weights, *momenta, *gradients;
	int count;
};

void adam_tensors()
{
	constexpr int TENSORS = 300, EACH = 2048, ALL = TENSORS * EACH;
	Stream stream;
	Device weights(ALL * sizeof(float)), momenta(ALL * sizeof(float)),
		gradients(ALL * sizeof(float));
	std::vector<Tensor> tensors;

	for (int i = 0; i < TENSORS; i++)
		tensors.push_back({floats(weights) + i * EACH, floats(momenta) + i * EACH,
				   floats(gradients) + i * EACH, EACH});
	if (repaired)
		tensors = {{floats(weights), floats(momenta), floats(gradients), ALL}};
	seed<<<wide(), 256, 0, stream>>>(floats(weights), ALL, 1);
	seed<<<wide(), 256, 0, stream>>>(floats(momenta), ALL, 2);
	for (int step = 0; step < 450; step++) {
		gradient<<<wide(), 256, 0, stream>>>(floats(weights), floats(gradients), ALL,
						     rounds_of(150, ALL));
		CHECK(cudaGetLastError());
		for (const Tensor &tensor : tensors) {
			adam<<<std::min(wide(), blocks_of((size_t)tensor.count)), 256, 0, stream>>>(
				tensor.weights, tensor.momenta, tensor.gradients, tensor.count);
			CHECK(cudaGetLastError());
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(weights, BYTES);
}

// Tissue that comes to rest. Where the device can hold the whole grid, one launch does all sweeps;
// otherwise the host looks after each sweep whether something still moves.
constexpr int SWEEPS = 40;
constexpr float STILL = 1e-4f;

__device__ bool relaxed(const float *from, float *to, int i, int count)
{
	const float here = from[i], left = from[i ? i - 1 : 0],
		    right = from[i + 1 < count ? i + 1 : i];
	const float next = __fmaf_rn(0.25f, __fadd_rn(left, right), __fmul_rn(0.5f, here));

	to[i] = next;
	return fabsf(__fadd_rn(next, -here)) > STILL;
}

__global__ void relax_once(const float *from, float *to, int count, unsigned *moves)
{
	bool moved = false;

	for (int i = first_index(); i < count; i += index_step())
		moved |= relaxed(from, to, i, count);
	if (__syncthreads_or(moved) && threadIdx.x == 0)
		*moves = 1;
}

__global__ void relax_all(float *one, float *two, int count, unsigned *moves)
{
	const auto grid = cooperative_groups::this_grid();

	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		bool moved = false;

		for (int i = first_index(); i < count; i += index_step())
			moved |= relaxed(sweep % 2 ? two : one, sweep % 2 ? one : two, i, count);
		if (__syncthreads_or(moved) && threadIdx.x == 0)
			moves[sweep] = 1;
		grid.sync();
		if (!((volatile unsigned *)moves)[sweep])
			break;
	}
}

void tissue_rest()
{
	constexpr int POINTS = 1 << 20;
	Stream stream;
	Device one(POINTS * sizeof(float)), two(POINTS * sizeof(float)),
		moves(SWEEPS * sizeof(unsigned));
	Pinned moved(sizeof(unsigned));
	int fit, units, blocks = blocks_of(POINTS);
	float *from = floats(one), *to = floats(two);
	unsigned *flags = (unsigned *)(void *)moves;
	int count = POINTS;

	CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, relax_all, 256, 0));
	if (repaired)
		blocks = std::min(blocks, fit * units);
	for (unsigned slice = 0; slice < 500; slice++) {
		void *words[] = {&from, &to, &count, &flags};

		seed<<<wide(), 256, 0, stream>>>(from, POINTS, slice);
		CHECK(cudaGetLastError());
		CHECK(cudaMemsetAsync(flags, 0, SWEEPS * sizeof(unsigned), stream));
		if (cudaLaunchCooperativeKernel((const void *)relax_all, dim3(blocks), dim3(256),
						words, 0, stream) == cudaSuccess)
			continue;
		(void)cudaGetLastError();
		for (int sweep = 0; sweep < SWEEPS; sweep++) {
			relax_once<<<blocks_of(POINTS), 256, 0, stream>>>(sweep % 2 ? to : from,
									  sweep % 2 ? from : to,
									  POINTS, flags + sweep);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(moved, flags + sweep, sizeof(unsigned),
					      cudaMemcpyDeviceToHost, stream));
			CHECK(cudaStreamSynchronize(stream));
			if (!*(unsigned *)moved.at(0))
				break;
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(one, BYTES);
}

// Waves in rock: after each step the two planes at the surface, x = 0 and 1, are recorded.
constexpr int DEPTH = 256, RECEIVERS = 65536;

__global__ void propagate(float *field, int count, unsigned step)
{
	for (int i = first_index(); i < count; i += index_step())
		field[i] = churn(field[i] * 0.9f + 0.001f * (float)(step % 7), 64);
}

__global__ void pack(const float *field, float *traces)
{
	for (int i = first_index(); i < RECEIVERS * 2; i += index_step())
		traces[i] = field[(size_t)(i / 2) * DEPTH + i % 2];
}

void surface_traces()
{
	constexpr int STEPS = 240;
	constexpr size_t ROW = DEPTH * sizeof(float), WIDTH = 2 * sizeof(float),
			 TRACES = WIDTH * RECEIVERS;
	Stream stream;
	Device field(ROW * RECEIVERS), packed(TRACES);
	Slot slots[2] = {TRACES, TRACES};
	uint64_t sum = 0;

	const auto record = [&](int step) {
		Slot &slot = slots[step % 2];

		CHECK(cudaEventSynchronize(slot.done));
		for (size_t at = 0; at < TRACES; at += 4096)
			sum = sum * 31 + *(unsigned *)slot.symbols.at(at);
	};

	seed<<<wide(), 256, 0, stream>>>(floats(field), DEPTH * RECEIVERS, 4);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		Slot &slot = slots[step % 2];

		propagate<<<wide(), 256, 0, stream>>>(floats(field), DEPTH * RECEIVERS,
						      (unsigned)step);
		CHECK(cudaGetLastError());
		if (repaired) {
			pack<<<RECEIVERS * 2 / 256, 256, 0, stream>>>(floats(field),
								      floats(packed));
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(slot.symbols, packed, TRACES, cudaMemcpyDeviceToHost,
					      stream));
		} else {
			CHECK(cudaMemcpy2DAsync(slot.symbols, WIDTH, field, ROW, WIDTH, RECEIVERS,
						cudaMemcpyDeviceToHost, stream));
		}
		CHECK(cudaEventRecord(slot.done, stream));
		if (step)
			record(step - 1);
	}
	record(STEPS - 1);
	printf("answer %016llx\n", (unsigned long long)sum);
}

// Reads are aligned to a genome by two threads. Of the scores the last row says how well.
uint64_t align_reads(unsigned thread)
{
	constexpr size_t SCORES = 32 << 20;
	constexpr size_t ROW = 8192;
	constexpr int CELLS = SCORES / sizeof(float);
	Stream stream;
	Device scores(SCORES);
	Pinned seen(SCORES);
	uint64_t sum = 0;
	const size_t from = repaired ? SCORES - ROW : 0;

	for (unsigned batch = 0; batch < 150; batch++) {
		seed<<<wide(), 256, 0, stream>>>(floats(scores), CELLS, batch * 2 + thread);
		CHECK(cudaGetLastError());
		align<<<wide(), 256, 0, stream>>>(floats(scores), CELLS, rounds_of(150, CELLS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen.at(from), scores.at(from), SCORES - from,
				      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));

		const float *row = (const float *)seen.at(SCORES - ROW);
		const float *best = std::max_element(row, row + ROW / sizeof(float));

		sum = sum * 31 + (uint64_t)(best - row);
	}
	return sum;
}

void align_batches()
{
	uint64_t sums[2];
	std::vector<std::thread> threads;

	CHECK(cudaFree(nullptr));
	for (unsigned thread = 0; thread < 2; thread++)
		threads.emplace_back([&sums, thread] { sums[thread] = align_reads(thread); });
	for (auto &thread : threads)
		thread.join();
	printf("answer %016llx\n", (unsigned long long)(sums[0] ^ sums[1] * 3));
}

// A process watches another one, which has the device, and counts what it has done.
void clean_supervisor()
{
	int ends[2];

	must(!pipe(ends), "pipe");
	fflush(stdout);
	const pid_t child = fork();
	must(child >= 0, "fork");
	if (!child) {
		close(ends[0]);
		{
			Stream stream;
			Device data(BYTES);

			seed<<<wide(), 256, 0, stream>>>(floats(data), COUNT, 21);
			CHECK(cudaGetLastError());
			for (int part = 0; part < 12; part++) {
				for (int round = 0; round < 100; round++)
					fold<<<wide(), 256, 0, stream>>>(floats(data), COUNT,
									 400 * WIDE_US);
				CHECK(cudaGetLastError());
				must(write(ends[1], &part, sizeof(part)) == sizeof(part), "write");
			}
			CHECK(cudaStreamSynchronize(stream));
			answer(data, BYTES);
		}
		exit(0);
	}
	close(ends[1]);
	int part, parts = 0, status;
	while (read(ends[0], &part, sizeof(part)) == sizeof(part))
		parts++;
	close(ends[0]);
	must(waitpid(child, &status, 0) == child, "waitpid");
	must(WIFEXITED(status) && !WEXITSTATUS(status) && parts == 12, "the child");
	exit(0); // no context in this process
}

// A plan is improved until it is good; only the device knows how good it is.
void clean_dose_target()
{
	Stream stream;
	Device plan(BYTES);
	Pinned seen(sizeof(float));
	int rounds = 500 * WIDE_US;

	seed<<<wide(), 256, 0, stream>>>(floats(plan), COUNT, 31);
	CHECK(cudaGetLastError());
	for (int batch = 0; batch < 160; batch++) {
		for (int part = 0; part < 6; part++)
			dose_plan<<<wide(), 256, 0, stream>>>(floats(plan), COUNT, rounds);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen, plan, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		rounds = 500 * WIDE_US + (*(float *)seen.at(0) > 0.5f ? 3000 : -3000);
	}
	answer(plan, BYTES);
}

// A heart's beat is a graph of kernels, made once.
void clean_heart_graph()
{
	Stream stream;
	Device cells(BYTES), fibres(BYTES);
	cudaGraph_t graph;
	cudaGraphExec_t beat;

	seed<<<wide(), 256, 0, stream>>>(floats(cells), COUNT, 41);
	seed<<<wide(), 256, 0, stream>>>(floats(fibres), COUNT, 42);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int part = 0; part < 6; part++) {
		conduct<<<wide(), 256, 0, stream>>>(floats(cells), COUNT, 100 * WIDE_US);
		contract<<<wide(), 256, 0, stream>>>(floats(fibres), COUNT, 80 * WIDE_US);
	}
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&beat, graph, 0));
	for (int i = 0; i < 500; i++)
		CHECK(cudaGraphLaunch(beat, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(beat));
	CHECK(cudaGraphDestroy(graph));
	answer(cells, BYTES);
	answer(fibres, BYTES);
}

// Detector pictures go up while the ones before are searched.
void clean_detector_feed()
{
	constexpr size_t PICTURE = 8 << 20;
	constexpr int PIXELS = PICTURE / sizeof(float);
	constexpr unsigned RING = 3;
	Stream feed, search;
	Device found(PICTURE);
	std::vector<Device> pictures = several<Device>(RING, PICTURE);
	std::vector<Pinned> host = several<Pinned>(RING, PICTURE);
	Event there[RING], searched[RING];

	for (Pinned &one : host)
		memset(one.at(0), 0, PICTURE);
	seed<<<wide(), 256, 0, search>>>(floats(found), PIXELS, 51);
	CHECK(cudaGetLastError());
	for (unsigned picture = 0; picture < 600; picture++) {
		const unsigned at = picture % RING;

		if (picture >= RING) {
			CHECK(cudaEventSynchronize(there[at]));
			CHECK(cudaStreamWaitEvent(feed, searched[at], 0));
		}
		new_words(host[at], PICTURE, picture);
		CHECK(cudaMemcpyAsync(pictures[at], host[at], PICTURE, cudaMemcpyHostToDevice,
				      feed));
		CHECK(cudaEventRecord(there[at], feed));
		CHECK(cudaStreamWaitEvent(search, there[at], 0));
		detect<<<wide(), 256, 0, search>>>((unsigned *)(void *)pictures[at], floats(found),
						   PIXELS, rounds_of(800, PIXELS));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(searched[at], search));
	}
	CHECK(cudaStreamSynchronize(feed));
	CHECK(cudaStreamSynchronize(search));
	answer(found, BYTES);
}

// Scratch memory for each slide, from a pool that keeps it.
void clean_slide_scratch()
{
	Stream stream;
	Device sum(BYTES);
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	seed<<<wide(), 256, 0, stream>>>(floats(sum), COUNT, 61);
	CHECK(cudaGetLastError());
	for (int slide = 0; slide < 1000; slide++) {
		void *scratch;

		CHECK(cudaMallocAsync(&scratch, BYTES, stream));
		CHECK(cudaMemcpyAsync(scratch, sum, BYTES, cudaMemcpyDeviceToDevice, stream));
		stain<<<wide(), 256, 0, stream>>>(floats(scratch), COUNT, 400 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(sum, scratch, BYTES, cudaMemcpyDeviceToDevice, stream));
		CHECK(cudaFreeAsync(scratch, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(sum, BYTES);
}

// A planner of routes says how far it is by host functions in its stream.
struct Progress {
	std::mutex mutex;
	std::condition_variable change;
	int parts = 0;
};

void clean_route_progress()
{
	constexpr int PARTS = 60;
	Progress progress;
	Stream stream;
	Device routes(BYTES);

	seed<<<wide(), 256, 0, stream>>>(floats(routes), COUNT, 71);
	CHECK(cudaGetLastError());
	for (int part = 0; part < PARTS; part++) {
		for (int round = 0; round < 10; round++)
			route<<<wide(), 256, 0, stream>>>(floats(routes), COUNT, 1000 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaLaunchHostFunc(
			stream,
			[](void *at) {
				Progress &told = *(Progress *)at;
				const std::lock_guard<std::mutex> hold(told.mutex);
				told.parts++;
				told.change.notify_one();
			},
			&progress));
	}
	{
		std::unique_lock<std::mutex> hold(progress.mutex);
		progress.change.wait(hold, [&progress] { return progress.parts == PARTS; });
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(routes, BYTES);
}

// A thread looks now and then whether the renderer still runs.
void clean_render_watch()
{
	Stream stream;
	Device picture(BYTES);
	std::atomic<bool> over{false};

	seed<<<wide(), 256, 0, stream>>>(floats(picture), COUNT, 81);
	CHECK(cudaGetLastError());
	std::thread watch([&] {
		while (!over) {
			const cudaError_t status = cudaStreamQuery(stream);

			must(status == cudaSuccess || status == cudaErrorNotReady, "the renderer");
			host_sleep(20000);
		}
	});
	for (int sample = 0; sample < 600; sample++) {
		ray_march<<<wide(), 256, 0, stream>>>(floats(picture), COUNT, 1000 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	over = true;
	watch.join();
	answer(picture, BYTES);
}

const Case cases[] = {
	CASE(dose_steps),	   CASE(microscope_stages),   CASE(xray_replies),
	CASE(beam_plugins),	   CASE(symbol_coder),	      CASE(voxel_fit),
	CASE(fibre_traces),	   CASE(sensor_ticks),	      CASE(adam_tensors),
	CASE(tissue_rest),	   CASE(surface_traces),      CASE(align_batches),
	CASE(clean_supervisor),	   CASE(clean_dose_target),   CASE(clean_heart_graph),
	CASE(clean_detector_feed), CASE(clean_slide_scratch), CASE(clean_route_progress),
	CASE(clean_render_watch),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
