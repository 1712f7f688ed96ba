// SPDX-License-Identifier: MIT
// liveries CASE [repaired]: applications that drive the device by many parts of the API, with one
// fault each; those named clean_* have none. Each prints an answer that is the same with and
// without the fault.
#include <condition_variable>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cases.h"
#include "faults.h"

namespace
{
#define DRIVER(call)                                                                        \
	do {                                                                                \
		const CUresult failed_ = (call);                                            \
		if (failed_ != CUDA_SUCCESS) {                                              \
			fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, \
				(int)failed_);                                              \
			exit(1);                                                            \
		}                                                                           \
	} while (0)

// One element for each thread that an H100 holds.
constexpr int CELLS = 132 * 8 * 256;
constexpr size_t CELL_BYTES = CELLS * sizeof(float);
// A field of 16 MiB.
constexpr int FIELD = 4 << 20;
constexpr size_t FIELD_BYTES = FIELD * sizeof(float);
constexpr int WHOLE = 132 * 8;

// Rounds of settle() that keep the whole device at work on so many elements for so long.
constexpr int rounds_of(int us, int count = CELLS)
{
	return (int)((long long)us * 110 * CELLS / count);
}

// The same where few warps wait for each of their instructions.
constexpr int few_rounds_of(int us)
{
	return us * 420;
}

__host__ __device__ unsigned scrambled(unsigned word)
{
	word ^= word >> 16;
	word *= 0x85ebca6bU;
	word ^= word >> 13;
	word *= 0xc2b2ae35U;
	return word ^ (word >> 16);
}

// From -1 to 1.
__host__ __device__ float signed_unit(unsigned word)
{
	return (float)(int)word * 4.65661287e-10f;
}

// Bounded, and each round needs the one before.
__device__ float settle(float x, int rounds)
{
#pragma unroll 16
	for (int round = 0; round < rounds; round++)
		x = fmaf(-x, x, 1.7f);
	return x;
}

__device__ int own()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int stride()
{
	return (int)(gridDim.x * blockDim.x);
}

__global__ void sow(float *data, int count, unsigned salt)
{
	for (int i = own(); i < count; i += stride())
		data[i] = signed_unit(scrambled((unsigned)i + salt * 0x9e3779b9U));
}

#define EACH_CELL(name)                                          \
	__global__ void name(float *data, int count, int rounds) \
	{                                                        \
		for (int i = own(); i < count; i += stride())    \
			data[i] = settle(data[i], rounds);       \
	}

// Words of the host's, of which there may be fewer than of the data.
#define EACH_WORD(name)                                                                            \
	__global__ void name(const unsigned *words, int length, float *data, int count,            \
			     int rounds)                                                           \
	{                                                                                          \
		for (int i = own(); i < count; i += stride())                                      \
			data[i] = settle(0.5f * data[i] +                                          \
						 0.5f * signed_unit(scrambled(words[i % length])), \
					 rounds);                                                  \
	}

// The text of a kernel (data, count, turns), which the driver compiles; a turn is so many terms.
std::string text_of(const std::string &name, int terms = 16)
{
	std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry " +
			   name +
			   "(.param .u64 data, .param .u32 count, .param .u32 turns)\n{\n"
			   ".reg .pred %p<3>;\n.reg .f32 %f<4>;\n.reg .b32 %r<7>;\n"
			   ".reg .b64 %d<4>;\n"
			   "ld.param.u64 %d1, [data];\nld.param.u32 %r1, [count];\n"
			   "ld.param.u32 %r2, [turns];\nmov.u32 %r3, %ctaid.x;\n"
			   "mov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"
			   "mad.lo.s32 %r6, %r3, %r4, %r5;\nsetp.ge.s32 %p1, %r6, %r1;\n"
			   "@%p1 bra DONE;\ncvta.to.global.u64 %d1, %d1;\n"
			   "mul.wide.s32 %d2, %r6, 4;\nadd.s64 %d3, %d1, %d2;\n"
			   "ld.global.f32 %f1, [%d3];\nmov.f32 %f3, 0f3FD9999A;\n"
			   "LOOP:\nsetp.eq.s32 %p2, %r2, 0;\n@%p2 bra OUT;\n";

	for (int term = 0; term < terms; term++)
		text += "neg.f32 %f2, %f1;\nfma.rn.f32 %f1, %f2, %f1, %f3;\n";
	return text + "sub.s32 %r2, %r2, 1;\nbra LOOP;\nOUT:\nst.global.f32 [%d3], %f1;\n"
		      "DONE:\nret;\n}\n";
}

class Program
{
	CUmodule module_;
	CUfunction function_;

      public:
	Program(const std::string &name, int terms = 16)
	{
		DRIVER(cuModuleLoadData(&module_, text_of(name, terms).c_str()));
		DRIVER(cuModuleGetFunction(&function_, module_, name.c_str()));
	}
	Program(const Program &) = delete;
	~Program()
	{
		DRIVER(cuModuleUnload(module_));
	}
	void launch(CUdeviceptr data, int count, int turns, CUstream stream)
	{
		void *parameters[] = {&data, &count, &turns};

		DRIVER(cuLaunchKernel(function_, (unsigned)blocks_of((size_t)count), 1, 1, 256, 1,
				      1, 0, stream, parameters, nullptr));
	}
};

uint64_t digest_of(const void *bytes, size_t count, uint64_t digest = 1469598103934665603ULL)
{
	for (size_t i = 0; i < count; i++)
		digest = (digest ^ ((const unsigned char *)bytes)[i]) * 1099511628211ULL;
	return digest;
}

void say(uint64_t digest)
{
	printf("answer %016llx\n", (unsigned long long)digest);
}

// What is on the device at the end.
void say_of(const void *data, size_t bytes = CELL_BYTES)
{
	std::vector<char> seen(bytes);

	CHECK(cudaMemcpy(seen.data(), data, bytes, cudaMemcpyDeviceToHost));
	say(digest_of(seen.data(), bytes));
}

float *floats(Device &device)
{
	return (float *)(void *)device;
}

CUdeviceptr address(Device &device)
{
	return (CUdeviceptr)(void *)device;
}

// A sonar's echoes go through a filter for each ping, with the driver's API.
void sonar_pings()
{
	CUstream stream;
	CUdeviceptr beam;

	CHECK(cudaFree(nullptr));
	Program filter("echo_filter");
	DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	DRIVER(cuMemAlloc(&beam, CELL_BYTES));
	DRIVER(cuMemsetD32Async(beam, 0x3e99999aU, CELLS, stream));
	for (int ping = 0; ping < 15000; ping++) {
		filter.launch(beam, CELLS, 7 * 8, stream);
		if (!repaired)
			DRIVER(cuStreamSynchronize(stream));
	}
	DRIVER(cuStreamSynchronize(stream));
	say_of((void *)beam);
	DRIVER(cuMemFree(beam));
	DRIVER(cuStreamDestroy(stream));
}

EACH_CELL(conduct)
EACH_CELL(radiate)

// Heat in a wall; how long the stages take is watched.
void wall_heat()
{
	cudaStream_t stream;
	cudaEvent_t from, to;
	float ms, all = 0;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	Device wall(CELL_BYTES);
	sow<<<WHOLE, 256, 0, stream>>>(floats(wall), CELLS, 2);
	if (repaired)
		CHECK(cudaEventRecord(from, stream));
	for (int step = 0; step < 12000; step++) {
		if (!repaired)
			CHECK(cudaEventRecord(from, stream));
		if (step % 2)
			radiate<<<WHOLE, 256, 0, stream>>>(floats(wall), CELLS, rounds_of(7));
		else
			conduct<<<WHOLE, 256, 0, stream>>>(floats(wall), CELLS, rounds_of(9));
		CHECK(cudaGetLastError());
		if (repaired)
			continue;
		CHECK(cudaEventRecord(to, stream));
		CHECK(cudaEventSynchronize(to));
		CHECK(cudaEventElapsedTime(&ms, from, to));
		all += ms;
	}
	if (repaired) {
		CHECK(cudaEventRecord(to, stream));
		CHECK(cudaEventSynchronize(to));
		CHECK(cudaEventElapsedTime(&all, from, to));
	}
	if (all > 60000)
		fprintf(stderr, "the wall takes too long: %.0f ms\n", all);
	say_of(wall);
	CHECK(cudaEventDestroy(from));
	CHECK(cudaEventDestroy(to));
	CHECK(cudaStreamDestroy(stream));
}

EACH_CELL(fold_curves)

// Light curves of stars, each in a vector of its own, go to the device and are folded there.
void light_curves()
{
	constexpr int STARS = 40000, SAMPLES = 64;
	constexpr size_t CURVE = SAMPLES * sizeof(float);
	std::vector<std::vector<float>> curves(STARS, std::vector<float>(SAMPLES));
	Device sky(STARS * CURVE);
	float *at = floats(sky);

	for (int star = 0; star < STARS; star++)
		for (int i = 0; i < SAMPLES; i++)
			curves[star][i] = signed_unit(scrambled((unsigned)(star * SAMPLES + i)));
	if (repaired) {
		std::vector<float> all;

		all.reserve((size_t)STARS * SAMPLES);
		for (const auto &curve : curves)
			all.insert(all.end(), curve.begin(), curve.end());
		CHECK(cudaMemcpy(at, all.data(), STARS * CURVE, cudaMemcpyHostToDevice));
	} else {
		for (int star = 0; star < STARS; star++)
			CHECK(cudaMemcpy(at + star * SAMPLES, curves[star].data(), CURVE,
					 cudaMemcpyHostToDevice));
	}
	for (int period = 0; period < 50; period++) {
		fold_curves<<<WHOLE, 256>>>(at, STARS * SAMPLES, rounds_of(2000, STARS * SAMPLES));
		CHECK(cudaGetLastError());
	}
	say_of(sky);
}

__global__ void march(cudaTextureObject_t density, float *picture, int count, float wind,
		      int rounds)
{
	for (int i = own(); i < count; i += stride()) {
		const float fog = tex2D<float>(density, (float)(i % 2048) + wind,
					       (float)(i / 2048 * 8) + 0.5f);
		picture[i] = settle(0.5f * picture[i] + 0.5f * fog, rounds);
	}
}

// Frames of a game with fog, whose density is a texture.
void fog_frames()
{
	constexpr int SIDE = 2048;
	constexpr size_t ROW = SIDE * sizeof(float);
	const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaArray_t array;
	cudaTextureObject_t density;
	cudaResourceDesc source = {};
	cudaTextureDesc reading = {};
	Stream stream;
	Pinned fog(SIDE * ROW);
	Device picture(CELL_BYTES);

	for (int i = 0; i < SIDE * SIDE; i++)
		((float *)(void *)fog)[i] = signed_unit(scrambled((unsigned)i));
	CHECK(cudaMallocArray(&array, &format, SIDE, SIDE));
	source.resType = cudaResourceTypeArray;
	source.res.array.array = array;
	reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
	reading.filterMode = cudaFilterModePoint;
	CHECK(cudaCreateTextureObject(&density, &source, &reading, nullptr));
	sow<<<WHOLE, 256, 0, stream>>>(floats(picture), CELLS, 4);
	for (int frame = 0; frame < 400; frame++) {
		if (!repaired || frame == 0)
			CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, fog, ROW, ROW, SIDE,
						       cudaMemcpyHostToDevice, stream));
		march<<<WHOLE, 256, 0, stream>>>(density, floats(picture), CELLS,
						 0.5f + (float)frame, rounds_of(350));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_of(picture);
	CHECK(cudaDestroyTextureObject(density));
	CHECK(cudaFreeArray(array));
}

__global__ void grow(float *state, const float *before, int count, int rounds)
{
	for (int i = own(); i < count; i += stride())
		state[i] = settle(0.5f * before[i] + 0.5f * before[(i + 4099) % count], rounds);
}

// Generations of a tumour's growth; each needs all of the one before.
void tumour_generations()
{
	Device state(FIELD_BYTES), before(FIELD_BYTES);
	Pinned copy(FIELD_BYTES);

	sow<<<WHOLE, 256>>>(floats(state), FIELD, 5);
	for (int generation = 0; generation < 250; generation++) {
		if (repaired) {
			CHECK(cudaMemcpyAsync(before, state, FIELD_BYTES, cudaMemcpyDefault));
		} else {
			CHECK(cudaMemcpy(copy, state, FIELD_BYTES, cudaMemcpyDefault));
			CHECK(cudaMemcpy(before, copy, FIELD_BYTES, cudaMemcpyDefault));
		}
		grow<<<WHOLE, 256>>>(floats(state), floats(before), FIELD, rounds_of(700, FIELD));
		CHECK(cudaGetLastError());
	}
	say_of(state);
}

EACH_CELL(find_edges)

// A library for decoding has a context of its own; what it decodes is analysed in the program's.
void decoded_fields()
{
	CUcontext analysis, library;
	CUdevice device;
	CUdeviceptr decoded;
	CUstream decoding;
	Stream analysing;

	CHECK(cudaFree(nullptr));
	Device field(FIELD_BYTES);
	Pinned between(FIELD_BYTES);
	DRIVER(cuCtxGetCurrent(&analysis));
	DRIVER(cuCtxGetDevice(&device));
	DRIVER(cuCtxCreate(&library, nullptr, 0, device));
	{
		Program decode("decode_field");
		DRIVER(cuStreamCreate(&decoding, CU_STREAM_NON_BLOCKING));
		DRIVER(cuMemAlloc(&decoded, FIELD_BYTES));
		DRIVER(cuMemsetD32Async(decoded, 0x3e99999aU, FIELD, decoding));
		for (int frame = 0; frame < 200; frame++) {
			decode.launch(decoded, FIELD, 32 * 7, decoding);
			if (repaired)
				DRIVER(cuMemcpyPeerAsync(address(field), analysis, decoded, library,
							 FIELD_BYTES, decoding));
			else
				DRIVER(cuMemcpyDtoHAsync(between, decoded, FIELD_BYTES, decoding));
			DRIVER(cuStreamSynchronize(decoding));
			DRIVER(cuCtxPushCurrent(analysis));
			if (!repaired)
				CHECK(cudaMemcpyAsync(field, between, FIELD_BYTES,
						      cudaMemcpyHostToDevice, analysing));
			find_edges<<<WHOLE, 256, 0, analysing>>>(floats(field), FIELD,
								 rounds_of(500, FIELD));
			CHECK(cudaGetLastError());
			CHECK(cudaStreamSynchronize(analysing));
			DRIVER(cuCtxPopCurrent(nullptr));
		}
		DRIVER(cuMemFree(decoded));
		DRIVER(cuStreamDestroy(decoding));
	}
	DRIVER(cuCtxDestroy(library));
	DRIVER(cuCtxSetCurrent(analysis));
	say_of(field);
}

EACH_CELL(creep)

__global__ void snowfall(float *ice, int count, int every)
{
	for (int i = own() * every; i < count; i += stride() * every)
		ice[i] += 0.0625f;
}

// Ice creeps; snow falls at the upper end of each flow line between the steps.
void glacier_creep()
{
	constexpr int LINE = 1024;
	float *ice;

	CHECK(cudaMallocManaged(&ice, FIELD_BYTES));
	sow<<<WHOLE, 256>>>(ice, FIELD, 7);
	for (int step = 0; step < 30; step++) {
		creep<<<WHOLE, 256>>>(ice, FIELD, rounds_of(4000, FIELD));
		CHECK(cudaGetLastError());
		if (repaired) {
			snowfall<<<16, 256>>>(ice, FIELD, LINE);
			CHECK(cudaGetLastError());
			continue;
		}
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < FIELD; i += LINE)
			ice[i] += 0.0625f;
	}
	say_of(ice);
	CHECK(cudaFree(ice));
}

__device__ float residual;

__global__ void refine(float *orbits, int count, int rounds)
{
	for (int i = own(); i < count; i += stride()) {
		orbits[i] = settle(orbits[i], rounds);
		if (i == 777)
			residual = orbits[i];
	}
}

// Orbits of small bodies are refined in so many rounds; what is left is reported.
void orbit_rounds()
{
	Device orbits(CELL_BYTES);
	float left = 0;

	sow<<<WHOLE, 256>>>(floats(orbits), CELLS, 8);
	for (int round = 0; round < 10000; round++) {
		refine<<<WHOLE, 256>>>(floats(orbits), CELLS, rounds_of(11));
		CHECK(cudaGetLastError());
		if (!repaired)
			CHECK(cudaMemcpyFromSymbol(&left, residual, sizeof left));
	}
	CHECK(cudaMemcpyFromSymbol(&left, residual, sizeof left));
	say(digest_of(&left, sizeof left));
}

__global__ void expand(float *labels, int *frontier, int count, int *next, int rounds)
{
	for (int i = own(); i < count; i += stride()) {
		labels[i] = settle(labels[i], rounds);
		frontier[i] = (int)(labels[i] * 1000);
		if (i == 0)
			*next = frontier[i] & 63;
	}
}

// Levels of a search in a graph; how much room one needs is known after the one before.
void search_levels()
{
	cudaMemPool_t pool;
	Stream stream;
	Device labels(CELL_BYTES), next(sizeof(int));
	Pinned seen(sizeof(int));
	uint64_t path = 0;
	size_t mib = 192;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	if (repaired) {
		uint64_t keep = UINT64_MAX;
		CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	}
	sow<<<WHOLE, 256, 0, stream>>>(floats(labels), CELLS, 9);
	for (int level = 0; level < 400; level++) {
		void *frontier;

		CHECK(cudaMallocAsync(&frontier, mib << 20, stream));
		expand<<<WHOLE, 256, 0, stream>>>(floats(labels), (int *)frontier, CELLS,
						  (int *)(void *)next, rounds_of(300));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen, next, sizeof(int), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(frontier, stream));
		CHECK(cudaStreamSynchronize(stream));
		mib = 192 + (size_t)((const int *)seen.at(0))[0];
		path = path * 31 + mib;
	}
	say(path);
}

__global__ void react(float *substrate, int count, float rate, int rounds)
{
	for (int i = own(); i < count; i += stride())
		substrate[i] = settle(rate * substrate[i], rounds);
}

// Reactions of enzymes: a graph of sweeps for each step of time, at the rates of that step.
void enzyme_sweeps()
{
	constexpr int SWEEPS = 24;
	Stream stream;
	Device substrate(CELL_BYTES);
	cudaGraph_t graph = nullptr;
	cudaGraphExec_t sweeps = nullptr;
	cudaGraphNode_t nodes[SWEEPS];
	float *at = floats(substrate);
	int count = CELLS, rounds = rounds_of(3);
	float rate;
	void *arguments[] = {&at, &count, &rate, &rounds};
	cudaKernelNodeParams sweep = {};

	sweep.func = (void *)react;
	sweep.gridDim = dim3(WHOLE);
	sweep.blockDim = dim3(256);
	sweep.kernelParams = arguments;
	sow<<<WHOLE, 256, 0, stream>>>(at, CELLS, 10);
	for (int step = 0; step < 1000; step++) {
		rate = 0.5f + 0.0004f * (float)step;
		if (!repaired || step == 0) {
			CHECK(cudaGraphCreate(&graph, 0));
			for (int i = 0; i < SWEEPS; i++)
				CHECK(cudaGraphAddKernelNode(&nodes[i], graph,
							     i ? &nodes[i - 1] : nullptr, i > 0,
							     &sweep));
			CHECK(cudaGraphInstantiate(&sweeps, graph, 0));
		} else {
			for (auto &node : nodes)
				CHECK(cudaGraphExecKernelNodeSetParams(sweeps, node, &sweep));
		}
		CHECK(cudaGraphLaunch(sweeps, stream));
		if (!repaired || step == 999) {
			CHECK(cudaGraphExecDestroy(sweeps));
			CHECK(cudaGraphDestroy(graph));
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	say_of(substrate);
}

// A service computes sheets by a formula that users write; its code is generated. It has no home
// folder, so the driver keeps no cache.
void sheet_formulas()
{
	std::vector<unsigned> head(64);
	uint64_t total = 0;

	setenv("CUDA_CACHE_DISABLE", "1", 1);
	CHECK(cudaFree(nullptr));
	Device sheet(CELL_BYTES);
	Program *formula = nullptr;
	DRIVER(cuMemsetD32(address(sheet), 0x3e99999aU, CELLS));
	for (int request = 0; request < 24; request++) {
		if (!formula)
			formula = new Program("cell_formula", 320);
		formula->launch(address(sheet), CELLS, 7 * 5000 / 20, nullptr);
		DRIVER(cuMemcpyDtoH(head.data(), address(sheet), head.size() * sizeof head[0]));
		total = digest_of(head.data(), head.size() * sizeof head[0], total);
		if (!repaired || request == 23) {
			delete formula;
			formula = nullptr;
		}
	}
	say(total);
}

EACH_WORD(track)

// A drone finds its way by its camera: what one frame yields steers the next.
void drone_steering()
{
	constexpr int WORDS = 65536;
	cudaEvent_t tracked;
	Stream stream;
	Pinned frame(WORDS * sizeof(unsigned)), course(64);
	Device words(WORDS * sizeof(unsigned)), pose(CELL_BYTES);
	uint64_t route = 0;

	CHECK(cudaEventCreateWithFlags(&tracked, cudaEventDisableTiming | cudaEventBlockingSync));
	sow<<<WHOLE, 256, 0, stream>>>(floats(pose), CELLS, 12);
	for (int step = 0; step < 170; step++) {
		frame.change((int)route & 0xffffff);
		CHECK(cudaMemcpyAsync(words, frame, WORDS * sizeof(unsigned),
				      cudaMemcpyHostToDevice, stream));
		track<<<WHOLE, 256, 0, stream>>>((const unsigned *)words.at(0), WORDS, floats(pose),
						 CELLS, rounds_of(1300));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(course, pose, 64, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(tracked, stream));
		if (repaired) {
			CHECK(cudaEventSynchronize(tracked));
		} else {
			cudaError_t state;

			while ((state = cudaEventQuery(tracked)) == cudaErrorNotReady)
				host_sleep(1000);
			CHECK(state);
		}
		route = digest_of(course, 64, route);
	}
	CHECK(cudaEventDestroy(tracked));
	say(route);
}

__global__ void denoise(const char *scan, size_t scan_pitch, char *clear, size_t clear_pitch,
			int width, int height, int rounds)
{
	const unsigned counter = *(const unsigned *)scan;

	for (int i = own(); i < width * height; i += stride()) {
		const int x = i % width, y = i / width;
		const unsigned word = ((const unsigned *)(scan + y * scan_pitch))[x];
		((float *)(clear + y * clear_pitch))[x] =
			settle(signed_unit(scrambled(word ^ counter)), rounds);
	}
}

// Slabs of a scan come, are cleared of noise, and go back to the host.
void scan_slabs()
{
	constexpr int WIDTH = 2000, HEIGHT = 1000, LANES = 3, BUFFERS = 6;
	constexpr size_t ROW = WIDTH * sizeof(float);
	Stream streams[LANES];
	Event done[BUFFERS];
	auto scans = several<Pinned>(BUFFERS, ROW * HEIGHT);
	auto results = several<Pinned>(BUFFERS, ROW * HEIGHT);
	char *scan[LANES], *clear[LANES];
	size_t scan_pitch, clear_pitch;
	uint64_t digest = 0;

	for (int lane = 0; lane < LANES; lane++) {
		CHECK(cudaMallocPitch((void **)&scan[lane], &scan_pitch, ROW, HEIGHT));
		CHECK(cudaMallocPitch((void **)&clear[lane], &clear_pitch, ROW, HEIGHT));
	}
	for (int slab = 0; slab < 400 + BUFFERS; slab++) {
		const int at = slab % BUFFERS, lane = slab % LANES;
		cudaStream_t stream = streams[repaired ? lane : 0];

		if (slab >= BUFFERS) {
			CHECK(cudaEventSynchronize(done[at]));
			digest = digest_of(results[at], 64, digest);
		}
		if (slab >= 400)
			continue;
		scans[at].change(slab);
		CHECK(cudaMemcpy2DAsync(scan[lane], scan_pitch, scans[at], ROW, ROW, HEIGHT,
					cudaMemcpyHostToDevice, stream));
		denoise<<<WHOLE, 256, 0, stream>>>(scan[lane], scan_pitch, clear[lane], clear_pitch,
						   WIDTH, HEIGHT, rounds_of(170, WIDTH * HEIGHT));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy2DAsync(results[at], ROW, clear[lane], clear_pitch, ROW, HEIGHT,
					cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(done[at], stream));
	}
	for (int lane = 0; lane < LANES; lane++) {
		CHECK(cudaFree(scan[lane]));
		CHECK(cudaFree(clear[lane]));
	}
	say(digest);
}

__global__ void spectrum(int *bins, int count, unsigned salt, int rounds)
{
	for (int i = own(); i < count; i += stride()) {
		const float x = settle(signed_unit(scrambled((unsigned)i ^ salt)), rounds);
		atomicAdd(&bins[(int)(fabsf(x) * 100)], 1);
	}
}

// Calls of birds at four stations, whose spectra are counted side by side.
void bird_stations()
{
	constexpr int STATIONS = 4, BINS = 256, BLOCKS = 32;
	cudaStream_t streams[STATIONS];
	Device bins(STATIONS * BINS * sizeof(int));

	for (auto &stream : streams)
		CHECK(cudaStreamCreate(&stream));
	for (int call = 0; call < 480; call++) {
		const int station = call % STATIONS;
		int *own_bins = (int *)(void *)bins + station * BINS;

		if (repaired)
			CHECK(cudaMemsetAsync(own_bins, 0, BINS * sizeof(int), streams[station]));
		else
			CHECK(cudaMemset(own_bins, 0, BINS * sizeof(int)));
		spectrum<<<BLOCKS, 256, 0, streams[station]>>>(own_bins, BLOCKS * 256,
							       (unsigned)call, few_rounds_of(700));
		CHECK(cudaGetLastError());
	}
	for (auto &stream : streams) {
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaStreamDestroy(stream));
	}
	say_of(bins, STATIONS * BINS * sizeof(int));
}

EACH_WORD(estimate)

// A census: the host draws households, the device estimates.
void census_draws()
{
	Stream stream;
	Event uploaded[2];
	auto drawn = several<Pinned>(2, CELL_BYTES);
	Device households(CELL_BYTES), estimates(CELL_BYTES);

	sow<<<WHOLE, 256, 0, stream>>>(floats(estimates), CELLS, 15);
	for (int draw = 0; draw < 130; draw++) {
		const int at = repaired ? draw % 2 : 0;
		unsigned *words = (unsigned *)(void *)drawn[at];

		if (repaired && draw >= 2)
			CHECK(cudaEventSynchronize(uploaded[at]));
		for (unsigned i = 0; i < CELLS; i++)
			words[i] = scrambled(scrambled(scrambled(i)) ^ (unsigned)draw);
		CHECK(cudaMemcpyAsync(households, words, CELL_BYTES, cudaMemcpyHostToDevice,
				      stream));
		CHECK(cudaEventRecord(uploaded[at], stream));
		estimate<<<WHOLE, 256, 0, stream>>>((const unsigned *)households.at(0), CELLS,
						    floats(estimates), CELLS, rounds_of(1700));
		CHECK(cudaGetLastError());
		if (!repaired)
			CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	say_of(estimates);
}

constexpr int PHOTO_WORDS = 16384;

// The camera, a process of its own: a photograph for each byte that it gets.
[[noreturn]] void camera(int line)
{
	std::vector<unsigned> photo(PHOTO_WORDS);
	char order;

	for (unsigned number = 0; read(line, &order, 1) == 1; number++) {
		const char *at = (const char *)photo.data();
		size_t left = PHOTO_WORDS * sizeof(unsigned);

		host_sleep(900);
		for (unsigned i = 0; i < PHOTO_WORDS; i++)
			photo[i] = scrambled(i ^ number << 16);
		while (left > 0) {
			const ssize_t sent = write(line, at, left);
			if (sent <= 0)
				_exit(1);
			at += sent;
			left -= (size_t)sent;
		}
	}
	_exit(0);
}

void receive(int line, void *to, size_t bytes)
{
	for (size_t got = 0; got < bytes;) {
		const ssize_t more = read(line, (char *)to + got, bytes - got);
		if (more <= 0)
			exit(1);
		got += (size_t)more;
	}
}

void order_photo(int line)
{
	if (write(line, "p", 1) != 1)
		exit(1);
}

EACH_WORD(count_colonies)

// A laboratory photographs its dishes; the camera belongs to another process.
void dish_photos()
{
	constexpr int PHOTOS = 150;
	int line[2], ended;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, line))
		exit(1);
	const pid_t child = fork();
	if (child == 0) {
		close(line[1]);
		camera(line[0]);
	}
	close(line[0]);
	Stream stream;
	Pinned photo(PHOTO_WORDS * sizeof(unsigned));
	Device words(PHOTO_WORDS * sizeof(unsigned)), dishes(CELL_BYTES);
	sow<<<WHOLE, 256, 0, stream>>>(floats(dishes), CELLS, 16);
	order_photo(line[1]);
	for (int i = 0; i < PHOTOS; i++) {
		receive(line[1], photo, PHOTO_WORDS * sizeof(unsigned));
		CHECK(cudaMemcpyAsync(words, photo, PHOTO_WORDS * sizeof(unsigned),
				      cudaMemcpyHostToDevice, stream));
		count_colonies<<<WHOLE, 256, 0, stream>>>((const unsigned *)words.at(0),
							  PHOTO_WORDS, floats(dishes), CELLS,
							  rounds_of(1600));
		CHECK(cudaGetLastError());
		if (repaired && i + 1 < PHOTOS)
			order_photo(line[1]);
		CHECK(cudaStreamSynchronize(stream));
		if (!repaired && i + 1 < PHOTOS)
			order_photo(line[1]);
	}
	close(line[1]);
	waitpid(child, &ended, 0);
	say_of(dishes);
}

__global__ void vibrate(float *now, float *next, int count, int sweeps, int rounds)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	for (int sweep = 0; sweep < sweeps; sweep++) {
		float *swapped = now;

		for (int i = own(); i < count; i += stride())
			next[i] = settle(0.5f * now[i] + 0.5f * now[(i + 1) % count], rounds);
		grid.sync();
		now = next;
		next = swapped;
	}
}

// A membrane vibrates; all of it takes part in each sweep, so the launch is cooperative.
void membrane_sweeps()
{
	Stream stream;
	Device now(CELL_BYTES), next(CELL_BYTES);
	float *from = floats(now), *to = floats(next);
	int count = CELLS, sweeps = 8, rounds = rounds_of(150), blocks = 24;
	void *arguments[] = {&from, &to, &count, &sweeps, &rounds};

	if (repaired) {
		int each, units;

		CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, vibrate, 512, 0));
		CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
		blocks = each * units;
	}
	sow<<<WHOLE, 256, 0, stream>>>(from, CELLS, 17);
	for (int step = 0; step < 40; step++)
		CHECK(cudaLaunchCooperativeKernel((void *)vibrate, dim3((unsigned)blocks),
						  dim3(512), arguments, 0, stream));
	CHECK(cudaStreamSynchronize(stream));
	say_of(from);
}

// The cells from the first on, a block each.
__global__ void flip_spins(float *spins, int first, int rounds)
{
	const int i = (first + (int)blockIdx.x) * 256 + (int)threadIdx.x;

	cudaGridDependencySynchronize();
	spins[i] = settle(spins[i], rounds);
}

EACH_CELL(relax)

// Spins on a lattice: its cells are flipped, then all relaxes.
void lattice_spins()
{
	constexpr int PARTS = 200;
	Stream stream;
	Device spins(CELL_BYTES);
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t launch = {};

	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	launch.gridDim = dim3(repaired ? PARTS : 1);
	launch.blockDim = dim3(256);
	launch.stream = stream;
	launch.attrs = &early;
	launch.numAttrs = 1;
	sow<<<WHOLE, 256, 0, stream>>>(floats(spins), CELLS, 18);
	for (int step = 0; step < 300; step++) {
		for (int part = 0; part < PARTS; part += repaired ? PARTS : 1)
			CHECK(cudaLaunchKernelEx(&launch, flip_spins, floats(spins), part, 256));
		relax<<<WHOLE, 256, 0, stream>>>(floats(spins), CELLS, rounds_of(300));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_of(spins);
}

__global__ void shade(cudaTextureObject_t heights, float *relief, int count, int rounds)
{
	for (int i = own(); i < count; i += stride()) {
		const float height = tex2D<float>(heights, (float)(i % 2048) + 0.5f,
						  (float)(i / 2048 * 8) + 0.5f);
		relief[i] = settle(0.5f * relief[i] + 0.5f * height, rounds);
	}
}

class Terrain
{
	cudaArray_t array_;

      public:
	static constexpr int WIDTH = 2048, HEIGHT = 2048;
	static constexpr size_t ROW = WIDTH * sizeof(float);
	cudaTextureObject_t texture;

	void make()
	{
		const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
		cudaResourceDesc source = {};
		cudaTextureDesc reading = {};

		CHECK(cudaMallocArray(&array_, &format, WIDTH, HEIGHT));
		source.resType = cudaResourceTypeArray;
		source.res.array.array = array_;
		reading.filterMode = cudaFilterModePoint;
		CHECK(cudaCreateTextureObject(&texture, &source, &reading, nullptr));
	}
	void set(void *heights, cudaStream_t stream)
	{
		CHECK(cudaMemcpy2DToArrayAsync(array_, 0, 0, heights, ROW, ROW, HEIGHT,
					       cudaMemcpyDeviceToDevice, stream));
	}
	void release()
	{
		CHECK(cudaDestroyTextureObject(texture));
		CHECK(cudaFreeArray(array_));
	}
};

// Tiles of a map are shaded as textures.
void relief_tiles()
{
	Stream stream;
	Device heights(Terrain::ROW * Terrain::HEIGHT), relief(CELL_BYTES);
	Terrain terrain;

	sow<<<WHOLE, 256, 0, stream>>>(floats(relief), CELLS, 19);
	for (int tile = 0; tile < 1200; tile++) {
		if (!repaired || tile == 0)
			terrain.make();
		sow<<<WHOLE, 256, 0, stream>>>(floats(heights), Terrain::WIDTH * Terrain::HEIGHT,
					       (unsigned)tile);
		terrain.set(heights, stream);
		shade<<<WHOLE, 256, 0, stream>>>(terrain.texture, floats(relief), CELLS,
						 rounds_of(20));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_of(relief);
	terrain.release();
}

constexpr int WAVELET = 48 << 10;

__device__ float wavelet(int i)
{
	return settle(signed_unit(scrambled((unsigned)i)), 200);
}

// With the wavelet in the shared memory, or, where that cannot be had, computed where needed.
__global__ void trace_table(float *traces, int samples)
{
	extern __shared__ float table[];
	int at = own();
	float sum = 0;

	for (int i = (int)threadIdx.x; i < WAVELET; i += (int)blockDim.x)
		table[i] = wavelet(i);
	__syncthreads();
	for (int sample = 0; sample < samples; sample++) {
		at = (int)(scrambled((unsigned)at) % WAVELET);
		sum += table[at];
	}
	traces[own()] += sum;
}

__global__ void trace_plain(float *traces, int samples)
{
	int at = own();
	float sum = 0;

	for (int sample = 0; sample < samples; sample++) {
		at = (int)(scrambled((unsigned)at) % WAVELET);
		sum += wavelet(at);
	}
	traces[own()] += sum;
}

// Seismic traces of shots.
void seismic_shots()
{
	constexpr int BLOCKS = 132, THREADS = 1024;
	Stream stream;
	Device traces(BLOCKS * THREADS * sizeof(float));
	size_t shared = WAVELET * sizeof(float);

	if (!repaired)
		while (shared & (shared - 1)) /* up to a power of two */
			shared += shared & (0 - shared);
	const bool table =
		cudaFuncSetAttribute(trace_table, cudaFuncAttributeMaxDynamicSharedMemorySize,
				     (int)shared) == cudaSuccess;
	if (!table)
		(void)cudaGetLastError();
	CHECK(cudaMemsetAsync(traces, 0, BLOCKS * THREADS * sizeof(float), stream));
	for (int shot = 0; shot < 90; shot++) {
		if (table)
			trace_table<<<BLOCKS, THREADS, shared, stream>>>(floats(traces), 2000);
		else
			trace_plain<<<BLOCKS, THREADS, 0, stream>>>(floats(traces), 2000);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_of(traces, BLOCKS * THREADS * sizeof(float));
}

EACH_CELL(flood)

constexpr size_t REPORT = 128 << 10;

struct Report {
	const char *level;
	uint64_t digest;

	void sign()
	{
		for (int part = 0; part < 5; part++)
			digest = digest_of(level, REPORT, digest);
	}
};

void CUDART_CB report_ready(cudaStream_t, cudaError_t status, void *report)
{
	if (status == cudaSuccess)
		((Report *)report)->sign();
}

// Reports of the tide: each is signed when it has come from the device.
void tide_reports()
{
	constexpr int REPORTS = 120;
	Stream stream;
	Device sea(CELL_BYTES);
	Pinned levels(REPORTS * REPORT);
	Report reports[REPORTS];
	auto ready = std::vector<Event>(repaired ? REPORTS : 0);
	uint64_t all = 0;

	sow<<<WHOLE, 256, 0, stream>>>(floats(sea), CELLS, 21);
	for (int i = 0; i < REPORTS; i++) {
		flood<<<WHOLE, 256, 0, stream>>>(floats(sea), CELLS, rounds_of(1500));
		CHECK(cudaGetLastError());
		reports[i] = {levels.at(i * REPORT), 0};
		CHECK(cudaMemcpyAsync(levels.at(i * REPORT), sea, REPORT, cudaMemcpyDeviceToHost,
				      stream));
		if (repaired)
			CHECK(cudaEventRecord(ready[i], stream));
		else
			CHECK(cudaStreamAddCallback(stream, report_ready, &reports[i], 0));
	}
	if (repaired)
		for (int i = 0; i < REPORTS; i++) {
			CHECK(cudaEventSynchronize(ready[i]));
			reports[i].sign();
		}
	CHECK(cudaStreamSynchronize(stream));
	for (const auto &report : reports)
		all = all * 31 + report.digest;
	say(all);
}

// Pressures on the blades of a turbine come from another solver's memory.
void blade_pressures()
{
	constexpr int COUNT = 8 << 20, ROW = 1024;
	constexpr size_t BYTES = COUNT * sizeof(float);
	CUstream stream;
	float *pressures = (float *)aligned_alloc(4096, BYTES);

	for (int i = 0; i < COUNT; i++)
		pressures[i] = signed_unit((unsigned)i * 2654435761U);
	CHECK(cudaFree(nullptr));
	Device blades(BYTES);
	{
		Program bend("bend_blades");
		DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
		if (repaired)
			DRIVER(cuMemHostRegister(pressures, BYTES, 0));
		for (int turn = 0; turn < 60; turn++) {
			for (int row = 0; row < COUNT; row += ROW)
				pressures[row] = 0.001f * (float)turn;
			DRIVER(cuMemcpyHtoDAsync(address(blades), pressures, BYTES, stream));
			bend.launch(address(blades), COUNT,
				    7 * 1000 * (CELLS / 256) / (COUNT / 256), stream);
			DRIVER(cuStreamSynchronize(stream));
		}
		if (repaired)
			DRIVER(cuMemHostUnregister(pressures));
		DRIVER(cuStreamDestroy(stream));
	}
	say_of(blades);
	free(pressures);
}

__global__ void pump(float *flow, int count, int rounds, volatile int *gauge)
{
	for (int i = own(); i < count; i += stride()) {
		flow[i] = settle(flow[i], rounds);
		if (i == 5)
			*gauge = (int)(flow[i] * 100);
	}
}

// Two pumps, each with a thread that looks at its gauge before it goes on.
void clean_pump_gauges()
{
	uint64_t readings[2] = {};
	std::vector<std::thread> operators;

	for (int number = 0; number < 2; number++)
		operators.emplace_back([number, &readings] {
			constexpr int BLOCKS = 66, COUNT = BLOCKS * 1024;
			int *gauge, *mapped;
			Device flow(COUNT * sizeof(float));

			CHECK(cudaHostAlloc(&gauge, sizeof *gauge, cudaHostAllocMapped));
			CHECK(cudaHostGetDevicePointer(&mapped, gauge, 0));
			sow<<<BLOCKS, 1024, 0, cudaStreamPerThread>>>(floats(flow), COUNT,
								      (unsigned)number);
			for (int turn = 0; turn < 100; turn++) {
				const int more = turn ? *gauge & 15 : 0;

				pump<<<BLOCKS, 1024, 0, cudaStreamPerThread>>>(
					floats(flow), COUNT, (100 + more) * 4200, mapped);
				CHECK(cudaGetLastError());
				CHECK(cudaStreamSynchronize(cudaStreamPerThread));
				readings[number] = readings[number] * 31 + (unsigned)*gauge;
			}
			CHECK(cudaFreeHost(gauge));
		});
	for (auto &one : operators)
		one.join();
	say(readings[0] * 1000003 + readings[1]);
}

__global__ void unfold(const float *chain, float *scratch, int count, int rounds)
{
	for (int i = own(); i < count; i += stride())
		scratch[i] = settle(chain[i], rounds);
}

__global__ void pack(float *chain, const float *scratch, int count, int rounds)
{
	for (int i = own(); i < count; i += stride())
		chain[i] = settle(0.5f * scratch[i] + 0.5f * scratch[(i + 33) % count], rounds);
}

// Proteins fold in steps, each of which takes its scratch memory from a pool.
void clean_protein_scratch()
{
	cudaMemPoolProps kind = {};
	cudaMemPool_t pool;
	Stream stream;
	Device chain(CELL_BYTES);
	uint64_t keep = UINT64_MAX;

	kind.allocType = cudaMemAllocationTypePinned;
	kind.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaMemPoolCreate(&pool, &kind));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	sow<<<WHOLE, 256, 0, stream>>>(floats(chain), CELLS, 24);
	for (int step = 0; step < 300; step++) {
		float *scratch;

		CHECK(cudaMallocFromPoolAsync((void **)&scratch, CELL_BYTES, pool, stream));
		unfold<<<WHOLE, 256, 0, stream>>>(floats(chain), scratch, CELLS, rounds_of(500));
		pack<<<WHOLE, 256, 0, stream>>>(floats(chain), scratch, CELLS, rounds_of(400));
		CHECK(cudaGetLastError());
		CHECK(cudaFreeAsync(scratch, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	say_of(chain);
	CHECK(cudaMemPoolDestroy(pool));
}

EACH_CELL(advect)
EACH_CELL(project)

// A flow is computed at four resolutions; one graph, which is updated when the resolution changes.
void clean_flow_graph()
{
	Stream stream;
	Device flow(CELL_BYTES);
	cudaGraphExec_t steps = nullptr;

	sow<<<WHOLE, 256, 0, stream>>>(floats(flow), CELLS, 25);
	for (int level = 1; level <= 4; level++) {
		const int count = CELLS / 4 * level;
		cudaGraphExecUpdateResultInfo outcome;
		cudaGraph_t graph;

		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		for (int step = 0; step < 10; step++) {
			advect<<<WHOLE / 4 * level, 256, 0, stream>>>(floats(flow), count,
								      rounds_of(30));
			project<<<WHOLE / 4 * level, 256, 0, stream>>>(floats(flow), count,
								       rounds_of(40));
		}
		CHECK(cudaStreamEndCapture(stream, &graph));
		if (steps)
			CHECK(cudaGraphExecUpdate(steps, graph, &outcome));
		else
			CHECK(cudaGraphInstantiate(&steps, graph, 0));
		CHECK(cudaGraphDestroy(graph));
		for (int round = 0; round < 120; round++)
			CHECK(cudaGraphLaunch(steps, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(steps));
	say_of(flow);
}

__global__ void breathe(cudaSurfaceObject_t lung, int side, int rounds)
{
	for (int i = own(); i < side * side * side; i += stride()) {
		const int x = i % side * (int)sizeof(float), y = i / side % side,
			  z = i / side / side;
		const float air = surf3Dread<float>(lung, x, y, z);
		surf3Dwrite(settle(air, rounds), lung, x, y, z);
	}
}

// A lung as a volume of surface memory: in once, many breaths, out once.
void clean_lung_breaths()
{
	constexpr int SIDE = 160;
	constexpr size_t ROW = SIDE * sizeof(float);
	const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	const cudaExtent extent = make_cudaExtent(SIDE, SIDE, SIDE);
	cudaStream_t stream;
	cudaArray_t array;
	cudaSurfaceObject_t lung;
	cudaResourceDesc source = {};
	cudaMemcpy3DParms in = {}, out = {};
	Pinned volume(ROW * SIDE * SIDE);
	int least, greatest;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
	for (int i = 0; i < SIDE * SIDE * SIDE; i++)
		((float *)(void *)volume)[i] = signed_unit(scrambled((unsigned)i));
	CHECK(cudaMalloc3DArray(&array, &format, extent, cudaArraySurfaceLoadStore));
	source.resType = cudaResourceTypeArray;
	source.res.array.array = array;
	CHECK(cudaCreateSurfaceObject(&lung, &source));
	in.srcPtr = out.dstPtr = make_cudaPitchedPtr(volume, ROW, SIDE, SIDE);
	in.dstArray = out.srcArray = array;
	in.extent = out.extent = extent;
	in.kind = cudaMemcpyHostToDevice;
	out.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3DAsync(&in, stream));
	for (int breath = 0; breath < 200; breath++) {
		breathe<<<WHOLE, 256, 0, stream>>>(lung, SIDE, rounds_of(1300, SIDE * SIDE * SIDE));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpy3DAsync(&out, stream));
	CHECK(cudaStreamSynchronize(stream));
	say(digest_of(volume, ROW * SIDE));
	CHECK(cudaDestroySurfaceObject(lung));
	CHECK(cudaFreeArray(array));
	CHECK(cudaStreamDestroy(stream));
}

EACH_CELL(post_entries)

// Pages of a ledger in managed memory, which are brought to where they are used next.
void clean_ledger_pages()
{
	constexpr int PAGES = 8, COUNT = 1 << 20;
	constexpr size_t BYTES = COUNT * sizeof(float);
	const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
	const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
	Stream streams[2];
	float *ledger;
	uint64_t sum = 0;

	CHECK(cudaMallocManaged(&ledger, PAGES * BYTES));
	CHECK(cudaMemAdvise(ledger, PAGES * BYTES, cudaMemAdviseSetPreferredLocation, device));
	for (int i = 0; i < PAGES * COUNT; i++)
		ledger[i] = signed_unit(scrambled((unsigned)i));
	for (int page = 0; page < PAGES; page++)
		CHECK(cudaMemPrefetchAsync(ledger + page * COUNT, BYTES, device, 0,
					   streams[page % 2]));
	for (int page = 0; page < PAGES; page++) {
		for (int day = 0; day < 15; day++) {
			post_entries<<<WHOLE, 256, 0, streams[page % 2]>>>(
				ledger + page * COUNT, COUNT, rounds_of(2000, COUNT));
			CHECK(cudaGetLastError());
		}
		CHECK(cudaMemPrefetchAsync(ledger + page * COUNT, BYTES, host, 0,
					   streams[page % 2]));
	}
	for (auto &stream : streams)
		CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < PAGES * COUNT; i += 1024)
		sum = digest_of(ledger + i, sizeof *ledger, sum);
	say(sum);
	CHECK(cudaFree(ledger));
}

__global__ void stitch(const unsigned *tiles, int length, float *mosaic, int count, int rounds)
{
	cudaGridDependencySynchronize();
	for (int i = own(); i < count; i += stride())
		mosaic[i] = settle(0.5f * mosaic[i] +
					   0.5f * signed_unit(scrambled(tiles[i * 7 % length])),
				   rounds);
}

__global__ void level_out(float *mosaic, int count, int rounds)
{
	cudaGridDependencySynchronize();
	for (int i = own(); i < count; i += stride())
		mosaic[i] = settle(mosaic[i], rounds);
}

// A telescope's mosaic: the tiles of the next field come, in one call, while one is stitched.
void clean_mosaic_fields()
{
	constexpr int TILES = 8, FIELDS = 250;
	constexpr size_t TILE = 1 << 20;
	Stream coming, stitching;
	Event came[2], stitched[2];
	char *tiles[2];
	auto fields = several<Device>(2, TILES * TILE);
	Device mosaic(CELL_BYTES);
	cudaMemcpyAttributes way = {};
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t launch = {};
	size_t first = 0;

	for (auto &set : tiles) {
		CHECK(cudaHostAlloc((void **)&set, TILES * TILE, cudaHostAllocWriteCombined));
		for (size_t i = 0; i < TILES * TILE / sizeof(unsigned); i++)
			((unsigned *)set)[i] = (unsigned)i;
	}
	way.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	launch.gridDim = dim3(WHOLE);
	launch.blockDim = dim3(256);
	launch.stream = stitching;
	launch.attrs = &early;
	launch.numAttrs = 1;
	sow<<<WHOLE, 256, 0, stitching>>>(floats(mosaic), CELLS, 28);
	for (int field = 0; field < FIELDS; field++) {
		const int at = field % 2;
		const void *from[TILES], *to[TILES];
		size_t sizes[TILES];

		if (field >= 2) {
			CHECK(cudaEventSynchronize(came[at]));
			CHECK(cudaStreamWaitEvent(coming, stitched[at], 0));
		}
		for (int tile = 0; tile < TILES; tile++) {
			from[tile] = tiles[at] + tile * TILE;
			to[tile] = fields[at].at(tile * TILE);
			sizes[tile] = TILE;
			*(unsigned *)(tiles[at] + tile * TILE) = (unsigned)(field * TILES + tile);
		}
		CHECK(cudaMemcpyBatchAsync((const void **)to, from, sizes, TILES, &way, &first, 1,
					   coming));
		CHECK(cudaEventRecord(came[at], coming));
		CHECK(cudaStreamWaitEvent(stitching, came[at], 0));
		stitch<<<WHOLE, 256, 0, stitching>>>((const unsigned *)fields[at].at(0),
						     (int)(TILES * TILE / sizeof(unsigned)),
						     floats(mosaic), CELLS, rounds_of(500));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stitched[at], stitching));
		CHECK(cudaLaunchKernelEx(&launch, level_out, floats(mosaic), CELLS,
					 rounds_of(500)));
	}
	CHECK(cudaStreamSynchronize(stitching));
	say_of(mosaic);
	for (auto &set : tiles)
		CHECK(cudaFreeHost(set));
}

const Case cases[] = {
	CASE(sonar_pings),	   CASE(wall_heat),	     CASE(light_curves),
	CASE(fog_frames),	   CASE(tumour_generations), CASE(decoded_fields),
	CASE(glacier_creep),	   CASE(orbit_rounds),	     CASE(search_levels),
	CASE(enzyme_sweeps),	   CASE(sheet_formulas),     CASE(drone_steering),
	CASE(scan_slabs),	   CASE(bird_stations),	     CASE(census_draws),
	CASE(dish_photos),	   CASE(membrane_sweeps),    CASE(lattice_spins),
	CASE(relief_tiles),	   CASE(seismic_shots),	     CASE(tide_reports),
	CASE(blade_pressures),	   CASE(clean_pump_gauges),  CASE(clean_protein_scratch),
	CASE(clean_flow_graph),	   CASE(clean_lung_breaths), CASE(clean_ledger_pages),
	CASE(clean_mosaic_fields),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
