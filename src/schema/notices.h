/* What a traced process found that its user should know though no event was
 * lost: X(name, words). A process sets the bit in the control page; `tandem
 * record` says the words at the end, and `tandem report` again. */
#ifndef TANDEM_SCHEMA_NOTICES_H
#define TANDEM_SCHEMA_NOTICES_H

#define TANDEM_NOTICES(X)                                                      \
	X(cuda_no_cupti, "CUDA was used, but CUPTI was not found: nothing of it "  \
			 "is recorded (`tandem doctor` says where it is looked for)") \
	X(cuda_old_cupti, "CUDA was used, but every CUPTI found is older than "    \
			  "CUDA 12.0: nothing of it is recorded")               \
	X(cuda_busy, "CUDA was used, but another tool holds CUPTI: nothing of it " \
		     "is recorded")                                            \
	X(cuda_failed, "CUDA was used, but CUPTI refused to start: nothing of it " \
		       "is recorded")                                          \
	X(cuda_partly, "CUPTI refused to record some kinds of CUDA's activity "    \
		       "(`tandem print --name refused` lists them)")           \
	X(cuda_clock, "CUPTI would not take the session's clock: device times "    \
		      "are fitted to it")                                      \
	X(cuda_chain, "the library that CUDA_INJECTION64_PATH named could not be " \
		      "loaded beside ours")                                    \
	X(cuda_no_device, "CUDA was used, but it found no device: nothing of it is "  \
			  "recorded (`tandem doctor` tells more)")              \
	X(cuda_fatal, "CUPTI met a fatal error and stopped: CUDA is recorded up "  \
		      "to there")

enum tandem_notice {
#define X(name, words) TANDEM_NOTICE_##name,
	TANDEM_NOTICES(X)
#undef X
	TANDEM_NOTICE_COUNT
};

#endif
