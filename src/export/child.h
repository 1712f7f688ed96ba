/* SPDX-License-Identifier: MIT */
/* An export in a process of its own, for formats that a library writes which does not
 * survive every error. One thread. */
#ifndef TANDEM_EXPORT_CHILD_H
#define TANDEM_EXPORT_CHILD_H

#include "export/export.h"

/* Runs `make` in a child; its result, its error and its status come back. Where it was
 * killed, ops->killed is called for what it left, and that is the error. */
int export_child(int (*make)(const struct export_request *request, struct export_result *result,
			     struct error *error),
		 const struct export_request *request, struct export_result *result,
		 struct error *error);

#endif
