/* SPDX-License-Identifier: MIT */
/* The grammar of a session's directory (doc/FORMAT.md): what is written by a traced process
 * and by its recorder, and found again by readers. libc only, no allocation, no locale:
 * also for code that runs in somebody else's process, in a signal handler too.
 *
 *	char name[DIRECTORY_NAME_BYTES];
 *	struct directory_number number;
 *
 *	directory_put(name, DIRECTORY_STREAM, 12, 3);                   "stream-12.3"
 *	if (directory_parse("process-77", DIRECTORY_PROCESS, &number))  number is 77, part 0
 */
#ifndef TANDEM_FORMAT_DIRECTORY_H
#define TANDEM_FORMAT_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

/* In DIR. */
#define DIRECTORY_CONTROL "control"
#define DIRECTORY_DESCRIPTION "session.json"
#define DIRECTORY_SCHEMA "schema"
#define DIRECTORY_LTTNG "lttng"	    /* what LTTng recorded, of `record --sink lttng` */
#define DIRECTORY_SYSTEM "kernel"   /* the operating system's side: a stream a CPU */
#define DIRECTORY_CUBIN "cubin"	    /* -HASH, 16 digits: CUDA code, kept once */
#define DIRECTORY_PROCESS "process" /* -PID; .N: the pid's N + 1st, after an exec or reuse */

/* In the folder of a process, and of the operating system's side. */
#define DIRECTORY_METADATA "metadata"
#define DIRECTORY_STREAM "stream"	      /* -K; .N: its N-th file */
#define DIRECTORY_DESCRIPTIONS "descriptions" /* -1: a flight recorder's (schema/descriptions.h) */
#define DIRECTORY_WINDOW "window"	      /* -K: the packet being written; until version 0.1 */

/* A name with its two numbers, and a NUL. */
#define DIRECTORY_NAME_BYTES 64

struct directory_number {
	uint64_t number;
	uint64_t part; /* 0: there is none in the name */
};

/* Writes KIND-NUMBER, and .PART where that is not 0. Returns where the NUL is. */
char *directory_put(char *at, const char *kind, uint64_t number, uint64_t part);

/* Whether `name` is just that. Numbers are decimal, from 1, without leading zeros. */
bool directory_parse(const char *name, const char *kind, struct directory_number *number);

/* Whether a session of any version has a file or folder of this name in DIR, or in one of
 * its folders; temporary names of what is being written count. */
bool directory_has(const char *name);
bool directory_folder_has(const char *name);

/* Whether an entry of such a folder, open at `folder`, is a stream's first file, and something is in it. */
bool directory_holds_stream(int folder, const char *name);

/* Whether it is the folder of a traced process, or of the operating system's side. */
static inline bool directory_is_process(const char *name)
{
	struct directory_number number;

	return directory_parse(name, DIRECTORY_PROCESS, &number);
}

#endif
