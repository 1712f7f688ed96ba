/* SPDX-License-Identifier: MIT */
/* Removes a folder of our own with all that is in it; links are removed, not followed.
 * What can't be removed stays. One thread. */
#ifndef TANDEM_UTIL_TREE_REMOVE_H
#define TANDEM_UTIL_TREE_REMOVE_H

void tree_remove(const char *path);

#endif
