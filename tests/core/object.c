/* SPDX-License-Identifier: MIT */
/* Numbers of objects: unique, stable, found again; by many threads at once. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/control.h"
#include "core/object.h"
#include "core/pool.h"
#include "session.h"

#define THREADS 8
#define EACH 20000

static void *handle(unsigned i)
{
	return (void *)(uintptr_t)(0x7f0000000000u + 16u * i);
}

static void *assign_many(void *first)
{
	for (unsigned i = 0; i < EACH; i++) {
		unsigned n = *(unsigned *)first + i;
		uint32_t number = tandem_object_assign(TANDEM_KIND(opencl, kernel), handle(n));

		CHECK(number == tandem_object_number(TANDEM_KIND(opencl, kernel), handle(n)));
		tandem_event_assign(TANDEM_KIND(opencl, event), handle(n), n + 1);
		CHECK(tandem_event_op(TANDEM_KIND(opencl, event), handle(n)) == n + 1);
	}
	return NULL;
}

static void numbers(void)
{
	static unsigned char seen[THREADS * EACH + 1];
	pthread_t threads[THREADS];
	unsigned first[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		first[i] = i * EACH;
		pthread_create(&threads[i], NULL, assign_many, &first[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned n = 0; n < THREADS * EACH; n++) {
		uint32_t number = tandem_object_find(TANDEM_KIND(opencl, kernel), handle(n));

		CHECK(number && number <= THREADS * EACH && !seen[number]);
		seen[number] = 1;
		CHECK(tandem_event_op(TANDEM_KIND(opencl, event), handle(n)) == n + 1);
		CHECK(!tandem_object_find(TANDEM_KIND(opencl, queue), handle(n)));
	}
}

static void meanings(void)
{
	uint32_t one = tandem_object_assign(TANDEM_KIND(opencl, queue), handle(1));

	/* A handle given out again is a new object. */
	CHECK(tandem_object_assign(TANDEM_KIND(opencl, queue), handle(1)) == one + 1);
	CHECK(tandem_object_number(TANDEM_KIND(opencl, queue), handle(1)) == one + 1);
	/* Other types are other objects. */
	CHECK(tandem_object_assign(TANDEM_KIND(opencl, context), handle(1)) == 1);
	CHECK(tandem_object_number(TANDEM_KIND(opencl, queue), handle(1)) == one + 1);
	/* Another runtime's object at the same address is another, of a number of its own. */
	CHECK(!tandem_object_find(TANDEM_KIND(cuda, queue), handle(1)));
	CHECK(tandem_object_assign(TANDEM_KIND(cuda, queue), handle(1)) == one + 2);
	CHECK(tandem_object_number(TANDEM_KIND(opencl, queue), handle(1)) == one + 1);
	tandem_event_assign(TANDEM_KIND(cuda, event), handle(9), 7);
	CHECK(tandem_event_op(TANDEM_KIND(opencl, event), handle(9)) == TANDEM_OP_UNKNOWN);
	/* Null is 0, a stranger gets a number. */
	CHECK(tandem_object_number(TANDEM_KIND(opencl, queue), NULL) == 0);
	CHECK(tandem_object_number(TANDEM_KIND(opencl, memory), handle(2)) == 1);
	CHECK(tandem_event_op(TANDEM_KIND(opencl, event), NULL) == 0);
	CHECK(tandem_event_op(TANDEM_KIND(opencl, event), handle(3)) == TANDEM_OP_UNKNOWN);
	tandem_event_assign(TANDEM_KIND(opencl, event), handle(3), 5 | TANDEM_EVENT_HELD);
	CHECK(tandem_event_op(TANDEM_KIND(opencl, event), handle(3)) == 5 &&
	      tandem_event_held(TANDEM_KIND(opencl, event), handle(3)));
	tandem_object_forget(TANDEM_KIND(opencl, queue), handle(1));
	CHECK(!tandem_object_find(TANDEM_KIND(opencl, queue), handle(1)));
	/* After a resume nothing that was said before holds. */
	atomic_fetch_add(&tandem_control.statedump, 1);
	CHECK(!tandem_object_find(TANDEM_KIND(opencl, context), handle(1)));
	CHECK(tandem_object_number(TANDEM_KIND(opencl, context), handle(1)) == 2);
}

/* Every address has its own key in every kind of handle. */
static void kinds(void)
{
	static const uint64_t handles[] = {16, 0x5581a0, 0x7f1234567890, ((uint64_t)1 << 52) - 8};
	struct tandem_kind kind;

	for (unsigned domain = 0; domain < TANDEM_DOMAINS; domain++) {
		for (unsigned type = 0; type < TANDEM_KIND_TYPES; type++) {
			kind = tandem_kind(domain, type);
			CHECK(tandem_kind_domain(kind) == domain);
			CHECK(tandem_kind_type(kind) == type);
			for (unsigned i = 0; i < sizeof(handles) / sizeof(*handles); i++)
				CHECK((handles[i] ^ kind.bits) >> TANDEM_KIND_SHIFT ==
				      domain * TANDEM_KIND_TYPES + type);
		}
	}
}

struct item {
	void *next;
	_Atomic int users;
	char rest[40];
};

static struct tandem_pool pool = TANDEM_POOL(sizeof(struct item));

static void *take_and_give(void *unused)
{
	struct item *mine[50];

	(void)unused;
	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < 50; i++) {
			mine[i] = tandem_pool_take(&pool);
			CHECK(mine[i] && atomic_fetch_add(&mine[i]->users, 1) == 0);
		}
		for (int i = 0; i < 50; i++) {
			CHECK(atomic_fetch_sub(&mine[i]->users, 1) == 1);
			tandem_pool_give(&pool, mine[i]);
		}
	}
	return NULL;
}

/* Nobody holds what another holds. */
static void pools(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, take_and_give, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	struct session_test session;

	session_test_child(argc, argv);
	kinds();
	CHECK(session_test_run(&session, 65536, 0, numbers) == 0);
	CHECK(session_test_run(&session, 65536, 0, meanings) == 0);
	CHECK(session_test_run(&session, 65536, 0, pools) == 0);
	return session_test_failures ? 1 : 0;
}
