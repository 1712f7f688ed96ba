/* SPDX-License-Identifier: MIT */
#include "analysis/ranges/range_names.h"

#include "analysis/events/event_iterator.h"
#include "schema/gen/annotation_records.h"
#include "schema/gen/core_records.h"

/* Earlier versions wrote the same as records of core. */
_Static_assert(sizeof(struct tandem_rec_range_scope) ==
			       sizeof(struct tandem_annotation_range_scope) &&
		       sizeof(struct tandem_rec_range_category) ==
			       sizeof(struct tandem_annotation_range_category),
	       "core's records of names are laid out as annotation's");

static uint64_t scope_key(uint32_t process, uint32_t scope)
{
	return (uint64_t)process << 32 | scope;
}

/* Categories of a process's scopes are few: 2^24 of the former and 2^20 of the others. */
static uint64_t category_key(uint32_t process, uint32_t scope, uint32_t category)
{
	return (uint64_t)process << 44 ^ (uint64_t)scope << 24 ^ category;
}

static int set_name(struct range_names *names, struct map *map, uint64_t key, const void *text,
		    size_t length)
{
	uint32_t name;
	int status = intern_add(&names->names, text, length, &name);

	return status ? status : map_set(map, key, name);
}

static const char *name_of(const struct range_names *names, const struct map *map, uint64_t key)
{
	uint64_t name = map_get(map, key);

	return name == MAP_NONE ? NULL : intern_text(&names->names, (uint32_t)name);
}

int range_names_record(struct range_names *names, const struct trace_event *event)
{
	const struct tandem_annotation_range_scope *scope = (const void *)event->record;
	const struct tandem_annotation_range_category *category = (const void *)event->record;
	uint32_t process = event->stream->process->index;

	switch (event->record->id) {
	case TANDEM_ANNOTATION_EVENT_range_scope:
	case TANDEM_EVENT_range_scope:
		return set_name(names, &names->scopes, scope_key(process, scope->scope), scope + 1,
				scope->name_count);
	case TANDEM_ANNOTATION_EVENT_range_category:
	case TANDEM_EVENT_range_category:
		return set_name(names, &names->categories,
				category_key(process, category->scope, category->category),
				category + 1, category->name_count);
	default:
		return 0;
	}
}

const char *range_names_scope(const struct range_names *names, uint32_t process, uint32_t scope)
{
	return name_of(names, &names->scopes, scope_key(process, scope));
}

const char *range_names_category(const struct range_names *names, uint32_t process, uint32_t scope,
				 uint32_t category)
{
	return name_of(names, &names->categories, category_key(process, scope, category));
}

void range_names_free(struct range_names *names)
{
	map_free(&names->scopes);
	map_free(&names->categories);
	intern_free(&names->names);
}
