/* SPDX-License-Identifier: MIT */
/* Where readers keep what they computed from a session, from one run to the next: a
 * folder for each session in the user's cache ($XDG_CACHE_HOME/tandem, or ~/.cache/tandem:
 * XDG Base Directory Specification 0.8), never in the session, which is only read. What is
 * kept there may be deleted at any time; folders of sessions that are gone are deleted
 * when one is added.
 *
 *	char *folder = trace_cache_folder("tandem-app");
 *	... files of TRACE_CACHE_FILES in it
 *	free(folder);
 */
#ifndef TANDEM_TRACE_CACHE_H
#define TANDEM_TRACE_CACHE_H

/* All that is ever made in such a folder, with names of temporary files that begin so. */
#define TRACE_CACHE_FILES(X) \
	X("timeline.index")  \
	X("session.sqlite")  \
	X("path")

/* Folders that begin so are sessions that were made of other tracers' traces. */
#define TRACE_CACHE_IMPORT "import"

/* The session's folder, made where it is missing, 0700; the caller frees the path. NULL:
 * there is none that this user alone can write; a temporary file has to do. */
char *trace_cache_folder(const char *session_path);

/* Removes the imports in such a folder, but for those that somebody has locked (flock(2)): who
 * makes or reads one holds its folder so. */
void trace_cache_remove_imports(const char *folder);

#endif
