/* SPDX-License-Identifier: MIT */
/*
 * A dispatcher without memory: each allocation in turn fails, alone or with all that follow,
 * from the dispatcher's start on. Every function says so as the interface has it, what it gave
 * before stays right, and nothing crashes. argv: the dispatcher, earlier or later.
 */
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs/dispatcher.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int main(void)
{
	printf("the sanitizer has an allocator of its own\n");
	return 77;
}
#else

#define CHECK(condition)                                                                     \
	do {                                                                                 \
		if (!(condition)) {                                                          \
			fprintf(stderr, "%s:%d: %s (allocation %d%s)\n", __FILE__, __LINE__, \
				#condition, fails_at, and_later ? " and later ones" : "");   \
			_Exit(1);                                                            \
		}                                                                            \
	} while (0)

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static bool starting, using; /* the dispatcher is */
static int allocations, failed, fails_at;
static bool and_later;

static bool fails(bool counts)
{
	if (!counts)
		return false;
	allocations++;
	if (allocations != fails_at && !(and_later && allocations > fails_at))
		return false;
	failed++;
	return true;
}

/* What the loader allocates when it loads the dispatcher does not fail. */
void *aligned_alloc(size_t alignment, size_t bytes)
{
	return fails(starting || using) ? NULL : __libc_memalign(alignment, bytes);
}

void *malloc(size_t bytes)
{
	return fails(using) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return fails(using) ? NULL : __libc_calloc(count, bytes);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
	if (fails(using && flags & MAP_ANONYMOUS))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

static unsigned calls;

static void callback(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		     uint64_t instance, const void *user_data)
{
	(void)type, (void)parent, (void)event, (void)instance, (void)user_data;
	calls++;
}

static void names(void)
{
	for (unsigned i = 0; i < 200; i++) {
		char text[32], *table = text;
		xpti_string_id_t id;
		xpti_object_id_t object;

		snprintf(text, sizeof(text), "string %u", i);
		id = D(xptiRegisterString)(text, &table);
		if (id == XPTI_INVALID_STRING)
			CHECK(!table);
		else
			CHECK(!strcmp(table, text) && D(xptiLookupString)(id) == table);
		object = D(xptiRegisterObject)(text, sizeof(text), 1);
		if (object > 0 && object != XPTI_INVALID_OBJECT)
			CHECK(!memcmp(D(xptiLookupObject)(object).data, text, sizeof(text)));
	}
	D(xptiLookupString)(1);
	D(xptiLookupObject)(1);
}

static void events(xpti_stream_id_t stream)
{
	for (unsigned i = 0; i < 300; i++) {
		xpti_payload_data_t payload = payload_at("f", "f.c", i, 1, NULL);
		uint64_t instance = 0, uid;
		xpti_event_data_t *event = D(xptiMakeEvent)("f", &payload, xpti_event_algorithm,
							    xpti_activity_active, &instance);
		xpti_result_t result;

		uid = D(xptiRegisterPayload)(&payload);
		if (uid != XPTI_INVALID_UID)
			CHECK(!strcmp(D(xptiQueryPayloadByUID)(uid)->name, "f"));
		if (!event)
			continue;
		CHECK(instance && !strcmp(D(xptiQueryPayload)(event)->name, "f") &&
		      !strcmp(D(xptiQueryPayload)(event)->source_file, "f.c") &&
		      D(xptiFindEvent)(event->unique_id) == event);
		result = D(xptiAddMetadata)(event, "key", 1);
		CHECK(result == XPTI_RESULT_SUCCESS || result == XPTI_RESULT_FAIL ||
		      result == XPTI_RESULT_DUPLICATE);
		D(xptiNotifySubscribers)(stream, xpti_task_begin, NULL, event, instance, NULL);
		if (i % 2)
			D(xptiReleaseEvent)(event);
	}
}

static void use(const char *generation)
{
	xpti_stream_id_t stream;
	xpti_result_t result;

	D(xptiFrameworkInitialize)();
	D(xptiInitialize)("stream", 1, 0, "1");
	D(xptiForceSetTraceEnabled)(true);
	stream = D(xptiRegisterStream)("stream");
	result = D(xptiRegisterCallback)(stream, xpti_task_begin, callback);
	CHECK(result == XPTI_RESULT_SUCCESS || result == XPTI_RESULT_FAIL);
	names();
	events(stream);
	if (!strcmp(generation, "later")) {
		xpti_tracepoint_t *point = D(xptiCreateTracepoint)("g", "g.c", 1, 1, NULL);

		CHECK(!point || D(xptiSetTracepointScopeData)(point) == XPTI_RESULT_SUCCESS);
		D(xptiUnsetTracepointScopeData)();
		D(xptiDeleteTracepoint)(point);
	}
	D(xptiRegisterUserDefinedEventType)("tool", 1);
	D(xptiReset)();
	names();
	events(stream);
	D(xptiFinalize)("stream");
	D(xptiFrameworkFinalize)();
}

/* 0: it went well without memory; 2: there were fewer allocations; -1: it went wrong. */
static int child(const char *path, const char *generation)
{
	int status;

	fflush(NULL);
	if (!fork()) {
		starting = true;
		open_dispatcher(path, generation);
		starting = false;
		using = true;
		use(generation);
		using = false;
		CHECK(failed || calls);
		_Exit(failed ? 0 : 2);
	}
	wait(&status);
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2))
		return WEXITSTATUS(status);
	fprintf(stderr, "status %#x where allocation %d%s fails\n", (unsigned)status, fails_at,
		and_later ? " and each later" : "");
	return -1;
}

int main(int argc, char **argv)
{
	int wrong = 0, done = 0;

	if (argc < 3)
		return 2;
	for (int round = 0; round < 2; round++) {
		and_later = round;
		for (fails_at = 1;; fails_at++) {
			int status = child(argv[1], argv[2]);

			wrong += status < 0;
			if (status == 2)
				break;
			done++;
		}
	}
	printf("%d times without memory, %d wrong\n", done, wrong);
	return wrong || done < 100;
}
#endif
