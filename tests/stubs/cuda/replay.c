/* SPDX-License-Identifier: MIT */
/* replay FILE [ROUNDS [END]]: tells a recorded run again (replay.h). END says how it
 * ends: `return`, `_exit` or `kill`, the latter two after a pause of 400 ms. Pointers in the
 * arguments lead where they led: what lay behind them is mapped at its old place.
 *
 * Times are moved: an operation begins STEP ticks of the tool's clock after its
 * call was told, or after the one before it in its stream, and takes as many ticks
 * as the file has ns. What no call made (pages that move, CUPTI's own overhead)
 * begins when it is told. Lines `nvtx ...` are the test's own: ranges and markers. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../annotation/nvtx.h"
#include "abi.h"
#include "replay.h"

int cuInit(unsigned flags);

#define ARGUMENT_BYTES 96
#define PAGE 4096

/* Where an activity record has what is replaced: CUPTI's documentation. */
enum {
	KIND_COPY = 1,
	KIND_MEMSET = 2,
	KIND_KERNEL = 10,
	KIND_OVERHEAD = 17,
	KIND_PEER_COPY = 22,
	KIND_UNIFIED = 25,
};
enum { KERNEL_NAME = 104 };

static const struct place {
	uint32_t kind;
	size_t start, end, stream, correlation;
} places[] = {
	{KIND_COPY, 16, 24, 40, 44},
	{KIND_MEMSET, 16, 24, 40, 44},
	{KIND_KERNEL, 16, 24, 48, 92},
	{KIND_PEER_COPY, 16, 24, 40, 60},
};

/* Of those that no call made. */
static const struct {
	uint32_t kind;
	size_t start, end;
} lone[] = {{KIND_OVERHEAD, 24, 32}, {KIND_UNIFIED, 16, 24}};

#define STEP 1000
#define CALLS 65536
#define STREAMS 256

static const struct stub_cupti *cupti;
static const struct stub_cuda *cuda;
static uint64_t between[64]; /* by depth, as calls nest in one thread */
static int depth;
static bool dry; /* the first pass: answers, no events */

static size_t unhex(const char *text, uint8_t *to, size_t most)
{
	size_t bytes = 0;
	unsigned byte;

	while (bytes < most && sscanf(text, "%2x", &byte) == 1) {
		to[bytes++] = (uint8_t)byte;
		text += 2;
	}
	return bytes;
}

/* Maps what the address's pages need, unless something is there already. */
static bool place_map(uintptr_t address, size_t bytes)
{
	for (uintptr_t page = address & ~(uintptr_t)(PAGE - 1); page < address + bytes;
	     page += PAGE) {
		static uintptr_t ours[4096];
		static int count;
		bool known = false;

		for (int i = 0; i < count && !known; i++)
			known = ours[i] == page;
		if (known)
			continue;
		if (count == 4096 ||
		    mmap((void *)page, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)page)
			return false;
		ours[count++] = page;
	}
	return true;
}

static void tell_behind(const char *line)
{
	uint8_t bytes[64];
	void *address;
	int at;
	size_t count;

	if (sscanf(line, "%p %n", &address, &at) != 1)
		return;
	count = unhex(line + at, bytes, sizeof(bytes));
	if (place_map((uintptr_t)address, count))
		memcpy(address, bytes, count);
}

/* A kernel's name: one address for each, as CUPTI has it. */
static const char *name_of(const char *name)
{
	static char *names[1024];
	static int count;

	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return names[i];
	return count < 1024 ? names[count++] = strdup(name) : NULL;
}

static uint64_t called_at[CALLS]; /* by correlation id */
static uint64_t stream_free[STREAMS];

static void times_move(uint8_t *record, const struct place *place)
{
	uint32_t stream, correlation;
	uint64_t start, end, took;

	memcpy(&start, record + place->start, 8);
	memcpy(&end, record + place->end, 8);
	memcpy(&stream, record + place->stream, 4);
	memcpy(&correlation, record + place->correlation, 4);
	if (!start || !end)
		return; /* it never ended */
	took = end - start;
	start = called_at[correlation % CALLS];
	if (start < stream_free[stream % STREAMS])
		start = stream_free[stream % STREAMS];
	start += STEP;
	end = start + took;
	stream_free[stream % STREAMS] = end;
	memcpy(record + place->start, &start, 8);
	memcpy(record + place->end, &end, 8);
}

static void times_renew(uint8_t *record, size_t start_at, size_t end_at)
{
	uint64_t start, end, now = __builtin_ia32_rdtsc();

	memcpy(&start, record + start_at, 8);
	memcpy(&end, record + end_at, 8);
	end = end ? now + (end - start) : 0; /* a fault has no end */
	memcpy(record + start_at, &now, 8);
	memcpy(record + end_at, &end, 8);
}

static void tell_call(const char *line)
{
	static uint8_t arguments[ARGUMENT_BYTES];
	static char function[512], symbol[32768];
	struct call call = {.function = function, .arguments = arguments};
	uint32_t domain, id;
	int result, at;

	if (sscanf(line, "%u %u %u %511s %u %p %u %32767s %d %n", &call.site, &domain, &id,
		   function, &call.correlation, &call.context, &call.context_id, symbol, &result,
		   &at) != 9)
		return;
	unhex(line + at, arguments, sizeof(arguments));
	call.symbol = strcmp(symbol, "-") ? name_of(symbol) : NULL;
	call.result = &result;
	if (call.site)
		depth -= depth > 0;
	call.between = &between[depth];
	if (!call.site)
		called_at[call.correlation % CALLS] = __builtin_ia32_rdtsc();
	cupti->callback(domain, id, &call);
	if (!call.site)
		depth += depth < 63;
}

static void tell_activity(const char *line)
{
	static char hex[2048], name[32768];
	static uint8_t record[1024];
	uint32_t kind;
	size_t bytes;
	const char *pointer;

	if (sscanf(line, "%2047s %32767s", hex, name) != 2)
		return;
	bytes = unhex(hex, record, sizeof(record));
	memcpy(&kind, record, sizeof(kind));
	pointer = strcmp(name, "-") ? name_of(name) : NULL;
	if (kind == KIND_KERNEL)
		memcpy(record + KERNEL_NAME, &pointer, sizeof(pointer));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].kind == kind)
			times_move(record, &places[i]);
	for (size_t i = 0; i < sizeof(lone) / sizeof(lone[0]); i++)
		if (lone[i].kind == kind)
			times_renew(record, lone[i].start, lone[i].end);
	cupti->activity(record, bytes);
}

static void tell_resource(const char *line)
{
	struct resource data = {.descriptor = NULL};
	uint32_t id;

	if (sscanf(line, "%u %p %p", &id, &data.context, &data.stream) == 3)
		cupti->callback(3, id, &data);
}

static void tell_module(const char *line)
{
	static const char cubin[16] = "\177ELFstub";
	struct module module = {.cubin = cubin};
	struct resource data = {.descriptor = &module};

	if (sscanf(line, "%u", &module.id) != 1)
		return;
	module.bytes = sizeof(cubin);
	cupti->callback(3, 6, &data);
}

static void answer(const char *word, const char *line)
{
	void *context, *stream;
	char name[256];
	size_t bytes;
	int a, b, c;
	unsigned u, v;

	if (!strcmp(word, "cupti") && sscanf(line, "%u", &u) == 1)
		cupti->version(u);
	else if (!strcmp(word, "driver") && sscanf(line, "%d", &a) == 1)
		cuda->version(a);
	else if (!strcmp(word, "device") && sscanf(line, "%d %255s", &a, name) == 2)
		cuda->device(a, name);
	else if (!strcmp(word, "memory") && sscanf(line, "%d %zu", &a, &bytes) == 2)
		cuda->memory(a, bytes);
	else if (!strcmp(word, "attribute") && sscanf(line, "%d %d %d", &a, &b, &c) == 3)
		cuda->attribute(a, b, c);
	else if (!strcmp(word, "context") && sscanf(line, "%p %u %u", &context, &u, &v) == 3)
		cupti->context(context, u, v);
	else if (!strcmp(word, "stream") &&
		 sscanf(line, "%p %p %d %u", &context, &stream, &a, &u) == 4)
		cupti->stream(context, stream, a, u);
}

/* `push TEXT`, `pop`, `start TEXT`, `end` (of the latest start), `mark TEXT`, each in the
 * thread that tells; `scope NAME TEXT` is a push in a domain of that name, `leave` its pop. */
static void tell_nvtx(char *line)
{
	static uint64_t latest;
	static void *scope;
	char *text = line + strcspn(line, " \n");

	if (*text)
		*text++ = 0;
	text[strcspn(text, "\n")] = 0;
	if (!strcmp(line, "push")) {
		push(text);
	} else if (!strcmp(line, "pop")) {
		pop();
	} else if (!strcmp(line, "start")) {
		latest = start(text);
	} else if (!strcmp(line, "end")) {
		end(latest);
	} else if (!strcmp(line, "mark")) {
		mark(text);
	} else if (!strcmp(line, "scope")) {
		struct attributes attributes = {
			.version = 3, .size = sizeof(attributes), .text_type = 1};
		char *name = text;

		text += strcspn(text, " ");
		if (*text)
			*text++ = 0;
		scope = domain(name);
		attributes.text = text;
		domain_push(scope, &attributes);
	} else if (!strcmp(line, "leave")) {
		domain_pop(scope);
	}
}

static void tell(const char *word, char *line)
{
	if (!strcmp(word, "behind"))
		tell_behind(line);
	else if (!strcmp(word, "call"))
		tell_call(line);
	else if (!strcmp(word, "activity"))
		tell_activity(line);
	else if (!strcmp(word, "resource"))
		tell_resource(line);
	else if (!strcmp(word, "module"))
		tell_module(line);
	else if (!strcmp(word, "nvtx"))
		tell_nvtx(line);
}

static void fatal(void)
{
	struct {
		int32_t result;
		const char *message;
	} state = {999, "stub"};

	cupti->callback(6, 1, &state);
}

static int pass(const char *path)
{
	FILE *file = fopen(path, "r");
	const char *wrong = getenv("STUB_CUPTI");
	char *line = NULL;
	size_t size = 0;
	long count = 0;

	if (!file) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		return 1;
	}
	while (getline(&line, &size, file) > 0) {
		char *rest = line + strcspn(line, " ");

		*rest++ = 0;
		if (dry)
			answer(line, rest);
		else
			tell(line, rest);
		if (!dry && wrong && strstr(wrong, "fatal") && ++count == 200)
			fatal();
	}
	free(line);
	fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	/* The tool finds it loaded, as in a program that brings its own. */
	void *library = dlopen(STUB_CUPTI, RTLD_LAZY);
	const struct stub_cupti *(*get)(void) = NULL;
	long rounds = argc > 2 ? atol(argv[2]) : 1;

	if (argc < 2)
		return 2;
	if (library)
		*(void **)&get = dlsym(library, "stub_cupti_get");
	if (!get) {
		fprintf(stderr, "replay: no stub CUPTI: %s\n", dlerror());
		return 2;
	}
	cupti = get();
	cuda = stub_cuda_get();
	dry = true;
	if (pass(argv[1]))
		return 1;
	dry = false;
	cuInit(0);
	inject("");
	for (long i = 0; i < rounds; i++)
		if (pass(argv[1]))
			return 1;
	if (argc > 3 && strcmp(argv[3], "return")) {
		nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
		if (!strcmp(argv[3], "_exit"))
			_exit(0);
		raise(SIGKILL);
	}
	return 0;
}
