// SPDX-License-Identifier: MIT
// rounds CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <nvrtc.h>
#include <sched.h>
#include <sys/mman.h>
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
constexpr int PAGE = 4096;
// Rounds of churn() that take 1 us: with all threads of the device, and with few warps on each
// multiprocessor.
constexpr int WIDE_US = 110;
constexpr int NARROW_US = 440;
// One block for each multiprocessor, and a quarter of that.
constexpr int WHOLE = 132;
constexpr int QUARTER = 33;
// Steps of chew() that take the host about 1 ms.
constexpr long CHEW_MS = 800000;

void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

void driver(CUresult status, const char *call)
{
	if (status == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, (int)status);
	exit(1);
}

int attribute(cudaDeviceAttr which)
{
	int value;

	CHECK(cudaDeviceGetAttribute(&value, which, 0));
	return value;
}

// Blocks of 256 that fill the device once.
int wide()
{
	static const int blocks = attribute(cudaDevAttrMultiProcessorCount) * 8;
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

__host__ __device__ unsigned mixed(unsigned value)
{
	value = (value ^ (value >> 16)) * 0x7feb352dU;
	value = (value ^ (value >> 15)) * 0x846ca68bU;
	return value ^ (value >> 16);
}

__host__ __device__ float unit(unsigned value)
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
// Kernels that make floats of the first word of each page.
#define OF_PAGES(name)                                                                             \
	__global__ void name(const unsigned *words, int pages, float *data, int count, int rounds) \
	{                                                                                          \
		for (int i = first_index(); i < count; i += index_step())                          \
			data[i] =                                                                  \
				churn(unit(mixed(words[(size_t)(i % pages) << 10] + (unsigned)i)), \
				      rounds);                                                     \
	}

uint64_t hash_of(const void *bytes, size_t count, uint64_t hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

// Work of the host on `count` words (a power of two).
uint64_t chew(const unsigned *words, size_t count, long steps, uint64_t hash)
{
	for (long i = 0; i < steps; i++)
		hash = (hash ^ words[(size_t)i & (count - 1)]) * 0x100000001b3ULL;
	return hash;
}

void say(uint64_t hash)
{
	printf("answer %016llx\n", (unsigned long long)hash);
}

// The hash of what is on the device when all is done.
void answer(const void *data, size_t bytes)
{
	std::vector<char> seen(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(seen.data(), data, bytes, cudaMemcpyDeviceToHost));
	say(hash_of(seen.data(), bytes));
}

float *floats(void *at)
{
	return (float *)at;
}

const unsigned *words_of(void *at)
{
	return (const unsigned *)at;
}

// New data, one word in each page.
void new_pages(void *at, size_t bytes, unsigned round)
{
	for (size_t byte = 0; byte < bytes; byte += PAGE)
		*(unsigned *)((char *)at + byte) = mixed(round * 2654435761U + (unsigned)byte);
}

void upload(void *device, const void *host, size_t bytes, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
}

void download(void *host, const void *device, size_t bytes, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
}

// ocr_decode: pages are recognised on the device, and the host makes text of the scores. The host
// decodes a batch before it submits the next one.

OF_PAGES(recognise)

class Recogniser
{
	static constexpr size_t SCORES = 256 << 10;
	struct Slot {
		Device scan{BYTES}, scores{BYTES};
		Pinned pages{BYTES}, seen{SCORES};
		Event done;
	};
	Slot slots_[2];
	Stream stream_;

      public:
	void submit(int batch)
	{
		Slot &slot = slots_[batch % 2];

		new_pages(slot.pages, BYTES, (unsigned)batch);
		upload(slot.scan, slot.pages, BYTES, stream_);
		recognise<<<wide(), 256, 0, stream_>>>(words_of(slot.scan), (int)(BYTES / PAGE),
						       floats(slot.scores), COUNT, 6000 * WIDE_US);
		CHECK(cudaGetLastError());
		download(slot.seen, slot.scores, SCORES, stream_);
		CHECK(cudaEventRecord(slot.done, stream_));
	}
	uint64_t decode(int batch, uint64_t text)
	{
		Slot &slot = slots_[batch % 2];

		CHECK(cudaEventSynchronize(slot.done));
		return chew(words_of(slot.seen), SCORES / 4, 5 * CHEW_MS, text);
	}
};

void ocr_decode()
{
	constexpr int BATCHES = 70;
	Recogniser recogniser;
	uint64_t text = 1;

	if (repaired)
		recogniser.submit(0);
	for (int batch = 0; batch < BATCHES; batch++) {
		if (!repaired)
			recogniser.submit(batch);
		else if (batch + 1 < BATCHES)
			recogniser.submit(batch + 1);
		text = recogniser.decode(batch, text);
	}
	say(text);
}

// road_bfs: the distances from one side of a map of roads, level by level. The host reads the
// number of nodes of each level, for the grid of the next one. Repaired, kernels read it, and the
// host looks after some levels whether it is done.

constexpr int ROWS = 12288;
constexpr int COLUMNS = 12000;
constexpr int FRONT = 1 << 16;

__device__ bool road(int node)
{
	return mixed((unsigned)node) % 100 >= 15;
}

__global__ void depart(int *frontier, int *counts, int *distance)
{
	for (int i = first_index(); i < ROWS; i += index_step()) {
		frontier[i] = i;
		distance[i] = 0;
	}
	if (first_index() < 3)
		counts[first_index()] = first_index() ? 0 : ROWS;
}

__device__ void reach(int node, int level, int *counts, int *next, int *distance)
{
	if (!road(node) || distance[node] >= 0 || atomicCAS(&distance[node], -1, level + 1) != -1)
		return;
	const int at = atomicAdd(&counts[(level + 1) % 3], 1);
	if (at < FRONT)
		next[at] = node;
}

__global__ void expand(const int *frontier, int *counts, int *next, int *distance, int level,
		       int rounds)
{
	const int count = counts[level % 3];

	if (!first_index())
		counts[(level + 2) % 3] = 0;
	for (int i = first_index(); i < count; i += index_step()) {
		const int node = frontier[i], column = node / ROWS, row = node % ROWS;

		if (churn(unit(mixed((unsigned)node)), rounds) < -3) // no passing: never so here
			continue;
		if (row > 0)
			reach(node - 1, level, counts, next, distance);
		if (row < ROWS - 1)
			reach(node + 1, level, counts, next, distance);
		if (column > 0)
			reach(node - ROWS, level, counts, next, distance);
		if (column < COLUMNS - 1)
			reach(node + ROWS, level, counts, next, distance);
	}
}

void road_bfs()
{
	const size_t nodes = (size_t)ROWS * COLUMNS;
	const int look = repaired ? 64 : 1;
	Device distance(nodes * 4), counts(3 * 4), even(FRONT * 4), odd(FRONT * 4);
	Pinned seen(PAGE);
	Stream stream;
	int count = ROWS;

	CHECK(cudaMemsetAsync(distance, 0xff, nodes * 4, stream));
	depart<<<48, 256, 0, stream>>>((int *)(void *)even, (int *)(void *)counts,
				       (int *)(void *)distance);
	for (int level = 0; count > 0; level++) {
		int *from = (int *)(void *)(level % 2 ? odd : even);
		int *into = (int *)(void *)(level % 2 ? even : odd);

		expand<<<repaired ? 264 : (count + 63) / 64, 64, 0, stream>>>(
			from, (int *)(void *)counts, into, (int *)(void *)distance, level,
			8 * NARROW_US);
		CHECK(cudaGetLastError());
		if ((level + 1) % look)
			continue;
		download(seen, counts.at((size_t)(level + 1) % 3 * 4), 4, stream);
		CHECK(cudaStreamSynchronize(stream));
		count = *(int *)(void *)seen;
		must(count <= FRONT && level < 2 * COLUMNS, "road_bfs");
	}
	answer(distance.at((size_t)ROWS * (COLUMNS - 30) * 4), 1 << 20);
}

// thumbnail_workers: threads that shrink photos. The photos are in memory of std::vector, which
// has to go through the driver's buffers.

OF_PAGES(shrink)

constexpr size_t PHOTO = 8 << 20;
constexpr size_t THUMB = WHOLE * 256 * 4;

struct Photo {
	std::vector<char> plain;
	std::unique_ptr<Pinned> pinned;
	Pinned thumb{THUMB};
	Device photo{PHOTO}, small{THUMB};
	Event done;

	Photo()
	{
		if (repaired)
			pinned = std::make_unique<Pinned>(PHOTO);
		else
			plain.resize(PHOTO);
	}
	char *at()
	{
		return repaired ? pinned->at(0) : plain.data();
	}
};

void thumbnail_workers()
{
	constexpr int WORKERS = 4, PHOTOS = 200;
	uint64_t hashes[WORKERS];
	std::vector<std::thread> workers;

	for (int worker = 0; worker < WORKERS; worker++)
		workers.emplace_back([worker, &hashes] {
			Stream stream;
			Photo photos[2];
			uint64_t hash = 1;

			for (int i = 0; i < PHOTOS + 2; i++) {
				Photo &photo = photos[i % 2];

				if (i >= 2) {
					CHECK(cudaEventSynchronize(photo.done));
					hash = chew(words_of(photo.thumb), 1024, 4096, hash);
				}
				if (i >= PHOTOS)
					continue;
				new_pages(photo.at(), PHOTO, (unsigned)(i * WORKERS + worker));
				upload(photo.photo, photo.at(), PHOTO, stream);
				shrink<<<WHOLE, 256, 0, stream>>>(
					words_of(photo.photo), (int)(PHOTO / PAGE),
					floats(photo.small), WHOLE * 256, 60 * NARROW_US);
				CHECK(cudaGetLastError());
				download(photo.thumb, photo.small, THUMB, stream);
				CHECK(cudaEventRecord(photo.done, stream));
			}
			hashes[worker] = hash;
		});
	for (auto &worker : workers)
		worker.join();
	say(hash_of(hashes, sizeof(hashes)));
}

// request_staging: a service with two requests in flight. The object of a request has pinned
// memory of its own. Repaired, these are kept for later requests.

OF_PAGES(respond)

struct Staging {
	static constexpr size_t IN = 16 << 20, OUT = 256 << 10;
	Pinned in{IN}, out{OUT};
};

class Shelf
{
	std::vector<std::unique_ptr<Staging>> kept_;

      public:
	std::unique_ptr<Staging> take()
	{
		if (kept_.empty())
			return std::make_unique<Staging>();
		auto one = std::move(kept_.back());
		kept_.pop_back();
		return one;
	}
	void give(std::unique_ptr<Staging> one)
	{
		if (repaired)
			kept_.push_back(std::move(one));
	}
};

void request_staging()
{
	constexpr int REQUESTS = 120;
	struct Lane {
		Device in{Staging::IN}, out{BYTES};
		Event done;
		Stream stream;
	} lanes[2];
	std::deque<std::pair<int, std::unique_ptr<Staging>>> pending;
	Shelf shelf;
	uint64_t hash = 1;

	for (int request = 0; request < REQUESTS || !pending.empty(); request++) {
		if (request < REQUESTS) {
			Lane &lane = lanes[request % 2];
			auto staging = shelf.take();

			new_pages(staging->in, Staging::IN, (unsigned)request);
			upload(lane.in, staging->in, Staging::IN, lane.stream);
			respond<<<wide(), 256, 0, lane.stream>>>(
				words_of(lane.in), (int)(Staging::IN / PAGE), floats(lane.out),
				COUNT, 400 * WIDE_US);
			CHECK(cudaGetLastError());
			download(staging->out, lane.out, Staging::OUT, lane.stream);
			CHECK(cudaEventRecord(lane.done, lane.stream));
			pending.emplace_back(request, std::move(staging));
			if (pending.size() < 2)
				continue;
		}
		auto first = std::move(pending.front());
		pending.pop_front();
		CHECK(cudaEventSynchronize(lanes[first.first % 2].done));
		hash = chew(words_of(first.second->out), 1024, 4096, hash);
		shelf.give(std::move(first.second));
	}
	say(hash);
}

// stencil_jobs: a batch of jobs, each with a solver for its radius that NVRTC compiles in its
// constructor. Repaired, solvers of the same radius share what was compiled.

class Nvrtc
{
	void *library_ = nullptr;

	template <class Function> void find(Function &function, const char *name)
	{
		function = (Function)dlsym(library_, name);
		must(function, name);
	}

      public:
	decltype(&nvrtcCreateProgram) create;
	decltype(&nvrtcCompileProgram) compile;
	decltype(&nvrtcGetCUBINSize) size;
	decltype(&nvrtcGetCUBIN) binary;
	decltype(&nvrtcDestroyProgram) destroy;

	Nvrtc()
	{
		for (const char *name :
		     {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
		      "/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so.13",
		      "/usr/local/cuda/lib64/libnvrtc.so.12"})
			if (!library_)
				library_ = dlopen(name, RTLD_NOW);
		must(library_, "dlopen of libnvrtc.so");
		find(create, "nvrtcCreateProgram");
		find(compile, "nvrtcCompileProgram");
		find(size, "nvrtcGetCUBINSize");
		find(binary, "nvrtcGetCUBIN");
		find(destroy, "nvrtcDestroyProgram");
	}
};

const char *const STENCIL = R"(
extern "C" __global__ void stencil(const float *from, float *into, int count, int rounds)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0, weight = 0;

	if (i >= count)
		return;
#pragma unroll
	for (int offset = -RADIUS; offset <= RADIUS; offset++) {
		const int at = min(max(i + offset, 0), count - 1);
		const float share = 1.0f / (1 + offset * offset);
		float term = from[at];
#pragma unroll
		for (int order = 0; order < 3 + RADIUS; order++)
			term = fmaf(-term, term, 1.7f);
		sum = fmaf(share, term, sum);
		weight += share;
	}
	sum /= weight;
	for (int round = 0; round < rounds; round++)
		sum = fmaf(-sum, sum, 1.7f);
	into[i] = sum;
}
)";

class Solver
{
	CUmodule module_;
	CUfunction function_;

      public:
	Solver(int radius)
	{
		static const Nvrtc nvrtc;
		const std::string define = "-DRADIUS=" + std::to_string(radius);
		const std::string target =
			"--gpu-architecture=sm_" +
			std::to_string(attribute(cudaDevAttrComputeCapabilityMajor) * 10 +
				       attribute(cudaDevAttrComputeCapabilityMinor));
		const char *const words[] = {define.c_str(), target.c_str()};
		nvrtcProgram program;
		size_t size;

		must(nvrtc.create(&program, STENCIL, "stencil.cu", 0, nullptr, nullptr) ==
			     NVRTC_SUCCESS,
		     "nvrtcCreateProgram");
		must(nvrtc.compile(program, 2, words) == NVRTC_SUCCESS, "nvrtcCompileProgram");
		must(nvrtc.size(program, &size) == NVRTC_SUCCESS, "nvrtcGetCUBINSize");
		std::vector<char> binary(size);
		must(nvrtc.binary(program, binary.data()) == NVRTC_SUCCESS, "nvrtcGetCUBIN");
		must(nvrtc.destroy(&program) == NVRTC_SUCCESS, "nvrtcDestroyProgram");
		driver(cuModuleLoadData(&module_, binary.data()), "cuModuleLoadData");
		driver(cuModuleGetFunction(&function_, module_, "stencil"), "cuModuleGetFunction");
	}
	Solver(const Solver &) = delete;
	~Solver()
	{
		driver(cuModuleUnload(module_), "cuModuleUnload");
	}
	void step(void *from, void *into, int rounds, cudaStream_t stream)
	{
		int count = COUNT;
		void *arguments[] = {&from, &into, &count, &rounds};

		driver(cuLaunchKernel(function_, (unsigned)wide(), 1, 1, 256, 1, 1, 0,
				      (CUstream)stream, arguments, nullptr),
		       "cuLaunchKernel");
	}
};

void stencil_jobs()
{
	constexpr int JOBS = 10, STEPS = 20;
	Device even(BYTES), odd(BYTES);
	std::map<int, std::shared_ptr<Solver>> known;
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(even), COUNT, 3);
	for (int job = 0; job < JOBS; job++) {
		const int radius = 2 + job % 2;
		std::shared_ptr<Solver> solver = known[radius];

		if (!solver)
			solver = std::make_shared<Solver>(radius);
		if (repaired)
			known[radius] = solver;
		for (int i = 0; i < STEPS; i++)
			solver->step(i % 2 ? odd : even, i % 2 ? even : odd, 600 * WIDE_US, stream);
		CHECK(cudaStreamSynchronize(stream)); // the job's end
	}
	answer(even, BYTES);
}

// ensemble: the members of a forecast, each a chain of small kernels. All are in one stream.

ELEMENTWISE(advance_member)

void ensemble()
{
	constexpr int MEMBERS = 8, STEPS = 500, BLOCKS = 16, POINTS = BLOCKS * 256;
	Device state((size_t)MEMBERS * POINTS * 4);
	std::vector<std::unique_ptr<Stream>> streams;

	for (int i = 0; i < (repaired ? MEMBERS : 1); i++)
		streams.push_back(std::make_unique<Stream>());
	seed<<<MEMBERS * BLOCKS, 256>>>(floats(state), MEMBERS * POINTS, 5);
	CHECK(cudaDeviceSynchronize());
	for (int step = 0; step < STEPS; step++)
		for (int member = 0; member < MEMBERS; member++) {
			advance_member<<<BLOCKS, 256, 0,
					 *streams[(size_t)member % streams.size()]>>>(
				floats(state) + member * POINTS, POINTS, 120 * NARROW_US);
			CHECK(cudaGetLastError());
		}
	answer(state, (size_t)MEMBERS * POINTS * 4);
}

// stereo: two threads, each with the stream of one camera. The helper that makes the table of a
// frame has no stream as an argument, and works in the default one.

__global__ void rectify_table(float *table, int count, int frame, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		table[i] = churn(unit(mixed((unsigned)(i + frame * count))), rounds);
}

__global__ void match_rows(const float *table, float *image, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		image[i] = churn(0.5f * image[i] + 0.5f * table[i], rounds);
}

void make_table(void *table, int frame, cudaStream_t stream = nullptr)
{
	rectify_table<<<WHOLE, 256, 0, stream>>>(floats(table), WHOLE * 256, frame, 10 * NARROW_US);
	CHECK(cudaGetLastError());
}

void stereo()
{
	constexpr int FRAMES = 900, PIXELS = WHOLE * 256;
	Device images(2 * PIXELS * 4);
	std::thread cameras[2];

	seed<<<2 * WHOLE, 256>>>(floats(images), 2 * PIXELS, 7);
	CHECK(cudaDeviceSynchronize());
	for (int side = 0; side < 2; side++)
		cameras[side] = std::thread([side, &images] {
			cudaStream_t stream;
			Device table(PIXELS * 4);
			Event done[4];
			float *image = floats(images) + side * PIXELS;

			CHECK(cudaStreamCreate(&stream));
			for (int frame = 0; frame < FRAMES; frame++) {
				if (frame >= 4) // no more than four frames ahead
					CHECK(cudaEventSynchronize(done[frame % 4]));
				if (repaired)
					make_table(table, 2 * frame + side, stream);
				else
					make_table(table, 2 * frame + side);
				for (int level = 0; level < 3; level++)
					match_rows<<<WHOLE, 256, 0, stream>>>(
						floats(table), image, PIXELS, 100 * NARROW_US);
				CHECK(cudaGetLastError());
				CHECK(cudaEventRecord(done[frame % 4], stream));
			}
			CHECK(cudaStreamSynchronize(stream));
			CHECK(cudaStreamDestroy(stream));
		});
	for (auto &camera : cameras)
		camera.join();
	answer(images, 2 * PIXELS * 4);
}

// tile_tasks: a scheduler of tasks that waits for what touched the same data before. It knows
// allocations only, and all tiles are in one. Repaired, it knows tiles.

constexpr int TILE = QUARTER * 256;

__global__ void relax_tile(const float *from, float *into, int tile, int tiles, int rounds)
{
	const int i = first_index();
	const float left = from[(tile + tiles - 1) % tiles * TILE + i];
	const float right = from[(tile + 1) % tiles * TILE + i];

	into[tile * TILE + i] =
		churn(0.25f * left + 0.25f * right + 0.5f * from[tile * TILE + i], rounds);
}

class Scheduler
{
	std::map<int, cudaEvent_t> last_; // that touched the data

      public:
	void begin(cudaStream_t stream, std::initializer_list<int> data)
	{
		for (int one : data) {
			const auto found = last_.find(repaired ? one : 0);
			if (found != last_.end())
				CHECK(cudaStreamWaitEvent(stream, found->second, 0));
			if (!repaired)
				break;
		}
	}
	void end(cudaStream_t stream, int data, cudaEvent_t event)
	{
		CHECK(cudaEventRecord(event, stream));
		last_[repaired ? data : 0] = event;
	}
};

void tile_tasks()
{
	constexpr int TILES = 8, STEPS = 500;
	Device fields[2] = {TILES * TILE * sizeof(float), TILES * TILE * sizeof(float)};
	std::vector<std::unique_ptr<Stream>> streams;
	Event events[2][TILES];
	Scheduler schedulers[2]; // of even and of odd steps: what the step before did

	for (int i = 0; i < TILES; i++)
		streams.push_back(std::make_unique<Stream>());
	seed<<<TILES * QUARTER, 256>>>(floats(fields[0]), TILES * TILE, 11);
	CHECK(cudaDeviceSynchronize());
	for (int step = 0; step < STEPS; step++)
		for (int tile = 0; tile < TILES; tile++) {
			cudaStream_t stream = *streams[(size_t)tile];
			Scheduler &before = schedulers[repaired ? step % 2 : 0];
			Scheduler &now = schedulers[repaired ? 1 - step % 2 : 0];

			before.begin(stream,
				     {(tile + TILES - 1) % TILES, tile, (tile + 1) % TILES});
			relax_tile<<<QUARTER, 256, 0, stream>>>(floats(fields[step % 2]),
								floats(fields[1 - step % 2]), tile,
								TILES, 120 * NARROW_US);
			CHECK(cudaGetLastError());
			now.end(stream, tile, events[step % 2][tile]);
		}
	answer(fields[STEPS % 2], TILES * TILE * sizeof(float));
}

// mixer_spin: a service on four CPUs with threads that render on the device and threads that
// encode. The waits for the device are asked to spin, for latency.

ELEMENTWISE(render)

void on_four_cpus()
{
	cpu_set_t all, some;
	int count = 0;

	CPU_ZERO(&some);
	must(!sched_getaffinity(0, sizeof(all), &all), "sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE && count < 4; cpu++)
		if (CPU_ISSET(cpu, &all)) {
			CPU_SET(cpu, &some);
			count++;
		}
	must(!sched_setaffinity(0, sizeof(some), &some), "sched_setaffinity");
}

void mixer_spin()
{
	constexpr int RENDERERS = 4, ENCODERS = 4, FRAMES = 90, PACKETS = 900, SIZE = QUARTER * 256;
	uint64_t hashes[ENCODERS];
	std::vector<std::thread> renderers, encoders;

	on_four_cpus();
	CHECK(cudaSetDeviceFlags(repaired ? cudaDeviceScheduleBlockingSync
					  : cudaDeviceScheduleSpin));
	Device images((size_t)RENDERERS * SIZE * 4);
	seed<<<RENDERERS * QUARTER, 256>>>(floats(images), RENDERERS * SIZE, 13);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < RENDERERS; i++)
		renderers.emplace_back([i, &images] {
			Stream stream;

			for (int frame = 0; frame < FRAMES; frame++) {
				render<<<QUARTER, 256, 0, stream>>>(floats(images) + i * SIZE, SIZE,
								    5000 * NARROW_US);
				CHECK(cudaGetLastError());
				CHECK(cudaStreamSynchronize(stream));
			}
		});
	for (int i = 0; i < ENCODERS; i++)
		encoders.emplace_back([i, &hashes] {
			std::vector<unsigned> samples(4096, (unsigned)i);
			uint64_t hash = 1;

			for (int packet = 0; packet < PACKETS; packet++) {
				hash = chew(samples.data(), 4096, CHEW_MS / 2, hash);
				host_sleep(20); // the packet is written
			}
			hashes[i] = hash;
		});
	for (auto &renderer : renderers)
		renderer.join();
	answer(images, (size_t)RENDERERS * SIZE * 4);
	for (auto &encoder : encoders)
		encoder.join();
	say(hash_of(hashes, sizeof(hashes)));
}

// plugin_context: a tracker, and a plugin that denoises by the driver's API in a thread. The
// plugin makes a context of its own: the device works for one of them at a time.

ELEMENTWISE(track)

const char *const DENOISE = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry denoise(.param .u64 data, .param .u32 count, .param .u32 rounds)
{
	.reg .pred %p<3>;
	.reg .f32 %f<5>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [data];
	ld.param.u32 %r1, [count];
	ld.param.u32 %r2, [rounds];
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %tid.x;
	mad.lo.s32 %r6, %r3, %r4, %r5;
	setp.ge.s32 %p1, %r6, %r1;
	@%p1 bra DONE;
	cvta.to.global.u64 %rd2, %rd1;
	mul.wide.s32 %rd3, %r6, 4;
	add.s64 %rd4, %rd2, %rd3;
	ld.global.f32 %f1, [%rd4];
	mov.f32 %f2, 0f3FD9999A;
NEXT:
	neg.f32 %f3, %f1;
	fma.rn.f32 %f1, %f3, %f1, %f2;
	neg.f32 %f3, %f1;
	fma.rn.f32 %f1, %f3, %f1, %f2;
	neg.f32 %f3, %f1;
	fma.rn.f32 %f1, %f3, %f1, %f2;
	neg.f32 %f3, %f1;
	fma.rn.f32 %f1, %f3, %f1, %f2;
	add.s32 %r2, %r2, -4;
	setp.gt.s32 %p2, %r2, 0;
	@%p2 bra NEXT;
	st.global.f32 [%rd4], %f1;
DONE:
	ret;
}
)";

class Plugin
{
	CUdevice device_;
	CUcontext context_;
	CUmodule module_;
	CUfunction function_;
	CUstream stream_;
	CUdeviceptr data_;

      public:
	static constexpr int SIZE = WHOLE * 256;

	Plugin()
	{
		driver(cuInit(0), "cuInit");
		driver(cuDeviceGet(&device_, 0), "cuDeviceGet");
		if (repaired)
			driver(cuDevicePrimaryCtxRetain(&context_, device_),
			       "cuDevicePrimaryCtxRetain");
		else
#if CUDA_VERSION >= 13000
			driver(cuCtxCreate(&context_, nullptr, 0, device_), "cuCtxCreate");
#else
			driver(cuCtxCreate(&context_, 0, device_), "cuCtxCreate");
#endif
		driver(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
		driver(cuModuleLoadData(&module_, DENOISE), "cuModuleLoadData");
		driver(cuModuleGetFunction(&function_, module_, "denoise"), "cuModuleGetFunction");
		driver(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
		driver(cuMemAlloc(&data_, SIZE * 4), "cuMemAlloc");
		driver(cuMemsetD32Async(data_, 0x3f000000, SIZE, stream_), "cuMemsetD32Async");
	}
	Plugin(const Plugin &) = delete;
	~Plugin()
	{
		driver(cuMemFree(data_), "cuMemFree");
		driver(cuStreamDestroy(stream_), "cuStreamDestroy");
		driver(cuModuleUnload(module_), "cuModuleUnload");
		driver(repaired ? cuDevicePrimaryCtxRelease(device_) : cuCtxDestroy(context_),
		       "release of the context");
	}
	void denoise(int rounds)
	{
		int count = SIZE;
		void *arguments[] = {&data_, &count, &rounds};

		driver(cuLaunchKernel(function_, WHOLE, 1, 1, 256, 1, 1, 0, stream_, arguments,
				      nullptr),
		       "cuLaunchKernel");
	}
	uint64_t hash()
	{
		std::vector<char> seen(SIZE * 4);

		driver(cuStreamSynchronize(stream_), "cuStreamSynchronize");
		driver(cuMemcpyDtoH(seen.data(), data_, seen.size()), "cuMemcpyDtoH");
		return hash_of(seen.data(), seen.size());
	}
};

void plugin_context()
{
	constexpr int STEPS = 400, SIZE = Plugin::SIZE;
	Device targets(SIZE * 4);
	Stream stream;

	seed<<<WHOLE, 256, 0, stream>>>(floats(targets), SIZE, 17);
	CHECK(cudaStreamSynchronize(stream));
	std::thread plugin([] {
		Plugin one;

		for (int step = 0; step < STEPS; step++)
			one.denoise(1000 * NARROW_US);
		say(one.hash());
	});
	for (int step = 0; step < STEPS; step++) {
		track<<<WHOLE, 256, 0, stream>>>(floats(targets), SIZE, 1000 * NARROW_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	plugin.join();
	answer(targets, SIZE * 4);
}

// inlet_fix: a flow whose inlet is set by a routine of the host, from before the solver was
// ported: the whole field goes there and back in each step. Repaired, a kernel sets the inlet.

ELEMENTWISE(advect)

__global__ void set_inlet(float *field, int count, int step)
{
	for (int i = first_index(); i < count; i += index_step())
		field[i] = unit(mixed((unsigned)(step * count + i)));
}

void inlet_fix()
{
	constexpr int SIDE = 2048, CELLS = SIDE * SIDE, STEPS = 400;
	constexpr size_t SIZE = CELLS * sizeof(float);
	Device field(SIZE);
	std::unique_ptr<Pinned> host;
	Stream stream;

	if (!repaired)
		host = std::make_unique<Pinned>(SIZE);
	seed<<<wide(), 256, 0, stream>>>(floats(field), CELLS, 19);
	for (int step = 0; step < STEPS; step++) {
		if (repaired)
			set_inlet<<<SIDE / 256, 256, 0, stream>>>(floats(field), SIDE, step);
		else {
			download(*host, field, SIZE, stream);
			CHECK(cudaStreamSynchronize(stream));
			for (int i = 0; i < SIDE; i++)
				floats(*host)[i] = unit(mixed((unsigned)(step * SIDE + i)));
			upload(field, *host, SIZE, stream);
		}
		advect<<<wide(), 256, 0, stream>>>(floats(field), CELLS, 3500);
		CHECK(cudaGetLastError());
	}
	answer(field, 1 << 20);
}

// probe_log: waves in a volume, of which the log needs some points after each step. The volume is
// read. Repaired, the points are gathered and read. The host logs a step behind.

ELEMENTWISE(wave)

__global__ void gather_probes(const float *volume, float *probes, int stride)
{
	probes[threadIdx.x] = volume[(size_t)threadIdx.x * (size_t)stride];
}

void probe_log()
{
	constexpr int CELLS = 6 << 20, PROBES = 64, STRIDE = CELLS / PROBES, STEPS = 450;
	constexpr size_t SIZE = CELLS * sizeof(float);
	Device volume(SIZE), probes(PROBES * 4);
	auto host = several<Pinned>(2, repaired ? PAGE : SIZE);
	Event done[2];
	Stream stream;
	uint64_t log = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(volume), CELLS, 23);
	for (int step = 0; step <= STEPS; step++) {
		const int now = step % 2;

		if (step < STEPS) {
			wave<<<wide(), 256, 0, stream>>>(floats(volume), CELLS, 1900);
			CHECK(cudaGetLastError());
			if (repaired) {
				gather_probes<<<1, PROBES, 0, stream>>>(floats(volume),
									floats(probes), STRIDE);
				CHECK(cudaGetLastError());
				download(host[now], probes, PROBES * 4, stream);
			} else
				download(host[now], volume, SIZE, stream);
			CHECK(cudaEventRecord(done[now], stream));
		}
		if (step == 0)
			continue;
		CHECK(cudaEventSynchronize(done[1 - now]));
		for (int i = 0; i < PROBES; i++)
			log = hash_of(floats(host[1 - now]) + (repaired ? i : i * STRIDE), 4, log);
	}
	say(log);
}

// frame_checks: frames are made and written with a sum over each. A host function in the stream
// does that, and the next frame waits for it. Repaired, it only tells a thread that the frame is
// there.

ELEMENTWISE(tone_map)

class Writer
{
	static constexpr int RING = 4;
	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<int> ready_;
	int written_ = 0;
	uint64_t sum_ = 1;
	std::thread thread_;

	void write(int frame)
	{
		sum_ = chew(words_of(out[frame % RING]), 1 << 16, 5 * CHEW_MS / 4, sum_);
		const std::lock_guard<std::mutex> lock(mutex_);
		written_++;
		changed_.notify_all();
	}

      public:
	std::vector<Pinned> out = several<Pinned>(RING, 256 << 10);

	struct Note {
		Writer *writer;
		int frame;
	};
	std::vector<Note> notes;

	Writer(int frames)
	{
		for (int frame = 0; frame < frames; frame++)
			notes.push_back({this, frame});
		if (repaired)
			thread_ = std::thread([this, frames] {
				for (int frame = 0; frame < frames; frame++) {
					std::unique_lock<std::mutex> lock(mutex_);
					changed_.wait(lock, [this] { return !ready_.empty(); });
					ready_.pop_front();
					lock.unlock();
					write(frame);
				}
			});
	}
	static void CUDART_CB frame_ready(void *note)
	{
		const Note &one = *(Note *)note;

		if (!repaired) {
			one.writer->write(one.frame);
			return;
		}
		const std::lock_guard<std::mutex> lock(one.writer->mutex_);
		one.writer->ready_.push_back(one.frame);
		one.writer->changed_.notify_all();
	}
	// Until so many frames are written.
	void wait(int frames)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		changed_.wait(lock, [this, frames] { return written_ >= frames; });
	}
	void *space(int frame)
	{
		if (frame >= RING)
			wait(frame - RING + 1);
		return out[(size_t)frame % RING];
	}
	uint64_t end(int frames)
	{
		wait(frames);
		if (thread_.joinable())
			thread_.join();
		return sum_;
	}
};

void frame_checks()
{
	constexpr int FRAMES = 240;
	Device image(BYTES);
	Stream stream;
	Writer writer(FRAMES);

	seed<<<wide(), 256, 0, stream>>>(floats(image), COUNT, 29);
	for (int frame = 0; frame < FRAMES; frame++) {
		void *out = writer.space(frame);

		tone_map<<<wide(), 256, 0, stream>>>(floats(image), COUNT, 1800 * WIDE_US);
		CHECK(cudaGetLastError());
		download(out, image, 256 << 10, stream);
		CHECK(cudaLaunchHostFunc(stream, Writer::frame_ready,
					 &writer.notes[(size_t)frame]));
	}
	CHECK(cudaStreamSynchronize(stream));
	say(writer.end(FRAMES));
}

// norm_channels: the layers of a network are normalised by the sum of each channel. A block sums a
// whole channel, and there are 24. Repaired, more blocks share a channel.

__global__ void channel_sums(const float *image, unsigned long long *sums, int size, int rounds)
{
	const float *channel = image + (size_t)blockIdx.x * (size_t)size;
	long long sum = 0;

	for (int i = (int)(blockIdx.y * blockDim.x + threadIdx.x); i < size;
	     i += (int)(gridDim.y * blockDim.x))
		sum += (long long)(churn(channel[i], rounds) * 65536);
	for (int lanes = 16; lanes; lanes /= 2)
		sum += __shfl_down_sync(0xffffffffU, sum, (unsigned)lanes);
	if (threadIdx.x % 32 == 0)
		atomicAdd(&sums[blockIdx.x], (unsigned long long)sum);
}

__global__ void normalise(float *image, const unsigned long long *sums, int size)
{
	const float mean = (float)((double)(long long)sums[blockIdx.x] / 65536 / (double)size);
	float *channel = image + (size_t)blockIdx.x * (size_t)size;

	for (int i = (int)(blockIdx.y * blockDim.x + threadIdx.x); i < size;
	     i += (int)(gridDim.y * blockDim.x))
		channel[i] = churn(0.5f * channel[i] + 0.5f * mean, 4);
}

void norm_channels()
{
	constexpr int CHANNELS = 24, SIZE = 1 << 20, LAYERS = 350;
	Device image((size_t)CHANNELS * SIZE * 4), sums(CHANNELS * 8);
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(image), CHANNELS * SIZE, 31);
	for (int layer = 0; layer < LAYERS; layer++) {
		auto *sum = (unsigned long long *)(void *)sums;

		CHECK(cudaMemsetAsync(sums, 0, CHANNELS * 8, stream));
		channel_sums<<<dim3(CHANNELS, repaired ? 44 : 1), 1024, 0, stream>>>(
			floats(image), sum, SIZE, 200);
		CHECK(cudaGetLastError());
		normalise<<<dim3(CHANNELS, 44), 256, 0, stream>>>(floats(image), sum, SIZE);
		CHECK(cudaGetLastError());
	}
	answer(image, 1 << 20);
}

// snapshot_lock: training, and a thread that writes snapshots of the weights. It holds their lock
// while it writes. Repaired, it holds it while it copies them.

ELEMENTWISE(train_step)

void snapshot_lock()
{
	constexpr int STEPS = 100;
	constexpr size_t SIZE = 64 << 10;
	Device weights(BYTES);
	Pinned landing(SIZE);
	std::vector<char> published(SIZE);
	std::mutex mutex;
	bool over = false;
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(weights), COUNT, 37);
	CHECK(cudaStreamSynchronize(stream));
	std::thread writer([&] {
		FILE *file = fopen("/dev/null", "w");
		std::vector<char> copy(SIZE);
		const auto write = [file](const std::vector<char> &data) {
			must(fwrite(data.data(), 1, data.size(), file) == data.size(), "fwrite");
			fflush(file);
			host_sleep(6000); // the disk
		};

		must(file, "fopen");
		for (;;) {
			std::unique_lock<std::mutex> lock(mutex);
			if (over)
				break;
			if (repaired) {
				copy = published;
				lock.unlock();
				write(copy);
			} else {
				write(published);
				lock.unlock();
			}
			host_sleep(1000);
		}
		fclose(file);
	});
	for (int step = 0; step < STEPS; step++) {
		train_step<<<wide(), 256, 0, stream>>>(floats(weights), COUNT, 4000 * WIDE_US);
		CHECK(cudaGetLastError());
		download(landing, weights, SIZE, stream);
		CHECK(cudaStreamSynchronize(stream));
		const std::lock_guard<std::mutex> lock(mutex);
		memcpy(published.data(), landing, SIZE);
		over = step + 1 == STEPS;
	}
	writer.join();
	answer(weights, BYTES);
}

// budget_query: a chunk of text at a time is encoded, as large as the device's memory permits. The
// device is asked for its properties and free memory for each chunk. Repaired, once.

ELEMENTWISE(encode_chunk)

int chunk_size()
{
	cudaDeviceProp properties;
	size_t unused, total;

	CHECK(cudaGetDeviceProperties(&properties, 0));
	CHECK(cudaMemGetInfo(&unused, &total));
	const size_t budget = std::min(unused, properties.totalGlobalMem) / 64;
	return (int)std::min(budget / sizeof(float), (size_t)COUNT);
}

void budget_query()
{
	constexpr int CHUNKS = 1200;
	Device text(BYTES);
	Stream stream;
	int size = chunk_size();

	seed<<<wide(), 256, 0, stream>>>(floats(text), COUNT, 41);
	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		if (!repaired)
			size = chunk_size();
		encode_chunk<<<wide(), 256, 0, stream>>>(floats(text), size, 50 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	answer(text, BYTES);
}

// ragged_batch: the requests of a batch lie apart in pinned memory, and each is copied by itself.
// Repaired, they are packed and copied at once.

__global__ void embed(const unsigned *tokens, int requests, float *data, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		data[i] = churn(unit(mixed(tokens[i % requests * 512] + (unsigned)i)), rounds);
}

void ragged_batch()
{
	constexpr int REQUESTS = 256, BATCHES = 600;
	constexpr size_t SIZE = 2048, APART = 4096;
	Device embedded(BYTES);
	auto batches = several<Device>(2, REQUESTS * SIZE);
	auto arenas = several<Pinned>(2, REQUESTS * APART);
	auto packed = several<Pinned>(2, REQUESTS * SIZE);
	Event done[2];
	Stream stream;

	for (int batch = 0; batch < BATCHES; batch++) {
		const int slot = batch % 2;

		if (batch >= 2)
			CHECK(cudaEventSynchronize(done[slot]));
		new_pages(arenas[slot], REQUESTS * APART, (unsigned)batch);
		for (int request = 0; request < REQUESTS; request++) {
			const char *from = arenas[slot].at((size_t)request * APART);

			if (repaired)
				memcpy(packed[slot].at((size_t)request * SIZE), from, SIZE);
			else
				upload(batches[slot].at((size_t)request * SIZE), from, SIZE,
				       stream);
		}
		if (repaired)
			upload(batches[slot], packed[slot], REQUESTS * SIZE, stream);
		embed<<<wide(), 256, 0, stream>>>(words_of(batches[slot]), REQUESTS,
						  floats(embedded), COUNT, 200 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(done[slot], stream));
	}
	answer(embedded, BYTES);
}

// optimizer_params: an optimizer that updates each of many small tensors by three kernels.
// Repaired, one kernel updates all.

constexpr int PARAMS = 1024; // of a tensor
constexpr int TENSORS = 160;

__global__ void backward(const float *weights, float *gradients, int count, int step, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		gradients[i] =
			churn(0.5f * weights[i] + 0.5f * unit(mixed((unsigned)(i ^ step))), rounds);
}

__device__ float decayed(float weight)
{
	return __fmul_rn(weight, 0.999f);
}

__device__ float moved(float momentum, float gradient)
{
	return __fadd_rn(__fmul_rn(momentum, 0.9f), __fmul_rn(gradient, 0.1f));
}

__device__ float updated(float weight, float momentum)
{
	return __fadd_rn(weight, __fmul_rn(momentum, -0.01f));
}

__global__ void weight_decay(float *weights)
{
	weights[first_index()] = decayed(weights[first_index()]);
}

__global__ void momentum_update(float *momenta, const float *gradients)
{
	momenta[first_index()] = moved(momenta[first_index()], gradients[first_index()]);
}

__global__ void apply_update(float *weights, const float *momenta)
{
	weights[first_index()] = updated(weights[first_index()], momenta[first_index()]);
}

__global__ void update_all(float *weights, float *momenta, const float *gradients)
{
	const int i = first_index();

	momenta[i] = moved(momenta[i], gradients[i]);
	weights[i] = updated(decayed(weights[i]), momenta[i]);
}

void optimizer_params()
{
	constexpr int STEPS = 250, ALL = TENSORS * PARAMS;
	Device weights(ALL * 4), momenta(ALL * 4), gradients(ALL * 4);
	Stream stream;

	seed<<<ALL / 256, 256, 0, stream>>>(floats(weights), ALL, 43);
	CHECK(cudaMemsetAsync(momenta, 0, ALL * 4, stream));
	for (int step = 0; step < STEPS; step++) {
		backward<<<ALL / 256, 256, 0, stream>>>(floats(weights), floats(gradients), ALL,
							step, 35000);
		CHECK(cudaGetLastError());
		if (repaired) {
			update_all<<<ALL / 256, 256, 0, stream>>>(floats(weights), floats(momenta),
								  floats(gradients));
			CHECK(cudaGetLastError());
			continue;
		}
		for (int tensor = 0; tensor < TENSORS; tensor++) {
			float *weight = floats(weights) + tensor * PARAMS;
			float *momentum = floats(momenta) + tensor * PARAMS;
			const float *gradient = floats(gradients) + tensor * PARAMS;

			weight_decay<<<PARAMS / 256, 256, 0, stream>>>(weight);
			momentum_update<<<PARAMS / 256, 256, 0, stream>>>(momentum, gradient);
			apply_update<<<PARAMS / 256, 256, 0, stream>>>(weight, momentum);
			CHECK(cudaGetLastError());
		}
	}
	answer(weights, ALL * 4);
}

// big_tile: a contraction with a tile in shared memory, and another kernel where that fails. It
// asks for the shared memory of a multiprocessor, more than a block may have: it always fails.

constexpr int ROW = 1024;
constexpr int PER_THREAD = 8;

__device__ float tile_weight(int i, int rounds)
{
	return churn(unit(mixed((unsigned)i)), rounds);
}

__global__ void contract_tiled(float *data, int tile, int rounds)
{
	extern __shared__ float weights[];
	float *part = data + (size_t)blockIdx.x * ROW * PER_THREAD;

	for (int i = (int)threadIdx.x; i < min(tile, ROW); i += (int)blockDim.x)
		weights[i] = tile_weight(i, rounds);
	__syncthreads();
	for (int k = 0; k < PER_THREAD; k++) {
		const int i = k * ROW + (int)threadIdx.x;
		part[i] = churn(0.5f * part[i] + 0.5f * weights[(i * 7) % ROW], rounds);
	}
}

__global__ void contract_plain(float *data, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const float weight = tile_weight(i % (ROW * PER_THREAD) * 7 % ROW, rounds);
		data[i] = churn(0.5f * data[i] + 0.5f * weight, rounds);
	}
}

bool contract_fast(float *data, cudaStream_t stream)
{
	const int most = attribute(repaired ? cudaDevAttrMaxSharedMemoryPerBlockOptin
					    : cudaDevAttrMaxSharedMemoryPerMultiprocessor);

	if (cudaFuncSetAttribute(contract_tiled, cudaFuncAttributeMaxDynamicSharedMemorySize,
				 most) != cudaSuccess) {
		cudaGetLastError(); // there is another way
		return false;
	}
	contract_tiled<<<WHOLE, ROW, (size_t)most, stream>>>(data, most / 4, 5000);
	CHECK(cudaGetLastError());
	return true;
}

void big_tile()
{
	constexpr int CALLS = 1500, SIZE = WHOLE * ROW * PER_THREAD;
	Device data((size_t)SIZE * 4);
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(data), SIZE, 47);
	for (int call = 0; call < CALLS; call++)
		if (!contract_fast(floats(data), stream)) {
			contract_plain<<<wide(), 256, 0, stream>>>(floats(data), SIZE, 5000);
			CHECK(cudaGetLastError());
		}
	answer(data, 1 << 20);
}

// clean_newton: an iteration whose next step hangs on a residual that the host reads; a step on
// the device takes far longer than that.

ELEMENTWISE(newton_step)

__global__ void residual(const float *data, int count, unsigned long long *sum)
{
	unsigned long long part = 0;

	for (int i = first_index(); i < count; i += index_step())
		part += (unsigned long long)((data[i] + 2) * 1024);
	for (int lanes = 16; lanes; lanes /= 2)
		part += __shfl_down_sync(0xffffffffU, part, (unsigned)lanes);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, part);
}

void clean_newton()
{
	constexpr int STEPS = 200;
	Device data(BYTES), sum(8);
	Pinned seen(PAGE);
	Stream stream;
	uint64_t path = 1;
	int scale = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(data), COUNT, 53);
	for (int step = 0; step < STEPS; step++) {
		newton_step<<<wide(), 256, 0, stream>>>(floats(data), COUNT,
							(2500 + 100 * scale) * WIDE_US);
		CHECK(cudaMemsetAsync(sum, 0, 8, stream));
		residual<<<wide(), 256, 0, stream>>>(floats(data), COUNT,
						     (unsigned long long *)(void *)sum);
		CHECK(cudaGetLastError());
		download(seen, sum, 8, stream);
		CHECK(cudaStreamSynchronize(stream));
		path = hash_of(seen, 8, path);
		scale = 1 + (int)(path % 4);
	}
	say(path);
}

// clean_lanes: frames go up, through a kernel and down in three streams, with four buffers of each.

OF_PAGES(stabilise)

void clean_lanes()
{
	constexpr int FRAMES = 900, SLOTS = 4;
	constexpr size_t IN = 8 << 20, OUT = 1 << 20;
	auto raw = several<Pinned>(SLOTS, IN), shown = several<Pinned>(SLOTS, OUT);
	auto from = several<Device>(SLOTS, IN), into = several<Device>(SLOTS, BYTES);
	Event up[SLOTS], made[SLOTS], down[SLOTS];
	Stream uploads, kernels, downloads;
	uint64_t hash = 1;

	for (int frame = 0; frame < FRAMES + SLOTS; frame++) {
		const int slot = frame % SLOTS;

		if (frame >= SLOTS) {
			CHECK(cudaEventSynchronize(down[slot]));
			hash = chew(words_of(shown[slot]), 1024, 4096, hash);
		}
		if (frame >= FRAMES)
			continue;
		new_pages(raw[slot], IN, (unsigned)frame);
		upload(from[slot], raw[slot], IN, uploads);
		CHECK(cudaEventRecord(up[slot], uploads));
		CHECK(cudaStreamWaitEvent(kernels, up[slot], 0));
		stabilise<<<wide(), 256, 0, kernels>>>(words_of(from[slot]), (int)(IN / PAGE),
						       floats(into[slot]), COUNT, 450 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(made[slot], kernels));
		CHECK(cudaStreamWaitEvent(downloads, made[slot], 0));
		download(shown[slot], into[slot], OUT, downloads);
		CHECK(cudaEventRecord(down[slot], downloads));
	}
	say(hash);
}

// clean_pool_async: layers take their workspace from the device's pool, which keeps memory.

__global__ void layer(float *data, float *space, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		space[i] = churn(data[i], rounds);
		data[i] = 0.5f * data[i] + 0.5f * space[i];
	}
}

void clean_pool_async()
{
	constexpr int LAYERS = 2000;
	Device data(BYTES);
	cudaMemPool_t pool;
	uint64_t all = UINT64_MAX;
	Stream stream;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
	seed<<<wide(), 256, 0, stream>>>(floats(data), COUNT, 59);
	for (int i = 0; i < LAYERS; i++) {
		void *space;

		CHECK(cudaMallocAsync(&space, BYTES * (size_t)(1 + i % 4), stream));
		layer<<<wide(), 256, 0, stream>>>(floats(data), floats(space), COUNT,
						  200 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaFreeAsync(space, stream));
	}
	answer(data, BYTES);
}

// clean_graph_params: a graph is made once, and one kernel of it has a new argument each time.

__global__ void inject(float *data, int count, int step)
{
	for (int i = first_index(); i < count; i += index_step())
		data[i] = 0.5f * data[i] + 0.5f * unit(mixed((unsigned)(i + step * count)));
}

ELEMENTWISE(filter_step)

void clean_graph_params()
{
	constexpr int STEPS = 900, KERNELS = 20;
	Device data(BYTES);
	Stream stream;
	cudaGraph_t graph;
	cudaGraphExec_t instance;
	cudaGraphNode_t root;
	size_t roots = 1;
	float *at = floats(data);
	int count = COUNT, step = 0;
	void *arguments[] = {&at, &count, &step};
	cudaKernelNodeParams parameters;

	seed<<<wide(), 256, 0, stream>>>(at, COUNT, 61);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	inject<<<wide(), 256, 0, stream>>>(at, COUNT, step);
	for (int i = 1; i < KERNELS; i++)
		filter_step<<<wide(), 256, 0, stream>>>(at, COUNT, 25 * WIDE_US);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&instance, graph, 0));
	CHECK(cudaGraphGetRootNodes(graph, &root, &roots));
	CHECK(cudaGraphKernelNodeGetParams(root, &parameters));
	parameters.kernelParams = arguments;
	for (step = 0; step < STEPS; step++) {
		CHECK(cudaGraphExecKernelNodeSetParams(instance, root, &parameters));
		CHECK(cudaGraphLaunch(instance, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(instance));
	CHECK(cudaGraphDestroy(graph));
	answer(data, BYTES);
}

// clean_progress: a thread works, and another looks now and then how far the device is.

ELEMENTWISE(ray_pass)

void clean_progress()
{
	constexpr int PASSES = 120, EACH = 10;
	Device image(BYTES);
	std::unique_ptr<Event[]> passed(new Event[PASSES]);
	std::mutex mutex;
	std::condition_variable changed;
	int submitted = 0;
	bool over = false;
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(image), COUNT, 67);
	std::thread display([&] {
		int shown = 0;
		std::unique_lock<std::mutex> lock(mutex);

		while (!changed.wait_for(lock, std::chrono::milliseconds(40),
					 [&] { return over; })) {
			while (shown < submitted) {
				const cudaError_t state = cudaEventQuery(passed[(size_t)shown]);

				if (state == cudaErrorNotReady)
					break;
				CHECK(state);
				shown += EACH;
			}
			fprintf(stderr, "%d of %d\n", shown, PASSES);
		}
	});
	for (int pass = 0; pass < PASSES; pass++) {
		ray_pass<<<wide(), 256, 0, stream>>>(floats(image), COUNT, 4000 * WIDE_US);
		CHECK(cudaGetLastError());
		if (pass % EACH)
			continue;
		CHECK(cudaEventRecord(passed[(size_t)pass], stream));
		const std::lock_guard<std::mutex> lock(mutex);
		submitted = pass + 1;
	}
	CHECK(cudaStreamSynchronize(stream));
	{
		const std::lock_guard<std::mutex> lock(mutex);
		over = true;
		changed.notify_all();
	}
	display.join();
	answer(image, BYTES);
}

// clean_feeder: two processes make batches in shared memory, some ahead of the device.

OF_PAGES(learn)

constexpr int FED = 180;
constexpr int SHARED_SLOTS = 4;

struct Feeder {
	int ready[2], space[2];
	pid_t process;
};

void feed(const Feeder &feeder, char *slots, int first)
{
	std::vector<unsigned> text(4096, 71);

	for (int batch = first, i = 0; batch < FED; batch += 2, i++) {
		char *slot = slots + (size_t)(i % SHARED_SLOTS) * BYTES;
		char token = 1;

		if (i >= SHARED_SLOTS && read(feeder.space[0], &token, 1) != 1)
			_exit(1);
		new_pages(slot, BYTES,
			  (unsigned)chew(text.data(), 4096, 2 * CHEW_MS, (uint64_t)batch + 1));
		if (write(feeder.ready[1], &token, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

void clean_feeder()
{
	constexpr size_t RING = SHARED_SLOTS * BYTES;
	char *shared = (char *)mmap(nullptr, 2 * RING, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	Feeder feeders[2];

	must(shared != MAP_FAILED, "mmap");
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		must(!pipe(feeders[i].ready) && !pipe(feeders[i].space), "pipe");
		feeders[i].process = fork();
		must(feeders[i].process >= 0, "fork");
		if (!feeders[i].process) {
			close(feeders[i].ready[0]);
			close(feeders[i].space[1]);
			feed(feeders[i], shared + (size_t)i * RING, i);
		}
		close(feeders[i].ready[1]);
		close(feeders[i].space[0]);
	}
	{
		auto staging = several<Pinned>(2, BYTES);
		auto batches = several<Device>(2, BYTES);
		Device weights(BYTES);
		Event done[2];
		Stream stream;
		uint64_t hash = 1;
		std::vector<char> seen(PAGE);

		for (int batch = 0; batch < FED; batch++) {
			const int slot = batch % 2;
			const Feeder &feeder = feeders[slot];
			char token;

			if (batch >= 2)
				CHECK(cudaEventSynchronize(done[slot]));
			must(read(feeder.ready[0], &token, 1) == 1, "read of a batch");
			memcpy(staging[slot],
			       shared + (size_t)slot * RING +
				       (size_t)(batch / 2 % SHARED_SLOTS) * BYTES,
			       BYTES);
			if (batch + 2 * SHARED_SLOTS < FED) // the feeder waits for it
				must(write(feeder.space[1], &token, 1) == 1, "write of a token");
			upload(batches[slot], staging[slot], BYTES, stream);
			learn<<<wide(), 256, 0, stream>>>(words_of(batches[slot]),
							  (int)(BYTES / PAGE), floats(weights),
							  COUNT, 3000 * WIDE_US);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(done[slot], stream));
		}
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemcpy(seen.data(), weights, seen.size(), cudaMemcpyDeviceToHost));
		say(hash_of(seen.data(), seen.size(), hash));
	}
	for (auto &feeder : feeders) {
		int status;

		must(waitpid(feeder.process, &status, 0) == feeder.process && !status, "a feeder");
		close(feeder.ready[0]);
		close(feeder.space[1]);
	}
	munmap(shared, 2 * RING);
}

// clean_priority: training in the background, and requests that come now and then and go first.

ELEMENTWISE(background_step)
ELEMENTWISE(serve)

void clean_priority()
{
	constexpr int STEPS = 200, REQUESTS = 200, SIZE = WHOLE * 256;
	Device weights(SIZE * 4), reply(SIZE * 4);
	cudaStream_t low, high;
	int least, greatest;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
	CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
	seed<<<WHOLE, 256, 0, low>>>(floats(weights), SIZE, 73);
	seed<<<WHOLE, 256, 0, high>>>(floats(reply), SIZE, 79);
	CHECK(cudaDeviceSynchronize());
	std::thread service([&] {
		for (int request = 0; request < REQUESTS; request++) {
			host_sleep(1000); // the next request
			serve<<<WHOLE, 256, 0, high>>>(floats(reply), SIZE, 200 * NARROW_US);
			CHECK(cudaGetLastError());
			CHECK(cudaStreamSynchronize(high));
		}
	});
	for (int step = 0; step < STEPS; step++) {
		background_step<<<WHOLE, 256, 0, low>>>(floats(weights), SIZE, 2000 * NARROW_US);
		CHECK(cudaGetLastError());
	}
	service.join();
	CHECK(cudaStreamSynchronize(low));
	CHECK(cudaStreamDestroy(low));
	CHECK(cudaStreamDestroy(high));
	answer(weights, SIZE * 4);
	answer(reply, SIZE * 4);
}

const Case cases[] = {
	CASE(ocr_decode),	CASE(road_bfs),		  CASE(thumbnail_workers),
	CASE(request_staging),	CASE(stencil_jobs),	  CASE(ensemble),
	CASE(stereo),		CASE(tile_tasks),	  CASE(mixer_spin),
	CASE(plugin_context),	CASE(inlet_fix),	  CASE(probe_log),
	CASE(frame_checks),	CASE(norm_channels),	  CASE(snapshot_lock),
	CASE(budget_query),	CASE(ragged_batch),	  CASE(optimizer_params),
	CASE(big_tile),		CASE(clean_newton),	  CASE(clean_lanes),
	CASE(clean_pool_async), CASE(clean_graph_params), CASE(clean_progress),
	CASE(clean_feeder),	CASE(clean_priority),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
