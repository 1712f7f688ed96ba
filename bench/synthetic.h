/* SPDX-License-Identifier: MIT */
/* The files of a made session: what the generators of this folder share. Records
 * go through a writer a stream; a template is an API call with its arguments.
 * There is one session at a time, described by `synthetic`. Ends the program when
 * something fails.
 */
#ifndef BENCH_SYNTHETIC_H
#define BENCH_SYNTHETIC_H

#include <stdint.h>

#define TICKS_HZ 2500000000u
#define START_TICKS UINT64_C(1000000000000)
#define START_NS UINT64_C(400000000000)

/* Objects of each process. */
enum { DEVICE = 1, CONTEXT, PROGRAM, MEMORY, KERNEL, QUEUES };

struct synthetic {
	const char *path;
	unsigned level; /* enum tandem_args_level */
	uint32_t subbuffer_bytes;
	uint64_t records; /* written so far */
};

struct template
{
	uint16_t id;
	uint32_t bytes;
	uint16_t op_offset;
	uint8_t record[512];
};

struct writer {
	uint8_t uuid[16]; /* of the trace */
	uint64_t number;  /* of the stream, from 1 */
	char name[16];	  /* of the thread */
	uint32_t tid;
	uint64_t now, random;
	int fd;
	uint8_t *window;
	uint32_t used;
	uint64_t sequence;
};

extern struct synthetic synthetic;

_Noreturn void synthetic_fail(const char *what);
uint64_t synthetic_number(const char *text);
unsigned synthetic_level(const char *word);
uint64_t synthetic_ns(uint64_t ticks);

/* The folder DIR/NAME with its metadata; pid 0: the kernel's side. */
void synthetic_folder(const char *name, unsigned pid, uint8_t uuid[16]);

/* session.json and the control page, of a run that ended then. */
void synthetic_session(uint64_t end_ticks);

void template_init(struct template *template, const char *call);

/* `writer` has everything up to `random`; opens DIR/NAME/stream-NUMBER. */
void writer_open(struct writer *writer, const char *folder);
uint64_t writer_random(struct writer *writer);

/* Room for a record, of which the head is filled in; it is counted and published
 * at once, as nobody looks. It can be written to until the next one. */
void *writer_record(struct writer *writer, uint16_t id, uint32_t bytes, uint64_t ticks);

/* What the first thread of a process describes before anything else. */
void writer_objects(struct writer *writer, uint32_t queues);

/* Leaves what is not in the stream yet as window-NUMBER, as a killed process does;
 * or appends it, as all is over. */
void writer_leave(struct writer *writer, const char *folder);
void writer_close(struct writer *writer);

#endif
