/* SPDX-License-Identifier: MIT */
#include "tracer/roctracer/domain.h"

#include <string.h>

#include "roctracer/roctracer_hip.h"
#include "roctracer/roctracer_hsa.h"
#include "roctracer/roctracer_roctx.h"
#include "tracer/roctracer/hip_number.h"
#include "tracer/roctracer/status.h"

static const char *const hsa_events[] = {
	[HSA_EVT_ID_ALLOCATE] = "ALLOCATE", [HSA_EVT_ID_DEVICE] = "DEVICE",
	[HSA_EVT_ID_MEMCOPY] = "MEMCOPY",   [HSA_EVT_ID_SUBMIT] = "SUBMIT",
	[HSA_EVT_ID_KSYMBOL] = "KSYMBOL",   [HSA_EVT_ID_CODEOBJ] = "CODEOBJ",
};

static const char *const hsa_operations[] = {
	[HSA_OP_ID_DISPATCH] = "DISPATCH",
	[HSA_OP_ID_COPY] = "COPY",
	[HSA_OP_ID_BARRIER] = "BARRIER",
	[HSA_OP_ID_RESERVED1] = "PCSAMPLE",
};

static const char *const roctx_functions[] = {
	[ROCTX_API_ID_roctxMarkA] = "roctxMarkA",
	[ROCTX_API_ID_roctxRangePushA] = "roctxRangePushA",
	[ROCTX_API_ID_roctxRangePop] = "roctxRangePop",
	[ROCTX_API_ID_roctxRangeStartA] = "roctxRangeStartA",
	[ROCTX_API_ID_roctxRangeStop] = "roctxRangeStop",
};

static const struct face_domain domains[] = {
	{ACTIVITY_DOMAIN_HSA_API, "hsa", FACE_API, 0, NULL, "hsa_init"},
	{ACTIVITY_DOMAIN_HSA_OPS, "hsa", FACE_OPERATIONS, HSA_OP_ID_NUMBER, hsa_operations, NULL},
	{ACTIVITY_DOMAIN_HIP_OPS, "hip", FACE_OPERATIONS, HIP_OP_ID_NUMBER, NULL, NULL},
	{ACTIVITY_DOMAIN_HIP_API, "hip", FACE_API, 0, NULL, NULL},
	{ACTIVITY_DOMAIN_KFD_API, "kfd", FACE_API, 0, NULL, "hsaKmtOpenKFD"},
	{ACTIVITY_DOMAIN_EXT_API, NULL, FACE_EXTERNAL, 0, NULL, NULL},
	{ACTIVITY_DOMAIN_ROCTX, NULL, FACE_ROCTX, ROCTX_API_ID_NUMBER, roctx_functions, NULL},
	{ACTIVITY_DOMAIN_HSA_EVT, NULL, FACE_NONE, HSA_EVT_ID_NUMBER, hsa_events, NULL},
	{ACTIVITY_DOMAIN_OPENCL_API, "opencl", FACE_API, 0, NULL, NULL},
	{ACTIVITY_DOMAIN_OPENCL_OPS, "opencl", FACE_OPERATIONS, HIP_OP_ID_NUMBER, NULL, NULL},
	{ACTIVITY_DOMAIN_CUDA_API, "cuda", FACE_API, 0, NULL, NULL},
	{ACTIVITY_DOMAIN_CUDA_OPS, "cuda", FACE_OPERATIONS, HIP_OP_ID_NUMBER, NULL, NULL},
	{ACTIVITY_DOMAIN_CUDART_API, "cudart", FACE_API, 0, NULL, NULL},
};

#define DOMAINS (sizeof(domains) / sizeof(domains[0]))

/* OpenCL's command types and ROCclr's names of them, which HIP's records have. */
static const struct {
	uint32_t op, kind;
	const char *name;
} operations[] = {
	[TANDEM_TRACER_KERNEL] = {HIP_OP_ID_DISPATCH, 0x11F0, "KernelExecution"},
	[TANDEM_TRACER_COPY_TO_DEVICE] = {HIP_OP_ID_COPY, 0x11F4, "CopyHostToDevice"},
	[TANDEM_TRACER_COPY_TO_HOST] = {HIP_OP_ID_COPY, 0x11F3, "CopyDeviceToHost"},
	[TANDEM_TRACER_COPY_ON_DEVICE] = {HIP_OP_ID_COPY, 0x11F5, "CopyDeviceToDevice"},
	[TANDEM_TRACER_FILL] = {HIP_OP_ID_COPY, 0x1207, "FillBuffer"},
	[TANDEM_TRACER_MAP] = {HIP_OP_ID_COPY, 0x11FB, "MapBuffer"},
	[TANDEM_TRACER_UNMAP] = {HIP_OP_ID_COPY, 0x11FD, "UnmapMemObject"},
	[TANDEM_TRACER_MIGRATE] = {HIP_OP_ID_COPY, 0x1206, "MigrateMemObjects"},
	[TANDEM_TRACER_BARRIER] = {HIP_OP_ID_BARRIER, 0x1205, "Barrier"},
	[TANDEM_TRACER_MARKER] = {HIP_OP_ID_BARRIER, 0x11FE, "Marker"},
	[TANDEM_TRACER_OTHER] = {HIP_OP_ID_BARRIER, 0x1204, "User"},
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

const struct face_domain *face_domain(uint32_t number)
{
	for (size_t i = 0; i < DOMAINS; i++)
		if (domains[i].number == number)
			return &domains[i];
	return NULL;
}

const struct face_domain *face_domain_next(const struct face_domain *domain)
{
	domain = domain ? domain + 1 : domains;
	return domain < domains + DOMAINS ? domain : NULL;
}

uint32_t face_tracer_domain(const struct face_domain *domain)
{
	int number = domain->name ? tandem_tracer_domain(domain->name) : -1;

	return number < 0 ? TANDEM_TRACER_ALL : (uint32_t)number;
}

const struct face_domain *face_domain_of(uint32_t tracer_domain, uint32_t kind)
{
	const char *name = tandem_tracer_domain_string(tracer_domain);
	enum face_what what = kind == TANDEM_TRACER_API ? FACE_API : FACE_OPERATIONS;

	for (size_t i = 0; name && i < DOMAINS; i++)
		if (domains[i].what == what && !strcmp(domains[i].name, name))
			return &domains[i];
	return NULL;
}

/* Of HSA and KFD: their functions are one after another. */
static uint32_t first_function(const struct face_domain *domain)
{
	uint32_t number = face_tracer_domain(domain), op = 0;

	if (!domain->first || number == TANDEM_TRACER_ALL ||
	    tandem_tracer_op_code(number, domain->first, &op, NULL))
		return 0;
	return op;
}

uint32_t face_op_of_call(const struct face_domain *domain, uint32_t function)
{
	static _Atomic uint32_t known[DOMAINS]; /* asked for in every callback */
	_Atomic uint32_t *place = &known[domain - domains];
	uint32_t first;

	if (domain->number == ACTIVITY_DOMAIN_HIP_API)
		return hip_number_of(function);
	if (!domain->first)
		return function;
	first = *place;
	if (!first)
		*place = first = first_function(domain);
	return function >= first ? function - first : TANDEM_TRACER_ALL;
}

uint32_t face_call_of_op(const struct face_domain *domain, uint32_t op)
{
	if (op == TANDEM_TRACER_ALL)
		return op;
	if (domain->number != ACTIVITY_DOMAIN_HIP_API)
		return op + first_function(domain);
	hip_number_begin();
	return hip_number_function(op);
}

bool face_op_exists(const struct face_domain *domain, uint32_t op)
{
	uint32_t number = face_tracer_domain(domain);

	if (domain->what != FACE_API)
		return op < domain->op_count;
	return number == TANDEM_TRACER_ALL ||
	       tandem_tracer_id_string(number, face_call_of_op(domain, op));
}

uint32_t face_op_of(uint32_t operation)
{
	return operation < OPERATIONS ? operations[operation].op : (uint32_t)HIP_OP_ID_BARRIER;
}

uint32_t face_kind_of(uint32_t operation)
{
	return operation < OPERATIONS ? operations[operation].kind : 0;
}

static const char *kind_string(uint32_t kind)
{
	for (size_t i = 0; i < OPERATIONS; i++)
		if (operations[i].kind == kind)
			return operations[i].name;
	return "Unknown command kind";
}

const char *roctracer_op_string(uint32_t number, uint32_t op, uint32_t kind)
{
	const struct face_domain *domain = face_domain(number);
	const char *name = NULL;

	if (!domain) {
		status_set(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "invalid domain %u", number);
		return NULL;
	}
	if (domain->what == FACE_EXTERNAL)
		return "EXT_API";
	if (domain->what == FACE_API && face_tracer_domain(domain) != TANDEM_TRACER_ALL)
		name = tandem_tracer_id_string(face_tracer_domain(domain),
					       face_call_of_op(domain, op));
	else if (domain->ops)
		name = op < domain->op_count ? domain->ops[op] : NULL;
	else if (domain->what == FACE_OPERATIONS)
		name = kind_string(kind);
	if (!name)
		status_set(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "domain %u has no operation %u",
			   number, op);
	return name;
}

roctracer_status_t roctracer_op_code(uint32_t number, const char *name, uint32_t *op,
				     uint32_t *kind)
{
	const struct face_domain *domain = face_domain(number);
	uint32_t found = UINT32_MAX, of = 0;

	if (!domain || (domain->what != FACE_API && domain->what != FACE_ROCTX))
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
				  "domain %u has no functions", number);
	if (!name || !op)
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
				  "no name, or no place for the operation");
	if (domain->number == ACTIVITY_DOMAIN_HIP_API)
		hip_number_begin();
	for (uint32_t i = 0; domain->ops && i < domain->op_count; i++)
		if (!strcmp(domain->ops[i], name))
			found = i;
	if (domain->what == FACE_API && face_tracer_domain(domain) != TANDEM_TRACER_ALL &&
	    (tandem_tracer_op_code(face_tracer_domain(domain), name, &found, &of) ||
	     of != TANDEM_TRACER_API))
		found = UINT32_MAX;
	if (domain->what == FACE_API && found != UINT32_MAX)
		found = face_op_of_call(domain, found);
	if (found == UINT32_MAX)
		return status_set(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
				  "domain %u has no function '%s'", number, name);
	*op = found;
	if (kind)
		*kind = 0;
	return ROCTRACER_STATUS_SUCCESS;
}
