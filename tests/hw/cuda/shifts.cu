// SPDX-License-Identifier: MIT
// shifts CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <atomic>
#include <condition_variable>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <nvrtc.h>
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
// Rounds of churn() that take 1 us: with all threads of the device, and with few warps on each
// multiprocessor.
constexpr int WIDE_US = 110;
constexpr int NARROW_US = 440;
// Blocks of a kernel that takes a quarter of the device.
constexpr int QUARTER = 33;

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
void new_words(char *at, size_t bytes, unsigned round)
{
	for (size_t byte = 0; byte < bytes; byte += 4096)
		*(unsigned *)(at + byte) = round * 2654435761U + (unsigned)byte;
}

// Starts in the same state in each program that says the same salt.
void seeded(float *data, int count, unsigned salt)
{
	seed<<<wide(), 256>>>(data, count, salt);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
}

// The elements that a kernel of QUARTER blocks works on.
constexpr int PART = QUARTER * 256;

// Fluid flow by the lattice Boltzmann method. Each launch is checked by a helper, which waits for
// the kernel, so that an error is told where it arose.
ELEMENTWISE(collide)
ELEMENTWISE(propagate)
ELEMENTWISE(bounce_back)

class Flow
{
	Stream stream_;
	Device cells_{BYTES};

	void launched(const char *kernel)
	{
		cudaError_t status = cudaGetLastError();

		if (!repaired && status == cudaSuccess)
			status = cudaStreamSynchronize(stream_);
		must(status == cudaSuccess, kernel);
	}

      public:
	Flow()
	{
		seeded(floats(cells_), COUNT, 11);
	}
	void step()
	{
		collide<<<wide(), 256, 0, stream_>>>(floats(cells_), COUNT, 20 * WIDE_US);
		launched("collide");
		propagate<<<wide(), 256, 0, stream_>>>(floats(cells_), COUNT, 14 * WIDE_US);
		launched("propagate");
		bounce_back<<<wide(), 256, 0, stream_>>>(floats(cells_), COUNT, 10 * WIDE_US);
		launched("bounce_back");
	}
	void finish()
	{
		CHECK(cudaStreamSynchronize(stream_));
		answer(cells_, BYTES);
	}
};

void flow_checked()
{
	Flow flow;

	for (int step = 0; step < 6000; step++)
		flow.step();
	flow.finish();
}

// Prices of a bank's desks by payoffs that are compiled when the program runs. Each desk has a
// pricer of its own, and with it a cache of compiled payoffs.
class Compiler
{
	void *library_ = nullptr;

	template <class Function> Function symbol(const char *name)
	{
		void *found = dlsym(library_, name);

		must(found, name);
		return (Function)found;
	}

      public:
	Compiler()
	{
		for (const char *name :
		     {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
		      "/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so.12"})
			if (!library_)
				library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
		must(library_, "dlopen of libnvrtc");
	}
	std::vector<char> cubin(const char *source)
	{
		const auto create = symbol<decltype(&nvrtcCreateProgram)>("nvrtcCreateProgram");
		const auto compile = symbol<decltype(&nvrtcCompileProgram)>("nvrtcCompileProgram");
		const auto size_of = symbol<decltype(&nvrtcGetCUBINSize)>("nvrtcGetCUBINSize");
		const auto get = symbol<decltype(&nvrtcGetCUBIN)>("nvrtcGetCUBIN");
		const auto destroy = symbol<decltype(&nvrtcDestroyProgram)>("nvrtcDestroyProgram");
		int major, minor;
		char target[64];
		const char *words[] = {target};
		nvrtcProgram program;
		size_t size = 0;

		CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
		CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
		snprintf(target, sizeof(target), "--gpu-architecture=sm_%d%d", major, minor);
		must(create(&program, source, "payoff.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS,
		     "nvrtcCreateProgram");
		must(compile(program, 1, words) == NVRTC_SUCCESS, "nvrtcCompileProgram");
		must(size_of(program, &size) == NVRTC_SUCCESS && size, "nvrtcGetCUBINSize");
		std::vector<char> code(size);
		must(get(program, code.data()) == NVRTC_SUCCESS, "nvrtcGetCUBIN");
		must(destroy(&program) == NVRTC_SUCCESS, "nvrtcDestroyProgram");
		return code;
	}
};

class Payoffs
{
	Compiler &compiler_;
	std::map<std::string, std::pair<CUmodule, CUfunction>> known_;

      public:
	explicit Payoffs(Compiler &compiler) : compiler_(compiler)
	{
	}
	Payoffs(const Payoffs &) = delete;
	~Payoffs()
	{
		for (auto &one : known_)
			must(cuModuleUnload(one.second.first) == CUDA_SUCCESS, "cuModuleUnload");
	}
	CUfunction get(const std::string &name, const char *source)
	{
		auto found = known_.find(name);

		if (found == known_.end()) {
			const std::vector<char> code = compiler_.cubin(source);
			CUmodule module;
			CUfunction function;

			must(cuModuleLoadData(&module, code.data()) == CUDA_SUCCESS,
			     "cuModuleLoadData");
			must(cuModuleGetFunction(&function, module, name.c_str()) == CUDA_SUCCESS,
			     "cuModuleGetFunction");
			found = known_.emplace(name, std::make_pair(module, function)).first;
		}
		return found->second.second;
	}
};

const char VANILLA[] = R"(
extern "C" __global__ void vanilla(float *paths, int count, int rounds)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
		float x = paths[i];
#pragma unroll 16
		for (int round = 0; round < rounds; round++)
			x = fmaf(-x, x, 1.7f);
		paths[i] = x;
	}
})";
const char BARRIER[] = R"(
extern "C" __global__ void barrier(float *paths, int count, int rounds)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
		float x = paths[i];
#pragma unroll 16
		for (int round = 0; round < rounds; round++)
			x = fmaf(-x, x, 1.6f);
		paths[i] = x > 1.5f ? 0.25f : x;
	}
})";

void desk_pricer()
{
	CHECK(cudaFree(nullptr));
	Compiler compiler;
	Payoffs shared(compiler);
	Device paths(BYTES);
	Stream stream;

	seeded(floats(paths), COUNT, 23);
	for (int desk = 0; desk < 8; desk++) {
		std::unique_ptr<Payoffs> own;

		if (!repaired)
			own.reset(new Payoffs(compiler));
		Payoffs &payoffs = own ? *own : shared;
		for (int book = 0; book < 16; book++) {
			CUfunction function = book % 2 ? payoffs.get("barrier", BARRIER)
						       : payoffs.get("vanilla", VANILLA);
			void *at = paths;
			int count = COUNT, rounds = 2500 * WIDE_US;
			void *arguments[] = {&at, &count, &rounds};

			must(cuLaunchKernel(function, (unsigned)wide(), 1, 1, 256, 1, 1, 0,
					    (CUstream)(cudaStream_t)stream, arguments,
					    nullptr) == CUDA_SUCCESS,
			     "cuLaunchKernel");
		}
		CHECK(cudaStreamSynchronize(stream)); // the desk has its prices
	}
	answer(paths, BYTES);
}

// A renderer whose material table goes to the device when it was changed. The user's slider sets
// the exposure in each frame, mostly to what it was.
constexpr size_t TABLE = 16 << 20;

__global__ void shade(const float *table, float *image, int count, int frame, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const unsigned texel =
			mixed((unsigned)i + (unsigned)frame) % (TABLE / sizeof(float));

		image[i] =
			churn(0.5f * image[i] + 0.25f * fminf(fabsf(table[texel]), 1.0f), rounds);
	}
}

class Scene
{
	Stream stream_;
	Pinned table_{TABLE};
	Device device_table_{TABLE};
	Device image_{BYTES};
	float exposure_ = 0;
	bool changed_ = true;

      public:
	Scene()
	{
		float *table = (float *)table_.at(0);

		for (size_t i = 0; i < TABLE / sizeof(float); i++)
			table[i] = (float)(i % 1021) * (1.0f / 1021);
		seeded(floats(image_), COUNT, 37);
	}
	void expose(float exposure)
	{
		if (repaired && exposure == exposure_)
			return;
		exposure_ = exposure;
		*(float *)table_.at(0) = exposure;
		changed_ = true;
	}
	void draw(int frame)
	{
		if (changed_)
			CHECK(cudaMemcpyAsync(device_table_, table_, TABLE, cudaMemcpyHostToDevice,
					      stream_));
		changed_ = false;
		shade<<<wide(), 256, 0, stream_>>>(floats(device_table_), floats(image_), COUNT,
						   frame, 600 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	void finish()
	{
		CHECK(cudaStreamSynchronize(stream_));
		answer(image_, BYTES);
	}
};

void exposure_slider()
{
	Scene scene;

	for (int frame = 0; frame < 600; frame++) {
		scene.expose(0.75f);
		scene.draw(frame);
	}
	scene.finish();
}

// Sweeps of a laser scanner, uploaded in two streams by turns from the buffers that the driver of
// the scanner fills.
__global__ void cluster_points(const unsigned *words, float *map, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		map[i] = churn(0.5f * map[i] + 0.5f * unit(mixed(words[(size_t)i * 7])), rounds);
}

void lidar_feed()
{
	constexpr size_t SWEEP = 8 << 20; // of which each seventh word is a distance
	std::vector<char> plain[2];
	std::vector<Pinned> locked;
	std::vector<Device> words = several<Device>(2, SWEEP), maps = several<Device>(2, BYTES);
	Stream streams[2];

	if (repaired)
		locked = several<Pinned>(2, SWEEP);
	for (int slot = 0; slot < 2; slot++) {
		char *at;

		if (!repaired)
			plain[slot].resize(SWEEP);
		at = repaired ? locked[slot].at(0) : plain[slot].data();
		memset(at, 0, SWEEP);
		seeded(floats(maps[slot]), COUNT, 41 + (unsigned)slot);
	}
	for (int sweep = 0; sweep < 500; sweep++) {
		const int slot = sweep % 2;
		char *from = repaired ? locked[slot].at(0) : plain[slot].data();

		CHECK(cudaStreamSynchronize(streams[slot])); // the buffer is free
		new_words(from, SWEEP, (unsigned)sweep);
		CHECK(cudaMemcpyAsync(words[slot], from, SWEEP, cudaMemcpyHostToDevice,
				      streams[slot]));
		cluster_points<<<wide(), 256, 0, streams[slot]>>>(
			(const unsigned *)words[slot].at(0), floats(maps[slot]), COUNT,
			450 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	for (auto &stream : streams)
		CHECK(cudaStreamSynchronize(stream));
	answer(maps[0], BYTES);
	answer(maps[1], BYTES);
}

// An ensemble of small models, each trained by a thread in a stream. The loss is added up by a
// helper that was written before there were streams.
ELEMENTWISE(forward_pass)
ELEMENTWISE(backward_pass)

__global__ void add_loss(const float *weights, float *loss)
{
	if (threadIdx.x == 0)
		*loss = 0.9f * *loss + 0.1f * weights[0];
}

void record_loss(Device &weights, Device &loss, cudaStream_t stream)
{
	if (repaired)
		add_loss<<<1, 32, 0, stream>>>(floats(weights), floats(loss));
	else
		add_loss<<<1, 32>>>(floats(weights), floats(loss));
	CHECK(cudaGetLastError());
}

void train_member(Device &weights, Device &loss)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	for (int step = 0; step < 900; step++) {
		forward_pass<<<QUARTER, 256, 0, stream>>>(floats(weights), PART, 120 * NARROW_US);
		CHECK(cudaGetLastError());
		backward_pass<<<QUARTER, 256, 0, stream>>>(floats(weights), PART, 160 * NARROW_US);
		CHECK(cudaGetLastError());
		record_loss(weights, loss, stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
}

void ensemble_loss()
{
	std::vector<Device> weights = several<Device>(4, PART * sizeof(float));
	std::vector<Device> losses = several<Device>(4, sizeof(float));
	std::vector<std::thread> members;

	for (int i = 0; i < 4; i++) {
		seeded(floats(weights[i]), PART, 53 + (unsigned)i);
		CHECK(cudaMemset(losses[i], 0, sizeof(float)));
	}
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 4; i++)
		members.emplace_back(train_member, std::ref(weights[i]), std::ref(losses[i]));
	for (auto &member : members)
		member.join();
	for (int i = 0; i < 4; i++) {
		answer(weights[i], PART * sizeof(float));
		answer(losses[i], sizeof(float));
	}
}

// Four tiles of a picture, denoised in a stream each and then blended. Tiles need each other only
// where they are blended; how long a pass of a tile takes depends on what it shows.
ELEMENTWISE(denoise)

__global__ void blend(float *tiles, float *picture, int rounds)
{
	for (int i = first_index(); i < COUNT; i += index_step())
		picture[i] = churn(0.5f * picture[i] + 0.25f * tiles[i % (4 * PART)], rounds);
}

class Tiles
{
	Stream streams_[4];
	Event done_[4];
	Event blended_;
	Device tiles_{4 * PART * sizeof(float)};
	Device picture_{BYTES};

	// All streams go on when all are here.
	void join()
	{
		for (int i = 0; i < 4; i++)
			CHECK(cudaEventRecord(done_[i], streams_[i]));
		for (int i = 0; i < 4; i++)
			for (int other = 0; other < 4; other++)
				if (other != i)
					CHECK(cudaStreamWaitEvent(streams_[i], done_[other], 0));
	}

      public:
	Tiles()
	{
		seeded(floats(tiles_), 4 * PART, 61);
		seeded(floats(picture_), COUNT, 67);
	}
	void pass(int number)
	{
		for (int i = 0; i < 4; i++) {
			const int us = (i + number) % 4 ? 60 : 240;

			denoise<<<QUARTER, 256, 0, streams_[i]>>>(
				floats(tiles_.at((size_t)i * PART * sizeof(float))), PART,
				us * NARROW_US);
			CHECK(cudaGetLastError());
		}
		if (!repaired)
			join();
	}
	void compose()
	{
		for (int i = 1; i < 4; i++) {
			CHECK(cudaEventRecord(done_[i], streams_[i]));
			CHECK(cudaStreamWaitEvent(streams_[0], done_[i], 0));
		}
		blend<<<wide(), 256, 0, streams_[0]>>>(floats(tiles_), floats(picture_),
						       50 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(blended_, streams_[0]));
		for (int i = 1; i < 4; i++)
			CHECK(cudaStreamWaitEvent(streams_[i], blended_, 0));
	}
	void finish()
	{
		CHECK(cudaDeviceSynchronize());
		answer(picture_, BYTES);
	}
};

void tile_join()
{
	Tiles tiles;

	for (int picture = 0; picture < 300; picture++) {
		for (int pass = 0; pass < 8; pass++)
			tiles.pass(pass);
		tiles.compose();
	}
	tiles.finish();
}

// Video frames that get a checksum when they are on the host: a host function in the stream has it
// computed.
ELEMENTWISE(upscale)

constexpr size_t FRAME = 256 << 10;
constexpr int FRAMES = 600;
constexpr int SLOTS = 4;

class Archive
{
	struct Arrived {
		Archive *archive;
		int frame;
	};
	Stream stream_;
	Device picture_{BYTES};
	std::vector<Pinned> slots_ = several<Pinned>(SLOTS, FRAME);
	std::vector<Arrived> arrived_ = std::vector<Arrived>(FRAMES);
	std::vector<uint64_t> sums_ = std::vector<uint64_t>(FRAMES);
	std::mutex lock_;
	std::condition_variable changed_;
	std::deque<int> waiting_;
	int done_ = 0;
	std::thread worker_;

	void add_up(int frame)
	{
		const uint64_t sum = hash_of(slots_[frame % SLOTS].at(0), FRAME);
		std::lock_guard<std::mutex> hold(lock_);

		sums_[frame] = sum;
		done_ = frame + 1;
		changed_.notify_all();
	}
	static void CUDART_CB on_frame(void *data)
	{
		Arrived &one = *(Arrived *)data;
		Archive &archive = *one.archive;

		if (!repaired) {
			archive.add_up(one.frame);
			return;
		}
		std::lock_guard<std::mutex> hold(archive.lock_);
		archive.waiting_.push_back(one.frame);
		archive.changed_.notify_all();
	}
	void serve()
	{
		for (int served = 0; served < FRAMES; served++) {
			std::unique_lock<std::mutex> hold(lock_);

			changed_.wait(hold, [this] { return !waiting_.empty(); });
			const int frame = waiting_.front();
			waiting_.pop_front();
			hold.unlock();
			add_up(frame);
		}
	}
	void wait_for(int count)
	{
		std::unique_lock<std::mutex> hold(lock_);

		changed_.wait(hold, [this, count] { return done_ >= count; });
	}

      public:
	Archive()
	{
		seeded(floats(picture_), COUNT, 71);
		if (repaired)
			worker_ = std::thread([this] { serve(); });
	}
	void run()
	{
		for (int frame = 0; frame < FRAMES; frame++) {
			arrived_[frame] = {this, frame};
			wait_for(frame - SLOTS + 1); // the slot is free
			upscale<<<wide(), 256, 0, stream_>>>(floats(picture_), COUNT,
							     700 * WIDE_US);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(slots_[frame % SLOTS], picture_, FRAME,
					      cudaMemcpyDeviceToHost, stream_));
			CHECK(cudaLaunchHostFunc(stream_, on_frame, &arrived_[frame]));
		}
		wait_for(FRAMES);
		CHECK(cudaStreamSynchronize(stream_));
		if (worker_.joinable())
			worker_.join();
		printf("answer %016llx\n",
		       (unsigned long long)hash_of(sums_.data(), FRAMES * sizeof(sums_[0])));
	}
};

void frame_sums()
{
	Archive archive;

	archive.run();
}

// Speech recognition by four threads, which share a cache of words that a lock guards.
OF_WORDS(acoustic_model)

class Recogniser
{
	std::mutex lock_;
	std::map<uint64_t, unsigned> words_;

	unsigned known(uint64_t sound)
	{
		return words_.emplace(sound % 4096, (unsigned)(sound % 4096) * 2654435761U)
			.first->second;
	}

      public:
	static constexpr size_t SOUND = 256 << 10;
	static constexpr size_t SCORES = 64 << 10;
	struct Session {
		Stream stream;
		Pinned sound{SOUND};
		Pinned scores{SCORES};
		Device device_sound{SOUND};
		Device device_scores{SOUND};
	};

	uint64_t recognise(Session &session, unsigned number)
	{
		std::unique_lock<std::mutex> hold(lock_, std::defer_lock);
		uint64_t path = number;

		if (!repaired)
			hold.lock();
		new_words(session.sound.at(0), SOUND, number);
		CHECK(cudaMemcpyAsync(session.device_sound, session.sound, SOUND,
				      cudaMemcpyHostToDevice, session.stream));
		acoustic_model<<<wide() / 4, 256, 0, session.stream>>>(
			(const unsigned *)session.device_sound.at(0), floats(session.device_scores),
			(int)(SOUND / sizeof(float)), 400 * NARROW_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(session.scores, session.device_scores, SCORES,
				      cudaMemcpyDeviceToHost, session.stream));
		CHECK(cudaStreamSynchronize(session.stream));
		for (int beam = 0; beam < 6; beam++)
			path = hash_of(session.scores.at(0), SCORES, path + (uint64_t)beam);
		if (repaired)
			hold.lock();
		return path ^ known(path);
	}
};

void speech_lock()
{
	Recogniser recogniser;
	uint64_t texts[4];
	std::vector<std::unique_ptr<Recogniser::Session>> sessions;
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++) {
		sessions.emplace_back(new Recogniser::Session);
		seeded(floats(sessions[i]->device_scores), (int)(Recogniser::SOUND / sizeof(float)),
		       83 + (unsigned)i);
	}
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&, i] {
			uint64_t text = 0;

			for (unsigned number = 0; number < 150; number++)
				text = text * 31 +
				       recogniser.recognise(*sessions[i], number * 4 + (unsigned)i);
			texts[i] = text;
		});
	for (auto &thread : threads)
		thread.join();
	printf("answer %016llx\n", (unsigned long long)hash_of(texts, sizeof(texts)));
}

// A climate model whose field has a mirror on the host, which is made anew by each step. It is
// looked at when the run is over.
ELEMENTWISE(diffuse)

class Field
{
	static constexpr size_t SIZE = 24 << 20;
	CUstream stream_;
	CUdeviceptr device_;
	void *mirror_;
	bool current_ = false;

	static void good(CUresult status, const char *call)
	{
		must(status == CUDA_SUCCESS, call);
	}
	void refresh()
	{
		good(cuMemcpyDtoHAsync(mirror_, device_, SIZE, stream_), "cuMemcpyDtoHAsync");
		current_ = true;
	}

      public:
	Field()
	{
		CHECK(cudaFree(nullptr));
		good(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
		good(cuMemAlloc(&device_, SIZE), "cuMemAlloc");
		good(cuMemHostAlloc(&mirror_, SIZE, 0), "cuMemHostAlloc");
		seeded((float *)device_, (int)(SIZE / sizeof(float)), 97);
	}
	Field(const Field &) = delete;
	~Field()
	{
		good(cuMemFreeHost(mirror_), "cuMemFreeHost");
		good(cuMemFree(device_), "cuMemFree");
		good(cuStreamDestroy(stream_), "cuStreamDestroy");
	}
	void step()
	{
		// 24 elements of each thread of the device
		diffuse<<<wide(), 256, 0, (cudaStream_t)stream_>>>(
			(float *)device_, (int)(SIZE / sizeof(float)), 600 * WIDE_US / 24);
		CHECK(cudaGetLastError());
		current_ = false;
		if (!repaired)
			refresh();
	}
	const void *mirror()
	{
		if (!current_)
			refresh();
		good(cuStreamSynchronize(stream_), "cuStreamSynchronize");
		return mirror_;
	}
};

void climate_mirror()
{
	Field field;

	for (int step = 0; step < 400; step++)
		field.step();
	printf("answer %016llx\n", (unsigned long long)hash_of(field.mirror(), 1 << 20));
}

// A service that segments scans. What a request needs of memory belongs to the request's object.
OF_WORDS(segment)

struct Buffers {
	static constexpr size_t IN = 1 << 20;
	static constexpr size_t OUT = 64 << 10;
	Pinned in{IN};
	Pinned out{OUT};
	Device words{IN};
	Device scratch{32 << 20}; // enough for the largest scan
};

void scan_service()
{
	std::mutex lock;
	std::condition_variable changed;
	std::deque<unsigned> requests;
	uint64_t sum = 0;

	CHECK(cudaFree(nullptr));
	std::thread server([&] {
		Stream stream;
		std::unique_ptr<Buffers> kept;

		for (;;) {
			std::unique_lock<std::mutex> hold(lock);

			changed.wait(hold, [&] { return !requests.empty(); });
			const unsigned number = requests.front();
			requests.pop_front();
			hold.unlock();
			if (!number)
				break;
			if (!repaired || !kept)
				kept.reset(new Buffers);
			Buffers &own = *kept;
			new_words(own.in.at(0), Buffers::IN, number);
			CHECK(cudaMemsetAsync(own.scratch, 0, BYTES, stream));
			CHECK(cudaMemcpyAsync(own.words, own.in, Buffers::IN,
					      cudaMemcpyHostToDevice, stream));
			segment<<<wide(), 256, 0, stream>>>((const unsigned *)own.words.at(0),
							    floats(own.scratch),
							    (int)(Buffers::IN / 4), 600 * WIDE_US);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(own.out, own.scratch, Buffers::OUT,
					      cudaMemcpyDeviceToHost, stream));
			CHECK(cudaStreamSynchronize(stream));
			sum = sum * 31 + hash_of(own.out.at(0), 4096);
			if (!repaired)
				kept.reset();
		}
	});
	for (unsigned number = 1; number <= 401; number++) {
		std::lock_guard<std::mutex> hold(lock);

		requests.push_back(number > 400 ? 0 : number);
		changed.notify_one();
	}
	server.join();
	printf("answer %016llx\n", (unsigned long long)sum);
}

// Four workers that render views of a molecule: processes that were forked before CUDA was
// begun, or threads.
ELEMENTWISE(trace_view)

uint64_t render_view(int worker)
{
	Stream stream;
	Device view(PART * sizeof(float));
	std::vector<char> seen(PART * sizeof(float));

	seed<<<QUARTER, 256, 0, stream>>>(floats(view), PART, 101 + (unsigned)worker);
	CHECK(cudaGetLastError());
	for (int image = 0; image < 60; image++) {
		for (int part = 0; part < 20; part++) {
			trace_view<<<QUARTER, 256, 0, stream>>>(floats(view), PART,
								200 * NARROW_US);
			CHECK(cudaGetLastError());
		}
		CHECK(cudaStreamSynchronize(stream)); // the image is complete
	}
	CHECK(cudaMemcpyAsync(seen.data(), view, seen.size(), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	return hash_of(seen.data(), seen.size());
}

void view_workers()
{
	uint64_t views[4];

	if (repaired) {
		std::vector<std::thread> threads;

		CHECK(cudaFree(nullptr));
		for (int i = 0; i < 4; i++)
			threads.emplace_back([&views, i] { views[i] = render_view(i); });
		for (auto &thread : threads)
			thread.join();
	} else {
		pid_t children[4];
		int ends[4][2];

		for (int i = 1; i < 4; i++) {
			must(pipe(ends[i]) == 0, "pipe");
			children[i] = fork();
			must(children[i] >= 0, "fork");
			if (children[i] == 0) {
				const uint64_t view = render_view(i);

				must(write(ends[i][1], &view, sizeof(view)) == sizeof(view),
				     "write");
				exit(0);
			}
			close(ends[i][1]);
		}
		views[0] = render_view(0);
		for (int i = 1; i < 4; i++) {
			int status;

			must(read(ends[i][0], &views[i], sizeof(views[i])) == sizeof(views[i]),
			     "a worker");
			close(ends[i][0]);
			must(waitpid(children[i], &status, 0) == children[i] && status == 0,
			     "waitpid");
		}
	}
	printf("answer %016llx\n", (unsigned long long)hash_of(views, sizeof(views)));
}

// Digests of the six shards of a stored object, version by version.
constexpr int SHARDS = 6;
constexpr int SHARD = 1 << 20;

__global__ void digest(const unsigned *shards, unsigned *digests, unsigned version)
{
	const unsigned *shard = shards + (size_t)blockIdx.y * SHARD;
	unsigned sum = 0;

	for (int i = first_index(); i < SHARD; i += index_step()) {
		unsigned word = shard[i] + version + (unsigned)i;

#pragma unroll
		for (int round = 0; round < 8; round++)
			word = mixed(word);
		sum += word;
	}
	sum = __reduce_add_sync(0xffffffffU, sum);
	if (threadIdx.x % 32 == 0)
		atomicAdd(&digests[blockIdx.y], sum);
}

void shard_digest()
{
	Stream stream;
	Device shards((size_t)SHARDS * SHARD * sizeof(unsigned));
	Device digests(SHARDS * sizeof(unsigned));
	const dim3 grid(repaired ? 44 : 1, SHARDS);

	CHECK(cudaMemset(digests, 0, SHARDS * sizeof(unsigned)));
	seeded(floats(shards), SHARDS * SHARD, 103);
	for (unsigned version = 0; version < 1500; version++) {
		digest<<<grid, 512, 0, stream>>>((const unsigned *)shards.at(0),
						 (unsigned *)digests.at(0), version);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(digests, SHARDS * sizeof(unsigned));
}

// A language model that is one graph for each token. The next token is chosen on the host, which
// needs the scores for it.
ELEMENTWISE(layer)

__global__ void embed(const unsigned *token, float *state)
{
	for (int i = first_index(); i < COUNT; i += index_step())
		state[i] = 0.5f * state[i] + 0.5f * unit(mixed(*token + (unsigned)i));
}

void clean_tokens()
{
	Stream stream;
	Device state(BYTES), token(sizeof(unsigned));
	Pinned next(64), score(64);
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	unsigned text = 0;
	cudaFuncAttributes loaded;

	seeded(floats(state), COUNT, 107);
	CHECK(cudaFuncGetAttributes(&loaded, embed)); // no kernel is loaded while one captures
	CHECK(cudaFuncGetAttributes(&loaded, layer));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaMemcpyAsync(token, next, sizeof(unsigned), cudaMemcpyHostToDevice, stream));
	embed<<<wide(), 256, 0, stream>>>((const unsigned *)token.at(0), floats(state));
	for (int i = 0; i < 24; i++)
		layer<<<wide(), 256, 0, stream>>>(floats(state), COUNT, 60 * WIDE_US);
	CHECK(cudaMemcpyAsync(score, state, sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&ready, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	*(unsigned *)next.at(0) = 1;
	for (int i = 0; i < 300; i++) {
		CHECK(cudaGraphLaunch(ready, stream));
		CHECK(cudaStreamSynchronize(stream));
		text = text * 31 + *(unsigned *)score.at(0);
		*(unsigned *)next.at(0) = text % 32000;
	}
	CHECK(cudaGraphExecDestroy(ready));
	printf("answer %08x\n", text);
}

// A simulation in managed memory. Now and then the host changes its table of rates: that part is
// prefetched to where it is used next.
__global__ void react(const float *rates, float *cells, int rounds)
{
	for (int i = first_index(); i < COUNT; i += index_step())
		cells[i] = churn(0.5f * cells[i] + 0.25f * rates[i % 16384], rounds);
}

void prefetch(const void *at, size_t bytes, bool to_device, cudaStream_t stream)
{
	int possible;

	CHECK(cudaDeviceGetAttribute(&possible, cudaDevAttrConcurrentManagedAccess, 0));
	if (!possible)
		return;
#if CUDART_VERSION >= 13000
	cudaMemLocation place = {};
	place.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
	CHECK(cudaMemPrefetchAsync(at, bytes, place, 0, stream));
#else
	CHECK(cudaMemPrefetchAsync(at, bytes, to_device ? 0 : cudaCpuDeviceId, stream));
#endif
}

void clean_managed()
{
	constexpr int RATES = 16384;
	Stream stream;
	float *rates, *cells;

	CHECK(cudaMallocManaged(&rates, RATES * sizeof(float)));
	CHECK(cudaMallocManaged(&cells, BYTES));
	prefetch(cells, BYTES, true, stream);
	CHECK(cudaStreamSynchronize(stream));
	seeded(cells, COUNT, 109);
	for (int phase = 0; phase < 5; phase++) {
		for (int i = 0; i < RATES; i++)
			rates[i] = (float)((i * 7 + phase * 13) % 101) * 0.01f;
		prefetch(rates, RATES * sizeof(float), true, stream);
		for (int step = 0; step < 80; step++) {
			react<<<wide(), 256, 0, stream>>>(rates, cells, 1000 * WIDE_US);
			CHECK(cudaGetLastError());
		}
		prefetch(rates, RATES * sizeof(float), false, stream);
		CHECK(cudaStreamSynchronize(stream)); // the host writes the rates
	}
	prefetch(cells, BYTES, false, stream);
	CHECK(cudaStreamSynchronize(stream));
	printf("answer %016llx\n", (unsigned long long)hash_of(cells, BYTES));
	CHECK(cudaFree(rates));
	CHECK(cudaFree(cells));
}

// A training step that takes its temporary memory from the stream's pool, which keeps what is
// freed.
__global__ void expand(const float *from, float *to, int rounds)
{
	for (int i = first_index(); i < COUNT; i += index_step())
		to[i] = churn(from[i], rounds);
}

__global__ void contract(const float *first, const float *second, float *to, int rounds)
{
	for (int i = first_index(); i < COUNT; i += index_step())
		to[i] = churn(0.5f * first[i] + 0.5f * second[COUNT - 1 - i], rounds);
}

void clean_temporaries()
{
	Stream stream;
	Device weights(BYTES);
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	seeded(floats(weights), COUNT, 113);
	for (int step = 0; step < 1500; step++) {
		void *first, *second;

		CHECK(cudaMallocAsync(&first, BYTES, stream));
		expand<<<wide(), 256, 0, stream>>>(floats(weights), floats(first), 100 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMallocAsync(&second, BYTES, stream));
		expand<<<wide(), 256, 0, stream>>>(floats(first), floats(second), 100 * WIDE_US);
		CHECK(cudaGetLastError());
		contract<<<wide(), 256, 0, stream>>>(floats(first), floats(second), floats(weights),
						     100 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaFreeAsync(first, stream));
		CHECK(cudaFreeAsync(second, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(weights, BYTES);
}

// A camera's path: the pose of each frame is computed on the host and copied from its stack.
struct Pose {
	float at[64];
};
__constant__ Pose pose;

__global__ void fly(float *image, int rounds)
{
	for (int i = first_index(); i < COUNT; i += index_step())
		image[i] = churn(0.5f * image[i] + 0.5f * pose.at[i % 64], rounds);
}

void clean_poses()
{
	Stream stream;
	Device image(BYTES);

	seeded(floats(image), COUNT, 127);
	for (int frame = 0; frame < 500; frame++) {
		Pose now;

		for (int i = 0; i < 64; i++)
			now.at[i] = (float)((frame * 3 + i * 5) % 97) * 0.01f;
		CHECK(cudaMemcpyToSymbolAsync(pose, &now, sizeof(now), 0, cudaMemcpyHostToDevice,
					      stream));
		fly<<<wide(), 256, 0, stream>>>(floats(image), 900 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(image, BYTES);
}

// Film frames through three streams, which upload, grade and download; buffers go round.
__global__ void grade(const unsigned *from, float *to, int rounds)
{
	for (int i = first_index(); i < COUNT; i += index_step())
		to[i] = churn(unit(mixed(from[(size_t)i * 3])), rounds);
}

void clean_relay()
{
	constexpr size_t IN = 4 << 20;
	struct Slot {
		Pinned in{IN}, out{BYTES};
		Device device_in{IN}, device_out{BYTES};
		Event uploaded, graded, downloaded;
	};
	Stream upload, compute, download;
	std::vector<std::unique_ptr<Slot>> slots;
	uint64_t sum = 0;

	for (int i = 0; i < 3; i++)
		slots.emplace_back(new Slot);
	for (int frame = 0; frame < 500 + 3; frame++) {
		Slot &slot = *slots[(size_t)frame % 3];

		if (frame >= 3) {
			CHECK(cudaEventSynchronize(slot.downloaded));
			sum = hash_of(slot.out.at(0), 4096, sum);
		}
		if (frame >= 500)
			continue;
		new_words(slot.in.at(0), IN, (unsigned)frame);
		CHECK(cudaMemcpyAsync(slot.device_in, slot.in, IN, cudaMemcpyHostToDevice, upload));
		CHECK(cudaEventRecord(slot.uploaded, upload));
		CHECK(cudaStreamWaitEvent(compute, slot.uploaded, 0));
		grade<<<wide(), 256, 0, compute>>>((const unsigned *)slot.device_in.at(0),
						   floats(slot.device_out), 700 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(slot.graded, compute));
		CHECK(cudaStreamWaitEvent(download, slot.graded, 0));
		CHECK(cudaMemcpyAsync(slot.out, slot.device_out, BYTES, cudaMemcpyDeviceToHost,
				      download));
		CHECK(cudaEventRecord(slot.downloaded, download));
	}
	printf("answer %016llx\n", (unsigned long long)sum);
}

// Four threads take jobs from a list that a lock guards, and each waits for its own results.
OF_WORDS(simulate)

void clean_jobs()
{
	constexpr int JOBS = 600;
	constexpr size_t SIZE = 256 << 10;
	std::mutex lock;
	std::vector<uint64_t> results(JOBS);
	std::vector<std::thread> threads;
	int next = 0;

	CHECK(cudaFree(nullptr));
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] {
			const cudaStream_t stream = cudaStreamPerThread;
			Pinned in(SIZE), out(SIZE);
			Device words(SIZE), data(SIZE);

			for (;;) {
				std::unique_lock<std::mutex> hold(lock);
				const int job = next++;

				hold.unlock();
				if (job >= JOBS)
					break;
				new_words(in.at(0), SIZE, (unsigned)job);
				CHECK(cudaMemcpyAsync(words, in, SIZE, cudaMemcpyHostToDevice,
						      stream));
				CHECK(cudaMemsetAsync(data, 0, SIZE, stream));
				simulate<<<wide() / 4, 256, 0, stream>>>(
					(const unsigned *)words.at(0), floats(data),
					(int)(SIZE / sizeof(float)), 500 * NARROW_US);
				CHECK(cudaGetLastError());
				CHECK(cudaMemcpyAsync(out, data, SIZE, cudaMemcpyDeviceToHost,
						      stream));
				CHECK(cudaStreamSynchronize(stream));
				results[(size_t)job] = hash_of(out.at(0), 4096);
			}
		});
	for (auto &thread : threads)
		thread.join();
	printf("answer %016llx\n",
	       (unsigned long long)hash_of(results.data(), JOBS * sizeof(results[0])));
}

// A solver that makes its sweeps in one cooperative kernel; the host looks at the residual after
// each hundred of them.
__global__ void sweeps(float *first, float *second, int count, float *residual)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	for (int sweep = 0; sweep < count; sweep++) {
		const float *from = sweep % 2 ? second : first;
		float *to = sweep % 2 ? first : second;

		for (int i = first_index(); i < COUNT; i += index_step())
			to[i] = churn(0.5f * from[i] + 0.25f * from[(i + 1) % COUNT] +
					      0.25f * from[(i + COUNT - 1) % COUNT],
				      30 * WIDE_US);
		grid.sync();
	}
	if (first_index() == 0)
		*residual = fabsf(first[0] - second[0]);
}

void clean_sweeps()
{
	Stream stream;
	Device first(BYTES), second(BYTES), residual(sizeof(float));
	Pinned seen(64);
	void *at[] = {first, second, residual};
	int count = 100, units, blocks;
	float sum = 0;
	void *arguments[] = {&at[0], &at[1], &count, &at[2]};

	CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sweeps, 256, 0));
	must(blocks > 0, "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
	seeded(floats(first), COUNT, 131);
	for (int part = 0; part < 120; part++) {
		CHECK(cudaLaunchCooperativeKernel((const void *)sweeps, (unsigned)(units * blocks),
						  256, arguments, 0, stream));
		CHECK(cudaMemcpyAsync(seen, residual, sizeof(float), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		sum += *(float *)seen.at(0);
		must(sum < 1e6f, "the solver");
	}
	answer(first, BYTES);
}

const Case cases[] = {
	CASE(flow_checked),   CASE(desk_pricer),   CASE(exposure_slider),   CASE(lidar_feed),
	CASE(ensemble_loss),  CASE(tile_join),	   CASE(frame_sums),	    CASE(speech_lock),
	CASE(climate_mirror), CASE(scan_service),  CASE(view_workers),	    CASE(shard_digest),
	CASE(clean_tokens),   CASE(clean_managed), CASE(clean_temporaries), CASE(clean_poses),
	CASE(clean_relay),    CASE(clean_jobs),	   CASE(clean_sweeps),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
