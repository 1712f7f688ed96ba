/* SPDX-License-Identifier: MIT */
/* The user's browser. Any thread. */
#ifndef TANDEM_CLI_BROWSER_H
#define TANDEM_CLI_BROWSER_H

/* Opens an address in the browser that the desktop prefers, or $BROWSER; does not
 * wait for it. Returns 0, -ENOENT (no browser, or no display to show it on) or
 * another -errno. */
int browser_open(const char *address);

#endif
