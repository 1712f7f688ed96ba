/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/copy_time.h"

#include "util/units.h"

void copy_time_add(struct copy_time *time, uint16_t api, uint64_t bytes, uint64_t ns)
{
	time->api = api;
	time->count++;
	time->bytes += bytes;
	time->ns += ns;
	if (ns > time->most_ns)
		time->most_ns = ns;
}

const char *copy_time_api(const struct copy_time *time, const struct findings *findings)
{
	const struct tandem_event *api = trace_session_event(findings->session, time->api);

	return api ? api->name : "";
}

const char *copy_time_words(const struct copy_time *time, struct findings *findings)
{
	const char *api = copy_time_api(time, findings);
	char each[UNITS_BYTES];

	units_bytes(each, time->count ? (double)time->bytes / (double)time->count : 0);
	return findings_text(findings, " (%s%smean %s)", api, *api ? ", " : "", each);
}
