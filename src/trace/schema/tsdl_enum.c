/* SPDX-License-Identifier: MIT */
#include "trace/schema/tsdl_enum.h"

#include <errno.h>

static uint8_t base_bytes(const struct token *token)
{
	static const struct {
		const char *name;
		uint8_t bytes;
	} bases[] = {{"u8", 1}, {"u16", 2}, {"u32", 4}, {"u64", 8}, {"i32", 4}, {"i64", 8}};

	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		if (token_is(token, bases[i].name))
			return bases[i].bytes;
	return 0;
}

int tsdl_enum_parse(struct tsdl_enum **enums, struct arena *arena, struct tsdl_text line)
{
	struct token name = token_next(&line), base, word;
	struct tsdl_enum *made;
	struct tandem_name *values;
	unsigned room;

	if (!token_is_name(&name) || !token_expect(&line, ":"))
		return -EINVAL;
	base = token_next(&line);
	if (!base_bytes(&base) || !token_expect(&line, "{"))
		return -EINVAL;
	room = text_count(&line, '=');
	made = arena_alloc(arena, sizeof(*made));
	values = arena_alloc(arena, (room + 1) * sizeof(*values));
	if (!made || !values)
		return -ENOMEM;
	made->bytes = base_bytes(&base);
	made->name = made->names.type = arena_copy(arena, name.at, name.length);
	made->names.names = values;
	if (!made->name)
		return -ENOMEM;
	for (word = token_next(&line); !token_is(&word, "}"); word = token_next(&line)) {
		struct token number;

		if (token_is(&word, ",") && !word.quoted)
			continue;
		if (!token_is_name(&word) || made->names.count == room || !token_expect(&line, "="))
			return -EINVAL;
		number = token_next(&line);
		if (!token_number(&number, &values[made->names.count].value))
			return -EINVAL;
		values[made->names.count].name = arena_copy(arena, word.at, word.length);
		if (!values[made->names.count++].name)
			return -ENOMEM;
	}
	made->next = *enums;
	*enums = made;
	return 0;
}

const struct tsdl_enum *tsdl_enum_find(const struct tsdl_enum *enums, const struct token *name)
{
	for (const struct tsdl_enum *at = enums; at; at = at->next)
		if (token_is(name, at->name))
			return at;
	return NULL;
}
