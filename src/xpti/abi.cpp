// SPDX-License-Identifier: MIT
#include "abi.h"

#include <cstddef>
#include <cstdio>
#include <cxxabi.h>
#include <dlfcn.h>
#include <new>

#include "callbacks.h"

extern "C" {
#include "string_table.h"
#include "tracepoint.h"
}

namespace
{

// An interface is an object of nothing but its table, in its place of a trace point.
struct payload_face final : xpti_payload_t {
	tracepoint *owner() const
	{
		return reinterpret_cast<tracepoint *>(
			reinterpret_cast<char *>(const_cast<payload_face *>(this)) -
			offsetof(tracepoint, face[FACE_PAYLOAD]));
	}
	const char *name() const override
	{
		return owner()->payload.name ? owner()->payload.name : "<unknown>";
	}
	const char *source_file() const override
	{
		return owner()->payload.source_file ? owner()->payload.source_file
						    : "<unknown-file>";
	}
	uint32_t line_no() const override
	{
		return owner()->payload.line_no;
	}
	uint32_t column_no() const override
	{
		return owner()->payload.column_no;
	}
	uint64_t payload_flags() const override
	{
		return owner()->payload.flags;
	}
	int32_t name_string_id() const override
	{
		return static_cast<int32_t>(owner()->payload.uid.p2);
	}
	int32_t file_string_id() const override
	{
		return static_cast<int32_t>(owner()->payload.uid.p1 >> 32);
	}
	uint64_t uid64() const override
	{
		return owner()->payload.internal;
	}
	bool is_valid() const override
	{
		return payload_is_valid(&owner()->payload);
	}
	xpti_payload_data_t *payload_ref() override
	{
		return &owner()->payload;
	}
};

struct metadata_face final : xpti_metadata_t {
	tracepoint *owner() const
	{
		return reinterpret_cast<tracepoint *>(
			reinterpret_cast<char *>(const_cast<metadata_face *>(this)) -
			offsetof(tracepoint, face[FACE_METADATA]));
	}
	// The cursor is the address of an element: elements stay where they are.
	xpti_result_t item(xpti_metadata_map_t::const_iterator at, char **key,
			   xpti_object_id_t &value)
	{
		if (at == owner()->event.reserved.metadata.end()) {
			owner()->metadata_cursor = nullptr;
			return xpti_result_t::XPTI_RESULT_FALSE;
		}
		owner()->metadata_cursor = &*at;
		if (key)
			*key = const_cast<char *>(strings_get(at->first));
		value = at->second;
		return xpti_result_t::XPTI_RESULT_SUCCESS;
	}
	xpti_result_t first_item(char **key, xpti_object_id_t &value) override
	{
		return item(owner()->event.reserved.metadata.cbegin(), key, value);
	}
	xpti_result_t next_item(char **key, xpti_object_id_t &value) override
	{
		const xpti_metadata_map_t &map = owner()->event.reserved.metadata;
		auto last = static_cast<const xpti_metadata_map_t::value_type *>(
			owner()->metadata_cursor);

		if (!last)
			return xpti_result_t::XPTI_RESULT_FALSE;
		return item(++map.find(last->first), key, value);
	}
	xpti_result_t add_item(const char *key, xpti_object_id_t value) override
	{
		return xptiAddMetadata(&owner()->event, key, value);
	}
	size_t count() override
	{
		return owner()->event.reserved.metadata.size();
	}
};

struct event_face final : xpti_trace_event_t {
	tracepoint *owner() const
	{
		return reinterpret_cast<tracepoint *>(
			reinterpret_cast<char *>(const_cast<event_face *>(this)) -
			offsetof(tracepoint, face[FACE_EVENT]));
	}
	xpti_payload_t *payload() override;
	xpti_metadata_t *metadata() override;
	uint64_t uid64() const override
	{
		return owner()->event.unique_id;
	}
	uint64_t instance() const override
	{
		return owner()->event.instance_id;
	}
	uint16_t event_type() const override
	{
		return owner()->event.event_type;
	}
	uint16_t activity_type() const override
	{
		return owner()->event.activity_type;
	}
	uint64_t source_uid64() const override
	{
		return owner()->event.source_id;
	}
	uint64_t target_uid64() const override
	{
		return owner()->event.target_id;
	}
	uint64_t event_flags() const override
	{
		return owner()->event.flags;
	}
	void set_activity_type(xpti_activity_type_t type) override
	{
		owner()->event.activity_type = static_cast<uint16_t>(type);
	}
	void set_event_type(uint16_t type) override
	{
		owner()->event.event_type = type;
	}
	xpti_payload_data_t *payload_ref() override
	{
		return &owner()->payload;
	}
	xpti_event_data_t *event_ref() override
	{
		return &owner()->event;
	}
};

struct tracepoint_face final : xpti_tracepoint_t {
	tracepoint *owner() const
	{
		return reinterpret_cast<tracepoint *>(
			reinterpret_cast<char *>(const_cast<tracepoint_face *>(this)) -
			offsetof(tracepoint, face[FACE_TRACEPOINT]));
	}
	xpti_payload_t *payload() override;
	xpti_metadata_t *metadata() override;
	xpti_trace_event_t *event() override;
	uint64_t uid64() const override
	{
		return owner()->event.unique_id;
	}
	uint64_t instance() const override
	{
		return owner()->event.instance_id;
	}
	xpti_event_data_t *event_ref() override
	{
		return &owner()->event;
	}
	xpti_payload_data_t *payload_ref() override
	{
		return &owner()->payload;
	}
};

static_assert(sizeof(payload_face) == sizeof(void *) && sizeof(metadata_face) == sizeof(void *) &&
		      sizeof(event_face) == sizeof(void *) &&
		      sizeof(tracepoint_face) == sizeof(void *),
	      "an interface is its table");

template <typename Face> Face *face_of(tracepoint *of, tracepoint_face_number number)
{
	return reinterpret_cast<Face *>(&of->face[number]);
}

xpti_payload_t *event_face::payload()
{
	return face_of<payload_face>(owner(), FACE_PAYLOAD);
}

xpti_metadata_t *event_face::metadata()
{
	return face_of<metadata_face>(owner(), FACE_METADATA);
}

xpti_payload_t *tracepoint_face::payload()
{
	return face_of<payload_face>(owner(), FACE_PAYLOAD);
}

xpti_metadata_t *tracepoint_face::metadata()
{
	return face_of<metadata_face>(owner(), FACE_METADATA);
}

xpti_trace_event_t *tracepoint_face::event()
{
	return face_of<event_face>(owner(), FACE_EVENT);
}

void complain(const void *function, const char *what)
{
	Dl_info info;

	std::fprintf(stderr, "xpti: %s of subscriber %s threw an exception%s\n", what,
		     dladdr(function, &info) && info.dli_fname ? info.dli_fname : "(unknown)",
		     what[0] == 'a' ? "; it is not called again" : "");
}

// What ends a thread (pthread_exit, cancellation) is no error, and has to go on. There is no object
// of it, which the undefined-behaviour sanitizer takes amiss.
#define ENDS_THREADS __attribute__((no_sanitize("undefined")))

template <typename Call> ENDS_THREADS bool guarded(Call call)
{
	try {
		call();
		return true;
	} catch (abi::__forced_unwind &) {
		throw;
	} catch (...) {
		return false;
	}
}

__attribute__((cold, noinline)) void threw(xpti_callback_t function)
{
	callbacks_remove_everywhere(function);
	complain(reinterpret_cast<const void *>(function), "a callback");
}

} // namespace

void abi_create_faces(tracepoint *of)
{
	new (&of->face[FACE_PAYLOAD]) payload_face;
	new (&of->face[FACE_METADATA]) metadata_face;
	new (&of->face[FACE_EVENT]) event_face;
	new (&of->face[FACE_TRACEPOINT]) tracepoint_face;
}

void abi_create_metadata(xpti_metadata_map_t *map)
{
	new (map) xpti_metadata_map_t;
}

void abi_destroy_metadata(xpti_metadata_map_t *map)
{
	map->~xpti_metadata_map_t();
}

int abi_set_metadata(xpti_metadata_map_t *map, xpti_string_id_t key, xpti_object_id_t value)
{
	try {
		return map->insert_or_assign(key, value).second ? 0 : 1;
	} catch (std::bad_alloc &) {
		return -1;
	}
}

ENDS_THREADS void abi_deliver(callback_list *list, uint16_t trace_type, xpti_event_data_t *parent,
			      xpti_event_data_t *event, uint64_t instance, const void *user_data)
{
	for (; list; list = __atomic_load_n(&list->next, __ATOMIC_ACQUIRE)) {
		uint32_t used = __atomic_load_n(&list->used, __ATOMIC_ACQUIRE);

		for (uint32_t i = 0; i < used; i++) {
			xpti_callback_t function = list->slot[i].function;

			if (!__atomic_load_n(&list->slot[i].active, __ATOMIC_ACQUIRE))
				continue;
			try {
				function(trace_type, parent, event, instance, user_data);
			} catch (abi::__forced_unwind &) {
				throw;
			} catch (...) {
				threw(function);
			}
		}
	}
}

bool abi_call_init(void (*init)(unsigned, unsigned, const char *, const char *), unsigned major,
		   unsigned minor, const char *version, const char *stream)
{
	bool done = guarded([=] { init(major, minor, version, stream); });

	if (!done)
		complain(reinterpret_cast<const void *>(init), "xptiTraceInit()");
	return done;
}

bool abi_call_finish(void (*finish)(const char *), const char *stream)
{
	bool done = guarded([=] { finish(stream); });

	if (!done)
		complain(reinterpret_cast<const void *>(finish), "xptiTraceFinish()");
	return done;
}

bool abi_call_level(bool (*query)(const char *, xpti_detail_level_t *), const char *stream,
		    xpti_detail_level_t *level)
{
	bool answered = false;

	if (!guarded([&] { answered = query(stream, level); }))
		complain(reinterpret_cast<const void *>(query),
			 "xptiQuerySubscriberStreamDetailLevel()");
	return answered;
}
