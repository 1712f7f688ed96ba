/* SPDX-License-Identifier: MIT */
/*
 * Types of the XPTI interface, for C (C11) and C++ (C++17).
 *
 * XPTI is the interface by which Intel's SYCL runtime, and whoever else links its proxy, reports
 * what it does to tools. The layouts here are those that cross the binary interface between a
 * program, a dispatcher (libxptifw.so) and its subscribers; doc/XPTI.md has the versions of it.
 * In C++ every type is in the namespace xpti under the name that sources of XPTI use; in C the
 * same layouts have the names below.
 */
#ifndef XPTI_DATA_TYPES_H
#define XPTI_DATA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <optional>
#include <unordered_map>
#endif

/*
 * Trace points: what happened. Even numbers begin something (or are complete by themselves),
 * odd ones end what the number before began. X(name, number)
 */
#define XPTI_TRACE_POINTS(X)                         \
	X(unknown_type, 0)                           \
	X(graph_create, 2)                           \
	X(node_create, 4)                            \
	X(edge_create, 6)                            \
	X(region_begin, 8)                           \
	X(region_end, 9)                             \
	X(task_begin, 10)                            \
	X(task_end, 11)                              \
	X(barrier_begin, 12)                         \
	X(barrier_end, 13)                           \
	X(lock_begin, 14)                            \
	X(lock_end, 15)                              \
	X(signal, 16)                                \
	X(transfer_begin, 18)                        \
	X(transfer_end, 19)                          \
	X(thread_begin, 20)                          \
	X(thread_end, 21)                            \
	X(wait_begin, 22)                            \
	X(wait_end, 23)                              \
	X(function_begin, 24)                        \
	X(function_end, 25)                          \
	X(metadata, 26)                              \
	X(function_with_args_begin, 28)              \
	X(function_with_args_end, 29)                \
	X(mem_alloc_begin, 32)                       \
	X(mem_alloc_end, 33)                         \
	X(mem_release_begin, 34)                     \
	X(mem_release_end, 35)                       \
	X(offload_alloc_memory_object_construct, 36) \
	X(offload_alloc_memory_object_destruct, 37)  \
	X(offload_alloc_memory_object_associate, 38) \
	X(offload_alloc_memory_object_release, 39)   \
	X(offload_alloc_accessor, 40)                \
	X(queue_create, 42)                          \
	X(queue_destroy, 43)                         \
	X(diagnostics, 126)                          \
	X(user_defined, 128)

/* Events: what kind of thing it happened to. X(name, number) */
#define XPTI_EVENT_TYPES(X)         \
	X(unknown_event, 0)         \
	X(graph, 1)                 \
	X(algorithm, 2)             \
	X(barrier, 3)               \
	X(scheduler, 4)             \
	X(async, 5)                 \
	X(lock, 6)                  \
	X(offload_read, 7)          \
	X(offload_write, 8)         \
	X(offload_memory_object, 9) \
	X(offload_accessor, 10)     \
	X(user_defined, 128)

#define XPTI_ACTIVITY_TYPES(X) \
	X(unknown_activity, 0) \
	X(active, 1)           \
	X(overhead, 2)         \
	X(background, 4)       \
	X(sleep_activity, 8)

/* How to read the bytes of an object. */
#define XPTI_METADATA_TYPES(X) \
	X(binary, 0)           \
	X(string, 1)           \
	X(signed_integer, 2)   \
	X(unsigned_integer, 3) \
	X(floating, 4)         \
	X(boolean, 5)

/* Which members of a payload are set. */
#define XPTI_PAYLOAD_FLAGS(X)        \
	X(NameAvailable, 0x1)        \
	X(SourceFileAvailable, 0x2)  \
	X(CodePointerAvailable, 0x4) \
	X(LineInfoAvailable, 0x8)    \
	X(ColumnInfoAvailable, 0x10) \
	X(StackTraceAvailable, 0x20) \
	X(PayloadRegistered, 0x8000) \
	X(HashAvailable, 0x20000)

/* Which members of an event are set. */
#define XPTI_EVENT_FLAGS(X)            \
	X(UIDAvailable, 0x1)           \
	X(SourceUIDAvailable, 0x2)     \
	X(TargetUIDAvailable, 0x4)     \
	X(EventTypeAvailable, 0x8)     \
	X(ActivityTypeAvailable, 0x10) \
	X(PayloadAvailable, 0x20)

/* How much optional data subscribers want of a stream. */
#define XPTI_DETAIL_LEVELS(X)                 \
	X(XPTI_STREAM_DETAIL_LEVEL_NONE, 0)   \
	X(XPTI_STREAM_DETAIL_LEVEL_BASIC, 1)  \
	X(XPTI_STREAM_DETAIL_LEVEL_NORMAL, 2) \
	X(XPTI_STREAM_DETAIL_LEVEL_VERBOSE, 3)
#define XPTI_HAS_STREAM_DETAIL_LEVEL 1

/* Not negative: done. X(name, number) */
#define XPTI_RESULTS(X)                              \
	X(XPTI_RESULT_SUCCESS, 0)                    \
	X(XPTI_RESULT_FALSE, 1)                      \
	X(XPTI_RESULT_FAIL, INT32_MIN + 0x4001)      \
	X(XPTI_RESULT_NOTIMPL, INT32_MIN + 0x4002)   \
	X(XPTI_RESULT_DUPLICATE, INT32_MIN + 0x4003) \
	X(XPTI_RESULT_NOTFOUND, INT32_MIN + 0x4004)  \
	X(XPTI_RESULT_UNDELETE, INT32_MIN + 0x4005)  \
	X(XPTI_RESULT_INVALIDARG, INT32_MIN + 0x4006)

#ifdef __cplusplus
namespace xpti
{
#define XPTI_ENUMERATOR_(name, number) name = number,
enum class trace_point_type_t : uint16_t { XPTI_TRACE_POINTS(XPTI_ENUMERATOR_) };
enum class trace_event_type_t : uint16_t { XPTI_EVENT_TYPES(XPTI_ENUMERATOR_) };
enum class trace_activity_type_t { XPTI_ACTIVITY_TYPES(XPTI_ENUMERATOR_) };
enum class metadata_type_t { XPTI_METADATA_TYPES(XPTI_ENUMERATOR_) };
enum class payload_flag_t { XPTI_PAYLOAD_FLAGS(XPTI_ENUMERATOR_) };
enum class trace_event_flag_t { XPTI_EVENT_FLAGS(XPTI_ENUMERATOR_) };
enum class stream_detail_level_t : uint8_t { XPTI_DETAIL_LEVELS(XPTI_ENUMERATOR_) };
enum class result_t : int32_t { XPTI_RESULTS(XPTI_ENUMERATOR_) };
#undef XPTI_ENUMERATOR_
} // namespace xpti
typedef xpti::trace_point_type_t xpti_trace_point_t;
typedef xpti::trace_event_type_t xpti_event_type_t;
typedef xpti::trace_activity_type_t xpti_activity_type_t;
typedef xpti::stream_detail_level_t xpti_detail_level_t;
typedef xpti::result_t xpti_result_t;
#else
#define XPTI_ENUMERATOR_(name, number) xpti_##name = number,
enum { XPTI_TRACE_POINTS(XPTI_ENUMERATOR_) };
#undef XPTI_ENUMERATOR_
#define XPTI_ENUMERATOR_(name, number) xpti_event_##name = number,
enum { XPTI_EVENT_TYPES(XPTI_ENUMERATOR_) };
#undef XPTI_ENUMERATOR_
#define XPTI_ENUMERATOR_(name, number) xpti_activity_##name = number,
typedef enum { XPTI_ACTIVITY_TYPES(XPTI_ENUMERATOR_) } xpti_activity_type_t;
#undef XPTI_ENUMERATOR_
#define XPTI_ENUMERATOR_(name, number) xpti_object_##name = number,
enum { XPTI_METADATA_TYPES(XPTI_ENUMERATOR_) };
#undef XPTI_ENUMERATOR_
#define XPTI_ENUMERATOR_(name, number) xpti_payload_##name = number,
enum { XPTI_PAYLOAD_FLAGS(XPTI_ENUMERATOR_) };
#undef XPTI_ENUMERATOR_
#define XPTI_ENUMERATOR_(name, number) xpti_flag_##name = number,
enum { XPTI_EVENT_FLAGS(XPTI_ENUMERATOR_) };
#undef XPTI_ENUMERATOR_
#define XPTI_ENUMERATOR_(name, number) name = number,
enum { XPTI_DETAIL_LEVELS(XPTI_ENUMERATOR_) };
enum { XPTI_RESULTS(XPTI_ENUMERATOR_) };
#undef XPTI_ENUMERATOR_
typedef uint16_t xpti_trace_point_t;
typedef uint16_t xpti_event_type_t;
typedef uint8_t xpti_detail_level_t;
typedef int32_t xpti_result_t;
#endif

typedef uint8_t xpti_stream_id_t;  /* 0xff: no stream */
typedef uint32_t xpti_string_id_t; /* 0xffffffff: no string */
typedef int32_t xpti_object_id_t;  /* negative, or 0x7fffffff: no object */

#define XPTI_INVALID_UID UINT64_C(0)
#define XPTI_INVALID_STREAM UINT8_MAX
#define XPTI_INVALID_STRING UINT32_MAX
#define XPTI_INVALID_OBJECT INT32_MAX

/* For types of one's own (xptiRegisterUserDefinedTracePoint); number is at most 63. */
#define XPTI_EVENT(number) ((uint16_t)(number))
#define XPTI_TRACE_POINT_BEGIN(number) ((uint16_t)((number) << 1))
#define XPTI_TRACE_POINT_END(number) ((uint16_t)((number) << 1 | 1))
/* The number, and the tool, of a user-defined type. */
#define XPTI_EXTRACT_USER_DEFINED_ID(type) ((uint16_t)(type)&0x7f)
#define XPTI_TOOL_ID(type) ((uint16_t)(type) >> 8 & 0xff)

/*
 * A place in the source, in 192 bits: p1 is the string ID of the file << 32 | line, p2 that of
 * the name (low half) and of the stack (high half), p3 is free.
 */
typedef struct xpti_uid {
	uint64_t p1;
	uint64_t p2;
	uint64_t p3;
} xpti_uid_t;

/*
 * The 128-bit universal ID of a place: p1 is file << 32 | function, p2 column << 32 | line (both
 * by string ID); and which visit of it this is, with the 64-bit ID of that visit.
 */
typedef struct xpti_universal_id {
	uint64_t p1;
	uint64_t p2;
	uint64_t instance;
	uint64_t uid64;
} xpti_universal_id_t;

/* What an object ID stands for. */
typedef struct xpti_object_data {
	size_t size;
	const char *data;
	uint8_t type; /* XPTI_METADATA_TYPES */
} xpti_object_data_t;

/* Where a trace point is. Zero it, set what is known, and set a flag for each. */
typedef struct xpti_payload_data {
	const char *name;
	const char *stack_trace;
	const char *source_file;
	uint32_t line_no;
	uint32_t column_no;
	const void *code_ptr_va;
	uint64_t internal; /* the 64-bit universal ID, when registered */
	uint64_t flags;	   /* XPTI_PAYLOAD_FLAGS */
	xpti_uid_t uid;
#ifdef __cplusplus
	xpti_payload_data() : xpti_payload_data(nullptr, nullptr, UINT32_MAX, UINT32_MAX, nullptr)
	{
	}
	xpti_payload_data(const void *code)
	    : xpti_payload_data(nullptr, nullptr, UINT32_MAX, UINT32_MAX, code)
	{
	}
	xpti_payload_data(const char *function, const void *code = nullptr)
	    : xpti_payload_data(function, nullptr, UINT32_MAX, UINT32_MAX, code)
	{
	}
	xpti_payload_data(const char *function, const char *stack, const void *code)
	    : xpti_payload_data(function, nullptr, UINT32_MAX, UINT32_MAX, code)
	{
		stack_trace = stack;
		if (stack)
			flags |= static_cast<uint64_t>(xpti::payload_flag_t::StackTraceAvailable);
	}
	xpti_payload_data(const char *function, const char *file, uint32_t line, uint32_t column,
			  const void *code = nullptr)
	    : name(function), stack_trace(nullptr), source_file(file), line_no(line),
	      column_no(column), code_ptr_va(code), internal(0), flags(0), uid{0, 0, 0}
	{
		if (function && *function)
			flags |= static_cast<uint64_t>(xpti::payload_flag_t::NameAvailable);
		if (file && *file)
			flags |= static_cast<uint64_t>(xpti::payload_flag_t::SourceFileAvailable) |
				 static_cast<uint64_t>(xpti::payload_flag_t::LineInfoAvailable) |
				 static_cast<uint64_t>(xpti::payload_flag_t::ColumnInfoAvailable);
		if (code)
			flags |= static_cast<uint64_t>(xpti::payload_flag_t::CodePointerAvailable);
	}
#endif
} xpti_payload_data_t;

/*
 * Metadata: string ID to object ID. What crosses the interface is a std::unordered_map of
 * libstdc++; C reads it by xpti_metadata_next() (xpti_trace_framework.h).
 */
#ifdef __cplusplus
typedef std::unordered_map<uint32_t, int32_t> xpti_metadata_map_t;
static_assert(sizeof(xpti_metadata_map_t) == 56, "XPTI's metadata is libstdc++'s unordered_map");
#else
typedef struct xpti_metadata_map {
	uint64_t opaque[7];
} xpti_metadata_map_t;
#endif

/*
 * A trace event: what callbacks get. It belongs to the dispatcher, and is valid until it is
 * released, or the framework finalised.
 */
typedef struct xpti_event_data {
	uint64_t unique_id; /* its 64-bit universal ID */
	uint64_t data_id;
	uint64_t instance_id; /* which visit of its place this is, from 1 */
	uint16_t event_type;
	uint16_t activity_type;
	uint32_t unused;
	uint64_t source_id; /* of an edge: the event that has to complete first */
	uint64_t target_id; /* and the event that waits for it */
	struct {
		xpti_payload_data_t *payload;
		xpti_metadata_map_t metadata;
	} reserved;
	void *global_user_data; /* the user's */
	uint64_t flags;		/* XPTI_EVENT_FLAGS; dispatchers up to 2025.0 have no such member */
} xpti_event_data_t;

/* user_data of function_with_args_begin and _end. */
typedef struct xpti_function_with_args {
	uint32_t function_id;
	const char *function_name;
	void *args_data; /* the arguments, as a struct of the interface traced */
	void *ret_data;	 /* at the end: where the result is */
	void *user_data;
} xpti_function_with_args_t;

/* user_data of the stream of memory allocations. */
typedef struct xpti_mem_alloc_data {
	uintptr_t mem_object_handle;
	uintptr_t alloc_pointer;
	size_t alloc_size;
	size_t guard_zone_size;
	void *reserved;
} xpti_mem_alloc_data_t;

/* user_data of the stream of buffers: construct */
typedef struct xpti_offload_buffer_data {
	uintptr_t user_object_handle;
	uintptr_t host_object_handle;
	const char *element_type;
	uint32_t element_size;
	uint32_t dim;
	size_t range[3];
} xpti_offload_buffer_data_t;

/* user_data of the stream of images: construct. An optional is a value and whether it is there. */
typedef struct xpti_offload_image_data {
	uintptr_t user_object_handle;
	uintptr_t host_object_handle;
	uint32_t dim;
	size_t range[3];
	uint32_t format;
#ifdef __cplusplus
	std::optional<uint32_t> addressing;
	std::optional<uint32_t> coordinate_normalization;
	std::optional<uint32_t> filtering;
#else
	struct {
		uint32_t value;
		bool has_value;
	} addressing, coordinate_normalization, filtering;
#endif
} xpti_offload_image_data_t;

/* user_data of the streams of buffers and images: an accessor */
typedef struct xpti_offload_accessor_data {
	uintptr_t buffer_handle;
	uintptr_t accessor_handle;
	uint32_t target;
	uint32_t mode;
} xpti_offload_accessor_data_t;

/* user_data of the streams of buffers and images: associate, release, destruct */
typedef struct xpti_offload_association_data {
	uintptr_t user_object_handle;
	uintptr_t mem_object_handle;
} xpti_offload_association_data_t;

/* The object of a kernel node's metadata `enqueue_kernel_data`. */
typedef struct xpti_offload_kernel_enqueue_data {
	size_t global_size[3];
	size_t local_size[3];
	size_t offset[3];
	size_t args_num;
} xpti_offload_kernel_enqueue_data_t;

/* The object of a kernel node's metadata `arg0`, `arg1`, ... */
typedef struct xpti_offload_kernel_arg_data {
	int type;
	void *pointer;
	int size;
	int index;
} xpti_offload_kernel_arg_data_t;

#ifdef __cplusplus
#define XPTI_LAYOUT_ static_assert
#else
#define XPTI_LAYOUT_ _Static_assert
#endif
XPTI_LAYOUT_(sizeof(xpti_payload_data_t) == 80, "layout of XPTI");
XPTI_LAYOUT_(sizeof(xpti_event_data_t) == 128, "layout of XPTI");
XPTI_LAYOUT_(sizeof(xpti_object_data_t) == 24, "layout of XPTI");
XPTI_LAYOUT_(sizeof(xpti_offload_kernel_enqueue_data_t) == 80, "layout of XPTI");
#undef XPTI_LAYOUT_

/*
 * What a subscriber registers. `parent` and `event` may be null; what `user_data` points to
 * depends on the trace point and the stream, and lives as long as the call. It is called in the
 * thread that does the work: be quick, do not throw.
 */
typedef void (*xpti_callback_t)(uint16_t trace_type, xpti_event_data_t *parent,
				xpti_event_data_t *event, uint64_t instance, const void *user_data);

#ifdef __cplusplus
namespace xpti
{
using trace_point_t = uint16_t;
using event_type_t = uint16_t;
using stream_id_t = ::xpti_stream_id_t;
using string_id_t = ::xpti_string_id_t;
using object_id_t = ::xpti_object_id_t;
using uid64_t = uint64_t;
using uid_t = ::xpti_uid_t;
using universal_id_t = ::xpti_universal_id_t;
using uid128_t = universal_id_t;
using object_data_t = ::xpti_object_data_t;
using payload_t = ::xpti_payload_data_t;
using metadata_t = ::xpti_metadata_map_t;
using trace_event_data_t = ::xpti_event_data_t;
using function_with_args_t = ::xpti_function_with_args_t;
using mem_alloc_data_t = ::xpti_mem_alloc_data_t;
using offload_buffer_data_t = ::xpti_offload_buffer_data_t;
using offload_image_data_t = ::xpti_offload_image_data_t;
using offload_accessor_data_t = ::xpti_offload_accessor_data_t;
using offload_association_data_t = ::xpti_offload_association_data_t;
using offload_kernel_enqueue_data_t = ::xpti_offload_kernel_enqueue_data_t;
using offload_kernel_arg_data_t = ::xpti_offload_kernel_arg_data_t;
using tracepoint_callback_api_t = ::xpti_callback_t;
constexpr uint64_t invalid_uid = XPTI_INVALID_UID;
template <typename T = uint32_t> constexpr T invalid_id = static_cast<T>(-1);
template <> constexpr int32_t invalid_id<int32_t> = INT32_MAX;
} // namespace xpti
#endif

#endif
