/* SPDX-License-Identifier: MIT */
#include "export/otf2/archive.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/output.h"
#include "util/array.h"
#include "util/keyed_row.h"

/* The name that Score-P gives its archives: OUT/traces.otf2. */
#define ARCHIVE_NAME "traces"

/* The library prints its errors unless somebody takes them. */
static OTF2_ErrorCode take_error(void *user, const char *file, uint64_t line, const char *function,
				 OTF2_ErrorCode code, const char *format, va_list arguments)
{
	(void)user, (void)file, (void)line, (void)function, (void)format, (void)arguments;
	return code;
}

static OTF2_FlushType flush_always(void *user, OTF2_FileType type, OTF2_LocationRef location,
				   void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

/* It does not hand the system's errno on, but leaves it where it was. */
static int tell(struct otf2_archive *archive, OTF2_ErrorCode code)
{
	int status = code == OTF2_ERROR_ENOSPC						? -ENOSPC
		     : code == OTF2_ERROR_ENOMEM || code == OTF2_ERROR_MEM_ALLOC_FAILED ? -ENOMEM
											: -EIO;

	if (code == OTF2_SUCCESS)
		return 0;
	if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EACCES ||
	    errno == EROFS || errno == EMFILE)
		status = -errno;
	return error_add(archive->error, status, "%s: %s", archive->out,
			 status == -EIO ? OTF2_Error_GetDescription(code) : strerror(-status));
}

static int remove_one(const char *path, const struct stat *known, int type, struct FTW *at)
{
	(void)known, (void)type, (void)at;
	return remove(path);
}

/* What this process, or an earlier export, made: never follows a link. */
static void remove_folder(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool is_empty(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	bool empty = folder != NULL;

	while (empty && (entry = readdir(folder)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (folder)
		closedir(folder);
	return empty;
}

/* An archive, or an empty folder, may be replaced; what else there is may not. */
static int check_place(struct otf2_archive *archive)
{
	struct stat known;
	char *anchor = NULL;
	int status = 0;

	if (lstat(archive->out, &known))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(known.st_mode))
		return error_add(archive->error, -ENOTDIR,
				 "%s: it is there, and no folder of an archive", archive->out);
	if (asprintf(&anchor, "%s/" ARCHIVE_NAME ".otf2", archive->out) < 0)
		return -ENOMEM;
	if (access(anchor, F_OK) && !is_empty(archive->out)) {
		error_set_hint(archive->error, "name another with --output");
		status = error_add(archive->error, -EEXIST,
				   "%s: this folder holds something else than an OTF2 archive",
				   archive->out);
	}
	free(anchor);
	return status;
}

int otf_archive_open(struct otf2_archive *archive, const char *out, struct error *error)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
	OTF2_ErrorCode code;
	int status;

	archive->out = out;
	archive->error = error;
	status = check_place(archive);
	if (status)
		return status;
	archive->part = output_part(out);
	archive->attributes = OTF2_AttributeList_New();
	if (!archive->part || !archive->attributes)
		return -ENOMEM;
	if (mkdir(archive->part, 0777)) {
		status = error_add(error, -errno, "%s: %s", out, strerror(errno));
		free(archive->part);
		archive->part = NULL;
		return status;
	}
	OTF2_Error_RegisterCallback(take_error, NULL);
	errno = 0;
	archive->archive = OTF2_Archive_Open(
		archive->part, ARCHIVE_NAME, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
		OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!archive->archive)
		return tell(archive, OTF2_ERROR_INVALID);
	code = OTF2_Archive_SetFlushCallbacks(archive->archive, &flush, NULL);
	if (!code)
		code = OTF2_Archive_SetSerialCollectiveCallbacks(archive->archive);
	if (!code)
		code = OTF2_Archive_SetCreator(archive->archive, "tandem " TANDEM_VERSION);
	if (!code)
		code = OTF2_Archive_OpenEvtFiles(archive->archive);
	return tell(archive, code);
}

int otf_archive_node(struct otf2_archive *archive, const char *name, uint32_t *node)
{
	uint32_t number;

	if (otf_archive_string(archive, name, &number))
		return -ENOMEM;
	for (*node = 0; *node < archive->node_count; ++*node)
		if (archive->nodes[*node] == number)
			return 0;
	return ARRAY_ADD(archive->nodes, archive->node_capacity, archive->node_count, number);
}

int otf_archive_group(struct otf2_archive *archive, const char *name, uint32_t node,
		      OTF2_LocationGroupType type, int64_t parent, uint32_t *group)
{
	struct otf2_group made = {.node = node,
				  .type = type,
				  .parent = parent < 0 ? OTF2_UNDEFINED_LOCATION_GROUP
						       : (uint32_t)parent};

	if (otf_archive_string(archive, name, &made.name) ||
	    array_reserve(&archive->groups, &archive->group_capacity, archive->group_count + 1,
			  sizeof(*archive->groups)))
		return -ENOMEM;
	*group = (uint32_t)archive->group_count;
	archive->groups[archive->group_count++] = made;
	return 0;
}

int otf_archive_location(struct otf2_archive *archive, const char *name, uint32_t group,
			 OTF2_LocationType type, uint32_t *location)
{
	struct otf2_location made = {.group = group, .type = type};

	if (otf_archive_string(archive, name, &made.name) ||
	    array_reserve(&archive->locations, &archive->location_capacity,
			  archive->location_count + 1, sizeof(*archive->locations)))
		return -ENOMEM;
	errno = 0;
	made.writer = OTF2_Archive_GetEvtWriter(archive->archive, archive->location_count);
	if (!made.writer)
		return tell(archive, OTF2_ERROR_INVALID);
	*location = (uint32_t)archive->location_count;
	archive->locations[archive->location_count++] = made;
	return 0;
}

int otf_archive_region(struct otf2_archive *archive, const char *name, OTF2_RegionRole role,
		       OTF2_Paradigm paradigm, uint32_t *region)
{
	struct otf2_region made = {.role = role, .paradigm = paradigm};
	const struct otf2_region *known;

	if (otf_archive_string(archive, name, &made.name))
		return -ENOMEM;
	known = keyed_row(&archive->region_of,
			  (uint64_t)made.name << 16 | (uint64_t)role << 8 | paradigm,
			  &archive->regions, &archive->region_capacity, &archive->region_count,
			  &made, sizeof(made));
	if (!known)
		return -ENOMEM;
	*region = (uint32_t)(known - archive->regions);
	return 0;
}

static uint64_t forward(struct otf2_archive *archive, uint64_t ns)
{
	if (!archive->any || ns < archive->first_ns)
		archive->first_ns = ns;
	if (!archive->any || ns > archive->last_ns)
		archive->last_ns = ns;
	archive->any = true;
	return ns;
}

int otf_archive_enter(struct otf2_archive *archive, uint32_t location, uint64_t ns, uint32_t region,
		      uint64_t call)
{
	struct otf2_location *at = &archive->locations[location];
	OTF2_AttributeValue value = {.uint64 = call};
	OTF2_ErrorCode code = OTF2_SUCCESS;

	if (ARRAY_ADD(at->stack, at->stack_capacity, at->depth, region))
		return -ENOMEM;
	errno = 0;
	if (call)
		code = OTF2_AttributeList_AddAttribute(archive->attributes, OTF2_CALL_ATTRIBUTE,
						       OTF2_TYPE_UINT64, value);
	if (!code)
		code = OTF2_EvtWriter_Enter(at->writer, call ? archive->attributes : NULL,
					    forward(archive, ns), region);
	return tell(archive, code);
}

int otf_archive_leave(struct otf2_archive *archive, uint32_t location, uint64_t ns, uint32_t region)
{
	struct otf2_location *at = &archive->locations[location];

	if (at->depth)
		at->depth--;
	errno = 0;
	return tell(archive, OTF2_EvtWriter_Leave(at->writer, NULL, forward(archive, ns), region));
}

int otf_archive_leave_innermost(struct otf2_archive *archive, uint32_t location, uint64_t ns)
{
	const struct otf2_location *at = &archive->locations[location];

	return at->depth ? otf_archive_leave(archive, location, ns, at->stack[at->depth - 1]) : 0;
}

/* --- the end */

static OTF2_ErrorCode close_locations(struct otf2_archive *archive)
{
	OTF2_ErrorCode code = OTF2_SUCCESS;

	for (size_t i = 0; !code && i < archive->location_count; i++) {
		struct otf2_location *at = &archive->locations[i];

		while (!code && at->depth)
			code = OTF2_EvtWriter_Leave(at->writer, NULL, archive->last_ns,
						    at->stack[--at->depth]);
		if (!code)
			code = OTF2_EvtWriter_GetNumberOfEvents(at->writer, &at->events);
		if (!code)
			code = OTF2_Archive_CloseEvtWriter(archive->archive, at->writer);
	}
	if (!code)
		code = OTF2_Archive_CloseEvtFiles(archive->archive);
	/* A reader wants a file of local definitions for each, if only an empty one. */
	if (!code)
		code = OTF2_Archive_OpenDefFiles(archive->archive);
	for (size_t i = 0; !code && i < archive->location_count; i++) {
		OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->archive, i);

		code = writer ? OTF2_Archive_CloseDefWriter(archive->archive, writer)
			      : OTF2_ERROR_INVALID;
	}
	return code ? code : OTF2_Archive_CloseDefFiles(archive->archive);
}

static OTF2_CallbackCode count_event(OTF2_LocationRef location, OTF2_TimeStamp time,
				     uint64_t position, void *user, OTF2_AttributeList *attributes,
				     OTF2_RegionRef region)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)region;
	++*(uint64_t *)user;
	return OTF2_CALLBACK_SUCCESS;
}

/* All of the location's events, and each is one of ours: behind the end of a file that was
 * cut off the library reads on in whatever lies there, without an end. */
static OTF2_ErrorCode read_location(OTF2_Reader *reader, const OTF2_EvtReaderCallbacks *callbacks,
				    uint64_t location, uint64_t events)
{
	OTF2_EvtReader *from = OTF2_Reader_GetEvtReader(reader, location);
	uint64_t read = 0, counted = 0;
	OTF2_ErrorCode code;

	if (!from)
		return OTF2_ERROR_INVALID;
	code = OTF2_Reader_RegisterEvtCallbacks(reader, from, callbacks, &counted);
	if (!code)
		code = OTF2_Reader_ReadLocalEvents(reader, from, events, &read);
	OTF2_Reader_CloseEvtReader(reader, from);
	return code ? code : counted == events ? OTF2_SUCCESS : OTF2_ERROR_INVALID;
}

/* Each location's events are there when they can be read again. */
static bool is_whole(struct otf2_archive *archive)
{
	char *anchor = NULL;
	OTF2_EvtReaderCallbacks *callbacks;
	OTF2_Reader *reader = NULL;
	uint64_t locations = 0;
	OTF2_ErrorCode code = OTF2_ERROR_INVALID;

	if (asprintf(&anchor, "%s/" ARCHIVE_NAME ".otf2", archive->part) >= 0)
		reader = OTF2_Reader_Open(anchor);
	free(anchor);
	if (!reader)
		return false;
#ifdef M_PERTURB
	/* The reader's buffers would be the writer's, with what is missing in the files still
	 * in them. */
	mallopt(M_PERTURB, 0x55);
#endif
	callbacks = OTF2_EvtReaderCallbacks_New();
	code = callbacks ? OTF2_SUCCESS : OTF2_ERROR_ENOMEM;
	if (!code)
		code = OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, count_event);
	if (!code)
		code = OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, count_event);
	if (!code)
		code = OTF2_Reader_SetSerialCollectiveCallbacks(reader);
	if (!code)
		code = OTF2_Reader_GetNumberOfLocations(reader, &locations);
	if (!code && locations != archive->location_count)
		code = OTF2_ERROR_INVALID;
	for (uint64_t i = 0; !code && i < locations; i++)
		code = OTF2_Reader_SelectLocation(reader, i);
	if (!code)
		code = OTF2_Reader_OpenEvtFiles(reader);
	for (uint64_t i = 0; !code && i < locations; i++)
		code = read_location(reader, callbacks, i, archive->locations[i].events);
	if (callbacks)
		OTF2_EvtReaderCallbacks_Delete(callbacks);
	OTF2_Reader_Close(reader);
	return !code;
}

/* In the place of an archive that was there before: that one goes when the new one
 * has its name. */
static int name_folder(struct otf2_archive *archive)
{
	char *old = NULL;
	int status = 0;

	if (!rename(archive->part, archive->out)) {
		free(archive->part);
		archive->part = NULL;
		return 0;
	}
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	if (asprintf(&old, "%s-old", archive->part) < 0)
		return -ENOMEM;
	if (rename(archive->out, old)) {
		status = -errno;
	} else if (rename(archive->part, archive->out)) {
		status = -errno;
		rename(old, archive->out);
	} else {
		remove_folder(old);
		free(archive->part);
		archive->part = NULL;
	}
	free(old);
	return status;
}

int otf_archive_close(struct otf2_archive *archive)
{
	struct otf2_fixed_strings fixed;
	OTF2_ErrorCode code;
	int status = otf_definitions_prepare(archive, &fixed);

	if (status)
		return status;
	errno = 0;
	code = close_locations(archive);
	if (!code)
		code = otf_definitions_write(archive, &fixed);
	if (!code) {
		code = OTF2_Archive_Close(archive->archive);
		archive->archive = NULL;
	}
	status = tell(archive, code);
	if (!status && !is_whole(archive)) {
		error_set_hint(archive->error, "is there room on the disk?");
		status = error_add(archive->error, -EIO, "%s: not all of it could be written",
				   archive->out);
	}
	return status ? status : name_folder(archive);
}

void otf_archive_drop(struct otf2_archive *archive)
{
	if (archive->archive)
		OTF2_Archive_Close(archive->archive);
	if (archive->attributes)
		OTF2_AttributeList_Delete(archive->attributes);
	if (archive->part)
		remove_folder(archive->part);
	free(archive->part);
	for (size_t i = 0; i < archive->location_count; i++)
		free(archive->locations[i].stack);
	free(archive->locations);
	free(archive->groups);
	free(archive->nodes);
	free(archive->regions);
	map_free(&archive->region_of);
	intern_free(&archive->strings);
	memset(archive, 0, sizeof(*archive));
}

void otf_archive_sweep(const char *out, pid_t process)
{
	char *part = output_part_of(out, process);

	if (part)
		remove_folder(part);
	free(part);
}
