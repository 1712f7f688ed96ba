/* SPDX-License-Identifier: MIT */
/* Stands in for sqlite.c in a build without SQLite. */
#include <errno.h>

#include "export/export.h"

static int sqlite_begin(struct export *export)
{
	error_set_hint(export->error, "build it again with libsqlite3-dev installed");
	return error_add(export->error, -ENOTSUP, "this tandem was built without SQLite");
}

const struct export_ops export_sqlite = {
	.name = "sqlite",
	.words = "a database with tables of calls and commands (not in this build)",
	.suffix = ".sqlite",
	.own_output = true,
	.begin = sqlite_begin,
};
