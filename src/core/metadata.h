/* The trace's metadata: TSDL text (CTF 1.8.3, section 7 and appendix C). */
#ifndef TANDEM_CORE_METADATA_H
#define TANDEM_CORE_METADATA_H

#include <stdint.h>

/* Writes `dir`/metadata: the trace, its environment (who was recorded, with
 * which options), the clock, the stream class and the event classes of these
 * domains (1 << number) at the session's argument level. 0 or -errno. */
int tandem_metadata_write(const char *dir, const uint8_t uuid[16], uint64_t domains);

/* Appends the event classes of one more. 0 or -errno. */
int tandem_metadata_add(const char *dir, unsigned domain);

#endif
