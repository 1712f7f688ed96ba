/* SPDX-License-Identifier: MIT */
/* What LTTng wrote into a session becomes what every command reads. The commands that record
 * have a part of tandem-reader do it, or each start would load what reading needs. */
#ifndef TANDEM_CLI_RUN_IMPORT_H
#define TANDEM_CLI_RUN_IMPORT_H

/* The part's status where LTTng has no event of Tandem's. */
#define IMPORT_NO_EVENTS 3

/* `session` is its directory, in which LTTng's trace lies. Returns CLI_DONE, IMPORT_NO_EVENTS,
 * or CLI_FAILED, said on stderr. */
int run_import(const char *session);

/* As snapshot_save() asks for it (recorder/snapshot/snapshot.h): -ENODATA or -EIO. */
int run_import_snapshot(const char *folder);

#endif
