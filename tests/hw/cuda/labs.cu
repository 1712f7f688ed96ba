// SPDX-License-Identifier: MIT
// labs CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cases.h"
#include "faults.h"

namespace
{
// Threads that fill an H100 once (1056 blocks of 256), and an element for each.
constexpr int WIDE = 1056;
constexpr int COUNT = WIDE * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of churn() that take 1 us: with all threads of the device, and with few warps on each
// multiprocessor.
constexpr int WIDE_US = 110;
constexpr int NARROW_US = 440;

void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

#define DRIVER(call) must((call) == CUDA_SUCCESS, #call)

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

// A kernel that changes each element by itself.
#define ELEMENTWISE(name)                                                 \
	__global__ void name(float *data, int count, int rounds)          \
	{                                                                 \
		for (int i = first_index(); i < count; i += index_step()) \
			data[i] = churn(data[i], rounds);                 \
	}
// A kernel that mixes words, which are a power of two, into each element.
#define OF_WORDS(name)                                                                            \
	__global__ void name(const unsigned *words, int last, float *data, int count, int rounds) \
	{                                                                                         \
		for (int i = first_index(); i < count; i += index_step())                         \
			data[i] = churn(0.5f * data[i] + 0.5f * unit(mixed(words[i & last])),     \
					rounds);                                                  \
	}

uint64_t hash_of(const void *bytes, size_t count, uint64_t hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

uint64_t add_word(uint64_t hash, uint32_t word)
{
	return (hash ^ word) * 0x100000001b3ULL;
}

// The hash of one word in each `step` bytes.
uint64_t sampled(const char *bytes, size_t count, size_t step, uint64_t hash)
{
	for (size_t at = 0; at < count; at += step) {
		uint32_t word;

		memcpy(&word, bytes + at, sizeof(word));
		hash = add_word(hash, word);
	}
	return hash;
}

void tell(uint64_t hash)
{
	printf("answer %016llx\n", (unsigned long long)hash);
}

// The hash of what is on the device when all is done.
void answer(const void *data, size_t bytes)
{
	std::vector<char> seen(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(seen.data(), data, bytes, cudaMemcpyDeviceToHost));
	tell(hash_of(seen.data(), bytes));
}

float *floats(void *at)
{
	return (float *)at;
}

void launched()
{
	CHECK(cudaGetLastError());
}

void write_all(int file, const void *bytes, size_t count)
{
	for (size_t done = 0; done < count;) {
		const ssize_t more = write(file, (const char *)bytes + done, count - done);

		must(more > 0, "write");
		done += (size_t)more;
	}
}

void read_all(int file, void *bytes, size_t count)
{
	for (size_t done = 0; done < count;) {
		const ssize_t more = read(file, (char *)bytes + done, count - done);

		must(more > 0, "read");
		done += (size_t)more;
	}
}

void ended(pid_t child)
{
	int status;

	must(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
	     "the other process");
}

// Speech: an acoustic model hands what it heard to a language model by a pipe. Each takes half of
// the device. They are two processes; repaired: two threads of one.
ELEMENTWISE(acoustic)
ELEMENTWISE(language)

constexpr int SPEECH_BLOCKS = 66, SPEECH_COUNT = SPEECH_BLOCKS * 256, UTTERANCES = 110;
constexpr size_t HEARD = 2048;

void hear(int to)
{
	Device sound(SPEECH_COUNT * sizeof(float));
	Pinned heard(HEARD);
	Stream stream;

	for (int one = 0; one < UTTERANCES; one++) {
		seed<<<SPEECH_BLOCKS, 256, 0, stream>>>(floats(sound), SPEECH_COUNT, one + 1);
		acoustic<<<SPEECH_BLOCKS, 256, 0, stream>>>(floats(sound), SPEECH_COUNT,
							    4000 * NARROW_US);
		launched();
		CHECK(cudaMemcpyAsync(heard, sound, HEARD, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		write_all(to, heard, HEARD);
	}
}

uint64_t understand(int from)
{
	Device state(SPEECH_COUNT * sizeof(float));
	Pinned heard(HEARD);
	Stream stream;
	uint64_t hash = 1;

	seed<<<SPEECH_BLOCKS, 256, 0, stream>>>(floats(state), SPEECH_COUNT, 77);
	launched();
	for (int one = 0; one < UTTERANCES; one++) {
		read_all(from, heard, HEARD);
		CHECK(cudaMemcpyAsync(state, heard, HEARD, cudaMemcpyHostToDevice, stream));
		language<<<SPEECH_BLOCKS, 256, 0, stream>>>(floats(state), SPEECH_COUNT,
							    4000 * NARROW_US);
		launched();
		CHECK(cudaMemcpyAsync(heard, state, HEARD, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(heard.at(0), HEARD, hash);
	}
	return hash;
}

void speech_pair()
{
	int ends[2];
	uint64_t hash;

	must(pipe(ends) == 0, "pipe");
	if (repaired) {
		std::thread ear(hear, ends[1]);

		hash = understand(ends[0]);
		ear.join();
	} else {
		const pid_t child = fork();

		must(child >= 0, "fork");
		if (child == 0) {
			close(ends[0]);
			hear(ends[1]);
			CHECK(cudaDeviceSynchronize());
			exit(0);
		}
		close(ends[1]);
		hash = understand(ends[0]);
		ended(child);
	}
	tell(hash);
}

// Finance: the marks of each position go into its record on the host, record by record; repaired:
// the table comes in one piece and is told apart on the host. By the driver's API.
ELEMENTWISE(revalue)

struct Position {
	char name[40];
	float marks[8];
	char notes[24];
};

class Book
{
	static constexpr int POSITIONS = 2500;
	static constexpr size_t TABLE = POSITIONS * sizeof(Position::marks);
	Pinned records_{POSITIONS * sizeof(Position)};
	Pinned table_{TABLE};

	Position *records()
	{
		return (Position *)records_.at(0);
	}

      public:
	void fetch(CUdeviceptr marks, CUstream stream)
	{
		constexpr size_t ROW = sizeof(Position::marks);

		if (repaired) {
			DRIVER(cuMemcpyDtoHAsync(table_.at(0), marks, TABLE, stream));
			DRIVER(cuStreamSynchronize(stream));
			for (int i = 0; i < POSITIONS; i++)
				memcpy(records()[i].marks, table_.at(i * ROW), ROW);
			return;
		}
		for (int i = 0; i < POSITIONS; i++)
			DRIVER(cuMemcpyDtoHAsync(records()[i].marks, marks + i * ROW, ROW, stream));
		DRIVER(cuStreamSynchronize(stream));
	}
	uint64_t hash(uint64_t hash)
	{
		for (int i = 0; i < POSITIONS; i++)
			hash = sampled((char *)records()[i].marks, sizeof(Position::marks), 4,
				       hash);
		return hash;
	}
};

void desk_marks()
{
	Device values(BYTES);
	Stream stream;
	Book book;
	uint64_t hash = 1;

	seed<<<WIDE, 256, 0, stream>>>(floats(values), COUNT, 5);
	for (int shock = 0; shock < 50; shock++) {
		revalue<<<WIDE, 256, 0, stream>>>(floats(values), COUNT, 3000 * WIDE_US);
		launched();
		book.fetch((CUdeviceptr)(void *)values, (CUstream)(cudaStream_t)stream);
		hash = book.hash(hash);
	}
	tell(hash);
}

// Seismics: of each step the plane of the receivers, two values of each row of the volume, is
// taken out by a copy of a box; repaired: a kernel packs it first.
ELEMENTWISE(propagate)

constexpr int ROW_BYTES = 512, ROWS = 512, LAYERS = 256;
constexpr int PLANE_ROWS = ROWS * LAYERS;
constexpr size_t PLANE = PLANE_ROWS * sizeof(float2);

__global__ void pack_plane(const float *volume, float2 *plane, int rows, int column)
{
	for (int row = first_index(); row < rows; row += index_step()) {
		const float *at = volume + (size_t)row * (ROW_BYTES / sizeof(float)) + column;

		plane[row] = make_float2(at[0], at[1]);
	}
}

void seismic_slice()
{
	constexpr int STEPS = 250, SLOTS = 4, COLUMN = 62, VOLUME = PLANE_ROWS * ROW_BYTES / 4;
	Device volume((size_t)PLANE_ROWS * ROW_BYTES), packed(PLANE);
	auto planes = several<Pinned>(SLOTS, PLANE);
	Event done[SLOTS];
	Stream stream;
	uint64_t hash = 1;
	cudaMemcpy3DParms box;

	memset(&box, 0, sizeof(box));
	box.srcPtr = make_cudaPitchedPtr(volume, ROW_BYTES, ROW_BYTES, ROWS);
	box.srcPos = make_cudaPos(COLUMN * sizeof(float), 0, 0);
	box.extent = make_cudaExtent(sizeof(float2), ROWS, LAYERS);
	box.kind = cudaMemcpyDeviceToHost;
	seed<<<WIDE, 256, 0, stream>>>(floats(volume), VOLUME, 9);
	launched();
	for (int step = 0; step < STEPS + SLOTS; step++) {
		const int slot = step % SLOTS;

		if (step >= SLOTS) {
			CHECK(cudaEventSynchronize(done[slot]));
			hash = sampled(planes[slot].at(0), PLANE, 4092, hash);
		}
		if (step >= STEPS)
			continue;
		propagate<<<WIDE, 256, 0, stream>>>(floats(volume), VOLUME, 1300);
		launched();
		if (repaired) {
			pack_plane<<<PLANE_ROWS / 256, 256, 0, stream>>>(
				floats(volume), (float2 *)(void *)packed, PLANE_ROWS, COLUMN);
			launched();
			CHECK(cudaMemcpyAsync(planes[slot], packed, PLANE, cudaMemcpyDeviceToHost,
					      stream));
		} else {
			box.dstPtr = make_cudaPitchedPtr(planes[slot], sizeof(float2),
							 sizeof(float2), ROWS);
			CHECK(cudaMemcpy3DAsync(&box, stream));
		}
		CHECK(cudaEventRecord(done[slot], stream));
	}
	tell(hash);
}

// Materials: after each step the host looks at probes of the field, which is managed memory, and
// sets the temperature by them; repaired: a kernel gathers the probes.
__global__ void anneal(float *field, int count, int rounds, float heat)
{
	for (int i = first_index(); i < count; i += index_step())
		field[i] = churn(0.75f * field[i] + 0.25f * heat, rounds);
}

__global__ void gather_probes(const float *field, float *probes, int count, int apart)
{
	for (int i = first_index(); i < count; i += index_step())
		probes[i] = field[(size_t)i * apart];
}

void phase_field()
{
	constexpr int STEPS = 50, CELLS = 4 << 20, PROBES = 256, APART = CELLS / PROBES;
	int concurrent = 0;
	float *field, heat = 0.5f;
	Device gathered(PROBES * sizeof(float));
	Pinned seen(PROBES * sizeof(float));
	Stream stream;
	uint64_t hash = 1;

	CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
	must(concurrent, "concurrent use of managed memory");
	CHECK(cudaMallocManaged((void **)&field, CELLS * sizeof(float)));
	seed<<<WIDE, 256, 0, stream>>>(field, CELLS, 21);
	for (int step = 0; step < STEPS; step++) {
		float sum = 0;

		anneal<<<WIDE, 256, 0, stream>>>(field, CELLS, 17000, heat);
		launched();
		if (repaired) {
			gather_probes<<<1, PROBES, 0, stream>>>(field, floats(gathered), PROBES,
								APART);
			launched();
			CHECK(cudaMemcpyAsync(seen, gathered, PROBES * sizeof(float),
					      cudaMemcpyDeviceToHost, stream));
		}
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < PROBES; i++)
			sum += repaired ? floats(seen)[i] : field[(size_t)i * APART];
		heat = sum / PROBES;
		hash = sampled((char *)&heat, sizeof(heat), 4, hash);
	}
	CHECK(cudaFree(field));
	tell(hash);
}

// Astronomy: the guider needs 64 x 64 pixels about its star, and reads the frame; repaired: it
// reads these.
ELEMENTWISE(calibrate_frame)

void guide_star()
{
	constexpr int WIDTH = 3072, HEIGHT = 2048, BOX = 64, FRAMES = 400, SLOTS = 2;
	constexpr size_t FRAME = sizeof(float) * WIDTH * HEIGHT, LINE = sizeof(float) * WIDTH;
	constexpr size_t BOX_LINE = sizeof(float) * BOX;
	Device frame(FRAME);
	auto seen = several<Pinned>(SLOTS, repaired ? BOX_LINE * BOX : FRAME);
	Event done[SLOTS];
	Stream stream;
	uint64_t hash = 1;
	const auto corner = [](int one) {
		const size_t line = 300 + (size_t)one % 97, pixel = 1200 + (size_t)one % 61;

		return line * LINE + pixel * sizeof(float);
	};

	seed<<<WIDE, 256, 0, stream>>>(floats(frame), WIDTH * HEIGHT, 4);
	launched();
	for (int one = 0; one <= FRAMES; one++) {
		if (one < FRAMES) {
			Pinned &slot = seen[one % SLOTS];

			calibrate_frame<<<WIDE, 256, 0, stream>>>(floats(frame), WIDTH * HEIGHT,
								  1900);
			launched();
			if (repaired)
				CHECK(cudaMemcpy2DAsync(slot, BOX_LINE, frame.at(corner(one)), LINE,
							BOX_LINE, BOX, cudaMemcpyDeviceToHost,
							stream));
			else
				CHECK(cudaMemcpyAsync(slot, frame, FRAME, cudaMemcpyDeviceToHost,
						      stream));
			CHECK(cudaEventRecord(done[one % SLOTS], stream));
		}
		if (one > 0) {
			Pinned &slot = seen[(one - 1) % SLOTS];
			const char *box = slot.at(repaired ? 0 : corner(one - 1));

			CHECK(cudaEventSynchronize(done[(one - 1) % SLOTS]));
			for (int line = 0; line < BOX; line++)
				hash = sampled(box + line * (repaired ? BOX_LINE : LINE), BOX_LINE,
					       16, hash);
		}
	}
	tell(hash);
}

// Medicine: each scan has a report in host memory of its own, big enough for the worst, which
// nobody releases; repaired: the report's memory is used again. What a scan begins with hangs on
// the report before.
ELEMENTWISE(reconstruct)

class Report
{
	static constexpr size_t MOST = 4 << 20;
	char *text_ = nullptr;

      public:
	char *open()
	{
		if (!text_ || !repaired)
			CHECK(cudaMallocHost((void **)&text_, MOST));
		return text_;
	}
	void close_last()
	{
		CHECK(cudaFreeHost(text_));
	}
};

void scan_archive()
{
	constexpr int SCANS = 400;
	constexpr size_t USED = 16 << 10;
	Device scan(BYTES);
	Stream stream;
	Report report;
	uint64_t hash = 1;

	for (int one = 0; one < SCANS; one++) {
		char *text = report.open();

		seed<<<WIDE, 256, 0, stream>>>(floats(scan), COUNT, (unsigned)hash);
		reconstruct<<<WIDE, 256, 0, stream>>>(floats(scan), COUNT, 800 * WIDE_US);
		launched();
		CHECK(cudaMemcpyAsync(text, scan, USED, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = sampled(text, USED, 8, hash);
	}
	report.close_last();
	tell(hash);
}

// Learning: batches are decoded by the thread that launches; repaired: by ten threads ahead of it.
OF_WORDS(train)

class Loader
{
	static constexpr int SLOTS = 20, THREADS = 10;
	const int batches_;
	std::vector<Pinned> slots_;
	int held_[SLOTS]; // the batch that a slot is for, or ~ of it once it is decoded
	std::mutex lock_;
	std::condition_variable changed_;
	std::vector<std::thread> threads_;

	void decode(int batch)
	{
		auto *words = (unsigned *)slots_[batch % SLOTS].at(0);
		unsigned state = (unsigned)batch + 1;

		for (int i = 0; i < WORDS; i++) {
			for (int pass = 0; pass < 5; pass++)
				state = mixed(state + 0x9e3779b9U);
			words[i] = state;
		}
	}
	void run(int first)
	{
		for (int batch = first; batch < batches_; batch += THREADS) {
			std::unique_lock<std::mutex> hold(lock_);

			changed_.wait(hold, [&] { return held_[batch % SLOTS] == batch; });
			hold.unlock();
			decode(batch);
			hold.lock();
			held_[batch % SLOTS] = ~batch;
			changed_.notify_all();
		}
	}

      public:
	static constexpr int WORDS = 1 << 16;

	Loader(int batches) : batches_(batches), slots_(several<Pinned>(SLOTS, WORDS * 4))
	{
		for (int slot = 0; slot < SLOTS; slot++)
			held_[slot] = slot;
		for (int i = 0; repaired && i < THREADS; i++)
			threads_.emplace_back([this, i] { run(i); });
	}
	~Loader()
	{
		for (auto &thread : threads_)
			thread.join();
	}
	void *next(int batch)
	{
		if (repaired) {
			std::unique_lock<std::mutex> hold(lock_);

			changed_.wait(hold, [&] { return held_[batch % SLOTS] == ~batch; });
		} else {
			decode(batch);
		}
		return slots_[batch % SLOTS];
	}
	// Its words are on the device.
	void release(int batch)
	{
		const std::lock_guard<std::mutex> hold(lock_);

		held_[batch % SLOTS] = batch + SLOTS;
		changed_.notify_all();
	}
};

void epoch_loader()
{
	constexpr int BATCHES = 250, AHEAD = 3;
	Device words(Loader::WORDS * 4), weights(BYTES);
	Loader loader(BATCHES);
	Event uploaded[AHEAD];
	Stream stream;

	seed<<<WIDE, 256, 0, stream>>>(floats(weights), COUNT, 3);
	for (int batch = 0; batch < BATCHES; batch++) {
		void *from = loader.next(batch);

		if (batch >= AHEAD) {
			CHECK(cudaEventSynchronize(uploaded[batch % AHEAD]));
			loader.release(batch - AHEAD);
		}
		CHECK(cudaMemcpyAsync(words, from, Loader::WORDS * 4, cudaMemcpyHostToDevice,
				      stream));
		CHECK(cudaEventRecord(uploaded[batch % AHEAD], stream));
		train<<<WIDE, 256, 0, stream>>>((unsigned *)(void *)words, Loader::WORDS - 1,
						floats(weights), COUNT, 700 * WIDE_US);
		launched();
	}
	answer(weights, BYTES);
}

// Rendering: blocks that stay take tiles from a cursor. There are as many as fit on a
// multiprocessor; repaired: on all of them.
__global__ void draw_tiles(float *tiles, int count, int *cursor, int rounds)
{
	__shared__ int tile;

	for (;;) {
		if (threadIdx.x == 0)
			tile = atomicAdd(cursor, 1);
		__syncthreads();
		if (tile >= count)
			return;
		float *at = tiles + (size_t)tile * blockDim.x + threadIdx.x;

		*at = churn(*at, rounds);
		__syncthreads();
	}
}

void tile_cursor()
{
	constexpr int TILES = WIDE * 8, PIXELS = TILES * 256, FRAMES = 6;
	Device tiles(PIXELS * sizeof(float)), cursor(sizeof(int));
	Stream stream;
	int blocks = 0, units = 0;

	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, draw_tiles, 256, 0));
	CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
	if (repaired)
		blocks *= units;
	seed<<<WIDE, 256, 0, stream>>>(floats(tiles), PIXELS, 8);
	for (int frame = 0; frame < FRAMES; frame++) {
		CHECK(cudaMemsetAsync(cursor, 0, sizeof(int), stream));
		draw_tiles<<<blocks, 256, 0, stream>>>(floats(tiles), TILES, (int *)(void *)cursor,
						       50000);
		launched();
	}
	answer(tiles, 1 << 20);
}

// Genomes: each block counts in a table in shared memory, which has room for the biggest genome;
// repaired: for what these reads need.
constexpr int TABLE_SLOTS = 1024;

__global__ void count_kmers(float *reads, int count, int rounds)
{
	extern __shared__ unsigned table[];
	const int i = first_index();

	for (int slot = (int)threadIdx.x; slot < TABLE_SLOTS; slot += (int)blockDim.x)
		table[slot] = 0;
	__syncthreads();
	if (i < count) {
		const unsigned code = mixed(__float_as_uint(reads[i])) % TABLE_SLOTS;

		atomicAdd(&table[code], 1U);
		__syncthreads();
		reads[i] = churn(0.5f * reads[i] + 0.01f * (float)table[code], rounds);
	}
}

void kmer_tables()
{
	constexpr int THREADS = 128, BATCHES = 60;
	constexpr int BIGGEST = 120 << 10, NEEDED = TABLE_SLOTS * 4;
	const int room = repaired ? NEEDED : BIGGEST;
	Device reads(BYTES);
	Stream stream;

	CHECK(cudaFuncSetAttribute(count_kmers, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   BIGGEST));
	CHECK(cudaFuncSetAttribute(count_kmers, cudaFuncAttributePreferredSharedMemoryCarveout,
				   cudaSharedmemCarveoutMaxShared));
	seed<<<WIDE, 256, 0, stream>>>(floats(reads), COUNT, 12);
	for (int batch = 0; batch < BATCHES; batch++) {
		count_kmers<<<COUNT / THREADS, THREADS, room, stream>>>(floats(reads), COUNT,
									2000 * WIDE_US);
		launched();
	}
	answer(reads, BYTES);
}

// Weather: a graph of four models, each of three steps on a quarter of the device. It is captured
// of one stream; repaired: each model of one of its own.
ELEMENTWISE(advance_model)

void forecast_graph()
{
	constexpr int MODELS = 4, BLOCKS = 33, CELLS = BLOCKS * 256, HOURS = 150;
	auto models = several<Device>(MODELS, CELLS * sizeof(float));
	Stream main, others[MODELS];
	Event begin, end[MODELS];
	cudaGraph_t graph;
	cudaGraphExec_t forecast;
	std::vector<float> seen(CELLS);
	uint64_t hash = 1;

	for (int model = 0; model < MODELS; model++)
		seed<<<BLOCKS, 256, 0, main>>>(floats(models[model]), CELLS, model + 31);
	launched();
	CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaEventRecord(begin, main));
	for (int model = 0; model < MODELS; model++) {
		cudaStream_t stream = repaired ? (cudaStream_t)others[model] : (cudaStream_t)main;

		if (repaired)
			CHECK(cudaStreamWaitEvent(stream, begin, 0));
		for (int step = 0; step < 3; step++)
			advance_model<<<BLOCKS, 256, 0, stream>>>(floats(models[model]), CELLS,
								  300 * NARROW_US);
		launched();
		if (repaired) {
			CHECK(cudaEventRecord(end[model], stream));
			CHECK(cudaStreamWaitEvent(main, end[model], 0));
		}
	}
	CHECK(cudaStreamEndCapture(main, &graph));
	CHECK(cudaGraphInstantiate(&forecast, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	for (int hour = 0; hour < HOURS; hour++)
		CHECK(cudaGraphLaunch(forecast, main));
	CHECK(cudaStreamSynchronize(main));
	CHECK(cudaGraphExecDestroy(forecast));
	for (auto &model : models) {
		CHECK(cudaMemcpy(seen.data(), model, CELLS * sizeof(float),
				 cudaMemcpyDeviceToHost));
		hash = hash_of(seen.data(), CELLS * sizeof(float), hash);
	}
	tell(hash);
}

// An editor's plugin opens the device for each job it is given; repaired: for the first.
ELEMENTWISE(apply_effect)

class Plugin
{
	CUcontext context_ = nullptr;

      public:
	void open()
	{
		CUdevice device;

		if (context_ && repaired)
			return;
		if (context_)
			DRIVER(cuCtxDestroy(context_));
		DRIVER(cuInit(0));
		DRIVER(cuDeviceGet(&device, 0));
#if CUDA_VERSION >= 13000
		CUctxCreateParams usual = {};

		DRIVER(cuCtxCreate(&context_, &usual, 0, device));
#else
		DRIVER(cuCtxCreate(&context_, 0, device));
#endif
	}
};

void plugin_jobs()
{
	constexpr int JOBS = 5, PASSES = 8;
	constexpr size_t SHOWN = 4096;
	Plugin plugin;
	uint64_t hash = 1;

	for (int job = 0; job < JOBS; job++) {
		plugin.open();

		Device clip(BYTES);
		Pinned shown(SHOWN);
		Stream stream;

		seed<<<WIDE, 256, 0, stream>>>(floats(clip), COUNT, job + 1);
		for (int pass = 0; pass < PASSES; pass++)
			apply_effect<<<WIDE, 256, 0, stream>>>(floats(clip), COUNT, 5000 * WIDE_US);
		launched();
		CHECK(cudaMemcpyAsync(shown, clip, SHOWN, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(shown.at(0), SHOWN, hash);
	}
	tell(hash);
}

// Video: each stage of a frame is timed by events. A timer waits for its own end; repaired: the
// times of a frame are read when the next has been launched.
ELEMENTWISE(debayer)
ELEMENTWISE(denoise)
ELEMENTWISE(tone_map)
ELEMENTWISE(sharpen)

class Timer
{
	cudaEvent_t begin_, end_;

      public:
	Timer()
	{
		CHECK(cudaEventCreate(&begin_));
		CHECK(cudaEventCreate(&end_));
	}
	Timer(const Timer &) = delete;
	~Timer()
	{
		CHECK(cudaEventDestroy(begin_));
		CHECK(cudaEventDestroy(end_));
	}
	void start(cudaStream_t stream)
	{
		CHECK(cudaEventRecord(begin_, stream));
	}
	void stop(cudaStream_t stream)
	{
		CHECK(cudaEventRecord(end_, stream));
	}
	void wait()
	{
		CHECK(cudaEventSynchronize(end_));
	}
	float ms()
	{
		float time;

		CHECK(cudaEventElapsedTime(&time, begin_, end_));
		return time;
	}
};

void stage_timers()
{
	constexpr int FRAMES = 4500, STAGES = 4;
	using Stage = void (*)(float *, int, int);
	const Stage stages[STAGES] = {debayer, denoise, tone_map, sharpen};
	Device frame(BYTES);
	Stream stream;
	Timer timers[2][STAGES];
	double spent[STAGES] = {};

	seed<<<WIDE, 256, 0, stream>>>(floats(frame), COUNT, 6);
	for (int one = 0; one < FRAMES; one++) {
		for (int stage = 0; stage < STAGES; stage++) {
			Timer &timer = timers[one % 2][stage];

			timer.start(stream);
			stages[stage]<<<WIDE, 256, 0, stream>>>(floats(frame), COUNT, 16 * WIDE_US);
			launched();
			timer.stop(stream);
			if (!repaired) {
				timer.wait();
				spent[stage] += timer.ms();
			}
		}
		if (!repaired || one == 0)
			continue;
		timers[(one + 1) % 2][STAGES - 1].wait();
		for (int stage = 0; stage < STAGES; stage++)
			spent[stage] += timers[(one + 1) % 2][stage].ms();
	}
	for (double time : spent)
		must(time > 0, "timing");
	answer(frame, BYTES);
}

// Statistics: an array whose values the host reads by a function, which waits for the device
// each time; repaired: if something was launched since.
ELEMENTWISE(resample)

class Array
{
	Device values_{BYTES};
	Pinned mirror_{MIRRORED * sizeof(float)};
	Stream stream_;
	bool stale_ = false;

      public:
	static constexpr int MIRRORED = 10000;

	Array()
	{
		seed<<<WIDE, 256, 0, stream_>>>(floats(values_), COUNT, 14);
		launched();
	}
	void draw(int us)
	{
		resample<<<WIDE, 256, 0, stream_>>>(floats(values_), COUNT, us * WIDE_US);
		launched();
		CHECK(cudaMemcpyAsync(mirror_, values_, MIRRORED * sizeof(float),
				      cudaMemcpyDeviceToHost, stream_));
		stale_ = true;
	}
	float get(int i)
	{
		if (stale_ || !repaired)
			CHECK(cudaDeviceSynchronize());
		stale_ = false;
		return floats(mirror_)[i];
	}
};

void array_reads()
{
	constexpr int ROUNDS = 35;
	Array array;
	uint64_t hash = 1;
	int us = 3000;

	for (int round = 0; round < ROUNDS; round++) {
		int above = 0;

		array.draw(us);
		for (int i = 0; i < Array::MIRRORED; i++)
			above += array.get(i) > 0;
		us = 3000 + above % 64; // what is drawn next hangs on what was seen
		hash = add_word(hash, (uint32_t)above);
	}
	tell(hash);
}

// Maps: before each tile the program asks what device it has and what memory is free; repaired:
// before the first.
ELEMENTWISE(shade_tile)

class Budget
{
	size_t free_ = 0;
	int threads_ = 0;

      public:
	int blocks(int wanted)
	{
		if (!threads_ || !repaired) {
			cudaDeviceProp properties;
			size_t all;

			CHECK(cudaGetDeviceProperties(&properties, 0));
			CHECK(cudaMemGetInfo(&free_, &all));
			threads_ = properties.maxThreadsPerBlock;
		}
		must(free_ > BYTES && threads_ >= 256, "room for a tile");
		return wanted;
	}
};

void tile_budget()
{
	constexpr int TILES = 600;
	Device tile(BYTES);
	Stream stream;
	Budget budget;

	seed<<<WIDE, 256, 0, stream>>>(floats(tile), COUNT, 15);
	for (int one = 0; one < TILES; one++) {
		shade_tile<<<budget.blocks(WIDE), 256, 0, stream>>>(floats(tile), COUNT,
								    60 * WIDE_US);
		launched();
	}
	answer(tile, BYTES);
}

// Inspection: the graph of a frame uploads the frame and the table of calibration, which never
// changes; repaired: the table is uploaded before.
__global__ void inspect(const unsigned *table, int last, const unsigned *frame, int end,
			float *data, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		data[i] = churn(0.5f * data[i] +
					0.5f * unit(mixed(table[(i * 15) & last] ^ frame[i & end])),
				rounds);
}

void calibration_graph()
{
	constexpr int SLOTS = 4, FRAMES = 500, TABLE_WORDS = 4 << 20, FRAME_WORDS = 16 << 10;
	constexpr size_t TABLE = TABLE_WORDS * 4, FRAME = FRAME_WORDS * 4, VERDICT = 4096;
	Pinned calibration(TABLE);
	Device table(TABLE), frame(FRAME), data(BYTES);
	auto frames = several<Pinned>(SLOTS, FRAME), verdicts = several<Pinned>(SLOTS, VERDICT);
	cudaGraphExec_t graphs[SLOTS];
	Event done[SLOTS];
	Stream stream;
	uint64_t hash = 1;

	for (int i = 0; i < TABLE_WORDS; i++)
		((unsigned *)calibration.at(0))[i] = (unsigned)i * 2654435761U;
	CHECK(cudaMemsetAsync(data, 0, BYTES, stream));
	if (repaired)
		CHECK(cudaMemcpyAsync(table, calibration, TABLE, cudaMemcpyHostToDevice, stream));
	for (int slot = 0; slot < SLOTS; slot++) {
		cudaGraph_t graph;

		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		if (!repaired)
			CHECK(cudaMemcpyAsync(table, calibration, TABLE, cudaMemcpyHostToDevice,
					      stream));
		CHECK(cudaMemcpyAsync(frame, frames[slot], FRAME, cudaMemcpyHostToDevice, stream));
		inspect<<<WIDE, 256, 0, stream>>>((unsigned *)(void *)table, TABLE_WORDS - 1,
						  (unsigned *)(void *)frame, FRAME_WORDS - 1,
						  floats(data), COUNT, 300 * WIDE_US);
		launched();
		CHECK(cudaMemcpyAsync(verdicts[slot], data, VERDICT, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiate(&graphs[slot], graph, 0));
		CHECK(cudaGraphDestroy(graph));
	}
	for (int one = 0; one < FRAMES + SLOTS; one++) {
		const int slot = one % SLOTS;
		auto *words = (unsigned *)frames[slot].at(0);

		if (one >= SLOTS) {
			CHECK(cudaEventSynchronize(done[slot]));
			hash = sampled(verdicts[slot].at(0), VERDICT, 16, hash);
		}
		if (one >= FRAMES)
			continue;
		for (int i = 0; i < FRAME_WORDS; i += 16)
			words[i] = (unsigned)(one * FRAME_WORDS + i) * 2246822519U;
		CHECK(cudaGraphLaunch(graphs[slot], stream));
		CHECK(cudaEventRecord(done[slot], stream));
	}
	for (auto one : graphs)
		CHECK(cudaGraphExecDestroy(one));
	tell(hash);
}

// Advertising: three shards score, each in its stream; each 50th round the model changes. A
// fence that only the change needs goes about each launch; repaired: about the change. By the
// driver's API.
ELEMENTWISE(score_shard)

__global__ void change_model(float *first, float *second, float *third, int count)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const float mean = (first[i] + second[i] + third[i]) / 3;

		first[i] = 0.5f * (first[i] + mean);
		second[i] = 0.5f * (second[i] + mean);
		third[i] = 0.5f * (third[i] + mean);
	}
}

class Fence
{
	CUevent event_;

      public:
	Fence()
	{
		DRIVER(cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING));
	}
	Fence(const Fence &) = delete;
	~Fence()
	{
		DRIVER(cuEventDestroy(event_));
	}
	void pass(cudaStream_t stream)
	{
		DRIVER(cuStreamWaitEvent((CUstream)stream, event_, 0));
	}
	void set(cudaStream_t stream)
	{
		DRIVER(cuEventRecord(event_, (CUstream)stream));
	}
};

void shard_fence()
{
	constexpr int SHARDS = 3, BLOCKS = 44, ROWS_HELD = BLOCKS * 256, TURNS = 400, EVERY = 50;
	auto shards = several<Device>(SHARDS, ROWS_HELD * sizeof(float));
	Stream streams[SHARDS];
	Fence fence, idle[SHARDS];
	std::vector<float> seen(ROWS_HELD);
	uint64_t hash = 1;

	for (int shard = 0; shard < SHARDS; shard++)
		seed<<<BLOCKS, 256, 0, streams[shard]>>>(floats(shards[shard]), ROWS_HELD,
							 shard + 41);
	launched();
	for (int turn = 1; turn <= TURNS; turn++) {
		for (int shard = 0; shard < SHARDS; shard++) {
			if (!repaired)
				fence.pass(streams[shard]);
			score_shard<<<BLOCKS, 256, 0, streams[shard]>>>(floats(shards[shard]),
									ROWS_HELD, 400 * NARROW_US);
			launched();
			if (!repaired)
				fence.set(streams[shard]);
		}
		if (turn % EVERY)
			continue;
		for (int shard = 1; shard < SHARDS; shard++) {
			idle[shard].set(streams[shard]);
			idle[shard].pass(streams[0]);
		}
		change_model<<<BLOCKS, 256, 0, streams[0]>>>(floats(shards[0]), floats(shards[1]),
							     floats(shards[2]), ROWS_HELD);
		launched();
		fence.set(streams[0]);
		for (int shard = 1; shard < SHARDS; shard++)
			fence.pass(streams[shard]);
	}
	CHECK(cudaDeviceSynchronize());
	for (auto &shard : shards) {
		CHECK(cudaMemcpy(seen.data(), shard, ROWS_HELD * sizeof(float),
				 cudaMemcpyDeviceToHost));
		hash = hash_of(seen.data(), ROWS_HELD * sizeof(float), hash);
	}
	tell(hash);
}

// A second process, which has no use of the device, checks what the first computes.
ELEMENTWISE(simulate)

void clean_checker()
{
	constexpr int FRAMES = 500, SLOTS = 4;
	constexpr size_t SENT = 4096;
	int down[2], up[2];
	pid_t child;

	must(pipe(down) == 0 && pipe(up) == 0, "pipe");
	child = fork();
	must(child >= 0, "fork");
	if (child == 0) {
		std::vector<char> got(SENT);
		uint64_t hash = 1;

		close(down[1]);
		for (int frame = 0; frame < FRAMES; frame++) {
			read_all(down[0], got.data(), SENT);
			hash = hash_of(got.data(), SENT, hash);
		}
		write_all(up[1], &hash, sizeof(hash));
		exit(0);
	}
	close(down[0]);
	close(up[1]);

	Device data(BYTES);
	auto sent = several<Pinned>(SLOTS, SENT);
	Event done[SLOTS];
	Stream stream;
	uint64_t hash;

	seed<<<WIDE, 256, 0, stream>>>(floats(data), COUNT, 16);
	for (int frame = 0; frame < FRAMES + SLOTS; frame++) {
		const int slot = frame % SLOTS;

		if (frame >= SLOTS) {
			CHECK(cudaEventSynchronize(done[slot]));
			write_all(down[1], sent[slot], SENT);
		}
		if (frame >= FRAMES)
			continue;
		simulate<<<WIDE, 256, 0, stream>>>(floats(data), COUNT, 1000 * WIDE_US);
		launched();
		CHECK(cudaMemcpyAsync(sent[slot], data, SENT, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(done[slot], stream));
	}
	read_all(up[0], &hash, sizeof(hash));
	ended(child);
	tell(hash);
}

// Three streams, each of which does one stage of all frames. A stage needs the one before it, and
// what it writes is not in use: there are three buffers for frames.
OF_WORDS(unpack_frame)
ELEMENTWISE(detect)
ELEMENTWISE(track_objects)

void clean_stages()
{
	constexpr int FRAMES = 700, SLOTS = 3;
	constexpr int WORDS = 32 << 10;
	auto raw = several<Pinned>(SLOTS, WORDS * 4);
	auto words = several<Device>(SLOTS, WORDS * 4), frames = several<Device>(SLOTS, BYTES);
	Stream first, second, third;
	Event uploaded[SLOTS], unpacked[SLOTS], detected[SLOTS], tracked[SLOTS];
	std::vector<char> seen(BYTES);
	uint64_t hash = 1;

	for (auto &frame : frames)
		CHECK(cudaMemsetAsync(frame, 0, BYTES, first));
	for (int one = 0; one < FRAMES; one++) {
		const int slot = one % SLOTS;

		if (one >= SLOTS)
			CHECK(cudaEventSynchronize(uploaded[slot]));
		for (int i = 0; i < WORDS; i += 64)
			((unsigned *)raw[slot].at(0))[i] = (unsigned)(one * WORDS + i);
		CHECK(cudaMemcpyAsync(words[slot], raw[slot], WORDS * 4, cudaMemcpyHostToDevice,
				      first));
		CHECK(cudaEventRecord(uploaded[slot], first));
		CHECK(cudaStreamWaitEvent(first, tracked[slot], 0));
		unpack_frame<<<WIDE, 256, 0, first>>>((unsigned *)(void *)words[slot], WORDS - 1,
						      floats(frames[slot]), COUNT, 200 * WIDE_US);
		launched();
		CHECK(cudaEventRecord(unpacked[slot], first));
		CHECK(cudaStreamWaitEvent(second, unpacked[slot], 0));
		detect<<<WIDE, 256, 0, second>>>(floats(frames[slot]), COUNT, 300 * WIDE_US);
		launched();
		CHECK(cudaEventRecord(detected[slot], second));
		CHECK(cudaStreamWaitEvent(third, detected[slot], 0));
		track_objects<<<WIDE, 256, 0, third>>>(floats(frames[slot]), COUNT, 200 * WIDE_US);
		launched();
		CHECK(cudaEventRecord(tracked[slot], third));
	}
	CHECK(cudaDeviceSynchronize());
	for (auto &frame : frames) {
		CHECK(cudaMemcpy(seen.data(), frame, BYTES, cudaMemcpyDeviceToHost));
		hash = hash_of(seen.data(), BYTES, hash);
	}
	tell(hash);
}

// Windows of a big picture that changes are uploaded by copies of boxes with wide rows while the
// window before is worked on.
OF_WORDS(segment)

void clean_windows()
{
	constexpr int WINDOWS = 700, SLOTS = 2, LINES = 128;
	constexpr size_t LINE = 4096, PITCH = 16384, PICTURE = PITCH * 512;
	Pinned picture(PICTURE);
	auto windows = several<Device>(SLOTS, LINE * LINES);
	Device data(BYTES);
	Stream copies, kernels;
	Event uploaded[SLOTS], used[SLOTS];

	for (size_t i = 0; i < PICTURE / 4; i++)
		((unsigned *)picture.at(0))[i] = (unsigned)i * 2654435761U;
	CHECK(cudaMemsetAsync(data, 0, BYTES, kernels));
	for (int one = 0; one < WINDOWS; one++) {
		const int slot = one % SLOTS;
		const size_t line = (size_t)one * 37 % (512 - LINES);
		const size_t column = (size_t)one * 53 % 1024 * 4;

		if (one > 0)
			CHECK(cudaEventSynchronize(uploaded[1 - slot]));
		for (size_t i = 0; i < LINES; i++)
			*(unsigned *)picture.at((line + i) * PITCH + column + i * 16) =
				(unsigned)one * 2246822519U + (unsigned)i;
		if (one >= SLOTS)
			CHECK(cudaStreamWaitEvent(copies, used[slot], 0));
		CHECK(cudaMemcpy2DAsync(windows[slot], LINE, picture.at(line * PITCH + column),
					PITCH, LINE, LINES, cudaMemcpyHostToDevice, copies));
		CHECK(cudaEventRecord(uploaded[slot], copies));
		CHECK(cudaStreamWaitEvent(kernels, uploaded[slot], 0));
		segment<<<WIDE, 256, 0, kernels>>>((unsigned *)(void *)windows[slot],
						   (int)(LINE * LINES / 4) - 1, floats(data), COUNT,
						   600 * WIDE_US);
		launched();
		CHECK(cudaEventRecord(used[slot], kernels));
	}
	answer(data, BYTES);
}

// The host prepares a step while the device does the one before it, and waits for that then.
OF_WORDS(integrate)

void clean_ahead()
{
	constexpr int STEPS = 450, SLOTS = 2, WORDS = 16 << 10;
	auto plans = several<Pinned>(SLOTS, WORDS * 4);
	Device plan(WORDS * 4), data(BYTES);
	Event done[SLOTS];
	Stream stream;
	unsigned state = 1;

	CHECK(cudaMemsetAsync(data, 0, BYTES, stream));
	for (int step = 0; step < STEPS; step++) {
		const int slot = step % SLOTS;
		auto *words = (unsigned *)plans[slot].at(0);

		for (int i = 0; i < WORDS; i++) {
			for (int pass = 0; pass < 3; pass++)
				state = mixed(state + 0x9e3779b9U);
			words[i] = state;
		}
		CHECK(cudaMemcpyAsync(plan, plans[slot], WORDS * 4, cudaMemcpyHostToDevice,
				      stream));
		integrate<<<WIDE, 256, 0, stream>>>((unsigned *)(void *)plan, WORDS - 1,
						    floats(data), COUNT, 1000 * WIDE_US);
		launched();
		CHECK(cudaEventRecord(done[slot], stream));
		if (step > 0)
			CHECK(cudaEventSynchronize(done[(step - 1) % SLOTS]));
	}
	answer(data, BYTES);
}

// A module of text that the driver compiles, loaded once, whose kernel all threads launch, each
// in a stream of its own.
const char ptx[] = ".version 7.0\n"
		   ".target sm_80\n"
		   ".address_size 64\n"
		   ".visible .entry iterate(.param .u64 data, .param .u32 rounds)\n"
		   "{\n"
		   "	.reg .u64 %at, %step;\n"
		   "	.reg .u32 %i, %block, %size, %left;\n"
		   "	.reg .f32 %x, %minus;\n"
		   "	.reg .pred %more;\n"
		   "	mov.u32 %block, %ctaid.x;\n"
		   "	mov.u32 %size, %ntid.x;\n"
		   "	mov.u32 %i, %tid.x;\n"
		   "	mad.lo.u32 %i, %block, %size, %i;\n"
		   "	ld.param.u64 %at, [data];\n"
		   "	cvta.to.global.u64 %at, %at;\n"
		   "	mul.wide.u32 %step, %i, 4;\n"
		   "	add.u64 %at, %at, %step;\n"
		   "	ld.global.f32 %x, [%at];\n"
		   "	ld.param.u32 %left, [rounds];\n"
		   "again:\n"
		   "	neg.f32 %minus, %x;\n"
		   "	fma.rn.f32 %x, %minus, %x, 0f3FD9999A;\n"
		   "	neg.f32 %minus, %x;\n"
		   "	fma.rn.f32 %x, %minus, %x, 0f3FD9999A;\n"
		   "	neg.f32 %minus, %x;\n"
		   "	fma.rn.f32 %x, %minus, %x, 0f3FD9999A;\n"
		   "	neg.f32 %minus, %x;\n"
		   "	fma.rn.f32 %x, %minus, %x, 0f3FD9999A;\n"
		   "	sub.u32 %left, %left, 4;\n"
		   "	setp.gt.s32 %more, %left, 0;\n"
		   "	@%more bra again;\n"
		   "	st.global.f32 [%at], %x;\n"
		   "	ret;\n"
		   "}\n";

void clean_module()
{
	constexpr int THREADS = 3, LAUNCHES = 150;
	auto data = several<Device>(THREADS, BYTES);
	std::vector<std::thread> threads;
	std::vector<char> seen(BYTES);
	CUmodule module;
	CUfunction iterate;
	uint64_t hash = 1;

	DRIVER(cuModuleLoadData(&module, ptx));
	DRIVER(cuModuleGetFunction(&iterate, module, "iterate"));
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back([&, i] {
			Stream stream;
			CUdeviceptr at = (CUdeviceptr)(void *)data[i];
			int rounds = 1000 * WIDE_US / 2;
			void *parameters[] = {&at, &rounds};

			seed<<<WIDE, 256, 0, stream>>>(floats(data[i]), COUNT, i + 51);
			launched();
			for (int launch = 0; launch < LAUNCHES; launch++)
				DRIVER(cuLaunchKernel(iterate, WIDE, 1, 1, 256, 1, 1, 0,
						      (CUstream)(cudaStream_t)stream, parameters,
						      nullptr));
			CHECK(cudaStreamSynchronize(stream));
		});
	for (auto &thread : threads)
		thread.join();
	DRIVER(cuModuleUnload(module));
	for (auto &one : data) {
		CHECK(cudaMemcpy(seen.data(), one, BYTES, cudaMemcpyDeviceToHost));
		hash = hash_of(seen.data(), BYTES, hash);
	}
	tell(hash);
}

// Few warps on each multiprocessor, because a block has much shared memory, which it uses; but
// each thread has eight chains, so that the units are busy.
constexpr int CHAINS = 8, STAGED = 24 << 10;

__global__ void filter_bank(float *data, int count, int rounds)
{
	extern __shared__ float staged[];
	const int i = first_index();
	float chain[CHAINS];
	float sum = 0;

	if (i >= count)
		return;
	for (int at = (int)threadIdx.x; at < STAGED; at += (int)blockDim.x)
		staged[at] = data[at % count];
	__syncthreads();
#pragma unroll
	for (int one = 0; one < CHAINS; one++)
		chain[one] = 0.5f * staged[(i * 97 + one * 3001) % STAGED];
#pragma unroll 4
	for (int round = 0; round < rounds; round++) {
#pragma unroll
		for (int one = 0; one < CHAINS; one++)
			chain[one] = fmaf(-chain[one], chain[one], 1.7f);
	}
#pragma unroll
	for (int one = 0; one < CHAINS; one++)
		sum += chain[one];
	data[count + i] = sum / CHAINS;
}

void clean_chains()
{
	constexpr int THREADS = 128, BLOCKS = 132 * 16, OUTPUTS = BLOCKS * THREADS, PASSES = 120;
	constexpr int ROOM = STAGED * (int)sizeof(float);
	Device data(2 * OUTPUTS * sizeof(float));
	Stream stream;

	CHECK(cudaFuncSetAttribute(filter_bank, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
	seed<<<WIDE, 256, 0, stream>>>(floats(data), 2 * OUTPUTS, 18);
	for (int pass = 0; pass < PASSES; pass++) {
		filter_bank<<<BLOCKS, THREADS, ROOM, stream>>>(floats(data), OUTPUTS,
							       4000 * WIDE_US / CHAINS);
		launched();
	}
	answer(data.at(OUTPUTS * sizeof(float)), BYTES);
}

// A field in managed memory that only the device touches; each 20th step the host reads the
// residual, which is managed as well, and may stop by it.
ELEMENTWISE(relax_field)

__global__ void residual_of(const float *field, int count, float *residual)
{
	float most = 0;

	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
		most = fmaxf(most, fabsf(field[i]));
	__shared__ float part[256];
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if ((int)threadIdx.x < half)
			part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*residual = part[0];
}

void clean_managed()
{
	constexpr int STEPS = 600, EVERY = 20;
	float *field, *residual;
	Stream stream;
	uint64_t hash = 1;

	CHECK(cudaMallocManaged((void **)&field, BYTES));
	CHECK(cudaMallocManaged((void **)&residual, 4096));
	seed<<<WIDE, 256, 0, stream>>>(field, COUNT, 19);
	for (int step = 1; step <= STEPS; step++) {
		relax_field<<<WIDE, 256, 0, stream>>>(field, COUNT, 700 * WIDE_US);
		launched();
		if (step % EVERY)
			continue;
		residual_of<<<1, 256, 0, stream>>>(field, 4096, residual);
		launched();
		CHECK(cudaStreamSynchronize(stream));
		if (*residual < 0.01f)
			break;
		hash = sampled((char *)residual, sizeof(float), 4, hash);
	}
	CHECK(cudaFree(field));
	CHECK(cudaFree(residual));
	tell(hash);
}

const Case cases[] = {
	CASE(speech_pair),   CASE(desk_marks),	   CASE(seismic_slice),	    CASE(phase_field),
	CASE(guide_star),    CASE(scan_archive),   CASE(epoch_loader),	    CASE(tile_cursor),
	CASE(kmer_tables),   CASE(forecast_graph), CASE(plugin_jobs),	    CASE(stage_timers),
	CASE(array_reads),   CASE(tile_budget),	   CASE(calibration_graph), CASE(shard_fence),
	CASE(clean_checker), CASE(clean_stages),   CASE(clean_windows),	    CASE(clean_ahead),
	CASE(clean_module),  CASE(clean_chains),   CASE(clean_managed),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
