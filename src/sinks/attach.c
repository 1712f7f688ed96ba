/* SPDX-License-Identifier: MIT */
/* Which sinks there are, and what they want (sinks/sink.h). */
#include <errno.h>
#include <sched.h>

#include "core/control.h"
#include "core/domain.h"
#include "core/lifetime.h"
#include "core/local.h"
#include "core/process.h"
#include "core/stream/stream_threads.h"
#include "core/ticks.h"
#include "schema/schema.h"
#include "sinks/sink.h"
#include "sinks/tap.h"
#include "sinks/wanted.h"

#define PAGE_WORDS (TANDEM_PAGE_EVENTS / 64)

static void lock(void)
{
	while (atomic_flag_test_and_set(&sinks_changing))
		sched_yield();
}

static void unlock(void)
{
	atomic_flag_clear(&sinks_changing);
}

/* The domains that somebody here wants, for the word that every call looks at, and whether
 * it wants device times. The caller uses a tap, or holds the sink in question. */
static void domains_update(void)
{
	uint64_t domains = 0;
	bool operations = false;

	lock();
	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		uint64_t wanted = atomic_load(&sink_slots[i].domains);

		domains |= wanted;
		operations |= wanted & TANDEM_DOMAIN_BIT(core);
	}
	tandem_local_begin();
	tandem_control_want(domains & ~TANDEM_DOMAIN_BIT(core), operations);
	unlock();
	domains_switched();
}

/* Stamps cost two readings of the clock a call: none, where nobody would read them. */
static void stamps_update(void)
{
	bool unstamped = tandem_local || (tandem_control.external && !tandem_control.ring_bytes);

	lock();
	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		const struct tandem_sink *sink = atomic_load(&sink_slots[i].sink);

		unstamped &= !sink || sink->unstamped;
	}
	__atomic_store_n(&tandem_calls_unstamped, unstamped, __ATOMIC_RELAXED);
	unlock();
}

/* The slot that the sink has got; TANDEM_SINKS: there is none. */
static uint32_t slot_take(struct tandem_sink *sink)
{
	uint32_t i;

	for (i = 0; i < TANDEM_SINKS; i++) {
		struct tandem_sink *none = NULL;

		if (atomic_compare_exchange_strong(&sink_slots[i].sink, &none, sink))
			break;
	}
	return i;
}

int tandem_sink_attach(struct tandem_sink *sink)
{
	uint32_t i;

	for (i = 0; i < TANDEM_SINKS; i++)
		if (atomic_load(&sink_slots[i].sink) == sink)
			return -EEXIST;
	taps_begin();
	tandem_lifetime_watch_forks();
	/* Before anybody finds it: a thread that still serves one which had its place may call it,
	 * and what it calls is to ask. */
	tandem_threads_ask(true);
	i = slot_take(sink);
	if (i == TANDEM_SINKS) {
		tandem_threads_ask(false);
		return -ENOSPC;
	}
	/* Before anything is given to it. */
	stamps_update();
	atomic_fetch_add(&sink_slots[i].generation, 1);
	lock();
	if (atomic_load(&sink_slots[i].sink) == sink)
		wanted_set(i, sink);
	unlock();
	atomic_store(&sink_slots[i].domains, atomic_load(&sink->domains));
	atomic_fetch_or(&sinks_attached, 1u << i);
	tandem_process_describe_again();
	domains_update();
	return 0;
}

/* What it wants is taken back before another may have its slot. */
static bool slot_free(uint32_t i, struct tandem_sink *sink)
{
	bool mine;

	lock();
	mine = atomic_load(&sink_slots[i].sink) == sink;
	if (mine) {
		wanted_set(i, NULL);
		atomic_store(&sink_slots[i].sink, NULL);
	}
	unlock();
	return mine;
}

int tandem_sink_remove(struct tandem_sink *sink)
{
	for (uint32_t i = 0; i < TANDEM_SINKS; i++) {
		if (!slot_free(i, sink))
			continue;
		atomic_store(&sink_slots[i].domains, 0);
		stamps_update();
		domains_update();
		atomic_fetch_and(&sinks_attached, ~(1u << i));
		tandem_threads_ask(false);
		return 0;
	}
	return -ENOENT;
}

int tandem_sink_detach(struct tandem_sink *sink)
{
	int error = tandem_sink_in_here() ? -EDEADLK : tandem_sink_remove(sink);

	return error ? error : tandem_sinks_wait(UINT64_MAX);
}

/* Whether any event of the domain is wanted, in whichever page of ids. */
static bool wants_any(struct tandem_sink *sink, unsigned domain)
{
	for (unsigned page = 0; page < TANDEM_PAGES; page++)
		for (uint32_t i = 0; tandem_pages[page].domain == domain && i < PAGE_WORDS; i++)
			if (atomic_load(&sink->events[page][i]))
				return true;
	return false;
}

/* The sink's words have changed. */
static void domain_update(struct tandem_sink *sink, unsigned domain)
{
	lock();
	for (uint32_t i = 0; i < TANDEM_SINKS; i++)
		for (unsigned page = 0; page < TANDEM_PAGES; page++)
			if (atomic_load(&sink_slots[i].sink) == sink &&
			    tandem_pages[page].domain == domain)
				wanted_set_page(i, sink, page);
	unlock();
	if (wants_any(sink, domain))
		atomic_fetch_or(&sink->domains, (uint64_t)1 << domain);
	else
		atomic_fetch_and(&sink->domains, ~((uint64_t)1 << domain));
	for (uint32_t i = 0; i < TANDEM_SINKS; i++)
		if (atomic_load(&sink_slots[i].sink) == sink &&
		    atomic_load(&sink_slots[i].domains) != atomic_load(&sink->domains)) {
			atomic_store(&sink_slots[i].domains, atomic_load(&sink->domains));
			domains_update();
		}
}

int tandem_sink_want_bits(struct tandem_sink *sink, unsigned domain, const uint64_t *bits,
			  uint32_t count)
{
	if (domain >= TANDEM_DOMAINS)
		return -EINVAL;
	for (unsigned page = 0; page < TANDEM_PAGES; page++) {
		uint32_t word = tandem_pages[page].place * PAGE_WORDS;

		if (tandem_pages[page].domain != domain)
			continue;
		for (uint32_t i = 0; i < PAGE_WORDS; i++, word++)
			atomic_store(&sink->events[page][i], word < count ? bits[word] : 0);
	}
	domain_update(sink, domain);
	return 0;
}

void tandem_sink_statedump(void)
{
	atomic_fetch_add(&tandem_session->statedump, 1);
	tandem_control_refresh();
}

void tandem_sink_refresh(void)
{
	tandem_control_refresh();
}

int tandem_sink_want(struct tandem_sink *sink, unsigned domain, uint32_t event, bool wanted)
{
	const struct tandem_domain *schema = tandem_domain_get(domain);
	uint64_t bit = event == TANDEM_SINK_ALL ? UINT64_MAX : (uint64_t)1 << (event % 64);

	if (domain >= TANDEM_DOMAINS ||
	    (event != TANDEM_SINK_ALL &&
	     event >= (schema ? schema->page_count : 1u) * TANDEM_PAGE_EVENTS))
		return -EINVAL;
	for (unsigned page = 0; page < TANDEM_PAGES; page++) {
		uint32_t word = tandem_pages[page].place * PAGE_WORDS;

		if (tandem_pages[page].domain != domain)
			continue;
		for (uint32_t i = 0; i < PAGE_WORDS; i++, word++) {
			if (event != TANDEM_SINK_ALL && event / 64 != word)
				continue;
			if (wanted)
				atomic_fetch_or(&sink->events[page][i], bit);
			else
				atomic_fetch_and(&sink->events[page][i], ~bit);
		}
	}
	domain_update(sink, domain);
	return 0;
}

void tandem_sink_flush(void)
{
	domains_at_flush();
}
