/* SPDX-License-Identifier: MIT */
/* Lines of ours in a file that somebody else writes too: between two lines that mark them, at
 * the end of the file. Taken away, the file is as it was to the byte, with whatever has been
 * changed around them in between; one that was made for them is gone, and so are folders that
 * were made for it. The file is replaced in one step. One thread.
 *
 *	file_block_read(path, &block, &error);
 *	file_block_write(&block, "A=1\n", &error);
 *	file_block_remove(&block, &error);
 *	file_block_free(&block);
 */
#ifndef TANDEM_SETUP_FILE_BLOCK_H
#define TANDEM_SETUP_FILE_BLOCK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "util/error.h"
#include "util/text.h"

struct file_block {
	char path[PATH_MAX];
	bool there;	   /* the file */
	bool has;	   /* our lines */
	bool made;	   /* the file was made for them */
	bool cut;	   /* the line before had no end */
	unsigned folders;  /* that were made for the file */
	struct text rest;  /* the file without ours */
	struct text lines; /* ours, without the marks */
	struct stat status;
};

/* Returns 0 (there need be no file), or -errno: -EBADMSG where a mark is missing. */
int file_block_read(const char *path, struct file_block *block, struct error *error);

/* Puts these lines in the place of ours, or adds them. Returns 0 or -errno: the file is as it
 * was; -EAGAIN where somebody has written it in between. */
int file_block_write(const struct file_block *block, const char *lines, struct error *error);

/* Takes ours away. Returns as above. */
int file_block_remove(const struct file_block *block, struct error *error);

void file_block_free(struct file_block *block);

#endif
