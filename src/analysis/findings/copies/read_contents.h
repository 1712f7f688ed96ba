/* SPDX-License-Identifier: MIT */
/* What the latest reads of each process brought to the host, by their hash (core/call/content.h), to
 * recognise it where the same thread writes it again: to another buffer, from whatever memory; or another
 * thread, from the same memory. One thread.
 *
 *	read_contents_begin(&contents, session);
 *	each record `content_read`:
 *	read = read_contents_add(&contents, process, stream, call, buffer, memory, content);
 *	each record `content`:
 *	read = read_contents_written(&contents, process, stream, buffer, host, content);
 *	read_contents_release(&contents);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_READ_CONTENTS_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_READ_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/operations/async_reads.h"
#include "schema/gen/core_records.h"
#include "trace/session/session.h"

/* Of a process so many reads are remembered. */
#define READ_CONTENTS 64u

struct read_content {
	uint32_t stream;
	uint64_t call; /* that read it, by its number; 0: none */
	uint64_t buffer;
	uint64_t bytes, hash;
	uint64_t words;	 /* of one that did not wait, which has no hash; else 0 */
	uint64_t host;	 /* where the words alone do not tell: they count from there only; else 0 */
	uint64_t memory; /* where it went to; 0: not known */
	uint64_t to;	 /* the buffer that it was written to last; 0: none */
	bool unchanged;	 /* its owner's: the host had it before, and that was counted ... */
	uint64_t ns;	 /* ... at this cost */
};

struct read_contents_process { /* a ring */
	struct read_content reads[READ_CONTENTS];
	unsigned next;
};

struct read_contents {
	struct read_contents_process *processes; /* by index */
};

/* Returns 0 or -ENOMEM; then read_contents_release() is called as well. */
int read_contents_begin(struct read_contents *contents, const struct trace_session *session);

/* Valid until as many others were added as are remembered. */
struct read_content *read_contents_add(struct read_contents *contents, uint32_t process,
				       uint32_t stream, uint64_t call, uint64_t buffer,
				       uint64_t memory,
				       const struct tandem_rec_content_read *content);

/* Same, of a read that did not wait, by its words. Where they say nothing (zeros) it is not remembered. */
void read_contents_arrived(struct read_contents *contents, uint32_t process, uint32_t stream,
			   const struct async_read *from,
			   const struct tandem_rec_content_arrived *content);

/* The latest read of a thread (the index of its stream) that brought what it now writes from `host` to
 * `buffer`, and notes that it went there. NULL: none did, or it went there before. What another thread read
 * to other memory may be the same by chance. */
struct read_content *read_contents_written(struct read_contents *contents, uint32_t process,
					   uint32_t stream, uint64_t buffer, uint64_t host,
					   const struct tandem_rec_content *content);

/* That of a call, or NULL. */
struct read_content *read_contents_find(struct read_contents *contents, uint32_t process,
					uint64_t call);

void read_contents_release(struct read_contents *contents);

#endif
