/* What the program says of itself by NVTX: ranges and marks, as records in the
 * thread that says them. Without CUPTI, which would charge much more, and without
 * CUDA too: any program may use NVTX. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "core/process.h"
#include "domains/cuda/cuda.h"
#include "domains/annotation/nvtx.h"

#define TEXT_MOST 4096u
#define NEST 64u
#define CHUNK_BYTES 65536u

/* What NVTX knows by a handle: a domain, or a registered string. Kept for the
 * process's life, as NVTX has no end for strings. */
struct known {
	uint32_t scope, epoch; /* of a domain; 0: a string */
	uint32_t bytes;
	char text[];
};

static _Atomic uint32_t scopes;
static _Atomic uint64_t ranges;

/* With `--capture nvtx:NAME`: which of the thread's open ranges have the name. */
static __thread struct {
	uint32_t depth;
	uint32_t scope[NEST];
	uint64_t named; /* 1 << level */
} stack __attribute__((tls_model("initial-exec")));

#define FREE_MOST 16u
static _Atomic uint64_t free_named[FREE_MOST]; /* open free ranges that have it */

struct text {
	const char *at;
	uint32_t bytes;
	char wide[1024]; /* where a wide one was put into UTF-8 */
};

static void text_ascii(struct text *text, const char *ascii)
{
	uint32_t most = tandem_control.cut_bytes < TEXT_MOST ? tandem_control.cut_bytes : TEXT_MOST;

	text->at = ascii ? ascii : "";
	text->bytes = ascii ? (uint32_t)strnlen(ascii, most) : 0;
}

static void text_wide(struct text *text, const wchar_t *wide)
{
	uint8_t *to = (uint8_t *)text->wide;

	for (; wide && *wide && to < (uint8_t *)text->wide + sizeof(text->wide) - 4; wide++) {
		uint32_t c = (uint32_t)*wide;

		if (c < 0x80) {
			*to++ = (uint8_t)c;
			continue;
		}
		if (c >= 0x10000)
			*to++ = (uint8_t)(0xf0 | (c >> 18 & 7));
		if (c >= 0x800)
			*to++ = (uint8_t)(c >= 0x10000 ? 0x80 | (c >> 12 & 63) : 0xe0 | c >> 12);
		*to++ = (uint8_t)(c >= 0x800 ? 0x80 | (c >> 6 & 63) : 0xc0 | c >> 6);
		*to++ = (uint8_t)(0x80 | (c & 63));
	}
	text->at = text->wide;
	text->bytes = (uint32_t)(to - (uint8_t *)text->wide);
}

/* Whether the program's struct reaches over the field: it says its own size, and one
 * that says 0 never set it. */
#define HAS(attributes, field)                                                 \
	((attributes) &&                                                       \
	 (!(attributes)->size ||                                               \
	  (attributes)->size >= offsetof(struct nvtx_attributes, field) +      \
					sizeof((attributes)->field)))

static void text_of(struct text *text, const struct nvtx_attributes *attributes)
{
	const struct known *known;

	text->at = "";
	text->bytes = 0;
	if (!HAS(attributes, text))
		return;
	known = attributes->text.registered;
	if (attributes->text_type == NVTX_TEXT_ASCII)
		text_ascii(text, attributes->text.ascii);
	else if (attributes->text_type == NVTX_TEXT_WIDE)
		text_wide(text, attributes->text.wide);
	else if (attributes->text_type == NVTX_TEXT_REGISTERED && known)
		text_ascii(text, known->text);
}

static bool recording(void)
{
	return cuda_recording() && cuda_wanted(TANDEM_CUDA_nvtx);
}

/* Domains and registered strings are few, and made at the program's start. */
static void *memory_take(size_t bytes)
{
	static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
	static uint8_t *chunk;
	static size_t left;
	void *memory = NULL;

	pthread_mutex_lock(&taking);
	if (bytes > left) {
		chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		left = chunk == MAP_FAILED ? 0 : CHUNK_BYTES;
	}
	if (bytes <= left) {
		memory = chunk;
		chunk += bytes;
		left -= bytes;
	}
	pthread_mutex_unlock(&taking);
	return memory;
}

static struct known *known_new(const char *text, uint32_t bytes)
{
	struct known *known = memory_take((sizeof(*known) + bytes + 1 + 15) & ~(size_t)15);

	if (!known)
		return NULL;
	known->scope = 0;
	known->epoch = 0;
	known->bytes = bytes;
	memcpy(known->text, text, bytes);
	known->text[bytes] = 0;
	return known;
}

static void scope_describe(struct known *domain)
{
	struct tandem_rec_range_scope *record = tandem_record_begin(
		TANDEM_EVENT_range_scope, (uint32_t)sizeof(*record) + domain->bytes);

	if (!record)
		return;
	record->scope = domain->scope;
	record->source = TANDEM_ANNOTATION_SOURCE_nvtx;
	record->name_count = (uint16_t)domain->bytes;
	memcpy(record + 1, domain->text, domain->bytes);
	tandem_record_commit();
}

/* The number of a domain, described if nobody has said since the last resume. */
static uint32_t scope_of(struct known *domain)
{
	if (!domain)
		return 0;
	if (tandem_unlikely(domain->epoch != tandem_process_epoch() + 1)) {
		domain->epoch = tandem_process_epoch() + 1;
		scope_describe(domain);
	}
	return domain->scope;
}

static uint8_t payload_type(int32_t type)
{
	switch (type) {
	case NVTX_U64:
	case NVTX_U32:
		return TANDEM_PAYLOAD_unsigned;
	case NVTX_I64:
	case NVTX_I32:
		return TANDEM_PAYLOAD_signed;
	case NVTX_F64:
	case NVTX_F32:
		return TANDEM_PAYLOAD_float;
	default:
		return TANDEM_PAYLOAD_none;
	}
}

/* In 64 bits: a float as the bits of a double, a signed one extended. */
static uint64_t payload_of(const struct nvtx_attributes *attributes)
{
	double value = attributes->payload.f32;
	uint64_t bits;

	switch (attributes->payload_type) {
	case NVTX_U32:
		return attributes->payload.u32;
	case NVTX_I32:
		return (uint64_t)(int64_t)attributes->payload.i32;
	case NVTX_F32:
		memcpy(&bits, &value, sizeof(bits));
		return bits;
	case NVTX_U64:
	case NVTX_I64:
	case NVTX_F64:
		return attributes->payload.u64;
	default:
		return 0;
	}
}

/* NULL `attributes`: only a text. */
static void range_write(struct known *domain, uint8_t kind, uint64_t range,
			const struct nvtx_attributes *attributes, const struct text *text)
{
	uint32_t scope = scope_of(domain);
	struct tandem_rec_range *record = tandem_record_begin(
		TANDEM_EVENT_range, (uint32_t)sizeof(*record) + text->bytes);

	if (!record)
		return;
	record->source = TANDEM_ANNOTATION_SOURCE_nvtx;
	record->kind = kind;
	record->payload_type = HAS(attributes, payload) ? payload_type(attributes->payload_type) : 0;
	record->scope = scope;
	record->category = HAS(attributes, category) ? attributes->category : 0;
	record->color = HAS(attributes, color) && attributes->color_type == NVTX_IS_ARGB ?
				attributes->color : 0;
	record->range = range;
	record->payload = HAS(attributes, payload) ? payload_of(attributes) : 0;
	record->text_count = (uint16_t)text->bytes;
	memcpy(record + 1, text->at, text->bytes);
	tandem_record_commit();
}

static void end_write(struct known *domain, uint64_t range)
{
	uint32_t scope = scope_of(domain);
	struct tandem_rec_range_end *record =
		tandem_record_begin(TANDEM_EVENT_range_end, sizeof(*record));

	if (!record)
		return;
	record->source = TANDEM_ANNOTATION_SOURCE_nvtx;
	record->scope = scope;
	record->range = range;
	tandem_record_commit();
}

static uint32_t scope_number(const struct known *domain)
{
	return domain ? domain->scope : 0;
}

/* Before the range's record, so that the range that opens the recording is in it. */
static void watch_push(const struct known *domain, const struct text *text)
{
	uint32_t level = stack.depth;

	if (tandem_likely(!tandem_control.capture[0]))
		return;
	stack.depth++;
	if (level >= NEST)
		return;
	stack.scope[level] = scope_number(domain);
	stack.named &= ~((uint64_t)1 << level);
	if (cuda_capture_is(text->at, text->bytes)) {
		stack.named |= (uint64_t)1 << level;
		cuda_capture_range(true);
	}
}

/* After its end's record. Domains nest each for itself. */
static void watch_pop(const struct known *domain)
{
	uint32_t level = stack.depth < NEST ? stack.depth : NEST;

	if (tandem_likely(!tandem_control.capture[0]) || !stack.depth)
		return;
	while (level && stack.scope[level - 1] != scope_number(domain))
		level--;
	if (!level)
		return;
	if (stack.named >> (level - 1) & 1)
		cuda_capture_range(false);
	for (uint32_t i = level; i < stack.depth && i < NEST; i++) {
		uint64_t bit = stack.named >> i & 1;

		stack.scope[i - 1] = stack.scope[i];
		stack.named = (stack.named & ~((uint64_t)1 << (i - 1))) | bit << (i - 1);
	}
	stack.depth--;
}

static void watch_start(uint64_t range, const struct text *text)
{
	uint64_t none = 0;

	if (tandem_likely(!tandem_control.capture[0]) || !cuda_capture_is(text->at, text->bytes))
		return;
	for (uint32_t i = 0; i < FREE_MOST; i++, none = 0) {
		if (atomic_compare_exchange_strong(&free_named[i], &none, range)) {
			cuda_capture_range(true);
			return;
		}
	}
}

static void watch_end(uint64_t range)
{
	for (uint32_t i = 0; tandem_control.capture[0] && i < FREE_MOST; i++) {
		uint64_t this = range;

		if (atomic_compare_exchange_strong(&free_named[i], &this, 0)) {
			cuda_capture_range(false);
			return;
		}
	}
}

/* --- the functions that NVTX calls */

#define KEEP_ERRNO(...)                                                        \
	do {                                                                   \
		int saved = errno;                                             \
		__VA_ARGS__;                                                   \
		errno = saved;                                                 \
	} while (0)

static void mark(struct known *domain, const struct nvtx_attributes *attributes,
		 const struct text *text)
{
	if (recording())
		KEEP_ERRNO(range_write(domain, TANDEM_RANGE_KIND_mark, 0, attributes, text));
}

static int push(struct known *domain, const struct nvtx_attributes *attributes,
		const struct text *text)
{
	watch_push(domain, text);
	if (recording())
		KEEP_ERRNO(range_write(domain, TANDEM_RANGE_KIND_nested, 0, attributes, text));
	return NVTX_NO_LEVEL;
}

static uint64_t range_start(struct known *domain, const struct nvtx_attributes *attributes,
			    const struct text *text)
{
	uint64_t range = atomic_fetch_add(&ranges, 1) + 1;

	watch_start(range, text);
	if (recording())
		KEEP_ERRNO(range_write(domain, TANDEM_RANGE_KIND_free, range, attributes, text));
	return range;
}

static int pop(struct known *domain)
{
	if (recording())
		KEEP_ERRNO(end_write(domain, 0));
	watch_pop(domain);
	return NVTX_NO_LEVEL;
}

static void domain_range_end(struct known *domain, uint64_t range)
{
	if (recording())
		KEEP_ERRNO(end_write(domain, range));
	watch_end(range);
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
#define THREE(type, name, what)                                                \
	static type domain_##name##_ex(struct known *domain,                   \
				       const struct nvtx_attributes *attributes) \
	{                                                                      \
		struct text text = { .bytes = 0 };                             \
		text_of(&text, attributes);                                    \
		return what(domain, attributes, &text);                        \
	}                                                                      \
	static type name##_ex(const struct nvtx_attributes *attributes)        \
	{                                                                      \
		return domain_##name##_ex(NULL, attributes);                   \
	}                                                                      \
	static type name##_a(const char *ascii)                                \
	{                                                                      \
		struct text text = { .bytes = 0 };                             \
		text_ascii(&text, ascii);                                      \
		return what(NULL, NULL, &text);                                \
	}                                                                      \
	static type name##_w(const wchar_t *wide)                              \
	{                                                                      \
		struct text text = { .bytes = 0 };                             \
		text_wide(&text, wide);                                        \
		return what(NULL, NULL, &text);                                \
	}

THREE(void, mark, mark)
THREE(int, push, push)
THREE(uint64_t, start, range_start)

static void category_write(struct known *domain, uint32_t category, const struct text *text)
{
	struct tandem_rec_range_category *record;
	uint32_t scope;

	if (!recording())
		return;
	scope = scope_of(domain);
	record = tandem_record_begin(TANDEM_EVENT_range_category,
				     (uint32_t)sizeof(*record) + text->bytes);
	if (!record)
		return;
	record->scope = scope;
	record->category = category;
	record->name_count = (uint16_t)text->bytes;
	memcpy(record + 1, text->at, text->bytes);
	tandem_record_commit();
}

static void domain_category_a(struct known *domain, uint32_t category, const char *name)
{
	struct text text = { .bytes = 0 };

	text_ascii(&text, name);
	KEEP_ERRNO(category_write(domain, category, &text));
}

static void domain_category_w(struct known *domain, uint32_t category, const wchar_t *name)
{
	struct text text = { .bytes = 0 };

	text_wide(&text, name);
	KEEP_ERRNO(category_write(domain, category, &text));
}

static void category_a(uint32_t category, const char *name)
{
	domain_category_a(NULL, category, name);
}

static void category_w(uint32_t category, const wchar_t *name)
{
	domain_category_w(NULL, category, name);
}

static void *string_a(struct known *domain, const char *ascii)
{
	struct text text = { .bytes = 0 };

	(void)domain;
	text_ascii(&text, ascii);
	return known_new(text.at, text.bytes);
}

static void *string_w(struct known *domain, const wchar_t *wide)
{
	struct text text = { .bytes = 0 };

	(void)domain;
	text_wide(&text, wide);
	return known_new(text.at, text.bytes);
}

static void *domain_new(struct known *domain)
{
	if (domain)
		domain->scope = atomic_fetch_add(&scopes, 1) + 1;
	return domain;
}

static void *domain_a(const char *name)
{
	return domain_new(string_a(NULL, name));
}

static void *domain_w(const wchar_t *name)
{
	return domain_new(string_w(NULL, name));
}

struct entry {
	uint32_t at;
	void *function;
};

static const struct entry core[] = {
	{ NVTX_MarkEx, (void *)mark_ex },
	{ NVTX_MarkA, (void *)mark_a },
	{ NVTX_MarkW, (void *)mark_w },
	{ NVTX_RangeStartEx, (void *)start_ex },
	{ NVTX_RangeStartA, (void *)start_a },
	{ NVTX_RangeStartW, (void *)start_w },
	{ NVTX_RangeEnd, (void *)range_end },
	{ NVTX_RangePushEx, (void *)push_ex },
	{ NVTX_RangePushA, (void *)push_a },
	{ NVTX_RangePushW, (void *)push_w },
	{ NVTX_RangePop, (void *)range_pop },
	{ NVTX_NameCategoryA, (void *)category_a },
	{ NVTX_NameCategoryW, (void *)category_w },
};

static const struct entry core2[] = {
	{ NVTX_DomainMarkEx, (void *)domain_mark_ex },
	{ NVTX_DomainRangeStartEx, (void *)domain_start_ex },
	{ NVTX_DomainRangeEnd, (void *)domain_range_end },
	{ NVTX_DomainRangePushEx, (void *)domain_push_ex },
	{ NVTX_DomainRangePop, (void *)pop },
	{ NVTX_DomainNameCategoryA, (void *)domain_category_a },
	{ NVTX_DomainNameCategoryW, (void *)domain_category_w },
	{ NVTX_DomainRegisterStringA, (void *)string_a },
	{ NVTX_DomainRegisterStringW, (void *)string_w },
	{ NVTX_DomainCreateA, (void *)domain_a },
	{ NVTX_DomainCreateW, (void *)domain_w },
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

/* Called by each library's NVTX at its first call. 0: nobody listens, and NVTX
 * turns itself off. */
int InitializeInjectionNvtx2(nvtx_tables tables)
{
	const struct nvtx_callbacks *callbacks;

	if (!tandem_session_dir[0] || !(tandem_control.domains & TANDEM_DOMAIN_BIT(cuda)) ||
	    !cuda_wanted(TANDEM_CUDA_nvtx) || !tables)
		return 0;
	callbacks = tables(NVTX_TABLE_CALLBACKS);
	if (!callbacks || callbacks->size < sizeof(*callbacks) || !callbacks->module)
		return 0;
	cuda_capture_begin();
	table_fill(callbacks, NVTX_MODULE_CORE, core, sizeof(core) / sizeof(core[0]));
	table_fill(callbacks, NVTX_MODULE_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
	return 1;
}
