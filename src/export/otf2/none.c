/* SPDX-License-Identifier: MIT */
/* Stands in for otf2.c in a build without OTF2's library. */
#include <errno.h>

#include "export/export.h"

static int otf2_begin(struct export *export)
{
	error_set_hint(export->error, "build it again with libotf2-trace-dev installed");
	return error_add(export->error, -ENOTSUP, "this tandem was built without OTF2");
}

const struct export_ops export_otf2 = {
	.name = "otf2",
	.words = "an archive for Vampir and Score-P's tools (not in this build)",
	.suffix = "-otf2",
	.own_output = true,
	.begin = otf2_begin,
};
