// SPDX-License-Identifier: MIT
// clinics CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cases.h"
#include "faults.h"

#define DRIVE(call)                                                                         \
	do {                                                                                \
		CUresult failed_ = (call);                                                  \
		if (failed_ != CUDA_SUCCESS) {                                              \
			fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, \
				(int)failed_);                                              \
			exit(1);                                                            \
		}                                                                           \
	} while (0)

namespace
{
// What a kernel works on that gives each thread of the device an element, and one with a single
// block of 128 on each multiprocessor: several of these fit on the device at once.
constexpr int WIDE = 1056 * 256;
constexpr int NARROW = 132 * 128;
constexpr size_t WIDE_BYTES = WIDE * sizeof(float);
constexpr size_t NARROW_BYTES = NARROW * sizeof(float);
// Rounds of churn() that take about 1 us in such kernels.
constexpr int WIDE_US = 110;
constexpr int NARROW_US = 440;
// Rounds of toil() that take about 1 us.
constexpr int TOIL_US = 500;
constexpr size_t MIB = 1 << 20;

void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

int units()
{
	static const int count = [] {
		int found;
		CHECK(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, 0));
		return found;
	}();
	return count;
}

int wide()
{
	return units() * 8;
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

float *floats(void *at)
{
	return (float *)at;
}

unsigned *numbers(void *at)
{
	return (unsigned *)at;
}

void fresh(void *data, int count, unsigned salt)
{
	seed<<<wide(), 256>>>(floats(data), count, salt);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
}

uint64_t hash_of(const void *bytes, size_t count, uint64_t hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

void print(uint64_t hash)
{
	printf("answer %016llx\n", (unsigned long long)hash);
}

// The hash of what is on the device when all is done.
uint64_t device_hash(const void *data, size_t bytes, uint64_t hash = 0xcbf29ce484222325ULL)
{
	std::vector<char> seen(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(seen.data(), data, bytes, cudaMemcpyDeviceToHost));
	return hash_of(seen.data(), bytes, hash);
}

// Work of the host: each step needs the one before.
uint64_t toil(uint64_t x, long rounds)
{
	for (long round = 0; round < rounds; round++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		x ^= x >> 29;
	}
	return x;
}

// A word in each page of a buffer.
uint64_t sampled(const void *data, size_t bytes, uint64_t hash)
{
	for (size_t at = 0; at < bytes; at += 4096)
		hash = (hash ^ *(const unsigned *)((const char *)data + at)) * 0x100000001b3ULL;
	return hash;
}

void new_words(void *data, size_t bytes, unsigned round)
{
	for (size_t at = 0; at < bytes; at += 4096)
		*(unsigned *)((char *)data + at) = round * 2654435761U + (unsigned)at;
}

template <class What> class Channel
{
	std::mutex mutex_;
	std::condition_variable filled_;
	std::deque<What> items_;

      public:
	void push(What item)
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			items_.push_back(item);
		}
		filled_.notify_one();
	}
	What pop()
	{
		std::unique_lock<std::mutex> lock(mutex_);

		filled_.wait(lock, [this] { return !items_.empty(); });
		What item = items_.front();
		items_.pop_front();
		return item;
	}
};

// A renderer and its physics plugin, which has made a context for itself: the device gives the two
// turns. Repaired, it uses the primary one.
ELEMENTWISE(shade)
ELEMENTWISE(collide)

void plugin_context()
{
	constexpr int FRAMES = 300;
	CUcontext own = nullptr;
	std::vector<char> seen(NARROW_BYTES);

	CHECK(cudaFree(nullptr));
	if (!repaired) {
		CUcontext left;
		CUdevice device;
		DRIVE(cuInit(0));
		DRIVE(cuDeviceGet(&device, 0));
#if CUDA_VERSION >= 13000
		DRIVE(cuCtxCreate(&own, nullptr, 0, device));
#else
		DRIVE(cuCtxCreate(&own, 0, device));
#endif
		DRIVE(cuCtxPopCurrent(&left));
	}
	Device image(NARROW_BYTES);
	fresh(image, NARROW, 1);
	std::thread physics([&] {
		if (own)
			DRIVE(cuCtxSetCurrent(own));
		cudaStream_t stream;
		float *bodies;
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
		CHECK(cudaMalloc((void **)&bodies, NARROW_BYTES));
		seed<<<units(), 128, 0, stream>>>(bodies, NARROW, 2);
		for (int frame = 0; frame < FRAMES; frame++)
			collide<<<units(), 128, 0, stream>>>(bodies, NARROW, 800 * NARROW_US);
		CHECK(cudaGetLastError());
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemcpy(seen.data(), bodies, NARROW_BYTES, cudaMemcpyDeviceToHost));
		CHECK(cudaFree(bodies));
		CHECK(cudaStreamDestroy(stream));
	});
	{
		Stream stream;
		for (int frame = 0; frame < FRAMES; frame++)
			shade<<<units(), 128, 0, stream>>>(floats(image), NARROW, 800 * NARROW_US);
		CHECK(cudaGetLastError());
		CHECK(cudaStreamSynchronize(stream));
	}
	physics.join();
	print(device_hash(image, NARROW_BYTES, hash_of(seen.data(), seen.size())));
	if (own)
		DRIVE(cuCtxDestroy(own));
}

// A gateway before a model: a thread hands out tokens at a rate, and a request needs one. The
// bucket holds a single one; repaired, it holds a burst of requests.
class Bucket
{
	std::mutex mutex_;
	std::condition_variable refilled_;
	int tokens_;
	const int most_;
	bool over_ = false;
	std::thread thread_;

      public:
	Bucket(int most, int tick_us) : tokens_(most), most_(most)
	{
		thread_ = std::thread([this, tick_us] {
			for (;;) {
				host_sleep(tick_us);
				std::lock_guard<std::mutex> lock(mutex_);
				if (over_)
					return;
				if (tokens_ < most_)
					tokens_++;
				refilled_.notify_one();
			}
		});
	}
	~Bucket()
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			over_ = true;
		}
		thread_.join();
	}
	void take_one()
	{
		std::unique_lock<std::mutex> lock(mutex_);

		refilled_.wait(lock, [this] { return tokens_ > 0; });
		tokens_--;
	}
};

ELEMENTWISE(infer)

void token_bucket()
{
	constexpr int REQUESTS = 200;
	Device model(WIDE_BYTES);
	Stream stream;

	fresh(model, WIDE, 3);
	{
		Bucket bucket(repaired ? 256 : 1, 3000);
		for (int request = 0; request < REQUESTS; request++) {
			bucket.take_one();
			infer<<<wide(), 256, 0, stream>>>(floats(model), WIDE, 1300 * WIDE_US);
			CHECK(cudaGetLastError());
		}
		CHECK(cudaStreamSynchronize(stream));
	}
	print(device_hash(model, WIDE_BYTES));
}

// A reservoir's time step is a graph of three kernels; the host waits for each step. Repaired, it
// waits for each fiftieth, where it would write a checkpoint.
ELEMENTWISE(advance)
ELEMENTWISE(exchange)
ELEMENTWISE(settle)

void reservoir_graph()
{
	constexpr int STEPS = 16000;
	Device cells(NARROW_BYTES);
	Stream stream;
	cudaGraph_t graph;
	cudaGraphExec_t step;

	fresh(cells, NARROW, 4);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	advance<<<units(), 128, 0, stream>>>(floats(cells), NARROW, 6 * NARROW_US);
	exchange<<<units(), 128, 0, stream>>>(floats(cells), NARROW, 6 * NARROW_US);
	settle<<<units(), 128, 0, stream>>>(floats(cells), NARROW, 6 * NARROW_US);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&step, graph, 0));
	for (int i = 1; i <= STEPS; i++) {
		CHECK(cudaGraphLaunch(step, stream));
		if (!repaired || i % 50 == 0)
			CHECK(cudaStreamSynchronize(stream));
	}
	print(device_hash(cells, NARROW_BYTES));
	CHECK(cudaGraphExecDestroy(step));
	CHECK(cudaGraphDestroy(graph));
}

// The columns of a table are sorted, each by its own launches of a bitonic network's stages;
// repaired, a stage's launch is for all columns. Then they are scored.
constexpr int COLUMN = 2048;
constexpr int COLUMNS = 2400;

__global__ void fill_columns(unsigned *all)
{
	for (int i = first_index(); i < COLUMN * COLUMNS; i += index_step())
		all[i] = mixed((unsigned)i * 77U + 5U);
}

__global__ void compare_swap(unsigned *columns, int span, int step)
{
	unsigned *column = columns + (size_t)blockIdx.y * COLUMN;
	const int pair = first_index();
	const int low = pair / step * 2 * step + pair % step;
	const int high = low + step;
	const unsigned a = column[low], b = column[high];

	if ((a > b) == ((low & span) == 0)) {
		column[low] = b;
		column[high] = a;
	}
}

__global__ void score_columns(const unsigned *all, float *scores, int rounds)
{
	for (int i = first_index(); i < WIDE; i += index_step())
		scores[i] = churn(0.5f * scores[i] + 0.5f * unit(all[i * 17]), rounds);
}

void sort_columns()
{
	Device table(sizeof(unsigned) * COLUMN * COLUMNS);
	Device scores(WIDE_BYTES);
	Stream stream;

	fresh(scores, WIDE, 5);
	fill_columns<<<wide(), 256, 0, stream>>>(numbers(table));
	const int launches = repaired ? 1 : COLUMNS;
	for (int one = 0; one < launches; one++)
		for (int span = 2; span <= COLUMN; span *= 2)
			for (int step = span / 2; step > 0; step /= 2)
				compare_swap<<<dim3(4, repaired ? COLUMNS : 1), 256, 0, stream>>>(
					numbers(table) + (size_t)one * COLUMN, span, step);
	CHECK(cudaGetLastError());
	for (int pass = 0; pass < 50; pass++)
		score_columns<<<wide(), 256, 0, stream>>>(numbers(table), floats(scores),
							  4000 * WIDE_US);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(stream));
	print(device_hash(scores, WIDE_BYTES));
}

// Seismic surveys in streams of their own. Each takes its slice of a workspace, whose layer lets
// the next user wait for the last one, of whatever slice; repaired, for the last of its slice.
class Workspace
{
	Device memory_;
	std::vector<std::unique_ptr<Event>> last_;

      public:
	Workspace(int slices) : memory_(slices * NARROW_BYTES)
	{
		for (int i = 0; i < slices; i++)
			last_.emplace_back(new Event);
	}
	Event &last(int slice)
	{
		return *last_[repaired ? slice : 0];
	}
	float *acquire(int slice, cudaStream_t stream)
	{
		CHECK(cudaStreamWaitEvent(stream, last(slice), 0));
		return floats(memory_.at(slice * NARROW_BYTES));
	}
	void release(int slice, cudaStream_t stream)
	{
		CHECK(cudaEventRecord(last(slice), stream));
	}
};

__global__ void migrate(float *traces, float *scratch, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		scratch[i] = traces[i] * 0.75f;
		traces[i] = churn(scratch[i], rounds);
	}
}

void shared_workspace()
{
	constexpr int SURVEYS = 4;
	Workspace workspace(SURVEYS);
	Device traces(SURVEYS * NARROW_BYTES);
	Stream streams[SURVEYS];

	fresh(traces, SURVEYS * NARROW, 6);
	for (int shot = 0; shot < 240; shot++)
		for (int survey = 0; survey < SURVEYS; survey++) {
			float *scratch = workspace.acquire(survey, streams[survey]);
			migrate<<<units(), 128, 0, streams[survey]>>>(
				floats(traces.at(survey * NARROW_BYTES)), scratch, NARROW,
				500 * NARROW_US);
			CHECK(cudaGetLastError());
			workspace.release(survey, streams[survey]);
		}
	print(device_hash(traces, SURVEYS * NARROW_BYTES));
}

// Sonar frames go through a ring of three. An upload must wait until its slot is free; it asks the
// slot that was used last, not its own.
__global__ void correlate(const unsigned *frame, int words, float *sum, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		unsigned all = 0;
		for (int at = i; at < words; at += count)
			all = all * 31 + frame[at];
		sum[i] = churn(0.5f * sum[i] + 0.5f * unit(mixed(all)), rounds);
	}
}

void sonar_ring()
{
	constexpr int SLOTS = 3;
	constexpr size_t BYTES = 16 * MIB;
	std::vector<Device> frames = several<Device>(SLOTS, BYTES);
	std::vector<Pinned> staged = several<Pinned>(SLOTS, BYTES);
	Device sum(WIDE_BYTES);
	Stream uploads, kernels;
	Event uploaded[SLOTS], used[SLOTS];

	for (Pinned &one : staged)
		memset(one, 0, BYTES);
	fresh(sum, WIDE, 7);
	for (int frame = 0; frame < 450; frame++) {
		const int slot = frame % SLOTS;
		const int asked = repaired ? slot : (frame + SLOTS - 1) % SLOTS;
		CHECK(cudaEventSynchronize(uploaded[slot]));
		new_words(staged[slot], BYTES, (unsigned)frame);
		CHECK(cudaStreamWaitEvent(uploads, used[asked], 0));
		CHECK(cudaMemcpyAsync(frames[slot], staged[slot], BYTES, cudaMemcpyHostToDevice,
				      uploads));
		CHECK(cudaEventRecord(uploaded[slot], uploads));
		CHECK(cudaStreamWaitEvent(kernels, uploaded[slot], 0));
		correlate<<<wide(), 256, 0, kernels>>>(numbers(frames[slot]), (int)(BYTES / 4),
						       floats(sum), WIDE, 700 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(used[slot], kernels));
	}
	print(device_hash(sum, WIDE_BYTES));
}

// A mixer has voices in streams of their own and a meter for each, which forgot its stream.
ELEMENTWISE(voice)

__global__ void meter(const float *samples, float *peak)
{
	float most = fabsf(samples[threadIdx.x]);

	for (int apart = 16; apart > 0; apart /= 2)
		most = fmaxf(most, __shfl_xor_sync(~0U, most, apart));
	if (threadIdx.x == 0)
		*peak = fmaxf(*peak * 0.9f, most);
}

struct Voice {
	Device samples{NARROW_BYTES};
	Device peak{sizeof(float)};
	cudaStream_t stream;

	Voice()
	{
		CHECK(cudaStreamCreate(&stream));
		CHECK(cudaMemset(peak, 0, sizeof(float)));
	}
	~Voice()
	{
		CHECK(cudaStreamDestroy(stream));
	}
	void play()
	{
		voice<<<units(), 128, 0, stream>>>(floats(samples), NARROW, 500 * NARROW_US);
		CHECK(cudaGetLastError());
	}
	void measure()
	{
		if (repaired)
			meter<<<1, 32, 0, stream>>>(floats(samples), floats(peak));
		else
			meter<<<1, 32>>>(floats(samples), floats(peak));
		CHECK(cudaGetLastError());
	}
};

void mixer_meter()
{
	Voice voices[4];
	uint64_t hash = 1;

	for (int i = 0; i < 4; i++)
		fresh(voices[i].samples, NARROW, 8 + (unsigned)i);
	for (int block = 0; block < 240; block++)
		for (Voice &one : voices) {
			one.play();
			one.measure();
		}
	CHECK(cudaDeviceSynchronize());
	for (Voice &one : voices) {
		hash = device_hash(one.peak, sizeof(float), hash);
		hash = device_hash(one.samples, NARROW_BYTES, hash);
	}
	print(hash);
}

// Two stages of a microscope's pipeline are threads. What the first made goes to the second by way
// of the host; repaired, it stays on the device.
ELEMENTWISE(denoise)

__global__ void segment(const float *field, float *labels, int count, int words, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		float all = 0;
		for (int at = i; at < words; at += count)
			all = all * 0.5f + field[at];
		labels[i] = churn(0.5f * labels[i] + 0.2f * all, rounds);
	}
}

void stage_handoff()
{
	constexpr int FIELDS = 450, SLOTS = 3;
	constexpr size_t BYTES = 24 * MIB;
	constexpr int WORDS = (int)(BYTES / 4);
	Device field(BYTES), labels(WIDE_BYTES);
	std::vector<Device> second = several<Device>(SLOTS, BYTES);
	std::vector<Pinned> between = several<Pinned>(repaired ? 0 : SLOTS, BYTES);
	Event made[SLOTS], used[SLOTS];
	Channel<int> full, empty;

	fresh(field, WORDS, 12);
	fresh(labels, WIDE, 13);
	for (int slot = 0; slot < SLOTS; slot++)
		empty.push(slot);
	std::thread first_stage([&] {
		Stream stream;
		for (int i = 0; i < FIELDS; i++) {
			denoise<<<wide(), 256, 0, stream>>>(floats(field), WORDS, 480);
			CHECK(cudaGetLastError());
			const int slot = empty.pop();
			CHECK(cudaStreamWaitEvent(stream, used[slot], 0));
			if (repaired)
				CHECK(cudaMemcpyAsync(second[slot], field, BYTES,
						      cudaMemcpyDeviceToDevice, stream));
			else
				CHECK(cudaMemcpyAsync(between[slot], field, BYTES,
						      cudaMemcpyDeviceToHost, stream));
			CHECK(cudaEventRecord(made[slot], stream));
			full.push(slot);
		}
		CHECK(cudaStreamSynchronize(stream));
	});
	std::thread second_stage([&] {
		Stream stream;
		for (int i = 0; i < FIELDS; i++) {
			const int slot = full.pop();
			CHECK(cudaStreamWaitEvent(stream, made[slot], 0));
			if (!repaired)
				CHECK(cudaMemcpyAsync(second[slot], between[slot], BYTES,
						      cudaMemcpyHostToDevice, stream));
			segment<<<wide(), 256, 0, stream>>>(floats(second[slot]), floats(labels),
							    WIDE, WORDS, 100 * WIDE_US);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(used[slot], stream));
			empty.push(slot);
		}
		CHECK(cudaStreamSynchronize(stream));
	});
	first_stage.join();
	second_stage.join();
	print(device_hash(labels, WIDE_BYTES));
}

// A flow is shown as it is computed. Its mask of solid cells is fetched for each picture, though it
// erodes once in 55 steps; repaired, it is fetched when it is another one.
__global__ void flow(float *field, const unsigned *mask, int words, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		unsigned all = 0;
		for (int at = i; at < words; at += count)
			all += mask[at];
		field[i] = churn(0.5f * field[i] + 0.5f * unit(mixed(all)), rounds);
	}
}

__global__ void erode(unsigned *mask, int words, unsigned salt)
{
	for (int i = first_index(); i < words; i += index_step())
		mask[i] = mixed((unsigned)i ^ salt * 0x9e3779b9U);
}

void mask_view()
{
	constexpr size_t BYTES = 48 * MIB;
	constexpr int WORDS = (int)(BYTES / 4);
	Device mask(BYTES), field(WIDE_BYTES);
	Pinned shown(BYTES);
	Stream stream;
	uint64_t picture = 1;

	fresh(field, WIDE, 14);
	for (int step = 0; step < 220; step++) {
		const bool eroded = step % 55 == 0;
		if (eroded)
			erode<<<wide(), 256, 0, stream>>>(numbers(mask), WORDS, (unsigned)step);
		flow<<<wide(), 256, 0, stream>>>(floats(field), numbers(mask), WORDS, WIDE,
						 1100 * WIDE_US);
		CHECK(cudaGetLastError());
		if (eroded || !repaired) {
			CHECK(cudaMemcpyAsync(shown, mask, BYTES, cudaMemcpyDeviceToHost, stream));
			CHECK(cudaStreamSynchronize(stream));
		}
		for (int column = 0; column < 64; column++)
			picture = picture * 31 +
				  *(unsigned *)shown.at(
					  (size_t)(step * 64 + column) * 3331 % BYTES & ~(size_t)3);
	}
	print(device_hash(field, WIDE_BYTES, picture));
}

// A dispatcher looks for the end of a job, sleeping twice as long each time.
ELEMENTWISE(fold_protein)

void wait_patiently(cudaEvent_t event)
{
	int pause = 250;

	if (repaired) {
		CHECK(cudaEventSynchronize(event));
		return;
	}
	for (;;) {
		const cudaError_t state = cudaEventQuery(event);
		if (state == cudaSuccess)
			return;
		if (state != cudaErrorNotReady)
			CHECK(state);
		host_sleep(pause);
		pause *= 2;
	}
}

void backoff()
{
	Device chain(WIDE_BYTES);
	Pinned energy(sizeof(float));
	Stream stream;
	Event done;
	uint64_t path = 1;

	fresh(chain, WIDE, 15);
	for (int job = 0; job < 140; job++) {
		// what the host saw of the job before decides on this one
		fold_protein<<<wide(), 256, 0, stream>>>(floats(chain), WIDE,
							 2600 * WIDE_US + (int)(path & 15));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(energy, chain, sizeof(float), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(done, stream));
		wait_patiently(done);
		path = hash_of(energy, sizeof(float), path);
	}
	print(device_hash(chain, WIDE_BYTES, path));
}

// Four cameras and two encoders of the host in a container of two CPUs. The cameras' threads wait
// for the device by spinning; repaired, they sleep.
ELEMENTWISE(demosaic)

void two_cpus()
{
	cpu_set_t allowed, two;
	std::vector<std::thread> threads;
	uint64_t encoded[2];
	uint64_t hash = 1;

	CPU_ZERO(&two);
	must(!sched_getaffinity(0, sizeof(allowed), &allowed), "sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			CPU_SET(cpu, &two);
	must(CPU_COUNT(&two) == 2, "finding two CPUs");
	must(!sched_setaffinity(0, sizeof(two), &two), "sched_setaffinity");
	CHECK(cudaSetDeviceFlags(repaired ? cudaDeviceScheduleBlockingSync
					  : cudaDeviceScheduleSpin));
	std::vector<Device> images = several<Device>(4, NARROW_BYTES);
	for (unsigned i = 0; i < 4; i++)
		fresh(images[i], NARROW, 16 + i);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&, i] {
			Stream stream;
			for (int picture = 0; picture < 25; picture++) {
				demosaic<<<units(), 128, 0, stream>>>(floats(images[i]), NARROW,
								      16000 * NARROW_US);
				CHECK(cudaGetLastError());
				CHECK(cudaStreamSynchronize(stream));
			}
		});
	for (int i = 0; i < 2; i++)
		threads.emplace_back(
			[&, i] { encoded[i] = toil(20 + (uint64_t)i, 600000L * TOIL_US); });
	for (std::thread &thread : threads)
		thread.join();
	hash = hash_of(encoded, sizeof(encoded), hash);
	for (Device &image : images)
		hash = device_hash(image, NARROW_BYTES, hash);
	print(hash);
}

// A telescope's exposure is a graph: a kernel, a copy, and a node of the host that digests what was
// copied. Repaired, that node only hands it to a thread.
ELEMENTWISE(expose)

constexpr size_t STRIP = 64 << 10;

struct Digest {
	uint64_t hash = 1;
	Pinned strip{STRIP};
	Channel<std::shared_ptr<std::vector<char>>> strips;

	void add(const void *data)
	{
		hash = toil(sampled(data, STRIP, hash), 2500L * TOIL_US);
	}
};

void digest_strip(void *context)
{
	Digest &digest = *(Digest *)context;

	if (repaired)
		digest.strips.push(std::make_shared<std::vector<char>>(digest.strip.at(0),
								       digest.strip.at(STRIP)));
	else
		digest.add(digest.strip);
}

void graph_digest()
{
	constexpr int EXPOSURES = 120;
	Device sky(WIDE_BYTES);
	Digest digest;
	Stream stream;
	cudaGraph_t graph;
	cudaGraphExec_t exposure;
	cudaGraphNode_t nodes[3];
	float *data = floats(sky);
	int count = WIDE, rounds = 3000 * WIDE_US;
	void *arguments[] = {&data, &count, &rounds};
	cudaKernelNodeParams kernel = {};
	cudaHostNodeParams host = {};

	fresh(sky, WIDE, 30);
	kernel.func = (void *)expose;
	kernel.gridDim = dim3((unsigned)wide());
	kernel.blockDim = dim3(256);
	kernel.kernelParams = arguments;
	host.fn = digest_strip;
	host.userData = &digest;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &kernel));
	CHECK(cudaGraphAddMemcpyNode1D(&nodes[1], graph, &nodes[0], 1, digest.strip, sky, STRIP,
				       cudaMemcpyDeviceToHost));
	CHECK(cudaGraphAddHostNode(&nodes[2], graph, &nodes[1], 1, &host));
	CHECK(cudaGraphInstantiate(&exposure, graph, 0));
	std::thread digester([&] {
		for (int i = 0; repaired && i < EXPOSURES; i++)
			digest.add(digest.strips.pop()->data());
	});
	for (int i = 0; i < EXPOSURES; i++)
		CHECK(cudaGraphLaunch(exposure, stream));
	CHECK(cudaStreamSynchronize(stream));
	digester.join();
	print(device_hash(sky, WIDE_BYTES, digest.hash));
	CHECK(cudaGraphExecDestroy(exposure));
	CHECK(cudaGraphDestroy(graph));
}

// An analysis server whose formulas are PTX. Each session loads its module again; repaired, the
// server keeps modules by name. It runs where there is no home to keep what was compiled.
std::string formula(const std::string &name, int terms)
{
	std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry " +
			   name +
			   "(.param .u64 at, .param .u32 count, .param .u32 rounds)\n{\n"
			   ".reg .pred %p<3>; .reg .f32 %f<3>; .reg .b32 %r<8>; .reg .b64 %d<5>;\n"
			   "ld.param.u64 %d1, [at]; ld.param.u32 %r1, [count];\n"
			   "ld.param.u32 %r2, [rounds];\n"
			   "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
			   "mad.lo.u32 %r6, %r3, %r4, %r5;\n"
			   "setp.ge.u32 %p1, %r6, %r1; @%p1 ret;\n"
			   "cvta.to.global.u64 %d2, %d1; mul.wide.u32 %d3, %r6, 4;\n"
			   "add.s64 %d4, %d2, %d3; ld.global.f32 %f1, [%d4];\nagain:\n";

	for (int term = 0; term < terms; term++) {
		const float added = 1.5f + 0.2f * (float)(term * 37 % 101) / 101;
		char line[80];
		unsigned bits;
		memcpy(&bits, &added, sizeof(bits));
		snprintf(line, sizeof(line),
			 "neg.f32 %%f2, %%f1; fma.rn.f32 %%f1, %%f2, %%f1, 0f%08X;\n", bits);
		text += line;
	}
	return text + "sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra again;\n"
		      "st.global.f32 [%d4], %f1; ret;\n}\n";
}

struct Module {
	CUmodule module;
	CUfunction function;

	Module(const std::string &name, const std::string &text)
	{
		DRIVE(cuModuleLoadData(&module, text.c_str()));
		DRIVE(cuModuleGetFunction(&function, module, name.c_str()));
	}
	Module(const Module &) = delete;
	~Module()
	{
		DRIVE(cuModuleUnload(module));
	}
	void launch(void *data, int count, int rounds, cudaStream_t stream)
	{
		CUdeviceptr at = (CUdeviceptr)data;
		void *arguments[] = {&at, &count, &rounds};

		DRIVE(cuLaunchKernel(function, (unsigned)wide(), 1, 1, 256, 1, 1, 0, stream,
				     arguments, nullptr));
	}
};

void ptx_sessions()
{
	must(!setenv("CUDA_CACHE_DISABLE", "1", 1), "setenv");
	const std::string text = formula("wind_shear", 800);
	Device grid(WIDE_BYTES);
	Stream stream;
	std::map<std::string, std::shared_ptr<Module>> kept;

	fresh(grid, WIDE, 31);
	for (int session = 0; session < 16; session++) {
		std::shared_ptr<Module> module = kept["wind_shear"];
		if (!module)
			module = std::make_shared<Module>("wind_shear", text);
		if (repaired)
			kept["wind_shear"] = module;
		for (int query = 0; query < 10; query++)
			module->launch(grid, wide() * 256 < WIDE ? wide() * 256 : WIDE,
				       2000 * WIDE_US / 800, stream);
		CHECK(cudaStreamSynchronize(stream));
	}
	print(device_hash(grid, WIDE_BYTES));
}

// Docking jobs in three threads, each with scratch memory of its own: made for each job, and freed,
// for which the device must be done with all; repaired, made once for each thread.
__global__ void dock(float *ligand, float *scratch, int stride, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		scratch[(size_t)i * stride] = ligand[i];
		ligand[i] = churn(scratch[(size_t)i * stride], rounds);
	}
}

void scratch_jobs()
{
	constexpr int THREADS = 3;
	constexpr size_t BYTES = 96 * MIB;
	std::vector<Device> ligands = several<Device>(THREADS, NARROW_BYTES);
	std::vector<std::thread> threads;
	uint64_t hash = 1;

	for (unsigned i = 0; i < THREADS; i++)
		fresh(ligands[i], NARROW, 32 + i);
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back([&, i] {
			Stream stream;
			std::unique_ptr<Device> scratch;
			for (int job = 0; job < 350; job++) {
				if (!scratch)
					scratch.reset(new Device(BYTES));
				dock<<<units(), 128, 0, stream>>>(
					floats(ligands[i]), floats(*scratch),
					(int)(BYTES / sizeof(float) / NARROW), NARROW,
					700 * NARROW_US);
				CHECK(cudaGetLastError());
				CHECK(cudaStreamSynchronize(stream));
				if (!repaired)
					scratch.reset();
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	for (Device &ligand : ligands)
		hash = device_hash(ligand, NARROW_BYTES, hash);
	print(hash);
}

// An option pricer has its table in shared memory, or, where that can't be had, computes what it
// needs of it again and again. It asks for sixteen times what it uses, and can't have it.
constexpr int ENTRIES = 4096;
constexpr int ENTRY_ROUNDS = 3000;
constexpr int LOOKUPS = 48;

__device__ float entry_of(int entry)
{
	return churn(unit(mixed((unsigned)entry)), ENTRY_ROUNDS);
}

__global__ void price_by_table(float *prices, int count)
{
	extern __shared__ float table[];

	for (int entry = (int)threadIdx.x; entry < ENTRIES; entry += (int)blockDim.x)
		table[entry] = entry_of(entry);
	__syncthreads();
	for (int i = first_index(); i < count; i += index_step()) {
		float price = prices[i];
		for (int lookup = 0; lookup < LOOKUPS; lookup++)
			price = fmaf(0.5f, price, table[mixed((unsigned)(i + lookup)) % ENTRIES]);
		prices[i] = price;
	}
}

__global__ void price_by_formula(float *prices, int count)
{
	for (int i = first_index(); i < count; i += index_step()) {
		float price = prices[i];
		for (int lookup = 0; lookup < LOOKUPS; lookup++)
			price = fmaf(0.5f, price,
				     entry_of(mixed((unsigned)(i + lookup)) % ENTRIES));
		prices[i] = price;
	}
}

void table_fallback()
{
	const int bytes = ENTRIES * (int)sizeof(float) * (repaired ? 1 : 16);
	Device prices(WIDE_BYTES);
	Stream stream;

	fresh(prices, WIDE, 36);
	for (int day = 0; day < 280; day++) {
		if (cudaFuncSetAttribute(price_by_table,
					 cudaFuncAttributeMaxDynamicSharedMemorySize,
					 bytes) == cudaSuccess) {
			price_by_table<<<wide(), 256, bytes, stream>>>(floats(prices), WIDE);
		} else {
			(void)cudaGetLastError();
			price_by_formula<<<wide(), 256, 0, stream>>>(floats(prices), WIDE);
		}
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	print(device_hash(prices, WIDE_BYTES));
}

// The main thread of a satellite's ground station bound itself to one CPU, and its decoders are
// made with that. Repaired, they take back what the process may have.
ELEMENTWISE(deconvolve)

void bound_decoders()
{
	constexpr int DECODERS = 3, SLOTS = 2;
	constexpr size_t PACKET = 64 << 10;
	cpu_set_t allowed, one;
	std::vector<std::thread> threads;
	uint64_t hash = 1;

	CHECK(cudaFree(nullptr));
	std::vector<Device> bands = several<Device>(DECODERS, NARROW_BYTES);
	std::vector<Pinned> packets = several<Pinned>(DECODERS * SLOTS, PACKET);
	for (unsigned i = 0; i < DECODERS; i++)
		fresh(bands[i], NARROW, 37 + i);
	for (Pinned &packet : packets)
		memset(packet, 0, PACKET);
	must(!sched_getaffinity(0, sizeof(allowed), &allowed), "sched_getaffinity");
	must(CPU_COUNT(&allowed) > DECODERS, "finding CPUs");
	CPU_ZERO(&one);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && !CPU_COUNT(&one); cpu--)
		if (CPU_ISSET(cpu, &allowed))
			CPU_SET(cpu, &one);
	must(!sched_setaffinity(0, sizeof(one), &one), "sched_setaffinity");
	for (int i = 0; i < DECODERS; i++)
		threads.emplace_back([&, i] {
			if (repaired)
				must(!sched_setaffinity(0, sizeof(allowed), &allowed),
				     "sched_setaffinity");
			Stream stream;
			Event sent[SLOTS];
			uint64_t state = (uint64_t)i + 1;
			for (int packet = 0; packet < 60; packet++) {
				const int slot = packet % SLOTS;
				Pinned &staged = packets[(size_t)(i * SLOTS + slot)];
				CHECK(cudaEventSynchronize(sent[slot]));
				for (size_t at = 0; at < PACKET; at += 4096) {
					state = toil(state, 3000L * TOIL_US / 16);
					*(float *)staged.at(at) =
						(float)(state >> 40) * 5.9604645e-8f;
				}
				CHECK(cudaMemcpyAsync(bands[i], staged, PACKET,
						      cudaMemcpyHostToDevice, stream));
				CHECK(cudaEventRecord(sent[slot], stream));
				deconvolve<<<units(), 128, 0, stream>>>(floats(bands[i]), NARROW,
									500 * NARROW_US);
				CHECK(cudaGetLastError());
			}
			CHECK(cudaStreamSynchronize(stream));
		});
	for (std::thread &thread : threads)
		thread.join();
	for (Device &band : bands)
		hash = device_hash(band, NARROW_BYTES, hash);
	print(hash);
}

// A codec works on rows of eight coefficients, and its group is one such row; repaired, it is 32.
__global__ void transform_rows(float *coefficients, int rows, int rounds)
{
	const int row = (int)(blockIdx.x * blockDim.y + threadIdx.y);

	if (row < rows)
		coefficients[row * 8 + (int)threadIdx.x] =
			churn(coefficients[row * 8 + (int)threadIdx.x], rounds);
}

void codec_rows()
{
	constexpr int ROWS = 132 * 2048 * 2 / 8;
	const int height = repaired ? 32 : 1;
	Device coefficients(ROWS * 8 * sizeof(float));
	Stream stream;

	fresh(coefficients, ROWS * 8, 40);
	for (int picture = 0; picture < 300; picture++)
		transform_rows<<<(unsigned)((ROWS + height - 1) / height),
				 dim3(8, (unsigned)height), 0, stream>>>(floats(coefficients), ROWS,
									 20000);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(stream));
	print(device_hash(coefficients, ROWS * 8 * sizeof(float)));
}

// Snapshots of a galaxy are read into vectors while the next one is computed; repaired, the vectors
// have an allocator of pinned memory.
template <class What> struct Pinning {
	using value_type = What;

	What *allocate(size_t count)
	{
		void *at;
		if (repaired)
			CHECK(cudaMallocHost(&at, count * sizeof(What)));
		else
			must((at = malloc(count * sizeof(What))) != nullptr, "malloc");
		return (What *)at;
	}
	void deallocate(What *at, size_t)
	{
		if (repaired)
			CHECK(cudaFreeHost(at));
		else
			free(at);
	}
	bool operator==(const Pinning &) const
	{
		return true;
	}
	bool operator!=(const Pinning &) const
	{
		return false;
	}
};

__global__ void evolve(float *stars, int count, int rounds, float *snapshot, int length)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const float moved = churn(stars[i], rounds);
		stars[i] = moved;
		for (int at = i; at < length; at += count)
			snapshot[at] = moved + (float)at * 1e-7f;
	}
}

void snapshots()
{
	constexpr int SNAPSHOTS = 110, LENGTH = 8 << 20;
	constexpr size_t BYTES = LENGTH * sizeof(float);
	Device stars(WIDE_BYTES);
	std::vector<Device> made = several<Device>(2, BYTES);
	std::vector<float, Pinning<float>> read[2];
	Stream kernels, copies;
	Event evolved[2], copied[2];
	uint64_t hash = 1;

	fresh(stars, WIDE, 41);
	for (auto &one : read)
		one.assign(LENGTH, 0);
	for (int i = 0; i <= SNAPSHOTS; i++) {
		const int slot = i % 2;
		if (i < SNAPSHOTS) {
			CHECK(cudaStreamWaitEvent(kernels, copied[slot], 0));
			evolve<<<wide(), 256, 0, kernels>>>(floats(stars), WIDE, 1000 * WIDE_US,
							    floats(made[slot]), LENGTH);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(evolved[slot], kernels));
			CHECK(cudaStreamWaitEvent(copies, evolved[slot], 0));
			CHECK(cudaMemcpyAsync(read[slot].data(), made[slot], BYTES,
					      cudaMemcpyDeviceToHost, copies));
			CHECK(cudaEventRecord(copied[slot], copies));
		}
		if (i > 0) {
			CHECK(cudaEventSynchronize(copied[1 - slot]));
			hash = sampled(read[1 - slot].data(), BYTES, hash);
		}
	}
	print(hash);
}

// Not a fault: a river's forcing is written on the host into managed memory, and each day's piece is
// prefetched ahead; the state stays on the device until the end.
ELEMENTWISE(route_water)

__global__ void rain(float *state, const float *forcing, int count)
{
	for (int i = first_index(); i < count; i += index_step())
		state[i] = 0.5f * state[i] + 0.5f * forcing[i];
}

void prefetch(void *data, size_t bytes, bool to_host, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
	cudaMemLocation place = {};
	place.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
	place.id = 0;
	CHECK(cudaMemPrefetchAsync(data, bytes, place, 0, stream));
#else
	CHECK(cudaMemPrefetchAsync(data, bytes, to_host ? cudaCpuDeviceId : 0, stream));
#endif
}

void clean_managed_river()
{
	constexpr int DAYS = 40;
	float *state, *forcing;
	Stream kernels, prefetches;
	Event there[DAYS];

	CHECK(cudaMallocManaged((void **)&state, WIDE_BYTES));
	CHECK(cudaMallocManaged((void **)&forcing, DAYS * 2 * MIB));
	prefetch(state, WIDE_BYTES, false, kernels);
	seed<<<wide(), 256, 0, kernels>>>(state, WIDE, 42);
	for (int day = 0; day < DAYS; day++) {
		float *today = forcing + (size_t)day * (2 * MIB / sizeof(float));
		for (int i = 0; i < WIDE; i++)
			today[i] = (float)((i * 37 + day * 101) % 1000) * 0.001f;
		prefetch(today, 2 * MIB, false, prefetches);
		CHECK(cudaEventRecord(there[day], prefetches));
		CHECK(cudaStreamWaitEvent(kernels, there[day], 0));
		rain<<<wide(), 256, 0, kernels>>>(state, today, WIDE);
		route_water<<<wide(), 256, 0, kernels>>>(state, WIDE, 12000 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	prefetch(state, WIDE_BYTES, true, kernels);
	CHECK(cudaStreamSynchronize(kernels));
	print(hash_of(state, WIDE_BYTES));
	CHECK(cudaFree(forcing));
	CHECK(cudaFree(state));
}

// Not a fault: a graph that allocates its scratch memory and frees it, launched for each scan.
__global__ void spread(const float *scan, float *scratch, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		scratch[i] = churn(scan[i], rounds);
}

__global__ void gather(float *scan, const float *scratch, int count)
{
	for (int i = first_index(); i < count; i += index_step())
		scan[i] = 0.5f * scratch[i] + 0.5f * scratch[(i + 1) % count];
}

void clean_graph_memory()
{
	Device scan(WIDE_BYTES);
	Stream stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	float *scratch;

	fresh(scan, WIDE, 43);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaMallocAsync((void **)&scratch, WIDE_BYTES, stream));
	spread<<<wide(), 256, 0, stream>>>(floats(scan), scratch, WIDE, 2000 * WIDE_US);
	gather<<<wide(), 256, 0, stream>>>(floats(scan), scratch, WIDE);
	CHECK(cudaFreeAsync(scratch, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 200; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	print(device_hash(scan, WIDE_BYTES));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

// Not a fault: three branches of a detector's trigger run at once and are joined, since the next
// event needs what all of them found.
ELEMENTWISE(calorimeter)
ELEMENTWISE(tracker)
ELEMENTWISE(muons)

__global__ void decide(float *next, const float *a, const float *b, const float *c, int count,
		       int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		next[i] = churn(0.3f * (a[i] + b[i] + c[i]), rounds);
}

__global__ void three_ways(const float *from, float *a, float *b, float *c, int count)
{
	for (int i = first_index(); i < count; i += index_step()) {
		a[i] = from[i];
		b[i] = -from[i];
		c[i] = 0.5f * from[i];
	}
}

void clean_trigger()
{
	std::vector<Device> parts = several<Device>(3, NARROW_BYTES);
	Device state(NARROW_BYTES);
	Stream first, second, third;
	Event split, second_done, third_done;
	float *a = floats(parts[0]), *b = floats(parts[1]), *c = floats(parts[2]);

	fresh(state, NARROW, 44);
	for (int event = 0; event < 300; event++) {
		three_ways<<<units(), 128, 0, first>>>(floats(state), a, b, c, NARROW);
		CHECK(cudaEventRecord(split, first));
		CHECK(cudaStreamWaitEvent(second, split, 0));
		CHECK(cudaStreamWaitEvent(third, split, 0));
		calorimeter<<<units(), 128, 0, first>>>(a, NARROW, 900 * NARROW_US);
		tracker<<<units(), 128, 0, second>>>(b, NARROW, 900 * NARROW_US);
		muons<<<units(), 128, 0, third>>>(c, NARROW, 900 * NARROW_US);
		CHECK(cudaEventRecord(second_done, second));
		CHECK(cudaEventRecord(third_done, third));
		CHECK(cudaStreamWaitEvent(first, second_done, 0));
		CHECK(cudaStreamWaitEvent(first, third_done, 0));
		decide<<<units(), 128, 0, first>>>(floats(state), a, b, c, NARROW, 400 * NARROW_US);
		CHECK(cudaGetLastError());
	}
	print(device_hash(state, NARROW_BYTES));
}

// Not a fault: a root is bisected, and the host must see the sign before it knows where to go.
__global__ void residual(const float *points, float *least, float at, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const float value = churn(points[i] * at, rounds);
		if (i == 0)
			*least = value - 0.3f;
		else if (value > 5)
			*least = value;
	}
}

void clean_bisection()
{
	Device points(WIDE_BYTES), least(sizeof(float));
	Pinned seen(sizeof(float));
	Stream stream;
	uint64_t path = 1;

	fresh(points, WIDE, 45);
	for (int root = 0; root < 5; root++) {
		float low = 0.1f, high = 0.9f + 0.02f * (float)root;
		for (int step = 0; step < 20; step++) {
			const float middle = 0.5f * (low + high);
			residual<<<wide(), 256, 0, stream>>>(floats(points), floats(least), middle,
							     WIDE, 5000 * WIDE_US);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(seen, least, sizeof(float), cudaMemcpyDeviceToHost,
					      stream));
			CHECK(cudaStreamSynchronize(stream));
			(*(float *)seen.at(0) < 0 ? low : high) = middle;
			path = hash_of(seen, sizeof(float), path);
		}
	}
	print(path);
}

// Not a fault: a process without a device unpacks packets ahead into memory that it shares with the
// one that uploads them.
void clean_unpacker()
{
	constexpr int PACKETS = 250, SLOTS = 4;
	constexpr size_t BYTES = 4 * MIB;
	int full[2], empty[2];
	char *shared = (char *)mmap(nullptr, SLOTS * BYTES, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(shared != MAP_FAILED, "mmap");
	must(!pipe(full) && !pipe(empty), "pipe");
	const pid_t unpacker = fork();
	must(unpacker >= 0, "fork");
	if (!unpacker) {
		char slot;
		close(full[0]);
		close(empty[1]);
		for (int packet = 0; packet < PACKETS; packet++) {
			slot = (char)(packet % SLOTS);
			if (packet >= SLOTS && read(empty[0], &slot, 1) != 1)
				_exit(1);
			new_words(shared + (size_t)slot * BYTES, BYTES, (unsigned)packet);
			if (write(full[1], &slot, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(full[1]);
	close(empty[0]);
	CHECK(cudaHostRegister(shared, SLOTS * BYTES, cudaHostRegisterDefault));
	{
		std::vector<Device> packets = several<Device>(SLOTS, BYTES);
		Device sum(WIDE_BYTES);
		Stream uploads, kernels;
		Event uploaded[SLOTS], used[SLOTS];
		char slots[PACKETS];
		fresh(sum, WIDE, 46);
		for (int packet = 0; packet < PACKETS; packet++) {
			char &slot = slots[packet];
			must(read(full[0], &slot, 1) == 1, "read");
			CHECK(cudaStreamWaitEvent(uploads, used[(int)slot], 0));
			CHECK(cudaMemcpyAsync(packets[slot], shared + (size_t)slot * BYTES, BYTES,
					      cudaMemcpyHostToDevice, uploads));
			CHECK(cudaEventRecord(uploaded[(int)slot], uploads));
			CHECK(cudaStreamWaitEvent(kernels, uploaded[(int)slot], 0));
			correlate<<<wide(), 256, 0, kernels>>>(numbers(packets[slot]),
							       (int)(BYTES / 4), floats(sum), WIDE,
							       1800 * WIDE_US);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(used[(int)slot], kernels));
			// the packet two before is on the device: its slot may be filled again
			if (packet >= 2) {
				CHECK(cudaEventSynchronize(uploaded[(int)slots[packet - 2]]));
				if (packet - 2 + SLOTS < PACKETS)
					must(write(empty[1], &slots[packet - 2], 1) == 1, "write");
			}
		}
		print(device_hash(sum, WIDE_BYTES));
	}
	int status;
	must(waitpid(unpacker, &status, 0) == unpacker && status == 0, "the unpacker");
	CHECK(cudaHostUnregister(shared));
	munmap(shared, SLOTS * BYTES);
	close(full[0]);
	close(empty[1]);
}

// Not a fault: host functions that only tell a thread which strip of a scan is there.
ELEMENTWISE(scan_strip)

struct Notice {
	Channel<int> *there;
	int slot;
};

void strip_there(void *context)
{
	Notice &notice = *(Notice *)context;

	notice.there->push(notice.slot);
}

void clean_light_notices()
{
	constexpr int STRIPS = 250, SLOTS = 4;
	Device scan(WIDE_BYTES);
	std::vector<Pinned> strips = several<Pinned>(SLOTS, STRIP);
	Channel<int> there, empty;
	Notice notices[SLOTS];
	Stream stream;
	uint64_t hash = 1;

	fresh(scan, WIDE, 47);
	for (int slot = 0; slot < SLOTS; slot++) {
		notices[slot] = {&there, slot};
		empty.push(slot);
	}
	std::thread reader([&] {
		for (int i = 0; i < STRIPS; i++) {
			const int slot = there.pop();
			hash = hash_of(strips[(size_t)slot], STRIP, hash);
			empty.push(slot);
		}
	});
	for (int i = 0; i < STRIPS; i++) {
		const int slot = empty.pop();
		scan_strip<<<wide(), 256, 0, stream>>>(floats(scan), WIDE, 1800 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(strips[(size_t)slot], scan, STRIP, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaLaunchHostFunc(stream, strip_there, &notices[slot]));
	}
	reader.join();
	CHECK(cudaStreamSynchronize(stream));
	print(hash);
}

// Not a fault: one small module from PTX, loaded once, and a table of coefficients that is new for
// each of its launches.
void clean_one_module()
{
	constexpr size_t TABLE = 32 << 10;
	constexpr int SLOTS = 2;
	Device field(WIDE_BYTES);
	std::vector<Pinned> tables = several<Pinned>(SLOTS, TABLE);
	Stream stream;
	Event sent[SLOTS];
	uint64_t state = 48;

	fresh(field, WIDE, 48);
	Module module("tide", formula("tide", 50));
	for (int i = 0; i < 250; i++) {
		const int slot = i % SLOTS;
		CHECK(cudaEventSynchronize(sent[slot]));
		for (size_t at = 0; at < TABLE; at += sizeof(float)) {
			state = toil(state, 1);
			*(float *)tables[(size_t)slot].at(at) =
				(float)(state >> 40) * 5.9604645e-8f;
		}
		DRIVE(cuMemcpyHtoDAsync((CUdeviceptr)(void *)field, tables[(size_t)slot], TABLE,
					stream));
		CHECK(cudaEventRecord(sent[slot], stream));
		module.launch(field, wide() * 256 < WIDE ? wide() * 256 : WIDE, 1800 * WIDE_US / 50,
			      stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	print(device_hash(field, WIDE_BYTES));
}

// Not a fault: four threads, each with its own default stream, whose kernels share the device.
ELEMENTWISE(walk_prices)

void clean_desks()
{
	constexpr int DESKS = 4;
	std::vector<Device> prices = several<Device>(DESKS, NARROW_BYTES);
	std::vector<std::thread> desks;
	uint64_t hash = 1;

	for (unsigned i = 0; i < DESKS; i++)
		fresh(prices[i], NARROW, 49 + i);
	for (int i = 0; i < DESKS; i++)
		desks.emplace_back([&, i] {
			for (int day = 0; day < 500; day++)
				walk_prices<<<units(), 128, 0, cudaStreamPerThread>>>(
					floats(prices[i]), NARROW, 900 * NARROW_US);
			CHECK(cudaGetLastError());
			CHECK(cudaStreamSynchronize(cudaStreamPerThread));
		});
	for (std::thread &desk : desks)
		desk.join();
	for (Device &one : prices)
		hash = device_hash(one, NARROW_BYTES, hash);
	print(hash);
}

const Case cases[] = {
	CASE(plugin_context),
	CASE(token_bucket),
	CASE(reservoir_graph),
	CASE(sort_columns),
	CASE(shared_workspace),
	CASE(sonar_ring),
	CASE(mixer_meter),
	CASE(stage_handoff),
	CASE(mask_view),
	CASE(backoff),
	CASE(two_cpus),
	CASE(graph_digest),
	CASE(ptx_sessions),
	CASE(scratch_jobs),
	CASE(table_fallback),
	CASE(bound_decoders),
	CASE(codec_rows),
	CASE(snapshots),
	CASE(clean_managed_river),
	CASE(clean_graph_memory),
	CASE(clean_trigger),
	CASE(clean_bisection),
	CASE(clean_unpacker),
	CASE(clean_light_notices),
	CASE(clean_one_module),
	CASE(clean_desks),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
