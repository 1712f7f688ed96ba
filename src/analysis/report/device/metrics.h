/* SPDX-License-Identifier: MIT */
/* GPU metrics in the words that HPCToolkit gave to all vendors (its manual,
 * "GPU Performance Measurement Substrate", Tables 8.1 to 8.6): what the operations
 * of a session took, moved and waited for, and what its kernels are like. One pass
 * over the session. One thread.
 *
 *	metrics_make(&metrics, session, &error);
 *	metrics.value[METRIC_GKER_SEC]
 *	metrics_free(&metrics);
 */
#ifndef TANDEM_ANALYSIS_REPORT_METRICS_H
#define TANDEM_ANALYSIS_REPORT_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/events/progress.h"
#include "analysis/events/range.h"
#include "analysis/report/device/metrics_kernels.h"
#include "trace/session/session.h"
#include "util/arena.h"
#include "util/error.h"

/* X(symbol, name, unit, words). Places of a kind stand in the order of enum
 * tandem_transfer_memory_kind, so that one follows from the first. */
#define METRICS(X)                                                                      \
	X(GKER_SEC, "GKER (sec)", "s", "kernels")                                       \
	X(GMEM_SEC, "GMEM (sec)", "s", "allocating and freeing device memory")          \
	X(GMSET_SEC, "GMSET (sec)", "s", "filling memory")                              \
	X(GXCOPY_SEC, "GXCOPY (sec)", "s", "copies that the program asked for")         \
	X(GSYNC_SEC, "GSYNC (sec)", "s", "waiting for the device")                      \
	X(GPUOP_SEC, "GPUOP (sec)", "s", "all of these")                                \
	X(GMEM_UNK, "GMEM:UNK (B)", "B", "allocated and freed: memory of another kind") \
	X(GMEM_PAG, "GMEM:PAG (B)", "B", "allocated and freed: pageable memory")        \
	X(GMEM_PIN, "GMEM:PIN (B)", "B", "allocated and freed: pinned memory")          \
	X(GMEM_DEV, "GMEM:DEV (B)", "B", "allocated and freed: device memory")          \
	X(GMEM_ARY, "GMEM:ARY (B)", "B", "allocated and freed: arrays, images")         \
	X(GMEM_MAN, "GMEM:MAN (B)", "B", "allocated and freed: managed memory")         \
	X(GMEM_DST, "GMEM:DST (B)", "B", "allocated and freed: static device memory")   \
	X(GMEM_MST, "GMEM:MST (B)", "B", "allocated and freed: static managed memory")  \
	X(GMEM_COUNT, "GMEM:COUNT", "", "allocations and frees")                        \
	X(GMSET_UNK, "GMSET:UNK (B)", "B", "filled: memory of another kind")            \
	X(GMSET_PAG, "GMSET:PAG (B)", "B", "filled: pageable memory")                   \
	X(GMSET_PIN, "GMSET:PIN (B)", "B", "filled: pinned memory")                     \
	X(GMSET_DEV, "GMSET:DEV (B)", "B", "filled: device memory")                     \
	X(GMSET_ARY, "GMSET:ARY (B)", "B", "filled: arrays")                            \
	X(GMSET_MAN, "GMSET:MAN (B)", "B", "filled: managed memory")                    \
	X(GMSET_DST, "GMSET:DST (B)", "B", "filled: static device memory")              \
	X(GMSET_MST, "GMSET:MST (B)", "B", "filled: static managed memory")             \
	X(GMSET_COUNT, "GMSET:COUNT", "", "fills")                                      \
	X(GXCOPY_UNK, "GXCOPY:UNK (B)", "B", "copied, unknown from where to where")     \
	X(GXCOPY_H2D, "GXCOPY:H2D (B)", "B", "copied from the host to a device")        \
	X(GXCOPY_D2H, "GXCOPY:D2H (B)", "B", "copied from a device to the host")        \
	X(GXCOPY_H2A, "GXCOPY:H2A (B)", "B", "copied from the host to an array")        \
	X(GXCOPY_A2H, "GXCOPY:A2H (B)", "B", "copied from an array to the host")        \
	X(GXCOPY_A2A, "GXCOPY:A2A (B)", "B", "copied from array to array")              \
	X(GXCOPY_A2D, "GXCOPY:A2D (B)", "B", "copied from an array to the device")      \
	X(GXCOPY_D2A, "GXCOPY:D2A (B)", "B", "copied from the device to an array")      \
	X(GXCOPY_D2D, "GXCOPY:D2D (B)", "B", "copied within a device")                  \
	X(GXCOPY_H2H, "GXCOPY:H2H (B)", "B", "copied within the host")                  \
	X(GXCOPY_P2P, "GXCOPY:P2P (B)", "B", "copied from device to device")            \
	X(GXCOPY_COUNT, "GXCOPY:COUNT", "", "copies")                                   \
	X(GSYNC_UNK, "GSYNC:UNK (sec)", "s", "waiting, unknown for what")               \
	X(GSYNC_EVT, "GSYNC:EVT (sec)", "s", "waiting for an event")                    \
	X(GSYNC_STRE, "GSYNC:STRE (sec)", "s", "having a stream wait for an event")     \
	X(GSYNC_STR, "GSYNC:STR (sec)", "s", "waiting for a stream")                    \
	X(GSYNC_CTX, "GSYNC:CTX (sec)", "s", "waiting for a context or a device")       \
	X(GSYNC_COUNT, "GSYNC:COUNT", "", "waits")                                      \
	X(GKER_COUNT, "GKER:COUNT", "", "kernel launches")

enum metric {
#define X(symbol, name, unit, words) METRIC_##symbol,
	METRICS(X) METRIC_COUNT
#undef X
};

struct pass;

struct metrics {
	struct arena arena;
	double value[METRIC_COUNT];
	struct metrics_kernel *kernels; /* the longest first; those with a known shape */
	size_t kernel_count;
};

struct metrics_options {
	struct progress progress; /* may be all NULL */
	bool ranged;		  /* only what began in `range`, since the session's start */
	struct range range;
};

/* Returns 0 or -errno with a cause; on error there is nothing to free. */
int metrics_make(struct metrics *metrics, struct trace_session *session,
		 const struct metrics_options *options, struct error *error);

/* The same in a pass that others join too (pass.h); `options->progress` counts for
 * nothing. Made when the pass has run without an error; on error there is nothing to
 * free. Returns 0 or -ENOMEM. */
int metrics_join(struct pass *pass, struct metrics *metrics, const struct metrics_options *options);

void metrics_free(struct metrics *metrics);

#endif
