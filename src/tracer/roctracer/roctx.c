/* SPDX-License-Identifier: MIT */
/* libroctx64.so.4: what the program says goes to whoever has registered (ROCTracer, ours or
 * ROCm's), and into a session or a tool of Tandem's where libtandem.so is loaded. */
#include <stdatomic.h>
#include <stddef.h>

#include "roctracer/ext/prof_protocol.h"
#include "roctracer/roctracer_roctx.h"
#include "schema/gen/annotation_records.h"

#define SOURCE TANDEM_ANNOTATION_INTERFACE_roctx

/* core/annotate.h; NULL where libtandem.so is not loaded. */
extern void tandem_annotation_begin(unsigned source, unsigned kind, uint64_t range,
				    const char *text) __attribute__((weak));
extern void tandem_annotation_end(unsigned source, uint64_t range) __attribute__((weak));

typedef int (*report_t)(activity_domain_t domain, uint32_t op, void *data);

__attribute__((visibility("default"))) void roctxRegisterTracerCallback(report_t function);

static report_t _Atomic report;
static _Atomic roctx_range_id_t last_range;
static __thread int level;

void roctxRegisterTracerCallback(report_t function)
{
	atomic_store(&report, function);
}

static void tell(uint32_t op, const char *message, roctx_range_id_t id)
{
	report_t function = atomic_load_explicit(&report, memory_order_acquire);
	roctx_api_data_t data = {.args = {{.message = message, .id = id}}};

	if (function)
		function(ACTIVITY_DOMAIN_ROCTX, op, &data);
}

static void begin(unsigned kind, roctx_range_id_t id, const char *message)
{
	if (tandem_annotation_begin)
		tandem_annotation_begin(SOURCE, kind, id, message);
}

static void end(roctx_range_id_t id)
{
	if (tandem_annotation_end)
		tandem_annotation_end(SOURCE, id);
}

uint32_t roctx_version_major(void)
{
	return ROCTX_VERSION_MAJOR;
}

uint32_t roctx_version_minor(void)
{
	return ROCTX_VERSION_MINOR;
}

void roctxMarkA(const char *message)
{
	tell(ROCTX_API_ID_roctxMarkA, message, 0);
	begin(TANDEM_ANNOTATION_KIND_marker, 0, message);
}

int roctxRangePushA(const char *message)
{
	tell(ROCTX_API_ID_roctxRangePushA, message, 0);
	begin(TANDEM_ANNOTATION_KIND_nested, 0, message);
	return level++;
}

int roctxRangePop(void)
{
	tell(ROCTX_API_ID_roctxRangePop, NULL, 0);
	if (!level)
		return -1;
	end(0);
	return --level;
}

roctx_range_id_t roctxRangeStartA(const char *message)
{
	roctx_range_id_t id = atomic_fetch_add(&last_range, 1) + 1;

	tell(ROCTX_API_ID_roctxRangeStartA, message, id);
	begin(TANDEM_ANNOTATION_KIND_start_end, id, message);
	return id;
}

void roctxRangeStop(roctx_range_id_t id)
{
	tell(ROCTX_API_ID_roctxRangeStop, NULL, id);
	if (id && id <= atomic_load(&last_range))
		end(id);
}
