/* SPDX-License-Identifier: MIT */
/* What CUPTI itself says of a program's device operations, to compare a recording with:
 * an injected library that adds them up and prints
 *
 *	totals KERNELS NS_OF_KERNELS COPIES FILLS DROPPED
 *
 * on stderr, or at the end of the file that TOTALS names. It uses CUPTI's activity alone,
 * no callbacks, and nothing of Tandem's. */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long kernels, ns, copies, fills, dropped;

static void CUPTIAPI requested(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = malloc(1 << 20);
	*bytes = 1 << 20;
	*most = 0;
}

static void add(const CUpti_Activity *record)
{
	/* The first fields of every version's records. */
	const CUpti_ActivityKernel4 *kernel = (const void *)record;

	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		__atomic_add_fetch(&kernels, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&ns, kernel->end - kernel->start, __ATOMIC_RELAXED);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		__atomic_add_fetch(&copies, 1, __ATOMIC_RELAXED);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		__atomic_add_fetch(&fills, 1, __ATOMIC_RELAXED);
		break;
	default:
		break;
	}
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
			       size_t valid)
{
	CUpti_Activity *record = NULL;
	size_t lost = 0;

	(void)bytes;
	while (buffer && !cuptiActivityGetNextRecord(buffer, valid, &record))
		add(record);
	if (!cuptiActivityGetNumDroppedRecords(context, stream, &lost))
		__atomic_add_fetch(&dropped, lost, __ATOMIC_RELAXED);
	free(buffer);
}

static void finish(void)
{
	const char *path = getenv("TOTALS");
	FILE *out = path ? fopen(path, "a") : stderr;

	cuptiActivityFlushAll(1);
	if (out)
		fprintf(out, "totals %llu %llu %llu %llu %llu\n", kernels, ns, copies, fills,
			dropped);
	if (out && path)
		fclose(out);
}

int InitializeInjection(void);

int InitializeInjection(void)
{
	cuptiActivityRegisterCallbacks(requested, completed);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY2);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
	atexit(finish);
	return 1;
}
