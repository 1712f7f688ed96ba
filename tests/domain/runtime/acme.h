/* SPDX-License-Identifier: MIT */
/* A made-up runtime: ten functions, queues of a device with a clock of its own. */
#ifndef ACME_H
#define ACME_H

#include <stdint.h>

enum acm_status { ACM_OK = 0, ACM_BUSY = 1, ACM_BAD_HANDLE = -1, ACM_NO_MEMORY = -2 };

typedef struct acm_queue *acm_queue_t;

int acmInit(void);
int acmQueueCreate(acm_queue_t *queue);
int acmQueueDestroy(acm_queue_t queue);
int acmAlloc(uint64_t bytes, void **memory);
int acmFree(void *memory);
int acmCopy(acm_queue_t queue, void *to, const void *from, uint64_t bytes, int blocking);
int acmLaunch(acm_queue_t queue, const char *kernel, uint64_t items);
int acmQueueWait(acm_queue_t queue);
int acmQueueQuery(acm_queue_t queue); /* ACM_OK: it is empty */
const char *acmErrorName(int status);

#endif
