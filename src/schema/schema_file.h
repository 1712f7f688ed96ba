/* SPDX-License-Identifier: MIT */
/* DIR/schema: what the recorder wrote of all events that the session may hold, so that
 * no traced process carries these texts with it. Opens a file: fdtable.h. One thread of
 * the process at a time.
 *
 *	struct schema_file schema;
 *
 *	schema_file_open(&schema, dir);
 *	error = schema_file_copy(&schema, 1, fd);
 *	schema_file_close(&schema);
 */
#ifndef TANDEM_SCHEMA_SCHEMA_FILE_H
#define TANDEM_SCHEMA_SCHEMA_FILE_H

#include <stddef.h>

#include "schema/ids.h"

#define SCHEMA_INDEX_LINE 70u /* TANDEM_SCHEMA_INDEX_BYTES (schema/tsdl.h) */
/* How a domain's text is stored: as it is, or as a block of LZ4. */
#define SCHEMA_PLAIN "index"
#define SCHEMA_PACKED "lz4"
/* Room for the text of any domain (schema_print.c makes sure), and for what it is packed into. */
#define SCHEMA_TEXT_BYTES 196608u
#define SCHEMA_PACKED_BYTES 49152u

struct schema_file {
	int fd; /* -errno: there is none */
	size_t index_bytes;
	char index[TANDEM_DOMAINS * SCHEMA_INDEX_LINE];
};

/* `dir`: of the session. One that is not there has no domains. */
void schema_file_open(struct schema_file *file, const char *dir);
void schema_file_close(struct schema_file *file);

/* Writes what it says of a domain to `to`. Where that is nothing, or about other layouts
 * than those of this library, a line that says whose layouts these are: then no reader
 * takes the records for others. 0 or -errno. */
int schema_file_copy(struct schema_file *file, unsigned domain, int to);

#endif
