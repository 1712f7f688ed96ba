/* SPDX-License-Identifier: MIT */
// exams CASE [repaired]: CUDA programs as people write them, each with one fault, or the same work
// without it; and some that have none. Whoever wrote them had not read src/analysis.
// tests/hw/findings records both, and exams.json, which was written before they were recorded for
// the first time, says what may be found in which.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cases.h"
#include "faults.h"

#define MIB ((size_t)1 << 20)

// --- what several of them have

static const int field_count = 1 << 20, part_count = 33 * 256;
static const size_t field_bytes = field_count * sizeof(float);

static float *numbers(Device &device, size_t first = 0)
{
	return (float *)device.at(first * sizeof(float));
}

static float *numbers(Pinned &host)
{
	return (float *)host.at(0);
}

static __host__ __device__ unsigned hashed(unsigned x)
{
	x ^= x >> 16;
	x *= 0x85ebca6b;
	x ^= x >> 13;
	x *= 0xc2b2ae35;
	return x ^ x >> 16;
}

/* At least 0 and less than 1. */
static __host__ __device__ float fraction(unsigned x)
{
	return (float)(hashed(x) >> 8) / 16777216.0f;
}

static __global__ void seed(float *data, int count, unsigned salt)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = fraction((unsigned)i + salt * 7919);
}

/* From -0.8 to 1, and never at rest. */
static __device__ float churned(float x, int rounds)
{
	for (int round = 0; round < rounds; round++)
		x = fmaf(-1.8f * x, x, 1.0f);
	return x;
}

static __global__ void churn(float *data, int count, int rounds)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = churned(data[i], rounds);
}

static __global__ void blend(float *data, const float *with, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = 0.5f * (data[i] + with[i]);
}

static void sown(float *data, int count, unsigned salt, cudaStream_t stream = nullptr)
{
	seed<<<blocks_of(count), 256, 0, stream>>>(data, count, salt);
	CHECK(cudaGetLastError());
}

static void blended(float *data, const float *with, int count, cudaStream_t stream = nullptr)
{
	blend<<<blocks_of(count), 256, 0, stream>>>(data, with, count);
	CHECK(cudaGetLastError());
}

/* About so many us of the whole device, on field_count numbers. */
static void all_for(int us, float *data, cudaStream_t stream = nullptr)
{
	churn<<<blocks_of(field_count), 256, 0, stream>>>(data, field_count, us * 13);
	CHECK(cudaGetLastError());
}

/* About so many us of a quarter of it, on part_count numbers. */
static void part_for(int us, float *data, cudaStream_t stream)
{
	churn<<<part_count / 256, 256, 0, stream>>>(data, part_count, us * 220);
	CHECK(cudaGetLastError());
}

/* About so many us of so many multiprocessors, which are full. */
static void full_for(int us, float *data, int groups, cudaStream_t stream)
{
	churn<<<groups, 1024, 0, stream>>>(data, groups * 1024, us * 110);
	CHECK(cudaGetLastError());
}

static void show(const float *data)
{
	std::vector<float> some(4096);
	double sum = 0;

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(some.data(), data, some.size() * sizeof(float), cudaMemcpyDeviceToHost));
	for (float one : some)
		sum += one;
	printf("shown %.6f\n", sum);
}

static void must(CUresult status, const char *call)
{
	if (status == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, status);
	exit(1);
}

#define MUST(call) must(call, #call)

// --- graphs, bodies, rays

/* Two bridges from each place, to others of the same 4096. */
static __global__ void build_bridges(int2 *bridges, int *labels, int places, unsigned salt)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i >= 2 * places)
		return;
	bridges[i] = make_int2(i / 2, (i / 2 & ~4095) | (int)(hashed((unsigned)i ^ salt) & 4095));
	if (i < places)
		labels[i] = i;
}

/* The smaller label of both ends goes to the other one, and to where that points. */
static __global__ void cross_bridges(const int2 *bridges, int *labels, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int2 ends;
	int a, b;

	if (i >= count)
		return;
	ends = bridges[i];
	a = labels[ends.x];
	b = labels[ends.y];
	if (a < b) {
		atomicMin(&labels[b], a);
		atomicMin(&labels[ends.y], a);
	} else if (b < a) {
		atomicMin(&labels[a], b);
		atomicMin(&labels[ends.x], b);
	}
}

static __global__ void shorten_ways(int *labels, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		labels[i] = labels[labels[i]];
}

static __global__ void count_islands(const int *labels, int count, int *islands)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int of_group = __syncthreads_count(i < count && labels[i] == i);

	if (!threadIdx.x)
		atomicAdd(islands, of_group);
}

/* As somebody has learnt it: launch, look for an error, wait. */
template <class Kernel, class... Words>
static void for_all(int count, Kernel kernel, Words... words)
{
	kernel<<<blocks_of(count), 256>>>(words...);
	CHECK(cudaGetLastError());
	if (!repaired)
		CHECK(cudaDeviceSynchronize());
}

/* Connected components of many graphs, in twelve rounds each. */
static void island_labels()
{
	const int places = 1 << 18, bridges = 2 * places;
	Device bridges_of(bridges * sizeof(int2)), labels_of(places * sizeof(int));
	Device islands_of(sizeof(int));
	int2 *ends = (int2 *)bridges_of.at(0);
	int *labels = (int *)labels_of.at(0), *islands = (int *)islands_of.at(0), found;

	CHECK(cudaMemset(islands_of, 0, sizeof(int)));
	for (unsigned graph = 0; graph < 1000; graph++) {
		for_all(bridges, build_bridges, ends, labels, places, hashed(graph));
		for (int round = 0; round < 12; round++) {
			for_all(bridges, cross_bridges, ends, labels, bridges);
			for_all(places, shorten_ways, labels, places);
		}
		for_all(places, count_islands, labels, places, islands);
	}
	CHECK(cudaMemcpy(&found, islands, sizeof(found), cudaMemcpyDeviceToHost));
	printf("%d islands\n", found);
}

/* What 4000 probes in a pipe say: it is there after a step, or is waited for at each look. */
class Probes
{
	Device pipe_{field_bytes};
	Pinned said_{count * sizeof(float)};
	Stream stream_;

      public:
	static const int count = 4000;

	Probes()
	{
		sown(numbers(pipe_), field_count, 1, stream_);
	}
	void step(int us)
	{
		all_for(us, numbers(pipe_), stream_);
		CHECK(cudaMemcpyAsync(said_, pipe_, count * sizeof(float), cudaMemcpyDeviceToHost,
				      stream_));
		if (repaired)
			CHECK(cudaStreamSynchronize(stream_));
	}
	float operator[](int probe)
	{
		if (!repaired)
			CHECK(cudaStreamSynchronize(stream_));
		return numbers(said_)[probe];
	}
};

static void probe_readings()
{
	Probes probes;
	int us = 4500;
	double sum = 0;

	for (int step = 0; step < 48; step++) {
		float mean = 0;

		probes.step(us);
		for (int probe = 0; probe < Probes::count; probe++)
			mean += probes[probe] / Probes::count;
		us = mean > 0.4f ? 4400 : 4600;
		sum += mean;
	}
	printf("mean %.6f\n", sum / 48);
}

/* How far a ray comes among spheres, of which there is one in each unit of space. */
static __global__ void march(float *depths, int width, int height, float time)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float depth = 0, dx, dy;

	if (i >= width * height)
		return;
	dx = (float)(i % width) / (float)width - 0.5f;
	dy = (float)(i / width) / (float)height - 0.5f;
	for (int step = 0; step < 400; step++) {
		float x = depth * dx + 0.5f, y = depth * dy + 0.5f, z = depth + time;

		x -= rintf(x);
		y -= rintf(y);
		z -= rintf(z);
		depth += 0.3f * fmaxf(sqrtf(x * x + y * y + z * z) - 0.2f, 0.001f);
	}
	depths[i] = 1 / (1 + depth);
}

/* A flight: each picture's rays are groups of their own, or groups have 128 of them. */
static void sphere_flight()
{
	const int width = 640, height = 400, rays = width * height, of_group = repaired ? 128 : 1;
	Device depths(rays * sizeof(float)), film(field_bytes);

	sown(numbers(film), field_count, 2);
	for (int picture = 0; picture < 48; picture++) {
		march<<<rays / of_group, of_group>>>(numbers(depths), width, height,
						     (float)picture * 0.03f);
		CHECK(cudaGetLastError());
		blended(numbers(film), numbers(depths), rays);
		all_for(4000, numbers(film));
	}
	show(numbers(film));
}

/* The table has room for 400 materials, which somebody had once, or for those that are there. */
static __global__ void walk(const float *sections, int filled, float *energies, int count,
			    int steps)
{
	extern __shared__ float table[];
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float energy;

	for (int j = (int)threadIdx.x; j < filled; j += (int)blockDim.x)
		table[j] = sections[j];
	__syncthreads();
	if (i >= count)
		return;
	energy = energies[i];
	for (int step = 0; step < steps; step++) {
		const float met = table[min((int)(energy * (float)filled), filled - 1)];

		energy = 0.5f * (met + 3.99f * energy * (1 - energy));
	}
	energies[i] = energy;
}

static void neutron_walks()
{
	const int of_material = 128, materials = 12, neutrons = 1 << 18;
	const int room = (repaired ? materials : 400) * of_material * (int)sizeof(float);
	Device sections(materials * of_material * sizeof(float));
	Device energies(neutrons * sizeof(float)), tally(field_bytes);

	CHECK(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
	sown(numbers(sections), materials * of_material, 3);
	sown(numbers(tally), field_count, 4);
	for (unsigned batch = 0; batch < 50; batch++) {
		sown(numbers(energies), neutrons, 5 + batch);
		walk<<<neutrons / 128, 128, room>>>(numbers(sections), materials * of_material,
						    numbers(energies), neutrons, 8000);
		CHECK(cudaGetLastError());
		blended(numbers(tally), numbers(energies), neutrons);
		all_for(3500, numbers(tally));
	}
	show(numbers(tally));
}

/* Contacts are solved by the host, for the few bodies that are awake. All bodies come to it and go
 * back, or these. */
static void rigid_bodies()
{
	const size_t count = 4 * field_count, awake = 1 << 16;
	Device bodies(count * sizeof(float));
	Pinned host(count * sizeof(float));
	Stream stream;

	sown(numbers(bodies), (int)count, 6, stream);
	CHECK(cudaMemcpyAsync(host, bodies, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
	for (int step = 0; step < 280; step++) {
		const size_t first = (size_t)(step * 5 % 16) * awake;
		const size_t begin = repaired ? first : 0, taken = repaired ? awake : count;
		float *mine = numbers(host) + begin, *there = numbers(bodies, begin);
		float *contacts = numbers(host) + first;

		all_for(900, numbers(bodies), stream);
		CHECK(cudaMemcpyAsync(mine, there, taken * sizeof(float), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		for (size_t i = 0; i < awake; i++)
			contacts[i] = std::min(std::max(contacts[i], -0.7f), 0.9f);
		CHECK(cudaMemcpyAsync(there, mine, taken * sizeof(float), cudaMemcpyHostToDevice,
				      stream));
	}
	show(numbers(bodies));
}

/* What a neighbour weighs, which takes long to find out. */
static __device__ float weight(int i, int neighbour)
{
	return churned(fraction((unsigned)(i * 24 + neighbour)), 700);
}

static __global__ void weigh(float *table, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	for (int neighbour = 0; i < count && neighbour < 24; neighbour++)
		table[(size_t)neighbour * count + i] = weight(i, neighbour);
}

static __global__ void pull(float *to, const float *from, const float *table, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float sum = 0;

	if (i >= count)
		return;
	for (int neighbour = 0; neighbour < 24; neighbour++) {
		const float heavy =
			table ? table[(size_t)neighbour * count + i] : weight(i, neighbour);

		sum = fmaf(heavy, from[(i + neighbour * 4099) % count], sum);
	}
	to[i] = 0.04f * sum;
}

/* Weights are kept in a table if there is memory for it. There is, but for a table of each with
 * each there is none. */
static void neighbour_table()
{
	const size_t count = field_count;
	const size_t bytes = count * (repaired ? 24 : count) * sizeof(float);
	Device atoms(field_bytes), pulled(field_bytes);
	float *table = nullptr;

	if (cudaMalloc((void **)&table, bytes) == cudaSuccess) {
		weigh<<<blocks_of(count), 256>>>(table, (int)count);
	} else {
		table = nullptr; /* then without */
		(void)cudaGetLastError();
	}
	sown(numbers(atoms), field_count, 7);
	for (int step = 0; step < 150; step++) {
		pull<<<blocks_of(count), 256>>>(numbers(pulled), numbers(atoms), table, (int)count);
		CHECK(cudaGetLastError());
		blended(numbers(atoms), numbers(pulled), field_count);
		all_for(1300, numbers(atoms));
	}
	show(numbers(atoms));
	CHECK(cudaFree(table));
}

// --- hashes, formulas, prices

/* The smallest hash of so many nonces, for a header that is the hash before. */
static __global__ void search_nonces(const unsigned *before, int nonces, unsigned *smallest)
{
	const unsigned header = *before;
	unsigned mine = ~0u;

	for (int nonce = (int)(blockIdx.x * blockDim.x + threadIdx.x); nonce < nonces;
	     nonce += (int)(gridDim.x * blockDim.x)) {
		unsigned hash = header;

		for (unsigned round = 0; round < 64; round++)
			hash = hashed(hash ^ ((unsigned)nonce + round * 0x9e3779b9u));
		mine = min(mine, hash);
	}
	atomicMin(smallest, mine);
}

/* As many groups as the laptop had room for on which this was written, or as this device has. */
static void nonce_search()
{
	const int blocks = 40;
	Device chain((blocks + 1) * sizeof(unsigned)), ledger(field_bytes);
	std::vector<unsigned> found(blocks + 1);
	unsigned *hashes = (unsigned *)chain.at(0), all = 0;
	int groups = 8;

	if (repaired) {
		CHECK(cudaDeviceGetAttribute(&groups, cudaDevAttrMultiProcessorCount, 0));
		groups *= 8;
	}
	CHECK(cudaMemset(chain, 0xff, (blocks + 1) * sizeof(unsigned)));
	sown(numbers(ledger), field_count, 8);
	for (int block = 0; block < blocks; block++) {
		all_for(5000, numbers(ledger));
		search_nonces<<<groups, 256>>>(hashes + block, 8 << 20, hashes + block + 1);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpy(found.data(), hashes, found.size() * sizeof(unsigned),
			 cudaMemcpyDeviceToHost));
	for (unsigned one : found)
		all = all * 31 + one;
	printf("chain %08x\n", all);
	show(numbers(ledger));
}

static __global__ void digest(const float *data, int count, unsigned *sum)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		atomicXor(sum, hashed(__float_as_uint(data[i]) + (unsigned)i));
}

/* Three threads, each with its stream, hash files. Each sum is first set to zero: by a function
 * that has no stream, or in that of the thread. */
static void hash_files(unsigned worker, unsigned *total)
{
	Device file(part_count * sizeof(float)), sum(sizeof(unsigned));
	Pinned seen(sizeof(unsigned));
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	sown(numbers(file), part_count, worker, stream);
	for (unsigned one = 0; one < 420; one++) {
		if (repaired)
			CHECK(cudaMemsetAsync(sum, 0, sizeof(unsigned), stream));
		else
			CHECK(cudaMemset(sum, 0, sizeof(unsigned)));
		part_for(250 + (int)(hashed(one * 3 + worker) % 200), numbers(file), stream);
		digest<<<part_count / 256, 256, 0, stream>>>(numbers(file), part_count,
							     (unsigned *)sum.at(0));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen, sum, sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		*total = *total * 31 + *(unsigned *)seen.at(0);
	}
	CHECK(cudaStreamDestroy(stream));
}

static void hash_workers()
{
	unsigned totals[3] = {};
	std::vector<std::thread> workers;

	CHECK(cudaFree(nullptr));
	for (unsigned worker = 0; worker < 3; worker++)
		workers.emplace_back(hash_files, worker, &totals[worker]);
	for (auto &one : workers)
		one.join();
	printf("files %08x %08x %08x\n", totals[0], totals[1], totals[2]);
}

/* A kernel whose text came from a user, or was made for one. */
class Formula
{
	CUmodule module_;
	CUfunction function_;

      public:
	Formula(const std::string &ptx)
	{
		MUST(cuModuleLoadData(&module_, ptx.c_str()));
		MUST(cuModuleGetFunction(&function_, module_, "formula"));
	}
	Formula(const Formula &) = delete;
	~Formula()
	{
		MUST(cuModuleUnload(module_));
	}
	void apply(float *data, int count, int rounds, cudaStream_t stream)
	{
		void *words[] = {&data, &count, &rounds};

		MUST(cuLaunchKernel(function_, (unsigned)blocks_of((size_t)count), 1, 1, 256, 1, 1,
				    0, stream, words, nullptr));
	}
};

/* NVRTC, which need not be installed for the other programs. */
class Compiler
{
	typedef void *Program;
	int (*create_)(Program *, const char *, const char *, int, const char *const *,
		       const char *const *);
	int (*compile_)(Program, int, const char *const *);
	int (*size_)(Program, size_t *);
	int (*text_)(Program, char *);
	int (*destroy_)(Program *);

	template <class Function>
	static void find(void *library, const char *name, Function &function)
	{
		function = (Function)dlsym(library, name);
		if (!function) {
			fprintf(stderr, "there is no %s\n", name);
			exit(1);
		}
	}
	static void checked(int status, const char *call)
	{
		if (!status)
			return;
		fprintf(stderr, "%s: error %d\n", call, status);
		exit(1);
	}

      public:
	Compiler()
	{
		void *library = nullptr;

		for (const char *name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
					 "/usr/local/cuda/lib64/libnvrtc.so"})
			if (!library)
				library = dlopen(name, RTLD_NOW);
		if (!library) {
			fprintf(stderr, "there is no libnvrtc.so\n");
			exit(1);
		}
		find(library, "nvrtcCreateProgram", create_);
		find(library, "nvrtcCompileProgram", compile_);
		find(library, "nvrtcGetPTXSize", size_);
		find(library, "nvrtcGetPTX", text_);
		find(library, "nvrtcDestroyProgram", destroy_);
	}
	std::string compiled(const std::string &expression)
	{
		const std::string text =
			"extern \"C\" __global__ void formula(float *data, int count, int rounds)\n"
			"{\n"
			"	const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
			"	if (i >= count)\n"
			"		return;\n"
			"	float x = data[i];\n"
			"	for (int round = 0; round < rounds; round++)\n"
			"		x = " +
			expression +
			";\n"
			"	data[i] = x;\n"
			"}\n";
		const char *options[] = {"--gpu-architecture=compute_80"};
		Program program;
		size_t size;
		std::string ptx;

		checked(create_(&program, text.c_str(), "formula.cu", 0, nullptr, nullptr),
			"nvrtcCreateProgram");
		checked(compile_(program, 1, options), "nvrtcCompileProgram");
		checked(size_(program, &size), "nvrtcGetPTXSize");
		ptx.resize(size);
		checked(text_(program, &ptx[0]), "nvrtcGetPTX");
		checked(destroy_(&program), "nvrtcDestroyProgram");
		return ptx;
	}
};

/* Users have formulas, which are compiled when they ask; what was compiled is kept, or isn't. */
static void user_formulas()
{
	static const char *const expressions[] = {
		"1 - 1.8f * x * x",    "sinf(2.7f * x)",   "cosf(3 * x) * 0.9f",
		"fabsf(1 - 1.9f * x)", "1 - 1.7f * x * x", "sinf(3 * x) * cosf(x)",
	};
	Compiler compiler;
	Device cells(field_bytes);
	Pinned seen(sizeof(float));
	Stream stream;
	std::map<std::string, std::unique_ptr<Formula>> kept;
	double sum = 0;

	sown(numbers(cells), field_count, 9, stream);
	for (unsigned request = 0; request < 24; request++) {
		const std::string expression = expressions[hashed(request) % 6];
		std::unique_ptr<Formula> &formula = kept[expression];

		if (!formula)
			formula.reset(new Formula(compiler.compiled(expression)));
		formula->apply(numbers(cells), field_count, 50, stream);
		all_for(8000, numbers(cells), stream);
		CHECK(cudaMemcpyAsync(seen, cells, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		sum += *numbers(seen);
		if (!repaired)
			kept.clear();
	}
	printf("asked %.6f\n", sum);
}

/* Four books of a desk are priced by themselves, and their risks are added up: one after another
 * in the desk's stream, or each book in its own. */
struct Book {
	Device paths{part_count * sizeof(float)};
	Stream own;
	Event priced;
};

static void desk_books()
{
	Book books[4];
	Device risk(field_bytes);
	Stream desk;
	Event added;

	for (unsigned i = 0; i < 4; i++)
		sown(numbers(books[i].paths), part_count, 10 + i);
	sown(numbers(risk), field_count, 14);
	CHECK(cudaDeviceSynchronize());
	for (int scenario = 0; scenario < 320; scenario++) {
		for (Book &book : books) {
			const cudaStream_t stream = repaired ? book.own : desk;

			CHECK(cudaStreamWaitEvent(stream, added));
			part_for(280, numbers(book.paths), stream);
			CHECK(cudaEventRecord(book.priced, stream));
		}
		for (Book &book : books) {
			CHECK(cudaStreamWaitEvent(desk, book.priced));
			blended(numbers(risk), numbers(book.paths), part_count, desk);
		}
		all_for(200, numbers(risk), desk);
		CHECK(cudaEventRecord(added, desk));
	}
	show(numbers(risk));
}

// --- pictures, sound, measurements

/* Pages of a scanner, in memory that the device can fetch from; what a page had is freed when it's
 * sent, or kept for another. */
class PageStore
{
	std::vector<char *> free_;

      public:
	static const size_t bytes = 8 * MIB;

	~PageStore()
	{
		for (char *page : free_)
			CHECK(cudaFreeHost(page));
	}
	char *take()
	{
		char *page;

		if (!free_.empty()) {
			page = free_.back();
			free_.pop_back();
			return page;
		}
		CHECK(cudaHostAlloc((void **)&page, bytes, cudaHostAllocDefault));
		return page;
	}
	void give(char *page)
	{
		if (repaired)
			free_.push_back(page);
		else
			CHECK(cudaFreeHost(page));
	}
};

static __global__ void find_ink(const uchar4 *page, int count, float *ink)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count) {
		const uchar4 four = page[2 * i];

		ink[i] = (float)(four.x + four.y + four.z + four.w) / 1020.0f;
	}
}

static void scanned_pages()
{
	PageStore store;
	Device page_of(PageStore::bytes), ink(field_bytes), text(field_bytes);
	Stream stream;
	Event sent[2];
	char *before = nullptr;

	sown(numbers(text), field_count, 15, stream);
	for (int page = 0; page < 130; page++) {
		char *here = store.take();

		memset(here, page, PageStore::bytes);
		for (size_t line = 0; line < PageStore::bytes; line += 4096)
			here[line] = (char)hashed((unsigned)line + (unsigned)page);
		CHECK(cudaMemcpyAsync(page_of, here, PageStore::bytes, cudaMemcpyHostToDevice,
				      stream));
		CHECK(cudaEventRecord(sent[page % 2], stream));
		find_ink<<<blocks_of(field_count), 256, 0, stream>>>((const uchar4 *)page_of.at(0),
								     field_count, numbers(ink));
		CHECK(cudaGetLastError());
		blended(numbers(text), numbers(ink), field_count, stream);
		all_for(1200, numbers(text), stream);
		if (before) {
			CHECK(cudaEventSynchronize(sent[(page + 1) % 2]));
			store.give(before);
		}
		before = here;
	}
	show(numbers(text));
	store.give(before);
}

struct Matrix {
	float of[16];
};

static __global__ void transform(const Matrix *objects, int count, float *film)
{
	const int object = (int)blockIdx.x, vertex = (int)threadIdx.x, i = object * 1024 + vertex;
	const float *of = objects[object].of;
	const float x = (float)(vertex % 32) / 32, y = (float)(vertex / 32) / 32;

	if (object < count)
		film[i] = 0.5f * film[i] + 0.1f * (of[0] * x + of[5] * y + of[12]);
}

/* Each object has a matrix, which is sent when it was changed, or when all were. */
static void scene_matrices()
{
	const int objects = 700;
	Device matrices(objects * sizeof(Matrix)), film(field_bytes);
	std::vector<Matrix> scene(objects, Matrix{});
	Matrix *there = (Matrix *)matrices.at(0);

	sown(numbers(film), field_count, 16);
	for (int frame = 0; frame < 48; frame++) {
		for (int i = 0; i < objects; i++) {
			const float angle = fraction((unsigned)i) + 0.01f * (float)frame;

			scene[i].of[0] = scene[i].of[5] = cosf(angle);
			scene[i].of[12] = sinf(angle);
			if (!repaired)
				CHECK(cudaMemcpy(there + i, &scene[i], sizeof(Matrix),
						 cudaMemcpyHostToDevice));
		}
		if (repaired)
			CHECK(cudaMemcpy(there, scene.data(), objects * sizeof(Matrix),
					 cudaMemcpyHostToDevice));
		transform<<<objects, 1024>>>(there, objects, numbers(film));
		CHECK(cudaGetLastError());
		all_for(4000, numbers(film));
	}
	show(numbers(film));
}

struct Echo {
	float x, y, z, range;
	unsigned time, ring;
	float strength, reserved;
};

static __global__ void sweep(Echo *echoes, int count, unsigned turn)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i >= count)
		return;
	echoes[i].range = 1 + 99 * fraction((unsigned)i + turn * 7919);
	echoes[i].strength = churned(fraction((unsigned)i), 100);
	echoes[i].time = turn;
}

static __global__ void pick_ranges(const Echo *echoes, int count, float *ranges)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		ranges[i] = echoes[i].range;
}

/* How far away things are: the host takes that out of the echoes, or is given it together. */
static void lidar_turns()
{
	const int count = 200000;
	const size_t each = sizeof(float);
	Device echoes_of(count * sizeof(Echo)), picked(count * each), map(field_bytes);
	Echo *echoes = (Echo *)echoes_of.at(0);
	Pinned ranges(count * each);
	Stream stream;
	double nearest = 0;

	CHECK(cudaMemsetAsync(echoes_of, 0, count * sizeof(Echo), stream));
	sown(numbers(map), field_count, 17, stream);
	for (unsigned turn = 0; turn < 45; turn++) {
		float least = 1e9f;

		sweep<<<blocks_of(count), 256, 0, stream>>>(echoes, count, turn);
		CHECK(cudaGetLastError());
		all_for(4500, numbers(map), stream);
		if (repaired) {
			pick_ranges<<<blocks_of(count), 256, 0, stream>>>(echoes, count,
									  numbers(picked));
			CHECK(cudaMemcpyAsync(ranges, picked, count * each, cudaMemcpyDeviceToHost,
					      stream));
		} else {
			CHECK(cudaMemcpy2DAsync(ranges, each, &echoes->range, sizeof(Echo), each,
						count, cudaMemcpyDeviceToHost, stream));
		}
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < count; i++)
			least = std::min(least, numbers(ranges)[i]);
		nearest += least;
	}
	printf("nearest %.6f\n", nearest);
	show(numbers(map));
}

template <class T> struct PinnedAllocator {
	typedef T value_type;

	T *allocate(size_t count)
	{
		void *at;

		CHECK(cudaMallocHost(&at, count * sizeof(T)));
		return (T *)at;
	}
	void deallocate(T *at, size_t)
	{
		CHECK(cudaFreeHost(at));
	}
	bool operator==(const PinnedAllocator &) const
	{
		return true;
	}
	bool operator!=(const PinnedAllocator &) const
	{
		return false;
	}
};

static __global__ void count_motif(const char *reads, size_t count, unsigned *found)
{
	const char motif[] = {'A', 'C', 'G', 'T', 'T', 'G'};
	const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	bool here = i + sizeof(motif) <= count;
	int of_group;

	for (size_t letter = 0; here && letter < sizeof(motif); letter++)
		here = reads[i + letter] == motif[letter];
	of_group = __syncthreads_count(here);
	if (!threadIdx.x)
		atomicAdd(found, (unsigned)of_group);
}

/* Reads of a genome are in vectors, whose memory is of any kind, or pinned. */
template <class Text> static void count_in_reads()
{
	const size_t bytes = 24 * MIB;
	Text texts[2] = {Text(bytes), Text(bytes)};
	Device reads(bytes), found(sizeof(unsigned)), model(field_bytes);
	Stream stream;
	Event sent[2];
	unsigned sum;

	for (Text &text : texts) {
		for (size_t i = 0; i < MIB; i++)
			text[i] = "ACGT"[hashed((unsigned)i) & 3];
		for (size_t at = MIB; at < bytes; at += MIB)
			memcpy(&text[at], &text[0], MIB);
	}
	CHECK(cudaMemsetAsync(found, 0, sizeof(unsigned), stream));
	sown(numbers(model), field_count, 18, stream);
	for (unsigned chunk = 0; chunk < 110; chunk++) {
		Text &text = texts[chunk % 2];

		CHECK(cudaEventSynchronize(sent[chunk % 2]));
		for (size_t i = 0; i < bytes; i += 4096)
			text[i] = "ACGT"[hashed((unsigned)i ^ chunk << 25) & 3];
		CHECK(cudaMemcpyAsync(reads, text.data(), bytes, cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(sent[chunk % 2], stream));
		count_motif<<<blocks_of(bytes), 256, 0, stream>>>(reads.at(0), bytes,
								  (unsigned *)found.at(0));
		CHECK(cudaGetLastError());
		all_for(1000, numbers(model), stream);
	}
	CHECK(cudaMemcpyAsync(&sum, found, sizeof(sum), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("%u motifs\n", sum);
	show(numbers(model));
}

static void genome_reads()
{
	if (repaired)
		count_in_reads<std::vector<char, PinnedAllocator<char>>>();
	else
		count_in_reads<std::vector<char>>();
}

/* Stems of a song. In each block another one has much to do. They are mixed at the end of a bar,
 * and wait for each other then, or after each block. */
static void audio_stems()
{
	const int stems = 4, of_bar = 50;
	auto sounds = several<Device>(stems, part_count * sizeof(float));
	Device mix(field_bytes);
	Stream streams[stems];
	Event done[stems];
	auto meet = [&] {
		for (int stem = 0; stem < stems; stem++)
			CHECK(cudaEventRecord(done[stem], streams[stem]));
		for (int stem = 0; stem < stems; stem++)
			for (int other = 0; other < stems; other++)
				if (other != stem)
					CHECK(cudaStreamWaitEvent(streams[stem], done[other]));
	};

	for (int stem = 0; stem < stems; stem++)
		sown(numbers(sounds[stem]), part_count, 19 + (unsigned)stem);
	sown(numbers(mix), field_count, 23);
	CHECK(cudaDeviceSynchronize());
	for (int block = 0; block < 1000; block++) {
		const int busy = (int)(hashed((unsigned)block) % stems);

		for (int stem = 0; stem < stems; stem++)
			part_for(stem == busy ? 420 : 100, numbers(sounds[stem]), streams[stem]);
		if (!repaired || block % of_bar == of_bar - 1)
			meet();
		if (block % of_bar != of_bar - 1)
			continue;
		for (Device &sound : sounds)
			blended(numbers(mix), numbers(sound), part_count, streams[0]);
		meet();
	}
	show(numbers(mix));
}

// --- servers

/* A job is a row of phases. How long one takes depends on what the one before left. */
class Job
{
	Device grid_{field_bytes};
	Pinned left_{sizeof(float)};
	Stream stream_;
	int us_ = 1300;

      public:
	Job(unsigned salt)
	{
		sown(numbers(grid_), field_count, salt, stream_);
	}
	void begin()
	{
		all_for(us_, numbers(grid_), stream_);
		CHECK(cudaMemcpyAsync(left_, grid_, sizeof(float), cudaMemcpyDeviceToHost,
				      stream_));
	}
	bool is_over()
	{
		const cudaError_t status = cudaStreamQuery(stream_);

		if (status == cudaErrorNotReady)
			return false;
		CHECK(status);
		return true;
	}
	void wait()
	{
		CHECK(cudaStreamSynchronize(stream_));
	}
	float left()
	{
		us_ = *numbers(left_) > 0.3f ? 1250 : 1350;
		return *numbers(left_);
	}
};

/* A scheduler looks at its job whenever its clock ticks, or when the job is over. */
static void ticking_scheduler()
{
	double sum = 0;

	for (unsigned number = 0; number < 5; number++) {
		Job job(24 + number);

		for (int phase = 0; phase < 42; phase++) {
			job.begin();
			if (repaired)
				job.wait();
			while (!job.is_over())
				host_sleep(2000);
			sum += job.left();
		}
	}
	printf("left %.6f\n", sum);
}

/* A query goes to eight shards, each of which has a stream and an event; these are the query's,
 * or the server's. */
struct Shard {
	CUstream stream;
	CUevent found;

	void open()
	{
		MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
		MUST(cuEventCreate(&found, CU_EVENT_DISABLE_TIMING));
	}
	void close()
	{
		MUST(cuEventDestroy(found));
		MUST(cuStreamDestroy(stream));
	}
};

static void fan_out_queries()
{
	const int count = 8, queries = 800;
	auto indices = several<Device>(count, part_count * sizeof(float));
	Device best(part_count * sizeof(float));
	Pinned answer(sizeof(float));
	Shard shards[count];
	Stream merging;
	double sum = 0;

	for (int i = 0; i < count; i++)
		sown(numbers(indices[i]), part_count, 29 + (unsigned)i);
	sown(numbers(best), part_count, 37);
	CHECK(cudaDeviceSynchronize());
	for (int query = 0; query < queries; query++) {
		for (int i = 0; i < count; i++) {
			if (!repaired || !query)
				shards[i].open();
			part_for(120, numbers(indices[i]), shards[i].stream);
			MUST(cuEventRecord(shards[i].found, shards[i].stream));
			MUST(cuStreamWaitEvent(merging, shards[i].found, 0));
		}
		for (Device &index : indices)
			blended(numbers(best), numbers(index), part_count, merging);
		CHECK(cudaMemcpyAsync(answer, best, sizeof(float), cudaMemcpyDeviceToHost,
				      merging));
		CHECK(cudaStreamSynchronize(merging));
		sum += *numbers(answer);
		for (Shard &shard : shards)
			if (!repaired || query == queries - 1)
				shard.close();
	}
	printf("answers %.6f\n", sum);
}

/* A job that is rejected ends before its memory is given back, or after that. */
static bool run_job(unsigned job, float *results)
{
	const bool rejected = hashed(job) % 4 == 0;
	CUdeviceptr scratch;

	MUST(cuMemAlloc(&scratch, 16 * MIB));
	sown((float *)scratch, field_count, job);
	all_for(3000, (float *)scratch);
	if (rejected && !repaired)
		return false;
	if (!rejected)
		blended(results, (float *)scratch, field_count);
	MUST(cuMemFree(scratch));
	return !rejected;
}

static void rejected_jobs()
{
	Device results(field_bytes);
	int done = 0;

	sown(numbers(results), field_count, 38);
	for (unsigned job = 0; job < 120; job++)
		done += run_job(job, numbers(results));
	printf("%d jobs\n", done);
	show(numbers(results));
}

/* A hundred layers for each token are a graph. It is captured for each token, in case that
 * something is not as it was, and the one that is there is updated from it; or for the first
 * token. */
class Decoder
{
	Device state_{part_count * sizeof(float)};
	Pinned token_{sizeof(float)};
	Stream stream_;
	cudaGraphExec_t ready_ = nullptr;

	cudaGraph_t captured()
	{
		cudaGraph_t graph;

		CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
		for (int layer = 0; layer < 100; layer++)
			churn<<<part_count / 256, 256, 0, stream_>>>(numbers(state_), part_count,
								     200 + layer);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(token_, state_, sizeof(float), cudaMemcpyDeviceToHost,
				      stream_));
		CHECK(cudaStreamEndCapture(stream_, &graph));
		return graph;
	}

      public:
	Decoder()
	{
		sown(numbers(state_), part_count, 39, stream_);
	}
	~Decoder()
	{
		CHECK(cudaGraphExecDestroy(ready_));
	}
	float next()
	{
		if (!ready_ || !repaired) {
			cudaGraphExecUpdateResultInfo changed;
			cudaGraph_t graph = captured();

			if (ready_)
				CHECK(cudaGraphExecUpdate(ready_, graph, &changed));
			else
				CHECK(cudaGraphInstantiate(&ready_, graph, 0));
			CHECK(cudaGraphDestroy(graph));
		}
		CHECK(cudaGraphLaunch(ready_, stream_));
		CHECK(cudaStreamSynchronize(stream_));
		return *numbers(token_);
	}
};

static void token_graph()
{
	Decoder decoder;
	double sum = 0;

	for (int token = 0; token < 1000; token++) {
		const float said = decoder.next();

		if (said < -0.9f) /* the end of the text */
			break;
		sum += said;
	}
	printf("text %.6f\n", sum);
}

/* Rows of a table are written as text: by the function that the stream calls, or by a thread that
 * this function gives them to. */
class RowWriter
{
	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<int> given_;
	bool taken_[4] = {}, over_ = false;
	std::vector<Pinned> rows_ = several<Pinned>(4, count * sizeof(float));
	unsigned text_ = 0;
	std::thread thread_;

	void write(int slot)
	{
		char line[64];

		for (int i = 0; i < count; i++) {
			const int length = snprintf(line, sizeof(line), "%d,%.5f\n", i,
						    numbers(rows_[slot])[i]);

			text_ = text_ * 31 + (unsigned)length + (unsigned char)line[length - 3];
		}
		std::lock_guard<std::mutex> held(mutex_);
		taken_[slot] = false;
		changed_.notify_all();
	}
	void run()
	{
		for (;;) {
			std::unique_lock<std::mutex> held(mutex_);
			int slot;

			changed_.wait(held, [&] { return over_ || !given_.empty(); });
			if (given_.empty())
				return;
			slot = given_.front();
			given_.pop_front();
			held.unlock();
			write(slot);
		}
	}

      public:
	static const int count = 4500;
	struct Slot {
		RowWriter *writer;
		int number;
	} slots[4];

	RowWriter() : thread_([this] { run(); })
	{
		for (int i = 0; i < 4; i++)
			slots[i] = {this, i};
	}
	static void write_rows(void *of)
	{
		Slot *slot = (Slot *)of;
		RowWriter *self = slot->writer;

		if (!repaired) {
			self->write(slot->number);
			return;
		}
		std::lock_guard<std::mutex> held(self->mutex_);
		self->given_.push_back(slot->number);
		self->changed_.notify_all();
	}
	Pinned &take(int slot)
	{
		std::unique_lock<std::mutex> held(mutex_);

		changed_.wait(held, [&] { return !taken_[slot]; });
		taken_[slot] = true;
		return rows_[slot];
	}
	unsigned finish()
	{
		for (int slot = 0; slot < 4; slot++)
			take(slot);
		{
			std::lock_guard<std::mutex> held(mutex_);

			over_ = true;
			changed_.notify_all();
		}
		thread_.join();
		return text_;
	}
};

static void csv_rows()
{
	Device table(field_bytes);
	Stream stream;
	RowWriter writer;

	sown(numbers(table), field_count, 40, stream);
	for (int part = 0; part < 150; part++) {
		Pinned &rows = writer.take(part % 4);

		all_for(1500, numbers(table), stream);
		CHECK(cudaMemcpyAsync(rows, table, RowWriter::count * sizeof(float),
				      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaLaunchHostFunc(stream, RowWriter::write_rows, &writer.slots[part % 4]));
	}
	CHECK(cudaStreamSynchronize(stream));
	printf("text %08x\n", writer.finish());
}

// --- programs without a fault

/* Four basins, each of which takes a quarter of the device, at the same time. */
static void clean_four_basins()
{
	const int groups = 33;
	auto basins = several<Device>(4, groups * 1024 * sizeof(float));
	Stream streams[4];

	for (int i = 0; i < 4; i++)
		sown(numbers(basins[i]), groups * 1024, 41 + (unsigned)i);
	CHECK(cudaDeviceSynchronize());
	for (int hour = 0; hour < 600; hour++)
		for (int i = 0; i < 4; i++)
			full_for(600, numbers(basins[i]), groups, streams[i]);
	for (Device &basin : basins)
		show(numbers(basin));
}

/* Few jobs, each of which has memory of its own, for long. */
static void clean_job_memory()
{
	double sum = 0;

	for (unsigned job = 0; job < 6; job++) {
		const size_t more = hashed(job) % 8 * MIB;
		Device grid(8 * MIB + more), old(8 * MIB + 2 * more), found(field_bytes);
		float seen;

		sown(numbers(grid), field_count, 45 + job);
		sown(numbers(old), field_count, 51 + job);
		for (int step = 0; step < 60; step++) {
			all_for(1000, numbers(grid));
			blended(numbers(old), numbers(grid), field_count);
		}
		CHECK(cudaMemcpyAsync(found, old, field_bytes, cudaMemcpyDeviceToDevice));
		CHECK(cudaMemcpy(&seen, found, sizeof(seen), cudaMemcpyDeviceToHost));
		sum += seen;
	}
	printf("jobs %.6f\n", sum);
}

/* All of what was computed is looked at by the host, while the next is computed. */
static void clean_large_results()
{
	const int count = 4 * field_count, steps = 110;
	const size_t bytes = count * sizeof(float);
	auto results = several<Device>(2, bytes);
	auto hosts = several<Pinned>(2, bytes);
	Stream computing, fetching;
	Event ready[2], there[2];
	unsigned long long all = 0;

	for (unsigned i = 0; i < 2; i++)
		sown(numbers(results[i]), count, 57 + i);
	CHECK(cudaDeviceSynchronize());
	for (int step = 0; step <= steps; step++) {
		const int at = step % 2, other = 1 - at;

		if (step < steps) {
			CHECK(cudaStreamWaitEvent(computing, there[at]));
			churn<<<blocks_of(count), 256, 0, computing>>>(numbers(results[at]), count,
								       3500 * 13 / 4);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(ready[at], computing));
			CHECK(cudaStreamWaitEvent(fetching, ready[at]));
			CHECK(cudaMemcpyAsync(hosts[at], results[at], bytes, cudaMemcpyDeviceToHost,
					      fetching));
			CHECK(cudaEventRecord(there[at], fetching));
		}
		if (!step)
			continue;
		CHECK(cudaEventSynchronize(there[other]));
		for (size_t i = 0; i < bytes / sizeof(all); i++)
			all ^= ((unsigned long long *)hosts[other].at(0))[i];
	}
	printf("results %016llx\n", all);
}

/* Items go through three stations. Each takes a third of the device, and they work at the same
 * time. */
static void clean_assembly_line()
{
	const int groups = 44, slots = 4;
	auto items = several<Device>(slots, groups * 1024 * sizeof(float));
	Stream stations[3];
	Event done[3][slots];

	for (int slot = 0; slot < slots; slot++)
		sown(numbers(items[slot]), groups * 1024, 59 + (unsigned)slot);
	CHECK(cudaDeviceSynchronize());
	for (int item = 0; item < 520; item++) {
		const int slot = item % slots;

		for (int station = 0; station < 3; station++) {
			CHECK(cudaStreamWaitEvent(stations[station],
						  done[(station + 2) % 3][slot]));
			full_for(600, numbers(items[slot]), groups, stations[station]);
			CHECK(cudaEventRecord(done[station][slot], stations[station]));
		}
	}
	for (Device &item : items)
		show(numbers(item));
}

/* x = factor * x * x + 1, so many times. */
static std::string formula_for(float factor)
{
	char text[1280];
	unsigned bits;

	memcpy(&bits, &factor, sizeof(bits));
	snprintf(
		text, sizeof(text),
		".version 7.0\n.target sm_70\n.address_size 64\n"
		".visible .entry formula(.param .u64 data, .param .u32 count, .param .u32 rounds)\n"
		"{\n"
		"\t.reg .pred %%p<3>;\n\t.reg .b32 %%r<7>;\n"
		"\t.reg .f32 %%f<3>;\n\t.reg .b64 %%rd<5>;\n"
		"\tld.param.u64 %%rd1, [data];\n\tld.param.u32 %%r1, [count];\n"
		"\tld.param.u32 %%r2, [rounds];\n"
		"\tmov.u32 %%r3, %%ctaid.x;\n\tmov.u32 %%r4, %%ntid.x;\n\tmov.u32 %%r5, %%tid.x;\n"
		"\tmad.lo.s32 %%r6, %%r3, %%r4, %%r5;\n"
		"\tsetp.ge.s32 %%p1, %%r6, %%r1;\n\t@%%p1 bra DONE;\n"
		"\tcvta.to.global.u64 %%rd2, %%rd1;\n\tmul.wide.s32 %%rd3, %%r6, 4;\n"
		"\tadd.s64 %%rd4, %%rd2, %%rd3;\n\tld.global.f32 %%f1, [%%rd4];\n"
		"AGAIN:\n"
		"\tmul.rn.f32 %%f2, %%f1, 0f%08X;\n\tfma.rn.f32 %%f1, %%f2, %%f1, 0f3F800000;\n"
		"\tsub.s32 %%r2, %%r2, 1;\n\tsetp.gt.s32 %%p2, %%r2, 0;\n\t@%%p2 bra AGAIN;\n"
		"\tst.global.f32 [%%rd4], %%f1;\n"
		"DONE:\n\tret;\n}\n",
		bits);
	return text;
}

/* Eight kernels are made when the program begins, and used until it ends. */
static void clean_formula_set()
{
	std::vector<std::unique_ptr<Formula>> formulas;
	Device cells(field_bytes);
	Stream stream;

	sown(numbers(cells), field_count, 63, stream);
	for (int i = 0; i < 8; i++)
		formulas.emplace_back(new Formula(formula_for(-1.5f - 0.05f * (float)i)));
	for (unsigned step = 0; step < 1000; step++)
		formulas[hashed(step) % 8]->apply(numbers(cells), field_count, 400 * 13, stream);
	show(numbers(cells));
}

/* How far it is gets asked now and then, while the device has enough to do. */
static void clean_progress_bar()
{
	const int tenths = 10;
	Device render(field_bytes);
	Stream stream;
	Event reached[tenths];
	int at = 0;

	sown(numbers(render), field_count, 64, stream);
	for (int tenth = 0; tenth < tenths; tenth++) {
		for (int pass = 0; pass < 80; pass++)
			all_for(450, numbers(render), stream);
		CHECK(cudaEventRecord(reached[tenth], stream));
	}
	while (at < tenths - 1) {
		const cudaError_t status = cudaEventQuery(reached[at]);

		if (status == cudaSuccess) {
			printf("%d %%\n", ++at * 100 / tenths);
		} else if (status == cudaErrorNotReady) {
			host_sleep(10000);
		} else {
			CHECK(status);
		}
	}
	CHECK(cudaEventSynchronize(reached[at]));
	show(numbers(render));
}

static const Case cases[] = {
	CASE(island_labels),	   CASE(probe_readings),
	CASE(sphere_flight),	   CASE(neutron_walks),
	CASE(rigid_bodies),	   CASE(neighbour_table),
	CASE(nonce_search),	   CASE(hash_workers),
	CASE(user_formulas),	   CASE(desk_books),
	CASE(scanned_pages),	   CASE(scene_matrices),
	CASE(lidar_turns),	   CASE(genome_reads),
	CASE(audio_stems),	   CASE(ticking_scheduler),
	CASE(fan_out_queries),	   CASE(rejected_jobs),
	CASE(token_graph),	   CASE(csv_rows),
	CASE(clean_four_basins),   CASE(clean_job_memory),
	CASE(clean_large_results), CASE(clean_assembly_line),
	CASE(clean_formula_set),   CASE(clean_progress_bar),
};

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
