/* SPDX-License-Identifier: MIT */
#include "practice.h"

static const struct app_entry entries[] = {
	{"archive_children", app_archive_children, archive_children_early},
	{"sibling", app_sibling_run, NULL},
#define X(name) {#name, app_##name, NULL},
	APPS(X)
#undef X
};

int main(int argc, char **argv)
{
	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
