/* A session's directory as a thing on disk: whether it is one, and taking it
 * away. Nothing is ever deleted but files that a session consists of.
 */
#ifndef TANDEM_CLI_FOLDER_H
#define TANDEM_CLI_FOLDER_H

/* Empties a session's directory, or accepts an empty one, for a new session.
 * Returns 0, -ENOTEMPTY (it holds something else: nothing was deleted), -EBUSY
 * (its recorder is at work) or another -errno. */
int folder_replace(const char *directory);

/* Takes a session's directory away as far as it is one. */
void folder_remove(const char *directory);

#endif
