/* SPDX-License-Identifier: MIT */
// workloads CASE [repaired]: CUDA programs as people write them, each with one fault, or the same work
// without it; and some that have none. Whoever wrote them had not read src/analysis. tests/hw/findings
// records both, and workloads.json, which was written before they were recorded for the first time, says what
// may be found in which.
#include <algorithm>
#include <atomic>
#include <cfloat>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <sched.h>
#include <thread>
#include <vector>

#include "cases.h"
#include "faults.h"

#define MIB ((size_t)1 << 20)
#define COUNT_OF(what) ((int)(sizeof(what) / sizeof(*(what))))

// --- what several of them have

template <class T = float> static T *items(Device &device, size_t first = 0)
{
	return (T *)device.at(first * sizeof(T));
}

static __host__ __device__ unsigned scrambled(unsigned x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

static __host__ __device__ float number(unsigned which)
{
	return (float)(scrambled(which) >> 8) / 16777216.0f;
}

static __global__ void sow(float *data, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = 0.1f + 0.8f * number((unsigned)i);
}

/* A population in each number, which never comes to rest. A full device does about 15e12 of these rounds a
 * second. */
static __global__ void evolve(float *data, int count, int rounds)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float x;

	if (i >= count)
		return;
	x = data[i];
#pragma unroll 8
	for (int round = 0; round < rounds; round++) {
		const float grown = 3.9f * x;

		x = grown - grown * x;
	}
	data[i] = x;
}

static void sown(Device &device, size_t count, cudaStream_t stream = nullptr)
{
	sow<<<blocks_of(count), 256, 0, stream>>>(items(device), (int)count);
	CHECK(cudaGetLastError());
}

/* About so many us of a full device, on a million numbers. */
static const int full_count = 1 << 20;

static void evolve_for(int us, float *data, cudaStream_t stream = nullptr)
{
	evolve<<<full_count / 256, 256, 0, stream>>>(data, full_count, us * 14);
	CHECK(cudaGetLastError());
}

/* About so many us of a quarter of it. */
static const int part_blocks = 33, part_count = part_blocks * 256;

static void evolve_part(int us, float *data, cudaStream_t stream)
{
	evolve<<<part_blocks, 256, 0, stream>>>(data, part_count, us * 240);
	CHECK(cudaGetLastError());
}

/* A part of each KiB of what the host has is new. */
static void arrive(Pinned &host, size_t bytes, int round)
{
	for (size_t i = 0; i < bytes; i += 1024)
		*(float *)host.at(i) = number((unsigned)(i + (size_t)round * 7919));
}

static __device__ float sum_of_block(float mine)
{
	__shared__ float sums[32];
	const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;

	for (int step = 16; step; step /= 2)
		mine += __shfl_down_sync(0xffffffff, mine, step);
	if (!lane)
		sums[warp] = mine;
	__syncthreads();
	mine = (int)threadIdx.x < (int)blockDim.x / 32 ? sums[lane] : 0;
	for (int step = 16; !warp && step; step /= 2)
		mine += __shfl_down_sync(0xffffffff, mine, step);
	return mine;
}

/* The sum of all, by however many blocks there are. */
static __global__ void total(const float *data, int count, float *sum)
{
	float mine = 0;

	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
	     i += (int)(gridDim.x * blockDim.x))
		mine += data[i];
	mine = sum_of_block(mine);
	if (!threadIdx.x)
		atomicAdd(sum, mine);
}

// --- graphs, points and particles

static __global__ void expand(const unsigned char *walls, int *depths, int width, int count, int depth,
			      int *changed)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = i % width;

	if (i >= count || walls[i] || depths[i] != -1)
		return;
	if ((x > 0 && depths[i - 1] == depth) || (x + 1 < width && depths[i + 1] == depth) ||
	    (i >= width && depths[i - width] == depth) ||
	    (i + width < count && depths[i + width] == depth)) {
		depths[i] = depth + 1;
		*changed = 1;
	}
}

/* Breadth-first search through a long maze. Whether the frontier is empty is asked after each level, or
 * after each 64 of them. */
static void maze_search()
{
	const int width = 256, height = 129, count = width * height;
	const int levels = repaired ? 64 : 1;
	std::vector<unsigned char> walls(count);
	Device map(count), depths(count * sizeof(int)), changed(sizeof(int)), scores(4 * MIB);

	for (int y = 1; y < height; y += 2)
		for (int x = 0; x < width; x++)
			walls[y * width + x] = x != (y % 4 == 1 ? width - 1 : 0);
	CHECK(cudaMemcpy(map, walls.data(), walls.size(), cudaMemcpyHostToDevice));
	sown(scores, full_count);
	for (int start : {0, count - 1}) {
		int more = 1;

		CHECK(cudaMemset(depths, 0xff, count * sizeof(int)));
		CHECK(cudaMemset(items<int>(depths, start), 0, sizeof(int)));
		for (int depth = 0; more; depth += levels) {
			CHECK(cudaMemsetAsync(changed, 0, sizeof(int)));
			for (int i = 0; i < levels; i++)
				expand<<<blocks_of(count), 256>>>(items<unsigned char>(map),
								  items<int>(depths), width, count,
								  depth + i, items<int>(changed));
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpy(&more, changed, sizeof(int), cudaMemcpyDeviceToHost));
		}
		for (int i = 0; i < 200; i++)
			evolve_for(1000, items(scores));
	}
}

static const int dimensions = 8, clusters = 64;

static __global__ void nearest(const float *points, int count, const float *means, int *labels)
{
	__shared__ float shared[clusters * dimensions];
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float point[dimensions], least = FLT_MAX;
	int label = 0;

	for (int j = (int)threadIdx.x; j < clusters * dimensions; j += (int)blockDim.x)
		shared[j] = means[j];
	__syncthreads();
	if (i >= count)
		return;
	for (int d = 0; d < dimensions; d++)
		point[d] = points[d * count + i];
	for (int k = 0; k < clusters; k++) {
		float distance = 0;

		for (int d = 0; d < dimensions; d++) {
			const float by = point[d] - shared[k * dimensions + d];

			distance += by * by;
		}
		if (distance < least) {
			least = distance;
			label = k;
		}
	}
	labels[i] = label;
}

static __global__ void gather(const float *points, int count, const int *labels, float *sums)
{
	__shared__ float shared[clusters * (dimensions + 1)];

	for (int j = (int)threadIdx.x; j < clusters * (dimensions + 1); j += (int)blockDim.x)
		shared[j] = 0;
	__syncthreads();
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
	     i += (int)(gridDim.x * blockDim.x)) {
		float *sum = shared + labels[i] * (dimensions + 1);

		for (int d = 0; d < dimensions; d++)
			atomicAdd(sum + d, points[d * count + i]);
		atomicAdd(sum + dimensions, 1);
	}
	__syncthreads();
	for (int j = (int)threadIdx.x; j < clusters * (dimensions + 1); j += (int)blockDim.x)
		atomicAdd(sums + j, shared[j]);
}

static __global__ void divide(float *means, const float *sums)
{
	const int k = (int)threadIdx.x / dimensions, d = (int)threadIdx.x % dimensions;
	const float weight = sums[k * (dimensions + 1) + dimensions];

	if (weight > 0)
		means[threadIdx.x] = sums[k * (dimensions + 1) + d] / weight;
}

static void means_by_host(const float *points, int count, const int *labels, float *means)
{
	double sums[clusters * dimensions] = {};
	int weights[clusters] = {};

	for (int i = 0; i < count; i++) {
		for (int d = 0; d < dimensions; d++)
			sums[labels[i] * dimensions + d] += points[(size_t)d * count + i];
		weights[labels[i]]++;
	}
	for (int j = 0; j < clusters * dimensions; j++)
		if (weights[j / dimensions])
			means[j] = (float)(sums[j] / weights[j / dimensions]);
}

/* How far points are from those of a sample. */
static __global__ void silhouette(const float *points, int count, int sample, float *scores)
{
	__shared__ float some[dimensions][256];
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), t = (int)threadIdx.x;
	float point[dimensions], score = 0;

	for (int d = 0; d < dimensions; d++)
		point[d] = points[d * count + i];
	for (int first = 0; first < sample; first += 256) {
		__syncthreads();
		for (int d = 0; d < dimensions; d++)
			some[d][t] = points[d * count + first + t];
		__syncthreads();
		for (int j = 0; j < 256; j++) {
			float distance = 1e-6f;

			for (int d = 0; d < dimensions; d++)
				distance += (point[d] - some[d][j]) * (point[d] - some[d][j]);
			score += rsqrtf(distance);
		}
	}
	scores[i] = score;
}

/* k-means. The new means are computed by the host, from labels that it is given, or by the device. Then
 * clusters are scored. */
static void point_clusters()
{
	const int count = 1 << 20;
	const size_t bytes = (size_t)count * sizeof(float);
	const size_t means_bytes = sizeof(float) * clusters * dimensions;
	const size_t sums_bytes = sizeof(float) * clusters * (dimensions + 1);
	std::vector<float> points((size_t)count * dimensions);
	Device on_device(bytes * dimensions), labels(bytes), means(means_bytes), sums(sums_bytes);
	Device scores(bytes);
	Pinned host_labels(bytes), host_means(means_bytes);
	float *const now = (float *)host_means.at(0);

	for (size_t i = 0; i < points.size(); i++)
		points[i] = number((unsigned)i);
	for (int j = 0; j < clusters * dimensions; j++)
		now[j] = points[(size_t)(j % dimensions) * count + j / dimensions];
	CHECK(cudaMemcpy(on_device, points.data(), bytes * dimensions, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyAsync(means, now, means_bytes, cudaMemcpyHostToDevice));
	for (int round = 0; round < 100; round++) {
		nearest<<<blocks_of(count), 256>>>(items(on_device), count, items(means),
						   items<int>(labels));
		CHECK(cudaGetLastError());
		if (repaired) {
			CHECK(cudaMemsetAsync(sums, 0, sums_bytes));
			gather<<<264, 256>>>(items(on_device), count, items<int>(labels),
					     items(sums));
			divide<<<1, clusters * dimensions>>>(items(means), items(sums));
			CHECK(cudaGetLastError());
			continue;
		}
		CHECK(cudaMemcpyAsync(host_labels, labels, bytes, cudaMemcpyDeviceToHost));
		CHECK(cudaStreamSynchronize(nullptr));
		means_by_host(points.data(), count, (const int *)host_labels.at(0), now);
		CHECK(cudaMemcpyAsync(means, now, means_bytes, cudaMemcpyHostToDevice));
	}
	for (int i = 0; i < 200; i++)
		silhouette<<<count / 256, 256>>>(items(on_device), count, 2048, items(scores));
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
}

static __global__ void forces(const char *cells, int count, float *pulls, int rounds)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float x = pulls[i] + 1e-12f * (float)cells[i % count];

#pragma unroll 8
	for (int round = 0; round < rounds; round++) {
		const float grown = 3.9f * x;

		x = grown - grown * x;
	}
	pulls[i] = x;
}

/* Molecular dynamics. The neighbours of each cell have room for 512 bytes, of which most cells use a quarter:
 * each cell's are sent by themselves, or all of them at once. */
static void cell_neighbours()
{
	const int cells = 768, room = 512, used = 128;
	const size_t bytes = (size_t)cells * room;
	Device on_device(bytes), pulls(4 * MIB);
	Pinned host(bytes);
	Stream stream;
	Event sent;

	CHECK(cudaMemsetAsync(on_device, 0, bytes, stream));
	sown(pulls, full_count, stream);
	for (int step = 0; step < 250; step++) {
		CHECK(cudaEventSynchronize(sent));
		for (int cell = 0; cell < cells; cell++)
			*(unsigned *)host.at(cell * room) = scrambled((unsigned)(step * cells + cell));
		if (repaired)
			CHECK(cudaMemcpyAsync(on_device, host, bytes, cudaMemcpyHostToDevice,
					      stream));
		for (size_t cell = 0; !repaired && cell < cells; cell++)
			CHECK(cudaMemcpyAsync(on_device.at(cell * room), host.at(cell * room), used,
					      cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(sent, stream));
		forces<<<full_count / 256, 256, 0, stream>>>(on_device.at(0), (int)bytes,
							     items(pulls), 20000);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
}

/* A crystal in managed memory. Its energy after each step is summed up by the host, which all pages go to and
 * come back from, or by the device. */
static void crystal_energy()
{
	const int count = 1 << 21;
	Device sum(sizeof(float));
	Pinned shown(sizeof(float));
	double energy = 0;
	float *atoms;

	CHECK(cudaMallocManaged(&atoms, count * sizeof(*atoms)));
	sow<<<blocks_of(count), 256>>>(atoms, count);
	for (int step = 0; step < 80; step++) {
		for (int i = 0; i < 4; i++)
			evolve<<<blocks_of(count), 256>>>(atoms, count, 6000);
		CHECK(cudaGetLastError());
		if (repaired) {
			CHECK(cudaMemsetAsync(sum, 0, sizeof(float)));
			total<<<264, 256>>>(atoms, count, items(sum));
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(shown, sum, sizeof(float), cudaMemcpyDeviceToHost));
			CHECK(cudaStreamSynchronize(nullptr));
			energy += *(float *)shown.at(0);
		} else {
			CHECK(cudaStreamSynchronize(nullptr));
			energy = std::accumulate(atoms, atoms + count, energy);
		}
	}
	CHECK(cudaFree(atoms));
	if (energy < 0)
		exit(1);
}

// --- images and video

static __global__ void bilateral(const float *from, float *to, int width, int height)
{
	const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y), reach = 3;
	float sum = 0, weights = 0, here;

	if (x < reach || y < reach || x >= width - reach || y >= height - reach)
		return;
	here = from[y * width + x];
	for (int j = -reach; j <= reach; j++)
		for (int i = -reach; i <= reach; i++) {
			const float there = from[(y + j) * width + x + i], by = there - here;
			const float weight = __expf(-0.1f * (float)(i * i + j * j) - 20 * by * by);

			sum += weight * there;
			weights += weight;
		}
	to[y * width + x] = sum / weights;
}

static __global__ void tone(float *data, int count, float gain)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = __powf(data[i] * gain, 0.98f);
}

/* Photographs are smoothed by blocks of 4 by 4 pixels, or of 32 by 8. */
static void photo_smoother()
{
	const int width = 1920, height = 1080, count = width * height;
	const dim3 block = repaired ? dim3(32, 8) : dim3(4, 4);
	Device from(count * sizeof(float)), to(count * sizeof(float));

	sown(from, count);
	sown(to, count);
	for (int i = 0; i < 5000; i++) {
		Device &one = i % 2 ? to : from, &other = i % 2 ? from : to;

		bilateral<<<dim3(width / block.x, height / block.y), block>>>(items(one), items(other),
									      width, height);
		tone<<<blocks_of(count), 256>>>(items(other), count, 1.001f);
	}
	CHECK(cudaGetLastError());
}

/* As much room as the largest of pictures needs, which have up to 12288 tones. */
template <int ROOM> static __global__ void tones(const uchar4 *picture, int count, unsigned *found)
{
	__shared__ unsigned mine[ROOM];

	for (int i = (int)threadIdx.x; i < 256; i += (int)blockDim.x)
		mine[i] = 0;
	__syncthreads();
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
	     i += (int)(gridDim.x * blockDim.x)) {
		const uchar4 four = picture[i];

		atomicAdd(mine + four.x % ROOM, 1u);
		atomicAdd(mine + four.y % ROOM, 1u);
		atomicAdd(mine + four.z % ROOM, 1u);
		atomicAdd(mine + four.w % ROOM, 1u);
	}
	__syncthreads();
	for (int i = (int)threadIdx.x; i < 256; i += (int)blockDim.x)
		atomicAdd(found + i, mine[i]);
}

static __global__ void expose(unsigned *picture, int count, unsigned round)
{
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
	     i += (int)(gridDim.x * blockDim.x))
		picture[i] = scrambled((unsigned)i + round);
}

/* Histograms of pictures with 256 tones: each block of 64 threads has 48 KiB for them, or blocks of 256 have
 * what they need. */
static void picture_tones()
{
	const size_t bytes = 64 * MIB;
	const int count = (int)(bytes / 4);
	Device picture(bytes), found(256 * sizeof(unsigned));

	CHECK(cudaMemset(found, 0, 256 * sizeof(unsigned)));
	for (int i = 0; i < 1200; i++) {
		if (i % 4 == 0)
			expose<<<1056, 256>>>(items<unsigned>(picture), count, (unsigned)i * 77);
		if (repaired)
			tones<256><<<1056, 256>>>(items<uchar4>(picture), count,
						  items<unsigned>(found));
		else
			tones<12288><<<4224, 64>>>(items<uchar4>(picture), count,
						   items<unsigned>(found));
	}
	CHECK(cudaGetLastError());
}

/* Frames go up, are changed, and come down, three of them under way: all in one stream, or in one for each
 * direction and one for kernels. */
static void video_frames()
{
	const size_t bytes = 8 * MIB;
	auto device = several<Device>(3, bytes);
	auto in = several<Pinned>(3, bytes), out = several<Pinned>(3, bytes);
	std::vector<Event> up(3), changed(3), down(3);
	std::vector<Stream> streams(3);
	cudaStream_t lift = streams[0], kernels = streams[repaired ? 1 : 0];
	cudaStream_t drop = streams[repaired ? 2 : 0];
	unsigned seen = 0;

	for (int frame = 0; frame < 1500; frame++) {
		const int at = frame % 3;

		if (frame > 2) {
			CHECK(cudaEventSynchronize(down[at]));
			seen += *(unsigned *)out[at].at(4096);
		}
		arrive(in[at], bytes, frame);
		CHECK(cudaMemcpyAsync(device[at], in[at], bytes, cudaMemcpyHostToDevice, lift));
		CHECK(cudaEventRecord(up[at], lift));
		CHECK(cudaStreamWaitEvent(kernels, up[at], 0));
		evolve_for(280, items(device[at]), kernels);
		CHECK(cudaEventRecord(changed[at], kernels));
		CHECK(cudaStreamWaitEvent(drop, changed[at], 0));
		CHECK(cudaMemcpyAsync(out[at], device[at], bytes, cudaMemcpyDeviceToHost, drop));
		CHECK(cudaEventRecord(down[at], drop));
	}
	CHECK(cudaDeviceSynchronize());
	if (seen == 12345)
		printf("%u\n", seen);
}

/* Two cameras, each with its stream and memory. A picture of one is not sent before the other's was computed,
 * so that both get on equally, or it is sent whenever its camera's memory is free. */
static void stereo_cameras()
{
	const size_t bytes = 16 * MIB;
	struct Camera {
		Device device{16 * MIB};
		Pinned host[2] = {{16 * MIB}, {16 * MIB}};
		Event sent[2], computed;
		Stream stream;
	} cameras[2];

	for (int frame = 0; frame < 700; frame++)
		for (int one = 0; one < 2; one++) {
			Camera &camera = cameras[one];
			const int at = frame % 2;

			CHECK(cudaEventSynchronize(camera.sent[at]));
			arrive(camera.host[at], bytes, frame * 2 + one);
			if (!repaired)
				CHECK(cudaStreamWaitEvent(camera.stream, cameras[!one].computed, 0));
			CHECK(cudaMemcpyAsync(camera.device, camera.host[at], bytes,
					      cudaMemcpyHostToDevice, camera.stream));
			CHECK(cudaEventRecord(camera.sent[at], camera.stream));
			evolve_for(350, items(camera.device), camera.stream);
			CHECK(cudaEventRecord(camera.computed, camera.stream));
		}
	CHECK(cudaDeviceSynchronize());
}

static __global__ void halve(const float *from, float *to, int width, int rounds)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = i % width, y = i / width;
	const float *at = from + 4 * y * width + 2 * x;
	float mean;

	if (y >= width)
		return;
	mean = 0.25f * (at[0] + at[1] + at[2 * width] + at[2 * width + 1]);
	for (int round = 0; round < rounds; round++)
		mean = mean * 1.0001f - 0.00005f;
	to[i] = mean;
}

/* A pyramid of each frame. Its levels have memory of the frame's own, or of the program's. */
static void frame_pyramid()
{
	const int width = 2048, levels = 5;
	Device frame(sizeof(float) * width * width);
	float *kept[levels] = {}, *level[levels];

	sown(frame, (size_t)width * width);
	for (int i = 0; i < 900; i++) {
		for (int j = 0; j < 4; j++)
			evolve_for(80, items(frame));
		for (int j = 0; j < levels; j++) {
			const int side = width >> (j + 1);

			if (!repaired)
				CHECK(cudaMalloc(&level[j], sizeof(float) * side * side));
			else if (!kept[j])
				CHECK(cudaMalloc(&kept[j], sizeof(float) * side * side));
			if (repaired)
				level[j] = kept[j];
			halve<<<blocks_of((size_t)side * side), 256>>>(
				j ? level[j - 1] : items(frame), level[j], side, 100);
			CHECK(cudaGetLastError());
		}
		for (int j = 0; !repaired && j < levels; j++)
			CHECK(cudaFree(level[j]));
	}
	for (float *one : kept)
		CHECK(cudaFree(one));
}

static __global__ void sharpen(const float *from, float *to, int width, int height, int tile)
{
	const int x = (int)blockIdx.x * tile + (int)threadIdx.x;

	for (int j = (int)threadIdx.y; j < tile; j += (int)blockDim.y) {
		const int y = (int)blockIdx.y * tile + j;

		if (x > 0 && y > 0 && x + 1 < width && y + 1 < height) {
			const float *at = from + y * width + x;

			to[y * width + x] = __saturatef(3 * at[0] - 0.5f * (at[-1] + at[1] + at[-width] +
									    at[width]));
		}
	}
}

/* Tiles of the configuration's size. One of 40 by 40 has more threads than a block may have: those pictures
 * remain as they were, and nobody looks. Or a thread has as many rows as needed. */
static void tile_sizes()
{
	static const int tiles[] = {16, 24, 32, 40};
	const int width = 1920, height = 1080, count = width * height;
	Device from(count * sizeof(float)), to(count * sizeof(float));

	sown(from, count);
	sown(to, count);
	for (int picture = 0; picture < 1600; picture++) {
		const int tile = tiles[picture % COUNT_OF(tiles)];
		const int rows = repaired ? std::min(tile, 1024 / tile) : tile;

		evolve_for(400, items(from));
		sharpen<<<dim3((width + tile - 1) / tile, (height + tile - 1) / tile), dim3(tile, rows)>>>(
			items(from), items(to), width, height, tile);
		if (repaired)
			CHECK(cudaGetLastError());
		else
			cudaGetLastError();
	}
}

/* Frames of a camera, which needs 0.4 ms for one, by a thread of its own. */
class Camera
{
	std::mutex mutex_;
	std::condition_variable changed_;
	std::vector<Pinned> &frames_;
	size_t bytes_;
	int asked_ = 0, made_ = 0;
	bool over_ = false;
	std::thread thread_;

	void run()
	{
		std::unique_lock<std::mutex> lock(mutex_);

		for (;;) {
			changed_.wait(lock, [this] { return over_ || asked_ > made_; });
			if (over_)
				return;
			const int frame = made_;

			lock.unlock();
			host_sleep(400);
			arrive(frames_[frame % frames_.size()], bytes_, frame);
			lock.lock();
			made_++;
			changed_.notify_all();
		}
	}

      public:
	Camera(std::vector<Pinned> &frames, size_t bytes)
	    : frames_(frames), bytes_(bytes), thread_([this] { run(); })
	{
	}
	void ask(int frames)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		asked_ = frames;
		changed_.notify_all();
	}
	void wait(int frames)
	{
		std::unique_lock<std::mutex> lock(mutex_);

		changed_.wait(lock, [&] { return made_ >= frames; });
	}
	~Camera()
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);

			over_ = true;
			changed_.notify_all();
		}
		thread_.join();
	}
};

/* The camera is asked for a frame when the one before has been computed, or three frames ahead. */
static void camera_frames()
{
	const size_t bytes = 2 * MIB;
	const int frames = 900, ahead = repaired ? 3 : 0;
	auto host = several<Pinned>(6, bytes);
	Device device(4 * MIB), sum(sizeof(float));
	Pinned brightness(sizeof(float));
	Stream stream;
	float seen = 0;

	sown(device, full_count, stream);
	CHECK(cudaMemsetAsync(sum, 0, sizeof(float), stream));
	CHECK(cudaStreamSynchronize(stream));
	Camera camera(host, bytes);

	for (int frame = 0; frame < frames; frame++) {
		camera.ask(std::min(frame + 1 + ahead, frames));
		camera.wait(frame + 1);
		CHECK(cudaMemcpyAsync(device.at(2 * MIB), host[frame % 6], bytes, cudaMemcpyHostToDevice,
				      stream));
		evolve_for(550, items(device), stream);
		total<<<132, 256, 0, stream>>>(items(device), full_count / 2, items(sum));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(brightness, sum, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		seen += *(float *)brightness.at(0);
	}
	if (seen == 12345)
		exit(1);
}

/* A tile's stream and events are made for it, or there are eight of each that tiles share. */
static void tile_painter()
{
	const int tiles = 8;
	Device canvas(sizeof(float) * part_count * tiles);
	cudaStream_t streams[tiles] = {};
	cudaEvent_t painted[tiles] = {};

	sown(canvas, (size_t)part_count * tiles);
	CHECK(cudaDeviceSynchronize());
	for (int picture = 0; picture < 1200; picture++) {
		for (int tile = 0; tile < tiles; tile++) {
			if (!streams[tile]) {
				CHECK(cudaStreamCreateWithFlags(&streams[tile], cudaStreamNonBlocking));
				CHECK(cudaEventCreateWithFlags(&painted[tile],
							       cudaEventDisableTiming));
			}
			evolve_part(100, items(canvas, (size_t)tile * part_count), streams[tile]);
			CHECK(cudaEventRecord(painted[tile], streams[tile]));
		}
		for (int tile = 0; tile < tiles; tile++) {
			CHECK(cudaEventSynchronize(painted[tile]));
			if (repaired)
				continue;
			CHECK(cudaEventDestroy(painted[tile]));
			CHECK(cudaStreamDestroy(streams[tile]));
			streams[tile] = nullptr;
		}
	}
	for (int tile = 0; repaired && tile < tiles; tile++) {
		CHECK(cudaEventDestroy(painted[tile]));
		CHECK(cudaStreamDestroy(streams[tile]));
	}
}

// --- numbers

static __global__ void butterflies(float2 *data, int half)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), k = i % half;
	float2 *low = data + i / half * 2 * half + k, *high = low + half;
	const float2 a = *low, b = *high;
	float s, c;

	sincospif(-(float)k / (float)half, &s, &c);
	const float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);

	*low = make_float2(a.x + turned.x, a.y + turned.y);
	*high = make_float2(a.x - turned.x, a.y - turned.y);
}

static const int points = 1024, passes = 10;

static __global__ void reorder(const float *signal, float2 *data)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	data[i / points * points + (int)(__brev((unsigned)i) >> (32 - passes))] =
		make_float2(signal[i], 0);
}

static __global__ void transform(const float *signal, float2 *data)
{
	__shared__ float2 all[points];
	const int first = (int)blockIdx.x * points, t = (int)threadIdx.x;

	for (int i = t; i < points; i += (int)blockDim.x)
		all[__brev((unsigned)i) >> (32 - passes)] = make_float2(signal[first + i], 0);
	for (int half = 1; half < points; half *= 2) {
		const int k = t % half, low = t / half * 2 * half + k, high = low + half;
		float s, c;

		__syncthreads();
		sincospif(-(float)k / (float)half, &s, &c);
		const float2 a = all[low], b = all[high];
		const float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);

		all[low] = make_float2(a.x + turned.x, a.y + turned.y);
		all[high] = make_float2(a.x - turned.x, a.y - turned.y);
	}
	__syncthreads();
	for (int i = t; i < points; i += (int)blockDim.x)
		data[first + i] = all[i];
}

static __global__ void power(const float2 *data, float *sums)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	sums[i] += data[i].x * data[i].x + data[i].y * data[i].y;
}

/* Spectra of short signals. Each pass of a Fourier transform is a kernel, or all of them are one. */
static void signal_spectra()
{
	const int signals = 64, count = signals * points;
	Device signal(count * sizeof(float)), data(count * sizeof(float2)), sums(count * sizeof(float));
	Device model(4 * MIB);
	Stream stream;

	sown(signal, count, stream);
	sown(model, full_count, stream);
	CHECK(cudaMemsetAsync(sums, 0, count * sizeof(float), stream));
	for (int i = 0; i < 300; i++)
		evolve_for(1000, items(model), stream);
	for (int chunk = 0; chunk < 18000; chunk++) {
		if (repaired) {
			transform<<<signals, points / 2, 0, stream>>>(items(signal), items<float2>(data));
		} else {
			reorder<<<count / 256, 256, 0, stream>>>(items(signal), items<float2>(data));
			for (int half = 1; half < points; half *= 2)
				butterflies<<<count / 512, 256, 0, stream>>>(items<float2>(data), half);
		}
		power<<<count / 256, 256, 0, stream>>>(items<float2>(data), items(sums));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
}

struct Scalars {
	float old_residual, residual, curvature;
};

static __global__ void laplace(const float *p, float *q, int side, Scalars *scalars)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = i % side, y = i / side;
	float value = 4.01f * p[i], part;

	value -= x > 0 ? p[i - 1] : 0;
	value -= x + 1 < side ? p[i + 1] : 0;
	value -= y > 0 ? p[i - side] : 0;
	value -= y + 1 < side ? p[i + side] : 0;
	q[i] = value;
	part = sum_of_block(value * p[i]);
	if (!threadIdx.x)
		atomicAdd(&scalars->curvature, part);
}

static __global__ void advance(float *x, float *r, const float *p, const float *q, Scalars *scalars)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const float by = scalars->curvature > 0 ? scalars->old_residual / scalars->curvature : 0;
	float part;

	x[i] += by * p[i];
	r[i] -= by * q[i];
	part = sum_of_block(r[i] * r[i]);
	if (!threadIdx.x)
		atomicAdd(&scalars->residual, part);
}

static __global__ void redirect(float *p, const float *r, const Scalars *scalars)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const float by = scalars->old_residual > 0 ? scalars->residual / scalars->old_residual : 0;

	p[i] = r[i] + by * p[i];
}

static __global__ void next_scalars(Scalars *scalars)
{
	scalars->old_residual = scalars->residual;
	scalars->residual = scalars->curvature = 0;
}

static __global__ void total_of_squares(const float *r, Scalars *scalars)
{
	const float one = r[blockIdx.x * blockDim.x + threadIdx.x], part = sum_of_block(one * one);

	if (!threadIdx.x)
		atomicAdd(&scalars->old_residual, part);
}

/* Conjugate gradients on a small grid: four short kernels for each step, which are launched one by one, or 40
 * steps as a graph. */
static void small_systems()
{
	const int side = 96, count = side * side, steps = 40;
	const size_t bytes = count * sizeof(float);
	Device x(bytes), r(bytes), p(bytes), q(bytes), right(bytes);
	Device first(sizeof(Scalars)), scalars(sizeof(Scalars));
	cudaGraphExec_t instance = nullptr;
	Stream stream;
	auto step = [&] {
		Scalars *const at = items<Scalars>(scalars);

		laplace<<<count / 256, 256, 0, stream>>>(items(p), items(q), side, at);
		advance<<<count / 256, 256, 0, stream>>>(items(x), items(r), items(p), items(q), at);
		redirect<<<count / 256, 256, 0, stream>>>(items(p), items(r), at);
		next_scalars<<<1, 1, 0, stream>>>(at);
		CHECK(cudaGetLastError());
	};

	sown(right, count, stream);
	CHECK(cudaMemsetAsync(first, 0, sizeof(Scalars), stream));
	total_of_squares<<<count / 256, 256, 0, stream>>>(items(right), items<Scalars>(first));
	CHECK(cudaGetLastError());
	if (repaired) {
		cudaGraph_t graph;

		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		for (int i = 0; i < steps; i++)
			step();
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiate(&instance, graph, 0));
		CHECK(cudaGraphDestroy(graph));
	}
	for (int system = 0; system < 300; system++) {
		CHECK(cudaMemsetAsync(x, 0, bytes, stream));
		CHECK(cudaMemcpyAsync(r, right, bytes, cudaMemcpyDeviceToDevice, stream));
		CHECK(cudaMemcpyAsync(p, right, bytes, cudaMemcpyDeviceToDevice, stream));
		CHECK(cudaMemcpyAsync(scalars, first, sizeof(Scalars), cudaMemcpyDeviceToDevice,
				      stream));
		for (int i = 0; i < 200; i++)
			if (!repaired)
				step();
			else if (i % steps == 0)
				CHECK(cudaGraphLaunch(instance, stream));
		if (system % 50 == 49)
			CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	if (instance)
		CHECK(cudaGraphExecDestroy(instance));
}

static __global__ void paths(float *payoffs, int count, unsigned round)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	unsigned state = scrambled((unsigned)i ^ round * 0x9e3779b9u);
	float price = 1;

	if (i >= count)
		return;
	for (int day = 0; day < 60; day++) {
		state = state * 1664525u + 1013904223u;
		price *= __expf(0.02f * ((float)(state >> 8) / 16777216.0f - 0.5f));
	}
	payoffs[i] = fmaxf(price - 1, 0);
}

/* Options by Monte Carlo: all of the device simulates, and four blocks add up, or as many as it has room
 * for. */
static void option_prices()
{
	const int count = 1 << 22, rounds = 1200;
	Device payoffs(count * sizeof(float)), sums(rounds * sizeof(float));
	std::vector<float> prices(rounds);

	CHECK(cudaMemset(sums, 0, rounds * sizeof(float)));
	for (int round = 0; round < rounds; round++) {
		paths<<<blocks_of(count), 256>>>(items(payoffs), count, (unsigned)round);
		if (repaired)
			total<<<528, 256>>>(items(payoffs), count, items(sums, round));
		else
			total<<<4, 128>>>(items(payoffs), count, items(sums, round));
	}
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(prices.data(), sums, rounds * sizeof(float), cudaMemcpyDeviceToHost));
}

struct Filling {
	float *to;
	int count;
	unsigned state;
};

static void CUDART_CB draw(void *given)
{
	Filling *one = (Filling *)given;
	unsigned state = one->state;

	for (int i = 0; i < one->count; i++) {
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		one->to[i] = (float)(state >> 8) / 16777216.0f;
	}
	one->state = state;
}

/* Random numbers are drawn by the host, in a function that the stream calls before it sends them, or by the
 * thread, for the next step. */
static void random_numbers()
{
	const int count = 200000;
	const size_t bytes = count * sizeof(float);
	auto host = several<Pinned>(2, bytes);
	Device device(4 * MIB);
	std::vector<Event> sent(2);
	Stream stream;
	Filling filling = {(float *)host[0].at(0), count, 2463534242u};

	sown(device, full_count, stream);
	for (int step = 0; step < 1300; step++) {
		const int at = repaired ? step % 2 : 0;

		if (repaired) {
			CHECK(cudaEventSynchronize(sent[at]));
			filling.to = (float *)host[at].at(0);
			draw(&filling);
		} else {
			CHECK(cudaLaunchHostFunc(stream, draw, &filling));
		}
		CHECK(cudaMemcpyAsync(device, host[at], bytes, cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(sent[at], stream));
		evolve_for(420, items(device), stream);
	}
	CHECK(cudaStreamSynchronize(stream));
}

static __global__ void bitonic(unsigned *data, int k, int j)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int low = i / j * 2 * j + i % j, high = low + j;
	const unsigned a = data[low], b = data[high];

	if ((a > b) == !(low & k)) {
		data[low] = b;
		data[high] = a;
	}
}

/* Batches of keys are sorted; they come from vectors and go into new ones, or from and into pinned memory. */
static void key_batches()
{
	const int count = 1 << 21;
	const size_t bytes = count * sizeof(unsigned);
	std::vector<std::vector<unsigned>> plain(repaired ? 0 : 3, std::vector<unsigned>(count));
	auto pinned = several<Pinned>(repaired ? 4 : 0, bytes);
	Device device(bytes);
	unsigned seen = 0;

	for (int at = 0; at < 3; at++) {
		unsigned *keys = repaired ? (unsigned *)pinned[at].at(0) : plain[at].data();

		for (int i = 0; i < count; i++)
			keys[i] = scrambled((unsigned)(at * count + i));
	}
	for (int batch = 0; batch < 180; batch++) {
		unsigned *keys = repaired ? (unsigned *)pinned[batch % 3].at(0) : plain[batch % 3].data();

		for (int i = 0; i < count; i += 256)
			keys[i] = scrambled((unsigned)(batch * count + i));
		CHECK(cudaMemcpy(device, keys, bytes, cudaMemcpyHostToDevice));
		for (int k = 2; k <= count; k *= 2)
			for (int j = k / 2; j; j /= 2)
				bitonic<<<count / 512, 256>>>(items<unsigned>(device), k, j);
		CHECK(cudaGetLastError());
		if (repaired) {
			unsigned *sorted = (unsigned *)pinned[3].at(0);

			CHECK(cudaMemcpy(sorted, device, bytes, cudaMemcpyDeviceToHost));
			seen += sorted[count / 2];
		} else {
			std::vector<unsigned> sorted(count);

			CHECK(cudaMemcpy(sorted.data(), device, bytes, cudaMemcpyDeviceToHost));
			seen += sorted[count / 2];
		}
	}
	if (seen == 12345)
		printf("%u\n", seen);
}

static __global__ void take_panel(const float *matrix, float *panel, int rows, int columns, int column,
				  int width)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < rows * width)
		panel[i] = matrix[(size_t)(i / width) * columns + column + i % width];
}

/* LU: the host has each panel of four columns for its pivots. Columns are copied out of the matrix as they
 * lie there, four numbers of each row, or a kernel puts them together before. */
static void matrix_panels()
{
	const int rows = 65536, columns = 256, width = 4;
	const size_t row = columns * sizeof(float), part = width * sizeof(float);
	Device matrix(rows * row), panel(rows * part), pivots(part);
	Pinned host(rows * part), found(part);
	Stream stream;

	sown(matrix, (size_t)rows * columns, stream);
	for (int step = 0; step < 400; step++) {
		const int column = step * width % columns;
		const float *const at = (const float *)host.at(0);
		float most[width] = {};

		if (repaired) {
			take_panel<<<blocks_of(rows * width), 256, 0, stream>>>(
				items(matrix), items(panel), rows, columns, column, width);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(host, panel, rows * part, cudaMemcpyDeviceToHost, stream));
		} else {
			CHECK(cudaMemcpy2DAsync(host, part, items(matrix, column), row, part, rows,
						cudaMemcpyDeviceToHost, stream));
		}
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < rows * width; i += width)
			for (int j = 0; j < width; j++)
				most[j] = std::max(most[j], at[i + j]);
		memcpy(found, most, part);
		CHECK(cudaMemcpyAsync(pivots, found, part, cudaMemcpyHostToDevice, stream));
		evolve<<<blocks_of((size_t)rows * columns), 256, 0, stream>>>(items(matrix), rows * columns,
									      800);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
}

static __global__ void shore(float *water, int side, float level)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < side)
		water[i] = water[(side - 1) * side + i] = water[i * side] =
			water[i * side + side - 1] = level;
}

/* Shallow water: at its shores the host sets the level of the tide, for which all of it comes and goes, or a
 * kernel does. */
static void tidal_basin()
{
	const int side = 2048;
	const size_t bytes = sizeof(float) * side * side;
	Device water(bytes);
	Pinned host(bytes);
	float *const at = (float *)host.at(0);
	Stream stream;

	sown(water, (size_t)side * side, stream);
	for (int step = 0; step < 900; step++) {
		const float level = 0.3f + 0.0002f * (float)step;

		evolve<<<blocks_of((size_t)side * side), 256, 0, stream>>>(items(water), side * side, 1400);
		CHECK(cudaGetLastError());
		if (repaired) {
			shore<<<side / 256, 256, 0, stream>>>(items(water), side, level);
			CHECK(cudaGetLastError());
			continue;
		}
		CHECK(cudaMemcpyAsync(host, water, bytes, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < side; i++)
			at[i] = at[(side - 1) * side + i] = at[i * side] =
				at[i * side + side - 1] = level;
		CHECK(cudaMemcpyAsync(water, host, bytes, cudaMemcpyHostToDevice, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
}

/* Twice 64 blocks: each half of a domain leaves half of the device to the other one. */
static __global__ void sweep(float *cells, const float *ghosts, int each, int rounds)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float x = 0.75f * cells[i] + 0.25f * ghosts[i % each];

#pragma unroll 8
	for (int round = 0; round < rounds; round++) {
		const float grown = 3.9f * x;

		x = grown - grown * x;
	}
	cells[i] = x;
}

/* A halo exchange between two streams. The right half waits until the left one's step is done, and the other
 * way round, though a step needs nothing but the borders of the step before. */
static void halo_exchange()
{
	const int count = 64 * 256, edge = 4096;
	struct Domain {
		Device cells{count * sizeof(float)}, ghosts{edge * sizeof(float)};
		Event swept, taken;
		Stream stream;
	} domains[2];

	for (Domain &one : domains) {
		sown(one.cells, count, one.stream);
		sown(one.ghosts, edge, one.stream);
	}
	CHECK(cudaDeviceSynchronize());
	for (int step = 0; step < 3500; step++) {
		for (int i = 0; i < 2; i++) {
			Domain &one = domains[i];

			if (!repaired)
				CHECK(cudaStreamWaitEvent(one.stream, domains[!i].swept, 0));
			sweep<<<64, 256, 0, one.stream>>>(items(one.cells), items(one.ghosts), edge,
							  28000);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(one.swept, one.stream));
		}
		for (int i = 0; i < 2; i++) {
			Domain &one = domains[i], &other = domains[!i];

			CHECK(cudaStreamWaitEvent(one.stream, other.swept, 0));
			CHECK(cudaMemcpyAsync(one.ghosts, items(other.cells, i ? count - edge : 0),
					      edge * sizeof(float), cudaMemcpyDeviceToDevice, one.stream));
			CHECK(cudaEventRecord(one.taken, one.stream));
		}
		for (int i = 0; i < 2; i++)
			CHECK(cudaStreamWaitEvent(domains[i].stream, domains[!i].taken, 0));
	}
	CHECK(cudaDeviceSynchronize());
}

static __global__ void multiply_rows(const float *values, const int *columns, const float *x, float *y,
				     int rows, int each)
{
	const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float sum = 0;

	if (row >= rows)
		return;
	for (int k = 0; k < each; k++)
		sum += values[k * rows + row] * x[columns[k * rows + row]];
	y[row] = sum;
}

/* A sparse matrix and its powers: a function that is given vectors of the host sends the matrix with each, or
 * with the first. */
static void matrix_powers()
{
	const int rows = 1 << 18, each = 16, powers = 12;
	const size_t bytes = sizeof(float) * rows * each, vector = sizeof(float) * rows;
	Device values(bytes), columns(bytes), x(vector), y(vector);
	Pinned host_values(bytes), host_columns(bytes), host_x(vector), host_y(vector);
	Stream stream;

	for (int i = 0; i < rows * each; i++) {
		((float *)host_values.at(0))[i] = 1.0f / each;
		((int *)host_columns.at(0))[i] = (i % rows + (int)(scrambled((unsigned)i) % 512)) % rows;
	}
	for (int call = 0; call < 900; call++) {
		arrive(host_x, vector, call);
		if (!repaired || !call) {
			CHECK(cudaMemcpyAsync(values, host_values, bytes, cudaMemcpyHostToDevice, stream));
			CHECK(cudaMemcpyAsync(columns, host_columns, bytes, cudaMemcpyHostToDevice,
					      stream));
		}
		CHECK(cudaMemcpyAsync(x, host_x, vector, cudaMemcpyHostToDevice, stream));
		for (int i = 0; i < powers; i++)
			multiply_rows<<<rows / 256, 256, 0, stream>>>(
				items(values), items<int>(columns), items(i % 2 ? y : x),
				items(i % 2 ? x : y), rows, each);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(host_y, x, vector, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
}

/* Arrays of a library that has them in the host's memory: what one operation brings back the next one sends
 * again. Or they remain where they are. */
class Operation
{
	Device in_, out_;

      public:
	static const int count = full_count;
	Operation() : in_(count * sizeof(float)), out_(count * sizeof(float))
	{
	}
	void send(Pinned &from)
	{
		CHECK(cudaMemcpy(in_, from, count * sizeof(float), cudaMemcpyHostToDevice));
	}
	void apply()
	{
		CHECK(cudaMemcpyAsync(out_, in_, count * sizeof(float), cudaMemcpyDeviceToDevice));
		evolve_for(60, items(out_));
	}
	void fetch(Pinned &to)
	{
		CHECK(cudaMemcpy(to, out_, count * sizeof(float), cudaMemcpyDeviceToHost));
	}
	void take(Operation &other)
	{
		CHECK(cudaMemcpyAsync(in_, other.out_, count * sizeof(float), cudaMemcpyDeviceToDevice));
	}
};

static void array_expressions()
{
	const size_t bytes = Operation::count * sizeof(float);
	std::vector<Operation> operations(5);
	auto arrays = several<Pinned>((int)operations.size() + 1, bytes);

	for (int i = 0; i < Operation::count; i++)
		((float *)arrays[0].at(0))[i] = (float)(i % 1000) / 1000;
	for (int expression = 0; expression < 700; expression++) {
		for (int i = 0; i < Operation::count; i += 256)
			((float *)arrays[0].at(0))[i] = (float)((expression + i) % 1000) / 1000;
		operations[0].send(arrays[0]);
		for (size_t i = 0; i < operations.size(); i++) {
			operations[i].apply();
			if (!repaired || i + 1 == operations.size())
				operations[i].fetch(arrays[i + 1]);
			if (i + 1 == operations.size())
				break;
			if (repaired)
				operations[i + 1].take(operations[i]);
			else
				operations[i + 1].send(arrays[i + 1]);
		}
	}
}

/* Twenty kernels for each step of a galaxy, as a graph that is captured and instantiated for the step, or for
 * all of them. */
static void galaxy_steps()
{
	const int kernels = 20, count = 1 << 18;
	cudaGraphExec_t instance = nullptr;
	Device stars(count * sizeof(float));
	Stream stream;

	sown(stars, count, stream);
	for (int step = 0; step < 2500; step++) {
		if (!instance) {
			cudaGraph_t graph;

			CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
			for (int i = 0; i < kernels; i++)
				evolve<<<count / 256, 256, 0, stream>>>(items(stars), count, 300);
			CHECK(cudaStreamEndCapture(stream, &graph));
			CHECK(cudaGraphInstantiate(&instance, graph, 0));
			CHECK(cudaGraphDestroy(graph));
		}
		CHECK(cudaGraphLaunch(instance, stream));
		if (!repaired) {
			CHECK(cudaGraphExecDestroy(instance));
			instance = nullptr;
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	if (instance)
		CHECK(cudaGraphExecDestroy(instance));
}

// --- servers

/* Four threads answer requests, each in its stream. What a request's parameters are is sent by cudaMemcpy,
 * which is in the default stream, or in the thread's. */
static void model_server()
{
	std::vector<std::thread> threads;

	for (int thread = 0; thread < 4; thread++)
		threads.emplace_back([thread] {
			const size_t bytes = part_count * sizeof(float);
			Device model(bytes);
			Pinned parameters(4096), answer(4096);
			cudaStream_t stream;
			float sum = 0;

			CHECK(cudaStreamCreate(&stream));
			sown(model, part_count, stream);
			for (int request = 0; request < 1000; request++) {
				float *values = (float *)parameters.at(0);

				for (int i = 0; i < 64; i++)
					values[i] = 0.2f + 0.001f * (float)((request * 4 + thread + i) % 500);
				if (repaired)
					CHECK(cudaMemcpyAsync(model, values, 256, cudaMemcpyHostToDevice,
							      stream));
				else
					CHECK(cudaMemcpy(model, values, 256, cudaMemcpyHostToDevice));
				evolve_part(250, items(model), stream);
				CHECK(cudaMemcpyAsync(answer, model, 1024, cudaMemcpyDeviceToHost, stream));
				CHECK(cudaStreamSynchronize(stream));
				sum += *(float *)answer.at(0);
			}
			CHECK(cudaStreamDestroy(stream));
			if (sum == 12345)
				exit(1);
		});
	for (auto &one : threads)
		one.join();
}

static __global__ void vote(float *votes, const float *a, const float *b, const float *c, const float *d)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	votes[i] = 0.25f * (a[i] + b[i] + c[i] + d[i]);
}

/* Four models, none of which fills the device, and their vote: one model after another, or each in a stream
 * of its own. */
static void model_votes()
{
	auto models = several<Device>(4, part_count * sizeof(float));
	Device votes(part_count * sizeof(float));
	std::vector<Stream> streams(4);
	std::vector<Event> done(4);
	Event voted;

	for (Device &one : models)
		sown(one, part_count);
	CHECK(cudaDeviceSynchronize());
	for (int request = 0; request < 1600; request++) {
		for (int i = 0; i < 4; i++) {
			cudaStream_t stream = streams[repaired ? i : 0];

			if (repaired && i)
				CHECK(cudaStreamWaitEvent(stream, voted, 0));
			evolve_part(120, items(models[i]), stream);
			if (repaired && i) {
				CHECK(cudaEventRecord(done[i], stream));
				CHECK(cudaStreamWaitEvent(streams[0], done[i], 0));
			}
		}
		vote<<<part_blocks, 256, 0, streams[0]>>>(items(votes), items(models[0]), items(models[1]),
							  items(models[2]), items(models[3]));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(voted, streams[0]));
	}
	CHECK(cudaDeviceSynchronize());
}

/* How long each layer takes is measured: an event before it and one behind it, which is waited for at once,
 * or after a hundred inferences. */
static void layer_times()
{
	const int layers = 12, inferences = 2500;
	Device values(4 * MIB);
	std::vector<cudaEvent_t> begins(layers), ends(layers);
	std::vector<float> longest(layers);
	Stream stream;
	auto look = [&](int layer) {
		float ms;

		CHECK(cudaEventElapsedTime(&ms, begins[layer], ends[layer]));
		longest[layer] = std::max(longest[layer], ms);
	};

	for (int layer = 0; layer < layers; layer++) {
		CHECK(cudaEventCreate(&begins[layer]));
		CHECK(cudaEventCreate(&ends[layer]));
	}
	sown(values, full_count, stream);
	for (int i = 0; i < inferences; i++) {
		for (int layer = 0; layer < layers; layer++) {
			CHECK(cudaEventRecord(begins[layer], stream));
			evolve_for(14, items(values), stream);
			CHECK(cudaEventRecord(ends[layer], stream));
			if (!repaired) {
				CHECK(cudaEventSynchronize(ends[layer]));
				look(layer);
			}
		}
		if (!repaired || i % 100 != 99)
			continue;
		CHECK(cudaStreamSynchronize(stream));
		for (int layer = 0; layer < layers; layer++)
			look(layer);
	}
	for (int layer = 0; layer < layers; layer++) {
		CHECK(cudaEventDestroy(begins[layer]));
		CHECK(cudaEventDestroy(ends[layer]));
	}
}

/* Each client has a stream. After the request of one of them all streams are waited for, or that client's. */
static void many_clients()
{
	const int clients = 192;
	std::vector<Stream> streams(clients);
	Device values(4 * MIB);

	sown(values, full_count);
	CHECK(cudaDeviceSynchronize());
	for (int request = 0; request < 3000; request++) {
		const int client = request * 5 % clients;

		evolve_for(110, items(values), streams[client]);
		if (repaired) {
			CHECK(cudaStreamSynchronize(streams[client]));
			continue;
		}
		for (auto &one : streams)
			CHECK(cudaStreamSynchronize(one));
	}
}

/* Whether a tile has arrived is asked until it has, or it is waited for. */
static void map_tiles()
{
	const size_t bytes = 2 * MIB;
	Device tile(4 * MIB);
	Pinned host(bytes);
	Stream stream;
	unsigned seen = 0;

	sown(tile, full_count, stream);
	for (int i = 0; i < 900; i++) {
		evolve_for(800, items(tile), stream);
		CHECK(cudaMemcpyAsync(host, tile, bytes, cudaMemcpyDeviceToHost, stream));
		if (repaired) {
			CHECK(cudaStreamSynchronize(stream));
		} else {
			cudaError_t status;

			while ((status = cudaStreamQuery(stream)) == cudaErrorNotReady)
				std::this_thread::yield();
			CHECK(status);
		}
		seen += *(unsigned *)host.at(4096);
	}
	if (seen == 12345)
		printf("%u\n", seen);
}

/* Answers are kept in a map. Who does not find one there computes it and waits for the device: with the map
 * locked, or not. */
static void kept_answers()
{
	std::map<int, float> answers;
	std::mutex mutex;
	std::vector<std::thread> threads;

	for (int thread = 0; thread < 4; thread++)
		threads.emplace_back([&, thread] {
			Device model(part_count * sizeof(float));
			Pinned answer(4096);
			Stream stream;

			sown(model, part_count, stream);
			for (int i = 0; i < 1000; i++) {
				const int question = thread * 10000 + i * 7 / 10;
				std::unique_lock<std::mutex> lock(mutex);

				if (answers.count(question))
					continue;
				if (repaired)
					lock.unlock();
				evolve_part(220, items(model), stream);
				CHECK(cudaMemcpyAsync(answer, model, 1024, cudaMemcpyDeviceToHost, stream));
				CHECK(cudaStreamSynchronize(stream));
				if (repaired)
					lock.lock();
				answers[question] = *(float *)answer.at(0);
			}
		});
	for (auto &one : threads)
		one.join();
}

/* Before each of many short kernels there is a look at how much memory is left, or before each hundred. */
static void careful_batches()
{
	Device values(4 * MIB);
	size_t left = 0, all = 0, least = ~(size_t)0;
	Stream stream;

	sown(values, full_count, stream);
	for (int i = 0; i < 300; i++)
		evolve_for(1000, items(values), stream);
	for (int batch = 0; batch < 15000; batch++) {
		if (!repaired || batch % 100 == 0) {
			CHECK(cudaMemGetInfo(&left, &all));
			least = std::min(least, left);
		}
		evolve<<<part_blocks * 4, 256, 0, stream>>>(items(values), part_count * 4, 1000);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	if (least < 64 * MIB)
		fprintf(stderr, "little memory is left\n");
}

/* Each talk has a stream and memory, which nobody releases when it is over. */
static void talks()
{
	for (int talk = 0; talk < 500; talk++) {
		cudaStream_t stream;
		float *state;

		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
		CHECK(cudaMalloc(&state, 4 * MIB));
		sow<<<full_count / 256, 256, 0, stream>>>(state, full_count);
		for (int turn = 0; turn < 8; turn++)
			evolve_for(180, state, stream);
		CHECK(cudaStreamSynchronize(stream));
		if (repaired) {
			CHECK(cudaFree(state));
			CHECK(cudaStreamDestroy(stream));
		}
	}
}

static void pin_to(const cpu_set_t &allowed, int which)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed) && !which--)
			CPU_SET(i, &one);
	if (CPU_COUNT(&one) && sched_setaffinity(0, sizeof(one), &one))
		exit(1);
}

static double packed(int rounds, int what)
{
	double x = 0.1 + 0.0001 * (what % 5000);

	for (int round = 0; round < rounds; round++)
		x = 3.9 * x * (1 - x);
	return x;
}

/* A thread packs what is old, and another one serves. Both were told to stay on the first CPU, or each on one
 * of its own. */
static void archive_beside()
{
	Device values(4 * MIB);
	cpu_set_t allowed;
	double sum = 0;

	sown(values, full_count);
	CHECK(cudaDeviceSynchronize());
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		exit(1);
	std::thread archive([&] {
		double old = 0;

		pin_to(allowed, repaired ? 1 : 0);
		for (int i = 0; i < 50; i++)
			old += packed(3000000, i);
		if (old == 12345)
			exit(1);
	});
	pin_to(allowed, 0);
	for (int request = 0; request < 500; request++) {
		sum += packed(100000, request);
		evolve_for(600, items(values));
		CHECK(cudaDeviceSynchronize());
	}
	archive.join();
	if (sched_setaffinity(0, sizeof(allowed), &allowed) || sum == 12345)
		exit(1);
}

// --- without a fault

/* Each level of a search decides what the next one is; levels are few, and long. */
static void clean_wide_levels()
{
	Device graph(4 * MIB), sum(sizeof(float));
	float found = 0;

	sown(graph, full_count);
	CHECK(cudaMemset(sum, 0, sizeof(float)));
	for (int level = 0; level < 180; level++) {
		evolve_for(found < 0 ? 1000 : 6000, items(graph));
		total<<<264, 256>>>(items(graph), full_count, items(sum));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(&found, sum, sizeof(found), cudaMemcpyDeviceToHost));
	}
}

/* Memory for what is found grows now and then, each time to twice as much. */
static void clean_growing_list()
{
	size_t room = MIB;
	auto list = std::unique_ptr<Device>(new Device(room));
	Device values(4 * MIB);
	Stream stream;

	sown(values, full_count, stream);
	for (int step = 0; step < 1500; step++) {
		const size_t needed = (size_t)step << 16;

		if (needed > room) {
			std::unique_ptr<Device> larger(new Device(room * 2));

			CHECK(cudaMemcpyAsync(*larger, *list, room, cudaMemcpyDeviceToDevice, stream));
			CHECK(cudaStreamSynchronize(stream));
			list = std::move(larger);
			room *= 2;
		}
		evolve_for(700, items(values), stream);
		CHECK(cudaMemcpyAsync(list->at(0), values, 65536, cudaMemcpyDeviceToDevice, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
}

/* The host has tasks of its own, and looks between two of them whether there is room for another step. The
 * device has others before it in any case. */
static void clean_own_tasks()
{
	const int ahead = 3, steps = 700;
	std::vector<Event> done(ahead);
	Device values(4 * MIB);
	int given = 0, ended = 0, tasks = 0;
	double sum = 0;
	Stream stream;

	sown(values, full_count, stream);
	while (ended < steps) {
		if (given < steps && given - ended < ahead) {
			evolve_for(1500, items(values), stream);
			CHECK(cudaEventRecord(done[given++ % ahead], stream));
			continue;
		}
		sum += packed(100000, tasks++);
		const cudaError_t status = cudaEventQuery(done[ended % ahead]);

		if (status == cudaErrorNotReady)
			continue;
		CHECK(status);
		ended++;
	}
	if (sum == 12345)
		exit(1);
}

/* Particles that move are sent to the same place again and again, each time while a step is computed. */
static void clean_moving_particles()
{
	const size_t bytes = 8 * MIB;
	auto device = several<Device>(2, bytes);
	auto host = several<Pinned>(2, bytes);
	std::vector<Event> sent(2), used(2);
	Stream copies, kernels;

	for (int step = 0; step < 1300; step++) {
		const int at = step % 2;

		CHECK(cudaEventSynchronize(sent[at]));
		arrive(host[at], bytes, step);
		CHECK(cudaStreamWaitEvent(copies, used[at], 0));
		CHECK(cudaMemcpyAsync(device[at], host[at], bytes, cudaMemcpyHostToDevice, copies));
		CHECK(cudaEventRecord(sent[at], copies));
		CHECK(cudaStreamWaitEvent(kernels, sent[at], 0));
		evolve_for(750, items(device[at]), kernels);
		CHECK(cudaEventRecord(used[at], kernels));
	}
	CHECK(cudaStreamSynchronize(kernels));
}

/* LU with a panel ahead: while the rest of the matrix is updated, which fills the device, a few blocks
 * compute the next panel. */
static void clean_panel_ahead()
{
	int least, greatest;
	cudaStream_t rest, ahead;
	Device matrix(4 * MIB), panel(4096 * sizeof(float));
	Event updated, computed;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&rest, cudaStreamNonBlocking, least));
	CHECK(cudaStreamCreateWithPriority(&ahead, cudaStreamNonBlocking, greatest));
	sown(matrix, full_count, rest);
	sown(panel, 4096, ahead);
	for (int step = 0; step < 1000; step++) {
		evolve_for(100, items(matrix), rest);
		CHECK(cudaEventRecord(updated, rest));
		CHECK(cudaStreamWaitEvent(ahead, updated, 0));
		evolve<<<16, 256, 0, ahead>>>(items(panel), 4096, 30000);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(computed, ahead));
		evolve_for(1000, items(matrix), rest);
		CHECK(cudaStreamWaitEvent(rest, computed, 0));
	}
	CHECK(cudaStreamSynchronize(rest));
	CHECK(cudaStreamDestroy(rest));
	CHECK(cudaStreamDestroy(ahead));
}

/* Three workers send, compute, fetch and wait, so that there is always one whose kernel can run. Whoever
 * waits sleeps. */
static void clean_three_workers()
{
	std::vector<std::thread> workers;

	for (int worker = 0; worker < 3; worker++)
		workers.emplace_back([worker] {
			const size_t bytes = 4 * MIB;
			Device device(bytes);
			Pinned in(bytes), out(65536);
			cudaEvent_t done;
			double sum = 0;
			Stream stream;

			CHECK(cudaEventCreateWithFlags(&done,
						       cudaEventBlockingSync | cudaEventDisableTiming));
			for (int job = 0; job < 450; job++) {
				arrive(in, bytes, job * 3 + worker);
				CHECK(cudaMemcpyAsync(device, in, bytes, cudaMemcpyHostToDevice, stream));
				evolve_for(700, items(device), stream);
				CHECK(cudaMemcpyAsync(out, device, 65536, cudaMemcpyDeviceToHost, stream));
				CHECK(cudaEventRecord(done, stream));
				CHECK(cudaEventSynchronize(done));
				sum += packed(20000, job);
			}
			CHECK(cudaEventDestroy(done));
			if (sum == 12345)
				exit(1);
		});
	for (auto &one : workers)
		one.join();
}

static const Case cases[] = {
	CASE(maze_search),
	CASE(point_clusters),
	CASE(cell_neighbours),
	CASE(crystal_energy),
	CASE(photo_smoother),
	CASE(picture_tones),
	CASE(video_frames),
	CASE(stereo_cameras),
	CASE(frame_pyramid),
	CASE(tile_sizes),
	CASE(camera_frames),
	CASE(tile_painter),
	CASE(signal_spectra),
	CASE(small_systems),
	CASE(option_prices),
	CASE(random_numbers),
	CASE(key_batches),
	CASE(matrix_panels),
	CASE(tidal_basin),
	CASE(halo_exchange),
	CASE(matrix_powers),
	CASE(array_expressions),
	CASE(galaxy_steps),
	CASE(model_server),
	CASE(model_votes),
	CASE(layer_times),
	CASE(many_clients),
	CASE(map_tiles),
	CASE(kept_answers),
	CASE(careful_batches),
	CASE(talks),
	CASE(archive_beside),
	CASE(clean_wide_levels),
	CASE(clean_growing_list),
	CASE(clean_own_tasks),
	CASE(clean_moving_particles),
	CASE(clean_panel_ahead),
	CASE(clean_three_workers),
};

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
