// SPDX-License-Identifier: MIT
//
// XPTI for C++: trace points that know where they are, and scopes that report their begin and
// end. Header only, over the functions of xpti_trace_framework.h.
//
//	static xpti::stream stream("my.stream", 1, 0);
//
//	void solve(int n)
//	{
//		xpti::scope task(stream, xpti::trace_point_type_t::task_begin, "solve");
//		task.add("n", n).begin();
//		...
//	}	// reports task_end with the same instance
//
// Where nobody subscribed, a scope costs the question whether somebody did: it makes no event.
#ifndef XPTI_TRACE_FRAMEWORK_HPP
#define XPTI_TRACE_FRAMEWORK_HPP

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "xpti/xpti_trace_framework.h"

#if !defined(__has_builtin)
#define XPTI_HAS_BUILTIN_(name) 0
#else
#define XPTI_HAS_BUILTIN_(name) __has_builtin(name)
#endif

namespace xpti
{

// A place in the source: as the default argument of a parameter, that of the caller.
struct source_location {
	const char *file;
	const char *function;
	uint32_t line;
	uint32_t column;

	static constexpr source_location current(const char *file = __builtin_FILE(),
						 const char *function = __builtin_FUNCTION(),
						 uint32_t line = __builtin_LINE(),
#if XPTI_HAS_BUILTIN_(__builtin_COLUMN)
						 uint32_t column = __builtin_COLUMN()
#else
						 uint32_t column = 0
#endif
	)
	{
		return {file, function, line, column};
	}
};

constexpr uint16_t number(trace_point_type_t type)
{
	return static_cast<uint16_t>(type);
}

constexpr uint16_t number(trace_event_type_t type)
{
	return static_cast<uint16_t>(type);
}

// The object of a value, and how to read it: text as text, other things as their bytes.
template <typename T> object_id_t make_object(const T &value)
{
	if constexpr (std::is_convertible_v<const T &, std::string_view>) {
		const std::string_view text = value;

		return xptiRegisterObject(text.data() ? text.data() : "", text.size(),
					  static_cast<uint8_t>(metadata_type_t::string));
	} else {
		static_assert(std::is_trivially_copyable_v<T>, "an object of XPTI is its bytes");
		constexpr metadata_type_t type =
			std::is_same_v<T, bool>	      ? metadata_type_t::boolean
			: std::is_floating_point_v<T> ? metadata_type_t::floating
			: !std::is_integral_v<T>      ? metadata_type_t::binary
			: std::is_signed_v<T>	      ? metadata_type_t::signed_integer
						      : metadata_type_t::unsigned_integer;

		return xptiRegisterObject(reinterpret_cast<const char *>(&value), sizeof(value),
					  static_cast<uint8_t>(type));
	}
}

template <typename T>
result_t addMetadata(trace_event_data_t *event, const std::string &key, const T &value)
{
	return xptiAddMetadata(event, key.c_str(), make_object(value));
}

// What make_object() stored. The second is the default where the object has another size.
template <typename T> std::pair<std::string_view, T> getMetadata(const metadata_t::value_type &item)
{
	const object_data_t object = xptiLookupObject(item.second);
	const char *key = xptiLookupString(item.first);
	T value{};

	if constexpr (std::is_constructible_v<T, const char *, size_t>) {
		if (object.data)
			value = T(object.data, object.size);
	} else if (object.size == sizeof(T)) {
		std::memcpy(&value, object.data, sizeof(T));
	}
	return {key ? key : "", std::move(value)};
}

// A key and value that callbacks see until the scope ends.
class stash_tuple
{
	bool stashed;

      public:
	stash_tuple(const char *key, uint64_t value)
	    : stashed(xptiStashTuple(key, value) == result_t::XPTI_RESULT_SUCCESS)
	{
	}
	stash_tuple(const stash_tuple &) = delete;
	stash_tuple &operator=(const stash_tuple &) = delete;
	~stash_tuple()
	{
		if (stashed)
			xptiUnstashTuple();
	}
};

// A stream: announced to subscribers while the object lives. For a static or member object.
class stream
{
	std::string name;
	stream_id_t id;

      public:
	stream(const char *name, uint32_t major = 1, uint32_t minor = 0,
	       const char *version = "1.0")
	    : name(name), id(XPTI_INVALID_STREAM)
	{
		xptiFrameworkInitialize();
		if (!xptiTraceEnabled())
			return;
		id = xptiRegisterStream(name);
		xptiInitialize(name, major, minor, version);
	}
	stream(const stream &) = delete;
	stream &operator=(const stream &) = delete;
	~stream()
	{
		if (id != XPTI_INVALID_STREAM)
			xptiFinalize(name.c_str());
		xptiFrameworkFinalize();
	}
	operator stream_id_t() const
	{
		return id;
	}
	bool subscribed(uint16_t trace_type = 0) const
	{
		return id != XPTI_INVALID_STREAM && xptiCheckTraceEnabled(id, trace_type);
	}
};

// An event of its own at a place, reported at once and, if its type has an end, when the scope
// ends. The event and its place are what layers below find meanwhile (xptiGetUniversalId()).
class scope
{
	stream_id_t stream_id;
	uint16_t trace_type;
	bool open = false;
	trace_event_data_t *made = nullptr;
	trace_event_data_t *parent;
	uint64_t instance = 0;
	uint64_t outer = 0;
	const void *data = nullptr;

      public:
	scope(stream_id_t stream_id, trace_point_type_t type, const char *name,
	      trace_event_data_t *parent = nullptr,
	      trace_event_type_t event_type = trace_event_type_t::algorithm,
	      source_location where = source_location::current())
	    : stream_id(stream_id), trace_type(number(type) & ~1), parent(parent)
	{
		if (stream_id == XPTI_INVALID_STREAM ||
		    (!xptiCheckTraceEnabled(stream_id, trace_type) &&
		     !xptiCheckTraceEnabled(stream_id, trace_type | 1)))
			return;
		payload_t payload(name, where.file, where.line, where.column);
		made = xptiMakeEvent(name, &payload, number(event_type),
				     trace_activity_type_t::active, &instance);
		if (!made)
			return;
		outer = xptiGetUniversalId();
		xptiSetUniversalId(made->unique_id);
	}
	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;

	// Null where nobody subscribed.
	trace_event_data_t *event() const
	{
		return made;
	}
	explicit operator bool() const
	{
		return made != nullptr;
	}

	template <typename T> scope &add(const char *key, const T &value)
	{
		if (made)
			addMetadata(made, key, value);
		return *this;
	}

	// Reports the begin; `user_data` has to live until the end.
	scope &begin(const void *user_data = nullptr)
	{
		if (made) {
			data = user_data;
			open = true;
			xptiNotifySubscribers(stream_id, trace_type, parent, made, instance, data);
		}
		return *this;
	}

	// For graph_create, node_create, signal and others that have no end.
	void once(const void *user_data = nullptr)
	{
		if (made)
			xptiNotifySubscribers(stream_id, trace_type, parent, made, instance,
					      user_data);
	}

	~scope()
	{
		if (!made)
			return;
		if (open)
			xptiNotifySubscribers(stream_id, trace_type | 1, parent, made, instance,
					      data);
		xptiSetUniversalId(outer);
		xptiReleaseEvent(made);
	}
};

} // namespace xpti

#undef XPTI_HAS_BUILTIN_

#endif
