// SPDX-License-Identifier: MIT
// triages CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "cases.h"
#include "faults.h"

namespace
{
// What a kernel of wide() blocks works on: about one element for each thread of the device.
constexpr int COUNT = 1056 * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of churn() that take 1 us with all threads of the device.
constexpr int WIDE_US = 110;
// Rounds of churn() that take 1 us where each multiprocessor has a few warps only.
constexpr int NARROW_US = 440;

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
// Kernels that work words into floats.
#define OF_WORDS(name)                                                                          \
	__global__ void name(const unsigned *words, float *data, int count, int rounds)         \
	{                                                                                       \
		for (int i = first_index(); i < count; i += index_step())                       \
			data[i] = churn(0.5f * data[i] + 0.4f * unit(mixed(words[i])), rounds); \
	}

uint64_t hash_of(const void *bytes, size_t count, uint64_t hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

void tell(uint64_t hash)
{
	printf("answer %016llx\n", (unsigned long long)hash);
}

// The hash of what is on the device when all is done, and of what the host found.
void answer(const void *data, size_t bytes, uint64_t found = 0xcbf29ce484222325ULL)
{
	std::vector<char> seen(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(seen.data(), data, bytes, cudaMemcpyDeviceToHost));
	tell(hash_of(seen.data(), bytes, found));
}

float *floats(void *at)
{
	return (float *)at;
}

unsigned *words(void *at)
{
	return (unsigned *)at;
}

// Words of new data, one in each 4 KiB.
void new_words(void *buffer, size_t bytes, unsigned round)
{
	for (size_t at = 0; at < bytes; at += 4096)
		*(unsigned *)((char *)buffer + at) = round * 2654435761U + (unsigned)at;
}

// Rounds of churn() by which a kernel of wide() blocks takes so many us for so many elements.
int rounds_of(int us, size_t elements)
{
	return std::max(1, (int)((size_t)us * WIDE_US * COUNT / elements));
}

void driver(CUresult status, const char *call)
{
	if (status == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, (int)status);
	exit(1);
}

ELEMENTWISE(shift_curve)
ELEMENTWISE(reprice)
ELEMENTWISE(hedge)
ELEMENTWISE(net_book)
ELEMENTWISE(fold_profile)
ELEMENTWISE(steer_crowd)
ELEMENTWISE(skin_bodies)
ELEMENTWISE(transform_blocks)
ELEMENTWISE(denoise)
ELEMENTWISE(tone_map)
ELEMENTWISE(layer)
ELEMENTWISE(expand_frontier)
ELEMENTWISE(relax_mesh)
ELEMENTWISE(attend)
OF_WORDS(track_features)
OF_WORDS(aggregate_rows)
OF_WORDS(channelise)
OF_WORDS(roll_out)

// A book of options under scenarios of the yield curve. What a launch goes through is one function,
// that says where an error came from.
class Book
{
	Device values_{BYTES};
	Stream stream_;

	void launch(void (*kernel)(float *, int, int), int us)
	{
		kernel<<<wide(), 256, 0, stream_>>>(floats(values_), COUNT, us * WIDE_US);
		CHECK(cudaGetLastError());
		if (!repaired)
			CHECK(cudaDeviceSynchronize());
	}

      public:
	Book()
	{
		seed<<<wide(), 256, 0, stream_>>>(floats(values_), COUNT, 1);
		CHECK(cudaGetLastError());
	}
	void scenario()
	{
		launch(shift_curve, 12);
		launch(reprice, 22);
		launch(hedge, 14);
		launch(net_book, 12);
	}
	void close()
	{
		answer(values_, BYTES);
	}
};

void option_scenarios()
{
	Book book;

	for (int scenario = 0; scenario < 5000; scenario++)
		book.scenario();
	book.close();
}

// The frames that a decoder hands out, in turn.
class Frames
{
	std::vector<std::vector<char>> plain_;
	std::vector<Pinned> locked_;

      public:
	Frames(int count, size_t bytes)
	{
		if (repaired)
			locked_ = several<Pinned>(count, bytes);
		else
			plain_.resize(count, std::vector<char>(bytes));
		for (int i = 0; i < count; i++)
			memset(at(i), 7, bytes);
	}
	char *at(int slot)
	{
		return repaired ? locked_[slot].at(0) : plain_[slot].data();
	}
};

// A drone finds its way by what it sees: frames go up in one queue and are worked on in another.
void drone_frames()
{
	constexpr int FRAMES = 500, SLOTS = 3;
	constexpr size_t FRAME = 3840 * 2160;
	constexpr int WORDS = FRAME / 4;
	Frames frames(SLOTS, FRAME);
	std::vector<Device> seen = several<Device>(SLOTS, FRAME);
	Device features(FRAME);
	Event uploaded[SLOTS], used[SLOTS];
	Stream up, compute;

	seed<<<wide(), 256, 0, compute>>>(floats(features), WORDS, 2);
	CHECK(cudaGetLastError());
	for (int frame = 0; frame < FRAMES; frame++) {
		const int slot = frame % SLOTS;

		if (frame >= SLOTS) {
			CHECK(cudaEventSynchronize(uploaded[slot]));
			CHECK(cudaStreamWaitEvent(up, used[slot], 0));
		}
		new_words(frames.at(slot), FRAME, frame);
		CHECK(cudaMemcpyAsync(seen[slot], frames.at(slot), FRAME, cudaMemcpyHostToDevice,
				      up));
		CHECK(cudaEventRecord(uploaded[slot], up));
		CHECK(cudaStreamWaitEvent(compute, uploaded[slot], 0));
		track_features<<<wide(), 256, 0, compute>>>(words(seen[slot]), floats(features),
							    WORDS, rounds_of(220, WORDS));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(used[slot], compute));
	}
	answer(features, BYTES);
}

// Memory for one sequence, which is kept for the next one.
class Scratch
{
	void *at_ = nullptr;
	size_t bytes_ = 0;

      public:
	Scratch() = default;
	Scratch(const Scratch &) = delete;
	~Scratch()
	{
		release();
	}
	void *reserve(size_t bytes)
	{
		if (bytes > bytes_) {
			release();
			CHECK(cudaMalloc(&at_, bytes));
			bytes_ = bytes;
		}
		return at_;
	}
	void release()
	{
		if (at_)
			CHECK(cudaFree(at_));
		at_ = nullptr;
		bytes_ = 0;
	}
};

__global__ void pair_scores(const float *profile, float *pairs, int count)
{
	for (int i = first_index(); i < count; i += index_step())
		pairs[i] = profile[i] * 0.6f + profile[count - 1 - i] * 0.4f;
}

// A service that folds proteins, whose workers take requests of several lengths.
void protein_service()
{
	constexpr int REQUESTS = 900, WORKERS = 3, SCORES = 64;
	std::vector<uint64_t> replies(REQUESTS);
	std::atomic<int> next{0};
	std::vector<std::thread> workers;

	for (int worker = 0; worker < WORKERS; worker++)
		workers.emplace_back([&] {
			Stream stream;
			Pinned scores(SCORES * sizeof(float));
			Scratch profiles, tables;

			for (int request; (request = next++) < REQUESTS;) {
				const int count = (2 + request % 5) << 20;
				float *profile = floats(profiles.reserve(count * sizeof(float)));
				float *pairs = floats(tables.reserve(count * sizeof(float)));

				seed<<<wide(), 256, 0, stream>>>(profile, count, request);
				CHECK(cudaGetLastError());
				fold_profile<<<wide(), 256, 0, stream>>>(profile, count,
									 rounds_of(200, count));
				CHECK(cudaGetLastError());
				pair_scores<<<wide(), 256, 0, stream>>>(profile, pairs, count);
				CHECK(cudaGetLastError());
				CHECK(cudaMemcpyAsync(scores, pairs, SCORES * sizeof(float),
						      cudaMemcpyDeviceToHost, stream));
				CHECK(cudaStreamSynchronize(stream));
				replies[request] = hash_of(scores, SCORES * sizeof(float));
				if (!repaired) {
					profiles.release();
					tables.release();
				}
			}
		});
	for (auto &worker : workers)
		worker.join();
	tell(hash_of(replies.data(), replies.size() * sizeof(uint64_t)));
}

constexpr int RIG_PIXELS = 1920 * 1200;

__global__ void rectify(const unsigned char *frame, const float2 *map, float *out, int rounds)
{
	for (int i = first_index(); i < RIG_PIXELS; i += index_step()) {
		const float2 from = map[i];
		const int x = min(max((int)from.x, 0), 1919), y = min(max((int)from.y, 0), 1199);

		out[i] = churn(0.5f * out[i] + frame[y * 1920 + x] * 0.003f, rounds);
	}
}

// One of the eyes of a robot, with the map by which the lens's distortion is undone.
struct Eye {
	static constexpr size_t MAP = RIG_PIXELS * sizeof(float2);
	Pinned lens{MAP};
	std::vector<Pinned> frames = several<Pinned>(2, RIG_PIXELS);
	Device map{MAP}, frame{RIG_PIXELS}, out{RIG_PIXELS * sizeof(float)};

	Eye(float bend, cudaStream_t stream)
	{
		float2 *to = (float2 *)lens.at(0);

		for (int i = 0; i < RIG_PIXELS; i++) {
			const float x = (float)(i % 1920), y = (float)(i / 1920);

			to[i] = {x + bend * (x - 960), y - bend * (y - 600)};
		}
		CHECK(cudaMemsetAsync(out, 0, RIG_PIXELS * sizeof(float), stream));
	}
	void upload_map(cudaStream_t stream)
	{
		CHECK(cudaMemcpyAsync(map, lens, MAP, cudaMemcpyHostToDevice, stream));
	}
	void look(int slot, cudaStream_t stream)
	{
		if (!repaired)
			upload_map(stream);
		CHECK(cudaMemcpyAsync(frame, frames[slot], RIG_PIXELS, cudaMemcpyHostToDevice,
				      stream));
		rectify<<<wide(), 256, 0, stream>>>((unsigned char *)frame.at(0),
						    (float2 *)map.at(0), floats(out),
						    rounds_of(400, RIG_PIXELS));
		CHECK(cudaGetLastError());
	}
};

// Both eyes' pictures are put straight before they are compared.
void stereo_rig()
{
	constexpr int PAIRS = 300;
	Stream stream;
	Event done[2];
	Eye left(0.01f, stream), right(-0.015f, stream);

	if (repaired) {
		left.upload_map(stream);
		right.upload_map(stream);
	}
	for (int pair = 0; pair < PAIRS; pair++) {
		const int slot = pair % 2;

		if (pair >= 2)
			CHECK(cudaEventSynchronize(done[slot]));
		new_words(left.frames[slot], RIG_PIXELS, pair);
		new_words(right.frames[slot], RIG_PIXELS, pair + 1000);
		left.look(slot, stream);
		right.look(slot, stream);
		CHECK(cudaEventRecord(done[slot], stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(right.out, BYTES);
}

constexpr int SPECTRA = 8, POINTS = 1 << 18;

__global__ void digitise(unsigned *counts, int count, unsigned scan)
{
	for (int i = first_index(); i < count; i += index_step())
		counts[i] = mixed((unsigned)i * 31 + scan) & 0xffff;
}

// The ions of each spectrum, of which blockIdx.y is one.
__global__ void total_ions(const unsigned *counts, unsigned long long *totals, int rounds)
{
	__shared__ unsigned long long total;
	unsigned long long mine = 0;

	if (!threadIdx.x)
		total = 0;
	__syncthreads();
	for (int i = first_index(); i < POINTS; i += index_step()) {
		const unsigned count = counts[blockIdx.y * POINTS + i];
		const float kept = churn(count * 1e-5f, rounds);

		mine += kept > 0 ? count : count / 2;
	}
	atomicAdd(&total, mine);
	__syncthreads();
	if (!threadIdx.x)
		atomicAdd(&totals[blockIdx.y], total);
}

__global__ void normalise(const unsigned *counts, const unsigned long long *totals, float *out,
			  int rounds)
{
	for (int i = first_index(); i < SPECTRA * POINTS; i += index_step()) {
		const float share = (float)counts[i] * POINTS / (float)totals[i / POINTS];

		out[i] = churn(0.5f * out[i] + 0.2f * share, rounds);
	}
}

// A mass spectrometer: each scan is scaled by the number of its ions.
void spectrum_scans()
{
	constexpr int SCANS = 200, ALL = SPECTRA * POINTS;
	Stream stream;
	Device counts(ALL * sizeof(unsigned)), totals(SPECTRA * sizeof(uint64_t));
	Device out(ALL * sizeof(float));
	auto *sums = (unsigned long long *)totals.at(0);
	const dim3 blocks = repaired ? dim3(wide() / SPECTRA, SPECTRA) : dim3(1, SPECTRA);

	CHECK(cudaMemsetAsync(out, 0, ALL * sizeof(float), stream));
	for (int scan = 0; scan < SCANS; scan++) {
		digitise<<<wide(), 256, 0, stream>>>(words(counts), ALL, scan);
		CHECK(cudaGetLastError());
		CHECK(cudaMemsetAsync(totals, 0, SPECTRA * sizeof(uint64_t), stream));
		total_ions<<<blocks, repaired ? 256 : 1024, 0, stream>>>(words(counts), sums, 1000);
		CHECK(cudaGetLastError());
		normalise<<<wide(), 256, 0, stream>>>(words(counts), sums, floats(out),
						      rounds_of(900, ALL));
		CHECK(cudaGetLastError());
	}
	answer(out, BYTES);
}

__global__ void count_crowded(const float *agents, int count, unsigned *crowded)
{
	for (int i = first_index(); i < count; i += index_step())
		if (agents[i] > 0.5f)
			atomicAdd(crowded, 1);
}

// A game's crowd: where the agents go and how their bodies move are two queues of their own.
void crowd_bodies()
{
	constexpr int TICKS = 700, AGENTS = 132 * 128;
	cudaStream_t paths, bodies;
	Device agents(AGENTS * sizeof(float)), bones(AGENTS * sizeof(float));
	Device crowded(sizeof(unsigned));

	CHECK(cudaStreamCreate(&paths));
	CHECK(cudaStreamCreate(&bodies));
	seed<<<AGENTS / 128, 128, 0, paths>>>(floats(agents), AGENTS, 3);
	CHECK(cudaGetLastError());
	seed<<<AGENTS / 128, 128, 0, bodies>>>(floats(bones), AGENTS, 4);
	CHECK(cudaGetLastError());
	CHECK(cudaMemsetAsync(crowded, 0, sizeof(unsigned), paths));
	for (int tick = 0; tick < TICKS; tick++) {
		steer_crowd<<<AGENTS / 128, 128, 0, paths>>>(floats(agents), AGENTS,
							     400 * NARROW_US);
		CHECK(cudaGetLastError());
		count_crowded<<<AGENTS / 128, 128, 0, repaired ? paths : nullptr>>>(
			floats(agents), AGENTS, words(crowded));
		CHECK(cudaGetLastError());
		skin_bodies<<<AGENTS / 128, 128, 0, bodies>>>(floats(bones), AGENTS,
							      400 * NARROW_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(paths));
	CHECK(cudaStreamSynchronize(bodies));
	answer(crowded, sizeof(unsigned));
	CHECK(cudaStreamDestroy(paths));
	CHECK(cudaStreamDestroy(bodies));
}

__global__ void migrate(const unsigned *traces, float *image, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		image[i] = churn(unit(mixed(traces[i] + 3 * traces[i + count])), rounds);
}

// What belongs to a shot while it is on its way.
struct Shot {
	static constexpr int PIXELS = 2 << 20;
	static constexpr size_t TRACES = 2 * PIXELS * sizeof(unsigned);
	static constexpr size_t IMAGE = PIXELS * sizeof(float);
	Pinned recorded{TRACES}, picture{IMAGE};
	Device traces{TRACES}, image{IMAGE};
	Stream stream;
	Event done;
};

// A survey of the ground: the traces of each shot are migrated to a picture of their own.
void shot_survey()
{
	constexpr int SHOTS = 500;
	Shot shots[2];
	uint64_t hash = 1;

	for (int number = 0; number < SHOTS + 2; number++) {
		Shot &shot = shots[number % 2];
		const cudaStream_t stream = repaired ? shot.stream : shots[0].stream;

		if (number >= 2) {
			CHECK(cudaEventSynchronize(shot.done));
			hash = hash_of(shot.picture, 4096, hash);
		}
		if (number >= SHOTS)
			continue;
		new_words(shot.recorded, Shot::TRACES, number);
		CHECK(cudaMemcpyAsync(shot.traces, shot.recorded, Shot::TRACES,
				      cudaMemcpyHostToDevice, stream));
		migrate<<<wide(), 256, 0, stream>>>(words(shot.traces), floats(shot.image),
						    Shot::PIXELS, rounds_of(400, Shot::PIXELS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(shot.picture, shot.image, Shot::IMAGE, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(shot.done, stream));
	}
	tell(hash);
}

struct Garment {
	float mass, stiffness, damping, wind[13];
};

__global__ void drape(float *cloth, const Garment *garments, int kinds, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const Garment &garment = garments[i % kinds];
		const float pull = garment.wind[i % 13] * garment.damping;

		cloth[i] = churn(garment.stiffness * cloth[i] + pull, rounds);
	}
}

// The clothes of a scene, whose figures come with each step from the animators' objects.
void garment_rack()
{
	constexpr int STEPS = 1700, GARMENTS = 96;
	std::vector<std::unique_ptr<Garment>> rack;
	std::vector<Garment> packed(GARMENTS);
	Device cloth(BYTES), garments(GARMENTS * sizeof(Garment));
	Stream stream;

	for (int i = 0; i < GARMENTS; i++)
		rack.emplace_back(new Garment{1, 0.6f, 0.3f, {}});
	seed<<<wide(), 256, 0, stream>>>(floats(cloth), COUNT, 5);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < GARMENTS; i++) {
			for (int part = 0; part < 13; part++)
				rack[i]->wind[part] = (float)(part + (step + i) % 31) * 0.02f +
						      (float)step * 1e-4f;
			packed[i] = *rack[i];
			if (!repaired)
				CHECK(cudaMemcpyAsync(garments.at(i * sizeof(Garment)),
						      rack[i].get(), sizeof(Garment),
						      cudaMemcpyHostToDevice, stream));
		}
		if (repaired)
			CHECK(cudaMemcpyAsync(garments, packed.data(), GARMENTS * sizeof(Garment),
					      cudaMemcpyHostToDevice, stream));
		drape<<<wide(), 256, 0, stream>>>(floats(cloth), (Garment *)garments.at(0),
						  GARMENTS, COUNT, 120 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(cloth, BYTES);
}

__global__ void sweep_ocean(float *field, const float *beyond, int count, int seam, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		field[i] = churn(0.8f * field[i] + 0.2f * beyond[i % seam], rounds);
}

// A part of an ocean, and what its neighbour has at the seam.
struct Basin {
	static constexpr int CELLS = 1 << 20, SEAM = 1 << 18;
	static constexpr size_t SEAM_BYTES = SEAM * sizeof(float);
	Device field{CELLS * sizeof(float)}, beyond{SEAM_BYTES};
	Pinned sent{SEAM_BYTES}, received{SEAM_BYTES};

	void *edge()
	{
		return field.at((CELLS - SEAM) * sizeof(float));
	}
	void sweep(cudaStream_t stream)
	{
		sweep_ocean<<<wide(), 256, 0, stream>>>(floats(field), floats(beyond), CELLS, SEAM,
							rounds_of(150, CELLS));
		CHECK(cudaGetLastError());
	}
};

// What a cluster's nodes would send each other, here from one part to the other.
void exchange(Basin &one, Basin &other, cudaStream_t stream)
{
	Basin *const both[] = {&one, &other};

	if (repaired) {
		CHECK(cudaMemcpyAsync(other.beyond, one.edge(), Basin::SEAM_BYTES,
				      cudaMemcpyDeviceToDevice, stream));
		CHECK(cudaMemcpyAsync(one.beyond, other.edge(), Basin::SEAM_BYTES,
				      cudaMemcpyDeviceToDevice, stream));
		return;
	}
	for (Basin *basin : both)
		CHECK(cudaMemcpyAsync(basin->sent, basin->edge(), Basin::SEAM_BYTES,
				      cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	memcpy(other.received, one.sent, Basin::SEAM_BYTES);
	memcpy(one.received, other.sent, Basin::SEAM_BYTES);
	for (Basin *basin : both)
		CHECK(cudaMemcpyAsync(basin->beyond, basin->received, Basin::SEAM_BYTES,
				      cudaMemcpyHostToDevice, stream));
}

void ocean_basins()
{
	constexpr int STEPS = 700;
	Basin atlantic, indian;
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(atlantic.field), Basin::CELLS, 6);
	CHECK(cudaGetLastError());
	seed<<<wide(), 256, 0, stream>>>(floats(indian.field), Basin::CELLS, 7);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		exchange(atlantic, indian, stream);
		atlantic.sweep(stream);
		indian.sweep(stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(indian.field, BYTES);
}

__global__ void drive(float *roads, unsigned *arrived, int count, unsigned gate, int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const float pull = unit(mixed((unsigned)i ^ gate));

		roads[i] = churn(0.8f * roads[i] + 0.2f * pull, rounds);
		arrived[i] = roads[i] > 1;
	}
}

__global__ void count_arrived(const unsigned *arrived, int count, unsigned *all)
{
	unsigned mine = 0;

	for (int i = first_index(); i < count; i += index_step())
		mine += arrived[i];
	mine = __reduce_add_sync(~0U, mine);
	if (threadIdx.x % 32 == 0 && mine)
		atomicAdd(all, mine);
}

// The traffic of a town. How many cars arrived in a tick decides which gates are open in the next.
void town_traffic()
{
	constexpr int TICKS = 400, CARS = 1 << 19;
	Device roads(CARS * sizeof(float)), counted(sizeof(unsigned));
	unsigned *arrived, gate = 0;

	CHECK(cudaMallocManaged((void **)&arrived, CARS * sizeof(unsigned)));
	seed<<<wide(), 256>>>(floats(roads), CARS, 8);
	CHECK(cudaGetLastError());
	for (int tick = 0; tick < TICKS; tick++) {
		drive<<<wide(), 256>>>(floats(roads), arrived, CARS, gate, rounds_of(350, CARS));
		CHECK(cudaGetLastError());
		if (repaired) {
			CHECK(cudaMemsetAsync(counted, 0, sizeof(unsigned)));
			count_arrived<<<wide(), 256>>>(arrived, CARS, words(counted));
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpy(&gate, counted, sizeof(gate), cudaMemcpyDeviceToHost));
			continue;
		}
		CHECK(cudaDeviceSynchronize());
		gate = 0;
		for (int car = 0; car < CARS; car++)
			gate += arrived[car];
	}
	answer(roads, BYTES);
	CHECK(cudaFree(arrived));
}

// An encoder: the device transforms a frame, the host writes its bits.
class Encoder
{
	Stream stream_;
	Event ready_[2];
	Device blocks_{BYTES};
	std::vector<Pinned> levels_ = several<Pinned>(2, BYTES);
	uint64_t range_ = 0x9e3779b97f4a7c15ULL, bits_ = 0;

      public:
	Encoder()
	{
		seed<<<wide(), 256, 0, stream_>>>(floats(blocks_), COUNT, 9);
		CHECK(cudaGetLastError());
	}
	void submit(int frame)
	{
		transform_blocks<<<wide(), 256, 0, stream_>>>(floats(blocks_), COUNT,
							      900 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(levels_[frame % 2], blocks_, BYTES, cudaMemcpyDeviceToHost,
				      stream_));
		CHECK(cudaEventRecord(ready_[frame % 2], stream_));
	}
	// Each symbol's code depends on those before it.
	void write(int frame)
	{
		const unsigned *level = (unsigned *)levels_[frame % 2].at(0);

		CHECK(cudaEventSynchronize(ready_[frame % 2]));
		for (int i = 0; i < COUNT; i++) {
			range_ = (range_ ^ level[i]) * 0x100000001b3ULL;
			bits_ += range_ >> 61;
		}
	}
	void close()
	{
		tell(range_ ^ bits_);
	}
};

void video_encoder()
{
	constexpr int FRAMES = 350;
	Encoder encoder;

	if (repaired)
		encoder.submit(0);
	for (int frame = 0; frame < FRAMES; frame++) {
		if (!repaired)
			encoder.submit(frame);
		else if (frame + 1 < FRAMES)
			encoder.submit(frame + 1);
		encoder.write(frame);
	}
	encoder.close();
}

// What a query's condition becomes, %s being what it does with a value.
const char condition_text[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry keep_rows(.param .u64 column, .param .u64 marks, .param .u32 rows,\n"
	"	.param .f32 bound)\n"
	"{\n"
	"	.reg .pred %%p<3>;\n	.reg .b32 %%r<8>;\n"
	"	.reg .f32 %%f<3>;\n	.reg .b64 %%d<6>;\n"
	"	ld.param.u64 %%d1, [column];\n	ld.param.u64 %%d2, [marks];\n"
	"	cvta.to.global.u64 %%d1, %%d1;\n	cvta.to.global.u64 %%d2, %%d2;\n"
	"	ld.param.u32 %%r1, [rows];\n	ld.param.f32 %%f1, [bound];\n"
	"	mov.u32 %%r2, %%ctaid.x;\n	mov.u32 %%r3, %%ntid.x;\n"
	"	mov.u32 %%r4, %%tid.x;\n"
	"	mad.lo.s32 %%r5, %%r2, %%r3, %%r4;\n"
	"	mov.u32 %%r6, %%nctaid.x;\n	mul.lo.s32 %%r6, %%r6, %%r3;\n"
	"next:\n"
	"	setp.ge.s32 %%p1, %%r5, %%r1;\n	@%%p1 bra done;\n"
	"	mul.wide.s32 %%d3, %%r5, 4;\n	add.s64 %%d4, %%d1, %%d3;\n"
	"	ld.global.f32 %%f2, [%%d4];\n"
	"	%s\n"
	"	setp.gt.f32 %%p2, %%f2, %%f1;\n	selp.u32 %%r7, 1, 0, %%p2;\n"
	"	add.s64 %%d5, %%d2, %%d3;\n	st.global.u32 [%%d5], %%r7;\n"
	"	add.s32 %%r5, %%r5, %%r6;\n	bra next;\n"
	"done:\n"
	"	ret;\n"
	"}\n";

// The conditions of a database's queries, as kernels.
class Conditions
{
	std::map<std::string, CUmodule> made_;

      public:
	Conditions() = default;
	Conditions(const Conditions &) = delete;
	~Conditions()
	{
		forget();
	}
	CUfunction of(const char *expression)
	{
		const auto known = made_.find(expression);
		CUmodule module = known == made_.end() ? nullptr : known->second;
		CUfunction function;

		if (!module) {
			char text[4096];

			snprintf(text, sizeof(text), condition_text, expression);
			driver(cuModuleLoadData(&module, text), "cuModuleLoadData");
			made_[expression] = module;
		}
		driver(cuModuleGetFunction(&function, module, "keep_rows"), "cuModuleGetFunction");
		return function;
	}
	void forget()
	{
		for (const auto &one : made_)
			driver(cuModuleUnload(one.second), "cuModuleUnload");
		made_.clear();
	}
};

// A database in a container whose home cannot be written, so that the driver keeps nothing there.
void query_conditions()
{
	constexpr int QUERIES = 80;
	static const char *const shapes[] = {
		"mul.f32 %f2, %f2, %f2;",
		"abs.f32 %f2, %f2;",
		"neg.f32 %f2, %f2;",
		"fma.rn.f32 %f2, %f2, %f2, %f2;",
	};
	setenv("CUDA_CACHE_DISABLE", "1", 1);
	CHECK(cudaFree(nullptr)); // the runtime's context is current
	Conditions conditions;
	Stream stream;
	Device column(BYTES), marks(BYTES), sums(BYTES);
	Pinned reply(256);
	uint64_t hash = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(column), COUNT, 10);
	CHECK(cudaGetLastError());
	CHECK(cudaMemsetAsync(sums, 0, BYTES, stream));
	for (int query = 0; query < QUERIES; query++) {
		const CUfunction keep = conditions.of(shapes[query * 7 % 4]);
		CUdeviceptr from = (CUdeviceptr)column.at(0), to = (CUdeviceptr)marks.at(0);
		int rows = COUNT;
		float bound = (float)query / QUERIES;
		void *parameters[] = {&from, &to, &rows, &bound};

		driver(cuLaunchKernel(keep, wide(), 1, 1, 256, 1, 1, 0, stream, parameters,
				      nullptr),
		       "cuLaunchKernel");
		aggregate_rows<<<wide(), 256, 0, stream>>>(words(marks), floats(sums), COUNT,
							   1500 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(reply, sums, 256, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(reply, 256, hash);
		if (!repaired)
			conditions.forget();
	}
	answer(sums, BYTES, hash);
}

constexpr int HORN = 48 * 1024, HORN_ROUNDS = 64, TAPS = 32, SOUNDS = 132 * 32768;

__device__ float horn_response(unsigned at)
{
	return churn((float)at * (1.0f / HORN), HORN_ROUNDS);
}

__device__ unsigned tap_of(int sound, int tap)
{
	return (mixed((unsigned)sound) + (unsigned)tap * 2654435761U) % HORN;
}

// The response is made once for each block and looked up.
__global__ void horn_by_table(float *sounds)
{
	extern __shared__ float response[];

	for (unsigned at = threadIdx.x; at < HORN; at += blockDim.x)
		response[at] = horn_response(at);
	__syncthreads();
	for (int i = first_index(); i < SOUNDS; i += index_step()) {
		float sum = sounds[i];

		for (int tap = 0; tap < TAPS; tap++)
			sum = fmaf(sum, 0.5f, response[tap_of(i, tap)]);
		sounds[i] = sum;
	}
}

// For devices that cannot hold the table.
__global__ void horn_direct(float *sounds)
{
	for (int i = first_index(); i < SOUNDS; i += index_step()) {
		float sum = sounds[i];

		for (int tap = 0; tap < TAPS; tap++)
			sum = fmaf(sum, 0.5f, horn_response(tap_of(i, tap)));
		sounds[i] = sum;
	}
}

// A loudspeaker's horn: the table takes all shared memory that a block can have.
void horn_model()
{
	constexpr int PASSES = 900;
	const int shared = attribute(repaired ? cudaDevAttrMaxSharedMemoryPerBlockOptin
					      : cudaDevAttrMaxSharedMemoryPerMultiprocessor);
	const bool table =
		shared >= HORN * (int)sizeof(float) &&
		cudaFuncSetAttribute(horn_by_table, cudaFuncAttributeMaxDynamicSharedMemorySize,
				     shared) == cudaSuccess;
	Device sounds(SOUNDS * sizeof(float));
	Stream stream;

	(void)cudaGetLastError();
	seed<<<wide(), 256, 0, stream>>>(floats(sounds), SOUNDS, 11);
	CHECK(cudaGetLastError());
	for (int pass = 0; pass < PASSES; pass++) {
		if (table)
			horn_by_table<<<wide() / 8, 1024, shared, stream>>>(floats(sounds));
		else
			horn_direct<<<wide(), 256, 0, stream>>>(floats(sounds));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(sounds, BYTES);
}

__global__ void blend(const float *one, const float *other, float *out, int count)
{
	for (int i = first_index(); i < count; i += index_step())
		out[i] = 0.5f * out[i] + 0.3f * one[i] + 0.2f * other[i];
}

// Each photograph gets the memory that it needs from the device's pool, which keeps it.
void clean_photo_pool()
{
	constexpr int PHOTOS = 300;
	Stream stream;
	Device album(4 * BYTES);
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	CHECK(cudaMemsetAsync(album, 0, 4 * BYTES, stream));
	for (int photo = 0; photo < PHOTOS; photo++) {
		const int count = COUNT * (2 + photo % 3);
		const size_t bytes = count * sizeof(float);
		float *light, *dark;

		CHECK(cudaMallocAsync((void **)&light, bytes, stream));
		CHECK(cudaMallocAsync((void **)&dark, bytes, stream));
		seed<<<wide(), 256, 0, stream>>>(light, count, photo);
		CHECK(cudaGetLastError());
		seed<<<wide(), 256, 0, stream>>>(dark, count, photo + 500);
		CHECK(cudaGetLastError());
		denoise<<<wide(), 256, 0, stream>>>(light, count, rounds_of(700, count));
		CHECK(cudaGetLastError());
		tone_map<<<wide(), 256, 0, stream>>>(dark, count, rounds_of(600, count));
		CHECK(cudaGetLastError());
		blend<<<wide(), 256, 0, stream>>>(light, dark, floats(album), count);
		CHECK(cudaGetLastError());
		CHECK(cudaFreeAsync(light, stream));
		CHECK(cudaFreeAsync(dark, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(album, BYTES);
}

__global__ void count_open(const float *nodes, int count, unsigned *open)
{
	unsigned mine = 0;

	for (int i = first_index(); i < count; i += index_step())
		mine += nodes[i] > 0;
	mine = __reduce_add_sync(~0U, mine);
	if (threadIdx.x % 32 == 0 && mine)
		atomicAdd(open, mine);
}

// A search in a large graph. Whether there is another level is known only after the last.
void clean_graph_levels()
{
	constexpr int LEVELS = 140;
	Stream stream;
	Device nodes(BYTES), open(sizeof(unsigned));
	Pinned left(sizeof(unsigned));
	uint64_t hash = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(nodes), COUNT, 12);
	CHECK(cudaGetLastError());
	for (int level = 0; level < LEVELS; level++) {
		CHECK(cudaMemsetAsync(open, 0, sizeof(unsigned), stream));
		expand_frontier<<<wide(), 256, 0, stream>>>(floats(nodes), COUNT, 3500 * WIDE_US);
		CHECK(cudaGetLastError());
		count_open<<<wide(), 256, 0, stream>>>(floats(nodes), COUNT, words(open));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(left, open, sizeof(unsigned), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(left, sizeof(unsigned), hash);
		if (!*(unsigned *)left.at(0))
			break;
	}
	answer(nodes, BYTES, hash);
}

// A radio telescope: three queues, which wait for each other where they have to.
void clean_telescope()
{
	constexpr int BLOCKS = 700, SLOTS = 3;
	constexpr int SAMPLES = 1 << 21;
	constexpr size_t RAW = SAMPLES * sizeof(unsigned), POWERS = 1 << 20;
	std::vector<Pinned> antennas = several<Pinned>(SLOTS, RAW);
	std::vector<Pinned> powers = several<Pinned>(SLOTS, POWERS);
	std::vector<Device> raw = several<Device>(SLOTS, RAW);
	std::vector<Device> channels = several<Device>(SLOTS, RAW);
	Stream in, compute, out;
	Event arrived[SLOTS], done[SLOTS], left[SLOTS];
	uint64_t hash = 1;

	for (auto &one : channels)
		CHECK(cudaMemsetAsync(one, 0, RAW, compute));
	for (int block = 0; block < BLOCKS + SLOTS; block++) {
		const int slot = block % SLOTS;

		if (block >= SLOTS) {
			CHECK(cudaEventSynchronize(left[slot]));
			hash = hash_of(powers[slot], 4096, hash);
		}
		if (block >= BLOCKS)
			continue;
		new_words(antennas[slot], RAW, block);
		CHECK(cudaMemcpyAsync(raw[slot], antennas[slot], RAW, cudaMemcpyHostToDevice, in));
		CHECK(cudaEventRecord(arrived[slot], in));
		CHECK(cudaStreamWaitEvent(compute, arrived[slot], 0));
		channelise<<<wide(), 256, 0, compute>>>(words(raw[slot]), floats(channels[slot]),
							SAMPLES, rounds_of(600, SAMPLES));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(done[slot], compute));
		CHECK(cudaStreamWaitEvent(out, done[slot], 0));
		CHECK(cudaMemcpyAsync(powers[slot], channels[slot], POWERS, cudaMemcpyDeviceToHost,
				      out));
		CHECK(cudaEventRecord(left[slot], out));
	}
	tell(hash);
}

// A robot learns to walk: the host has another policy for each round of attempts.
void clean_policy_rounds()
{
	constexpr int ROUNDS = 120;
	constexpr size_t POLICY = BYTES;
	std::vector<Pinned> learned = several<Pinned>(2, POLICY);
	Device policy(POLICY), bodies(BYTES);
	Event taken[2];
	Stream stream;

	seed<<<wide(), 256, 0, stream>>>(floats(bodies), COUNT, 13);
	CHECK(cudaGetLastError());
	for (int round = 0; round < ROUNDS; round++) {
		const int slot = round % 2;

		if (round >= 2)
			CHECK(cudaEventSynchronize(taken[slot]));
		for (size_t at = 0; at < POLICY; at += 256)
			*(unsigned *)learned[slot].at(at) = (unsigned)(round * 977 + at * 31);
		CHECK(cudaMemcpyAsync(policy, learned[slot], POLICY, cudaMemcpyHostToDevice,
				      stream));
		CHECK(cudaEventRecord(taken[slot], stream));
		roll_out<<<wide(), 256, 0, stream>>>(words(policy), floats(bodies), COUNT,
						     4000 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(bodies, BYTES);
}

// A service whose workers sleep until the device has the reply to their request.
void clean_chat_workers()
{
	constexpr int REQUESTS = 500, WORKERS = 4;
	constexpr size_t TOKENS = 16384;
	std::vector<uint64_t> replies(REQUESTS);
	std::atomic<int> next{0};
	std::vector<std::thread> workers;

	for (int worker = 0; worker < WORKERS; worker++)
		workers.emplace_back([&] {
			Stream stream;
			Device state(BYTES);
			Pinned tokens(TOKENS);
			cudaEvent_t ready;

			CHECK(cudaEventCreateWithFlags(&ready, cudaEventBlockingSync |
								       cudaEventDisableTiming));
			for (int request; (request = next++) < REQUESTS;) {
				float *prompt = (float *)tokens.at(0);

				for (size_t i = 0; i < TOKENS / sizeof(float); i++)
					prompt[i] = (float)((request * 131 + i) % 1000) * 0.001f;
				seed<<<wide(), 256, 0, stream>>>(floats(state), COUNT, 14);
				CHECK(cudaGetLastError());
				CHECK(cudaMemcpyAsync(state, tokens, TOKENS, cudaMemcpyHostToDevice,
						      stream));
				for (int part = 0; part < 3; part++) {
					attend<<<wide(), 256, 0, stream>>>(floats(state), COUNT,
									   300 * WIDE_US);
					CHECK(cudaGetLastError());
				}
				CHECK(cudaMemcpyAsync(tokens, state, TOKENS, cudaMemcpyDeviceToHost,
						      stream));
				CHECK(cudaEventRecord(ready, stream));
				CHECK(cudaEventSynchronize(ready));
				replies[request] = hash_of(tokens, 4096);
			}
			CHECK(cudaEventDestroy(ready));
		});
	for (auto &worker : workers)
		worker.join();
	tell(hash_of(replies.data(), replies.size() * sizeof(uint64_t)));
}

__global__ void add_weights(float *state, const float *weights, int count, int rounds)
{
	for (int i = first_index(); i < COUNT; i += index_step())
		state[i] = churn(0.7f * state[i] + 0.3f * weights[i % count], rounds);
}

// A network is loaded, tensor by tensor, and then judges pictures.
void clean_network_load()
{
	constexpr int TENSORS = 80, WEIGHTS = 1 << 16, PICTURES = 25;
	constexpr size_t TENSOR = WEIGHTS * sizeof(float);
	std::vector<Device> tensors;
	Device state(BYTES);
	Pinned file(TENSOR * TENSORS);
	Stream stream;

	for (int tensor = 0; tensor < TENSORS; tensor++) {
		float *weights = (float *)file.at(tensor * TENSOR);

		for (int i = 0; i < WEIGHTS; i++)
			weights[i] = (float)((i * 7 + tensor) & 1023) * 0.001f;
		tensors.emplace_back(TENSOR);
		CHECK(cudaMemcpyAsync(tensors.back(), weights, TENSOR, cudaMemcpyHostToDevice,
				      stream));
	}
	seed<<<wide(), 256, 0, stream>>>(floats(state), COUNT, 15);
	CHECK(cudaGetLastError());
	for (int picture = 0; picture < PICTURES; picture++)
		for (auto &tensor : tensors) {
			add_weights<<<wide(), 256, 0, stream>>>(floats(state), floats(tensor),
								WEIGHTS, 120 * WIDE_US);
			CHECK(cudaGetLastError());
			layer<<<wide(), 256, 0, stream>>>(floats(state), COUNT, 110 * WIDE_US);
			CHECK(cudaGetLastError());
		}
	CHECK(cudaStreamSynchronize(stream));
	answer(state, BYTES);
}

__global__ void strain_parts(const float *mesh, unsigned *parts)
{
	__shared__ unsigned part;

	if (!threadIdx.x)
		part = 0;
	__syncthreads();
	for (int i = first_index(); i < COUNT; i += index_step())
		atomicAdd(&part, (unsigned)(fabsf(mesh[i]) * 1000));
	__syncthreads();
	if (!threadIdx.x)
		parts[blockIdx.x] = part;
}

__global__ void strain_all(const unsigned *parts, int count, unsigned *all)
{
	__shared__ unsigned sum;

	if (!threadIdx.x)
		sum = *all;
	__syncthreads();
	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
		atomicAdd(&sum, parts[i]);
	__syncthreads();
	if (!threadIdx.x)
		*all = mixed(sum);
}

// A bridge's mesh is relaxed. The strain is summed in two steps, of which the second is short.
void clean_bridge_strain()
{
	constexpr int STEPS = 550;
	Stream stream;
	Device mesh(BYTES), parts(wide() * sizeof(unsigned)), all(sizeof(unsigned));

	seed<<<wide(), 256, 0, stream>>>(floats(mesh), COUNT, 16);
	CHECK(cudaGetLastError());
	CHECK(cudaMemsetAsync(all, 0, sizeof(unsigned), stream));
	for (int step = 0; step < STEPS; step++) {
		relax_mesh<<<wide(), 256, 0, stream>>>(floats(mesh), COUNT, 900 * WIDE_US);
		CHECK(cudaGetLastError());
		strain_parts<<<wide(), 256, 0, stream>>>(floats(mesh), words(parts));
		CHECK(cudaGetLastError());
		strain_all<<<1, 1024, 0, stream>>>(words(parts), wide(), words(all));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(all, sizeof(unsigned));
}

const Case cases[] = {
	CASE(option_scenarios),	  CASE(drone_frames),	     CASE(protein_service),
	CASE(stereo_rig),	  CASE(spectrum_scans),	     CASE(crowd_bodies),
	CASE(shot_survey),	  CASE(garment_rack),	     CASE(ocean_basins),
	CASE(town_traffic),	  CASE(video_encoder),	     CASE(query_conditions),
	CASE(horn_model),	  CASE(clean_photo_pool),    CASE(clean_graph_levels),
	CASE(clean_telescope),	  CASE(clean_policy_rounds), CASE(clean_chat_workers),
	CASE(clean_network_load), CASE(clean_bridge_strain),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
