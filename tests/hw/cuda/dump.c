/* SPDX-License-Identifier: MIT */
/* An injected library that writes down all that CUPTI tells, as text, for the stub
 * CUPTI of the tests to tell again on machines without a GPU (tests/stubs/cuda):
 *
 *	CUDA_INJECTION64_PATH=./libdump.so DUMP=overlap.replay ./overlap
 *
 * Lines:
 *	device N NAME | memory N BYTES | attribute N ID VALUE | driver VERSION
 *	cupti VERSION
 *	context POINTER ID DEVICE
 *	stream CONTEXT POINTER PER_THREAD ID
 *	call SITE DOMAIN CBID FUNCTION CORRELATION CONTEXT ID SYMBOL RESULT ARGUMENTS
 *	behind ADDRESS BYTES       what lay behind the next call's pointers
 *	resource ID CONTEXT STREAM | module ID BYTES
 *	activity BYTES NAME        a record; NAME replaces its pointer to one
 * Bytes are in hexadecimal, an empty word is `-`. */
#define _GNU_SOURCE
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define ARGUMENT_BYTES 96
#define BEHIND_BYTES 64

static FILE *out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_SubscriberHandle subscriber;
static CUcontext known[64];
static int known_count;
static __thread int inside;

static void put_bytes(const void *data, size_t bytes)
{
	const unsigned char *at = data;

	while (bytes--)
		fprintf(out, "%02x", *at++);
}

static size_t read_behind(const void *address, void *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)address, bytes};
	ssize_t done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	return done > 0 ? (size_t)done : 0;
}

static void stream_known(CUcontext context, CUstream stream, int per_thread)
{
	uint32_t id;

	if (!cuptiGetStreamIdEx(context, stream, (uint8_t)per_thread, &id))
		fprintf(out, "stream %p %p %d %u\n", (void *)context, (void *)stream, per_thread,
			id);
}

static void context_known(CUcontext context)
{
	uint32_t id = 0, device = 0;

	for (int i = 0; i < known_count; i++)
		if (known[i] == context)
			return;
	if (known_count == 64)
		return;
	known[known_count++] = context;
	cuptiGetContextId(context, &id);
	cuptiGetDeviceId(context, &device);
	fprintf(out, "context %p %u %u\n", (void *)context, id, device);
	stream_known(context, NULL, 0);
	stream_known(context, NULL, 1);
}

static void devices(void)
{
	static const int attributes[] = {1, 8, 10, 12, 13, 16, 39, 75, 76, 81, 82, 97, 106, 111};
	int count = 0, version = 0;
	uint32_t cupti = 0;

	cuptiGetVersion(&cupti);
	cuDriverGetVersion(&version);
	cuDeviceGetCount(&count);
	fprintf(out, "cupti %u\ndriver %d\n", cupti, version);
	for (int i = 0; i < count; i++) {
		CUdevice device;
		char name[256];
		size_t bytes = 0;

		cuDeviceGet(&device, i);
		cuDeviceGetName(name, sizeof(name), device);
		cuDeviceTotalMem(&bytes, device);
		for (char *c = name; *c; c++)
			if (*c == ' ')
				*c = '_';
		fprintf(out, "device %d %s\nmemory %d %zu\n", i, name, i, bytes);
		for (size_t a = 0; a < sizeof(attributes) / sizeof(attributes[0]); a++) {
			int value = 0;

			cuDeviceGetAttribute(&value, (CUdevice_attribute)attributes[a], device);
			fprintf(out, "attribute %d %d %d\n", i, attributes[a], value);
		}
	}
}

/* Unified memory, once there is a context. */
static void unified(void)
{
	static const int kinds[] = {1, 2, 3, 4, 8};
	CUpti_ActivityUnifiedMemoryCounterConfig config[5];

	for (int i = 0; i < 5; i++) {
		config[i].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
		config[i].kind = (CUpti_ActivityUnifiedMemoryCounterKind)kinds[i];
		config[i].deviceId = 0;
		config[i].enable = 1;
	}
	if (!cuptiActivityConfigureUnifiedMemoryCounter(config, 5))
		cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

/* Answers that programs ask for by the hundred: they tell a test nothing new. */
static int is_left_out(const char *function)
{
	static const char *const names[] = {
		"cuDeviceGetAttribute", "cuGetProcAddress", "cuGetExportTable", "cuKernelGetName",
		"cuCtxGetCurrent",	"cuCtxSetCurrent",  "cuCtxGetDevice"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(function, names[i], strlen(names[i])))
			return 1;
	return 0;
}

/* Whether a tool looks behind the pointers of this function's arguments. */
static int is_looked_behind(const char *function)
{
	static const char *const words[] = {"MemAlloc",	   "MemHostAlloc",  "MemCreate",
					    "ArrayCreate", "Array3DCreate", "LaunchKernelEx",
					    "GetKernel",   "GetFunction"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(function, words[i]))
			return 1;
	return 0;
}

static void call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	unsigned char arguments[ARGUMENT_BYTES] = {0}, behind[BEHIND_BYTES];
	static int said;
	int launch = strstr(data->functionName, "LaunchKernel") != NULL;

	/* Not in the driver's own calls: some come while the context is being made,
	 * and CUPTI asked of it then crashes. */
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && data->callbackSite == CUPTI_API_EXIT &&
	    data->context) {
		if (!said)
			devices();
		if (!said && getenv("DUMP_UM"))
			unified();
		said = 1;
		context_known(data->context);
	}
	if (is_left_out(data->functionName))
		return;
	if (data->functionParams)
		read_behind(data->functionParams, arguments, sizeof(arguments));
	for (size_t i = 0; is_looked_behind(data->functionName) && i < sizeof(arguments); i += 8) {
		void *pointer;
		size_t bytes;

		memcpy(&pointer, arguments + i, sizeof(pointer));
		bytes = (uintptr_t)pointer > 65536 ? read_behind(pointer, behind, sizeof(behind))
						   : 0;
		if (!bytes)
			continue;
		fprintf(out, "behind %p ", pointer);
		put_bytes(behind, bytes);
		fputc('\n', out);
	}
	fprintf(out, "call %d %d %u %s %u %p %u %s %d ", data->callbackSite, domain, id,
		data->functionName, data->correlationId, (void *)data->context, data->contextUid,
		launch && data->symbolName ? data->symbolName : "-",
		data->callbackSite == CUPTI_API_EXIT && data->functionReturnValue
			? *(int *)data->functionReturnValue
			: 0);
	put_bytes(arguments, sizeof(arguments));
	fputc('\n', out);
}

static void resource(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
	/* "The driver has been initialised" comes without data. */
	const CUpti_ModuleResourceData *module = data ? data->resourceDescriptor : NULL;

	if (!data)
		return;
	if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED && module) {
		fprintf(out, "module %u %zu\n", module->moduleId, module->cubinSize);
	} else if (id == CUPTI_CBID_RESOURCE_STREAM_CREATED ||
		   id == CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING) {
		if (id == CUPTI_CBID_RESOURCE_STREAM_CREATED)
			stream_known(data->context, data->resourceHandle.stream, 0);
		fprintf(out, "resource %u %p %p\n", id, (void *)data->context,
			(void *)data->resourceHandle.stream);
	}
}

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			    const void *data)
{
	(void)user;
	if (inside)
		return;
	inside = 1;
	pthread_mutex_lock(&lock);
	if (domain == CUPTI_CB_DOMAIN_RESOURCE)
		resource(id, data);
	else
		call(domain, id, data);
	pthread_mutex_unlock(&lock);
	inside = 0;
}

static void CUPTIAPI requested(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = malloc(1 << 16);
	*bytes = 1 << 16;
	*most = 0;
}

static void activity(CUpti_Activity *record, size_t bytes)
{
	const char *name = NULL;

	if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
		name = ((CUpti_ActivityKernel10 *)record)->name;
	fputs("activity ", out);
	put_bytes(record, bytes);
	fprintf(out, " %s\n", name ? name : "-");
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
			       size_t valid)
{
	CUpti_Activity *record = NULL, *last = NULL;

	(void)context;
	(void)stream;
	(void)bytes;
	pthread_mutex_lock(&lock);
	while (!cuptiActivityGetNextRecord(buffer, valid, &record)) {
		if (last)
			activity(last, (size_t)((char *)record - (char *)last));
		last = record;
	}
	if (last)
		activity(last, (size_t)(buffer + valid - (uint8_t *)last));
	pthread_mutex_unlock(&lock);
	free(buffer);
}

static void finish(void)
{
	cuptiActivityFlushAll(1);
	pthread_mutex_lock(&lock);
	fflush(out);
}

int InitializeInjection(void);

int InitializeInjection(void)
{
	static const int kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
				    CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
				    CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_OVERHEAD};
	const char *path = getenv("DUMP");

	out = path ? fopen(path, "w") : NULL;
	if (out)
		setlinebuf(out);
	if (!out || cuptiSubscribe(&subscriber, called, NULL))
		return 1;
	cuptiActivityRegisterCallbacks(requested, completed);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		cuptiActivityEnable(kinds[i]);
	if (getenv("DUMP_EXTERNAL")) {
		cuptiActivityEnable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
		cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER);
		cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
	}
	cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
	cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
	cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE);
	atexit(finish);
	return 1;
}
