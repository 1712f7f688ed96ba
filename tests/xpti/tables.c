/* SPDX-License-Identifier: MIT */
/*
 * The dispatcher's tables, by many threads: equal things have one ID, different ones never the
 * same, an ID that was released never comes again, and a fork in the middle leaves a usable
 * table. argv: the dispatcher, earlier or later.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs/dispatcher.h"

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_Exit(1);                                                       \
		}                                                                       \
	} while (0)

#define THREADS 8
#define STRINGS 20000
#define EVENTS 20000

static bool each; /* later: an event of its own for each visit */

static xpti_string_id_t string_ids[THREADS][STRINGS];
static xpti_object_id_t object_ids[THREADS][STRINGS];

/* Every thread registers the same strings and objects, beginning at another one. */
static void *intern(void *argument)
{
	unsigned me = *(unsigned *)argument;

	for (unsigned n = 0; n < STRINGS; n++) {
		unsigned i = (n + me * STRINGS / THREADS) % STRINGS;
		char text[32], *table = NULL;
		xpti_object_data_t object;

		snprintf(text, sizeof(text), "string %u", i);
		string_ids[me][i] = D(xptiRegisterString)(text, &table);
		CHECK(table && !strcmp(table, text));
		CHECK(D(xptiLookupString)(string_ids[me][i]) == table);
		/* Objects of the same bytes and different types differ. */
		object_ids[me][i] =
			D(xptiRegisterObject)((char *)&(unsigned){i / 2}, sizeof(i), i % 2);
		object = D(xptiLookupObject)(object_ids[me][i]);
		CHECK(object.size == sizeof(i) && !memcmp(object.data, &(unsigned){i / 2}, 4));
		CHECK(object.type == i % 2);
	}
	return NULL;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_distinct(uint64_t *numbers, size_t count)
{
	qsort(numbers, count, sizeof(*numbers), by_number);
	for (size_t i = 1; i < count; i++)
		CHECK(numbers[i - 1] != numbers[i]);
}

static void strings_and_objects(void)
{
	static uint64_t strings[STRINGS], objects[STRINGS];
	unsigned numbers[THREADS];
	pthread_t threads[THREADS];

	for (unsigned t = 0; t < THREADS; t++) {
		numbers[t] = t;
		pthread_create(&threads[t], NULL, intern, &numbers[t]);
	}
	for (unsigned t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	for (unsigned t = 1; t < THREADS; t++)
		CHECK(!memcmp(string_ids[0], string_ids[t], sizeof(string_ids[0])) &&
		      !memcmp(object_ids[0], object_ids[t], sizeof(object_ids[0])));
	for (unsigned i = 0; i < STRINGS; i++) {
		strings[i] = string_ids[0][i];
		objects[i] = (uint64_t)object_ids[0][i];
	}
	check_distinct(strings, STRINGS);
	check_distinct(objects, STRINGS);
}

static void odd_strings(void)
{
	/* Each length around the steps of the hash, differing in the last byte; and no UTF-8. */
	for (size_t size = 1; size < 80; size++) {
		char text[80], *a, *b;

		memset(text, '\xc3', size);
		text[size] = 0;
		CHECK(D(xptiRegisterString)(text, &a) == D(xptiRegisterString)(text, &b));
		CHECK(a == b && strlen(a) == size);
		text[size - 1] = '\xff';
		D(xptiRegisterString)(text, &b);
		CHECK(a != b && !strcmp(text, b));
	}
	CHECK(D(xptiRegisterString)("", &(char *){NULL}) != XPTI_INVALID_STRING);
	CHECK(D(xptiRegisterString)(NULL, &(char *){NULL}) == XPTI_INVALID_STRING);
	CHECK(D(xptiRegisterString)("x", NULL) == XPTI_INVALID_STRING);
	CHECK(!D(xptiLookupString)(0) && !D(xptiLookupString)(XPTI_INVALID_STRING));
	CHECK(!D(xptiLookupString)(0x7fffffff) && !D(xptiLookupString)(0x80000000));
	CHECK(!D(xptiLookupObject)(0).data && !D(xptiLookupObject)(-1).data);
	CHECK(!D(xptiLookupObject)(INT32_MAX).data);
	CHECK(D(xptiLookupObject)(D(xptiRegisterObject)("", 0, 0)).size == 0);
	CHECK(D(xptiRegisterObject)(NULL, 4, 0) == (each ? XPTI_INVALID_OBJECT : -1));
}

static uint64_t event_ids[THREADS][EVENTS], unique_ids[THREADS][EVENTS];

static void *make_events(void *argument)
{
	unsigned me = *(unsigned *)argument;

	for (unsigned i = 0; i < EVENTS; i++) {
		char name[32];
		uint64_t instance = 0;
		xpti_payload_data_t payload;
		xpti_event_data_t *event;

		/* Half of the places are each thread's own, half are the same for all. */
		snprintf(name, sizeof(name), "event %u of %u", i, i % 2 ? me : THREADS);
		payload = payload_at(name, "tables.c", i, 0, NULL);
		event = D(xptiMakeEvent)(name, &payload, xpti_event_graph, xpti_activity_active,
					 &instance);
		CHECK(event && instance >= 1 && instance <= (i % 2 ? 1 : THREADS));
		CHECK(!strcmp(event->reserved.payload->name, name));
		CHECK(D(xptiFindEvent)(event->unique_id) == event);
		CHECK(D(xptiAddMetadata)(event, "thread", object_ids[0][me]) ==
			      XPTI_RESULT_SUCCESS ||
		      !(i % 2));
		event_ids[me][i] = event->unique_id;
		unique_ids[me][i] = D(xptiGetUniqueId)();
	}
	return NULL;
}

static void events(void)
{
	static uint64_t all[2 * THREADS * EVENTS];
	unsigned numbers[THREADS];
	pthread_t threads[THREADS];
	size_t count = 0;

	for (unsigned t = 0; t < THREADS; t++) {
		numbers[t] = t;
		pthread_create(&threads[t], NULL, make_events, &numbers[t]);
	}
	for (unsigned t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < EVENTS; i++) {
			if (!each && !(i % 2) && t > 0)
				CHECK(event_ids[t][i] == event_ids[0][i]);
			else
				all[count++] = event_ids[t][i];
			all[count++] = unique_ids[t][i];
		}
	check_distinct(all, count);
}

/* An ID that was released is found no more, and none of 300,000 comes twice. */
static void released(void)
{
	enum { ROUNDS = 300, AT_ONCE = 1000 };
	static uint64_t all[ROUNDS * AT_ONCE];
	static xpti_event_data_t *held[AT_ONCE];
	size_t count = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < AT_ONCE; i++) {
			uint64_t instance;
			xpti_payload_data_t payload = payload_at("released", "r.c", i, 0, NULL);

			held[i] = D(xptiMakeEvent)("released", &payload, 1, xpti_activity_active,
						   &instance);
			CHECK(held[i] && instance == (each ? round + 1 : 1));
			CHECK(xpti_metadata_count(D(xptiQueryMetadata)(held[i])) == 0);
			CHECK(D(xptiAddMetadata)(held[i], "round", (int)round) ==
			      XPTI_RESULT_SUCCESS);
			all[count++] = held[i]->unique_id;
		}
		for (unsigned i = 0; i < AT_ONCE; i++) {
			uint64_t uid = held[i]->unique_id;

			CHECK(D(xptiFindEvent)(uid) == held[i]);
			D(xptiReleaseEvent)(held[i]);
			CHECK(!D(xptiFindEvent)(uid) && !D(xptiQueryPayloadByUID)(uid));
			D(xptiReleaseEvent)(held[i]); /* twice does nothing */
		}
	}
	check_distinct(all, count);
}

/* Places that have one ID where IDs are a hash: neighbouring addresses, and neighbouring names. */
static void never_collide(void)
{
	for (uintptr_t i = 0; i < 1000; i++) {
		char names[2][24];
		xpti_payload_data_t payloads[3];
		uint64_t uids[3];

		snprintf(names[0], sizeof(names[0]), "node %u", (unsigned)i);
		snprintf(names[1], sizeof(names[1]), "of node %u", (unsigned)i);
		payloads[0] = payload_at(names[0], NULL, UINT32_MAX, UINT32_MAX,
					 (void *)(0x10000 + 48 * i));
		payloads[1] = payload_at(names[1], NULL, UINT32_MAX, UINT32_MAX,
					 (void *)(0x10000 + 48 * i));
		payloads[2] = payload_at(names[0], NULL, UINT32_MAX, UINT32_MAX,
					 (void *)(0x10001 + 48 * i));
		for (unsigned p = 0; p < 3; p++) {
			uint64_t instance;
			xpti_event_data_t *event = D(xptiMakeEvent)(
				"x", &payloads[p], 1, xpti_activity_active, &instance);

			CHECK(event && !strcmp(event->reserved.payload->name, names[p % 2]));
			CHECK(each || instance == 1);
			uids[p] = event->unique_id;
		}
		check_distinct(uids, 3);
	}
}

static void bad_arguments(void)
{
	uint64_t instance = 5;
	xpti_payload_data_t empty = {0}, unset = payload_at(NULL, NULL, 1, 1, NULL);
	xpti_payload_data_t flagged = {.flags = xpti_payload_NameAvailable |
						xpti_payload_SourceFileAvailable};
	xpti_payload_data_t good = payload_at("good", NULL, 0, 0, NULL);

	CHECK(!D(xptiMakeEvent)("x", NULL, 1, 1, &instance));
	CHECK(!D(xptiMakeEvent)("x", &empty, 1, 1, &instance));
	CHECK(!D(xptiMakeEvent)("x", &unset, 1, 1, &instance));
	CHECK(!D(xptiMakeEvent)("x", &flagged, 1, 1, &instance));
	CHECK(!D(xptiMakeEvent)("x", &good, 1, 1, NULL));
	CHECK(D(xptiMakeEvent)(NULL, &good, 1, 1, &instance));
	CHECK(!D(xptiRegisterPayload)(NULL) && !D(xptiRegisterPayload)(&empty));
	CHECK(!D(xptiQueryPayload)(NULL) && !D(xptiQueryMetadata)(NULL));
	for (unsigned bit = 0; bit < 64; bit++) {
		CHECK(!D(xptiFindEvent)(UINT64_C(1) << bit >> 1 | UINT64_C(0xfffffff)));
		CHECK(!D(xptiQueryPayloadByUID)(UINT64_C(1) << bit | UINT64_C(0xfffffff)));
	}
	CHECK(D(xptiRegisterStream)(NULL) == XPTI_INVALID_STREAM);
	CHECK(D(xptiRegisterUserDefinedTracePoint)(NULL, 1) == UINT16_MAX);
	CHECK(D(xptiGetStashedTuple)(NULL, &instance) == XPTI_RESULT_INVALIDARG);
	D(xptiFinalize)(NULL);
	D(xptiReleaseEvent)(NULL);
}

static void many_streams(void)
{
	xpti_stream_id_t last = 0;
	bool seen[256] = {false};

	for (unsigned i = 0; i < 300; i++) {
		char name[24];
		xpti_stream_id_t id;

		snprintf(name, sizeof(name), "stream %u", i);
		id = D(xptiRegisterStream)(name);
		if (id == XPTI_INVALID_STREAM) {
			CHECK(i >= 250);
			continue;
		}
		CHECK(id && !seen[id] && D(xptiRegisterStream)(name) == id);
		seen[id] = true;
		last = id;
	}
	CHECK(last == 254);
	CHECK(D(xptiRegisterStream)("one too many") == XPTI_INVALID_STREAM);
}

static atomic_bool stop;

static void *busy(void *unused)
{
	(void)unused;
	for (unsigned i = 0; !stop; i++) {
		char text[48], *table;
		uint64_t instance;
		xpti_payload_data_t payload;

		/* Whoever has an event that all share must not release it while others use it. */
		snprintf(text, sizeof(text), "busy %u of %p", i, (void *)text);
		D(xptiRegisterString)(text, &table);
		payload = payload_at(text, NULL, 0, 0, NULL);
		D(xptiReleaseEvent)(D(xptiMakeEvent)(text, &payload, 1, 1, &instance));
	}
	return NULL;
}

static void forks(void)
{
	pthread_t threads[2];

	for (unsigned t = 0; t < 2; t++)
		pthread_create(&threads[t], NULL, busy, NULL);
	for (unsigned i = 0; i < 50; i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			alarm(20); /* a lock that nobody gives back */
			for (unsigned n = 0; n < 2000; n++) {
				char text[32], *table;
				uint64_t instance;
				xpti_payload_data_t payload;

				snprintf(text, sizeof(text), "child %u", n);
				CHECK(D(xptiRegisterString)(text, &table) != XPTI_INVALID_STRING);
				payload = payload_at(text, NULL, 0, 0, NULL);
				CHECK(D(xptiMakeEvent)(text, &payload, 1, 1, &instance) &&
				      instance == 1);
			}
			_Exit(0);
		}
		CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	}
	stop = true;
	for (unsigned t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	open_dispatcher(argv[1], argv[2]);
	each = !strcmp(argv[2], "later");
	D(xptiFrameworkInitialize)();
	strings_and_objects();
	odd_strings();
	events();
	released();
	never_collide();
	bad_arguments();
	many_streams();
	forks();
	if (each) {
		D(xptiReset)();
		CHECK(!D(xptiFindEvent)(event_ids[0][1]) && !D(xptiLookupString)(1));
		strings_and_objects();
		events();
	}
	D(xptiFrameworkFinalize)();
	return 0;
}
