// SPDX-License-Identifier: MIT
// consults CASE [repaired]: small applications of many fields, each with one fault; the clean_*
// ones have none. What one prints is the same with and without its fault.
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cases.h"
#include "faults.h"

namespace
{
// The elements of most arrays here: one for each thread of an H100.
constexpr int COUNT = 1056 * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of settle() that take 1 us when all threads of the device do them.
constexpr int PER_US = 110;

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

// Rounds by which wide() blocks need so many us for so many elements.
int rounds_for(int us, size_t elements = COUNT)
{
	return std::max(1, (int)((size_t)us * PER_US * COUNT / elements));
}

// Never leaves [-1.89, 1.89], and each bit of the input counts.
__device__ float settle(float x, int rounds)
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

// From -1 to 1.
__host__ __device__ float unit(unsigned value)
{
	return (float)(int)value * 4.65661287e-10f;
}

__device__ int my_first()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int my_stride()
{
	return (int)(gridDim.x * blockDim.x);
}

__global__ void scatter_values(float *data, int count, unsigned salt)
{
	for (int i = my_first(); i < count; i += my_stride())
		data[i] = unit(mixed((unsigned)i + salt * 0x9e3779b9U));
}

// A kernel that works on each element by itself.
#define IN_PLACE(name)                                                \
	__global__ void name(float *data, int count, int rounds)      \
	{                                                             \
		for (int i = my_first(); i < count; i += my_stride()) \
			data[i] = settle(data[i], rounds);            \
	}
// A kernel that mixes a second array, which may be shorter, into the first.
#define WITH_INPUT(name)                                                                       \
	__global__ void name(float *data, int count, const float *input, int size, int rounds) \
	{                                                                                      \
		for (int i = my_first(); i < count; i += my_stride())                          \
			data[i] = settle(0.5f * data[i] + 0.5f * input[i % size], rounds);     \
	}

// The sum of all sizes, in 1/1024, as the sum of this number.
__global__ void add_sizes(const float *data, int count, unsigned *sums, int number)
{
	__shared__ unsigned sum;
	unsigned mine = 0;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	for (int i = my_first(); i < count; i += my_stride())
		mine += (unsigned)(fabsf(data[i]) * 1024);
	atomicAdd(&sum, mine);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(&sums[number], sum);
}

template <class... Wanted, class... Given>
void spread(void (*kernel)(Wanted...), cudaStream_t stream, Given... given)
{
	kernel<<<wide(), 256, 0, stream>>>(given...);
	CHECK(cudaGetLastError());
}

float *floats(void *at)
{
	return (float *)at;
}

unsigned *words(void *at)
{
	return (unsigned *)at;
}

void up(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
}

void down(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
}

void finish(cudaStream_t stream)
{
	CHECK(cudaStreamSynchronize(stream));
}

uint64_t digest(const void *bytes, size_t count, uint64_t hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

// Prints what is on the device when all is done, and what was seen on the way.
void answer(const void *data, size_t bytes, uint64_t seen = 0)
{
	std::vector<char> copy(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(copy.data(), data, bytes, cudaMemcpyDeviceToHost));
	printf("answer %016llx\n", (unsigned long long)(digest(copy.data(), bytes) + seen));
}

// New data: a word in each 4 KiB differs.
void renew(char *bytes, size_t count, unsigned number)
{
	for (size_t at = 0; at + sizeof(unsigned) <= count; at += 4096)
		*(unsigned *)(bytes + at) = mixed(number * 0x01000193U + (unsigned)at);
}

// What threads hand to each other, in turn.
template <class Item> class Queue
{
	std::mutex mutex_;
	std::condition_variable change_;
	std::deque<Item> items_;
	const size_t most_;

      public:
	explicit Queue(size_t most) : most_(most)
	{
	}
	void put(Item item)
	{
		std::unique_lock<std::mutex> hold(mutex_);
		change_.wait(hold, [this] { return items_.size() < most_; });
		items_.push_back(std::move(item));
		change_.notify_all();
	}
	Item get()
	{
		std::unique_lock<std::mutex> hold(mutex_);
		change_.wait(hold, [this] { return !items_.empty(); });
		Item item = std::move(items_.front());
		items_.pop_front();
		change_.notify_all();
		return item;
	}
};

// Where a robot may be: a cloud of particles that move, are weighed by what the robot measures and
// drawn anew.
IN_PLACE(move_particles)

__global__ void weigh_particles(const float *at, float *weights, int count, float reading)
{
	for (int i = my_first(); i < count; i += my_stride()) {
		const float off = at[i] - reading;

		weights[i] = 1 / (1 + off * off);
	}
}

__global__ void draw_particles(const float *weights, unsigned *picks, int count, unsigned salt)
{
	for (int i = my_first(); i < count; i += my_stride()) {
		const unsigned other = mixed((unsigned)i ^ salt) % (unsigned)count;

		picks[i] = weights[other] > weights[i] ? other : (unsigned)i;
	}
}

__global__ void copy_particles(const float *at, const unsigned *picks, float *next, int count)
{
	for (int i = my_first(); i < count; i += my_stride())
		next[i] = at[picks[i]];
}

class ParticleFilter
{
	static constexpr int PARTICLES = 31 * COUNT;
	static constexpr size_t CLOUD = PARTICLES * sizeof(float);

	struct Scratch {
		Device weights{CLOUD}, picks{CLOUD};
	};

	Stream stream_;
	Device clouds_[2] = {Device(CLOUD), Device(CLOUD)};
	std::unique_ptr<Scratch> scratch_;
	int now_ = 0;

	void resample(Scratch &scratch, int step)
	{
		Device &at = clouds_[now_], &next = clouds_[1 - now_];
		unsigned *const picks = words(scratch.picks);

		spread(weigh_particles, stream_, floats(at), floats(scratch.weights), PARTICLES,
		       unit(mixed((unsigned)step)));
		spread(draw_particles, stream_, floats(scratch.weights), picks, PARTICLES,
		       (unsigned)step << 8);
		spread(copy_particles, stream_, floats(at), picks, floats(next), PARTICLES);
		now_ = 1 - now_;
	}

      public:
	ParticleFilter()
	{
		if (repaired)
			scratch_.reset(new Scratch);
		spread(scatter_values, stream_, floats(clouds_[0]), PARTICLES, 1U);
	}
	void step(int number)
	{
		spread(move_particles, stream_, floats(clouds_[now_]), PARTICLES,
		       rounds_for(300, PARTICLES));
		if (scratch_) {
			resample(*scratch_, number);
		} else {
			Scratch scratch;

			resample(scratch, number);
		}
	}
	void report()
	{
		answer(clouds_[now_], BYTES);
	}
};

void particle_filter()
{
	ParticleFilter filter;

	for (int step = 0; step < 700; step++)
		filter.step(step);
	filter.report();
}

// Training with a console that shows how the loss goes down.
IN_PLACE(update_weights)
WITH_INPUT(forward_pass)
WITH_INPUT(backward_pass)

class Console
{
	double mean_ = 0;
	uint64_t seen_ = 0;

      public:
	void note(int step, unsigned loss)
	{
		char line[96];

		mean_ += 0.05 * (loss / 1024.0 / COUNT - mean_);
		seen_ += digest(line, (size_t)snprintf(line, sizeof(line), "step %6d  loss %.5f",
						       step, mean_));
	}
	uint64_t seen() const
	{
		return seen_;
	}
};

void loss_console()
{
	constexpr int STEPS = 9000;
	Stream stream;
	Device weights(BYTES), activations(BYTES), losses(STEPS * sizeof(unsigned));
	Pinned shown(STEPS * sizeof(unsigned));
	unsigned *const of_step = words(losses);
	const int lines = repaired ? 100 : 1;
	Console console;

	CHECK(cudaMemsetAsync(losses, 0, STEPS * sizeof(unsigned), stream));
	spread(scatter_values, stream, floats(weights), COUNT, 2U);
	spread(scatter_values, stream, floats(activations), COUNT, 3U);
	for (int step = 0; step < STEPS; step++) {
		spread(forward_pass, stream, floats(activations), COUNT, floats(weights), COUNT,
		       rounds_for(14));
		spread(add_sizes, stream, floats(activations), COUNT, of_step, step);
		spread(backward_pass, stream, floats(weights), COUNT, floats(activations), COUNT,
		       rounds_for(18));
		spread(update_weights, stream, floats(weights), COUNT, rounds_for(8));
		if ((step + 1) % lines)
			continue;
		const int first = step + 1 - lines;
		const unsigned *const loss = words(shown);

		down(shown.at((size_t)first * sizeof(unsigned)), of_step + first,
		     (size_t)lines * sizeof(unsigned), stream);
		finish(stream);
		for (int i = first; i <= step; i++)
			console.note(i, loss[i]);
	}
	answer(weights, BYTES, console.seen());
}

// Exposures of a telescope: each is made of the sensor's noise here, cleaned and stacked.
WITH_INPUT(read_sensor)
WITH_INPUT(subtract_dark)
WITH_INPUT(divide_flat)
IN_PLACE(find_shift)
WITH_INPUT(stack_exposure)

class Stacker
{
	Stream stream_;
	Device exposure_{BYTES}, dark_{BYTES}, flat_{BYTES}, stack_{BYTES};

	void run(void (*filter)(float *, int, const float *, int, int), void *image, void *with)
	{
		spread(filter, stream_, floats(image), COUNT, floats(with), COUNT, rounds_for(20));
		filtered();
	}
	// Says at which filter a command went wrong.
	void filtered()
	{
		if (!repaired)
			CHECK(cudaDeviceSynchronize());
		CHECK(cudaGetLastError());
	}

      public:
	Stacker()
	{
		unsigned salt = 4;

		for (Device *image : {&exposure_, &dark_, &flat_, &stack_})
			spread(scatter_values, stream_, floats(*image), COUNT, salt++);
		finish(stream_);
	}
	void add()
	{
		run(read_sensor, exposure_, stack_);
		run(subtract_dark, exposure_, dark_);
		run(divide_flat, exposure_, flat_);
		spread(find_shift, stream_, floats(exposure_), COUNT, rounds_for(20));
		filtered();
		run(stack_exposure, stack_, exposure_);
	}
	void report()
	{
		answer(stack_, BYTES);
	}
};

void exposure_stack()
{
	Stacker stacker;

	for (int exposure = 0; exposure < 3600; exposure++)
		stacker.add();
	stacker.report();
}

// Speech to text: the host makes the bands' energies of a piece of sound, the device the text.
WITH_INPUT(encode_speech)
IN_PLACE(attend)
IN_PLACE(decode_text)

constexpr int BANDS = 40;
constexpr int WINDOWS = 96;
constexpr size_t ENERGIES = (size_t)BANDS * WINDOWS * sizeof(float);

// By Goertzel: one recurrence for each band of each window.
void band_energies(float *energies, unsigned piece)
{
	float sound[128];

	for (int window = 0; window < WINDOWS; window++) {
		for (int i = 0; i < 128; i++)
			sound[i] = unit(mixed(piece * 65537U + (unsigned)(window * 128 + i)));
		for (int band = 0; band < BANDS; band++) {
			const float factor = 1.98f - 0.09f * (float)band;
			float last = 0, before = 0;

			for (const float sample : sound) {
				const float now = sample + factor * last - before;

				before = last;
				last = now;
			}
			const float energy = last * last + before * before - factor * last * before;

			energies[window * BANDS + band] = energy / (1 + energy);
		}
	}
}

void speech_pieces()
{
	constexpr int PIECES = 220;
	constexpr size_t TEXT = 4096;
	Stream stream;
	Device energies(ENERGIES), layers(BYTES);
	Pinned heard[2] = {Pinned(ENERGIES), Pinned(ENERGIES)}, text(TEXT);
	uint64_t seen = 0;

	spread(scatter_values, stream, floats(layers), COUNT, 8U);
	band_energies(floats(heard[0]), 0);
	for (int piece = 0; piece < PIECES; piece++) {
		const auto hear_next = [&] {
			if (piece + 1 < PIECES)
				band_energies(floats(heard[(piece + 1) % 2]), (unsigned)piece + 1);
		};

		up(energies, heard[piece % 2], ENERGIES, stream);
		spread(encode_speech, stream, floats(layers), COUNT, floats(energies),
		       BANDS * WINDOWS, rounds_for(600));
		spread(attend, stream, floats(layers), COUNT, rounds_for(600));
		spread(decode_text, stream, floats(layers), COUNT, rounds_for(500));
		down(text, layers, TEXT, stream);
		if (repaired)
			hear_next();
		finish(stream);
		seen += digest(text, 64);
		if (!repaired)
			hear_next();
	}
	answer(layers, BYTES, seen);
}

// A series of CT volumes that are read one after another.
__global__ void reconstruct(const unsigned short *voxels, int size, float *density, int count,
			    int rounds)
{
	for (int i = my_first(); i < count; i += my_stride()) {
		unsigned sum = 0;

		for (int at = i; at < size; at += count)
			sum = sum * 31 + voxels[at];
		density[i] = settle(0.5f * density[i] + 0.5f * unit(mixed(sum)), rounds);
	}
}

void ct_series()
{
	constexpr int VOXELS = 512 * 512 * 48;
	constexpr size_t VOLUME = VOXELS * sizeof(unsigned short);
	constexpr int VOLUMES = 80;
	Stream stream;
	Device volume(VOLUME), density(BYTES);
	std::vector<unsigned short> read[2];

	for (auto &one : read) {
		one.resize(VOXELS);
		if (repaired)
			CHECK(cudaHostRegister(one.data(), VOLUME, cudaHostRegisterDefault));
	}
	spread(scatter_values, stream, floats(density), COUNT, 9U);
	renew((char *)read[0].data(), VOLUME, 0);
	for (int number = 0; number < VOLUMES; number++) {
		up(volume, read[number % 2].data(), VOLUME, stream);
		spread(reconstruct, stream, (unsigned short *)(void *)volume, VOXELS,
		       floats(density), COUNT, rounds_for(3000));
		if (number + 1 < VOLUMES)
			renew((char *)read[(number + 1) % 2].data(), VOLUME, (unsigned)number + 1);
		finish(stream);
	}
	answer(density, BYTES);
	for (auto &one : read)
		if (repaired)
			CHECK(cudaHostUnregister(one.data()));
}

// A racing game: the host moves the karts, the device draws them.
struct Pose {
	float matrix[16];
};

__global__ void draw_karts(const Pose *poses, int karts, float *picture, int count, int rounds)
{
	for (int i = my_first(); i < count; i += my_stride())
		picture[i] = settle(
			0.5f * picture[i] + 0.5f * poses[i % karts].matrix[i / karts % 16], rounds);
}

class Race
{
	static constexpr int KARTS = 96;

	Stream stream_;
	Device poses_{KARTS * sizeof(Pose)}, picture_{BYTES};
	Pinned moved_{KARTS * sizeof(Pose)};

	Pose *pose(int kart)
	{
		return (Pose *)(void *)moved_ + kart;
	}
	void drive(int frame)
	{
		for (int kart = 0; kart < KARTS; kart++)
			for (int i = 0; i < 16; i++)
				pose(kart)->matrix[i] =
					unit(mixed((unsigned)(frame * 4096 + kart * 16 + i)));
	}
	void upload()
	{
		if (repaired) {
			up(poses_, moved_, KARTS * sizeof(Pose), stream_);
			return;
		}
		for (int kart = 0; kart < KARTS; kart++)
			up((Pose *)(void *)poses_ + kart, pose(kart), sizeof(Pose), stream_);
	}

      public:
	Race()
	{
		spread(scatter_values, stream_, floats(picture_), COUNT, 10U);
	}
	void frame(int number)
	{
		drive(number);
		upload();
		spread(draw_karts, stream_, (const Pose *)(void *)poses_, (int)KARTS,
		       floats(picture_), COUNT, rounds_for(400));
		finish(stream_); // shown
	}
	void report()
	{
		answer(picture_, BYTES);
	}
};

void kart_race()
{
	Race race;

	for (int frame = 0; frame < 900; frame++)
		race.frame(frame);
	race.report();
}

// What electrodes in a brain record: filtered by channel, then whitened across them.
constexpr int CHANNELS = 16;

__global__ void band_pass(float *samples, int of_channel, int rounds)
{
	float *const mine = samples + (size_t)blockIdx.x * of_channel;

	for (int i = (int)(blockIdx.y * blockDim.x + threadIdx.x); i < of_channel;
	     i += (int)(gridDim.y * blockDim.x))
		mine[i] = settle(mine[i], rounds);
}

IN_PLACE(whiten)

void spike_channels()
{
	constexpr int OF_CHANNEL = COUNT / CHANNELS;
	Stream stream;
	Device samples(BYTES);
	const dim3 blocks(CHANNELS, repaired ? OF_CHANNEL / 256 : 1);

	spread(scatter_values, stream, floats(samples), COUNT, 11U);
	for (int chunk = 0; chunk < 600; chunk++) {
		band_pass<<<blocks, 256, 0, stream>>>(floats(samples), OF_CHANNEL, 3700);
		CHECK(cudaGetLastError());
		spread(whiten, stream, floats(samples), COUNT, rounds_for(450));
	}
	answer(samples, BYTES);
}

// Garments that hang and swing: 132 of 256 points each, moved in small steps, then rendered.
// Roundings are explicit, so that it does not matter how the steps are compiled.
constexpr int GARMENTS = 132;
constexpr int POINTS = 256;

__device__ __forceinline__ void hang_point(const float *at, float *speed)
{
	speed[threadIdx.x] = fmaf(-0.01f, at[threadIdx.x], speed[threadIdx.x]);
}

__device__ __forceinline__ void move_point(float *at, const float *speed)
{
	at[threadIdx.x] = fmaf(0.02f, speed[threadIdx.x], at[threadIdx.x]);
}

__device__ __forceinline__ void stretch_pair(float *at, unsigned odd)
{
	const unsigned left = threadIdx.x;

	if (left % 2 != odd || left + 1 >= POINTS)
		return;
	const float pull = __fmul_rn(0.05f, __fsub_rn(at[left + 1], at[left]));

	at[left] = __fadd_rn(at[left], pull);
	at[left + 1] = __fsub_rn(at[left + 1], pull);
}

__device__ __forceinline__ void hit_floor(float *at, float *speed)
{
	if (at[threadIdx.x] > -0.8f)
		return;
	at[threadIdx.x] = -0.8f;
	speed[threadIdx.x] = __fmul_rn(speed[threadIdx.x], -0.5f);
}

__device__ __forceinline__ float *of_garment(float *points)
{
	return points + blockIdx.x * POINTS;
}

__global__ void hang(float *at, float *speed)
{
	hang_point(of_garment(at), of_garment(speed));
}

__global__ void move_points(float *at, float *speed)
{
	move_point(of_garment(at), of_garment(speed));
}

__global__ void stretch(float *at, unsigned odd)
{
	stretch_pair(of_garment(at), odd);
}

__global__ void collide(float *at, float *speed)
{
	hit_floor(of_garment(at), of_garment(speed));
}

__global__ void step_garments(float *at, float *speed, int steps)
{
	at = of_garment(at);
	speed = of_garment(speed);
	for (int step = 0; step < steps; step++) {
		hang_point(at, speed);
		move_point(at, speed);
		__syncthreads();
		stretch_pair(at, 0);
		__syncthreads();
		stretch_pair(at, 1);
		__syncthreads();
		hit_floor(at, speed);
	}
}

WITH_INPUT(render_garments)

void garment_steps()
{
	constexpr int STEPS = 20;
	constexpr size_t CLOTH = (size_t)GARMENTS * POINTS * sizeof(float);
	Stream stream;
	Device at(CLOTH), speed(CLOTH), picture(BYTES);

	spread(scatter_values, stream, floats(at), GARMENTS * POINTS, 12U);
	spread(scatter_values, stream, floats(speed), GARMENTS * POINTS, 13U);
	spread(scatter_values, stream, floats(picture), COUNT, 14U);
	for (int frame = 0; frame < 900; frame++) {
		if (repaired) {
			step_garments<<<GARMENTS, POINTS, 0, stream>>>(floats(at), floats(speed),
								       STEPS);
			CHECK(cudaGetLastError());
			continue;
		}
		for (int step = 0; step < STEPS; step++) {
			hang<<<GARMENTS, POINTS, 0, stream>>>(floats(at), floats(speed));
			move_points<<<GARMENTS, POINTS, 0, stream>>>(floats(at), floats(speed));
			stretch<<<GARMENTS, POINTS, 0, stream>>>(floats(at), 0);
			stretch<<<GARMENTS, POINTS, 0, stream>>>(floats(at), 1);
			collide<<<GARMENTS, POINTS, 0, stream>>>(floats(at), floats(speed));
			CHECK(cudaGetLastError());
		}
	}
	for (int sample = 0; sample < 40; sample++)
		spread(render_garments, stream, floats(picture), COUNT, floats(at),
		       GARMENTS * POINTS, rounds_for(5000));
	answer(picture, BYTES);
}

// A service that aligns reads of DNA against the genome that a request names.
__global__ void extend_seeds(const unsigned *genome, unsigned words, const unsigned *reads,
			     int size, float *scores, int count, int rounds)
{
	for (int i = my_first(); i < count; i += my_stride()) {
		unsigned key = reads[i % size] + (unsigned)i;

		for (int seed = 0; seed < 4; seed++)
			key = mixed(key + genome[key % words]);
		scores[i] = settle(0.5f * scores[i] + 0.5f * unit(key), rounds);
	}
}

struct Reads {
	int genome = -1; // none: no more requests
	std::vector<unsigned> words;
};

class Aligner
{
	static constexpr size_t GENOME = 48 << 20;
	static constexpr size_t READS = 4096 * sizeof(unsigned);
	static constexpr size_t REPLY = 4096;

	Stream stream_;
	Device genome_{GENOME}, reads_{READS}, scores_{BYTES};
	Pinned stored_{GENOME}, asked_{READS}, reply_{REPLY};
	int loaded_ = -1;
	uint64_t seen_ = 0;

	void load(int genome)
	{
		if (repaired && loaded_ == genome)
			return;
		up(genome_, stored_, GENOME, stream_);
		loaded_ = genome;
	}

      public:
	Aligner()
	{
		renew(stored_.at(0), GENOME, 15);
		spread(scatter_values, stream_, floats(scores_), COUNT, 16U);
	}
	void align(const Reads &request)
	{
		load(request.genome);
		memcpy(asked_, request.words.data(), READS);
		up(reads_, asked_, READS, stream_);
		spread(extend_seeds, stream_, words(genome_), (unsigned)(GENOME / sizeof(unsigned)),
		       words(reads_), 4096, floats(scores_), COUNT, rounds_for(1100));
		down(reply_, scores_, REPLY, stream_);
		finish(stream_);
		seen_ += digest(reply_, 256);
	}
	void report()
	{
		answer(scores_, BYTES, seen_);
	}
};

void genome_service()
{
	Queue<Reads> requests(8);
	std::thread worker([&requests] {
		Aligner aligner;

		for (;;) {
			const Reads request = requests.get();

			if (request.genome < 0)
				break;
			aligner.align(request);
		}
		aligner.report();
	});

	for (unsigned number = 0; number < 320; number++) {
		Reads request;

		request.genome = 38;
		request.words.resize(4096);
		for (unsigned i = 0; i < 4096; i++)
			request.words[i] = mixed(number * 4096 + i);
		requests.put(std::move(request));
	}
	requests.put(Reads());
	worker.join();
}

// A radar with four antennas and a thread for each. A burst uses a quarter of the device.
IN_PLACE(compress_pulses)
IN_PLACE(doppler)

__global__ void find_peak(const float *echoes, int count, unsigned *peak)
{
	unsigned most = 0;

	for (int i = my_first(); i < count; i += my_stride())
		most = max(most, (unsigned)(fabsf(echoes[i]) * 1e9f));
	atomicMax(peak, most);
}

class Antenna
{
	static constexpr int ECHOES = COUNT / 4;
	static constexpr int BLOCKS = 33;

	cudaStream_t stream_;
	Device echoes_{BYTES / 4}, peak_{sizeof(unsigned)};
	Pinned found_{sizeof(unsigned)};
	uint64_t peaks_ = 0;

	void burst()
	{
		CHECK(cudaMemsetAsync(peak_, 0, sizeof(unsigned), stream_));
		compress_pulses<<<BLOCKS, 256, 0, stream_>>>(floats(echoes_), ECHOES, 16500);
		CHECK(cudaGetLastError());
		doppler<<<BLOCKS, 256, 0, stream_>>>(floats(echoes_), ECHOES, 16500);
		CHECK(cudaGetLastError());
		find_peak<<<BLOCKS, 256, 0, repaired ? stream_ : nullptr>>>(floats(echoes_), ECHOES,
									    words(peak_));
		CHECK(cudaGetLastError());
		down(found_, peak_, sizeof(unsigned), stream_);
		finish(stream_);
		peaks_ = peaks_ * 31 + *words(found_);
	}

      public:
	Antenna(unsigned number)
	{
		CHECK(cudaStreamCreate(&stream_));
		spread(scatter_values, stream_, floats(echoes_), (int)ECHOES, 17 + number);
		finish(stream_);
	}
	Antenna(const Antenna &) = delete;
	~Antenna()
	{
		CHECK(cudaStreamDestroy(stream_));
	}
	void listen()
	{
		for (int number = 0; number < 260; number++)
			burst();
	}
	uint64_t peaks() const
	{
		return peaks_;
	}
	void *echoes()
	{
		return echoes_;
	}
};

void radar_antennas()
{
	std::vector<std::unique_ptr<Antenna>> antennas;
	std::vector<std::thread> threads;
	uint64_t seen = 0;

	for (unsigned number = 0; number < 4; number++)
		antennas.emplace_back(new Antenna(number));
	for (auto &antenna : antennas)
		threads.emplace_back(&Antenna::listen, antenna.get());
	for (auto &thread : threads)
		thread.join();
	for (auto &antenna : antennas)
		seen = seen * 31 + antenna->peaks();
	answer(antennas[0]->echoes(), BYTES / 4, seen);
}

// Colours of a film: three frames are in work at a time.
__global__ void grade(const unsigned *frame, unsigned *graded, int words, int rounds)
{
	for (int i = my_first(); i < words; i += my_stride())
		graded[i] = frame[i] ^ __float_as_uint(settle(unit(mixed(frame[i])), rounds));
}

void film_grade()
{
	constexpr int WORDS = 12 * COUNT;
	constexpr size_t FRAME = WORDS * sizeof(unsigned);
	constexpr int FRAMES = 800, AT_A_TIME = 3;
	struct Slot {
		Stream stream;
		Event done;
		Device frame{FRAME}, graded{FRAME};
		Pinned read{FRAME}, written{FRAME};
	} slots[AT_A_TIME];
	uint64_t seen = 0;

	for (int number = 0; number < FRAMES + AT_A_TIME; number++) {
		Slot &slot = slots[number % AT_A_TIME];
		const cudaStream_t stream = repaired ? slot.stream : slots[0].stream;

		if (number >= AT_A_TIME) {
			CHECK(cudaEventSynchronize(slot.done));
			seen = digest(slot.written.at(FRAME / 2), 256, seen);
		}
		if (number >= FRAMES)
			continue;
		renew(slot.read.at(0), FRAME, (unsigned)number);
		up(slot.frame, slot.read, FRAME, stream);
		spread(grade, stream, words(slot.frame), words(slot.graded), WORDS,
		       rounds_for(220, WORDS));
		down(slot.written, slot.graded, FRAME, stream);
		CHECK(cudaEventRecord(slot.done, stream));
	}
	answer(slots[0].graded, BYTES, seen);
}

// Chemicals that react in a dish; at some places a reagent is added after each step.
IN_PLACE(react)

constexpr int SITES = 32;

__host__ __device__ size_t site_of(unsigned step, unsigned site, unsigned count)
{
	const unsigned each = count / SITES;

	return (size_t)site * each + mixed(step * SITES + site) % each;
}

__host__ __device__ float dose_of(unsigned step, unsigned site)
{
	return unit(mixed(site * 65537 + step));
}

__global__ void add_reagent(float *dish, unsigned count, unsigned step)
{
	dish[site_of(step, threadIdx.x, count)] = dose_of(step, threadIdx.x);
}

void reaction_dish()
{
	constexpr int CELLS = 16 * COUNT;
	Stream stream;
	float *dish;

	CHECK(cudaMallocManaged(&dish, CELLS * sizeof(float)));
	spread(scatter_values, stream, dish, CELLS, 21U);
	for (unsigned step = 0; step < 300; step++) {
		spread(react, stream, dish, CELLS, rounds_for(1000, CELLS));
		if (repaired) {
			add_reagent<<<1, SITES, 0, stream>>>(dish, CELLS, step);
			CHECK(cudaGetLastError());
			continue;
		}
		finish(stream);
		for (unsigned site = 0; site < SITES; site++)
			dish[site_of(step, site, CELLS)] = dose_of(step, site);
	}
	answer(dish, BYTES);
	CHECK(cudaFree(dish));
}

// A sonar: the same graph of kernels for each ping, which tells the bearing of what it hears.
__global__ void count_ping(unsigned *ping)
{
	++*ping;
}

__global__ void delay_and_sum(float *data, int count, const unsigned *ping, int rounds)
{
	for (int i = my_first(); i < count; i += my_stride())
		data[i] = settle(0.5f * data[i] + 0.5f * unit(mixed(*ping)), rounds);
}

IN_PLACE(match_filter)
IN_PLACE(normalise)

class Sonar
{
	static constexpr size_t BEARINGS = 256;

	Stream stream_;
	Device data_{BYTES}, ping_{sizeof(unsigned)};
	Pinned bearings_{BEARINGS};
	cudaGraphExec_t steps_ = nullptr;
	uint64_t seen_ = 0;

	void capture()
	{
		cudaGraph_t graph;

		CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
		count_ping<<<1, 1, 0, stream_>>>(words(ping_));
		for (int band = 0; band < 16; band++) {
			spread(delay_and_sum, stream_, floats(data_), COUNT, words(ping_),
			       rounds_for(4));
			spread(match_filter, stream_, floats(data_), COUNT, rounds_for(6));
			spread(normalise, stream_, floats(data_), COUNT, rounds_for(2));
		}
		down(bearings_, data_, BEARINGS, stream_);
		CHECK(cudaStreamEndCapture(stream_, &graph));
		CHECK(cudaGraphInstantiate(&steps_, graph, 0));
		CHECK(cudaGraphDestroy(graph));
	}
	void drop()
	{
		if (steps_)
			CHECK(cudaGraphExecDestroy(steps_));
		steps_ = nullptr;
	}

      public:
	Sonar()
	{
		CHECK(cudaMemsetAsync(ping_, 0, sizeof(unsigned), stream_));
		spread(scatter_values, stream_, floats(data_), COUNT, 22U);
		finish(stream_);
	}
	Sonar(const Sonar &) = delete;
	~Sonar()
	{
		drop();
	}
	void ping()
	{
		if (!repaired)
			drop();
		if (!steps_)
			capture();
		CHECK(cudaGraphLaunch(steps_, stream_));
		finish(stream_);
		seen_ = digest(bearings_, 64, seen_);
	}
	void report()
	{
		answer(data_, BYTES, seen_);
	}
};

void sonar_pings()
{
	Sonar sonar;

	for (int ping = 0; ping < 1000; ping++)
		sonar.ping();
	sonar.report();
}

// Light in a tissue, by Monte Carlo: looks after each ten batches whether it is exact enough.
IN_PLACE(trace_photons)

void clean_photon_batches()
{
	constexpr int LOOKS = 55;
	Stream stream;
	Device tissue(BYTES), sums(LOOKS * sizeof(unsigned));
	Pinned shown(sizeof(unsigned));
	unsigned *const sum = words(sums), *const now = words(shown);
	unsigned last = 0;

	CHECK(cudaMemsetAsync(sums, 0, LOOKS * sizeof(unsigned), stream));
	spread(scatter_values, stream, floats(tissue), COUNT, 23U);
	for (int look = 0; look < LOOKS; look++) {
		for (int batch = 0; batch < 10; batch++)
			spread(trace_photons, stream, floats(tissue), COUNT, rounds_for(1000));
		spread(add_sizes, stream, floats(tissue), COUNT, sum, look);
		down(now, sum + look, sizeof(unsigned), stream);
		finish(stream);
		if (*now == last)
			break; // exact enough
		last = *now;
	}
	answer(tissue, BYTES, last);
}

// Prices of options: a quote comes every few ms and is answered at once.
WITH_INPUT(price_options)

void clean_quote_feed()
{
	constexpr int QUOTES = 150, SIZE = 1024;
	Queue<std::vector<float>> quotes(64);

	CHECK(cudaFree(nullptr)); // the device is there when the first one comes
	std::thread desk([&quotes] {
		Stream stream;
		Device prices(BYTES), quote(SIZE * sizeof(float));
		Pinned came(SIZE * sizeof(float)), told(256);
		uint64_t seen = 0;

		spread(scatter_values, stream, floats(prices), COUNT, 24U);
		for (;;) {
			const std::vector<float> next = quotes.get();

			if (next.empty())
				break;
			memcpy(came, next.data(), SIZE * sizeof(float));
			up(quote, came, SIZE * sizeof(float), stream);
			spread(price_options, stream, floats(prices), COUNT, floats(quote),
			       (int)SIZE, rounds_for(600));
			down(told, prices, 256, stream);
			finish(stream);
			seen = digest(told, 256, seen);
		}
		answer(prices, BYTES, seen);
	});

	for (unsigned number = 0; number < QUOTES; number++) {
		std::vector<float> quote(SIZE);

		host_sleep(2500 + (int)(mixed(number) % 2000)); // the market
		for (unsigned i = 0; i < SIZE; i++)
			quote[i] = unit(mixed(number * SIZE + i));
		quotes.put(std::move(quote));
	}
	quotes.put({});
	desk.join();
}

// Molecules: lists of neighbours, whose size is another at each step, come from the stream's pool.
IN_PLACE(move_atoms)

__global__ void list_neighbours(const float *atoms, int count, unsigned *list, int size)
{
	for (int i = my_first(); i < size; i += my_stride())
		list[i] = mixed(__float_as_uint(atoms[i % count]) + (unsigned)i) % (unsigned)count;
}

__global__ void sum_forces(const float *atoms, int count, const unsigned *list, int size,
			   float *forces)
{
	for (int i = my_first(); i < count; i += my_stride()) {
		float sum = 0;

		for (int at = i; at < size; at += count)
			sum += atoms[list[at]];
		forces[i] = 0.05f * sum;
	}
}

WITH_INPUT(apply_forces)

void clean_neighbour_pool()
{
	Stream stream;
	Device atoms(BYTES);
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	spread(scatter_values, stream, floats(atoms), COUNT, 25U);
	for (unsigned step = 0; step < 500; step++) {
		const int size = COUNT * (4 + (int)(mixed(step) % 8));
		unsigned *list;
		float *forces;

		CHECK(cudaMallocAsync(&list, (size_t)size * sizeof(unsigned), stream));
		spread(list_neighbours, stream, floats(atoms), COUNT, list, size);
		CHECK(cudaMallocAsync(&forces, BYTES, stream));
		spread(sum_forces, stream, floats(atoms), COUNT, list, size, forces);
		CHECK(cudaFreeAsync(list, stream));
		spread(apply_forces, stream, floats(atoms), COUNT, forces, COUNT, rounds_for(500));
		CHECK(cudaFreeAsync(forces, stream));
		spread(move_atoms, stream, floats(atoms), COUNT, rounds_for(400));
	}
	answer(atoms, BYTES);
}

// A coder of video: pictures come by one stream, are coded in another and leave by a third.
__global__ void code_picture(const unsigned *picture, unsigned *coded, int words, int rounds)
{
	for (int i = my_first(); i < words; i += my_stride())
		coded[i] = __float_as_uint(settle(unit(mixed(picture[i])), rounds));
}

void clean_ring_coder()
{
	constexpr int WORDS = 8 * COUNT;
	constexpr size_t PICTURE = WORDS * sizeof(unsigned);
	constexpr int PICTURES = 500, RING = 3;
	struct Slot {
		Event arrived, coded, left;
		Device picture{PICTURE}, code{PICTURE};
		Pinned seen{PICTURE}, sent{PICTURE};
	} ring[RING];
	Stream arriving, coding, leaving;
	uint64_t seen = 0;

	for (int number = 0; number < PICTURES + RING; number++) {
		Slot &slot = ring[number % RING];

		if (number >= RING) {
			CHECK(cudaEventSynchronize(slot.left));
			seen = digest(slot.sent.at(PICTURE / 2), 256, seen);
		}
		if (number >= PICTURES)
			continue;
		renew(slot.seen.at(0), PICTURE, (unsigned)number);
		up(slot.picture, slot.seen, PICTURE, arriving);
		CHECK(cudaEventRecord(slot.arrived, arriving));
		CHECK(cudaStreamWaitEvent(coding, slot.arrived, 0));
		spread(code_picture, coding, words(slot.picture), words(slot.code), WORDS,
		       rounds_for(1000, WORDS));
		CHECK(cudaEventRecord(slot.coded, coding));
		CHECK(cudaStreamWaitEvent(leaving, slot.coded, 0));
		down(slot.sent, slot.code, PICTURE, leaving);
		CHECK(cudaEventRecord(slot.left, leaving));
	}
	answer(ring[0].code, BYTES, seen);
}

// Vibrations of a bridge: a product of the matrix, of which one block then makes the scale.
WITH_INPUT(multiply_rows)

__global__ void scale_of(const float *vector, int count, float *scale)
{
	__shared__ unsigned most;

	if (threadIdx.x == 0)
		most = 0;
	__syncthreads();
	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
		atomicMax(&most, (unsigned)(fabsf(vector[i]) * 1e6f));
	__syncthreads();
	if (threadIdx.x == 0)
		*scale = (float)(most % 1000) * 1e-3f;
}

void clean_bridge_modes()
{
	Stream stream;
	Device vector(BYTES), scale(sizeof(float));

	CHECK(cudaMemsetAsync(scale, 0, sizeof(float), stream));
	spread(scatter_values, stream, floats(vector), COUNT, 26U);
	for (int round = 0; round < 1000; round++) {
		spread(multiply_rows, stream, floats(vector), COUNT, floats(scale), 1,
		       rounds_for(500));
		scale_of<<<1, 1024, 0, stream>>>(floats(vector), 1024, floats(scale));
		CHECK(cudaGetLastError());
	}
	answer(vector, BYTES);
}

// A database: two threads scan halves of a table, page by page.
__global__ void scan_page(const unsigned *page, int words, unsigned long long *sums)
{
	unsigned long long sum = 0;

	for (int i = my_first(); i < words; i += my_stride())
		sum += page[i] % 1000 < 500 ? mixed(page[i]) : 0;
	sums[my_first()] += sum;
}

class Scan
{
	static constexpr size_t PAGE = 8 << 20;
	static constexpr int PAGES = 1100;

	struct Half {
		Stream stream;
		Event scanned;
		Device page{PAGE};
		Pinned read{PAGE};
	} halves_[2];
	const size_t size_ = (size_t)wide() * 256 * sizeof(unsigned long long);
	Device sums_[2] = {Device(size_), Device(size_)};
	const unsigned table_;
	uint64_t seen_ = 0;

      public:
	explicit Scan(unsigned table) : table_(table)
	{
		for (int i = 0; i < 2; i++)
			CHECK(cudaMemsetAsync(sums_[i], 0, size_, halves_[i].stream));
	}
	void run()
	{
		for (int number = 0; number < PAGES; number++) {
			Half &half = halves_[number % 2];

			if (number >= 2)
				CHECK(cudaEventSynchronize(half.scanned));
			renew(half.read.at(0), PAGE, table_ + (unsigned)number);
			up(half.page, half.read, PAGE, half.stream);
			spread(scan_page, half.stream, words(half.page),
			       (int)(PAGE / sizeof(unsigned)),
			       (unsigned long long *)(void *)sums_[number % 2]);
			CHECK(cudaEventRecord(half.scanned, half.stream));
		}
		for (int i = 0; i < 2; i++) {
			down(halves_[i].read, sums_[i], 4096, halves_[i].stream);
			finish(halves_[i].stream);
			seen_ = digest(halves_[i].read, 4096, seen_);
		}
	}
	uint64_t seen() const
	{
		return seen_;
	}
	void *sums()
	{
		return sums_[0];
	}
};

void clean_table_scan()
{
	Scan first(1 << 20), second(2 << 20);
	std::thread other(&Scan::run, &second);

	first.run();
	other.join();
	answer(first.sums(), BYTES, first.seen() * 31 + second.seen());
}

// Four fields in a reactor, each with a stream; each needs its neighbours' last state.
__global__ void couple_fields(const float *left, const float *mine, const float *right, float *next,
			      int count, int rounds)
{
	for (int i = my_first(); i < count; i += my_stride())
		next[i] = settle(0.5f * mine[i] + 0.25f * left[i] + 0.25f * right[i], rounds);
}

void clean_coupled_fields()
{
	constexpr int FIELDS = 4, CELLS = COUNT / FIELDS;
	struct Field {
		Stream stream;
		Event done[2];
		Device state[2] = {Device(BYTES / FIELDS), Device(BYTES / FIELDS)};
	} fields[FIELDS];

	for (unsigned i = 0; i < FIELDS; i++) {
		Field &field = fields[i];

		spread(scatter_values, field.stream, floats(field.state[0]), (int)CELLS, 27 + i);
		CHECK(cudaEventRecord(field.done[0], field.stream));
	}
	for (int step = 0; step < 2500; step++)
		for (int i = 0; i < FIELDS; i++) {
			const int last = step % 2, next = 1 - last;
			Field &field = fields[i];
			Field &left = fields[(i + FIELDS - 1) % FIELDS];
			Field &right = fields[(i + 1) % FIELDS];

			CHECK(cudaStreamWaitEvent(field.stream, left.done[last], 0));
			CHECK(cudaStreamWaitEvent(field.stream, right.done[last], 0));
			couple_fields<<<CELLS / 256, 256, 0, field.stream>>>(
				floats(left.state[last]), floats(field.state[last]),
				floats(right.state[last]), floats(field.state[next]), CELLS,
				rounds_for(200));
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(field.done[next], field.stream));
		}
	answer(fields[0].state[0], BYTES / FIELDS);
}

const Case cases[] = {CASE(particle_filter),  CASE(loss_console),
		      CASE(exposure_stack),   CASE(speech_pieces),
		      CASE(ct_series),	      CASE(kart_race),
		      CASE(spike_channels),   CASE(garment_steps),
		      CASE(genome_service),   CASE(radar_antennas),
		      CASE(film_grade),	      CASE(reaction_dish),
		      CASE(sonar_pings),      CASE(clean_photon_batches),
		      CASE(clean_quote_feed), CASE(clean_neighbour_pool),
		      CASE(clean_ring_coder), CASE(clean_bridge_modes),
		      CASE(clean_table_scan), CASE(clean_coupled_fields)};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
