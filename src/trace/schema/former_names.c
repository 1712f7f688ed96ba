/* SPDX-License-Identifier: MIT */
#include "trace/schema/former_names.h"

#include <stddef.h>
#include <string.h>

#include "schema/ids.h"

struct former_name {
	unsigned domain;
	const char *event; /* of a field: whose it is; else NULL */
	const char *former, *name;
};

static const struct former_name events[] = {
	{TANDEM_DOMAIN_core, NULL, "launch_shape", "launch_config"},
	{TANDEM_DOMAIN_core, NULL, "transfer_shape", "transfer_config"},
};

static const struct former_name fields[] = {
	{TANDEM_DOMAIN_core, "operation", "proof", "completion_source"},
	{TANDEM_DOMAIN_core, "operation", "timed", "time_domain"},
	{TANDEM_DOMAIN_core, "operation", "shape", "launch_config"},
	{TANDEM_DOMAIN_core, "launch_config", "shape", "launch_config"},
	{TANDEM_DOMAIN_core, "transfer_config", "shape", "launch_config"},
};

/* Types are of all domains. */
static const struct former_name objects[] = {
	{TANDEM_DOMAIN_core, NULL, "shape", "launch_config"},
};

static const char *name_find(const struct former_name *names, size_t count, unsigned domain,
			     const char *event, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (names[i].domain == domain && !strcmp(names[i].former, name) &&
		    (!event || !strcmp(names[i].event, event)))
			return names[i].name;
	return name;
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

const char *former_event_name(unsigned domain, const char *name)
{
	return name_find(events, COUNT(events), domain, NULL, name);
}

const char *former_field_name(unsigned domain, const char *event, const char *name)
{
	return name_find(fields, COUNT(fields), domain, event, name);
}

const char *former_object_name(const char *name)
{
	return name_find(objects, COUNT(objects), TANDEM_DOMAIN_core, NULL, name);
}
