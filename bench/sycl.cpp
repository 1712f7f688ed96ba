// SPDX-License-Identifier: MIT
//
// What a memset and its wait, and a kernel and its wait, cost the thread that submits them to the
// CPU device: nanoseconds of its CPU time (other programs have the same CPUs), the least of several
// series. bench/xpti.py builds it against a runtime that is installed.
#include <cstdio>
#include <ctime>
#include <sycl/sycl.hpp>

namespace syclexp = sycl::ext::oneapi::experimental;

static const char *const source = R"(
#include <sycl/sycl.hpp>
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::single_task_kernel))
void add(int *data) { *data += 1; }
)";

static double now_ns()
{
	timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

template <typename Work> static void measure(const char *name, Work work)
{
	const int calls = 1000;
	double least = 0;

	for (int series = 0; series < 15; series++) {
		const double begin = now_ns();

		for (int i = 0; i < calls; i++)
			work();
		const double ns = (now_ns() - begin) / calls;

		if (!series || ns < least)
			least = ns;
	}
	std::printf("%s %.1f\n", name, least);
}

int main()
{
	sycl::queue queue{sycl::cpu_selector_v, sycl::property::queue::in_order{}};
	auto bundle = syclexp::create_kernel_bundle_from_source(
		queue.get_context(), syclexp::source_language::sycl, source);
	auto add = syclexp::build(bundle).ext_oneapi_get_kernel("add");
	int *data = sycl::malloc_shared<int>(64, queue);

	measure("memset and wait", [&] { queue.memset(data, 0, 256).wait(); });
	measure("kernel and wait", [&] {
		queue.submit([&](sycl::handler &h) {
			     h.set_args(data);
			     h.single_task(add);
		     }).wait();
	});
	sycl::free(data, queue);
	return 0;
}
