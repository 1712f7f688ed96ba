/* SPDX-License-Identifier: MIT */
/* Recovery of a session, by its recorder, when the program has ended. The streams of a
 * process that was killed are whole and can be read as they are; what is done here is to
 * give back what was only reserved: files are cut behind their last record, and those
 * that were made for threads to come are removed. Our readers never write.
 *
 * A stream is only touched when a lock has proved that nobody writes it any more: a
 * read lease (fcntl(2), F_SETLEASE). The kernel refuses it while a process has the file
 * open for writing or mapped, in whatever pid namespace that process is, whatever
 * descriptors it has closed. Where leases do not see mappings (overlayfs), which is
 * tried on the control page, nothing is touched. Nothing that was recorded is lost.
 */
#ifndef TANDEM_RECORDER_RECOVER_H
#define TANDEM_RECORDER_RECOVER_H

#include <stdbool.h>

#include "schema/control.h"

/* Expects the control page of the session to be mapped by this process. Best effort. */
void session_recover(const char *directory);

/* Whether a lease on the control page proves that no process but this one has the session
 * open; false: not known. Where it says so, or might have, `control` is this process's own
 * copy from then on, at the same address. To be asked when nothing more is to be written
 * there. */
bool session_is_left(const char *directory, struct tandem_control *control);

#endif
