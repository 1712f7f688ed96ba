/* What CUPTI itself says of a program's kernels, to compare a recording with: an
 * injected library that adds them up and prints `totals COUNT NS` on stderr. */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long count, ns;

static void CUPTIAPI requested(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = malloc(1 << 20);
	*bytes = 1 << 20;
	*most = 0;
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
			       size_t valid)
{
	CUpti_Activity *record = NULL;

	(void)context;
	(void)stream;
	(void)bytes;
	while (!cuptiActivityGetNextRecord(buffer, valid, &record)) {
		const CUpti_ActivityKernel10 *kernel = (const void *)record;

		if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			continue;
		count++;
		ns += kernel->end - kernel->start;
	}
	free(buffer);
}

static void finish(void)
{
	cuptiActivityFlushAll(1);
	fprintf(stderr, "totals %llu %llu\n", count, ns);
}

int InitializeInjection(void);

int InitializeInjection(void)
{
	cuptiActivityRegisterCallbacks(requested, completed);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	atexit(finish);
	return 1;
}
