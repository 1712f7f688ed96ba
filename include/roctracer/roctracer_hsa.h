/* SPDX-License-Identifier: MIT */
/* ROCTracer's HSA domains: the numbers of operations and events. */
#ifndef TANDEM_ROCTRACER_HSA_H
#define TANDEM_ROCTRACER_HSA_H

#include "hsa_prof_str.h"
#include "roctracer.h"

enum hsa_op_id_t {
	HSA_OP_ID_DISPATCH = 0,
	HSA_OP_ID_COPY = 1,
	HSA_OP_ID_BARRIER = 2,
	HSA_OP_ID_RESERVED1 = 3,
	HSA_OP_ID_NUMBER
};

enum hsa_evt_id_t {
	HSA_EVT_ID_ALLOCATE = 0,
	HSA_EVT_ID_DEVICE = 1,
	HSA_EVT_ID_MEMCOPY = 2,
	HSA_EVT_ID_SUBMIT = 3,
	HSA_EVT_ID_KSYMBOL = 4,
	HSA_EVT_ID_CODEOBJ = 5,
	HSA_EVT_ID_NUMBER
};

/* roctracer_set_properties(ACTIVITY_DOMAIN_HSA_OPS). Since 5.3 its words are reserved, and 0. */
struct hsa_ops_properties_t {
	void *table; /* HsaApiTable: what the tool's OnLoad() got */
	void *reserved1[3];
};

#endif
