/* SPDX-License-Identifier: MIT */
#include "recorder/session/directory_name.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct filling {
	char *name;
	size_t bytes, used;
};

static int add(struct filling *filling, const char *text, size_t length)
{
	if (length >= filling->bytes - filling->used)
		return -ENAMETOOLONG;
	memcpy(filling->name + filling->used, text, length);
	filling->used += length;
	filling->name[filling->used] = '\0';
	return 0;
}

/* Values are one component: a slash would make another. */
static int add_value(struct filling *filling, const char *value)
{
	size_t from = filling->used;
	int status = add(filling, value, strlen(value));

	for (size_t i = from; !status && i < filling->used; i++)
		if (filling->name[i] == '/')
			filling->name[i] = '_';
	return status;
}

static int add_variable(struct filling *filling, const char **at)
{
	const char *end = (*at)[1] == '{' ? strchr(*at, '}') : NULL;
	char name[256];
	const char *value;

	if (!end || end - *at - 2 >= (ptrdiff_t)sizeof(name))
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)(end - *at - 2), *at + 2);
	value = getenv(name);
	if (!value)
		return -ENOKEY;
	*at = end;
	return add_value(filling, value);
}

static int add_time(struct filling *filling, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	char stamp[32];
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
	return add_value(filling, stamp);
}

static int add_host(struct filling *filling)
{
	char host[HOST_NAME_MAX + 1] = "";

	gethostname(host, sizeof(host) - 1);
	return add_value(filling, host);
}

int directory_name_expand(char *name, size_t bytes, const char *pattern, const char *program,
			  uint64_t realtime_ns, const char **wrong)
{
	const char *slash = strrchr(program, '/');
	struct filling filling = {name, bytes, 0};
	int status = 0;

	*name = '\0';
	for (const char *at = pattern; !status && *at; at++) {
		*wrong = at;
		if (*at != '%') {
			status = add(&filling, at, 1);
			continue;
		}
		switch (*++at) {
		case 'p':
			status = add_value(&filling, slash ? slash + 1 : program);
			break;
		case 't':
			status = add_time(&filling, realtime_ns);
			break;
		case 'h':
			status = add_host(&filling);
			break;
		case 'q':
			status = add_variable(&filling, &at);
			break;
		case '%':
			status = add(&filling, "%", 1);
			break;
		default:
			return -EINVAL;
		}
	}
	return status;
}

int directory_name_make_parents(const char *name)
{
	char *path = strdup(name);
	int status = path ? 0 : -ENOMEM;

	for (char *at = path ? path + 1 : NULL; !status && at && *at; at++) {
		if (*at != '/' || at[-1] == '/' || at[strspn(at, "/")] == '\0')
			continue;
		*at = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			status = -errno;
		*at = '/';
	}
	free(path);
	return status;
}
