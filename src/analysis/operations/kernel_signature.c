/* SPDX-License-Identifier: MIT */
#include "analysis/operations/kernel_signature.h"

#include <string.h>

#define POINTERS 32u

static const char *const numbers[] = {
	"bool",	 "char",	 "signed char", "unsigned char", "short",     "unsigned short",
	"int",	 "unsigned int", "long",	"unsigned long", "long long", "unsigned long long",
	"float", "double",
};

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t bytes = strlen(end);

	return length >= bytes && !memcmp(text + length - bytes, end, bytes);
}

static bool is_number(const char *text, size_t length)
{
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strlen(numbers[i]) == length && !memcmp(text, numbers[i], length))
			return true;
	}
	return false;
}

static bool add_argument(struct kernel_signature *signature, const char *text, size_t length)
{
	while (length && *text == ' ') {
		text++;
		length--;
	}
	if (!ends_with(text, length, "*"))
		return is_number(text, length);
	if (signature->pointers == POINTERS)
		return false;
	if (ends_with(text, length, " const*"))
		signature->reads |= UINT32_C(1) << signature->pointers;
	signature->pointers++;
	return true;
}

static int depth_of(char c)
{
	return c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
}

/* The bracket that the last one closes. */
static const char *arguments_of(const char *name)
{
	size_t length = strlen(name);
	int depth = 0;

	if (!length || name[length - 1] != ')')
		return NULL;
	for (const char *at = name + length - 1; at > name; at--) {
		depth += depth_of(*at);
		if (!depth)
			return at;
	}
	return NULL;
}

bool kernel_signature(const char *name, struct kernel_signature *signature)
{
	const char *begin = arguments_of(name), *at;
	int depth = 0;

	*signature = (struct kernel_signature){.pointers = 0};
	if (!begin)
		return false;
	at = ++begin;
	for (;; at++) {
		bool ends = !depth && (*at == ',' || (*at == ')' && !at[1]));

		if (ends && !add_argument(signature, begin, (size_t)(at - begin)))
			return false;
		if (ends && *at == ')')
			return true;
		if (ends)
			begin = at + 1;
		depth += depth_of(*at);
	}
}
