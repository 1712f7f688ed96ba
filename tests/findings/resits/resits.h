/* SPDX-License-Identifier: MIT */
/* Programs that findings are judged by, written by somebody who had not read the rules: each fault
 * in a structure that a real program has.
 */
#ifndef TESTS_FINDINGS_RESITS_H
#define TESTS_FINDINGS_RESITS_H

#include "../app/app.h"

#include <stdint.h>

/* X(name) */
#define RESITS(X)          \
	X(shot_times)      \
	X(grid_probe)      \
	X(tuner_polls)     \
	X(meter_spin)      \
	X(pulse_unpack)    \
	X(bucket_feed)     \
	X(named_arguments) \
	X(document_scores) \
	X(book_barriers)   \
	X(band_events)     \
	X(slice_turns)     \
	X(photo_queue)     \
	X(mesh_export)     \
	X(log_readers)     \
	X(map_viewer)      \
	X(preview_context) \
	X(usage_reports)   \
	X(clean_residual)  \
	X(clean_relay)     \
	X(clean_phases)    \
	X(clean_writer)    \
	X(clean_stages)

#define X(name) void resit_##name(struct app *app);
RESITS(X)
#undef X

/* What others of them start. */
void resit_gateway(bool repaired);
void resit_tile_helper(struct app *app);
void resit_table_maker(struct app *app);

/* Source of a kernel name(v, n): n rounds for each number, which stay from 0 to 1; some 16
 * operations a round, exact in every shape of launch. */
#define MIX(name)                                                                    \
	"kernel void " name "(global float *v, int n)\n"                             \
	"{\n"                                                                        \
	"	size_t i = get_global_id(0);\n"                                            \
	"	uint16 h = (uint16)(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43,\n" \
	"			    47, 53) * 0x9e3779b9u + (as_uint(v[i]) ^ (uint)i);\n"                \
	"	for (int r = 0; r < n; r++)\n"                                             \
	"		h = (h ^ (h >> 13)) * 0x5bd1e995u + (uint)r;\n"                           \
	"	uint8 a = h.lo ^ h.hi;\n"                                                  \
	"	uint4 b = a.lo + a.hi;\n"                                                  \
	"	uint2 c = b.lo ^ b.hi;\n"                                                  \
	"	v[i] = (float)((c.x + c.y) >> 8) * (1.0f / 16777216);\n"                   \
	"}\n"

/* A buffer with what the host has. */
cl_mem loaded(const struct app *app, size_t bytes, const void *data);
/* Parts of buffers; neither waits. */
void put_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *data);
void get_part(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data);
/* Runs what is enqueued, without waiting for it, then releases the event. */
void forget(cl_event event);
cl_command_queue unordered_queue(const struct app *app);
/* Numbers that a sum over a file may be made of. */
uint32_t checksum(const void *data, size_t bytes);

/* The program started once more, for another of its cases: pipes to its input and of its output. */
struct peer {
	int in, out, pid;
};

struct peer peer_start(const struct app *app, const char *name);
/* Closes its input, and waits for its end. */
void peer_end(const struct peer *peer);

#endif
