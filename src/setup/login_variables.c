/* SPDX-License-Identifier: MIT */
#include "setup/login_variables.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "schema/domain.h"
#include "schema/system_folder.h"
#include "setup/domain_variables.h"
#include "setup/library.h"

/* Calls `set` for each variable, in the order of the rows. */
static void each(const struct login_ways *ways,
		 void (*set)(const struct tandem_variable *variable, const char *value, void *data),
		 void *data)
{
	/* Ours first, so that it catches the calls of programs that are linked to a runtime. */
	static const struct tandem_variable waits = {.name = TANDEM_ENV_SYSTEM,
						     .rule = TANDEM_VARIABLE_UNSET};
	static const struct tandem_variable preload = {
		.name = "LD_PRELOAD", .rule = TANDEM_VARIABLE_LIST, .separator = ':'};
	const struct tandem_domain_row *row = NULL;
	char path[PATH_MAX];

	set(&waits, SYSTEM_BASE, data);
	if (ways->preload)
		set(&preload, ways->library, data);
	while ((row = tandem_domain_next(row))) {
		const struct tandem_variable *variable = row->variables;
		uint32_t choices = tandem_domain_choices(row);
		bool can = true;

		for (; variable && variable->name; variable++)
			can = can && (!domain_variable_is_chosen(variable, choices, ways->layers) ||
				      domain_variable_value(variable, ways->library, path));
		for (variable = can ? row->variables : NULL; variable && variable->name; variable++)
			if (domain_variable_is_chosen(variable, choices, ways->layers))
				set(variable, domain_variable_value(variable, ways->library, path),
				    data);
	}
}

struct list {
	struct text *text;
	const char *rest;
};

/* What the last line that sets it says, its length in *length; NULL: none does. */
static const char *value_in(const char *text, const char *name, size_t *length)
{
	const char *found = NULL;
	size_t bytes = strlen(name);

	for (const char *line = text; *line;
	     line += strcspn(line, "\n") + (strchr(line, '\n') != 0)) {
		const char *at = line + strspn(line, " \t");

		at += strncmp(at, "export ", 7) ? 0 : 7;
		if (strncmp(at, name, bytes) != 0 || at[bytes] != '=')
			continue;
		found = at + bytes + 1;
		*length = strcspn(found, "\n");
		if (*length >= 2 && (*found == '"' || *found == '\'') &&
		    found[*length - 1] == *found) {
			found++;
			*length -= 2;
		}
	}
	return found && *length ? found : NULL;
}

static void set_list(const struct tandem_variable *variable, const char *value, void *data)
{
	const struct list *list = data;
	size_t length = 0;
	const char *other = value_in(list->rest, variable->name, &length);
	bool same = other && length == strlen(value) && !memcmp(other, value, length);

	if (other && !same && variable->rule == TANDEM_VARIABLE_UNSET)
		return;
	if (other && !same && variable->rule == TANDEM_VARIABLE_SET && variable->others)
		text_format(list->text, "%s=%.*s\n", variable->others, (int)length, other);
	text_format(list->text, "%s=", variable->name);
	if (other && !same && variable->rule == TANDEM_VARIABLE_LIST)
		text_format(list->text, "%.*s%c", (int)length, other, variable->separator);
	text_format(list->text, "%s\n", value);
}

void login_variables_list(struct text *text, const struct login_ways *ways, const char *rest)
{
	struct list list = {text, rest ? rest : ""};

	each(ways, set_list, &list);
}

static void set_units(const struct tandem_variable *variable, const char *value, void *data)
{
	text_format(data, "%s=${%s:-%s}\n", variable->name, variable->name, value);
}

void login_variables_units(struct text *text, const struct login_ways *ways)
{
	each(ways, set_units, text);
}

static void set_shell(const struct tandem_variable *variable, const char *value, void *data)
{
	const char *name = variable->name;
	struct text *text = data;
	char c = variable->separator;

	switch (variable->rule) {
	case TANDEM_VARIABLE_UNSET:
		text_format(text, "export %s=\"${%s:-%s}\"\n", name, name, value);
		return;
	case TANDEM_VARIABLE_LIST:
		text_format(text, "case \"%c${%s-}%c\" in *\"%c%s%c\"*) ;;\n", c, name, c, c, value,
			    c);
		text_format(text, "*) export %s=\"${%s:+${%s}%c}%s\" ;; esac\n", name, name, name,
			    c, value);
		return;
	case TANDEM_VARIABLE_SET:
		if (variable->others)
			text_format(
				text,
				"case \"${%s-}\" in ''|\"%s\") ;; *) export %s=\"${%s}\" ;; esac\n",
				name, value, variable->others, name);
		text_format(text, "export %s=\"%s\"\n", name, value);
		return;
	}
}

void login_variables_shell(struct text *text, const struct login_ways *ways)
{
	each(ways, set_shell, text);
}

struct libraries {
	void (*found)(const char *path, void *data);
	void *data;
};

static void give_library(const struct tandem_variable *variable, const char *value, void *data)
{
	const struct libraries *libraries = data;

	if (*value == '/' && strcmp(variable->name, TANDEM_ENV_SYSTEM) != 0)
		libraries->found(value, libraries->data);
}

void login_variables_libraries(const struct login_ways *ways,
			       void (*found)(const char *path, void *data), void *data)
{
	struct libraries libraries = {found, data};

	each(ways, give_library, &libraries);
}
