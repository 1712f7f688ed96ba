/* What a traced process found that its user should know though no event was
 * lost: X(name, words). A process sets the bit in the control page; `tandem
 * record` says the words at the end, and `tandem report` again. */
#ifndef TANDEM_SCHEMA_NOTICES_H
#define TANDEM_SCHEMA_NOTICES_H

#define TANDEM_REFUSED_WORDS "(`tandem print --name refused` has its words)"

#define TANDEM_NOTICES(X)                                                      \
	X(cuda_no_cupti, "CUDA was used, but CUPTI was not found: nothing of it "  \
			 "is recorded (`tandem doctor` says where it is looked for)") \
	X(cuda_old_cupti, "CUDA was used, but every CUPTI found is older than "    \
			  "CUDA 12.0: nothing of it is recorded")               \
	X(cuda_busy, "CUDA was used, but another tool holds CUPTI: nothing of it " \
		     "is recorded")                                            \
	X(cuda_failed, "CUDA was used, but CUPTI refused to start: nothing of it " \
		       "is recorded")                                          \
	X(cuda_partly, "CUPTI refused something of CUDA's activity "                \
		       TANDEM_REFUSED_WORDS)                                    \
	X(cuda_no_kernels, "CUPTI refused to record CUDA's kernels " TANDEM_REFUSED_WORDS) \
	X(cuda_no_copies, "CUPTI refused to record CUDA's copies " TANDEM_REFUSED_WORDS) \
	X(cuda_no_fills, "CUPTI refused to record CUDA's fills " TANDEM_REFUSED_WORDS) \
	X(cuda_no_um, "CUPTI refused to record unified memory " TANDEM_REFUSED_WORDS) \
	X(cuda_no_overhead, "CUPTI refused to record its overhead " TANDEM_REFUSED_WORDS) \
	X(cuda_no_graphs, "CUPTI refused to record CUDA's graphs " TANDEM_REFUSED_WORDS) \
	X(cuda_no_external, "CUPTI refused to record the program's own numbers "   \
			    TANDEM_REFUSED_WORDS)                                  \
	X(cuda_clock, "CUPTI would not take the session's clock: device times "    \
		      "are fitted to it")                                      \
	X(cuda_chain, "the library that CUDA_INJECTION64_PATH named could not be " \
		      "loaded beside ours")                                    \
	X(cuda_no_device, "CUDA was used, but it found no device: nothing of it is "  \
			  "recorded (`tandem doctor` tells more)")              \
	X(cuda_fatal, "CUPTI met a fatal error and stopped: CUDA is recorded up "  \
		      "to there")                                              \
	X(opencl_no_layer, "OpenCL was used, but its loader (libOpenCL) did not "  \
			   "take Tandem's layer: only calls of functions that the " \
			   "program is linked to are recorded (see `tandem doctor`)") \
	X(opencl_second_loader, "a process used a second OpenCL loader "           \
				"(libOpenCL): its calls are not recorded")             \
	X(opencl_outer_layer, "OPENCL_LAYERS names another layer after Tandem's: " \
			      "only calls of functions that the program is linked " \
			      "to are recorded")

enum tandem_notice {
#define X(name, words) TANDEM_NOTICE_##name,
	TANDEM_NOTICES(X)
#undef X
	TANDEM_NOTICE_COUNT
};

#endif
