/* SPDX-License-Identifier: MIT */
/* The timeline's index, the file timeline.index (trace/session/cache.h): every row of the picture
 * with its spans, sorted, and a tree of summaries above them, so that any
 * stretch of time is drawn in a time that depends on the picture's width only.
 * Made once (view/rows/index_build.h), mapped and read by the server (view/index/index.h).
 *
 * A header, chunks of items, then sections: arrays of the structs below. Machine
 * byte order, naturally aligned. All times are ns since the session's start.
 *
 *   track   its items in chunks of VIEW_CHUNK_ITEMS, the last one shorter, each
 *           item 16 bytes; behind the items of a chunk, where the track has
 *           `refs`, a uint32 for each
 *   nodes   of a track: level by level, the lowest first; a node sums up
 *           VIEW_FANOUT items, or nodes of the level below. The highest level
 *           has VIEW_FANOUT nodes at most.
 */
#ifndef TANDEM_VIEW_INDEX_FORMAT_H
#define TANDEM_VIEW_INDEX_FORMAT_H

#include <stdint.h>

#define VIEW_INDEX_FILE "timeline.index"
#define VIEW_INDEX_MAGIC UINT64_C(0x78646e494d445441)
#define VIEW_INDEX_VERSION 12u

#define VIEW_CHUNK_ITEMS 2048u
#define VIEW_FANOUT 32u
#define VIEW_LEVELS_MOST 7u /* 32^7 items and more */
#define VIEW_NONE UINT32_MAX

struct view_span {
	int64_t begin_ns;
	uint32_t length_ns; /* UINT32_MAX: see the section `longs` */
	uint32_t label;
};

struct view_point { /* of a counter */
	int64_t at_ns;
	uint64_t value; /* from here on */
};

struct view_node {
	int64_t begin_ns, end_ns; /* of the first, and the latest end of any */
	uint64_t busy_ns;	  /* sum of the lengths; of samples their number */
	uint64_t labels;	  /* 1 << label % 64 of each */
	uint32_t count;
	uint32_t label; /* with the most of that */
};

struct view_point_node {
	int64_t begin_ns, end_ns; /* of the first and the last point */
	uint64_t least, most, last;
};

struct view_long { /* sorted by track, then item */
	uint32_t track, item;
	uint64_t length_ns;
};

struct view_label {
	uint32_t name;	/* string */
	uint8_t kind;	/* enum view_span_kind */
	uint8_t flags;	/* enum view_flag */
	uint16_t brief; /* where the name begins that fits into little room, in bytes */
	uint32_t plain; /* the same without flags */
};

struct view_row {
	uint32_t parent; /* row, or VIEW_NONE */
	uint8_t kind;	 /* enum view_row_kind */
	uint8_t rank;	 /* among siblings of its kind: the lower, the earlier */
	uint8_t marks;	 /* enum view_mark */
	uint8_t reserved;
	uint32_t name, note; /* strings; a note may be empty */
	uint32_t first_track, track_count;
	uint32_t process, stream; /* indices in the session, or VIEW_NONE */
	uint64_t number;	  /* pid, tid, number of the queue... */
	uint32_t device;	  /* row of the device that it belongs to, or VIEW_NONE */
	uint32_t clock_bound_ns;  /* of a device: how far off its times are at most */
};

struct view_track {
	uint32_t row;
	uint8_t type;  /* enum view_track_type */
	uint8_t refs;  /* enum view_refs_kind */
	uint8_t again; /* 1: shows what other tracks show too: not counted, not searched */
	uint8_t reserved;
	uint32_t items;
	uint32_t first_chunk, first_long, long_count;
	uint64_t first_node;
	uint64_t first_stat;
	uint32_t stat_count;
	uint32_t reserved2;
};

struct view_stat { /* of one track: how much of a label */
	uint32_t label, count;
	uint64_t total_ns;
};

struct view_command {
	uint64_t op;
	int64_t begin_ns;      /* as drawn */
	int64_t call_begin_ns; /* INT64_MIN: the call is not in the trace */
	int64_t seen_ns;       /* when its end was seen; INT64_MIN: never */
	uint64_t bytes;
	uint32_t process;
	uint32_t call_stream, seen_stream; /* indices in the session, or VIEW_NONE */
	uint32_t track;			   /* where it is drawn: of its queue */
	uint32_t label;
	uint32_t bound_ns; /* how far off the place is at most */
};

struct view_range { /* or marker */
	int64_t begin_ns;
	uint64_t operations, kernels, device_ns; /* of what was enqueued inside */
	uint64_t payload;
	uint32_t scope, category; /* strings; may be empty */
	uint32_t track;		  /* of its thread or process */
	uint8_t payload_type;	  /* enum tandem_annotation_payload */
	uint8_t reserved[3];
};

struct view_activity {	  /* overhead, a page fault, a module */
	uint64_t number;  /* thread, or 0; faults of the group, or the CPU's instruction; program */
	uint64_t address; /* of a fault */
	uint64_t hash, bytes; /* of a module */
	uint32_t process;
	uint32_t domain;   /* string */
	uint8_t on_device; /* 1: a fault of a device */
	uint8_t saved;	   /* 1: the module is in the session */
	uint8_t reserved[6];
};

struct view_external_id { /* sorted by process, then operation */
	uint64_t op, id;
	uint32_t process;
	uint32_t kind; /* string */
};

struct view_task_place { /* in the program, that makes nodes of a task graph */
	uint32_t name, function, file, device; /* strings; may be empty */
	uint32_t line, column;		       /* 0: not known */
	uint32_t place;			       /* string: "file.cpp:12" */
	uint32_t process;
	uint32_t kind; /* string: what its tasks do, "kernel" */
};

struct view_task_node {	    /* sorted by process, then number */
	uint64_t op;	    /* the first operation of its task; 0: none */
	uint64_t device_ns; /* that its operations executed */
	int64_t submit_ns;  /* when its task began; INT64_MIN: never */
	int64_t end_ns;	    /* when it was complete; INT64_MAX: not in the recording */
	uint32_t process, number;
	uint32_t place;	 /* in `task_places`, or VIEW_NONE */
	uint32_t stream; /* whose thread submitted it, or VIEW_NONE */
	uint32_t facts;	 /* string: lines of a name, a tab and a value; may be empty */
	uint32_t operations;
	uint32_t critical; /* from 1: its place in the longest chain; 0: not on it */
	uint32_t reserved;
};

struct view_task_edge { /* sorted by `to`, then `from`: numbers in `task_nodes` */
	uint32_t from, to;
	uint32_t access; /* string: "read" */
	uint32_t buffer; /* number; 0: none */
};

struct view_task_op { /* sorted by process, then operation */
	uint64_t op;
	uint32_t process, node;
};

struct view_record { /* a description, as it lay in the trace; the bytes follow */
	uint32_t stream, bytes;
};

struct view_frame {	     /* a function */
	uint32_t name, file; /* strings; the file may be empty */
};

struct view_stack {	 /* a node of the tree of all stacks; [0] is its root */
	uint32_t parent; /* smaller than its own number; of the outermost ones 0 */
	uint32_t frame;
};

struct view_note { /* what a reader of the picture must know */
	uint32_t text;
	uint32_t warning; /* 1: something is missing or wrong */
};

/* X(name, type of an element) */
#define VIEW_SECTIONS(X)                                                            \
	X(text, char)                                                               \
	X(strings, uint64_t) /* offset in `text`, of a NUL-terminated string */     \
	X(labels, struct view_label)                                                \
	X(rows, struct view_row)     /* a parent before its children */             \
	X(tracks, struct view_track) /* in the order of the rows */                 \
	X(chunks, uint64_t)	     /* offset in the file */                       \
	X(nodes, struct view_node)   /* or struct view_point_node */                \
	X(longs, struct view_long)                                                  \
	X(stats, struct view_stat)                                                  \
	X(commands, struct view_command) /* in the order of their ends */           \
	X(by_op, uint32_t)		 /* commands by process and operation id */ \
	X(ranges, struct view_range)                                                \
	X(activities, struct view_activity)                                         \
	X(external_ids, struct view_external_id)                                    \
	X(wakers, uint32_t) /* row of a thread that woke others, or VIEW_NONE */    \
	X(frames, struct view_frame)                                                \
	X(stacks, struct view_stack)                                                \
	X(task_places, struct view_task_place)                                      \
	X(task_nodes, struct view_task_node)                                        \
	X(task_edges, struct view_task_edge)                                        \
	X(task_edges_out, uint32_t) /* edges by `from`, then `to` */                \
	X(task_ops, struct view_task_op)                                            \
	X(records, uint8_t) /* struct view_record and bytes, padded to 8 */         \
	X(notes, struct view_note)

enum view_section_number {
#define X(name, type) VIEW_SECTION_##name,
	VIEW_SECTIONS(X) VIEW_SECTION_COUNT
#undef X
};

struct view_section {
	uint64_t offset, count;
};

struct view_header {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes;		 /* of this header */
	uint8_t fingerprint[16]; /* of the trace that it was made of */
	uint64_t file_bytes;
	uint64_t duration_ns;
	int64_t last_ns; /* of the latest end of any span */
	uint64_t events;
	uint64_t sample_period_ns; /* what a sample stands for; 0: there are none */
	struct view_section sections[VIEW_SECTION_COUNT];
};

_Static_assert(sizeof(struct view_span) == 16 && sizeof(struct view_point) == 16, "items");
_Static_assert(sizeof(struct view_node) == sizeof(struct view_point_node), "nodes");

#endif
