/* SPDX-License-Identifier: MIT */
/*
 * What a dispatcher does, a line for each question: two dispatchers that print the same are
 * interchangeable as far as this asks. IDs are printed as what they are compared with.
 *
 *	probe DISPATCHER earlier|later
 */
#include <unistd.h>

#include "dispatcher.h"

static char marks[64];

static void call_a(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		   uint64_t instance, const void *user_data)
{
	size_t used = strlen(marks);

	snprintf(marks + used, sizeof(marks) - used, "a%u%s%s%u%s ", type, parent ? "P" : "-",
		 event ? "E" : "-", (unsigned)instance, user_data ? (const char *)user_data : "");
}

static void call_b(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		   uint64_t instance, const void *user_data)
{
	(void)type, (void)parent, (void)event, (void)instance, (void)user_data;
	strcat(marks, "b ");
}

static const char *result(xpti_result_t value)
{
	switch (value) {
#define X(name, number) \
	case number:    \
		return &#name[12];
		XPTI_RESULTS(X)
#undef X
	}
	return "(unknown)";
}

static const char *notified(xpti_stream_id_t stream, uint16_t type, xpti_event_data_t *parent,
			    xpti_event_data_t *event, const void *user_data)
{
	static char text[128];
	const char *returned;

	*marks = 0;
	returned = result(D(xptiNotifySubscribers)(stream, type, parent, event, 7, user_data));
	snprintf(text, sizeof(text), "%s [%s]", returned, marks);
	return text;
}

#define SAY(question, ...) \
	(printf("%s: ", question), printf(__VA_ARGS__), printf("\n"), fflush(stdout))

static void strings(void)
{
	char *table[3] = {NULL}, longer[5000];
	xpti_string_id_t a = D(xptiRegisterString)("alpha", &table[0]);
	xpti_string_id_t b = D(xptiRegisterString)("beta", &table[1]);
	xpti_string_id_t again = D(xptiRegisterString)("alpha", &table[2]);
	xpti_string_id_t bytes = D(xptiRegisterString)("\xff\xfe caf\xe9", &table[1]);

	SAY("string again", "%s %s", a == again ? "same" : "other",
	    table[0] == table[2] ? "same" : "other");
	SAY("other string", "%s", a == b ? "same" : "other");
	SAY("string by ID", "%s %s", D(xptiLookupString)(a), D(xptiLookupString)(b));
	SAY("string by ID is the table's", "%d", D(xptiLookupString)(a) == table[0]);
	SAY("not UTF-8", "%d", !strcmp(D(xptiLookupString)(bytes), "\xff\xfe caf\xe9"));
	SAY("unknown string", "%s", D(xptiLookupString)(123456789) ? "there" : "null");
	SAY("invalid string ID", "%s", D(xptiLookupString)(XPTI_INVALID_STRING) ? "there" : "null");
	SAY("null string", "%d", (int)D(xptiRegisterString)(NULL, &table[0]));
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	a = D(xptiRegisterString)(longer, &table[0]);
	SAY("long string", "%d", !strcmp(D(xptiLookupString)(a), longer));
}

static void objects(void)
{
	int one = 1, two = 2;
	xpti_object_id_t a = D(xptiRegisterObject)((char *)&one, 4, xpti_object_signed_integer);
	xpti_object_id_t b = D(xptiRegisterObject)((char *)&two, 4, xpti_object_signed_integer);
	xpti_object_id_t again = D(xptiRegisterObject)((char *)&one, 4, xpti_object_signed_integer);
	xpti_object_data_t data = D(xptiLookupObject)(b);

	SAY("object again", "%s", a == again ? "same" : "other");
	SAY("other object", "%s", a == b ? "same" : "other");
	SAY("object by ID", "%zu bytes, %d, type %d", data.size, *(int *)data.data, data.type);
}

static void streams(void)
{
	xpti_stream_id_t a = D(xptiRegisterStream)("one"), b = D(xptiRegisterStream)("two");
	uint16_t begin, end, other, event;

	SAY("stream again", "%s", D(xptiRegisterStream)("one") == a ? "same" : "other");
	SAY("other stream", "%s", a == b ? "same" : "other");
	SAY("stream is not 0", "%d", a != 0);

	begin = D(xptiRegisterUserDefinedTracePoint)("tool", XPTI_TRACE_POINT_BEGIN(3));
	end = D(xptiRegisterUserDefinedTracePoint)("tool", XPTI_TRACE_POINT_END(3));
	other = D(xptiRegisterUserDefinedTracePoint)("another tool", XPTI_TRACE_POINT_BEGIN(3));
	event = D(xptiRegisterUserDefinedEventType)("tool", 9);
	SAY("user-defined", "%#x %#x %#x %#x", begin, end, other, event);

	SAY("register", "%s", result(D(xptiRegisterCallback)(a, begin, call_a)));
	SAY("register again", "%s", result(D(xptiRegisterCallback)(a, begin, call_a)));
	SAY("register another", "%s", result(D(xptiRegisterCallback)(a, begin, call_b)));
	SAY("register null", "%s", result(D(xptiRegisterCallback)(a, begin, NULL)));
	SAY("unregister null", "%s", result(D(xptiUnregisterCallback)(a, begin, NULL)));
	SAY("unregister unknown", "%s", result(D(xptiUnregisterCallback)(a, end, call_a)));
	SAY("unregister", "%s", result(D(xptiUnregisterCallback)(a, begin, call_a)));
	SAY("unregister again", "%s", result(D(xptiUnregisterCallback)(a, begin, call_a)));
	SAY("register after that", "%s", result(D(xptiRegisterCallback)(a, begin, call_a)));
}

static void notifications(xpti_event_data_t *event)
{
	xpti_stream_id_t stream = D(xptiRegisterStream)("one");
	static const uint16_t bare[] = {
		xpti_task_begin,
		xpti_node_create,
		xpti_signal,
		xpti_wait_begin,
		xpti_metadata,
		xpti_function_begin,
		xpti_function_with_args_end,
		xpti_mem_alloc_begin,
		xpti_mem_release_end,
		xpti_offload_alloc_accessor,
		xpti_diagnostics,
		xpti_queue_create,
	};
	uint16_t user = D(xptiRegisterUserDefinedTracePoint)("tool", XPTI_TRACE_POINT_BEGIN(3));

	SAY("enabled", "%d", D(xptiTraceEnabled)());
	D(xptiForceSetTraceEnabled)(false);
	SAY("notify while off", "%s", notified(stream, user, NULL, event, "u"));
	SAY("subscribed while off", "%d", D(xptiCheckTraceEnabled)(stream, user));
	D(xptiForceSetTraceEnabled)(true);
	SAY("enabled by force", "%d", D(xptiTraceEnabled)());
	SAY("notify", "%s", notified(stream, user, NULL, event, "u"));
	SAY("notify with parent", "%s", notified(stream, user, event, event, NULL));
	SAY("notify a type that nobody wants", "%s",
	    notified(stream, xpti_lock_begin, NULL, event, "u"));
	SAY("notify another stream", "%s", notified(stream + 1, user, NULL, event, "u"));
	for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
		char question[40];

		D(xptiRegisterCallback)(stream, bare[i], call_b);
		snprintf(question, sizeof(question), "notify %u without event", bare[i]);
		SAY(question, "%s", notified(stream, bare[i], NULL, NULL, "u"));
		snprintf(question, sizeof(question), "notify %u without anything", bare[i]);
		SAY(question, "%s", notified(stream, bare[i], NULL, NULL, NULL));
	}
	SAY("subscribed", "%d", D(xptiCheckTraceEnabled)(stream, xpti_signal));
	SAY("subscribed to another type", "%d", D(xptiCheckTraceEnabled)(stream, xpti_lock_end));
	SAY("subscribed to any type", "%d", D(xptiCheckTraceEnabled)(stream, 0));
	SAY("subscribed to another stream", "%d", D(xptiCheckTraceEnabled)(200, xpti_signal));
	SAY("finalise", "%s", result(D(xptiUnregisterStream)("one")));
	SAY("notify after that", "%s", notified(stream, user, NULL, event, "u"));
	SAY("finalise null", "%s", result(D(xptiUnregisterStream)(NULL)));
	SAY("initialise", "%s", result(D(xptiInitialize)("one", 1, 2, "3")));
	SAY("initialise null", "%s", result(D(xptiInitialize)(NULL, 1, 2, "3")));
	SAY("initialise without version", "%s", result(D(xptiInitialize)("one", 1, 2, NULL)));
}

static void print_event(const char *question, xpti_event_data_t *event)
{
	const xpti_payload_data_t *payload;

	if (!event) {
		SAY(question, "null");
		return;
	}
	payload = D(xptiQueryPayload)(event);
	SAY(question, "type %u activity %u source %d target %d payload %s found %s by payload %s",
	    event->event_type, event->activity_type, (int)event->source_id, (int)event->target_id,
	    payload == event->reserved.payload ? "its own" : "another",
	    D(xptiFindEvent)(event->unique_id) == event ? "itself" : "another",
	    D(xptiQueryPayloadByUID)(event->unique_id) == payload ? "the same" : "another");
	printf("  name %s file %s line %d code %s\n", payload->name ? payload->name : "(null)",
	       payload->source_file ? payload->source_file : "(null)",
	       payload->source_file ? (int)payload->line_no : 0,
	       payload->code_ptr_va ? "there" : "null");
	printf("  flags%s%s%s%s internal %s\n",
	       payload->flags & xpti_payload_NameAvailable ? " name" : "",
	       payload->flags & xpti_payload_SourceFileAvailable ? " file" : "",
	       payload->flags & xpti_payload_PayloadRegistered ? " registered" : "",
	       payload->flags & xpti_payload_HashAvailable ? " hash" : "",
	       payload->internal == event->unique_id ? "the ID" : "another");
	printf("  metadata %zu, %s\n", xpti_metadata_count(D(xptiQueryMetadata)(event)),
	       D(xptiQueryMetadata)(event) == &event->reserved.metadata ? "its own" : "another");
}

static void events(void)
{
	static const char code[8192];
	xpti_payload_data_t payload = payload_at("f", "f.cpp", 10, 3, &code[0]);
	uint64_t instance = 0, second = 0, third = 0, uid;
	xpti_event_data_t *event = D(xptiMakeEvent)("f", &payload, xpti_event_graph,
						    xpti_activity_overhead, &instance);
	xpti_event_data_t *again, *other;
	static const struct {
		const char *what, *name, *file;
		uint32_t line, column;
		const void *code;
	} places[] = {
		{"another line", "f", "f.cpp", 11, 3, &code[0]},
		{"another column", "f", "f.cpp", 10, 4, &code[0]},
		{"another file", "f", "g.cpp", 10, 3, &code[0]},
		{"another name", "alpha", "f.cpp", 10, 3,
		 &code[0]}, /* in Intel's of 2024.2, "g" can be "f" */
		{"another address", "f", "f.cpp", 10, 3, &code[4096]},
		{"no address", "f", "f.cpp", 10, 3, NULL},
		{"name and address", "h", NULL, UINT32_MAX, UINT32_MAX, &code[0]},
		{"name alone", "i", NULL, UINT32_MAX, UINT32_MAX, NULL},
	};

	SAY("first instance", "%d", (int)instance);
	print_event("event", event);
	payload = payload_at("f", "f.cpp", 10, 3, &code[0]);
	again = D(xptiMakeEvent)("f", &payload, xpti_event_graph, xpti_activity_active, &second);
	SAY("second instance", "%d, %s event, %s ID", (int)second,
	    again == event ? "the same" : "another",
	    again->unique_id == event->unique_id ? "the same" : "another");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		payload = payload_at(places[i].name, places[i].file, places[i].line,
				     places[i].column, places[i].code);
		other = D(xptiMakeEvent)("x", &payload, xpti_event_graph, xpti_activity_active,
					 &third);
		SAY(places[i].what, "instance %d", (int)third);
		if (i > 4)
			print_event("which is", other);
	}

	SAY("metadata", "%s", result(D(xptiAddMetadata)(event, "key", 5)));
	SAY("metadata again", "%s", result(D(xptiAddMetadata)(event, "key", 6)));
	SAY("more metadata", "%s", result(D(xptiAddMetadata)(event, "other", 7)));
	SAY("metadata without event", "%s", result(D(xptiAddMetadata)(NULL, "other", 7)));
	SAY("metadata without key", "%s", result(D(xptiAddMetadata)(event, NULL, 7)));
	SAY("items", "%zu", xpti_metadata_count(D(xptiQueryMetadata)(event)));
	for (const xpti_metadata_item_t *item =
		     xpti_metadata_next(D(xptiQueryMetadata)(event), NULL);
	     item; item = xpti_metadata_next(D(xptiQueryMetadata)(event), item))
		if (!strcmp(D(xptiLookupString)(item->key), "key"))
			SAY("item", "%d", item->value);

	payload = payload_at("registered", "r.cpp", 5, 0, NULL);
	uid = D(xptiRegisterPayload)(&payload);
	SAY("registered payload", "%s, %s", uid ? "has an ID" : "none",
	    payload.internal == uid ? "which it got" : "which it did not get");
	SAY("its payload", "%s", D(xptiQueryPayloadByUID)(uid)->name);
	other = D(xptiMakeEvent)("registered", &payload, xpti_event_graph, xpti_activity_active,
				 &third);
	SAY("its event", "%d, %s ID", (int)third, other->unique_id == uid ? "the same" : "another");
	SAY("payload of nothing", "%d", (int)D(xptiRegisterPayload)(&(xpti_payload_data_t){0}));
	SAY("event of nothing", "%s",
	    D(xptiMakeEvent)("x", &(xpti_payload_data_t){0}, 1, 1, &third) ? "one" : "null");
	SAY("ID 0", "%s %s", D(xptiFindEvent)(0) ? "found" : "null",
	    D(xptiQueryPayloadByUID)(0) ? "found" : "null");
	SAY("unknown ID", "%s %s", D(xptiFindEvent)(12345) ? "found" : "null",
	    D(xptiQueryPayloadByUID)(12345) ? "found" : "null");
	notifications(again);

	uid = again->unique_id;
	D(xptiReleaseEvent)(again);
	SAY("released", "%s %s", D(xptiFindEvent)(uid) ? "found" : "null",
	    D(xptiQueryPayloadByUID)(uid) ? "found" : "null");
	payload = payload_at("f", "f.cpp", 10, 3, &code[0]);
	again = D(xptiMakeEvent)("f", &payload, xpti_event_graph, xpti_activity_active, &second);
	SAY("instance after that", "%d", (int)second);
	print_event("which is", again);
	D(xptiReleaseEvent)(NULL);
}

static void threads_own(void)
{
	char *key = NULL;
	uint64_t value = 0, a = D(xptiGetUniqueId)(), b = D(xptiGetUniqueId)();

	SAY("unique IDs", "%s, %s", a == b ? "the same" : "differ", a && b ? "not 0" : "0");
	SAY("universal ID", "%d", (int)D(xptiGetUniversalId)());
	D(xptiSetUniversalId)(42);
	SAY("universal ID set", "%d", (int)D(xptiGetUniversalId)());
	D(xptiSetUniversalId)(0);
	SAY("stashed", "%s", result(D(xptiGetStashedTuple)(&key, &value)));
	SAY("stash", "%s", result(D(xptiStashTuple)("key", 9)));
	SAY("stash without key", "%s", result(D(xptiStashTuple)(NULL, 9)));
	SAY("stashed now", "%s", result(D(xptiGetStashedTuple)(&key, &value)));
	SAY("it is", "%s %d", key ? key : "(null)", (int)value);
	D(xptiUnstashTuple)();
	SAY("stashed after unstash", "%s", result(D(xptiGetStashedTuple)(&key, &value)));
}

static void later(void)
{
	static const char code;
	xpti_tracepoint_t *point = D(xptiCreateTracepoint)("f", "later.cpp", 20, 2, (void *)&code),
			  *second;
	xpti_payload_t *payload = point->methods->payload(point);
	xpti_trace_event_t *event = point->methods->event(point);
	xpti_metadata_t *metadata = point->methods->metadata(point);
	xpti_object_id_t value = 0;
	uint64_t uid;
	char *key = NULL;
	int sum = 0;

	SAY("trace point", "instance %d", (int)point->methods->instance(point));
	SAY("its payload", "%s %s %u %u, valid %d, ID %s", payload->methods->name(payload),
	    payload->methods->source_file(payload), payload->methods->line_no(payload),
	    payload->methods->column_no(payload), payload->methods->is_valid(payload),
	    payload->methods->uid64(payload) == point->methods->uid64(point) ? "the same"
									     : "another");
	SAY("its payload by reference", "%s, %s", payload->methods->payload_ref(payload)->name,
	    payload->methods->payload_ref(payload) == point->methods->payload_ref(point)
		    ? "the same"
		    : "another");
	SAY("its event", "type %u activity %u instance %d source %d target %d flags %#x",
	    event->methods->event_type(event), event->methods->activity_type(event),
	    (int)event->methods->instance(event), (int)event->methods->source_uid64(event),
	    (int)event->methods->target_uid64(event), (unsigned)event->methods->event_flags(event));
	SAY("event by reference", "%s %s",
	    event->methods->event_ref(event) == point->methods->event_ref(point) ? "the same"
										 : "another",
	    event->methods->event_ref(event)->flags == event->methods->event_flags(event)
		    ? "the same"
		    : "another");
	event->methods->set_event_type(event, 3);
	event->methods->set_activity_type(event, xpti_activity_background);
	SAY("set", "%u %u", event->methods->event_type(event),
	    event->methods->activity_type(event));
	SAY("payload of the event", "%s",
	    event->methods->payload(event) == payload ? "the same" : "another");
	SAY("metadata of the event", "%s",
	    event->methods->metadata(event) == metadata ? "the same" : "another");

	SAY("no item", "%s", result(metadata->methods->first_item(metadata, &key, &value)));
	for (int i = 1; i <= 3; i++) {
		char name[2] = {(char)('a' + i), 0};

		SAY("add", "%s",
		    result(D(xptiAddMetadata)(event->methods->event_ref(event), name, i)));
	}
	SAY("add again", "%s",
	    result(D(xptiAddMetadata)(event->methods->event_ref(event), "d", 10)));
	SAY("add by the interface", "%s", result(metadata->methods->add_item(metadata, "c", 2)));
	SAY("count", "%zu", metadata->methods->count(metadata));
	for (xpti_result_t more = metadata->methods->first_item(metadata, &key, &value);
	     more == XPTI_RESULT_SUCCESS;
	     more = metadata->methods->next_item(metadata, &key, &value))
		sum += key[0] == 'c' ? 0 : value * (key[0] - 'a' + 1);
	SAY("sum", "%d", sum);

	uid = point->methods->uid64(point);
	SAY("by ID", "%s %s", D(xptiLookupEvent)(uid) == event ? "the same" : "another",
	    D(xptiLookupPayload)(uid) == payload ? "the same" : "another");
	SAY("found", "%s",
	    D(xptiFindEvent)(uid) == point->methods->event_ref(point) ? "the same" : "another");
	second = D(xptiCreateTracepoint)("f", "later.cpp", 20, 2, NULL);
	SAY("second", "instance %d, %s ID", (int)second->methods->instance(second),
	    second->methods->uid64(second) == uid ? "the same" : "another");
	SAY("set scope", "%s", result(D(xptiSetTracepointScopeData)(second)));
	SAY("scope", "%s", D(xptiGetTracepointScopeData)() == second ? "the same" : "another");
	SAY("universal ID", "%s",
	    D(xptiGetUniversalId)() == second->methods->uid64(second) ? "the same" : "another");
	D(xptiUnsetTracepointScopeData)();
	SAY("scope unset", "%s %d", D(xptiGetTracepointScopeData)() ? "there" : "null",
	    (int)D(xptiGetUniversalId)());
	SAY("set null", "%s", result(D(xptiSetTracepointScopeData)(NULL)));
	SAY("delete", "%s", result(D(xptiDeleteTracepoint)(second)));
	SAY("delete null", "%s", result(D(xptiDeleteTracepoint)(NULL)));
	SAY("first is there", "%d", D(xptiFindEvent)(uid) != NULL);
	SAY("delete the first", "%s", result(D(xptiDeleteTracepoint)(point)));
	SAY("first is gone", "%d", D(xptiFindEvent)(uid) == NULL);
	second = (xpti_tracepoint_t *)D(xptiRegisterTracepointScope)("f", "later.cpp", 20, 2, NULL);
	SAY("third", "instance %d", (int)second->methods->instance(second));
	second = D(xptiCreateTracepoint)(NULL, NULL, 0, 0, NULL);
	SAY("nowhere", "%s", second ? second->methods->payload_ref(second)->name : "null");

	SAY("default stream", "%s",
	    D(xptiGetDefaultStreamID)() == D(xptiRegisterStream)("xpti.framework")
		    ? "xpti.framework"
		    : "another");
	SAY("set default stream", "%s %s", result(D(xptiSetDefaultStreamID)(9)),
	    result(D(xptiSetDefaultStreamID)(200)));
	SAY("default stream now", "%d", D(xptiGetDefaultStreamID)());
	SAY("default types", "%d %d", D(xptiGetDefaultEventType)(), D(xptiGetDefaultTraceType)());
	SAY("set default types", "%s %s", result(D(xptiSetDefaultEventType)(0)),
	    result(D(xptiSetDefaultTraceType)(0)));
	SAY("set default types", "%s %s", result(D(xptiSetDefaultEventType)(3)),
	    result(D(xptiSetDefaultTraceType)(4)));
	SAY("default types now", "%d %d", D(xptiGetDefaultEventType)(),
	    D(xptiGetDefaultTraceType)());
	SAY("scope notification", "%d", D(xptiCheckTracepointScopeNotification)());
	D(xptiEnableTracepointScopeNotification)(true);
	SAY("scope notification now", "%d", D(xptiCheckTracepointScopeNotification)());
	SAY("detail level", "%d", D(xptiGetEffectiveStreamDetailLevel)(3));
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	open_dispatcher(argv[1], argv[2]);
	D(xptiFrameworkInitialize)();
	strings();
	objects();
	streams();
	threads_own();
	events();
	if (!strcmp(argv[2], "later"))
		later();
	D(xptiFrameworkFinalize)();
	printf("end\n");
	return 0;
}
