// SPDX-License-Identifier: MIT
// seminars CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <condition_variable>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>
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
void new_words(Pinned &buffer, size_t bytes, unsigned round)
{
	for (size_t at = 0; at < bytes; at += 4096)
		*(unsigned *)buffer.at(at) = round * 2654435761U + (unsigned)at;
}

// ---- plasma_residual: the potential of a plasma by relaxation, until it has settled.
// Fault: the residual is read and waited for after each sweep, not after each 64.

__global__ void __launch_bounds__(256) relax(const float *from, float *to, int side, int *residual)
{
	__shared__ int most_of_block;
	float most = 0;

	if (threadIdx.x == 0)
		most_of_block = 0;
	__syncthreads();
	for (int i = first_index(); i < side * side; i += index_step()) {
		const int x = i % side, y = i / side;
		const float was = from[i];
		const float left = x > 0 ? from[i - 1] : 1.0f;
		const float right = x < side - 1 ? from[i + 1] : 0.0f;
		const float up = y > 0 ? from[i - side] : 1.0f;
		const float down = y < side - 1 ? from[i + side] : 0.0f;
		const float now = 0.25f * (left + right + up + down);

		to[i] = now;
		most = fmaxf(most, fabsf(now - was));
	}
	for (int lanes = 16; lanes > 0; lanes /= 2)
		most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, lanes));
	if (threadIdx.x % 32 == 0)
		atomicMax(&most_of_block, __float_as_int(most));
	__syncthreads();
	if (threadIdx.x == 0)
		atomicMax(residual, most_of_block);
}

void plasma_residual()
{
	constexpr int SIDE = 2048, SWEEPS = 40000, EACH = 64;
	constexpr size_t FIELD = (size_t)SIDE * SIDE * sizeof(float);
	Device one(FIELD), other(FIELD), residuals(SWEEPS * sizeof(int));
	Pinned seen(64);
	Stream stream;
	float residual = 1;
	int sweep = 0;

	CHECK(cudaMemsetAsync(one, 0, FIELD, stream));
	CHECK(cudaMemsetAsync(residuals, 0, SWEEPS * sizeof(int), stream));
	for (; sweep < SWEEPS && residual > 1e-7f; sweep++) {
		int *mine = (int *)residuals.at(sweep * sizeof(int));

		relax<<<wide(), 256, 0, stream>>>(floats(sweep % 2 ? other : one),
						  floats(sweep % 2 ? one : other), SIDE, mine);
		CHECK(cudaGetLastError());
		if (repaired && sweep % EACH != EACH - 1)
			continue;
		CHECK(cudaMemcpyAsync(seen, mine, sizeof(int), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		memcpy(&residual, seen.at(0), sizeof(residual));
	}
	printf("answer %d %.9g\n", sweep, residual);
}

// ---- pool_trim: a search whose passes take scratch memory from the device's pool; the sum of a
// pass tells where the next one looks.
// Fault: the pool gives its memory back to the system at each wait (release threshold 0).

__global__ void expand_nodes(unsigned *nodes, int count, unsigned from)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const float x = churn(unit(mixed((unsigned)i ^ from)), 60);

		nodes[i] = __float_as_uint(x);
	}
}

__global__ void sum_nodes(const unsigned *nodes, int count, unsigned *sum)
{
	unsigned mine = 0;

	for (int i = first_index(); i < count; i += index_step())
		mine += nodes[i];
	for (int lanes = 16; lanes > 0; lanes /= 2)
		mine += __shfl_xor_sync(0xffffffffU, mine, lanes);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, mine);
}

void pool_trim()
{
	constexpr int NODES = 64 << 20, PASSES = 900;
	cudaMemPool_t pool;
	Device sum(sizeof(unsigned));
	Pinned seen(64);
	Stream stream;
	unsigned from = 1;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	if (repaired) {
		uint64_t all = UINT64_MAX;
		CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
	}
	CHECK(cudaMemsetAsync(sum, 0, sizeof(unsigned), stream));
	for (int pass = 0; pass < PASSES; pass++) {
		void *nodes;

		CHECK(cudaMallocAsync(&nodes, NODES * sizeof(unsigned), stream));
		expand_nodes<<<wide(), 256, 0, stream>>>((unsigned *)nodes, NODES, from);
		CHECK(cudaGetLastError());
		sum_nodes<<<wide(), 256, 0, stream>>>((unsigned *)nodes, NODES,
						      (unsigned *)(void *)sum);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen, sum, sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(nodes, stream));
		CHECK(cudaStreamSynchronize(stream));
		memcpy(&from, seen.at(0), sizeof(from));
	}
	printf("answer %u\n", from);
}

// ---- grade_lut: colours of a film by a table, frame by frame.
// Fault: the table, which never changes, is uploaded for each frame.

__global__ void decode_frame(float *frame, int count, unsigned number)
{
	for (int i = first_index(); i < count; i += index_step())
		frame[i] = churn(unit(mixed((unsigned)i + number * 40503U)), 1200);
}

__global__ void grade_frame(const float *frame, int count, const unsigned *table, unsigned entries,
			    unsigned *sums)
{
	unsigned mine = 0;

	for (int i = first_index(); i < count; i += index_step())
		mine += table[mixed(__float_as_uint(frame[i])) % entries];
	sums[first_index()] += mine;
}

void grade_lut()
{
	constexpr int PIXELS = 1920 * 1080, FRAMES = 3000;
	constexpr size_t TABLE = 8 << 20;
	const size_t sums_size = (size_t)wide() * 256 * sizeof(unsigned);
	Device frame(PIXELS * sizeof(float)), table(TABLE), sums(sums_size);
	Pinned colours(TABLE);
	Stream stream;

	for (size_t i = 0; i < TABLE / 4; i++)
		((unsigned *)colours.at(0))[i] = (unsigned)i * 2654435761U;
	CHECK(cudaMemsetAsync(sums, 0, sums_size, stream));
	for (int number = 0; number < FRAMES; number++) {
		if (!repaired || number == 0)
			CHECK(cudaMemcpyAsync(table, colours, TABLE, cudaMemcpyHostToDevice,
					      stream));
		decode_frame<<<wide(), 256, 0, stream>>>(floats(frame), PIXELS, number);
		CHECK(cudaGetLastError());
		grade_frame<<<wide(), 256, 0, stream>>>(floats(frame), PIXELS,
							(unsigned *)(void *)table, TABLE / 4,
							(unsigned *)(void *)sums);
		CHECK(cudaGetLastError());
	}
	answer(sums, sums_size);
}

// ---- chat_cache: a server of conversations, each with a cache of its own on the device.
// Fault: the cache of a conversation that is over is forgotten, and a new one is allocated.

__global__ void read_prompt(float *cache, int count, unsigned prompt)
{
	for (int i = first_index(); i < count; i += index_step())
		cache[i] = churn(unit(mixed((unsigned)i + prompt)), 200);
}

__global__ void write_reply(const float *cache, int count, float *replies)
{
	float x = replies[first_index()];

	for (int i = first_index(); i < count; i += index_step())
		x = churn(0.5f * x + 0.5f * cache[i], 200);
	replies[first_index()] = x;
}

class Caches
{
	size_t size_;
	std::vector<void *> idle_;

      public:
	Caches(size_t size) : size_(size)
	{
	}
	void *begin()
	{
		void *cache;

		if (idle_.empty()) {
			CHECK(cudaMalloc(&cache, size_));
			return cache;
		}
		cache = idle_.back();
		idle_.pop_back();
		return cache;
	}
	// Work of the one stream that is under way comes before what uses the cache next.
	void end(void *cache)
	{
		if (repaired)
			idle_.push_back(cache);
	}
	~Caches()
	{
		for (void *cache : idle_)
			CHECK(cudaFree(cache));
	}
};

void chat_cache()
{
	constexpr int CONVERSATIONS = 6000, CACHE = 3 << 19;
	const size_t replies_size = (size_t)wide() * 256 * sizeof(float);
	Device replies(replies_size);
	Caches caches(CACHE * sizeof(float));
	Stream stream;

	CHECK(cudaMemsetAsync(replies, 0, replies_size, stream));
	for (int number = 0; number < CONVERSATIONS; number++) {
		void *cache = caches.begin();

		read_prompt<<<wide(), 256, 0, stream>>>(floats(cache), CACHE, number * 7919U);
		CHECK(cudaGetLastError());
		write_reply<<<wide(), 256, 0, stream>>>(floats(cache), CACHE, floats(replies));
		CHECK(cudaGetLastError());
		caches.end(cache);
	}
	answer(replies, replies_size);
}

// ---- graph_rebuild: ranks of pages, a CUDA graph of steps for each request.
// Fault: the graph is captured and instantiated again for each request.

ELEMENTWISE(spread_rank)
ELEMENTWISE(damp_rank)

class RankGraph
{
	cudaGraph_t graph_ = nullptr;
	cudaGraphExec_t exec_ = nullptr;

      public:
	void build(cudaStream_t stream, float *ranks)
	{
		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		for (int step = 0; step < 4; step++) {
			spread_rank<<<wide(), 256, 0, stream>>>(ranks, COUNT, 5 * WIDE_US);
			CHECK(cudaGetLastError());
			damp_rank<<<wide(), 256, 0, stream>>>(ranks, COUNT, 3 * WIDE_US);
			CHECK(cudaGetLastError());
		}
		CHECK(cudaStreamEndCapture(stream, &graph_));
		CHECK(cudaGraphInstantiateWithFlags(&exec_, graph_, 0));
	}
	bool built() const
	{
		return exec_ != nullptr;
	}
	void launch(cudaStream_t stream)
	{
		CHECK(cudaGraphLaunch(exec_, stream));
	}
	void release()
	{
		if (!exec_)
			return;
		CHECK(cudaGraphExecDestroy(exec_));
		CHECK(cudaGraphDestroy(graph_));
		exec_ = nullptr;
		graph_ = nullptr;
	}
	~RankGraph()
	{
		release();
	}
};

void graph_rebuild()
{
	constexpr int REQUESTS = 8000, UNDER_WAY = 4;
	Device ranks(BYTES);
	Stream stream;
	Event done[UNDER_WAY];
	RankGraph graphs[UNDER_WAY];

	seed<<<wide(), 256, 0, stream>>>(floats(ranks), COUNT, 5);
	CHECK(cudaGetLastError());
	for (int request = 0; request < REQUESTS; request++) {
		const int slot = request % UNDER_WAY;

		if (request >= UNDER_WAY)
			CHECK(cudaEventSynchronize(done[slot]));
		if (!repaired)
			graphs[slot].release();
		if (!graphs[slot].built())
			graphs[slot].build(stream, floats(ranks));
		graphs[slot].launch(stream);
		CHECK(cudaEventRecord(done[slot], stream));
	}
	answer(ranks, BYTES);
}

// ---- oscillators: independent oscillators in many short steps of time.
// Fault: a launch for each step, where the kernel could loop over the steps.

__global__ void swing(float *place, float *speed, int steps)
{
	const int i = first_index();
	float x = place[i], v = speed[i];

	for (int step = 0; step < steps; step++)
		for (int part = 0; part < 40; part++) {
			v = fmaf(x, -0.001f, v);
			x = fmaf(v, 0.001f, x);
		}
	place[i] = x;
	speed[i] = v;
}

void oscillators()
{
	constexpr int GROUPS = 264, GROUP = 128, STEPS = 350000, AT_ONCE = 1000;
	constexpr size_t SIZE = GROUPS * GROUP * sizeof(float);
	Device place(SIZE), speed(SIZE);
	Stream stream;

	seed<<<GROUPS, GROUP, 0, stream>>>(floats(place), GROUPS * GROUP, 1);
	CHECK(cudaGetLastError());
	seed<<<GROUPS, GROUP, 0, stream>>>(floats(speed), GROUPS * GROUP, 2);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step += repaired ? AT_ONCE : 1) {
		swing<<<GROUPS, GROUP, 0, stream>>>(floats(place), floats(speed),
						    repaired ? AT_ONCE : 1);
		CHECK(cudaGetLastError());
	}
	answer(place, SIZE);
}

// ---- molecules: energies of molecules of eight atoms.
// Fault: a block of eight threads for each molecule; the warp's other 24 lanes are idle.

__global__ void bond_energy(float *atoms, int rounds)
{
	const int atom = first_index();
	const unsigned lanes = 0xffU << (threadIdx.x & 24U);
	float x = atoms[atom], energy = 0;

	for (int round = 0; round < rounds; round++)
		for (int other = 1; other < 8; other++) {
			const float y = __shfl_sync(lanes, x, (int)((threadIdx.x + other) & 7U), 8);

			energy = fmaf(x - y, x - y, energy * 0.5f);
			x = fmaf(-x, x, 1.7f);
		}
	atoms[atom] = energy > 1.0f ? 1.0f / energy : energy;
}

void molecules()
{
	constexpr int MOLECULES = 1 << 18, ATOMS = MOLECULES * 8, STEPS = 1600;
	const int group = repaired ? 128 : 8;
	Device atoms(ATOMS * sizeof(float));
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(atoms), ATOMS, 3);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		bond_energy<<<ATOMS / group, group, 0, stream>>>(floats(atoms), 40);
		CHECK(cudaGetLastError());
	}
	answer(atoms, ATOMS * sizeof(float));
}

// ---- conv_tiles: a chain of look-ups in tiles that are kept in shared memory.
// Fault: a block asks for 100 KiB of shared memory and uses 8 KiB of it.

constexpr int TILE = 2048;

__global__ void __launch_bounds__(128, 16) convolve(float *image, int rounds)
{
	extern __shared__ float tile[];
	float *mine = image + (size_t)blockIdx.x * TILE;
	const unsigned lane = threadIdx.x % 32;
	unsigned row = threadIdx.x / 32;
	float x = 0;

	for (int i = (int)threadIdx.x; i < TILE; i += (int)blockDim.x)
		tile[i] = mine[i];
	__syncthreads();
	for (int round = 0; round < rounds; round++) {
		const float seen = tile[row * 32 + lane];

		x = fmaf(x, 0.5f, seen);
		row = ((__float_as_uint(seen) >> 8) + row + 1) % (TILE / 32);
	}
	__syncthreads();
	mine[threadIdx.x] = 0.4f * x;
}

void conv_tiles()
{
	constexpr int TILES = 132 * 16 * 4, STEPS = 600;
	constexpr size_t IMAGE = (size_t)TILES * TILE * sizeof(float);
	const size_t shared = repaired ? TILE * sizeof(float) : 100 << 10;
	Device image(IMAGE);
	Stream stream;

	CHECK(cudaFuncSetAttribute(convolve, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   (int)shared));
	CHECK(cudaFuncSetAttribute(convolve, cudaFuncAttributePreferredSharedMemoryCarveout,
				   cudaSharedmemCarveoutMaxShared));
	seed<<<wide(), 256, 0, stream>>>(floats(image), TILES * TILE, 4);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		convolve<<<TILES, 128, shared, stream>>>(floats(image), 2000);
		CHECK(cudaGetLastError());
	}
	answer(image, 4 << 20);
}

// ---- audit_hash: batches of records are computed on the device; the host hashes the results.
// Fault: the next batch is not begun before the hash of this one is done.

__global__ void make_records(float *records, int count, unsigned batch, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		records[i] = churn(unit(mixed((unsigned)i ^ batch << 18)), rounds);
}

void audit_hash()
{
	constexpr int BATCHES = 1000;
	constexpr size_t TAKEN = 256 << 10;
	auto records = several<Device>(2, BYTES);
	auto copies = several<Pinned>(2, TAKEN);
	Stream stream;
	Event done[2];
	uint64_t hash = hash_of("", 0);

	const auto begin = [&](int batch) {
		const int slot = batch % 2;

		make_records<<<wide(), 256, 0, stream>>>(floats(records[slot]), COUNT, batch,
							 800 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(copies[slot], records[slot], TAKEN, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(done[slot], stream));
	};
	if (repaired)
		begin(0);
	for (int batch = 0; batch < BATCHES; batch++) {
		if (!repaired)
			begin(batch);
		else if (batch + 1 < BATCHES)
			begin(batch + 1);
		CHECK(cudaEventSynchronize(done[batch % 2]));
		hash = hash_of(copies[batch % 2].at(0), TAKEN, hash);
	}
	printf("answer %016llx\n", (unsigned long long)hash);
}

// ---- storage_pipe: frames come from a storage process, which answers each request after 0.5 ms,
// however many frames it asks for.
// Fault: one frame is asked for at a time, when it is needed; not eight, ahead of time.

constexpr size_t STORED = 64 << 10;

// Each frame is looked at in several scales.
__global__ void detect(const unsigned *frame, int words, float *found, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		found[i] = churn(0.5f * found[i] + 0.5f * unit(mixed(frame[i % words])), rounds);
}

class Storage
{
	int requests_[2], frames_[2];
	pid_t process_;

	[[noreturn]] void serve() const
	{
		std::vector<unsigned> frame(STORED / sizeof(unsigned));
		unsigned number = 0;
		int wanted;

		while (read(requests_[0], &wanted, sizeof(wanted)) == sizeof(wanted)) {
			host_sleep(500);
			for (; wanted > 0; wanted--, number++) {
				for (size_t i = 0; i < frame.size(); i++)
					frame[i] = (number + 1) * 2654435761U + (unsigned)i;
				const char *at = (const char *)frame.data();
				for (size_t left = STORED; left > 0;) {
					const ssize_t sent = write(frames_[1], at, left);
					if (sent <= 0)
						_exit(1);
					at += sent;
					left -= (size_t)sent;
				}
			}
		}
		_exit(0);
	}

      public:
	// Before CUDA is begun: it does not survive a fork.
	Storage()
	{
		must(pipe(requests_) == 0 && pipe(frames_) == 0, "pipe");
		process_ = fork();
		must(process_ >= 0, "fork");
		if (process_ == 0) {
			close(requests_[1]);
			close(frames_[0]);
			serve();
		}
		close(requests_[0]);
		close(frames_[1]);
	}
	Storage(const Storage &) = delete;
	void request(int count)
	{
		must(write(requests_[1], &count, sizeof(count)) == sizeof(count), "write");
	}
	void receive(char *at, size_t size)
	{
		while (size > 0) {
			const ssize_t got = read(frames_[0], at, size);
			must(got > 0, "read");
			at += got;
			size -= (size_t)got;
		}
	}
	~Storage()
	{
		int status;

		close(requests_[1]);
		close(frames_[0]);
		waitpid(process_, &status, 0);
	}
};

void storage_pipe()
{
	constexpr int FRAMES = 1600;
	const int at_once = repaired ? 8 : 1;
	Storage storage;
	auto banks = several<Pinned>(2, STORED * at_once);
	auto words = several<Device>(2, STORED * at_once);
	Device found(BYTES);
	Stream stream;
	Event done[2];

	CHECK(cudaMemsetAsync(found, 0, BYTES, stream));
	if (repaired)
		storage.request(at_once);
	for (int frame = 0; frame < FRAMES; frame += at_once) {
		const int bank = frame / at_once % 2;

		if (!repaired)
			storage.request(1);
		CHECK(cudaEventSynchronize(done[bank]));
		storage.receive(banks[bank].at(0), STORED * at_once);
		if (repaired && frame + at_once < FRAMES)
			storage.request(at_once);
		CHECK(cudaMemcpyAsync(words[bank], banks[bank], STORED * at_once,
				      cudaMemcpyHostToDevice, stream));
		for (int i = 0; i < at_once; i++) {
			detect<<<wide(), 256, 0, stream>>>((unsigned *)words[bank].at(i * STORED),
							   STORED / 4, floats(found), COUNT,
							   150 * WIDE_US);
			CHECK(cudaGetLastError());
		}
		CHECK(cudaEventRecord(done[bank], stream));
	}
	answer(found, BYTES);
}

// ---- nap_poll: a game whose next move is sent to the device when the reply to the last is there.
// Fault: the reply is waited for by asking for it each millisecond.

OF_WORDS(think)

void nap_poll()
{
	constexpr int MOVES = 450;
	constexpr size_t BOARD = 64 << 10, REPLY = 4 << 10;
	Pinned board(BOARD), reply(REPLY);
	Device words(BYTES), values(BYTES);
	Stream stream;
	unsigned move = 1;

	CHECK(cudaMemsetAsync(words, 0, BYTES, stream));
	CHECK(cudaMemsetAsync(values, 0, BYTES, stream));
	for (int i = 0; i < MOVES; i++) {
		new_words(board, BOARD, move);
		CHECK(cudaMemcpyAsync(words, board, BOARD, cudaMemcpyHostToDevice, stream));
		think<<<wide(), 256, 0, stream>>>((unsigned *)(void *)words, floats(values), COUNT,
						  1300 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(reply, values, REPLY, cudaMemcpyDeviceToHost, stream));
		if (repaired) {
			CHECK(cudaStreamSynchronize(stream));
		} else {
			cudaError_t state;
			while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady)
				host_sleep(1000);
			CHECK(state);
		}
		move = (unsigned)hash_of(reply.at(0), REPLY);
	}
	printf("answer %u\n", move);
}

// ---- encode_callback: a recorder that renders frames on the device and encodes them on the host.
// Fault: the frames are encoded by a host function in the stream, which holds up the next frame.

ELEMENTWISE(render)

struct Encoder {
	const void *frame;
	size_t size;
	uint64_t hash;
};

void encode(void *at)
{
	Encoder *encoder = (Encoder *)at;

	encoder->hash = hash_of(encoder->frame, encoder->size, encoder->hash);
}

void encode_callback()
{
	constexpr int FRAMES = 1000;
	constexpr size_t FRAME = 256 << 10;
	auto frames = several<Pinned>(2, FRAME);
	Device picture(BYTES);
	Stream stream;
	Event done[2];
	Encoder encoder = {nullptr, FRAME, hash_of("", 0)};
	Encoder of_slot[2] = {encoder, encoder};

	seed<<<wide(), 256, 0, stream>>>(floats(picture), COUNT, 6);
	CHECK(cudaGetLastError());
	for (int i = 0; i < FRAMES + 1; i++) {
		const int slot = i % 2;

		of_slot[slot].frame = frames[slot].at(0);
		if (i < FRAMES) {
			render<<<wide(), 256, 0, stream>>>(floats(picture), COUNT, 800 * WIDE_US);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(frames[slot], picture, FRAME, cudaMemcpyDeviceToHost,
					      stream));
			if (!repaired)
				CHECK(cudaLaunchHostFunc(stream, encode, &of_slot[slot]));
			CHECK(cudaEventRecord(done[slot], stream));
		}
		// The frame before, while this one is rendered.
		if (i > 0) {
			CHECK(cudaEventSynchronize(done[1 - slot]));
			if (repaired)
				encode(&of_slot[1 - slot]);
		}
	}
	printf("answer %016llx %016llx\n", (unsigned long long)of_slot[0].hash,
	       (unsigned long long)of_slot[1].hash);
}

// ---- query_build: a database that makes kernels of its queries with NVRTC (dlopen).
// Fault: the kernel of a query is built again, though there are only three queries.

class Nvrtc
{
	void *library_ = nullptr;

	template <class Function> Function find(const char *name) const
	{
		void *at = dlsym(library_, name);

		must(at, name);
		return (Function)at;
	}

      public:
	Nvrtc()
	{
		static const char *const names[] = {
			"libnvrtc.so.13",
			"libnvrtc.so.12",
			"libnvrtc.so",
			"/usr/local/cuda/lib64/libnvrtc.so.13",
			"/usr/local/cuda/lib64/libnvrtc.so.12",
			"/usr/local/cuda/lib64/libnvrtc.so",
		};
		for (const char *name : names)
			if ((library_ = dlopen(name, RTLD_NOW)))
				return;
		must(false, "dlopen of libnvrtc");
	}
	Nvrtc(const Nvrtc &) = delete;
	std::vector<char> build(const std::string &source, const std::string &target) const
	{
		const auto create = find<decltype(&nvrtcCreateProgram)>("nvrtcCreateProgram");
		const auto compile = find<decltype(&nvrtcCompileProgram)>("nvrtcCompileProgram");
		const auto size = find<decltype(&nvrtcGetCUBINSize)>("nvrtcGetCUBINSize");
		const auto get = find<decltype(&nvrtcGetCUBIN)>("nvrtcGetCUBIN");
		const auto destroy = find<decltype(&nvrtcDestroyProgram)>("nvrtcDestroyProgram");
		const char *options[] = {target.c_str()};
		nvrtcProgram program;
		size_t bytes;

		must(create(&program, source.c_str(), "query.cu", 0, nullptr, nullptr) ==
			     NVRTC_SUCCESS,
		     "nvrtcCreateProgram");
		must(compile(program, 1, options) == NVRTC_SUCCESS, "nvrtcCompileProgram");
		must(size(program, &bytes) == NVRTC_SUCCESS, "nvrtcGetCUBINSize");
		std::vector<char> binary(bytes);
		must(get(program, binary.data()) == NVRTC_SUCCESS, "nvrtcGetCUBIN");
		must(destroy(&program) == NVRTC_SUCCESS, "nvrtcDestroyProgram");
		return binary;
	}
};

class Query
{
	CUmodule module_;
	CUfunction function_;

      public:
	Query(const Nvrtc &nvrtc, const std::string &expression)
	{
		int major, minor;

		CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
		CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
		const auto binary = nvrtc.build(
			"extern \"C\" __global__ void query(float *rows, int count, int rounds)\n"
			"{\n"
			"	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;\n"
			"	     i += gridDim.x * blockDim.x) {\n"
			"		float x = rows[i];\n"
			"		for (int round = 0; round < rounds; round++)\n"
			"			x = " +
				expression +
				";\n"
				"		rows[i] = x;\n"
				"	}\n"
				"}\n",
			"--gpu-architecture=sm_" + std::to_string(major * 10 + minor));
		must(cuModuleLoadData(&module_, binary.data()) == CUDA_SUCCESS, "cuModuleLoadData");
		must(cuModuleGetFunction(&function_, module_, "query") == CUDA_SUCCESS,
		     "cuModuleGetFunction");
	}
	Query(const Query &) = delete;
	void run(CUdeviceptr rows, int count, int rounds, cudaStream_t stream)
	{
		void *words[] = {&rows, &count, &rounds};

		must(cuLaunchKernel(function_, (unsigned)wide(), 1, 1, 256, 1, 1, 0, stream, words,
				    nullptr) == CUDA_SUCCESS,
		     "cuLaunchKernel");
	}
	~Query()
	{
		must(cuModuleUnload(module_) == CUDA_SUCCESS, "cuModuleUnload");
	}
};

void query_build()
{
	static const char *const expressions[] = {"fmaf(-x, x, 1.7f)", "fmaf(-x, x, 1.6f)",
						  "fmaf(-x, x, 1.5f)"};
	constexpr int QUERIES = 60, PARTS = 5;
	constexpr size_t SEEN = 4096;
	Device rows(BYTES);
	Pinned seen(SEEN);
	Stream stream;
	Nvrtc nvrtc;
	std::map<std::string, std::unique_ptr<Query>> known;
	uint64_t hash = hash_of("", 0);

	seed<<<wide(), 256, 0, stream>>>(floats(rows), COUNT, 7);
	CHECK(cudaGetLastError());
	for (int i = 0; i < QUERIES; i++) {
		auto &query = known[expressions[i % 3]];

		if (!query)
			query = std::make_unique<Query>(nvrtc, expressions[i % 3]);
		for (int part = 0; part < PARTS; part++)
			query->run((CUdeviceptr)(void *)rows, COUNT, 2000 * WIDE_US, stream);
		CHECK(cudaMemcpyAsync(seen, rows, SEEN, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(seen.at(0), SEEN, hash);
		if (!repaired)
			query.reset();
	}
	printf("answer %016llx\n", (unsigned long long)hash);
}

// ---- camera_order: four cameras, each with a stream and kernels for a quarter of the device.
// Fault: the frame of a camera waits for the event of the camera before it.

ELEMENTWISE(track)

void camera_order()
{
	constexpr int CAMERAS = 4, FRAMES = 2000, POINTS = QUARTER * 256;
	auto points = several<Device>(CAMERAS, POINTS * sizeof(float));
	Device all(CAMERAS * POINTS * sizeof(float));
	Stream streams[CAMERAS];
	Event done[CAMERAS];

	for (int camera = 0; camera < CAMERAS; camera++) {
		seed<<<QUARTER, 256, 0, streams[camera]>>>(floats(points[camera]), POINTS, camera);
		CHECK(cudaGetLastError());
	}
	for (int frame = 0; frame < FRAMES; frame++)
		for (int camera = 0; camera < CAMERAS; camera++) {
			if (!repaired)
				CHECK(cudaStreamWaitEvent(streams[camera],
							  done[(camera + CAMERAS - 1) % CAMERAS],
							  0));
			track<<<QUARTER, 256, 0, streams[camera]>>>(floats(points[camera]), POINTS,
								    150 * NARROW_US);
			CHECK(cudaGetLastError());
			if (!repaired)
				CHECK(cudaEventRecord(done[camera], streams[camera]));
		}
	for (int camera = 0; camera < CAMERAS; camera++)
		CHECK(cudaMemcpyAsync(all.at(camera * POINTS * sizeof(float)), points[camera],
				      POINTS * sizeof(float), cudaMemcpyDeviceToDevice,
				      streams[camera]));
	answer(all, CAMERAS * POINTS * sizeof(float));
}

// ---- one_buffer: seismic traces, uploaded in a stream and migrated in another one.
// Fault: the streams share one buffer, so that they take turns by events; with two they overlap.

OF_WORDS(migrate)

void one_buffer()
{
	constexpr int SHOTS = 1500, WORDS = 4 << 20;
	constexpr size_t SHOT = WORDS * sizeof(unsigned);
	const int buffers = repaired ? 2 : 1;
	auto shots = several<Pinned>(2, SHOT);
	auto traces = several<Device>(buffers, SHOT);
	Device image(SHOT);
	Stream uploads, kernels;
	Event uploaded[2], used[2];

	CHECK(cudaMemsetAsync(image, 0, SHOT, kernels));
	for (int shot = 0; shot < SHOTS; shot++) {
		const int slot = shot % 2, buffer = shot % buffers;

		CHECK(cudaEventSynchronize(uploaded[slot])); // the pinned buffer is free
		new_words(shots[slot], SHOT, shot);
		CHECK(cudaStreamWaitEvent(uploads, used[buffer], 0));
		CHECK(cudaMemcpyAsync(traces[buffer], shots[slot], SHOT, cudaMemcpyHostToDevice,
				      uploads));
		CHECK(cudaEventRecord(uploaded[slot], uploads));
		CHECK(cudaStreamWaitEvent(kernels, uploaded[slot], 0));
		migrate<<<wide(), 256, 0, kernels>>>((unsigned *)(void *)traces[buffer],
						     floats(image), WORDS, 2000);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(used[buffer], kernels));
	}
	answer(image, SHOT);
}

// ---- stats_clear: four feeds of news, each with a stream and counters that it clears.
// Fault: the counters are cleared in the legacy default stream, which all streams wait for.

__global__ void count_words(float *data, int count, int rounds, unsigned *counters)
{
	const int i = first_index();

	if (i >= count)
		return;
	data[i] = churn(data[i], rounds);
	atomicAdd(counters + (__float_as_uint(data[i]) >> 8) % 256, 1U);
}

struct Feed {
	Device words;
	cudaStream_t stream;
	unsigned *counters;

	Feed(int count, unsigned number, unsigned *counters_)
	    : words(count * sizeof(float)), counters(counters_)
	{
		CHECK(cudaStreamCreate(&stream));
		seed<<<QUARTER, 256, 0, stream>>>(floats(words), count, number);
		CHECK(cudaGetLastError());
	}
	Feed(const Feed &) = delete;
	~Feed()
	{
		CHECK(cudaStreamDestroy(stream));
	}
};

void stats_clear()
{
	constexpr int FEEDS = 4, PARTS = 1500, WORDS = QUARTER * 256;
	constexpr size_t SIZE = 256 * sizeof(unsigned);
	Device counters(FEEDS * SIZE);
	std::vector<std::unique_ptr<Feed>> feeds;

	for (int number = 0; number < FEEDS; number++)
		feeds.push_back(std::make_unique<Feed>(WORDS, number,
						       (unsigned *)counters.at(number * SIZE)));
	for (int part = 0; part < PARTS; part++)
		for (auto &feed : feeds) {
			CHECK(cudaMemsetAsync(feed->counters, 0, SIZE,
					      repaired ? feed->stream : nullptr));
			count_words<<<QUARTER, 256, 0, feed->stream>>>(
				floats(feed->words), WORDS, 150 * NARROW_US, feed->counters);
			CHECK(cudaGetLastError());
		}
	answer(counters, FEEDS * SIZE);
}

// ---- pageable_clip: a clip of film, uploaded frame by frame in two streams.
// Fault: the frames lie in pageable memory.

OF_WORDS(denoise)

class Frame
{
	char *at_ = nullptr;

      public:
	Frame(size_t bytes)
	{
		if (repaired)
			CHECK(cudaMallocHost((void **)&at_, bytes));
		else
			at_ = (char *)malloc(bytes);
		must(at_, "malloc");
		for (size_t i = 0; i < bytes; i += 4)
			*(unsigned *)(at_ + i) = (unsigned)i * 2654435761U;
	}
	Frame(const Frame &) = delete;
	Frame(Frame &&other) : at_(other.at_)
	{
		other.at_ = nullptr;
	}
	~Frame()
	{
		if (repaired)
			CHECK(cudaFreeHost(at_));
		else
			free(at_);
	}
	char *at(size_t byte)
	{
		return at_ + byte;
	}
};

void pageable_clip()
{
	constexpr int FRAMES = 1200, SLOTS = 2, WORDS = 2 << 20;
	constexpr size_t SIZE = WORDS * sizeof(unsigned);
	auto frames = several<Frame>(SLOTS, SIZE);
	auto words = several<Device>(SLOTS, SIZE), clean = several<Device>(SLOTS, SIZE);
	Stream streams[SLOTS];
	Event uploaded[SLOTS];

	for (int slot = 0; slot < SLOTS; slot++)
		CHECK(cudaMemsetAsync(clean[slot], 0, SIZE, streams[slot]));
	for (int i = 0; i < FRAMES; i++) {
		const int slot = i % SLOTS;

		CHECK(cudaEventSynchronize(uploaded[slot]));
		for (size_t at = 0; at < SIZE; at += 4096)
			*(unsigned *)frames[slot].at(at) = (unsigned)i * 40503U + (unsigned)at;
		CHECK(cudaMemcpyAsync(words[slot], frames[slot].at(0), SIZE, cudaMemcpyHostToDevice,
				      streams[slot]));
		CHECK(cudaEventRecord(uploaded[slot], streams[slot]));
		denoise<<<wide(), 256, 0, streams[slot]>>>((unsigned *)(void *)words[slot],
							   floats(clean[slot]), WORDS, 3500);
		CHECK(cudaGetLastError());
	}
	answer(clean[1], SIZE);
}

// ---- checkpoint: a simulation that keeps the state of each step on the device, for the mean.
// Fault: the state is copied there by way of the host.

ELEMENTWISE(advance)

__global__ void mean_of_steps(const float *history, float *mean, int cells, int steps)
{
	for (int i = first_index(); i < cells; i += index_step()) {
		float sum = 0;

		for (int step = 0; step < steps; step++)
			sum += history[(size_t)step * (size_t)cells + (size_t)i];
		mean[i] = sum / (float)steps;
	}
}

void checkpoint()
{
	constexpr int STEPS = 1000, CELLS = 4 << 20;
	constexpr size_t SIZE = CELLS * sizeof(float);
	Device state(SIZE), mean(SIZE), history(STEPS * SIZE);
	Pinned host(SIZE);
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(state), CELLS, 8);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		void *kept = history.at(step * SIZE);

		advance<<<wide(), 256, 0, stream>>>(floats(state), CELLS, 2400);
		CHECK(cudaGetLastError());
		if (repaired) {
			CHECK(cudaMemcpyAsync(kept, state, SIZE, cudaMemcpyDeviceToDevice, stream));
		} else {
			CHECK(cudaMemcpyAsync(host, state, SIZE, cudaMemcpyDeviceToHost, stream));
			CHECK(cudaMemcpyAsync(kept, host, SIZE, cudaMemcpyHostToDevice, stream));
		}
	}
	mean_of_steps<<<wide(), 256, 0, stream>>>(floats(history), floats(mean), CELLS, STEPS);
	CHECK(cudaGetLastError());
	answer(mean, SIZE);
}

// ---- rank_processes: four ranks of a lattice, each with kernels for a quarter of the device.
// Fault: each rank is a process of its own, so that the device runs them in turns; repaired, they
// are four streams of one process.

ELEMENTWISE(lattice)

uint64_t run_ranks(int first, int count)
{
	constexpr int STEPS = 1200, SITES = QUARTER * 256;
	auto sites = several<Device>(count, SITES * sizeof(float));
	std::vector<float> seen(SITES);
	std::vector<Stream> streams(count);
	uint64_t sum = 0;

	for (int rank = 0; rank < count; rank++) {
		seed<<<QUARTER, 256, 0, streams[rank]>>>(floats(sites[rank]), SITES, first + rank);
		CHECK(cudaGetLastError());
	}
	for (int step = 0; step < STEPS; step++)
		for (int rank = 0; rank < count; rank++) {
			lattice<<<QUARTER, 256, 0, streams[rank]>>>(floats(sites[rank]), SITES,
								    250 * NARROW_US);
			CHECK(cudaGetLastError());
		}
	CHECK(cudaDeviceSynchronize());
	for (int rank = 0; rank < count; rank++) {
		CHECK(cudaMemcpy(seen.data(), sites[rank], SITES * sizeof(float),
				 cudaMemcpyDeviceToHost));
		sum += hash_of(seen.data(), SITES * sizeof(float));
	}
	return sum;
}

void rank_processes()
{
	constexpr int RANKS = 4;
	uint64_t sum = 0;
	int results[2];

	must(pipe(results) == 0, "pipe");
	if (!repaired)
		for (int rank = 1; rank < RANKS; rank++) {
			const pid_t process = fork();

			must(process >= 0, "fork");
			if (process > 0)
				continue;
			sum = run_ranks(rank, 1);
			_exit(write(results[1], &sum, sizeof(sum)) != sizeof(sum));
		}
	close(results[1]);
	sum = repaired ? run_ranks(0, RANKS) : run_ranks(0, 1);
	if (!repaired)
		for (int rank = 1; rank < RANKS; rank++) {
			uint64_t other;
			int status;

			must(read(results[0], &other, sizeof(other)) == sizeof(other), "a rank");
			must(wait(&status) > 0 && status == 0, "a rank");
			sum += other;
		}
	close(results[0]);
	printf("answer %016llx\n", (unsigned long long)sum);
}

// ---- knob_words: an audio mixer whose knobs are set before each block of samples.
// Fault: each knob is a copy of 4 bytes, where one copy could set all.

constexpr int KNOBS = 48;

__global__ void mix(float *samples, int count, int rounds, const float *knobs)
{
	for (int i = first_index(); i < count; i += index_step())
		samples[i] = churn(0.5f * samples[i] + 0.5f * knobs[i % KNOBS], rounds);
}

void knob_words()
{
	constexpr int PARTS = 5000;
	constexpr size_t SET = KNOBS * sizeof(float);
	Pinned settings(PARTS * SET);
	Device samples(BYTES), knobs(SET);
	Stream stream;

	for (int i = 0; i < PARTS * KNOBS; i++)
		((float *)settings.at(0))[i] = (float)(i * 31 % 997) / 997;
	seed<<<wide(), 256, 0, stream>>>(floats(samples), COUNT, 9);
	CHECK(cudaGetLastError());
	for (int part = 0; part < PARTS; part++) {
		const size_t each = repaired ? SET : sizeof(float);

		for (size_t at = 0; at < SET; at += each)
			CHECK(cudaMemcpyAsync(knobs.at(at), settings.at(part * SET + at), each,
					      cudaMemcpyHostToDevice, stream));
		mix<<<wide(), 256, 0, stream>>>(floats(samples), COUNT, 60 * WIDE_US,
						floats(knobs));
		CHECK(cudaGetLastError());
	}
	answer(samples, BYTES);
}

// ---- token_count: words of a text are counted by their hash.
// Fault: sixteen blocks, so that most multiprocessors have none.

__global__ void count_tokens(const unsigned *text, int count, unsigned salt, unsigned *sum)
{
	unsigned mine = 0;

	for (int i = first_index(); i < count; i += index_step()) {
		unsigned token = text[i] ^ salt;

		for (int round = 0; round < 16; round++)
			token = mixed(token);
		mine += token % 1000;
	}
	for (int lanes = 16; lanes > 0; lanes /= 2)
		mine += __shfl_xor_sync(0xffffffffU, mine, lanes);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, mine);
}

void token_count()
{
	constexpr int TOKENS = 8 << 20, FEW = 16, SALTS = 1200;
	Device text(TOKENS * sizeof(unsigned)), sum(sizeof(unsigned));
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(text), TOKENS, 10);
	CHECK(cudaGetLastError());
	CHECK(cudaMemsetAsync(sum, 0, sizeof(unsigned), stream));
	for (int salt = 0; salt < SALTS; salt++) {
		count_tokens<<<repaired ? wide() : FEW, 256, 0, stream>>>(
			(unsigned *)(void *)text, TOKENS, salt, (unsigned *)(void *)sum);
		CHECK(cudaGetLastError());
	}
	answer(sum, sizeof(unsigned));
}

// Slices that are uploaded, computed and read back in the streams that are given, three under way.
// The host makes each slice and sums up each result.
template <class Compute>
uint64_t sliced(int slices, size_t up, size_t down, int queues, const Compute &compute)
{
	constexpr int SLOTS = 3;
	auto sources = several<Pinned>(SLOTS, up), results = several<Pinned>(SLOTS, down);
	auto inputs = several<Device>(SLOTS, up), outputs = several<Device>(SLOTS, up);
	std::vector<Stream> streams(queues);
	std::vector<Event> done(SLOTS);
	uint64_t sum = 0;

	for (int slot = 0; slot < SLOTS; slot++)
		CHECK(cudaMemsetAsync(outputs[slot], 0, up, streams[slot % queues]));
	for (int i = 0; i < slices + SLOTS; i++) {
		const int slot = i % SLOTS;
		cudaStream_t stream = streams[slot % queues];

		if (i >= SLOTS) {
			const unsigned *words = (const unsigned *)results[slot].at(0);
			unsigned of_slice = 0;

			CHECK(cudaEventSynchronize(done[slot]));
			for (size_t at = 0; at < down / sizeof(unsigned); at++)
				of_slice += words[at];
			sum = sum * 31 + of_slice;
		}
		if (i >= slices)
			continue;
		new_words(sources[slot], up, i);
		CHECK(cudaMemcpyAsync(inputs[slot], sources[slot], up, cudaMemcpyHostToDevice,
				      stream));
		compute((unsigned *)(void *)inputs[slot], floats(outputs[slot]), stream);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(results[slot], outputs[slot], down, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(done[slot], stream));
	}
	return sum;
}

// ---- tomograph: slices are uploaded, projected and read back.
// Fault: all in one stream, where three would overlap copies and kernels.

OF_WORDS(project)

void tomograph()
{
	constexpr size_t UP = 6 << 20, DOWN = 1 << 20;
	const uint64_t sum =
		sliced(3000, UP, DOWN, repaired ? 3 : 1,
		       [](const unsigned *words, float *values, cudaStream_t stream) {
			       project<<<wide(), 256, 0, stream>>>(words, values, UP / 4, 3700);
		       });
	printf("answer %016llx\n", (unsigned long long)sum);
}

// ---- halo_column: a grid whose right edge is sent on after each step.
// Fault: the edge is read as a strided box of rows of 8 bytes, not packed by a kernel first.

constexpr int EDGE_ROWS = 64 << 10, EDGE_COLUMNS = 128;

__global__ void stencil(double *grid, int count, double weight)
{
	for (int i = first_index(); i < count; i += index_step())
		grid[i] = fma(grid[i], weight, 1e-3 * (double)(i % EDGE_COLUMNS));
}

__global__ void pack_edge(const double *grid, double *edge)
{
	for (int row = first_index(); row < EDGE_ROWS; row += index_step())
		edge[row] = grid[(size_t)row * EDGE_COLUMNS + EDGE_COLUMNS - 1];
}

void halo_column()
{
	constexpr int STEPS = 1200, CELLS = EDGE_ROWS * EDGE_COLUMNS;
	constexpr size_t EDGE = EDGE_ROWS * sizeof(double), ROW = EDGE_COLUMNS * sizeof(double);
	auto edges = several<Pinned>(2, EDGE);
	Device grid(CELLS * sizeof(double)), packed(EDGE);
	Stream stream;
	Event done[2];
	double sum = 0;

	CHECK(cudaMemsetAsync(grid, 0, CELLS * sizeof(double), stream));
	for (int step = 0; step < STEPS + 2; step++) {
		const int slot = step % 2;

		if (step >= 2) {
			const double *edge = (const double *)edges[slot].at(0);

			CHECK(cudaEventSynchronize(done[slot]));
			for (int row = 0; row < EDGE_ROWS; row++)
				sum += edge[row];
		}
		if (step >= STEPS)
			continue;
		for (int part = 0; part < 6; part++) {
			stencil<<<wide(), 256, 0, stream>>>((double *)(void *)grid, CELLS,
							    0.9 + 0.01 * (step % 7));
			CHECK(cudaGetLastError());
		}
		if (repaired) {
			pack_edge<<<EDGE_ROWS / 256, 256, 0, stream>>>((double *)(void *)grid,
								       (double *)(void *)packed);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(edges[slot], packed, EDGE, cudaMemcpyDeviceToHost,
					      stream));
		} else {
			CHECK(cudaMemcpy2DAsync(edges[slot], sizeof(double),
						grid.at(ROW - sizeof(double)), ROW, sizeof(double),
						EDGE_ROWS, cudaMemcpyDeviceToHost, stream));
		}
		CHECK(cudaEventRecord(done[slot], stream));
	}
	printf("answer %.17g\n", sum);
}

// ---- drain_all: a broker with a stream for each of 256 clients; one asks at a time.
// Fault: after a reply it waits for the streams of all clients, which have nothing to do.

ELEMENTWISE(price)

void drain_all()
{
	constexpr int CLIENTS = 256, REQUESTS = 1500;
	constexpr size_t REPLY = 1024;
	std::vector<Stream> streams(CLIENTS);
	Device market(BYTES);
	Pinned reply(REPLY);
	unsigned client = 0;
	uint64_t hash = hash_of("", 0);

	seed<<<wide(), 256, 0, streams[0]>>>(floats(market), COUNT, 11);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(streams[0]));
	for (int request = 0; request < REQUESTS; request++) {
		cudaStream_t stream = streams[client];

		price<<<wide(), 256, 0, stream>>>(floats(market), COUNT, 400 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(reply, market, REPLY, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		if (!repaired)
			for (auto &other : streams)
				CHECK(cudaStreamSynchronize(other));
		// Who asks next depends on the reply.
		hash = hash_of(reply.at(0), REPLY, hash);
		client = (unsigned)(hash % CLIENTS);
	}
	printf("answer %016llx\n", (unsigned long long)hash);
}

// ---- clean_step_control: the host chooses the next step of time by the error of this one.

ELEMENTWISE(integrate)

void clean_step_control()
{
	constexpr int STEPS = 500;
	Device bodies(BYTES);
	Pinned error(64);
	Stream stream;
	double time = 0;
	int rounds = 1500 * WIDE_US;

	seed<<<wide(), 256, 0, stream>>>(floats(bodies), COUNT, 12);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		float seen;

		integrate<<<wide(), 256, 0, stream>>>(floats(bodies), COUNT, rounds);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(error, bodies, sizeof(seen), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		memcpy(&seen, error.at(0), sizeof(seen));
		rounds = (int)(1500 * WIDE_US * (1.0 + 0.2 * seen));
		time += rounds * 1e-6;
	}
	printf("answer %.12g\n", time);
}

// ---- clean_ring: an audio effect, three parts under way in three streams.

OF_WORDS(reverb)

void clean_ring()
{
	constexpr size_t PART = 1 << 20;
	const uint64_t sum = sliced(
		3000, PART, PART, 3, [](const unsigned *words, float *values, cudaStream_t stream) {
			reverb<<<wide(), 256, 0, stream>>>(words, values, PART / 4, 280 * WIDE_US);
		});
	printf("answer %016llx\n", (unsigned long long)sum);
}

// ---- clean_graph: layers of a network as a graph that is built once and launched for each input.

ELEMENTWISE(dense_layer)
ELEMENTWISE(activation)

void clean_graph()
{
	constexpr int INPUTS = 2500, LAYERS = 6;
	Device values(BYTES);
	Stream stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	seed<<<wide(), 256, 0, stream>>>(floats(values), COUNT, 13);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int layer = 0; layer < LAYERS; layer++) {
		dense_layer<<<wide(), 256, 0, stream>>>(floats(values), COUNT, 40 * WIDE_US);
		CHECK(cudaGetLastError());
		activation<<<wide(), 256, 0, stream>>>(floats(values), COUNT, 20 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int input = 0; input < INPUTS; input++)
		CHECK(cudaGraphLaunch(exec, stream));
	answer(values, BYTES);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

// ---- clean_keys: the host stretches a key, which cannot be done in parallel; what the device has
// to do is enqueued before and over long before.

ELEMENTWISE(scan_volume)

void clean_keys()
{
	constexpr int PARTS = 100, STRETCHES = 600 << 20;
	Device volume(BYTES);
	Pinned seen(BYTES);
	Stream stream;
	uint64_t key = hash_of("key", 3);

	seed<<<wide(), 256, 0, stream>>>(floats(volume), COUNT, 14);
	CHECK(cudaGetLastError());
	for (int part = 0; part < PARTS; part++) {
		scan_volume<<<wide(), 256, 0, stream>>>(floats(volume), COUNT, 2000 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpyAsync(seen, volume, BYTES, cudaMemcpyDeviceToHost, stream));
	for (int i = 0; i < STRETCHES; i++)
		key = (key ^ (key >> 29)) * 0x9e3779b97f4a7c15ULL;
	CHECK(cudaStreamSynchronize(stream));
	printf("answer %016llx\n", (unsigned long long)hash_of(seen.at(0), BYTES, key));
}

// ---- clean_pool: scratch memory for each batch, from a pool that keeps it.

__global__ void gather(const float *from, float *scratch, int count)
{
	for (int i = first_index(); i < count; i += index_step())
		scratch[i] = from[mixed((unsigned)i) % (unsigned)count];
}

__global__ void scatter(const float *scratch, float *to, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		to[i] = churn(0.5f * to[i] + 0.5f * scratch[i], rounds);
}

void clean_pool()
{
	constexpr int BATCHES = 2500;
	cudaMemPool_t pool;
	uint64_t all = UINT64_MAX;
	Device values(BYTES);
	Stream stream;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
	seed<<<wide(), 256, 0, stream>>>(floats(values), COUNT, 15);
	CHECK(cudaGetLastError());
	for (int batch = 0; batch < BATCHES; batch++) {
		void *scratch;

		CHECK(cudaMallocAsync(&scratch, BYTES, stream));
		gather<<<wide(), 256, 0, stream>>>(floats(values), floats(scratch), COUNT);
		CHECK(cudaGetLastError());
		scatter<<<wide(), 256, 0, stream>>>(floats(scratch), floats(values), COUNT,
						    300 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaFreeAsync(scratch, stream));
	}
	answer(values, BYTES);
}

// ---- clean_few_polls: a player that mixes sound on the host and looks now and then whether the
// device has room for another batch of frames; two are under way.

ELEMENTWISE(trace_rays)

void clean_few_polls()
{
	constexpr int BATCHES = 50, FRAMES = 20, SOUNDS = 700, SOUND = 512 << 10;
	std::vector<unsigned char> sound(SOUND, 1);
	Device picture(BYTES);
	Stream stream;
	Event done[2];
	uint64_t hash = hash_of("", 0);
	int batch = 0;

	const auto begin = [&] {
		for (int frame = 0; frame < FRAMES; frame++) {
			trace_rays<<<wide(), 256, 0, stream>>>(floats(picture), COUNT,
							       1000 * WIDE_US);
			CHECK(cudaGetLastError());
		}
		CHECK(cudaEventRecord(done[batch % 2], stream));
		batch++;
	};
	seed<<<wide(), 256, 0, stream>>>(floats(picture), COUNT, 16);
	CHECK(cudaGetLastError());
	begin();
	begin();
	for (int part = 0; part < SOUNDS; part++) {
		hash = hash_of(sound.data(), SOUND, hash);
		if (part % 8 || batch == BATCHES)
			continue;
		const cudaError_t state = cudaEventQuery(done[batch % 2]);
		if (state == cudaSuccess)
			begin();
		else if (state != cudaErrorNotReady)
			CHECK(state);
	}
	while (batch < BATCHES) {
		CHECK(cudaEventSynchronize(done[batch % 2]));
		begin();
	}
	printf("sound %016llx\n", (unsigned long long)hash);
	answer(picture, BYTES);
}

// ---- clean_cooperative: a solver whose phases are parted by a barrier of the whole grid; its
// result lies in managed memory, which the host reads at the end.

__global__ void __launch_bounds__(256, 8) solve(float *values, int count, int phases, int rounds)
{
	const cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	for (int phase = 0; phase < phases; phase++) {
		float *from = values + phase % 2 * count, *to = values + (phase + 1) % 2 * count;

		for (int i = first_index(); i < count; i += index_step())
			to[i] = churn(0.5f * from[i] +
					      0.5f * from[mixed((unsigned)i) % (unsigned)count],
				      rounds);
		grid.sync();
	}
}

void clean_cooperative()
{
	constexpr int SOLVES = 40;
	int count = COUNT, phases = 200, rounds = 100 * WIDE_US, blocks, units;
	float *values;
	Stream stream;

	CHECK(cudaMallocManaged((void **)&values, 2 * BYTES));
	CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, solve, 256, 0));
	seed<<<wide(), 256, 0, stream>>>(values, 2 * COUNT, 17);
	CHECK(cudaGetLastError());
	for (int i = 0; i < SOLVES; i++) {
		void *words[] = {&values, &count, &phases, &rounds};

		CHECK(cudaLaunchCooperativeKernel((const void *)solve,
						  dim3((unsigned)(blocks * units)), dim3(256),
						  words, 0, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	printf("answer %016llx\n", (unsigned long long)hash_of(values, BYTES));
	CHECK(cudaFree(values));
}

// ---- clean_workers: four threads take requests from a list; each waits for its reply, while the
// others keep the device busy.

OF_WORDS(recommend)

class Requests
{
	std::mutex lock_;
	int next_ = 0;
	const int count_;

      public:
	Requests(int count) : count_(count)
	{
	}
	int take()
	{
		const std::lock_guard<std::mutex> hold(lock_);

		return next_ < count_ ? next_++ : -1;
	}
};

void clean_workers()
{
	constexpr int WORKERS = 4, REQUESTS = 2500;
	constexpr size_t ASKED = 256 << 10, REPLY = 4 << 10;
	Requests requests(REQUESTS);
	std::vector<uint64_t> replies(REQUESTS);
	std::vector<std::thread> workers;

	for (int worker = 0; worker < WORKERS; worker++)
		workers.emplace_back([&] {
			Pinned asked(ASKED), reply(REPLY);
			Device words(BYTES), values(BYTES);
			Stream stream;
			cudaEvent_t done;
			int request;

			CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming |
								      cudaEventBlockingSync));
			CHECK(cudaMemsetAsync(words, 0, BYTES, stream));
			while ((request = requests.take()) >= 0) {
				new_words(asked, ASKED, request);
				CHECK(cudaMemcpyAsync(words, asked, ASKED, cudaMemcpyHostToDevice,
						      stream));
				CHECK(cudaMemsetAsync(values, 0, BYTES, stream));
				recommend<<<wide(), 256, 0, stream>>>((unsigned *)(void *)words,
								      floats(values), COUNT,
								      300 * WIDE_US);
				CHECK(cudaGetLastError());
				CHECK(cudaMemcpyAsync(reply, values, REPLY, cudaMemcpyDeviceToHost,
						      stream));
				CHECK(cudaEventRecord(done, stream));
				CHECK(cudaEventSynchronize(done));
				replies[request] = hash_of(reply.at(0), REPLY);
			}
			CHECK(cudaEventDestroy(done));
		});
	for (auto &worker : workers)
		worker.join();
	printf("answer %016llx\n",
	       (unsigned long long)hash_of(replies.data(), REQUESTS * sizeof(uint64_t)));
}

const Case cases[] = {
	CASE(plasma_residual),	  CASE(pool_trim),     CASE(grade_lut),
	CASE(chat_cache),	  CASE(graph_rebuild), CASE(oscillators),
	CASE(molecules),	  CASE(conv_tiles),    CASE(audit_hash),
	CASE(storage_pipe),	  CASE(nap_poll),      CASE(encode_callback),
	CASE(query_build),	  CASE(camera_order),  CASE(one_buffer),
	CASE(stats_clear),	  CASE(pageable_clip), CASE(checkpoint),
	CASE(rank_processes),	  CASE(knob_words),    CASE(token_count),
	CASE(tomograph),	  CASE(halo_column),   CASE(drain_all),
	CASE(clean_step_control), CASE(clean_ring),    CASE(clean_graph),
	CASE(clean_keys),	  CASE(clean_pool),    CASE(clean_few_polls),
	CASE(clean_cooperative),  CASE(clean_workers),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
