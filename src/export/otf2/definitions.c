/* SPDX-License-Identifier: MIT */
#include "export/otf2/archive.h"

#include <errno.h>
#include <strings.h>

#include "schema/domain.h"
#include "trace/schema/schema.h"

/* As its maker spells it. */
static const char *paradigm_title(const char *name)
{
	for (unsigned i = 0; i < TRACE_DOMAINS; i++) {
		const struct tandem_domain_row *row = tandem_domain_row(i);

		if (row && !strcasecmp(row->title, name))
			return row->title;
	}
	return name;
}

int otf_definitions_prepare(struct otf2_archive *archive, struct otf2_fixed_strings *fixed)
{
	return otf_archive_string(archive, "machine", &fixed->machine) ||
			       otf_archive_string(archive, "node", &fixed->node) ||
			       otf_archive_string(archive, "call", &fixed->call) ||
			       otf_archive_string(
				       archive,
				       "the same number for a call and the command that it "
				       "enqueued",
				       &fixed->call_words)
#define X(name) || otf_archive_string(archive, paradigm_title(#name), &fixed->name)
				       OTF2_DOMAIN_PARADIGMS(X)
#undef X
		       ? -ENOMEM
		       : 0;
}

static OTF2_ErrorCode write_places(struct otf2_archive *archive, OTF2_GlobalDefWriter *writer,
				   const struct otf2_fixed_strings *fixed)
{
	OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteSystemTreeNode(
		writer, 0, fixed->machine, fixed->machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);

	for (uint32_t i = 0; !code && i < archive->node_count; i++)
		code = OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, i + 1, archive->nodes[i],
								fixed->node, 0);
	for (uint32_t i = 0; !code && i < archive->group_count; i++)
		code = OTF2_GlobalDefWriter_WriteLocationGroup(
			writer, i, archive->groups[i].name, archive->groups[i].type,
			archive->groups[i].node + 1, archive->groups[i].parent);
	for (uint32_t i = 0; !code && i < archive->location_count; i++) {
		const struct otf2_location *at = &archive->locations[i];

		code = OTF2_GlobalDefWriter_WriteLocation(writer, i, at->name, at->type, at->events,
							  at->group);
	}
	return code;
}

static OTF2_ErrorCode write_regions(struct otf2_archive *archive, OTF2_GlobalDefWriter *writer)
{
	OTF2_ErrorCode code = OTF2_SUCCESS;

	for (uint32_t i = 0; !code && i < archive->region_count; i++) {
		const struct otf2_region *region = &archive->regions[i];

		/* String 0 is the empty one. */
		code = OTF2_GlobalDefWriter_WriteRegion(writer, i, region->name, region->name, 0,
							region->role, region->paradigm,
							OTF2_REGION_FLAG_NONE, 0, 0, 0);
	}
	return code;
}

OTF2_ErrorCode otf_definitions_write(struct otf2_archive *archive,
				     const struct otf2_fixed_strings *fixed)
{
	OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive->archive);
	uint64_t realtime_ns = archive->realtime_offset_ns
				       ? archive->realtime_offset_ns + archive->first_ns
				       : OTF2_UNDEFINED_TIMESTAMP;
	OTF2_ErrorCode code;

	if (!writer)
		return OTF2_ERROR_INVALID;
	code = OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, archive->first_ns,
							 archive->last_ns - archive->first_ns,
							 realtime_ns);
	/* Number 0 is the empty string, which is never added. */
	for (uint32_t i = 0; !code && i < archive->strings.count; i++)
		code = OTF2_GlobalDefWriter_WriteString(writer, i,
							intern_text(&archive->strings, i));
#define X(name)                                                                         \
	if (!code)                                                                      \
		code = OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_##name, \
							  fixed->name,                  \
							  OTF2_PARADIGM_CLASS_ACCELERATOR);
	OTF2_DOMAIN_PARADIGMS(X)
#undef X
	if (!code)
		code = OTF2_GlobalDefWriter_WriteAttribute(writer, OTF2_CALL_ATTRIBUTE, fixed->call,
							   fixed->call_words, OTF2_TYPE_UINT64);
	if (!code)
		code = write_places(archive, writer, fixed);
	if (!code)
		code = write_regions(archive, writer);
	return code ? code : OTF2_Archive_CloseGlobalDefWriter(archive->archive, writer);
}
