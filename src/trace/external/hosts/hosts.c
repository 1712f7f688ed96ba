/* SPDX-License-Identifier: MIT */
#include "trace/external/hosts/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/order/compare.h"

static void host_join(struct hosts *hosts, size_t place)
{
	struct host *host = &hosts->list[place];

	host->towards = 0;
	host->clock = place ? TRACE_HOST_TIME_OF_DAY : TRACE_HOST_OWN;
	host->moved_ns = (int64_t)(host->offset_ns - hosts->list[0].offset_ns);
	for (size_t i = 0; *host->boot_id && i < place; i++) {
		const struct host *other = &hosts->list[i];

		if (strcmp(other->boot_id, host->boot_id))
			continue;
		/* One kernel, so one clock: containers. */
		host->towards = i;
		host->clock = TRACE_HOST_SAME_BOOT;
		host->moved_ns = other->moved_ns;
		return;
	}
}

static size_t host_place(const struct hosts *hosts, const char *name, const char *boot_id)
{
	size_t place = 0;

	while (place < hosts->count && (strcmp(hosts->list[place].name, name) ||
					strcmp(hosts->list[place].boot_id, boot_id)))
		place++;
	return place;
}

size_t hosts_get(struct hosts *hosts, const char *name, const char *boot_id, uint64_t offset_ns)
{
	size_t place = host_place(hosts, name, boot_id);
	struct host host = {.offset_ns = offset_ns};

	if (place < hosts->count)
		return place;
	host.name = strdup(name);
	host.boot_id = strdup(boot_id);
	if (place == TRACE_HOSTS_MOST || !host.name || !host.boot_id ||
	    array_reserve(&hosts->list, &hosts->capacity, hosts->count + 1, sizeof(host))) {
		free(host.name);
		free(host.boot_id);
		return SIZE_MAX;
	}
	hosts->list[hosts->count++] = host;
	host_join(hosts, place);
	return place;
}

/* The one that was booted first has the greatest times: none of others is below 0 on its
 * clock. */
static int by_offset(const void *a, const void *b)
{
	const struct host *left = a, *right = b;

	return COMPARE(left->offset_ns, right->offset_ns) ?: strcmp(left->name, right->name);
}

int hosts_find(struct hosts *hosts, const struct trace_folders *folders)
{
	*hosts = (struct hosts){.count = 0};
	for (size_t i = 0; i < folders->count; i++) {
		const struct trace_folder *folder = &folders->list[i];
		size_t place;

		if (!folder->kernel && !folder->ours)
			continue;
		place = hosts_get(hosts, folder->host, folder->boot_id, folder->offset_ns);
		if (place == SIZE_MAX) {
			hosts_free(hosts);
			return -ENOMEM;
		}
		hosts->list[place].kernel |= folder->kernel;
		hosts->list[place].ours |= folder->ours;
	}
	if (hosts->count)
		qsort(hosts->list, hosts->count, sizeof(*hosts->list), by_offset);
	for (size_t i = 0; i < hosts->count; i++)
		host_join(hosts, i);
	return 0;
}

/* Where the fit has no answer, the time of day has one, of which nobody knows how right it is. */
static int64_t fitted_ns(const struct host *host, const struct host *towards, int64_t ns,
			 uint64_t *bound_ns)
{
	int64_t found;

	if (host->fit && !clockfit_to_host(host->fit, ns, &found, bound_ns))
		return found;
	*bound_ns = CLOCKFIT_UNBOUNDED;
	return (int64_t)((uint64_t)ns + host->offset_ns - towards->offset_ns);
}

uint64_t hosts_ns(const struct hosts *hosts, size_t host, uint64_t ns, uint64_t *bound_ns)
{
	int64_t at = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
	uint64_t sum_ns = 0;

	while (host && host < hosts->count) {
		const struct host *from = &hosts->list[host];
		uint64_t own_ns = 0;

		if (from->clock != TRACE_HOST_SAME_BOOT)
			at = fitted_ns(from, &hosts->list[from->towards], at, &own_ns);
		sum_ns =
			own_ns > CLOCKFIT_UNBOUNDED - sum_ns ? CLOCKFIT_UNBOUNDED : sum_ns + own_ns;
		host = from->towards;
	}
	*bound_ns = sum_ns;
	return at < 0 ? 0 : (uint64_t)at;
}

static void note_shown(struct host *host, uint64_t ns)
{
	if (!host->shown_last_ns || ns < host->shown_first_ns)
		host->shown_first_ns = ns;
	if (ns > host->shown_last_ns)
		host->shown_last_ns = ns;
}

uint64_t hosts_use(struct hosts *hosts, size_t host, uint64_t ns)
{
	uint64_t bound_ns, at = hosts_ns(hosts, host, ns, &bound_ns);

	if (host < hosts->count)
		note_shown(&hosts->list[host], ns);
	if (host < hosts->count && bound_ns > hosts->list[host].bound_ns &&
	    hosts->list[host].clock != TRACE_HOST_TIME_OF_DAY)
		hosts->list[host].bound_ns = bound_ns;
	return at;
}

/* Containers have one clock. */
static bool has_clock_of(const struct hosts *hosts, size_t one, size_t host)
{
	return one == host ||
	       (hosts->list[one].clock == TRACE_HOST_SAME_BOOT && hosts->list[one].towards == host);
}

/* Any of those that have its clock may have said how right it is. */
static uint64_t time_bound(const struct hosts *hosts, size_t host, bool *unsynchronised)
{
	uint64_t bound_ns = CLOCKFIT_UNBOUNDED, first_ns = UINT64_MAX, last_ns = 0;

	for (size_t i = host; i < hosts->count; i++) {
		const struct host *one = &hosts->list[i];

		if (!has_clock_of(hosts, i, host))
			continue;
		*unsynchronised |= one->time.unsynchronised;
		if (one->shown_last_ns && one->shown_first_ns < first_ns)
			first_ns = one->shown_first_ns;
		if (one->shown_last_ns > last_ns)
			last_ns = one->shown_last_ns;
	}
	for (size_t i = host; i < hosts->count && !*unsynchronised; i++) {
		uint64_t own_ns = host_time_bound(&hosts->list[i].time, first_ns, last_ns);

		if (has_clock_of(hosts, i, host) && own_ns < bound_ns)
			bound_ns = own_ns;
	}
	return bound_ns;
}

enum trace_host_clock hosts_clock(const struct hosts *hosts, size_t host, uint64_t *bound_ns)
{
	const struct host *from = &hosts->list[host];
	bool unsynchronised = false;
	uint64_t first_ns, own_ns;

	*bound_ns = from->bound_ns;
	if (from->clock == TRACE_HOST_SAME_BOOT &&
	    hosts->list[from->towards].clock == TRACE_HOST_TIME_OF_DAY)
		return hosts_clock(hosts, from->towards, bound_ns);
	if (from->clock != TRACE_HOST_TIME_OF_DAY)
		return from->clock;
	own_ns = time_bound(hosts, host, &unsynchronised);
	first_ns = time_bound(hosts, 0, &unsynchronised);
	*bound_ns = own_ns > CLOCKFIT_UNBOUNDED - first_ns ? CLOCKFIT_UNBOUNDED : own_ns + first_ns;
	if (unsynchronised)
		return TRACE_HOST_UNSYNCHRONISED;
	return *bound_ns == CLOCKFIT_UNBOUNDED ? TRACE_HOST_TIME_OF_DAY : TRACE_HOST_SYNCHRONISED;
}

void hosts_free(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++) {
		free(hosts->list[i].name);
		free(hosts->list[i].boot_id);
		clockfit_destroy(hosts->list[i].fit);
	}
	free(hosts->list);
	*hosts = (struct hosts){.count = 0};
}
