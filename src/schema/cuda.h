/* What `tandem record --cuda LIST` chooses among: X(word, on, words). `on`: it
 * is recorded when nobody says otherwise. The command parses and explains the
 * list by it, the CUDA domain obeys (tandem_control.cuda). */
#ifndef TANDEM_SCHEMA_CUDA_H
#define TANDEM_SCHEMA_CUDA_H

#define TANDEM_CUDA_CHOICES(X)                                                 \
	X(api, 1, "calls of the runtime and the driver API")                   \
	X(queries, 0, "calls too that only ask: cudaGetDevice, cudaGetLastError") \
	X(all, 0, "and those that the runtime makes under most of its own")    \
	X(kernels, 1, "kernels, copies and fills")                             \
	X(memory, 1, "allocations")                                            \
	X(graphs, 1, "each node of a graph; without it a graph is one operation") \
	X(um, 1, "unified memory: migrations and faults")                      \
	X(nvtx, 1, "ranges and marks of NVTX")                                 \
	X(overhead, 1, "what CUDA and CUPTI themselves cost")                  \
	X(modules, 1, "loaded device code, with its hash")                     \
	X(cubin, 0, "keep the loaded device code in the session")              \
	X(latency, 0, "when a kernel was queued and submitted, at a price")    \
	X(external, 0, "the program's own numbers of what it launches, at a price")

enum tandem_cuda_choice {
#define X(word, on, words) TANDEM_CUDA_##word,
	TANDEM_CUDA_CHOICES(X)
#undef X
	TANDEM_CUDA_COUNT
};

#define TANDEM_CUDA_BIT(word) (1u << TANDEM_CUDA_##word)

enum {
#define X(word, on, words) +((on) << TANDEM_CUDA_##word)
	TANDEM_CUDA_DEFAULT = 0 TANDEM_CUDA_CHOICES(X),
#undef X
};

/* `tandem record --capture`: the recording is on only between the program's own
 * marks. In tandem_control.capture. */
#define TANDEM_CAPTURE_PROFILER "profiler-api" /* cudaProfilerStart, cudaProfilerStop */
#define TANDEM_CAPTURE_NVTX "nvtx:"	       /* then the name of a range */

#endif
