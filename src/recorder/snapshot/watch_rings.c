/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/watch_rings.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/directory.h"
#include "recorder/session/folder.h"

void watch_rings_forget(struct tandem_control *control)
{
	atomic_store(&control->recording, 0);
	control->ring_bytes = 0;
	atomic_store(&control->processes, 0);
	atomic_store(&control->threads, 0);
	atomic_store(&control->records_flushed, 0);
}

void watch_rings_remove(const char *directory, struct tandem_control *control)
{
	DIR *list = opendir(directory);

	watch_rings_forget(control);
	for (struct dirent *entry; list && (entry = readdir(list));) {
		char *path;

		if (!directory_is_process(entry->d_name) ||
		    asprintf(&path, "%s/%s", directory, entry->d_name) < 0)
			continue;
		folder_remove_process(path);
		free(path);
	}
	if (list)
		closedir(list);
}
