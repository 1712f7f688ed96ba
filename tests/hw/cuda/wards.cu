// SPDX-License-Identifier: MIT
// wards CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "cases.h"
#include "faults.h"

namespace
{
using Hash = unsigned long long;

// One element for each thread that the device holds.
constexpr int COUNT = 1056 * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of churn() that take 1 us: with all threads of the device, and with few warps on each
// multiprocessor.
constexpr int WIDE_US = 110;
constexpr int NARROW_US = 440;
constexpr size_t MIB = 1 << 20;

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
// Kernels that make each element of one from one of another.
#define FROM_OTHER(name)                                                            \
	__global__ void name(const float *from, float *data, int count, int rounds) \
	{                                                                           \
		for (int i = first_index(); i < count; i += index_step())           \
			data[i] = churn(from[i], rounds);                           \
	}
// Kernels that take words into what is there.
#define OF_WORDS(name)                                                                          \
	__global__ void name(const unsigned *words, float *data, int count, int rounds)         \
	{                                                                                       \
		for (int i = first_index(); i < count; i += index_step())                       \
			data[i] = churn(0.5f * data[i] + 0.5f * unit(mixed(words[i])), rounds); \
	}

Hash hash_of(const void *bytes, size_t count, Hash hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

void say(Hash hash)
{
	printf("answer %016llx\n", hash);
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

// Words of new data, one in each 4 KiB.
void new_words(Pinned &buffer, size_t bytes, unsigned round)
{
	for (size_t at = 0; at < bytes; at += 4096)
		*(unsigned *)buffer.at(at) = round * 2654435761U + (unsigned)at;
}

// A service that finds the organs on slices: the masks of a batch go into vectors of a pool.
// Fault: these are pageable, so that the copies are slow and keep the next batch from starting.
__global__ void segment(unsigned char *mask, int count, unsigned salt, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		mask[i] =
			(unsigned char)(churn(unit(mixed((unsigned)i ^ salt)), rounds) * 60 + 120);
}

class Masks
{
	std::vector<unsigned char> pixels_;

      public:
	Event read;

	Masks(size_t bytes) : pixels_(bytes)
	{
		if (repaired)
			CHECK(cudaHostRegister(pixels_.data(), bytes, cudaHostRegisterDefault));
	}
	~Masks()
	{
		if (repaired)
			cudaHostUnregister(pixels_.data());
	}
	unsigned char *at()
	{
		return pixels_.data();
	}
	Hash area(Hash hash) const
	{
		unsigned sum = 0;

		for (size_t i = 0; i < pixels_.size(); i += 4096)
			sum += pixels_[i];
		return hash_of(&sum, sizeof sum, hash);
	}
};

void organ_masks()
{
	constexpr int BATCHES = 160;
	constexpr size_t PIXELS = 16 * MIB;
	Masks masks[2] = {PIXELS, PIXELS};
	Stream streams[2];
	Device device[2] = {PIXELS, PIXELS};
	Hash hash = 1;

	for (int batch = 0; batch < BATCHES + 2; batch++) {
		Masks &mine = masks[batch % 2];

		if (batch >= 2) {
			CHECK(cudaEventSynchronize(mine.read));
			hash = mine.area(hash);
		}
		if (batch >= BATCHES)
			continue;
		segment<<<wide(), 256, 0, streams[batch % 2]>>>(
			(unsigned char *)device[batch % 2].at(0), (int)PIXELS,
			(unsigned)batch * 7919U, 1600);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(mine.at(), device[batch % 2], PIXELS, cudaMemcpyDeviceToHost,
				      streams[batch % 2]));
		CHECK(cudaEventRecord(mine.read, streams[batch % 2]));
	}
	say(hash);
}

// Laser scans in tiles: three threads order the points of tiles of their own.
// Fault: what the ordering works in is allocated for each tile.
__global__ void load_keys(unsigned *keys, int count, unsigned salt, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		keys[i] = mixed(__float_as_uint(churn(unit(mixed((unsigned)i ^ salt)), rounds)));
}

__global__ void refine_keys(const unsigned *keys, unsigned *refined, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		refined[i] = mixed(__float_as_uint(churn(unit(keys[i]), rounds)));
}

__global__ void count_digits(const unsigned *keys, int count, unsigned *digits)
{
	__shared__ unsigned own[64];

	if (threadIdx.x < 64)
		own[threadIdx.x] = 0;
	__syncthreads();
	for (int i = first_index(); i < count; i += index_step())
		atomicAdd(&own[keys[i] >> 26], 1U);
	__syncthreads();
	if (threadIdx.x < 64)
		atomicAdd(&digits[threadIdx.x], own[threadIdx.x]);
}

class Scratch
{
	void *at_ = nullptr;
	size_t size_ = 0;

      public:
	Scratch() = default;
	Scratch(const Scratch &) = delete;
	~Scratch()
	{
		if (at_)
			CHECK(cudaFree(at_));
	}
	unsigned *take(size_t bytes)
	{
		if (bytes > size_) {
			if (at_)
				CHECK(cudaFree(at_));
			CHECK(cudaMalloc(&at_, bytes));
			size_ = bytes;
		}
		return (unsigned *)at_;
	}
};

struct Sorter {
	Scratch keys, refined;

	void order(unsigned salt, unsigned *digits, cudaStream_t stream)
	{
		constexpr int POINTS = 2 << 20;
		unsigned *first = keys.take(POINTS * sizeof(unsigned));
		unsigned *second = refined.take(POINTS * sizeof(unsigned));

		load_keys<<<wide(), 256, 0, stream>>>(first, POINTS, salt, 900);
		count_digits<<<wide(), 256, 0, stream>>>(first, POINTS, digits);
		refine_keys<<<wide(), 256, 0, stream>>>(first, second, POINTS, 900);
		count_digits<<<wide(), 256, 0, stream>>>(second, POINTS, digits + 64);
		CHECK(cudaGetLastError());
	}
};

void scan_tiles()
{
	constexpr int TILES = 350;
	constexpr int THREADS = 3;
	constexpr size_t TABLE = TILES * 128 * sizeof(unsigned);
	Device digits(THREADS * TABLE);
	std::vector<std::thread> threads;

	CHECK(cudaMemset(digits, 0, THREADS * TABLE));
	CHECK(cudaDeviceSynchronize());
	for (int thread = 0; thread < THREADS; thread++)
		threads.emplace_back([thread, &digits] {
			unsigned *table = (unsigned *)digits.at((size_t)thread * TABLE);
			Stream stream;
			Sorter kept;

			for (int tile = 0; tile < TILES; tile++) {
				unsigned salt = (unsigned)(thread * TILES + tile) * 40503U;

				if (repaired) {
					kept.order(salt, table + 128 * tile, stream);
				} else {
					Sorter sorter;

					sorter.order(salt, table + 128 * tile, stream);
				}
			}
			CHECK(cudaStreamSynchronize(stream));
		});
	for (auto &thread : threads)
		thread.join();
	answer(digits, THREADS * TABLE);
}

// Flow through a bed of grains, step by step; a log says how long each phase takes.
// Fault: a phase waits for its kernel, to take the time; it would do for a step in 500.
ELEMENTWISE(collide)
ELEMENTWISE(propagate_flow)
ELEMENTWISE(bounce)

class Phase
{
	double &total_;
	double begin_;
	bool timed_;
	cudaStream_t stream_;

      public:
	Phase(double &total, bool timed, cudaStream_t stream)
	    : total_(total), begin_(now_ns()), timed_(timed), stream_(stream)
	{
	}
	~Phase()
	{
		if (!timed_)
			return;
		CHECK(cudaStreamSynchronize(stream_));
		total_ += now_ns() - begin_;
	}
};

void grain_bed()
{
	constexpr int STEPS = 7000;
	Device cells(BYTES);
	Stream stream;
	double times[3] = {};

	seed<<<wide(), 256, 0, stream>>>(floats(cells), COUNT, 31);
	for (int step = 0; step < STEPS; step++) {
		const bool timed = !repaired || step % 500 == 499;

		if (timed && repaired)
			CHECK(cudaStreamSynchronize(stream));
		{
			Phase phase(times[0], timed, stream);
			collide<<<wide(), 256, 0, stream>>>(floats(cells), COUNT, 16 * WIDE_US);
		}
		{
			Phase phase(times[1], timed, stream);
			propagate_flow<<<wide(), 256, 0, stream>>>(floats(cells), COUNT,
								   12 * WIDE_US);
		}
		{
			Phase phase(times[2], timed, stream);
			bounce<<<wide(), 256, 0, stream>>>(floats(cells), COUNT, 10 * WIDE_US);
		}
		CHECK(cudaGetLastError());
	}
	must(times[0] > 0 && times[1] > 0 && times[2] > 0, "timing");
	answer(cells, BYTES);
}

// Waves in rock: what 96 receivers at the surface hear.
// Fault: the whole field is read in each step for it.
__global__ void wave(const float *before, float *after, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		after[i] = churn(0.5f * before[i] + 0.5f * before[i ^ 1], rounds);
}

__host__ __device__ int receiver_at(int receiver)
{
	return receiver * 4099 + 17;
}

__global__ void hear(const float *field, float *heard, int receivers)
{
	if (first_index() < receivers)
		heard[first_index()] = field[receiver_at(first_index())];
}

void receivers()
{
	constexpr int STEPS = 320;
	constexpr int CELLS = 8 << 20;
	constexpr int RECEIVERS = 96;
	Device first(CELLS * sizeof(float)), second(CELLS * sizeof(float));
	Device heard(STEPS * RECEIVERS * sizeof(float));
	float *fields[2] = {floats(first), floats(second)};
	std::vector<float> traces(STEPS * RECEIVERS);
	std::vector<Pinned> host;
	Stream stream;

	if (!repaired)
		host.emplace_back(CELLS * sizeof(float));
	seed<<<wide(), 256, 0, stream>>>(fields[0], CELLS, 5);
	for (int step = 0; step < STEPS; step++) {
		float *now = fields[(step + 1) % 2];

		wave<<<wide(), 256, 0, stream>>>(fields[step % 2], now, CELLS, 900);
		CHECK(cudaGetLastError());
		if (repaired) {
			hear<<<1, 96, 0, stream>>>(now, floats(heard) + step * RECEIVERS,
						   RECEIVERS);
			CHECK(cudaGetLastError());
			continue;
		}
		CHECK(cudaMemcpyAsync(host[0], now, CELLS * sizeof(float), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		for (int receiver = 0; receiver < RECEIVERS; receiver++)
			traces[step * RECEIVERS + receiver] =
				((float *)host[0].at(0))[receiver_at(receiver)];
	}
	CHECK(cudaStreamSynchronize(stream));
	if (repaired)
		CHECK(cudaMemcpy(traces.data(), heard, traces.size() * sizeof(float),
				 cudaMemcpyDeviceToHost));
	say(hash_of(traces.data(), traces.size() * sizeof(float)));
}

// A server that puts requests of several clients in a batch: it takes what has come when the batch
// is full or 8 ms after the first. A client sends its next request when it has its answer.
// Fault: there are fewer clients than a full batch has, so that each batch waits the 8 ms.
ELEMENTWISE(infer)

constexpr int REQUEST = 16384;

struct Request {
	std::vector<float> data = std::vector<float>(REQUEST);
	bool done = false;
};

class Batcher
{
	static constexpr int LARGEST = 8;
	std::mutex lock_;
	std::condition_variable came_, answered_;
	std::deque<Request *> waiting_;
	bool closed_ = false;
	size_t full_ = LARGEST;
	Stream stream_;
	Pinned host_{LARGEST * REQUEST * sizeof(float)};
	Device device_{LARGEST * REQUEST * sizeof(float)};

	void process(const std::vector<Request *> &batch)
	{
		const size_t one = REQUEST * sizeof(float), all = batch.size() * one;

		for (size_t i = 0; i < batch.size(); i++)
			memcpy(host_.at(i * one), batch[i]->data.data(), one);
		CHECK(cudaMemcpyAsync(device_, host_, all, cudaMemcpyHostToDevice, stream_));
		infer<<<blocks_of(batch.size() * REQUEST), 256, 0, stream_>>>(
			floats(device_), (int)batch.size() * REQUEST, 1500000);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(host_, device_, all, cudaMemcpyDeviceToHost, stream_));
		CHECK(cudaStreamSynchronize(stream_));
		for (size_t i = 0; i < batch.size(); i++)
			memcpy(batch[i]->data.data(), host_.at(i * one), one);
	}

      public:
	void limit(size_t full)
	{
		full_ = full;
	}
	void ask(Request &request)
	{
		std::unique_lock<std::mutex> held(lock_);

		request.done = false;
		waiting_.push_back(&request);
		came_.notify_one();
		answered_.wait(held, [&] { return request.done; });
	}
	void close()
	{
		std::lock_guard<std::mutex> held(lock_);

		closed_ = true;
		came_.notify_one();
	}
	void serve()
	{
		std::unique_lock<std::mutex> held(lock_);

		for (;;) {
			came_.wait(held, [&] { return closed_ || !waiting_.empty(); });
			if (waiting_.empty())
				return;
			came_.wait_for(held, std::chrono::milliseconds(8),
				       [&] { return closed_ || waiting_.size() >= full_; });

			const size_t count = std::min(waiting_.size(), full_);
			std::vector<Request *> batch(waiting_.begin(), waiting_.begin() + count);

			waiting_.erase(waiting_.begin(), waiting_.begin() + count);
			held.unlock();
			process(batch);
			held.lock();
			for (Request *request : batch)
				request->done = true;
			answered_.notify_all();
		}
	}
};

void batch_window()
{
	constexpr int CLIENTS = 6;
	Batcher batcher;
	std::vector<Request> requests(CLIENTS);
	std::vector<std::thread> clients;
	Hash hash = 1;

	if (repaired)
		batcher.limit(CLIENTS);
	std::thread server([&] { batcher.serve(); });
	for (int client = 0; client < CLIENTS; client++)
		clients.emplace_back([client, &requests, &batcher] {
			Request &mine = requests[client];

			for (int i = 0; i < REQUEST; i++)
				mine.data[i] = unit(mixed((unsigned)(client * REQUEST + i)));
			for (int turn = 0; turn < 70; turn++)
				batcher.ask(mine);
		});
	for (auto &client : clients)
		client.join();
	batcher.close();
	server.join();
	for (auto &request : requests)
		hash = hash_of(request.data.data(), REQUEST * sizeof(float), hash);
	say(hash);
}

// An evaluation of a model with an adapter for each tenant; a tenant has eight questions in a row.
// Fault: the weights of the tenant's adapter are uploaded for each question.
__global__ void adapt(const unsigned *weights, int count, float *hidden, int rounds)
{
	float x = hidden[first_index()];

	for (int i = first_index(); i < count; i += index_step())
		x = churn(0.5f * x + 0.5f * unit(mixed(weights[i])), rounds);
	hidden[first_index()] = x;
}

class Adapters
{
	static constexpr int TENANTS = 4;
	std::vector<Pinned> host_ = several<Pinned>(TENANTS, BYTES_OF_ONE);
	std::vector<Device> device_ = several<Device>(TENANTS, BYTES_OF_ONE);
	bool there_[TENANTS] = {};

      public:
	static constexpr size_t BYTES_OF_ONE = 32 * MIB;

	Adapters()
	{
		for (int tenant = 0; tenant < TENANTS; tenant++)
			new_words(host_[tenant], BYTES_OF_ONE, (unsigned)tenant + 1);
	}
	const unsigned *activate(int tenant, cudaStream_t stream)
	{
		if (!repaired || !there_[tenant])
			CHECK(cudaMemcpyAsync(device_[tenant], host_[tenant], BYTES_OF_ONE,
					      cudaMemcpyHostToDevice, stream));
		there_[tenant] = true;
		return (const unsigned *)device_[tenant].at(0);
	}
};

void adapter_eval()
{
	constexpr int QUESTIONS = 480;
	Adapters adapters;
	Device hidden(BYTES);
	Stream stream;

	seed<<<COUNT / 256, 256, 0, stream>>>(floats(hidden), COUNT, 9);
	for (int question = 0; question < QUESTIONS; question++) {
		const unsigned *weights = adapters.activate(question / 8 % 4, stream);

		adapt<<<COUNT / 256, 256, 0, stream>>>(
			weights, (int)(Adapters::BYTES_OF_ONE / sizeof(unsigned)), floats(hidden),
			1400);
		CHECK(cudaGetLastError());
	}
	answer(hidden, BYTES);
}

// Training with the optimizer's state on the host: gradients go there bucket by bucket, in a stream
// of their own.
// Fault: the copies wait for an event behind the last layer, each could for that of its layer.
ELEMENTWISE(forward)

__global__ void backward(const float *activations, float *gradients, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		gradients[i] = churn(
			0.5f * activations[i % COUNT] + 0.5f * unit(mixed((unsigned)i)), rounds);
}

__global__ void update(float *activations, int count, float rate)
{
	for (int i = first_index(); i < count; i += index_step())
		activations[i] = 0.9f * activations[i] + 0.1f * rate;
}

void gradient_offload()
{
	constexpr int STEPS = 120;
	constexpr int BUCKETS = 12;
	constexpr size_t BUCKET = 8 * MIB;
	Device activations(BYTES);
	std::vector<Device> device = several<Device>(BUCKETS, BUCKET);
	std::vector<Pinned> host = several<Pinned>(BUCKETS, BUCKET);
	Stream compute, offload;
	Event ready[BUCKETS];
	float rate = 0.5f;

	seed<<<wide(), 256, 0, compute>>>(floats(activations), COUNT, 2);
	for (int step = 0; step < STEPS; step++) {
		update<<<wide(), 256, 0, compute>>>(floats(activations), COUNT, rate);
		forward<<<wide(), 256, 0, compute>>>(floats(activations), COUNT, 400 * WIDE_US);
		for (int bucket = BUCKETS; bucket-- > 0;) {
			backward<<<wide(), 256, 0, compute>>>(floats(activations),
							      floats(device[bucket]),
							      (int)(BUCKET / sizeof(float)), 3200);
			CHECK(cudaGetLastError());
			if (repaired)
				CHECK(cudaEventRecord(ready[bucket], compute));
		}
		if (!repaired) {
			CHECK(cudaEventRecord(ready[0], compute));
			CHECK(cudaStreamWaitEvent(offload, ready[0], 0));
		}
		for (int bucket = BUCKETS; bucket-- > 0;) {
			if (repaired)
				CHECK(cudaStreamWaitEvent(offload, ready[bucket], 0));
			CHECK(cudaMemcpyAsync(host[bucket], device[bucket], BUCKET,
					      cudaMemcpyDeviceToHost, offload));
		}
		CHECK(cudaStreamSynchronize(offload));

		float sum = 0;

		for (Pinned &bucket : host)
			for (size_t at = 0; at < BUCKET; at += MIB)
				sum += *(float *)bucket.at(at);
		rate = sum / (float)(BUCKETS * (BUCKET / MIB));
	}
	answer(activations, BYTES);
}

// Option prices of three books, each by a worker of its own.
// Fault: each worker makes a context, so that their kernels take turns on the device.
ELEMENTWISE(price_paths)

void made(CUresult status, const char *call)
{
	if (status == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, (int)status);
	exit(1);
}

class OwnContext
{
	CUcontext context_ = nullptr;

      public:
	OwnContext()
	{
#if CUDA_VERSION >= 13000
		made(cuCtxCreate(&context_, nullptr, 0, 0), "cuCtxCreate");
#else
		made(cuCtxCreate(&context_, 0, 0), "cuCtxCreate");
#endif
	}
	OwnContext(const OwnContext &) = delete;
	~OwnContext()
	{
		made(cuCtxDestroy(context_), "cuCtxDestroy");
	}
};

void price_book(int book, float *prices)
{
	constexpr int PATHS = 132 * 128;
	Stream stream;
	Device paths(PATHS * sizeof(float));

	seed<<<132, 128, 0, stream>>>(floats(paths), PATHS, (unsigned)book + 40);
	for (int date = 0; date < 300; date++) {
		price_paths<<<132, 128, 0, stream>>>(floats(paths), PATHS, 1000 * NARROW_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpyAsync(prices, paths, PATHS * sizeof(float), cudaMemcpyDeviceToHost,
			      stream));
	CHECK(cudaStreamSynchronize(stream));
}

void option_books()
{
	constexpr int BOOKS = 3;
	constexpr size_t PATHS = 132 * 128;
	std::vector<std::vector<float>> prices(BOOKS, std::vector<float>(PATHS));
	std::vector<std::thread> workers;
	Hash hash = 1;

	CHECK(cudaFree(nullptr));
	for (int book = 0; book < BOOKS; book++)
		workers.emplace_back([book, &prices] {
			if (repaired) {
				CHECK(cudaSetDevice(0));
				price_book(book, prices[book].data());
			} else {
				OwnContext context;

				price_book(book, prices[book].data());
			}
		});
	for (auto &worker : workers)
		worker.join();
	for (auto &one : prices)
		hash = hash_of(one.data(), PATHS * sizeof(float), hash);
	say(hash);
}

// A particle filter; what launches its kernels finds their grid and sees that there is memory left.
// Fault: it asks the driver for each launch.
ELEMENTWISE(predict)
ELEMENTWISE(weigh)
ELEMENTWISE(resample)

class Launcher
{
	std::map<const void *, int> known_;

	static int grid(const void *kernel, int items)
	{
		cudaDeviceProp properties;
		size_t free, all;
		int blocks = 0;

		CHECK(cudaGetDeviceProperties(&properties, 0));
		CHECK(cudaMemGetInfo(&free, &all));
		must(free > 64 * MIB, "memory");
		CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
		return std::min(blocks_of(items), properties.multiProcessorCount * blocks);
	}

      public:
	void launch(void (*kernel)(float *, int, int), float *data, int items, int rounds,
		    cudaStream_t stream)
	{
		int &blocks = known_[(const void *)kernel];

		if (!repaired || !blocks)
			blocks = grid((const void *)kernel, items);
		kernel<<<blocks, 256, 0, stream>>>(data, items, rounds);
		CHECK(cudaGetLastError());
	}
};

void particle_filter()
{
	constexpr int STEPS = 800;
	Device particles(BYTES);
	Launcher launcher;
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(particles), COUNT, 8);
	for (int step = 0; step < STEPS; step++) {
		launcher.launch(predict, floats(particles), COUNT, 30 * WIDE_US, stream);
		launcher.launch(weigh, floats(particles), COUNT, 25 * WIDE_US, stream);
		launcher.launch(resample, floats(particles), COUNT, 20 * WIDE_US, stream);
	}
	answer(particles, BYTES);
}

// Training steps as graphs; each second step has an average of the weights as well. The loss of a
// step gives the rate of the next.
// Fault: one executable graph is kept, which never can be updated: it is made again for each step.
__global__ void layer(float *weights, const float *rate, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		weights[i] = churn(0.9f * weights[i] + 0.1f * *rate, rounds);
}

__global__ void average(const float *weights, float *mean, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		mean[i] = churn(0.5f * mean[i] + 0.5f * weights[i], rounds);
}

__global__ void loss_of(const float *weights, int count, float *loss)
{
	__shared__ float sums[1024];
	float sum = 0;

#pragma unroll 8
	for (int i = (int)threadIdx.x; i < count; i += 1024)
		sum += weights[i];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (int half = 512; half > 0; half /= 2) {
		if ((int)threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*loss = sums[0] / (float)count;
}

class StepGraphs
{
	cudaGraphExec_t ready_[2] = {};

	static void update(cudaGraphExec_t &ready, cudaGraph_t graph)
	{
		cudaGraphExecUpdateResultInfo info;

		if (ready && cudaGraphExecUpdate(ready, graph, &info) == cudaSuccess)
			return;
		cudaGetLastError();
		if (ready)
			CHECK(cudaGraphExecDestroy(ready));
		CHECK(cudaGraphInstantiate(&ready, graph, 0));
	}

      public:
	StepGraphs() = default;
	StepGraphs(const StepGraphs &) = delete;
	~StepGraphs()
	{
		for (cudaGraphExec_t ready : ready_)
			if (ready)
				CHECK(cudaGraphExecDestroy(ready));
	}
	template <class Body> void run(int kind, cudaStream_t stream, Body body)
	{
		cudaGraphExec_t &ready = ready_[repaired ? kind : 0];

		if (!repaired || !ready) {
			cudaGraph_t graph;

			CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
			body();
			CHECK(cudaStreamEndCapture(stream, &graph));
			update(ready, graph);
			CHECK(cudaGraphDestroy(graph));
		}
		CHECK(cudaGraphLaunch(ready, stream));
	}
};

void step_graphs()
{
	constexpr int STEPS = 800;
	constexpr int BLOCKS = 264;
	constexpr int WEIGHTS = BLOCKS * 256;
	Device weights(WEIGHTS * sizeof(float)), mean(WEIGHTS * sizeof(float));
	Device rate(sizeof(float)), loss(sizeof(float));
	Pinned host(4096);
	float *host_rate = (float *)host.at(0), *host_loss = (float *)host.at(256);
	StepGraphs graphs;
	Stream stream;

	*host_rate = 0.25f;
	seed<<<BLOCKS, 256, 0, stream>>>(floats(weights), WEIGHTS, 3);
	seed<<<BLOCKS, 256, 0, stream>>>(floats(mean), WEIGHTS, 4);
	auto enqueue = [&](int kind) {
		CHECK(cudaMemcpyAsync(rate, host_rate, sizeof(float), cudaMemcpyHostToDevice,
				      stream));
		for (int i = 0; i < 64; i++)
			layer<<<BLOCKS, 256, 0, stream>>>(floats(weights), floats(rate), WEIGHTS,
							  6 * NARROW_US);
		for (int i = 0; i < 4 && kind == 1; i++)
			average<<<BLOCKS, 256, 0, stream>>>(floats(weights), floats(mean), WEIGHTS,
							    6 * NARROW_US);
		loss_of<<<1, 1024, 0, stream>>>(floats(weights), WEIGHTS, floats(loss));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(host_loss, loss, sizeof(float), cudaMemcpyDeviceToHost,
				      stream));
	};

	enqueue(1); // loads the kernels
	CHECK(cudaStreamSynchronize(stream));
	for (int step = 0; step < STEPS; step++) {
		graphs.run(step % 2, stream, [&] { enqueue(step % 2); });
		CHECK(cudaStreamSynchronize(stream));
		*host_rate = 0.5f * *host_rate + 0.25f * *host_loss;
	}
	answer(mean, WEIGHTS * sizeof(float));
}

// A renderer with 1500 moving objects.
// Fault: each object uploads its own transformation; all of them lie in one array.
struct Object {
	float transformation[16];
	float material[16];
};

__global__ void shade(const Object *objects, int count, float *pixels, int rounds)
{
	for (int i = first_index(); i < COUNT; i += index_step()) {
		const Object &object = objects[i % count];

		pixels[i] = churn(0.5f * pixels[i] + 0.3f * object.transformation[i % 16] +
					  0.2f * object.material[i % 16],
				  rounds);
	}
}

void moving_objects()
{
	constexpr int FRAMES = 130;
	constexpr int OBJECTS = 1500;
	constexpr size_t SIZE = OBJECTS * sizeof(Object);
	Device objects(SIZE), pixels(BYTES);
	std::vector<Pinned> host = several<Pinned>(2, SIZE);
	Event sent[2];
	Stream stream;

	for (Pinned &one : host)
		for (int i = 0; i < OBJECTS * 32; i++)
			((float *)one.at(0))[i] = unit(mixed((unsigned)i));
	CHECK(cudaMemcpy(objects, host[0], SIZE, cudaMemcpyHostToDevice));
	seed<<<wide(), 256, 0, stream>>>(floats(pixels), COUNT, 12);
	for (int frame = 0; frame < FRAMES; frame++) {
		Object *scene = (Object *)host[frame % 2].at(0);

		if (frame >= 2)
			CHECK(cudaEventSynchronize(sent[frame % 2]));
		for (int i = 0; i < OBJECTS; i++) {
			scene[i].transformation[i % 16] =
				unit(mixed((unsigned)(frame * OBJECTS + i)));
			scene[i].transformation[(i + frame) % 16] = (float)(frame % 7) * 0.1f;
		}
		if (repaired)
			CHECK(cudaMemcpyAsync(objects, scene, SIZE, cudaMemcpyHostToDevice,
					      stream));
		for (int i = 0; i < OBJECTS && !repaired; i++)
			CHECK(cudaMemcpyAsync(
				objects.at((size_t)i * sizeof(Object)), scene[i].transformation,
				sizeof scene[i].transformation, cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(sent[frame % 2], stream));
		shade<<<wide(), 256, 0, stream>>>((const Object *)objects.at(0), OBJECTS,
						  floats(pixels), 600 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	answer(pixels, BYTES);
}

// Text of four sequences, token by token: the weights of a vocabulary are summed for each sequence.
// Fault: with a block for each sequence, which was made for batches of hundreds.
__global__ void weigh_words(const float *logits, int words, Hash *sums, int rounds)
{
	const float *row = logits + (size_t)blockIdx.y * words;
	Hash sum = 0;

	for (int i = first_index(); i < words; i += index_step())
		sum += (unsigned)((churn(row[i], rounds) + 2.0f) * 65536.0f);
	for (int lane = 16; lane > 0; lane /= 2)
		sum += __shfl_down_sync(0xffffffffU, sum, lane);
	if (threadIdx.x % 32 == 0)
		atomicAdd(&sums[blockIdx.y], sum);
}

__global__ void decode(float *hidden, int count, const Hash *sums, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		float bias = unit(mixed((unsigned)sums[i % 4]));

		hidden[i] = churn(0.8f * hidden[i] + 0.2f * bias, rounds);
	}
}

__global__ void project_words(const float *hidden, float *logits, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		logits[i] =
			churn(0.5f * hidden[i % COUNT] + 0.5f * unit(mixed((unsigned)i)), rounds);
}

void vocabulary()
{
	constexpr int TOKENS = 1500;
	constexpr int ROWS = 4;
	constexpr int WORDS = 131072;
	constexpr size_t SUMS = (TOKENS + 1) * ROWS * sizeof(Hash);
	Device hidden(BYTES), logits(ROWS * WORDS * sizeof(float)), sums(SUMS);
	const dim3 grid(repaired ? 64 : 1, ROWS);
	const int block = repaired ? 256 : 1024;
	Stream stream;

	CHECK(cudaMemsetAsync(sums, 0, SUMS, stream));
	seed<<<wide(), 256, 0, stream>>>(floats(hidden), COUNT, 77);
	for (int token = 0; token < TOKENS; token++) {
		Hash *before = (Hash *)sums.at(0) + token * ROWS;

		decode<<<wide(), 256, 0, stream>>>(floats(hidden), COUNT, before, 120 * WIDE_US);
		project_words<<<wide(), 256, 0, stream>>>(floats(hidden), floats(logits),
							  ROWS * WORDS, 15 * WIDE_US);
		weigh_words<<<grid, block, 0, stream>>>(floats(logits), WORDS, before + ROWS, 400);
		CHECK(cudaGetLastError());
	}
	answer(sums, SUMS);
}

// A solver that makes 50 sweeps in a cooperative kernel and then looks at its residual.
__global__ void sweeps(float *data, float *other, int count, int rounds, unsigned *value)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	unsigned mine = 0;

	for (int sweep = 0; sweep < 50; sweep++) {
		const float *from = sweep % 2 ? other : data;
		float *to = sweep % 2 ? data : other;

		for (int i = first_index(); i < count; i += index_step())
			to[i] = churn(0.5f * from[i] + 0.5f * from[i ^ 256], rounds);
		grid.sync();
	}
	for (int i = first_index(); i < count; i += index_step())
		mine = max(mine, __float_as_uint(fabsf(data[i])));
	mine = __reduce_max_sync(0xffffffffU, mine);
	if (threadIdx.x % 32 == 0)
		atomicMax(value, mine);
}

void clean_residual()
{
	Device data(BYTES), other(BYTES), value(sizeof(unsigned));
	Pinned host(4096);
	Stream stream;
	float *first = floats(data), *second = floats(other);
	unsigned *largest = (unsigned *)value.at(0);
	int cells = COUNT, rounds = 100 * WIDE_US, units, blocks;
	void *arguments[] = {&first, &second, &cells, &rounds, &largest};

	CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sweeps, 256, 0));
	blocks = std::min(blocks, 8) * units;
	seed<<<wide(), 256, 0, stream>>>(first, COUNT, 21);
	CHECK(cudaGetLastError());
	for (int turn = 0; turn < 80; turn++) {
		CHECK(cudaMemsetAsync(value, 0, sizeof(unsigned), stream));
		CHECK(cudaLaunchCooperativeKernel((const void *)sweeps, dim3(blocks), dim3(256),
						  arguments, 0, stream));
		CHECK(cudaMemcpyAsync(host, value, sizeof(unsigned), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		if (*(unsigned *)host.at(0) == 0)
			break;
	}
	answer(data, BYTES);
}

// A text of one sequence: the host draws each token, on which the next one depends.
ELEMENTWISE(attention)
ELEMENTWISE(feed_forward)

__global__ void embed(float *hidden, int count, unsigned token)
{
	for (int i = first_index(); i < count; i += index_step())
		hidden[i] = 0.8f * hidden[i] + 0.2f * unit(mixed(token + (unsigned)i));
}

void clean_dialogue()
{
	Device hidden(BYTES);
	Pinned scores(4096);
	Stream stream;
	unsigned token = 1;
	Hash hash = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(hidden), COUNT, 6);
	for (int at = 0; at < 200; at++) {
		embed<<<wide(), 256, 0, stream>>>(floats(hidden), COUNT, token);
		for (int block = 0; block < 16; block++) {
			attention<<<wide(), 256, 0, stream>>>(floats(hidden), COUNT, 80 * WIDE_US);
			feed_forward<<<wide(), 256, 0, stream>>>(floats(hidden), COUNT,
								 120 * WIDE_US);
		}
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(scores, hidden, 4096, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));

		const float *first = (float *)scores.at(0);

		token = (unsigned)(std::max_element(first, first + 1024) - first);
		hash = hash_of(&token, sizeof token, hash);
	}
	say(hash);
}

// Tables in managed memory: each is moved to the device ahead of the kernels that use it.
void prefetch(void *at, size_t bytes, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
	cudaMemLocation where = {};

	where.type = cudaMemLocationTypeDevice;
	where.id = 0;
	CHECK(cudaMemPrefetchAsync(at, bytes, where, 0, stream));
#else
	CHECK(cudaMemPrefetchAsync(at, bytes, 0, stream));
#endif
}

OF_WORDS(join_table)

void clean_prefetch()
{
	constexpr int TABLES = 6;
	constexpr size_t TABLE = 8 * MIB;
	unsigned *tables;
	Device joined(TABLE);
	Stream compute, ahead;
	Event there[TABLES];
	int able;

	CHECK(cudaDeviceGetAttribute(&able, cudaDevAttrConcurrentManagedAccess, 0));
	CHECK(cudaMallocManaged((void **)&tables, TABLES * TABLE));
	for (size_t i = 0; i < TABLES * TABLE / sizeof(unsigned); i++)
		tables[i] = (unsigned)i * 2654435761U;
	seed<<<wide(), 256, 0, compute>>>(floats(joined), (int)(TABLE / sizeof(float)), 14);
	for (int table = 0; table < TABLES; table++) {
		unsigned *mine = tables + table * (TABLE / sizeof(unsigned));

		if (able)
			prefetch(mine, TABLE, ahead);
		CHECK(cudaEventRecord(there[table], ahead));
		CHECK(cudaStreamWaitEvent(compute, there[table], 0));
		for (int pass = 0; pass < 80; pass++)
			join_table<<<wide(), 256, 0, compute>>>(
				mine, floats(joined), (int)(TABLE / sizeof(float)), 10000);
		CHECK(cudaGetLastError());
	}
	answer(joined, MIB);
	CHECK(cudaFree(tables));
}

// Steps that take their memory from the stream's pool, which keeps what is freed.
FROM_OTHER(spectrum)
FROM_OTHER(filter_bands)

void clean_arena()
{
	Device signal(BYTES);
	Stream stream;
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	seed<<<wide(), 256, 0, stream>>>(floats(signal), COUNT, 15);
	for (int step = 0; step < 1500; step++) {
		void *bands;

		CHECK(cudaMallocAsync(&bands, BYTES, stream));
		spectrum<<<wide(), 256, 0, stream>>>(floats(signal), floats(bands), COUNT,
						     120 * WIDE_US);
		filter_bands<<<wide(), 256, 0, stream>>>(floats(bands), floats(signal), COUNT,
							 120 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaFreeAsync(bands, stream));
	}
	answer(signal, BYTES);
}

// Frames that are rendered in a stream and read in another one, with two buffers in turn.
__global__ void render(float *frame, int count, unsigned salt, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		frame[i] = churn(unit(mixed((unsigned)i ^ salt)), rounds);
}

void clean_turns()
{
	constexpr int FRAMES = 600;
	constexpr size_t FRAME = 8 * MIB;
	std::vector<Device> device = several<Device>(2, FRAME);
	std::vector<Pinned> host = several<Pinned>(2, FRAME);
	Stream renderer, reader;
	Event rendered[2], read[2];
	Hash hash = 1;

	for (int frame = 0; frame < FRAMES + 2; frame++) {
		const int slot = frame % 2;

		if (frame >= 2) {
			CHECK(cudaEventSynchronize(read[slot]));
			hash = hash_of(host[slot].at(0), 4096, hash);
		}
		if (frame >= FRAMES)
			continue;
		render<<<wide(), 256, 0, renderer>>>(floats(device[slot]),
						     (int)(FRAME / sizeof(float)),
						     (unsigned)frame * 7907U, 11000);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(rendered[slot], renderer));
		CHECK(cudaStreamWaitEvent(reader, rendered[slot], 0));
		CHECK(cudaMemcpyAsync(host[slot], device[slot], FRAME, cudaMemcpyDeviceToHost,
				      reader));
		CHECK(cudaEventRecord(read[slot], reader));
	}
	say(hash);
}

// Results that a thread writes: a host function tells it of each.
class Writer
{
	std::mutex lock_;
	std::condition_variable changed_;
	std::deque<int> ready_;
	bool used_[3] = {};

      public:
	struct Slot {
		Writer *writer;
		int index;
	};

	void claim(int slot)
	{
		std::unique_lock<std::mutex> held(lock_);

		changed_.wait(held, [&] { return !used_[slot]; });
		used_[slot] = true;
	}
	static void CUDART_CB tell(void *data)
	{
		const Slot &slot = *(Slot *)data;
		std::lock_guard<std::mutex> held(slot.writer->lock_);

		slot.writer->ready_.push_back(slot.index);
		slot.writer->changed_.notify_all();
	}
	int next()
	{
		std::unique_lock<std::mutex> held(lock_);

		changed_.wait(held, [&] { return !ready_.empty(); });

		const int slot = ready_.front();

		ready_.pop_front();
		return slot;
	}
	void release(int slot)
	{
		std::lock_guard<std::mutex> held(lock_);

		used_[slot] = false;
		changed_.notify_all();
	}
};

ELEMENTWISE(anneal)

void clean_writer()
{
	constexpr int STEPS = 260;
	constexpr size_t PART = 65536;
	Device state(BYTES);
	std::vector<Pinned> host = several<Pinned>(3, PART);
	Writer writer;
	Writer::Slot slots[3] = {{&writer, 0}, {&writer, 1}, {&writer, 2}};
	Stream stream;
	Hash hash = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(state), COUNT, 16);
	std::thread thread([&] {
		for (int step = 0; step < STEPS; step++) {
			const int slot = writer.next();

			hash = hash_of(host[slot].at(0), PART, hash);
			writer.release(slot);
		}
	});
	for (int step = 0; step < STEPS; step++) {
		const int slot = step % 3;

		writer.claim(slot);
		anneal<<<wide(), 256, 0, stream>>>(floats(state), COUNT, 2000 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(host[slot], state, PART, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaLaunchHostFunc(stream, Writer::tell, &slots[slot]));
	}
	thread.join();
	CHECK(cudaStreamSynchronize(stream));
	say(hash);
}

// Samples of a detector, new ones in each upload, while the kernel works on those before.
OF_WORDS(find_hits)

void clean_detector()
{
	constexpr int BLOCKS_OF_SAMPLES = 400;
	constexpr size_t SAMPLES = 12 * MIB;
	std::vector<Device> device = several<Device>(3, SAMPLES);
	std::vector<Pinned> host = several<Pinned>(3, SAMPLES);
	Device hits(SAMPLES);
	Stream upload, compute;
	Event sent[3], used[3];

	seed<<<wide(), 256, 0, compute>>>(floats(hits), (int)(SAMPLES / sizeof(float)), 18);
	for (int block = 0; block < BLOCKS_OF_SAMPLES; block++) {
		const int slot = block % 3;

		if (block >= 3)
			CHECK(cudaEventSynchronize(sent[slot]));
		new_words(host[slot], SAMPLES, (unsigned)block + 1);
		if (block >= 3)
			CHECK(cudaStreamWaitEvent(upload, used[slot], 0));
		CHECK(cudaMemcpyAsync(device[slot], host[slot], SAMPLES, cudaMemcpyHostToDevice,
				      upload));
		CHECK(cudaEventRecord(sent[slot], upload));
		CHECK(cudaStreamWaitEvent(compute, sent[slot], 0));
		find_hits<<<wide(), 256, 0, compute>>>((const unsigned *)device[slot].at(0),
						       floats(hits), (int)(SAMPLES / sizeof(float)),
						       9000);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(used[slot], compute));
	}
	answer(hits, MIB);
}

const Case cases[] = {
	CASE(organ_masks),     CASE(scan_tiles),     CASE(grain_bed),	     CASE(receivers),
	CASE(batch_window),    CASE(adapter_eval),   CASE(gradient_offload), CASE(option_books),
	CASE(particle_filter), CASE(step_graphs),    CASE(moving_objects),   CASE(vocabulary),
	CASE(clean_residual),  CASE(clean_dialogue), CASE(clean_prefetch),   CASE(clean_arena),
	CASE(clean_turns),     CASE(clean_writer),   CASE(clean_detector),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
