/* SPDX-License-Identifier: MIT */
#include "setup/login_environment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "setup/login_variables.h"
#include "setup/safe_path.h"

static struct login_ways ways_of(const struct login_request *request)
{
	return (struct login_ways){request->library, request->preload, request->layers};
}

static int compose(struct login_file *file, const struct login_request *request)
{
	struct login_ways ways = ways_of(request);

	switch (file->form) {
	case LOGIN_LIST:
		login_variables_list(&file->wanted, &ways, file->block.rest.data);
		break;
	case LOGIN_UNITS:
		login_variables_units(&file->wanted, &ways);
		break;
	case LOGIN_SHELL:
		login_variables_shell(&file->wanted, &ways);
		break;
	}
	return file->wanted.failed ? -ENOMEM : 0;
}

/* `needed`: it is made where there is none. */
static int add_file(struct login_environment *environment, enum login_form form, bool needed,
		    const char *folder, const char *name, struct error *error)
{
	const struct login_request *request = environment->request;
	struct login_file *file = &environment->files[environment->count];
	char path[PATH_MAX];
	int status;

	if (snprintf(path, sizeof(path), "%s%s/%s", request->root, folder, name) >=
	    (int)sizeof(path))
		return error_add(error, -ENAMETOOLONG, "%s/%s: %s", folder, name,
				 strerror(ENAMETOOLONG));
	if (!needed && access(path, F_OK))
		return 0;
	*file = (struct login_file){.form = form};
	/* A link is not followed, and said to be one: not an error of reading. */
	if (request->library) {
		status = safe_path_check(path, request->all ? 0 : request->user, request->root,
					 error);
		if (status)
			return status;
	}
	status = file_block_read(path, &file->block, error);
	if (!status)
		environment->count++;
	if (!status && request->library)
		status = compose(file, request);
	return status;
}

static bool is_shell(const struct login_request *request, const char *name)
{
	const char *slash = request->shell ? strrchr(request->shell, '/') : NULL;

	return slash && !strcmp(slash + 1, name);
}

/* bash reads the first of these that is there; a login of another shell reads ~/.profile. */
static int add_profiles(struct login_environment *environment, struct error *error)
{
	const struct login_request *request = environment->request;
	static const char *const names[] = {".bash_profile", ".bash_login"};
	int status = add_file(environment, LOGIN_SHELL, true, request->home, ".profile", error);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !status; i++)
		status = add_file(environment, LOGIN_SHELL, false, request->home, names[i], error);
	if (!status)
		status = add_file(environment, LOGIN_SHELL, is_shell(request, "zsh"), request->home,
				  ".zprofile", error);
	return status;
}

int login_environment_find(struct login_environment *environment,
			   const struct login_request *request, struct error *error)
{
	char config[PATH_MAX];
	int status;

	*environment = (struct login_environment){.request = request};
	if (request->all) {
		status = add_file(environment, LOGIN_LIST, true, "/etc", "environment", error);
		if (!status)
			status = add_file(environment, LOGIN_UNITS, true, "/etc/environment.d",
					  "60-tandem.conf", error);
		if (!status)
			status = add_file(environment, LOGIN_SHELL, true, "/etc/profile.d",
					  "tandem.sh", error);
	} else {
		snprintf(config, sizeof(config), "%s/.config/environment.d", request->home);
		status = add_file(environment, LOGIN_UNITS, true, config, "60-tandem.conf", error);
		if (!status)
			status = add_profiles(environment, error);
	}
	if (status)
		login_environment_free(environment);
	return status;
}

struct library_check {
	const struct login_request *request;
	struct error *error;
	int status;
};

static void check_library(const char *path, void *data)
{
	struct library_check *check = data;
	const struct login_request *request = check->request;

	if (check->status)
		return;
	/* What a shell or pam_env(8) would take for something else. */
	if (strpbrk(path, "\"'$`\\#=")) {
		check->status = error_add(check->error, -EINVAL,
					  "%s: no such name can be in an environment's file; "
					  "install Tandem elsewhere",
					  path);
		return;
	}
	check->status = safe_path_check(path, request->all ? 0 : request->user, "", check->error);
}

int login_environment_check(const struct login_environment *environment, struct error *error)
{
	struct library_check check = {environment->request, error, 0};
	struct login_ways ways = ways_of(environment->request);

	login_variables_libraries(&ways, check_library, &check);
	return check.status;
}

/* As it was before, of those that have been changed. */
static void undo(struct login_environment *environment, size_t changed)
{
	while (changed--) {
		struct login_file *file = &environment->files[changed];
		struct file_block now;

		if (file_block_read(file->block.path, &now, NULL))
			continue;
		if (file->block.has)
			file_block_write(&now, file->block.lines.data ? file->block.lines.data : "",
					 NULL);
		else
			file_block_remove(&now, NULL);
		file_block_free(&now);
	}
}

int login_environment_write(struct login_environment *environment, struct error *error)
{
	for (size_t i = 0; i < environment->count; i++) {
		struct login_file *file = &environment->files[i];
		int status = file_block_write(&file->block, file->wanted.data, error);

		if (status) {
			undo(environment, i);
			return status;
		}
	}
	return 0;
}

int login_environment_remove(struct login_environment *environment, struct error *error)
{
	for (size_t i = 0; i < environment->count; i++) {
		int status = file_block_remove(&environment->files[i].block, error);

		if (status) {
			undo(environment, i);
			return status;
		}
	}
	return 0;
}

size_t login_environment_has(const struct login_environment *environment)
{
	size_t count = 0;

	for (size_t i = 0; i < environment->count; i++)
		count += environment->files[i].block.has;
	return count;
}

void login_environment_free(struct login_environment *environment)
{
	for (size_t i = 0; i < environment->count; i++) {
		file_block_free(&environment->files[i].block);
		text_free(&environment->files[i].wanted);
	}
	environment->count = 0;
}
