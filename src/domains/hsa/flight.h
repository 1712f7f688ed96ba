/* SPDX-License-Identifier: MIT */
/* An operation of a device's under way: a signal of ours in place of the program's, which
 * is given back its value, and its times, when the operation has ended. */
#ifndef TANDEM_DOMAINS_HSA_FLIGHT_H
#define TANDEM_DOMAINS_HSA_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

struct hsa_flight {
	uint64_t op;
	uint64_t signal;   /* ours; kept for the next */
	uint64_t original; /* the program's; 0: none */
	uint64_t agent;	   /* by which it runs */
	uint64_t bytes;
	uint32_t queue, kernel, launch_config; /* our numbers */
	uint32_t generation;		       /* of HSA, in which the signal was made */
	uint8_t kind;			       /* TANDEM_OPERATION_KIND_* */
	bool is_copy;
	_Atomic bool awaited; /* its handler has not been called yet */
};

/* One more, whose signal is 1 and awaited. NULL: there is no signal, or no memory. The
 * caller fills it before the operation can end. */
struct hsa_flight *hsa_flight_begin(uint64_t original);
bool hsa_flight_watch(struct hsa_flight *flight);

/* The operation was refused: nothing will end. */
void hsa_flight_cancel(struct hsa_flight *flight);

#endif
