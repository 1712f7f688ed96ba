/* SPDX-License-Identifier: MIT */
/* An OTF2 archive (Open Trace Format 2, of Score-P) as it is written through its
 * library: locations, each with a file of enter and leave events in the order of
 * time, and definitions of all that the events name, which come last. It is made in
 * a folder beside its place, and gets its name when it is whole.
 *
 *	status = otf_archive_open(&archive, "out", &error);
 *	status = otf_archive_location(&archive, &of, &location);
 *	status = otf_archive_region(&archive, "flush", ..., &region);
 *	status = otf_archive_enter(&archive, location, ns, region, call);
 *	status = otf_archive_leave(&archive, location, ns, region);
 *	status = otf_archive_close(&archive);
 *	otf_archive_drop(&archive);          always
 *
 * (Not otf2_archive_...: the library has these names for itself, and exports them.)
 *
 * Each returns 0 or -errno, told. One archive at a time; one thread. Memory grows with
 * locations (some MiB each, the library's buffers) and distinct names.
 *
 * The library crashes on a full disk (3.0.2): it wants a process of its own (child.h).
 */
#ifndef TANDEM_EXPORT_OTF2_ARCHIVE_H
#define TANDEM_EXPORT_OTF2_ARCHIVE_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/intern.h"
#include "util/map.h"

struct otf2_location {
	OTF2_EvtWriter *writer;
	uint32_t name; /* string */
	uint32_t group;
	OTF2_LocationType type;
	uint64_t events;
	uint32_t *stack; /* regions that were entered and not left */
	size_t depth, stack_capacity;
};

struct otf2_group {	       /* of locations: a process, or what it used of a device */
	uint32_t name, parent; /* string; group that made it, or OTF2_UNDEFINED */
	uint32_t node;
	OTF2_LocationGroupType type;
};

struct otf2_region {
	uint32_t name;
	OTF2_RegionRole role;
	OTF2_Paradigm paradigm;
};

/* Paradigms that have domains, by OTF2's names: a domain's title is one of these,
 * whatever the case of its letters. */
#define OTF2_DOMAIN_PARADIGMS(X) \
	X(OPENCL)                \
	X(CUDA)

struct otf2_archive {
	OTF2_Archive *archive;
	OTF2_AttributeList *attributes;
	const char *out; /* borrowed */
	char *part;	 /* what is written until it is whole */
	struct error *error;
	struct intern strings;
	struct otf2_location *locations;
	size_t location_count, location_capacity;
	struct otf2_group *groups;
	size_t group_count, group_capacity;
	uint32_t *nodes; /* machines: strings */
	size_t node_count, node_capacity;
	struct otf2_region *regions;
	size_t region_count, region_capacity;
	struct map region_of; /* name, role and paradigm -> region */
	uint64_t first_ns, last_ns;
	bool any;
	uint64_t realtime_offset_ns; /* the time of day at 0 of the axis; 0: not known */
};

/* The attribute that events have, of that number. */
#define OTF2_CALL_ATTRIBUTE 0

int otf_archive_open(struct otf2_archive *archive, const char *out, struct error *error);

/* The number of a text in the definitions. */
static inline int otf_archive_string(struct otf2_archive *archive, const char *text,
				     uint32_t *number)
{
	return intern_add(&archive->strings, text, strlen(text), number);
}

/* A machine, a group on it (`parent`: the group's index or -1) and a location in it. */
int otf_archive_node(struct otf2_archive *archive, const char *name, uint32_t *node);
int otf_archive_group(struct otf2_archive *archive, const char *name, uint32_t node,
		      OTF2_LocationGroupType type, int64_t parent, uint32_t *group);
int otf_archive_location(struct otf2_archive *archive, const char *name, uint32_t group,
			 OTF2_LocationType type, uint32_t *location);

/* The region of this name, made when it is new. */
int otf_archive_region(struct otf2_archive *archive, const char *name, OTF2_RegionRole role,
		       OTF2_Paradigm paradigm, uint32_t *region);

/* `call`: what calls and commands that belong together have in common; 0: none. A
 * location's times must not go back: what does is moved. */
int otf_archive_enter(struct otf2_archive *archive, uint32_t location, uint64_t ns, uint32_t region,
		      uint64_t call);
int otf_archive_leave(struct otf2_archive *archive, uint32_t location, uint64_t ns,
		      uint32_t region);

/* The region that was entered last and not left; none: nothing. */
int otf_archive_leave_innermost(struct otf2_archive *archive, uint32_t location, uint64_t ns);

/* Leaves what was never left, writes the definitions, looks whether all of it is on the
 * disk (the library does not say when it could not write), and names the folder. */
int otf_archive_close(struct otf2_archive *archive);

void otf_archive_drop(struct otf2_archive *archive);

/* Part of otf_archive_close(), in definitions.c: what the events name, written when all of it is
 * known. */
struct otf2_fixed_strings { /* that every archive has */
	uint32_t machine, node, call, call_words;
#define X(name) uint32_t name;
	OTF2_DOMAIN_PARADIGMS(X)
#undef X
};

/* Returns 0 or -ENOMEM; no string comes afterwards. */
int otf_definitions_prepare(struct otf2_archive *archive, struct otf2_fixed_strings *fixed);

OTF2_ErrorCode otf_definitions_write(struct otf2_archive *archive,
				     const struct otf2_fixed_strings *fixed);

/* Removes what a process that was killed left of an archive for `out`. */
void otf_archive_sweep(const char *out, pid_t process);

#endif
