/* SPDX-License-Identifier: MIT */
/* `tandem record --capture`: recording is on only between the program's own marks, in the
 * domains that can be switched while the program runs. In tandem_control.capture. */
#ifndef TANDEM_SCHEMA_CAPTURE_H
#define TANDEM_SCHEMA_CAPTURE_H

#define TANDEM_CAPTURE_PROFILER "profiler-api" /* cudaProfilerStart, cudaProfilerStop */
#define TANDEM_CAPTURE_NVTX "nvtx:"	       /* then the name of a range */

#endif
