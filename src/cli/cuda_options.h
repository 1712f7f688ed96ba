/* What `tandem record` is told about CUDA: --cuda and --capture. */
#ifndef TANDEM_CLI_CUDA_OPTIONS_H
#define TANDEM_CLI_CUDA_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* A list of words of schema/cuda.h as a mask; a word with `-` before it takes it
 * away from what is on by itself. Returns 0, or -EINVAL and one line was printed. */
int cuda_options_parse(const char *list, uint32_t *mask);

/* `profiler-api` or `nvtx:NAME` into capture[bytes]. Returns 0, or -EINVAL and one
 * line was printed. */
int cuda_capture_parse(const char *text, char *capture, size_t bytes);

#endif
