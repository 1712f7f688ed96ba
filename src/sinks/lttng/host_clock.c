/* SPDX-License-Identifier: MIT */
#include "sinks/lttng/host_clock.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "schema/gen/core_records.h"
#include "sinks/lttng/provider.h"
#include "sinks/lttng/write.h"
#include "util/counter.h"
#include "util/system.h"
#include "util/time_of_day.h"

#define BOOT_BYTES 37u
#define HOST_BYTES 64u

struct message {
	struct tandem_rec_host_clock record;
	char text[HOST_BYTES + BOOT_BYTES];
};

void lttng_host_clock_write(void)
{
	struct lttng_event *event = lttng_event_get(TANDEM_EVENT_host_clock, LTTNG_ENTRY);
	struct time_of_day time;
	struct message message;
	struct tandem_rec_host_clock *record = &message.record;
	char host[HOST_BYTES + 1] = "";
	long boot_bytes;

	if (!event || !lttng_event_is_enabled(event) || !time_of_day_read(&time))
		return;
	memset(&message, 0, sizeof(message));
	record->begin = counter_clock_ns(CLOCK_MONOTONIC);
	record->realtime_ns = counter_clock_ns(CLOCK_REALTIME);
	record->until = counter_clock_ns(CLOCK_MONOTONIC);
	record->max_error_ns = time.max_error_ns;
	record->frequency_ppb = time.frequency_ppb;
	record->status = time.status;
	record->state = time.state;
	gethostname(host, HOST_BYTES);
	record->host_count = (uint16_t)strlen(host);
	memcpy(message.text, host, record->host_count);
	boot_bytes =
		system_read_text(SYSTEM_BOOT_ID, message.text + record->host_count, BOOT_BYTES);
	record->boot_id_count = (uint16_t)(boot_bytes > 0 ? boot_bytes : 0);
	lttng_event_write(event, (const uint8_t *)record + sizeof(record->head),
			  sizeof(*record) - sizeof(record->head) + record->host_count +
				  record->boot_id_count);
}
