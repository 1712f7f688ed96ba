/* SPDX-License-Identifier: MIT */
/* NVTX: a table of functions for each library that uses it, which is filled with ours.
 * Without CUPTI, which would charge much more, and without CUDA too. */
#include <errno.h>
#include <string.h>

#include "core/local.h"
#include "core/process.h"
#include "domains/annotation/nvtx.h"
#include "domains/annotation/range.h"
#include "domains/annotation/trigger.h"

static _Atomic uint64_t ranges;

/* Whether the program's struct reaches over the field: it says its own size, and one
 * that says 0 never set it. */
#define HAS(attributes, field)                                                                  \
	(!(attributes)->size || (attributes)->size >= offsetof(struct nvtx_attributes, field) + \
							      sizeof((attributes)->field))

static void text_of(struct annotation_text *text, const struct nvtx_attributes *attributes)
{
	const struct annotation_handle *string;

	annotation_text_narrow(text, NULL);
	if (!HAS(attributes, text))
		return;
	string = attributes->text.registered;
	if (attributes->text_type == NVTX_TEXT_ASCII)
		annotation_text_narrow(text, attributes->text.ascii);
	else if (attributes->text_type == NVTX_TEXT_WIDE)
		annotation_text_wide(text, attributes->text.wide);
	else if (attributes->text_type == NVTX_TEXT_REGISTERED && string)
		annotation_text_narrow(text, string->text);
}

/* In 64 bits: a float as the bits of a double, a signed one extended. */
static void payload_of(struct annotation *annotation, const struct nvtx_attributes *attributes)
{
	double value = attributes->payload.f32;

	annotation->payload = attributes->payload.u64;
	switch (attributes->payload_type) {
	case NVTX_U32:
		annotation->payload = attributes->payload.u32;
		annotation->payload_type = TANDEM_ANNOTATION_PAYLOAD_unsigned;
		break;
	case NVTX_U64:
		annotation->payload_type = TANDEM_ANNOTATION_PAYLOAD_unsigned;
		break;
	case NVTX_I32:
		annotation->payload = (uint64_t)(int64_t)attributes->payload.i32;
		annotation->payload_type = TANDEM_ANNOTATION_PAYLOAD_signed;
		break;
	case NVTX_I64:
		annotation->payload_type = TANDEM_ANNOTATION_PAYLOAD_signed;
		break;
	case NVTX_F32:
		memcpy(&annotation->payload, &value, sizeof(value));
		annotation->payload_type = TANDEM_ANNOTATION_PAYLOAD_float;
		break;
	case NVTX_F64:
		annotation->payload_type = TANDEM_ANNOTATION_PAYLOAD_float;
		break;
	default:
		annotation->payload = 0;
		break;
	}
}

/* Nothing but, perhaps, a text. */
static void annotation_clear(struct annotation *annotation)
{
	annotation->category = 0;
	annotation->color = 0;
	annotation->payload_type = TANDEM_ANNOTATION_PAYLOAD_none;
	annotation->payload = 0;
	annotation_text_narrow(&annotation->text, NULL);
}

static void annotation_of(struct annotation *annotation, const struct nvtx_attributes *attributes)
{
	annotation_clear(annotation);
	if (!attributes)
		return;
	text_of(&annotation->text, attributes);
	if (HAS(attributes, category))
		annotation->category = attributes->category;
	if (HAS(attributes, color) && attributes->color_type == NVTX_IS_ARGB)
		annotation->color = attributes->color;
	if (HAS(attributes, payload))
		payload_of(annotation, attributes);
}

/* --- the functions that NVTX calls */

#define KEEP_ERRNO(...)            \
	do {                       \
		int saved = errno; \
		__VA_ARGS__;       \
		errno = saved;     \
	} while (0)

static void range_write(struct annotation_handle *scope, enum tandem_annotation_kind kind,
			uint64_t range, const struct annotation *annotation)
{
	if (annotation_recording())
		KEEP_ERRNO(annotation_range_write(TANDEM_ANNOTATION_INTERFACE_nvtx, scope, kind,
						  range, annotation));
}

static void end_write(struct annotation_handle *scope, uint64_t range)
{
	if (annotation_recording())
		KEEP_ERRNO(
			annotation_range_end_write(TANDEM_ANNOTATION_INTERFACE_nvtx, scope, range));
}

static void mark(struct annotation_handle *scope, const struct annotation *annotation)
{
	range_write(scope, TANDEM_ANNOTATION_KIND_marker, 0, annotation);
}

static int push(struct annotation_handle *scope, const struct annotation *annotation)
{
	KEEP_ERRNO(annotation_trigger_push(annotation_scope_number(scope), &annotation->text));
	range_write(scope, TANDEM_ANNOTATION_KIND_nested, 0, annotation);
	return NVTX_NO_LEVEL;
}

static uint64_t range_start(struct annotation_handle *scope, const struct annotation *annotation)
{
	uint64_t range = atomic_fetch_add(&ranges, 1) + 1;

	KEEP_ERRNO(annotation_trigger_start(range, &annotation->text));
	range_write(scope, TANDEM_ANNOTATION_KIND_start_end, range, annotation);
	return range;
}

static int pop(struct annotation_handle *scope)
{
	end_write(scope, 0);
	KEEP_ERRNO(annotation_trigger_pop(annotation_scope_number(scope)));
	return NVTX_NO_LEVEL;
}

static void domain_range_end(struct annotation_handle *scope, uint64_t range)
{
	end_write(scope, range);
	KEEP_ERRNO(annotation_trigger_end(range));
}

static void range_end(uint64_t range)
{
	domain_range_end(NULL, range);
}

static int range_pop(void)
{
	return pop(NULL);
}

/* Each function comes with attributes, with a text, and with a wide one. */
#define THREE(type, name, what)                                                  \
	static type domain_##name##_ex(struct annotation_handle *scope,          \
				       const struct nvtx_attributes *attributes) \
	{                                                                        \
		struct annotation annotation;                                    \
		annotation_of(&annotation, attributes);                          \
		return what(scope, &annotation);                                 \
	}                                                                        \
	static type name##_ex(const struct nvtx_attributes *attributes)          \
	{                                                                        \
		return domain_##name##_ex(NULL, attributes);                     \
	}                                                                        \
	static type name##_a(const char *narrow)                                 \
	{                                                                        \
		struct annotation annotation;                                    \
		annotation_clear(&annotation);                                   \
		annotation_text_narrow(&annotation.text, narrow);                \
		return what(NULL, &annotation);                                  \
	}                                                                        \
	static type name##_w(const wchar_t *wide)                                \
	{                                                                        \
		struct annotation annotation;                                    \
		annotation_clear(&annotation);                                   \
		annotation_text_wide(&annotation.text, wide);                    \
		return what(NULL, &annotation);                                  \
	}

THREE(void, mark, mark)
THREE(int, push, push)
THREE(uint64_t, start, range_start)

static void category_write(struct annotation_handle *scope, uint32_t category,
			   const struct annotation_text *name)
{
	if (annotation_recording())
		KEEP_ERRNO(annotation_category_write(TANDEM_ANNOTATION_INTERFACE_nvtx, scope,
						     category, name));
}

static void domain_category_a(struct annotation_handle *scope, uint32_t category, const char *name)
{
	struct annotation_text text;

	annotation_text_narrow(&text, name);
	category_write(scope, category, &text);
}

static void domain_category_w(struct annotation_handle *scope, uint32_t category,
			      const wchar_t *name)
{
	struct annotation_text text;

	annotation_text_wide(&text, name);
	category_write(scope, category, &text);
}

static void category_a(uint32_t category, const char *name)
{
	domain_category_a(NULL, category, name);
}

static void category_w(uint32_t category, const wchar_t *name)
{
	domain_category_w(NULL, category, name);
}

static void *string_a(struct annotation_handle *scope, const char *narrow)
{
	struct annotation_text text;

	(void)scope;
	annotation_text_narrow(&text, narrow);
	return annotation_string_create(text.at, text.bytes);
}

static void *string_w(struct annotation_handle *scope, const wchar_t *wide)
{
	struct annotation_text text;

	(void)scope;
	annotation_text_wide(&text, wide);
	return annotation_string_create(text.at, text.bytes);
}

static void *domain_a(const char *name)
{
	struct annotation_text text;

	annotation_text_narrow(&text, name);
	return annotation_scope_create(text.at, text.bytes);
}

static void *domain_w(const wchar_t *name)
{
	struct annotation_text text;

	annotation_text_wide(&text, name);
	return annotation_scope_create(text.at, text.bytes);
}

struct entry {
	uint32_t at;
	void *function;
};

static const struct entry core[] = {
	{NVTX_MarkEx, (void *)mark_ex},
	{NVTX_MarkA, (void *)mark_a},
	{NVTX_MarkW, (void *)mark_w},
	{NVTX_RangeStartEx, (void *)start_ex},
	{NVTX_RangeStartA, (void *)start_a},
	{NVTX_RangeStartW, (void *)start_w},
	{NVTX_RangeEnd, (void *)range_end},
	{NVTX_RangePushEx, (void *)push_ex},
	{NVTX_RangePushA, (void *)push_a},
	{NVTX_RangePushW, (void *)push_w},
	{NVTX_RangePop, (void *)range_pop},
	{NVTX_NameCategoryA, (void *)category_a},
	{NVTX_NameCategoryW, (void *)category_w},
};

static const struct entry core2[] = {
	{NVTX_DomainMarkEx, (void *)domain_mark_ex},
	{NVTX_DomainRangeStartEx, (void *)domain_start_ex},
	{NVTX_DomainRangeEnd, (void *)domain_range_end},
	{NVTX_DomainRangePushEx, (void *)domain_push_ex},
	{NVTX_DomainRangePop, (void *)pop},
	{NVTX_DomainNameCategoryA, (void *)domain_category_a},
	{NVTX_DomainNameCategoryW, (void *)domain_category_w},
	{NVTX_DomainRegisterStringA, (void *)string_a},
	{NVTX_DomainRegisterStringW, (void *)string_w},
	{NVTX_DomainCreateA, (void *)domain_a},
	{NVTX_DomainCreateW, (void *)domain_w},
};

static void table_fill(const struct nvtx_callbacks *callbacks, uint32_t module,
		       const struct entry *entries, size_t count)
{
	void ***table = NULL;
	uint32_t size = 0;

	if (!callbacks->module(module, &table, &size) || !table)
		return;
	for (size_t i = 0; i < count; i++)
		if (entries[i].at < size && table[entries[i].at])
			*table[entries[i].at] = entries[i].function;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_tables tables);

/* Called by each library's NVTX at its first call. 0: no tool, and NVTX turns itself
 * off. */
int InitializeInjectionNvtx2(nvtx_tables tables)
{
	const struct nvtx_callbacks *callbacks;

	if (!tandem_in_use() || !tables ||
	    !(tandem_control.domains & TANDEM_DOMAIN_BIT(annotation)))
		return 0;
	callbacks = tables(NVTX_TABLE_CALLBACKS);
	if (!callbacks || callbacks->size < sizeof(*callbacks) || !callbacks->module)
		return 0;
	KEEP_ERRNO(tandem_process_uses(TANDEM_DOMAIN_annotation));
	tandem_capture_begin();
	table_fill(callbacks, NVTX_MODULE_CORE, core, sizeof(core) / sizeof(core[0]));
	table_fill(callbacks, NVTX_MODULE_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
	return 1;
}
