/* SPDX-License-Identifier: MIT */
/* Fuzz target of XPTI's dispatcher, by the functions that programs and subscribers call: any
 * strings, objects, payloads that say they have what they have not, numbers and events that
 * were released or never made, in any order. What it hands back is read to the last byte.
 *
 * An input is a program: a byte that says what to do, and what that needs. FUZZ_XPTI names
 * the dispatcher, FUZZ_XPTI_GENERATION which proxy asks it ("earlier", "later"). */
#include <stdint.h>

#include "../xpti/programs/dispatcher.h"

#define EVENTS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const uint8_t *at, *end;
static volatile uint64_t seen;
static xpti_event_data_t *events[EVENTS];
static xpti_tracepoint_t *tracepoints[EVENTS];
static uint64_t uids[EVENTS];
static bool later;

static uint8_t byte(void)
{
	return at < end ? *at++ : 0;
}

static uint64_t number(void)
{
	uint64_t value = 0;

	for (unsigned i = byte() % 9; i; i--)
		value = value << 8 | byte();
	return value;
}

/* A block of just its size. NULL: none. */
static char *text(void)
{
	size_t length = byte(), left = (size_t)(end - at);
	char *copy;

	if (length == 255)
		return NULL;
	length = length < left ? length : left;
	copy = malloc(length + 1);
	memcpy(copy, at, length);
	copy[length] = 0;
	at += length;
	return copy;
}

static void look(const char *string)
{
	seen += string ? strlen(string) : 0;
}

static void look_at_payload(const xpti_payload_data_t *payload)
{
	if (!payload)
		return;
	look(payload->name);
	look(payload->source_file);
	look(payload->stack_trace);
	seen += payload->line_no + payload->flags;
}

static void look_at_event(xpti_event_data_t *event)
{
	const xpti_metadata_item_t *item = NULL;
	const xpti_metadata_map_t *map;

	if (!event)
		return;
	look_at_payload(D(xptiQueryPayload)(event));
	map = D(xptiQueryMetadata)(event);
	while (map && (item = xpti_metadata_next(map, item))) {
		xpti_object_data_t object = D(xptiLookupObject)(item->value);

		look(D(xptiLookupString)(item->key));
		for (size_t i = 0; i < object.size; i++)
			seen += (uint8_t)object.data[i];
	}
}

static void called(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		   uint64_t instance, const void *data)
{
	look_at_event(parent);
	look_at_event(event);
	seen += type + instance;
	look(data);
}

static void event_make(unsigned place)
{
	char *name = text(), *file = text(), *stack = text();
	xpti_payload_data_t payload = {.name = name,
				       .source_file = file,
				       .stack_trace = stack,
				       .line_no = (uint32_t)number(),
				       .column_no = (uint32_t)number(),
				       .code_ptr_va = (void *)(uintptr_t)number(),
				       .flags = number()};
	uint64_t instance;

	if (byte() % 2) {
		events[place] = D(xptiMakeEvent)(name, byte() % 8 ? &payload : NULL,
						 (uint16_t)number(), (xpti_activity_type_t)byte(),
						 byte() % 8 ? &instance : NULL);
		if (events[place])
			uids[place] = events[place]->unique_id;
	} else {
		uids[place] = D(xptiRegisterPayload)(byte() % 8 ? &payload : NULL);
	}
	free(name);
	free(file);
	free(stack);
}

static void string_do(void)
{
	char *string = text(), *kept = NULL;
	xpti_string_id_t id = D(xptiRegisterString)(string, byte() % 8 ? &kept : NULL);

	look(kept);
	look(D(xptiLookupString)(byte() % 2 ? id : (xpti_string_id_t)number()));
	free(string);
}

static void object_do(void)
{
	char *bytes = text();
	xpti_object_data_t object;
	xpti_object_id_t id = D(xptiRegisterObject)(
		bytes, bytes ? strlen(bytes) * (byte() % 2) : (size_t)number(), byte());

	object = D(xptiLookupObject)(byte() % 2 ? id : (xpti_object_id_t)number());
	for (size_t i = 0; i < object.size; i++)
		seen += (uint8_t)object.data[i];
	free(bytes);
}

static void metadata_do(unsigned place)
{
	char *key = text();

	D(xptiAddMetadata)(events[place], key, (xpti_object_id_t)number());
	free(key);
	look_at_event(events[place]);
}

static void find(unsigned place)
{
	uint64_t uid = byte() % 2 ? uids[place] : number() | (uint64_t)byte() << 62;

	look_at_event((xpti_event_data_t *)(uintptr_t)D(xptiFindEvent)(uid));
	look_at_payload(D(xptiQueryPayloadByUID)(uid));
	if (!later)
		return;
	D(xptiLookupEvent)(uid);
	D(xptiLookupPayload)(uid);
}

static void tracepoint_do(unsigned place)
{
	char *function, *file;

	if (!later)
		return;
	if (byte() % 2) {
		D(xptiDeleteTracepoint)(tracepoints[place]);
		D(xptiDeleteTracepoint)(byte() % 2 ? tracepoints[place] : NULL);
		tracepoints[place] = NULL;
		return;
	}
	function = text();
	file = text();
	tracepoints[place] =
		D(xptiCreateTracepoint)(function, file, (uint32_t)number(), (uint32_t)number(),
					(void *)(uintptr_t)number());
	D(xptiSetTracepointScopeData)(tracepoints[place]);
	D(xptiUnsetTracepointScopeData)();
	free(function);
	free(file);
}

static void stream_do(void)
{
	char *stream = text(), *version = text();
	uint8_t id = D(xptiRegisterStream)(stream);

	switch (byte() % 4) {
	case 0:
		D(xptiInitialize)(stream, (uint32_t)number(), byte(), version);
		break;
	case 1:
		D(xptiFinalize)(stream);
		break;
	case 2:
		D(xptiUnregisterStream)(stream);
		break;
	default:
		D(xptiRegisterCallback)(byte() % 2 ? id : byte(), (uint16_t)number(), called);
	}
	free(stream);
	free(version);
}

static void notify(unsigned place)
{
	char *data = text();

	D(xptiNotifySubscribers)
	(byte(), (uint16_t)number(), events[byte() % EVENTS], events[place], number(), data);
	free(data);
}

static void stash(void)
{
	static char *kept[256]; /* the interface keeps the pointer */
	static uint8_t next;
	uint64_t value;
	char *key;

	if (byte() % 2) {
		free(kept[++next]);
		kept[next] = text();
		D(xptiStashTuple)(kept[next], number());
		if (D(xptiGetStashedTuple)(&key, &value) == XPTI_RESULT_SUCCESS)
			look(key);
	}
	D(xptiUnstashTuple)();
}

static void user_defined(void)
{
	char *tool = text();

	D(xptiRegisterUserDefinedTracePoint)(tool, byte());
	D(xptiRegisterUserDefinedEventType)(tool, byte());
	free(tool);
}

static void begin(void)
{
	const char *generation = getenv("FUZZ_XPTI_GENERATION");

	later = !generation || strcmp(generation, "earlier") != 0;
	open_dispatcher(getenv("FUZZ_XPTI"), later ? "later" : "earlier");
	D(xptiFrameworkInitialize)();
	D(xptiForceSetTraceEnabled)(true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static bool begun;

	if (!begun) {
		begun = true;
		begin();
	}
	at = data;
	end = data + bytes;
	while (at < end) {
		unsigned what = byte(), place = what / 16 % EVENTS;

		switch (what % 12) {
		case 0:
		case 1:
			event_make(place);
			break;
		case 2:
			string_do();
			break;
		case 3:
			object_do();
			break;
		case 4:
			metadata_do(place);
			break;
		case 5:
			find(place);
			break;
		case 6:
			D(xptiReleaseEvent)(events[place]);
			events[place] = NULL;
			break;
		case 7:
			tracepoint_do(place);
			break;
		case 8:
			stream_do();
			break;
		case 9:
			notify(place);
			break;
		case 10:
			stash();
			break;
		default:
			user_defined();
		}
	}
	memset(events, 0, sizeof(events));
	memset(tracepoints, 0, sizeof(tracepoints));
	D(xptiReset)(); /* tables do not grow from input to input */
	return 0;
}
