/* SPDX-License-Identifier: MIT */
/* What faults.cu works with: kernels that take a known time or do a known amount of
 * work, memory and queues that are released with their object, work of the host. */
#ifndef TANDEM_TESTS_HW_CUDA_FAULTS_H
#define TANDEM_TESTS_HW_CUDA_FAULTS_H

#include <cstddef>
#include <vector>

#include "common.h"

/* A block on each multiprocessor that takes so many us, whatever its clock is. */
static __global__ void take(unsigned long long ns)
{
	unsigned long long begin, now;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
	do
		asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
	while (now - begin < ns);
}

static inline void work(int us, cudaStream_t stream = nullptr)
{
	take<<<132, 256, 0, stream>>>((unsigned long long)us * 1000);
	CHECK(cudaGetLastError());
}

static __global__ void fill(float *data, int count, float value)
{
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
	     i += (int)(gridDim.x * blockDim.x))
		data[i] = value;
}

static __device__ float result;

/* The same work in all, however many threads there are. */
static __global__ void compute(int items)
{
	float x = 1;

	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < items;
	     i += (int)(gridDim.x * blockDim.x))
		for (int round = 0; round < 100; round++)
			x = x * 0.999f + (float)i;
	if (x == 12345)
		result = x;
}

/* Each instruction waits for the one before it: only more warps help. */
static __global__ void latency(int rounds)
{
	float x = (float)threadIdx.x;

	for (int round = 0; round < rounds; round++)
		x = x * 0.999f + 0.5f;
	if (x == 12345)
		result = x;
}

static inline int blocks_of(size_t items)
{
	return (int)((items + 255) / 256);
}

class Device
{
	void *at_ = nullptr;

      public:
	Device(size_t bytes)
	{
		CHECK(cudaMalloc(&at_, bytes));
	}
	Device(const Device &) = delete;
	Device(Device &&other) : at_(other.at_)
	{
		other.at_ = nullptr;
	}
	~Device()
	{
		CHECK(cudaFree(at_));
	}
	operator void *()
	{
		return at_;
	}
	char *at(size_t byte)
	{
		return (char *)at_ + byte;
	}
};

class Pinned
{
	char *at_ = nullptr;

      public:
	Pinned(size_t bytes)
	{
		CHECK(cudaMallocHost((void **)&at_, bytes));
		for (size_t i = 0; i < bytes; i += 64)
			at_[i] = (char)(i >> 6);
	}
	Pinned(const Pinned &) = delete;
	Pinned(Pinned &&other) : at_(other.at_)
	{
		other.at_ = nullptr;
	}
	~Pinned()
	{
		CHECK(cudaFreeHost(at_));
	}
	operator void *()
	{
		return at_;
	}
	char *at(size_t byte)
	{
		return at_ + byte;
	}
	/* New data, for which a hash of the whole must differ. */
	void change(int round)
	{
		*(int *)at_ = round + 1;
	}
};

template <class What> static inline std::vector<What> several(int count, size_t bytes)
{
	std::vector<What> made;

	for (int i = 0; i < count; i++)
		made.emplace_back(bytes);
	return made;
}

class Stream
{
	cudaStream_t stream_;

      public:
	Stream()
	{
		CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
	}
	Stream(const Stream &) = delete;
	~Stream()
	{
		CHECK(cudaStreamDestroy(stream_));
	}
	operator cudaStream_t()
	{
		return stream_;
	}
};

class Event
{
	cudaEvent_t event_;

      public:
	Event()
	{
		CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
	}
	Event(const Event &) = delete;
	~Event()
	{
		CHECK(cudaEventDestroy(event_));
	}
	operator cudaEvent_t()
	{
		return event_;
	}
};

/* A kernel from PTX's text, which the driver compiles when it is loaded. */
class Kernel
{
	CUmodule module_;
	CUfunction function_;

	static void must(CUresult status, const char *call)
	{
		if (status == CUDA_SUCCESS)
			return;
		fprintf(stderr, "%s: error %d\n", call, status);
		exit(1);
	}

      public:
	Kernel()
	{
		static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
					  ".visible .entry loaded() { ret; }\n";

		CHECK(cudaFree(nullptr)); /* the runtime's context is current */
		must(cuModuleLoadData(&module_, ptx), "cuModuleLoadData");
		must(cuModuleGetFunction(&function_, module_, "loaded"), "cuModuleGetFunction");
	}
	Kernel(const Kernel &) = delete;
	~Kernel()
	{
		must(cuModuleUnload(module_), "cuModuleUnload");
	}
	void launch()
	{
		must(cuLaunchKernel(function_, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
		     "cuLaunchKernel");
	}
};

static inline void host_busy(int us)
{
	const double end = now_ns() + us * 1e3;

	while (now_ns() < end)
		;
}

static inline void host_sleep(int us)
{
	const struct timespec time = {us / 1000000, us % 1000000 * 1000L};

	nanosleep(&time, nullptr);
}

#endif
