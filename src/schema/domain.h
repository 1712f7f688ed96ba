/* SPDX-License-Identifier: MIT */
/* The rows of the domains (schema/domains.def): numbers, words and what a runtime
 * needs. Static storage; any thread.
 *
 *	const struct tandem_domain_row *row = tandem_domain_row(record->domain);
 *
 *	printf("%s: let a %s have more %ss\n", row->title, row->group, row->item);
 */
#ifndef TANDEM_SCHEMA_DOMAIN_H
#define TANDEM_SCHEMA_DOMAIN_H

#include <stdint.h>

/* What `tandem record --NAME LIST` chooses among. */
struct tandem_choice {
	const char *word; /* NULL ends a list */
	uint8_t on;	  /* recorded unless the user says otherwise */
	uint32_t needs;	  /* 1 << choice: recorded with it */
	const char *description;
};

/* A variable of the program's environment by which its runtime is brought to load a
 * library of ours, or to let itself be traced. Its value is that library's path, or
 * `value` where that is given. */
enum tandem_variable_rule {
	TANDEM_VARIABLE_SET,   /* another tool's value goes to `others`, if that is given */
	TANDEM_VARIABLE_LIST,  /* ours comes last, unless it is there; `separator` */
	TANDEM_VARIABLE_UNSET, /* another tool's value stays, and we are not brought in */
};

struct tandem_variable {
	const char *name; /* NULL ends a list */
	enum tandem_variable_rule rule;
	/* File next to libtandem.so, or several, separated by blanks, of which the first that
	 * is there counts; NULL: libtandem.so itself. */
	const char *library;
	const char *value;
	const char *others; /* a variable that our library knows */
	char separator;
	uint8_t layer;	  /* 1: a second way in beside the preload (`--inject`) */
	uint8_t optional; /* 1: this build may lack the library; then none is set */
	uint32_t choices; /* set only where one of these is chosen; 0: always */
};

/* What of the program's own can bound the recording, `--capture`. */
struct tandem_mark {
	const char *word;	 /* NULL ends a list */
	const char *argument;	 /* what follows the word; NULL: nothing */
	const char *description; /* completes "record only ..." */
};

struct tandem_domain_row { /* no string is NULL; "": has none */
	uint8_t number;	   /* 1 to 63; core 0 */
	const char *name;  /* "opencl" */
	const char *title; /* as its maker spells it: "OpenCL" */

	uint8_t runtime; /* 0: core, and the operating system */

	/* The domain that it is a part of: chosen with it, and whose devices and
	 * operations its calls are about. Its own name: of none. */
	const char *part;

	/* How its functions' names begin, separated by blanks, the longest first, and a
	 * word that follows in those of commands and says no more than their class. */
	const char *prefixes;
	const char *verb;

	/* Its words. */
	const char *group, *item; /* of an index space: "block", "thread" */
	const char *queue;
	const char *multiprocessor;

	/* Advice in its own terms: how to do without a wait that keeps a CPU busy, and
	 * how to get memory that transfers can reach directly. Completes "..., ". */
	const char *use_callback;
	const char *use_pinned;

	/* How it calls some things that advice names: how to wait for an event, pinned
	 * memory, a program's binary, commands that are recorded once and run as one,
	 * what limits a kernel's registers, and the call that moves managed memory at once. "": it has no such thing. */
	const char *use_wait;
	const char *pinned;
	const char *program_binary;
	const char *batch;
	const char *fewer_registers;
	const char *prefetch;
	const char *set_callback; /* the call that gives it a function to call back */

	const char *entry_library;		 /* what the program loads */
	const struct tandem_variable *variables; /* NULL: it needs none */
	const struct tandem_mark *marks;	 /* NULL: it has none */
	/* Lists by the numbers of tandem_domain_control; NULL: none. */
	const struct tandem_choice *choices;
	const char *const *notices; /* NULL ends it */

	/* What its own tracing adds to a call that enqueues a command, and to another one: ns, as
	 * measured (doc/FINDINGS.md, "What recording cost"). 0: not known, or nothing. */
	uint32_t command_ns, call_ns;

	uint8_t more_pages[7]; /* of event ids; 0: no more. For tools/apigen */
	uint8_t mangled;       /* 1: kernels have names as the C++ linker knows them */
};

/* The members that a session keeps: X(name), all `const char *`. */
#define TANDEM_DOMAIN_TEXTS(X) \
	X(title)               \
	X(part)                \
	X(prefixes)            \
	X(verb)                \
	X(group)               \
	X(item)                \
	X(queue)               \
	X(multiprocessor)      \
	X(use_callback)        \
	X(use_pinned)          \
	X(use_wait)            \
	X(pinned)              \
	X(program_binary)      \
	X(batch)               \
	X(fewer_registers)     \
	X(prefetch)            \
	X(set_callback)

/* A row of no domain, of which everything has a default. */
struct tandem_domain_row tandem_domain_row_init(void);

/* NULL where this build has no such domain. */
const struct tandem_domain_row *tandem_domain_row(unsigned number);
const struct tandem_domain_row *tandem_domain_row_find(const char *name);

/* The rows one after another: NULL begins, and ends. */
const struct tandem_domain_row *tandem_domain_next(const struct tandem_domain_row *row);

/* 1 << choice for all that are on by themselves. */
uint32_t tandem_domain_choices(const struct tandem_domain_row *row);

/* A function's name without what all names of its runtime begin with: "ReadBuffer" of
 * clEnqueueReadBuffer, "MemcpyAsync" of cudaMemcpyAsync. Points into `function`. */
const char *tandem_domain_brief(const struct tandem_domain_row *row, const char *function);

/* What a command is called that has no name of its own: "ReadBuffer" of
 * clEnqueueReadBuffer, cudaMemcpyAsync as it is. Points into `function`. */
const char *tandem_domain_command(const struct tandem_domain_row *row, const char *function);

#endif
