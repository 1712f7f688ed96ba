/* SPDX-License-Identifier: MIT */
/* The least that recording kernels costs: an injected library that has CUPTI
 * deliver kernel records and throws them away. FLOOR=api adds empty callbacks of
 * the runtime API, FLOOR=calls only these. */
#include <cupti.h>
#include <stdlib.h>
#include <string.h>

static void CUPTIAPI requested(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = malloc(1 << 16);
	*bytes = 1 << 16;
	*most = 0;
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
			       size_t valid)
{
	(void)context;
	(void)stream;
	(void)bytes;
	(void)valid;
	free(buffer);
}

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			    const void *data)
{
	(void)user;
	(void)domain;
	(void)id;
	(void)data;
}

int InitializeInjection(void);

int InitializeInjection(void)
{
	const char *what = getenv("FLOOR");
	CUpti_SubscriberHandle subscriber;

	if (what && !cuptiSubscribe(&subscriber, called, NULL)) {
		cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
		if (strstr(what, "driver"))
			cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
	}
	if (!what || !strstr(what, "calls")) {
		cuptiActivityRegisterCallbacks(requested, completed);
		cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	}
	return 1;
}
