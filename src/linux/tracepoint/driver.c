/* SPDX-License-Identifier: MIT */
#include "linux/tracepoint/driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/tracepoint/tracefs.h"
#include "schema/gen/kernel_records.h"
#include "schema/gpu_tracepoints.h"
#include "util/array.h"

static void tracepoint_free(struct linux_driver_tracepoint *tracepoint)
{
	free(tracepoint->system);
	free(tracepoint->name);
	free(tracepoint->format);
}

static int tracepoint_add(struct linux_drivers *drivers, int events, const char *system,
			  const char *name)
{
	struct linux_driver_tracepoint found = {.id = 0};
	int id = linux_tracefs_id(events, system, name);

	if (id < 0)
		return 0; /* the folder's own files: enable, filter */
	found.id = (uint32_t)id;
	found.system = strdup(system);
	found.name = strdup(name);
	found.format = linux_tracefs_format(events, system, name);
	if (!found.system || !found.name || !found.format ||
	    array_reserve(&drivers->tracepoints, &drivers->capacity, drivers->count + 1,
			  sizeof(*drivers->tracepoints))) {
		tracepoint_free(&found);
		return -ENOMEM;
	}
	drivers->tracepoints[drivers->count++] = found;
	return 0;
}

static DIR *folder_open(int events, const char *name)
{
	int fd = openat(events, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder && fd >= 0)
		close(fd);
	return folder;
}

static int system_add(struct linux_drivers *drivers, int events, const char *system)
{
	DIR *folder = folder_open(events, system);
	const struct dirent *entry;
	int error = 0;

	while (!error && folder && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.' && gpu_tracepoints_wanted(entry->d_name))
			error = tracepoint_add(drivers, events, system, entry->d_name);
	}
	if (folder)
		closedir(folder);
	return error;
}

int linux_drivers_find(struct linux_drivers *drivers, int events)
{
	DIR *folder = folder_open(events, ".");
	const struct dirent *entry;
	int error = folder ? 0 : -errno;

	while (!error && (entry = readdir(folder))) {
		if (gpu_tracepoints_system(entry->d_name))
			error = system_add(drivers, events, entry->d_name);
	}
	if (folder)
		closedir(folder);
	return error;
}

void linux_drivers_free(struct linux_drivers *drivers)
{
	for (size_t i = 0; i < drivers->count; i++)
		tracepoint_free(&drivers->tracepoints[i]);
	free(drivers->tracepoints);
	map_free(&drivers->described);
	*drivers = (struct linux_drivers){.tracepoints = NULL};
}

void linux_drivers_invalidate(struct linux_drivers *drivers)
{
	map_clear(&drivers->described);
}

/* False: it could not be written. */
static bool describe(const struct linux_driver_tracepoint *tracepoint, struct linux_stream *stream,
		     uint64_t ticks)
{
	const char *texts[] = {tracepoint->system, tracepoint->name, tracepoint->format};
	struct tandem_kernel_format *record;
	uint32_t lengths[3], bytes = sizeof(*record);
	uint8_t *at;

	for (int i = 0; i < 3; i++) {
		size_t length = strlen(texts[i]);

		/* The longest today has 9,000 bytes; a record has room for 65,535. */
		lengths[i] = length > 60000 ? 60000 : (uint32_t)length;
		bytes += lengths[i];
	}
	record = linux_stream_put(stream, TANDEM_KERNEL_EVENT_format, ticks, bytes);
	if (!record)
		return false;
	record->format = tracepoint->id;
	record->system_count = (uint16_t)lengths[0];
	record->name_count = (uint16_t)lengths[1];
	record->text_count = (uint16_t)lengths[2];
	at = (uint8_t *)(record + 1);
	for (int i = 0; i < 3; i++) {
		memcpy(at, texts[i], lengths[i]);
		at += lengths[i];
	}
	return true;
}

void linux_drivers_put(struct linux_drivers *drivers, struct linux_stream *stream, uint64_t ticks,
		       uint32_t id, uint32_t tid, const uint8_t *raw, uint32_t bytes)
{
	struct tandem_kernel_tracepoint *record;
	size_t index = 0;
	uint64_t key;

	while (index < drivers->count && drivers->tracepoints[index].id != id)
		index++;
	if (index == drivers->count)
		return;
	/* CPUs are drained one after another: a description in another one's stream
	 * could lie later in time than this. */
	key = (uint64_t)stream->cpu << 32 | index;
	if (map_get(&drivers->described, key) == MAP_NONE &&
	    describe(&drivers->tracepoints[index], stream, ticks))
		map_set(&drivers->described, key, 1);
	record = linux_stream_put(stream, TANDEM_KERNEL_EVENT_tracepoint, ticks,
				  (uint32_t)sizeof(*record) + bytes);
	if (!record)
		return;
	record->tid = tid;
	record->format = id;
	record->data_count = (uint16_t)bytes;
	memcpy(record + 1, raw, bytes);
}
