/* SPDX-License-Identifier: MIT */
/* ROCTracer's HSA domains: the numbers of operations and events. */
#ifndef TANDEM_ROCTRACER_HSA_H
#define TANDEM_ROCTRACER_HSA_H

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

struct hsa_ops_properties_t {
	void *reserved1[4];
};

#endif
