/* SPDX-License-Identifier: MIT */
/* Libraries that this build was made without, and what is left out therefore: said here,
 * once, and by no recording or report. */
#include "cli/doctor/areas.h"

#include "cli/libraries.h"
#include "setup/check.h"

/* X(made with it, package, what is left out): the former are of libraries.h, which Meson
 * writes. */
#define LIBRARIES(X)                                                                           \
	X(WITH_TRACEEVENT, "libtraceevent-dev",                                                \
	  "tracepoints of GPU drivers are recorded and not read, `--with` reads no trace.dat") \
	X(WITH_SYMBOLS, "libdw-dev", "names of functions in sampled stacks, `--unwind dwarf`") \
	X(WITH_SQLITE, "libsqlite3-dev", "`tandem sql`, `export --format sqlite`")             \
	X(WITH_MICROHTTPD, "libmicrohttpd-dev", "`tandem view`")                               \
	X(WITH_ZLIB, "zlib1g-dev", "`export --format html`")                                   \
	X(WITH_OTF2, "libotf2-trace-dev", "`export --format otf2`")                            \
	X(WITH_BABELTRACE, "libbabeltrace2-dev", "`--with` reads no trace of LTTng's")

void check_libraries(struct checks *checks)
{
	unsigned missing = 0;

#define X(with, package, left_out)                                               \
	if (!(with)) {                                                           \
		missing++;                                                       \
		check_add(checks, CHECK_OPTIONAL, "build", package,              \
			  "apt-get install " package ", and build Tandem again", \
			  "this tandem was built without: %s", left_out);        \
	}
	LIBRARIES(X)
#undef X
	if (!missing)
		check_add(checks, CHECK_OK, "build", "libraries", NULL, "all optional ones");
}
