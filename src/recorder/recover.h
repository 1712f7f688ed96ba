/* Recovery of a session, by its recorder, when the program has ended: what a process that
 * was killed left half done (a packet that was being appended to stream-K, or one that is
 * both there and in window-K) is put in order for every reader of CTF. Our own readers
 * do without, and never write (doc/FORMAT.md).
 *
 * A stream is only touched under a lock that proves that nobody writes it any more: a
 * read lease on its window (fcntl(2), F_SETLEASE). The kernel refuses it while a process
 * has the window open for writing or mapped, in whatever pid namespace that process is,
 * whatever descriptors it has closed. Where leases do not see mappings (overlayfs), which
 * is tried on the control page, nothing is touched. Nothing that was recorded is lost.
 */
#ifndef TANDEM_RECORDER_RECOVER_H
#define TANDEM_RECORDER_RECOVER_H

/* Expects the control page of the session to be mapped by this process. Best effort. */
void session_recover(const char *directory);

#endif
