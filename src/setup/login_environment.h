/* SPDX-License-Identifier: MIT */
/* The variables that every new program of a user, or of all users, gets by the files from which
 * logins and systemd's user managers make environments: so that runtimes bring the domains in,
 * dormant (`tandem system enable`). All of the files are written, or none is. One thread.
 *
 *	struct login_environment environment;
 *
 *	if (!login_environment_find(&environment, &request, &error))
 *		status = login_environment_write(&environment, &error);
 *	login_environment_free(&environment);
 */
#ifndef TANDEM_SETUP_LOGIN_ENVIRONMENT_H
#define TANDEM_SETUP_LOGIN_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "setup/file_block.h"
#include "util/error.h"

struct login_request {
	const char *root; /* in place of /; "": / */
	bool all;	  /* users */
	uid_t user;
	const char *home;     /* of that user */
	const char *shell;    /* his login shell, or NULL */
	const char *library;  /* libtandem.so; NULL: only to look, or to remove */
	bool preload, layers; /* ways in */
};

enum login_form {
	LOGIN_LIST,  /* NAME=value, as it is (pam_env(8)) */
	LOGIN_UNITS, /* environment.d(5) */
	LOGIN_SHELL, /* sh(1) */
};

enum { LOGIN_FILES_MOST = 6 };

struct login_file {
	enum login_form form;
	struct file_block block;
	struct text wanted; /* our lines, where there is a library */
};

struct login_environment {
	const struct login_request *request; /* borrowed */
	struct login_file files[LOGIN_FILES_MOST];
	size_t count;
};

/* Reads the files, and composes what would be in them. Returns 0 or -errno. */
int login_environment_find(struct login_environment *environment,
			   const struct login_request *request, struct error *error);

/* Whether anybody else could change what is written, or a library that it names. 0 or -errno. */
int login_environment_check(const struct login_environment *environment, struct error *error);

/* Writes, or takes away. Returns 0, or -errno: the files are as they were. */
int login_environment_write(struct login_environment *environment, struct error *error);
int login_environment_remove(struct login_environment *environment, struct error *error);

/* How many files have our lines. */
size_t login_environment_has(const struct login_environment *environment);

void login_environment_free(struct login_environment *environment);

#endif
