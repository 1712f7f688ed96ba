// SPDX-License-Identifier: MIT
//
// A SYCL program of every construct that the runtime instruments: kernels from a source string on
// buffers with accessors (whose conflicts are the edges of the graph), host tasks, USM of three
// kinds, memset, memcpy, waits. Checks its own results; prints the same in every run.
#include <cstdio>
#include <cstdlib>
#include <sycl/sycl.hpp>
#include <vector>

namespace syclexp = sycl::ext::oneapi::experimental;

static const char *const source = R"(
#include <sycl/sycl.hpp>
namespace exp = sycl::ext::oneapi::experimental;
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void add(int *data, int value)
{
	data[exp::this_nd_item<1>().get_global_id(0)] += value;
}
)";
// The type of an accessor has no name in such a source: kernels take pointers, and the buffers
// are used by host tasks and copies.

static int failures;

static void check(bool condition, const char *what)
{
	if (condition)
		return;
	failures++;
	std::printf("wrong: %s\n", what);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
	const size_t n = 64;

	sycl::queue queue{sycl::cpu_selector_v};
	auto bundle = syclexp::create_kernel_bundle_from_source(
		queue.get_context(), syclexp::source_language::sycl, source);
	auto built = syclexp::build(bundle);
	auto add = built.ext_oneapi_get_kernel("add");

	int *shared = sycl::malloc_shared<int>(n, queue);
	int *device = sycl::malloc_device<int>(n, queue);
	int *host = sycl::malloc_host<int>(n, queue);

	queue.memset(shared, 0, n * sizeof(int)).wait();
	for (int round = 0; round < rounds; round++) {
		auto kernel = queue.submit([&](sycl::handler &h) {
			h.set_args(shared, 2);
			h.parallel_for(sycl::nd_range<1>{n, 8}, add);
		});
		auto copied = queue.submit([&](sycl::handler &h) {
			h.depends_on(kernel);
			h.memcpy(device, shared, n * sizeof(int));
		});
		queue.memcpy(host, device, n * sizeof(int), copied).wait();
	}
	check(shared[0] == 2 * rounds && host[n - 1] == 2 * rounds, "kernel");

	std::vector<int> data(n, 1), other(n, 0);
	{
		sycl::buffer<int> a{data.data(), sycl::range<1>{n}};
		sycl::buffer<int> b{other.data(), sycl::range<1>{n}};
		for (int round = 0; round < rounds; round++) {
			queue.submit([&](sycl::handler &h) {
				sycl::accessor from{a, h, sycl::read_only};
				sycl::accessor to{b, h, sycl::write_only, sycl::no_init};
				h.copy(from, to);
			});
			queue.submit([&](sycl::handler &h) {
				sycl::accessor in{b, h, sycl::read_only_host_task};
				sycl::accessor out{a, h, sycl::read_write_host_task};
				h.host_task([=] {
					for (size_t i = 0; i < n; i++)
						out[i] += in[i];
				});
			});
		}
		queue.submit([&](sycl::handler &h) {
			sycl::accessor out{b, h, sycl::write_only, sycl::no_init};
			h.fill(out, 7);
		});
		queue.wait_and_throw();
	}
	check(data[0] == 1 << rounds, "host task");
	check(other[n - 1] == 7, "fill");

	sycl::free(shared, queue);
	sycl::free(device, queue);
	sycl::free(host, queue);
	std::printf("%s\n", failures ? "failed" : "ok");
	return failures != 0;
}
