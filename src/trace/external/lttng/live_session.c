/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/live_session.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HOST_PART "/host/"

static const char *text_in(const bt_value *map, const char *name)
{
	const bt_value *value = bt_value_map_borrow_entry_value_const(map, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

/* `path`: NAME/SESSION */
static bool is_at(const bt_value *session, const char *path)
{
	const char *host, *name;
	size_t length;

	if (!bt_value_is_map(session))
		return false;
	host = text_in(session, "target-hostname");
	name = text_in(session, "session-name");
	length = strlen(host);
	return !strncmp(path, host, length) && path[length] == '/' &&
	       !strcmp(path + length + 1, name);
}

bool live_session_is_gone(const bt_component_class_source *class, const char *address)
{
	const char *path = strstr(address, HOST_PART);
	char *relay = path ? strndup(address, (size_t)(path - address)) : NULL;
	bt_value *parameters = relay ? bt_value_map_create() : NULL;
	const bt_value *sessions = NULL;
	bt_query_executor *query = NULL;
	bool gone = false;

	if (parameters && !bt_value_map_insert_string_entry(parameters, "url", relay))
		query = bt_query_executor_create(
			bt_component_class_source_as_component_class_const(class), "sessions",
			parameters);
	if (query && !bt_query_executor_query(query, &sessions) && bt_value_is_array(sessions)) {
		gone = true;
		for (uint64_t i = 0; i < bt_value_array_get_length(sessions); i++)
			gone &= !is_at(bt_value_array_borrow_element_by_index_const(sessions, i),
				       path + strlen(HOST_PART));
	}
	if (sessions)
		bt_value_put_ref(sessions);
	if (query)
		bt_query_executor_put_ref(query);
	if (parameters)
		bt_value_put_ref(parameters);
	free(relay);
	return gone;
}
