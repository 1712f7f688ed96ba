// SPDX-License-Identifier: MIT
// checkups CASE [repaired]: small applications of many fields with one fault each; those named
// clean_* have none. Each prints an answer that is the same with and without the fault.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cases.h"
#include "faults.h"

namespace
{
// One element for each thread that the device (an H100) holds.
constexpr int COUNT = 1056 * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of stir() in 1 us, if each of COUNT threads has one element.
constexpr int FULL_US = 110;
// Rounds of stir() in 1 us, if a multiprocessor has two blocks or fewer.
constexpr int THIN_US = 430;

void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

int multiprocessors()
{
	static const int units = [] {
		int value;
		CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
		return value;
	}();
	return units;
}

// Blocks of 256 threads that the device holds at once.
int full()
{
	return multiprocessors() * 8;
}

// Rounds for each of so many elements, that full() blocks take so many us in all.
int rounds_for(int us, int count)
{
	return std::max(1, (int)((long long)us * FULL_US * COUNT / count));
}

// Stays within [-1.6, 1.6].
__device__ float stir(float x, int rounds)
{
#pragma unroll 16
	for (int round = 0; round < rounds; round++)
		x = fmaf(-x, x, 1.6f);
	return x;
}

__host__ __device__ unsigned scramble(unsigned word)
{
	word = (word ^ (word >> 15)) * 0x2c1b3c6dU;
	word = (word ^ (word >> 12)) * 0x297a2d39U;
	return word ^ (word >> 15);
}

// [-1, 1) of all 32 bits.
__host__ __device__ float fraction(unsigned word)
{
	return (float)(int)word * 4.65661287e-10f;
}

__device__ int own()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int stride()
{
	return (int)(gridDim.x * blockDim.x);
}

__global__ void begin_with(float *data, int count, unsigned salt)
{
	for (int i = own(); i < count; i += stride())
		data[i] = fraction(scramble((unsigned)i + salt * 0x85ebca6bU));
}

__global__ void draw_words(unsigned *words, int count, unsigned salt)
{
	for (int i = own(); i < count; i += stride())
		words[i] = scramble((unsigned)i + salt * 0xc2b2ae35U);
}

// A kernel that takes each element further by itself.
#define ADVANCE(name)                                            \
	__global__ void name(float *data, int count, int rounds) \
	{                                                        \
		for (int i = own(); i < count; i += stride())    \
			data[i] = stir(0.99f * data[i], rounds); \
	}

uint64_t digest(const void *bytes, size_t count, uint64_t start = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		start = (start ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return start;
}

void print(uint64_t value)
{
	printf("%016llx\n", (unsigned long long)value);
}

// What stands on the device when all is done.
uint64_t digest_of_device(const void *data, size_t bytes)
{
	std::vector<char> here(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(here.data(), data, bytes, cudaMemcpyDeviceToHost));
	return digest(here.data(), bytes);
}

float *floats(void *at)
{
	return (float *)at;
}

unsigned *words(void *at)
{
	return (unsigned *)at;
}

// A wind farm: the controllers of all turbines set pitch and yaw by what power was measured, and
// the wakes go on by that.
struct Setting {
	float pitch, yaw, thrust, spin, gains[12];
};
constexpr int TURBINES = 240;

__global__ void blow_wakes(float *wind, int count, const Setting *settings, int rounds)
{
	for (int i = own(); i < count; i += stride()) {
		const Setting &near = settings[i % TURBINES];

		wind[i] = stir(0.5f * wind[i] + 0.3f * near.yaw + 0.2f * near.thrust, rounds);
	}
}

__global__ void measure_power(const float *wind, int count, float *power)
{
	__shared__ float parts[128];
	float sum = 0;

	for (int i = (int)(blockIdx.x + TURBINES * threadIdx.x); i < count; i += TURBINES * 128)
		sum += wind[i];
	parts[threadIdx.x] = sum;
	for (unsigned half = 64; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			parts[threadIdx.x] += parts[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		power[blockIdx.x] = parts[0] * (float)TURBINES / (float)count;
}

void steer(Setting &setting, float power, int step)
{
	setting.yaw = 0.8f * setting.yaw + 0.1f * power;
	setting.thrust = 0.9f * setting.thrust - 0.05f * power;
	setting.pitch = setting.yaw * setting.thrust;
	setting.spin = (float)step;
}

void turbine_controls()
{
	constexpr int STEPS = 600;
	Stream stream;
	Device wind(BYTES), settings(TURBINES * sizeof(Setting)), power(TURBINES * sizeof(float));
	Pinned set(TURBINES * sizeof(Setting)), measured(TURBINES * sizeof(float));
	Setting *const turbines = (Setting *)(void *)set;
	float *const seen = floats(measured);

	memset(turbines, 0, TURBINES * sizeof(Setting));
	memset(seen, 0, TURBINES * sizeof(float));
	begin_with<<<full(), 256, 0, stream>>>(floats(wind), COUNT, 1);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		for (int one = 0; one < TURBINES; one++) {
			steer(turbines[one], seen[one], step);
			if (!repaired)
				CHECK(cudaMemcpyAsync(settings.at(one * sizeof(Setting)),
						      &turbines[one], sizeof(Setting),
						      cudaMemcpyHostToDevice, stream));
		}
		if (repaired)
			CHECK(cudaMemcpyAsync(settings, turbines, TURBINES * sizeof(Setting),
					      cudaMemcpyHostToDevice, stream));
		blow_wakes<<<full(), 256, 0, stream>>>(
			floats(wind), COUNT, (const Setting *)(void *)settings, 250 * FULL_US);
		measure_power<<<TURBINES, 128, 0, stream>>>(floats(wind), COUNT, floats(power));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen, power, TURBINES * sizeof(float), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	print(digest_of_device(wind, BYTES));
}

// Search in a gallery of images that is larger than the device: shards of descriptors come from
// the archive, two at a time, and each is compared with all queries.
constexpr int QUERIES = 256;

__global__ void compare_shard(const unsigned *codes, int count, unsigned *nearest, int rounds)
{
	unsigned best = ~0U;

	for (int i = own(); i < count; i += stride()) {
		const float far = stir(fraction(scramble(codes[i] + (unsigned)i)), rounds);

		best = min(best, (unsigned)((2 + far) * 1e8f));
	}
	atomicMin(&nearest[own() % QUERIES], best);
}

void gallery_shards()
{
	constexpr int SHARDS = 80;
	constexpr size_t SHARD = 32 << 20;
	constexpr int CODES = SHARD / sizeof(unsigned);
	Device nearest(QUERIES * sizeof(unsigned));
	std::vector<std::vector<char>> plain;
	std::vector<Pinned> locked;
	char *shelves[2];
	Stream streams[2];
	Event done[2];
	auto there = several<Device>(2, SHARD);

	if (repaired)
		locked = several<Pinned>(2, SHARD);
	else
		plain.assign(2, std::vector<char>(SHARD));
	for (int one = 0; one < 2; one++) {
		shelves[one] = repaired ? (char *)(void *)locked[one] : plain[one].data();
		memset(shelves[one], 0, SHARD);
	}
	CHECK(cudaMemset(nearest, 0xff, QUERIES * sizeof(unsigned)));
	CHECK(cudaDeviceSynchronize());
	for (int shard = 0; shard < SHARDS; shard++) {
		const int now = shard % 2;

		if (shard >= 2)
			CHECK(cudaEventSynchronize(done[now]));
		// The archive's directory: the heads of the records are new.
		for (size_t at = 0; at < SHARD; at += 65536)
			*(unsigned *)&shelves[now][at] = scramble((unsigned)(shard + at));
		CHECK(cudaMemcpyAsync(there[now], shelves[now], SHARD, cudaMemcpyHostToDevice,
				      streams[now]));
		compare_shard<<<full(), 256, 0, streams[now]>>>(
			words(there[now]), CODES, words(nearest), rounds_for(400, CODES));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(done[now], streams[now]));
	}
	print(digest_of_device(nearest, QUERIES * sizeof(unsigned)));
}

// Card payments are scored in batches; their features are made here of what the ledger has.
constexpr int FEATURES = 16;
constexpr int PAYMENTS = 16384;

__global__ void score_payments(const float *features, float *scores, int rounds)
{
	for (int i = own(); i < PAYMENTS * FEATURES; i += stride()) {
		float x = stir(features[i], rounds);

		for (int lane = 1; lane < FEATURES; lane *= 2)
			x += __shfl_xor_sync(~0U, x, lane);
		if (i % FEATURES == 0)
			scores[i / FEATURES] = x;
	}
}

void make_features(float *features, int batch)
{
	unsigned ledger = (unsigned)batch;

	for (int payment = 0; payment < PAYMENTS; payment++) {
		ledger = scramble(ledger + (unsigned)payment);
		for (int i = 0; i < FEATURES; i++)
			*features++ = fraction(scramble(ledger + (unsigned)i));
	}
}

uint64_t suspects(const float *scores, uint64_t before)
{
	unsigned many = 0;

	for (int i = 0; i < PAYMENTS; i++)
		many += scores[i] > 9;
	return before * 31 + many;
}

void fraud_features()
{
	constexpr int BATCHES = 600;
	Stream stream;
	Event done[2];
	auto here = several<Pinned>(2, PAYMENTS * FEATURES * sizeof(float));
	auto replies = several<Pinned>(2, PAYMENTS * sizeof(float));
	auto features = several<Device>(2, PAYMENTS * FEATURES * sizeof(float));
	auto scores = several<Device>(2, PAYMENTS * sizeof(float));
	uint64_t found = 0;
	const auto finish = [&](int batch) {
		CHECK(cudaEventSynchronize(done[batch % 2]));
		found = suspects(floats(replies[batch % 2]), found);
	};

	for (int batch = 0; batch < BATCHES; batch++) {
		const int now = batch % 2;

		make_features(floats(here[now]), batch);
		CHECK(cudaMemcpyAsync(features[now], here[now], PAYMENTS * FEATURES * sizeof(float),
				      cudaMemcpyHostToDevice, stream));
		score_payments<<<full(), 256, 0, stream>>>(floats(features[now]),
							   floats(scores[now]), 550 * FULL_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(replies[now], scores[now], PAYMENTS * sizeof(float),
				      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(done[now], stream));
		if (!repaired)
			finish(batch);
		else if (batch)
			finish(batch - 1);
	}
	if (repaired)
		finish(BATCHES - 1);
	print(found);
}

// Cells are tracked through the frames of a microscope: a ring of three frames, each of which is
// sent, segmented, and its mask fetched.
constexpr int PIXELS = 4 << 20;

__global__ void segment_cells(const unsigned *frame, uint16_t *mask, int rounds)
{
	for (int i = own(); i < PIXELS; i += stride())
		mask[i] =
			(uint16_t)(20000 * (1.6f + stir(fraction(scramble(frame[i] + (unsigned)i)),
							rounds)));
}

void cell_frames()
{
	constexpr int FRAMES = 500, RING = 3;
	constexpr size_t FRAME = PIXELS * sizeof(unsigned), MASK = PIXELS * sizeof(uint16_t);
	Stream streams[RING];
	Event done[RING];
	auto frames = several<Pinned>(RING, FRAME);
	auto masks = several<Pinned>(RING, MASK);
	auto sent = several<Device>(RING, FRAME);
	auto segmented = several<Device>(RING, MASK);
	uint64_t tracks = 1;

	for (int frame = 0; frame < FRAMES + RING; frame++) {
		const int now = frame % RING;
		const cudaStream_t stream = streams[repaired ? now : 0];

		if (frame >= RING) {
			CHECK(cudaEventSynchronize(done[now]));
			tracks = digest((void *)masks[now], 4096, tracks);
		}
		if (frame >= FRAMES)
			continue;
		frames[now].change(frame);
		CHECK(cudaMemcpyAsync(sent[now], frames[now], FRAME, cudaMemcpyHostToDevice,
				      stream));
		segment_cells<<<full(), 256, 0, stream>>>(words(sent[now]),
							  (uint16_t *)(void *)segmented[now],
							  rounds_for(400, PIXELS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(masks[now], segmented[now], MASK, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(done[now], stream));
	}
	print(tracks);
}

// The glaciers of a range: each flows by itself and loses ice at its front.
ADVANCE(flow_ice)

__global__ void calve(float *ice, int count, int rounds)
{
	for (int i = own(); i < count; i += stride())
		ice[i] = stir(ice[i] > 1.2f ? ice[i] - 1 : ice[i], rounds);
}

void glacier_regions()
{
	constexpr int GLACIERS = 8, STEPS = 300, BLOCKS = 16, CELLS = BLOCKS * 256;
	auto ice = several<Device>(GLACIERS, CELLS * sizeof(float));
	cudaStream_t streams[GLACIERS];
	uint64_t left = 1;

	for (int one = 0; one < GLACIERS; one++) {
		CHECK(cudaStreamCreate(&streams[one]));
		begin_with<<<BLOCKS, 256, 0, streams[one]>>>(floats(ice[one]), CELLS,
							     (unsigned)one);
		CHECK(cudaGetLastError());
	}
	for (int step = 0; step < STEPS; step++)
		for (int one = 0; one < GLACIERS; one++) {
			flow_ice<<<BLOCKS, 256, 0, streams[one]>>>(floats(ice[one]), CELLS,
								   130 * THIN_US);
			if (repaired)
				calve<<<BLOCKS, 256, 0, streams[one]>>>(floats(ice[one]), CELLS,
									20 * THIN_US);
			else
				calve<<<BLOCKS, 256>>>(floats(ice[one]), CELLS, 20 * THIN_US);
			CHECK(cudaGetLastError());
		}
	for (int one = 0; one < GLACIERS; one++) {
		left = left * 31 + digest_of_device(ice[one], CELLS * sizeof(float));
		CHECK(cudaStreamDestroy(streams[one]));
	}
	print(left);
}

// A fleet of robots, whose planners search for paths, each on a map of its own.
__global__ void expand_frontier(float *costs, int count, unsigned *open, int rounds)
{
	unsigned better = 0;

	for (int i = own(); i < count; i += stride()) {
		const float cost = stir(0.99f * costs[i], rounds);

		better += cost < costs[i];
		costs[i] = cost;
	}
	better = __reduce_add_sync(~0U, better);
	if (threadIdx.x % 32 == 0)
		atomicAdd(open, better);
}

uint64_t plan_path(unsigned robot)
{
	constexpr int EXPANSIONS = 800, AT_ONCE = 50, BLOCKS = 24, CELLS = BLOCKS * 256;
	Stream stream;
	Device costs(CELLS * sizeof(float)), open(sizeof(unsigned));
	Pinned seen(64);
	uint64_t path = 1;

	begin_with<<<BLOCKS, 256, 0, stream>>>(floats(costs), CELLS, robot);
	CHECK(cudaGetLastError());
	CHECK(cudaMemsetAsync(open, 0, sizeof(unsigned), stream));
	for (int expansion = 1; expansion <= EXPANSIONS; expansion++) {
		expand_frontier<<<BLOCKS, 256, 0, stream>>>(floats(costs), CELLS, words(open),
							    100 * THIN_US);
		CHECK(cudaGetLastError());
		if (expansion % AT_ONCE)
			continue;
		CHECK(cudaMemcpyAsync(seen, open, sizeof(unsigned), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		path = digest((void *)seen, sizeof(unsigned), path);
	}
	return path;
}

void path_fleet()
{
	constexpr int ROBOTS = 4;
	uint64_t paths[ROBOTS];

	if (repaired) {
		std::vector<std::thread> planners;

		for (int robot = 1; robot < ROBOTS; robot++)
			planners.emplace_back(
				[&paths, robot] { paths[robot] = plan_path((unsigned)robot); });
		paths[0] = plan_path(0);
		for (auto &planner : planners)
			planner.join();
	} else {
		int pipes[ROBOTS][2];
		pid_t planners[ROBOTS];

		for (int robot = 1; robot < ROBOTS; robot++) {
			must(pipe(pipes[robot]) == 0, "pipe");
			planners[robot] = fork();
			must(planners[robot] >= 0, "fork");
			if (planners[robot] == 0) {
				const uint64_t path = plan_path((unsigned)robot);

				must(write(pipes[robot][1], &path, sizeof(path)) == sizeof(path),
				     "write");
				exit(0);
			}
			close(pipes[robot][1]);
		}
		paths[0] = plan_path(0);
		for (int robot = 1; robot < ROBOTS; robot++) {
			int status;

			must(read(pipes[robot][0], &paths[robot], sizeof(paths[robot])) ==
				     sizeof(paths[robot]),
			     "read");
			close(pipes[robot][0]);
			must(waitpid(planners[robot], &status, 0) == planners[robot] && !status,
			     "a planner");
		}
	}
	print(digest(paths, sizeof(paths)));
}

// Music is made note by note by a network of small layers.
constexpr int HIDDEN = 512;

ADVANCE(attend)
ADVANCE(add_normed)
ADVANCE(project)
ADVANCE(gate)

__global__ void pick_note(const float *hidden, unsigned *notes, unsigned *position)
{
	const float x = hidden[threadIdx.x * 16];
	const unsigned loudest = __reduce_max_sync(~0U, (unsigned)((x + 2) * 1e6f));

	if (threadIdx.x == 0)
		notes[(*position)++] = loudest % 128;
}

void enqueue_note(cudaStream_t stream, float *hidden, unsigned *notes, unsigned *position)
{
	constexpr int LAYERS = 24, THREADS = 128, BLOCKS = HIDDEN / THREADS;

	for (int layer = 0; layer < LAYERS; layer++) {
		attend<<<BLOCKS, THREADS, 0, stream>>>(hidden, HIDDEN, 16);
		add_normed<<<BLOCKS, THREADS, 0, stream>>>(hidden, HIDDEN, 3);
		project<<<BLOCKS, THREADS, 0, stream>>>(hidden, HIDDEN, 20);
		gate<<<BLOCKS, THREADS, 0, stream>>>(hidden, HIDDEN, 5);
	}
	pick_note<<<1, 32, 0, stream>>>(hidden, notes, position);
	CHECK(cudaGetLastError());
}

void melody_tokens()
{
	constexpr int NOTES = 1800, PHRASE = 200;
	Stream stream;
	Device hidden(HIDDEN * sizeof(float)), notes(NOTES * sizeof(unsigned));
	Device position(sizeof(unsigned));
	Pinned played(NOTES * sizeof(unsigned));
	cudaGraphExec_t step = nullptr;

	begin_with<<<4, 128, 0, stream>>>(floats(hidden), HIDDEN, 7);
	CHECK(cudaGetLastError());
	CHECK(cudaMemsetAsync(position, 0, sizeof(unsigned), stream));
	if (repaired) {
		cudaGraph_t graph;

		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		enqueue_note(stream, floats(hidden), words(notes), words(position));
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiate(&step, graph, 0));
		CHECK(cudaGraphDestroy(graph));
	}
	for (int note = 0; note < NOTES; note++) {
		if (repaired)
			CHECK(cudaGraphLaunch(step, stream));
		else
			enqueue_note(stream, floats(hidden), words(notes), words(position));
		if ((note + 1) % PHRASE)
			continue;
		// The phrase is for the player.
		const size_t from = (size_t)(note + 1 - PHRASE) * sizeof(unsigned);

		CHECK(cudaMemcpyAsync(played.at(from), notes.at(from), PHRASE * sizeof(unsigned),
				      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	if (step)
		CHECK(cudaGraphExecDestroy(step));
	print(digest((void *)played, NOTES * sizeof(unsigned)));
}

// Inputs of a parser are mutated, and what covers more of it is mutated further: a tree.
constexpr int INPUT_WORDS = 2 << 20;
constexpr int EDGES = 512 << 10;
constexpr int DEPTH = 7;

__global__ void mutate(const unsigned *parent, unsigned *inputs, unsigned node)
{
	for (int i = own(); i < INPUT_WORDS; i += stride())
		inputs[i] = parent[i] ^ (scramble((unsigned)i + node) & (1U << node % 32));
}

__global__ void parse_inputs(const unsigned *inputs, unsigned *coverage, int rounds)
{
	for (int i = own(); i < INPUT_WORDS; i += stride()) {
		const float state = stir(fraction(inputs[i]), rounds);

		coverage[scramble(__float_as_uint(state)) % EDGES] = 1;
	}
}

__global__ void count_edges(const unsigned *coverage, unsigned *covered)
{
	unsigned sum = 0;

	for (int i = own(); i < EDGES; i += stride())
		sum += coverage[i];
	sum = __reduce_add_sync(~0U, sum);
	if (threadIdx.x % 32 == 0 && sum)
		atomicAdd(covered, sum);
}

struct Fuzzer {
	Stream stream;
	Device covered{sizeof(unsigned)};
	Pinned seen{64};
	// Of each level, where one node is open at a time.
	std::vector<Device> inputs, coverage;
	uint64_t corpus = 1;
};

void explore(Fuzzer &fuzzer, int depth, unsigned node, const unsigned *parent)
{
	const cudaStream_t stream = fuzzer.stream;
	unsigned *inputs, *coverage;

	if (depth == DEPTH)
		return;
	if (repaired) {
		inputs = words(fuzzer.inputs[depth]);
		coverage = words(fuzzer.coverage[depth]);
	} else {
		CHECK(cudaMalloc((void **)&inputs, INPUT_WORDS * sizeof(unsigned)));
		CHECK(cudaMalloc((void **)&coverage, EDGES * sizeof(unsigned)));
	}
	mutate<<<full(), 256, 0, stream>>>(parent, inputs, node);
	CHECK(cudaMemsetAsync(coverage, 0, EDGES * sizeof(unsigned), stream));
	CHECK(cudaMemsetAsync(fuzzer.covered, 0, sizeof(unsigned), stream));
	parse_inputs<<<full(), 256, 0, stream>>>(inputs, coverage, rounds_for(150, INPUT_WORDS));
	count_edges<<<full(), 256, 0, stream>>>(coverage, words(fuzzer.covered));
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(fuzzer.seen, fuzzer.covered, sizeof(unsigned), cudaMemcpyDeviceToHost,
			      stream));
	CHECK(cudaStreamSynchronize(stream));
	fuzzer.corpus = digest((void *)fuzzer.seen, sizeof(unsigned), fuzzer.corpus);
	if (*words(fuzzer.seen) > 16)
		for (unsigned child = 0; child < 3; child++)
			explore(fuzzer, depth + 1, node * 3 + child + 1, inputs);
	if (!repaired) {
		CHECK(cudaFree(coverage));
		CHECK(cudaFree(inputs));
	}
}

void grammar_fuzzer()
{
	Fuzzer fuzzer;
	Device first(INPUT_WORDS * sizeof(unsigned));

	if (repaired) {
		fuzzer.inputs = several<Device>(DEPTH, INPUT_WORDS * sizeof(unsigned));
		fuzzer.coverage = several<Device>(DEPTH, EDGES * sizeof(unsigned));
	}
	draw_words<<<full(), 256, 0, fuzzer.stream>>>(words(first), INPUT_WORDS, 8);
	CHECK(cudaGetLastError());
	explore(fuzzer, 0, 0, words(first));
	print(fuzzer.corpus);
}

// Orbits are fitted to arcs of observations by least squares, in ten iterations for each arc.
ADVANCE(propagate_orbits)
ADVANCE(predict_angles)
ADVANCE(form_partials)
ADVANCE(add_normals)
ADVANCE(correct_orbits)

void launched(const char *kernel)
{
	must(cudaGetLastError() == cudaSuccess, kernel);
	if (!repaired)
		must(cudaDeviceSynchronize() == cudaSuccess, kernel);
}

void orbit_arcs()
{
	constexpr int ARCS = 400, ITERATIONS = 10;
	Device orbits(BYTES);
	float *const all = floats(orbits);

	begin_with<<<full(), 256>>>(all, COUNT, 9);
	launched("begin_with");
	for (int arc = 0; arc < ARCS; arc++) {
		for (int iteration = 0; iteration < ITERATIONS; iteration++) {
			propagate_orbits<<<full(), 256>>>(all, COUNT, 20 * FULL_US);
			launched("propagate_orbits");
			predict_angles<<<full(), 256>>>(all, COUNT, 8 * FULL_US);
			launched("predict_angles");
			form_partials<<<full(), 256>>>(all, COUNT, 14 * FULL_US);
			launched("form_partials");
			add_normals<<<full(), 256>>>(all, COUNT, 8 * FULL_US);
			launched("add_normals");
			correct_orbits<<<full(), 256>>>(all, COUNT, 5 * FULL_US);
			launched("correct_orbits");
		}
	}
	print(digest_of_device(orbits, BYTES));
}

// A city is rendered in layers, of which the traffic moves; an encoder on the host puts them
// together.
constexpr int SCREEN = 1920 * 1080;

__global__ void draw_layer(unsigned *pixels, unsigned scene, int rounds)
{
	for (int i = own(); i < SCREEN; i += stride())
		pixels[i] = __float_as_uint(stir(fraction(scramble((unsigned)i + scene)), rounds));
}

void render_layers()
{
	enum { GROUND, HOUSES, SIGNS, TRAFFIC, LAYERS };
	constexpr int FRAMES = 500, SCENE = 60;
	constexpr size_t LAYER = SCREEN * sizeof(unsigned);
	Stream stream;
	auto layers = several<Device>(LAYERS, LAYER);
	auto fetched = several<Pinned>(LAYERS, LAYER);
	uint64_t film = 1;

	for (int frame = 0; frame < FRAMES; frame++) {
		const bool cut = frame % SCENE == 0;

		for (int layer = 0; layer < LAYERS; layer++) {
			const bool moved = cut || layer == TRAFFIC;

			if (moved) {
				draw_layer<<<full(), 256, 0, stream>>>(
					words(layers[layer]), (unsigned)(frame * LAYERS + layer),
					rounds_for(250, SCREEN));
				CHECK(cudaGetLastError());
			}
			if (moved || !repaired)
				CHECK(cudaMemcpyAsync(fetched[layer], layers[layer], LAYER,
						      cudaMemcpyDeviceToHost, stream));
		}
		CHECK(cudaStreamSynchronize(stream));
		for (int layer = 0; layer < LAYERS; layer++)
			film = digest(fetched[layer].at(LAYER / 2), 1024, film);
	}
	print(film);
}

// An auction of many lots in rounds: all bidders value the lots anew, the highest bid of each lot
// is found, and the reserve rises.
constexpr int BIDS = 2 << 20;
constexpr int LOTS = 64;

__global__ void value_lots(unsigned *bids, const unsigned *reserves, unsigned round, int rounds)
{
	for (int i = own(); i < BIDS; i += stride()) {
		const float taste = fraction(scramble((unsigned)i * 31 + round));

		bids[i] =
			(unsigned)((1.6f + stir(taste, rounds)) * 1e6f) + reserves[i % LOTS] % 4096;
	}
}

__global__ void find_highest(const unsigned *bids, unsigned *highest)
{
	__shared__ unsigned best[LOTS];

	for (unsigned lot = threadIdx.x; lot < LOTS; lot += blockDim.x)
		best[lot] = 0;
	__syncthreads();
	for (int i = own(); i < BIDS; i += stride()) {
		// A bid of the second currency counts by its rate.
		const float rate = stir(fraction(bids[i] << 8), 8);

		atomicMax(&best[i % LOTS], bids[i] + (unsigned)((2 + rate) * 100));
	}
	__syncthreads();
	for (unsigned lot = threadIdx.x; lot < LOTS; lot += blockDim.x)
		atomicMax(&highest[lot], best[lot]);
}

__global__ void raise_reserves(unsigned *highest, unsigned *reserves)
{
	reserves[threadIdx.x] = scramble(reserves[threadIdx.x] + highest[threadIdx.x]);
	highest[threadIdx.x] = 0;
}

void auction_rounds()
{
	constexpr int ROUNDS = 600;
	const int rooms = repaired ? full() / 4 : 1;
	Stream stream;
	Device bids(BIDS * sizeof(unsigned));
	Device highest(LOTS * sizeof(unsigned)), reserves(LOTS * sizeof(unsigned));

	CHECK(cudaMemsetAsync(highest, 0, LOTS * sizeof(unsigned), stream));
	CHECK(cudaMemsetAsync(reserves, 0, LOTS * sizeof(unsigned), stream));
	for (unsigned round = 0; round < ROUNDS; round++) {
		value_lots<<<full(), 256, 0, stream>>>(words(bids), words(reserves), round,
						       rounds_for(150, BIDS));
		find_highest<<<rooms, 1024, 0, stream>>>(words(bids), words(highest));
		raise_reserves<<<1, LOTS, 0, stream>>>(words(highest), words(reserves));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	print(digest_of_device(reserves, LOTS * sizeof(unsigned)));
}

// Missing genotypes are imputed from a panel of haplotypes. Their emissions stand in shared memory
// where there is room, else each marker works them out.
constexpr unsigned STATES = 40960;
constexpr int MARKERS = 2 << 20;
constexpr int NEIGHBOURS = 16;

__device__ float emission(unsigned state, unsigned panel, int rounds)
{
	return stir(fraction(scramble(state + panel)), rounds);
}

__device__ void add_dosage(unsigned sum, unsigned *dosage)
{
	sum = __reduce_add_sync(~0U, sum);
	if (threadIdx.x % 32 == 0)
		atomicAdd(dosage, sum);
}

__global__ void impute_tabled(const unsigned *markers, unsigned panel, unsigned *dosage, int rounds)
{
	extern __shared__ float table[];
	unsigned sum = 0;

	for (unsigned state = threadIdx.x; state < STATES; state += blockDim.x)
		table[state] = emission(state, panel, rounds);
	__syncthreads();
	for (int i = own(); i < MARKERS; i += stride())
		for (unsigned near = 0; near < NEIGHBOURS; near++)
			sum += (unsigned)((2 + table[scramble(markers[i] + near) % STATES]) * 64);
	add_dosage(sum, dosage);
}

__global__ void impute_untabled(const unsigned *markers, unsigned panel, unsigned *dosage,
				int rounds)
{
	unsigned sum = 0;

	for (int i = own(); i < MARKERS; i += stride())
		for (unsigned near = 0; near < NEIGHBOURS; near++)
			sum += (unsigned)((2 + emission(scramble(markers[i] + near) % STATES, panel,
							rounds)) *
					  64);
	add_dosage(sum, dosage);
}

void genotype_panels()
{
	constexpr int PANELS = 1200, WORKERS = 2, ROUNDS = 256;
	const size_t table = (repaired ? STATES : 65536) * sizeof(float);
	Device dosages(PANELS * sizeof(unsigned));
	std::atomic<int> next{0};
	std::vector<std::thread> workers;
	bool tabled;

	CHECK(cudaMemset(dosages, 0, PANELS * sizeof(unsigned)));
	CHECK(cudaDeviceSynchronize());
	tabled = cudaFuncSetAttribute(impute_tabled, cudaFuncAttributeMaxDynamicSharedMemorySize,
				      (int)table) == cudaSuccess;
	if (!tabled)
		(void)cudaGetLastError();
	for (int worker = 0; worker < WORKERS; worker++)
		workers.emplace_back([&] {
			Stream stream;
			Device markers(MARKERS * sizeof(unsigned));

			for (int panel = next++; panel < PANELS; panel = next++) {
				unsigned *const dosage =
					(unsigned *)dosages.at(panel * sizeof(unsigned));

				draw_words<<<full(), 256, 0, stream>>>(words(markers), MARKERS,
								       (unsigned)panel);
				if (tabled)
					impute_tabled<<<multiprocessors(), 1024, table, stream>>>(
						words(markers), (unsigned)panel, dosage, ROUNDS);
				else
					impute_untabled<<<full(), 256, 0, stream>>>(
						words(markers), (unsigned)panel, dosage, ROUNDS);
				CHECK(cudaGetLastError());
			}
			CHECK(cudaStreamSynchronize(stream));
		});
	for (auto &worker : workers)
		worker.join();
	print(digest_of_device(dosages, PANELS * sizeof(unsigned)));
}

// A chat model replies token by token, until it says that it stops.
constexpr unsigned VOCABULARY = 48000;

__global__ void read_prompt(float *state, int count, unsigned *token, unsigned prompt, int rounds)
{
	for (int i = own(); i < count; i += stride())
		state[i] = stir(fraction(scramble((unsigned)i + prompt * 7919)), rounds);
	if (own() == 0)
		*token = prompt;
}

__global__ void decode_layer(float *state, int count, const unsigned *token, int rounds)
{
	const float said = 0.1f * fraction(scramble(*token));

	for (int i = own(); i < count; i += stride())
		state[i] = stir(0.9f * state[i] + said, rounds);
}

__global__ void choose_token(const float *state, unsigned *token)
{
	__shared__ unsigned sums[8];
	unsigned sum = scramble(__float_as_uint(state[threadIdx.x * 1024]) + threadIdx.x);

	sum = __reduce_add_sync(~0U, sum);
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int warp = 1; warp < 8; warp++)
			sum += sums[warp];
		*token = scramble(sum + *token) % VOCABULARY;
	}
}

void chat_replies()
{
	constexpr int REPLIES = 60, LAYERS = 4, LONGEST = 500, RING = 16;
	constexpr unsigned STOP_BELOW = VOCABULARY / 160;
	const int behind = repaired ? 4 : 0;
	Stream stream;
	Event said[RING];
	Device state(BYTES), token(sizeof(unsigned));
	Pinned text(LONGEST * sizeof(unsigned));
	uint64_t chat = 1;

	for (unsigned reply = 0; reply < REPLIES; reply++) {
		bool stop = false;

		read_prompt<<<full(), 256, 0, stream>>>(floats(state), COUNT, words(token), reply,
							100 * FULL_US);
		CHECK(cudaGetLastError());
		for (int at = 0; !stop && at < LONGEST + behind; at++) {
			if (at < LONGEST) {
				for (int layer = 0; layer < LAYERS; layer++)
					decode_layer<<<full(), 256, 0, stream>>>(
						floats(state), COUNT, words(token), 6 * FULL_US);
				choose_token<<<1, 256, 0, stream>>>(floats(state), words(token));
				CHECK(cudaGetLastError());
				CHECK(cudaMemcpyAsync(text.at(at * sizeof(unsigned)), token,
						      sizeof(unsigned), cudaMemcpyDeviceToHost,
						      stream));
				CHECK(cudaEventRecord(said[at % RING], stream));
			}
			if (at < behind)
				continue;
			CHECK(cudaEventSynchronize(said[(at - behind) % RING]));
			const unsigned heard = words(text)[at - behind];

			chat = chat * 31 + heard;
			stop = heard < STOP_BELOW;
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	print(chat);
}

// A mesh is smoothed where it was torn. It stands in managed memory, since it is made and looked
// at on the host.
ADVANCE(relax_vertices)

void clean_mesh_managed()
{
	constexpr int VERTICES = 4 << 20, PASSES = 400;
	constexpr size_t MESH = VERTICES * sizeof(float);
	const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
	const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
	Stream stream;
	float *mesh;
	uint64_t shape = 1;

	CHECK(cudaMallocManaged((void **)&mesh, MESH, cudaMemAttachGlobal));
	for (int i = 0; i < VERTICES; i++)
		mesh[i] = fraction(scramble((unsigned)i));
	CHECK(cudaMemPrefetchAsync(mesh, MESH, device, 0, stream));
	for (int pass = 0; pass < PASSES; pass++) {
		relax_vertices<<<full(), 256, 0, stream>>>(mesh, VERTICES,
							   rounds_for(1000, VERTICES));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemPrefetchAsync(mesh, MESH, host, 0, stream));
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < VERTICES; i += 64)
		shape = digest(&mesh[i], sizeof(float), shape);
	CHECK(cudaFree(mesh));
	print(shape);
}

// Sixty-four chats are decoded together; what each says is sent on at once.
__global__ void decode_batch(float *states, int count, const unsigned *said, int chats, int rounds)
{
	for (int i = own(); i < count; i += stride())
		states[i] = stir(0.9f * states[i] + 0.1f * fraction(said[i % chats]), rounds);
}

__global__ void choose_batch(const float *states, unsigned *said)
{
	said[threadIdx.x] = scramble(__float_as_uint(states[threadIdx.x * 4096]) + threadIdx.x);
}

void clean_chat_batch()
{
	constexpr int CHATS = 64, TOKENS = 250, LAYERS = 2;
	Stream stream;
	Device states(BYTES), said(CHATS * sizeof(unsigned));
	Pinned sent(CHATS * sizeof(unsigned));
	uint64_t text = 1;

	begin_with<<<full(), 256, 0, stream>>>(floats(states), COUNT, 14);
	CHECK(cudaGetLastError());
	CHECK(cudaMemsetAsync(said, 0, CHATS * sizeof(unsigned), stream));
	for (int token = 0; token < TOKENS; token++) {
		for (int layer = 0; layer < LAYERS; layer++)
			decode_batch<<<full(), 256, 0, stream>>>(floats(states), COUNT, words(said),
								 CHATS, 900 * FULL_US);
		choose_batch<<<1, CHATS, 0, stream>>>(floats(states), words(said));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(sent, said, CHATS * sizeof(unsigned), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		text = digest((void *)sent, CHATS * sizeof(unsigned), text);
	}
	print(text);
}

// Requests of an auction house, taken by three workers, with bids of any number: their memory
// comes from the device's pool, which keeps what it has.
__global__ void rank_bids(unsigned *bids, int count, unsigned *winner, int rounds)
{
	unsigned best = 0;

	for (int i = own(); i < count; i += stride()) {
		bids[i] = (unsigned)((2 + stir(fraction(bids[i]), rounds)) * 1e8f);
		best = max(best, bids[i]);
	}
	best = __reduce_max_sync(~0U, best);
	if (threadIdx.x % 32 == 0)
		atomicMax(winner, best);
}

void clean_auction_pool()
{
	constexpr int REQUESTS = 1500, WORKERS = 3;
	std::vector<unsigned> winners(REQUESTS);
	std::atomic<int> next{0};
	std::vector<std::thread> workers;
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	for (int worker = 0; worker < WORKERS; worker++)
		workers.emplace_back([&] {
			Stream stream;
			Device winner(sizeof(unsigned));
			Pinned reply(64);

			for (int request = next++; request < REQUESTS; request = next++) {
				const int count = (1 + request % 3) << 20;
				void *bids;

				CHECK(cudaMallocAsync(&bids, count * sizeof(unsigned), stream));
				CHECK(cudaMemsetAsync(winner, 0, sizeof(unsigned), stream));
				draw_words<<<full(), 256, 0, stream>>>(words(bids), count,
								       (unsigned)request);
				rank_bids<<<full(), 256, 0, stream>>>(
					words(bids), count, words(winner), rounds_for(300, count));
				CHECK(cudaGetLastError());
				CHECK(cudaFreeAsync(bids, stream));
				CHECK(cudaMemcpyAsync(reply, winner, sizeof(unsigned),
						      cudaMemcpyDeviceToHost, stream));
				CHECK(cudaStreamSynchronize(stream));
				winners[request] = *words(reply);
			}
		});
	for (auto &worker : workers)
		worker.join();
	CHECK(cudaMemPoolTrimTo(pool, 0));
	print(digest(winners.data(), REQUESTS * sizeof(unsigned)));
}

// Satellites are propagated, and a block sums what the others left of each one's misfit.
__global__ void misfit(float *orbits, int count, float *parts, int rounds)
{
	__shared__ float sums[256];
	float sum = 0;

	for (int i = own(); i < count; i += stride()) {
		orbits[i] = stir(0.99f * orbits[i], rounds);
		sum += orbits[i];
	}
	sums[threadIdx.x] = sum;
	for (unsigned half = 128; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		parts[blockIdx.x] = sums[0];
}

__global__ void sum_misfits(const float *parts, int count, float *misfits, int iteration)
{
	__shared__ float sums[256];
	float sum = 0;

	for (int i = (int)threadIdx.x; i < count; i += 256)
		sum += parts[i];
	sums[threadIdx.x] = sum;
	for (unsigned half = 128; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		misfits[iteration] = sums[0];
}

void clean_orbit_sums()
{
	constexpr int ITERATIONS = 1000;
	Stream stream;
	Device orbits(BYTES), parts(full() * sizeof(float)), misfits(ITERATIONS * sizeof(float));

	begin_with<<<full(), 256, 0, stream>>>(floats(orbits), COUNT, 17);
	for (int iteration = 0; iteration < ITERATIONS; iteration++) {
		misfit<<<full(), 256, 0, stream>>>(floats(orbits), COUNT, floats(parts),
						   450 * FULL_US);
		sum_misfits<<<1, 256, 0, stream>>>(floats(parts), full(), floats(misfits),
						   iteration);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	print(digest_of_device(misfits, ITERATIONS * sizeof(float)));
}

// The air behind a turbine, step by step, in the one stream that there is by itself.
ADVANCE(advect_air)
ADVANCE(diffuse_air)
ADVANCE(project_air)

void clean_wake_march()
{
	constexpr int STEPS = 2400, SNAPSHOT = 600;
	Device air(BYTES);
	std::vector<char> snapshot(BYTES);
	uint64_t film = 1;

	begin_with<<<full(), 256>>>(floats(air), COUNT, 18);
	for (int step = 1; step <= STEPS; step++) {
		advect_air<<<full(), 256>>>(floats(air), COUNT, 80 * FULL_US);
		diffuse_air<<<full(), 256>>>(floats(air), COUNT, 50 * FULL_US);
		project_air<<<full(), 256>>>(floats(air), COUNT, 60 * FULL_US);
		CHECK(cudaGetLastError());
		if (step % SNAPSHOT)
			continue;
		CHECK(cudaMemcpy(snapshot.data(), air, BYTES, cudaMemcpyDeviceToHost));
		film = digest(snapshot.data(), 65536, film);
	}
	print(film);
}

// A service that tries inputs on a parser's model: inputs come now and then, and each has its
// answer soon.
ADVANCE(run_parser)

void clean_fuzz_service()
{
	constexpr int INPUTS = 300;
	std::mutex mutex;
	std::condition_variable change;
	std::deque<int> waiting;
	uint64_t verdicts = 1;
	std::thread parser([&] {
		Stream stream;
		Device state(BYTES);
		Pinned verdict(1024);

		for (int done = 0; done < INPUTS; done++) {
			int input;
			{
				std::unique_lock<std::mutex> hold(mutex);

				change.wait(hold, [&waiting] { return !waiting.empty(); });
				input = waiting.front();
				waiting.pop_front();
			}
			begin_with<<<full(), 256, 0, stream>>>(floats(state), COUNT,
							       (unsigned)input);
			run_parser<<<full(), 256, 0, stream>>>(floats(state), COUNT, 400 * FULL_US);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(verdict, state, 1024, cudaMemcpyDeviceToHost,
					      stream));
			CHECK(cudaStreamSynchronize(stream));
			verdicts = digest((void *)verdict, 1024, verdicts);
		}
	});

	for (int input = 0; input < INPUTS; input++) {
		host_sleep(1200 + 100 * (input % 7));
		const std::lock_guard<std::mutex> hold(mutex);
		waiting.push_back(input);
		change.notify_one();
	}
	parser.join();
	print(verdicts);
}

// Images' vectors come from the network in pieces, that are compared as they come: while one is
// compared, the next is sent.
void clean_gallery_pieces()
{
	constexpr int PIECES = 8000, RING = 4;
	constexpr size_t PIECE = 2 << 20;
	constexpr int CODES = PIECE / sizeof(unsigned);
	Stream streams[2];
	Event done[RING];
	auto here = several<Pinned>(RING, PIECE);
	auto there = several<Device>(RING, PIECE);
	Device nearest(QUERIES * sizeof(unsigned));

	CHECK(cudaMemset(nearest, 0xff, QUERIES * sizeof(unsigned)));
	CHECK(cudaDeviceSynchronize());
	for (int piece = 0; piece < PIECES; piece++) {
		const int now = piece % RING;
		const cudaStream_t stream = streams[piece % 2];

		if (piece >= RING)
			CHECK(cudaEventSynchronize(done[now]));
		here[now].change(piece);
		CHECK(cudaMemcpyAsync(there[now], here[now], PIECE, cudaMemcpyHostToDevice,
				      stream));
		compare_shard<<<full(), 256, 0, stream>>>(words(there[now]), CODES, words(nearest),
							  rounds_for(35, CODES));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(done[now], stream));
	}
	print(digest_of_device(nearest, QUERIES * sizeof(unsigned)));
}

const Case cases[] = {
	CASE(turbine_controls),	  CASE(gallery_shards),	      CASE(fraud_features),
	CASE(cell_frames),	  CASE(glacier_regions),      CASE(path_fleet),
	CASE(melody_tokens),	  CASE(grammar_fuzzer),	      CASE(orbit_arcs),
	CASE(render_layers),	  CASE(auction_rounds),	      CASE(genotype_panels),
	CASE(chat_replies),	  CASE(clean_mesh_managed),   CASE(clean_chat_batch),
	CASE(clean_auction_pool), CASE(clean_orbit_sums),     CASE(clean_wake_march),
	CASE(clean_fuzz_service), CASE(clean_gallery_pieces),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
