/* SPDX-License-Identifier: MIT */
/* The folder of a process, or of the operating system's side, in a snapshot: first all of its rings
 * are read, then they are written as plain streams, from a time on, with the calls that were not
 * over by then, and with what they refer to at the begin of the first.
 *
 *	snapshot_folder_read(&folder, from, "process-7", &window);    of all folders, then
 *	snapshot_folder_write(&folder, to, &window);
 *	snapshot_folder_free(&folder);
 */
#ifndef TANDEM_RECORDER_SNAPSHOT_SNAPSHOT_FOLDER_H
#define TANDEM_RECORDER_SNAPSHOT_SNAPSHOT_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "format/directory.h"
#include "format/packet.h"
#include "recorder/snapshot/lasting_content.h"
#include "recorder/snapshot/ring_content.h"

struct snapshot_window {
	uint32_t subbuffer_bytes; /* of the rings */
	uint64_t since;		  /* ticks: what is older is not asked for; 0: all is */
	uint64_t overwritten;	  /* streams of which something since then was overwritten */

	/* From where on every stream is complete, in ticks; 0: from their begin. */
	uint64_t from;
	/* A packet whose pair of clock readings is near that; magic 0: none. */
	struct tandem_packet_header near;

	uint64_t records, bytes; /* that were written */
	uint64_t streams;	 /* with something in them */
	uint64_t last_ticks;	 /* of the latest of them, with the end of its call */
};

struct snapshot_stream {
	char name[DIRECTORY_NAME_BYTES];
	struct ring_content content;
};

struct snapshot_folder {
	char name[DIRECTORY_NAME_BYTES];
	int metadata; /* open: the folder may be taken away meanwhile */
	struct snapshot_stream *streams;
	size_t count, capacity;
	struct lasting_content lasting;
};

/* Reads what the folder `name` of the session holds now, and moves the window to where its streams
 * are complete. 0, -ENOENT (it has been taken away) or -errno. */
int snapshot_folder_read(struct snapshot_folder *folder, int session, const char *name,
			 struct snapshot_window *window);

/* Writes what is in the window to a folder of that name in `to`, which it makes unless there is
 * nothing. 0 or -errno. */
int snapshot_folder_write(struct snapshot_folder *folder, int to, struct snapshot_window *window);
void snapshot_folder_free(struct snapshot_folder *folder);

/* Copies a file as it is. 0 or -errno: -ENOENT where there is none. */
int snapshot_file_copy(int from, int to, const char *name);

#endif
