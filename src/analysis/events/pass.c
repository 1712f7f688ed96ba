/* SPDX-License-Identifier: MIT */
#include "analysis/events/pass.h"

#include <errno.h>
#include <string.h>

void pass_init(struct pass *pass, struct trace_session *session, const struct progress *progress)
{
	memset(pass, 0, sizeof(*pass));
	pass->session = session;
	pass->progress = progress;
	pass->range = RANGE_WHOLE;
}

void pass_join(struct pass *pass, const struct pass_consumer *consumer, void *user)
{
	pass->consumers[pass->count].consumer = consumer;
	pass->consumers[pass->count].item = consumer->item;
	pass->consumers[pass->count++].user = user;
}

static int begin_all(struct pass *pass)
{
	int status = 0;

	pass->iterator.memory.range = pass->range;
	for (unsigned i = 0; !status && i < pass->count; i++) {
		const struct pass_consumer *consumer = pass->consumers[i].consumer;

		if (consumer->begin)
			status = consumer->begin(pass->consumers[i].user, pass);
	}
	return status;
}

static inline int take_waits(struct waits *waits, const struct event_item *item)
{
	if (item->kind == ITEM_CALL)
		return waits_call(waits, item->event);
	return item->system ? waits_kernel(waits, item->event) : 0;
}

static int read_all(struct pass *pass)
{
	struct waits *waits =
		pass->with_waits && pass->waits.any && !pass->waits_beside ? &pass->waits : NULL;
	int (*first)(void *user, const struct event_item *item) = pass->consumers[0].item;
	void *first_user = pass->consumers[0].user;
	unsigned count = pass->count;
	const struct event_item *item;
	int status;

	while ((status = event_iterator_next(&pass->iterator, &item)) > 0) {
		if (waits && take_waits(waits, item))
			return -ENOMEM;
		status = first(first_user, item);
		for (unsigned i = 1; __builtin_expect(i < count && !status, 0); i++)
			status = pass->consumers[i].item(pass->consumers[i].user, item);
		if (status)
			return status;
	}
	return status;
}

static int end_all(struct pass *pass)
{
	int status = 0;

	if (!(pass->flags & EVENT_PLACED))
		status = clock_sync_finish(&pass->iterator.clock_sync);
	if (!status && pass->with_waits && pass->waits.any && !pass->waits_beside)
		status = waits_settle(&pass->waits);
	for (unsigned i = 0; !status && i < pass->count; i++) {
		const struct pass_consumer *consumer = pass->consumers[i].consumer;

		if (consumer->end)
			status = consumer->end(pass->consumers[i].user, pass);
	}
	return status;
}

static int run_open(struct pass *pass)
{
	int status = begin_all(pass);

	if (!status)
		status = read_all(pass);
	if (!status)
		status = end_all(pass);
	return status;
}

static void free_consumers(struct pass *pass)
{
	for (unsigned i = 0; i < pass->count; i++)
		pass->consumers[i].consumer->free(pass->consumers[i].user);
	pass->count = 0;
}

/* With the waits. */
static int run(struct pass *pass)
{
	int status = event_iterator_open_with(&pass->iterator, pass->session, pass->flags,
					      pass->progress);

	if (status)
		return status;
	status = run_open(pass);
	/* They borrow from it. */
	free_consumers(pass);
	event_iterator_close(&pass->iterator);
	return status;
}

int pass_run(struct pass *pass, int status)
{
	if (!status && pass->with_waits)
		status = waits_init(&pass->waits, pass->session);
	if (!status) {
		pass->waits.range = pass->range;
		pass->waits.states.counted = pass->range;
		status = run(pass);
		if (pass->with_waits)
			waits_free(&pass->waits);
	}
	free_consumers(pass);
	return status;
}

int pass_run_alone(struct pass *pass, int status, struct error *error)
{
	status = pass_run(pass, status);
	if (status)
		error_add(error, status, "%s: %s", pass->session->path, strerror(-status));
	return status;
}
