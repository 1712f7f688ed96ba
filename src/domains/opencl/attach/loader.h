/* SPDX-License-Identifier: MIT */
/* The OpenCL loader (ICD loader, libOpenCL) below us, from which the real
 * functions come: opencl_next is filled from it, by whichever way in comes first.
 *
 *  - Preloaded: the program's own calls of cl* bind to this library's symbols.
 *    The first call finds the loader behind us and has it load its layers.
 *  - As a layer of the loader: libtandem-opencl.so (layer.c), which the loader
 *    opens, asks for our table by tandem_opencl_attach().
 *
 * Both end in the same wrappers, and both go on at the loader's inner table (the
 * layer's target), below every public symbol: whichever way a call came, it
 * passes a wrapper once. Only where the loader takes no layers does the preload
 * go on at the loader's public functions instead.
 *
 * One loader at a time: a second one in the process keeps its calls to itself
 * (a notice says so). One that is closed is let go of, and the next may attach.
 */
#ifndef TANDEM_OPENCL_LOADER_H
#define TANDEM_OPENCL_LOADER_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the real functions. Called by the first call of each. */
void opencl_bootstrap(void);

/* Whether the functions in opencl_next can still be called: a program may have
 * closed its loader. Not for the way of a call. */
bool opencl_loader_usable(void);

/* Called when the loader goes before the process ends: the drivers can be asked for
 * the last time. One function. */
void opencl_loader_at_close(void (*function)(void));

/* The process ends: says so where a loader was used that takes no layers. */
void opencl_loader_at_end(void);

/* For layer.c, which is another library, and `tandem doctor`: exported. All but the
 * last are called by the loader, which does so once at a time. */
#pragma GCC visibility push(default)

/* The loader has asked who we are: the layer interface is known to it. */
void tandem_opencl_asked(void);

/* The loader has asked, and then let go of the layer without using it. */
void tandem_opencl_refused(void);

/* `loader`: an address in it; `target`: its table of `entries` functions, at which
 * we go on. Returns CL_SUCCESS and our table; CL_INVALID_VALUE: something is NULL or
 * 0; CL_INVALID_OPERATION: no session, or another loader is served. */
int32_t tandem_opencl_attach(void *loader, uint32_t entries, void *const *target,
			     uint32_t *entries_ret, void *const **table);

/* The loader goes, and with it the target: writes what has ended, counts what is
 * still running, and goes back to where nothing is attached. */
void tandem_opencl_detach(void);

/* What a loader of this process did with the layer, for `tandem doctor`. */
enum tandem_opencl_layer { TANDEM_LAYER_UNKNOWN, TANDEM_LAYER_ASKED, TANDEM_LAYER_SUPPORTED };
unsigned tandem_opencl_layer(void);
#pragma GCC visibility pop

#endif
