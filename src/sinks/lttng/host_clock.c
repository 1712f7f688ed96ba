/* SPDX-License-Identifier: MIT */
#include "sinks/lttng/host_clock.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "schema/gen/core_records.h"
#include "sinks/lttng/provider.h"
#include "sinks/lttng/write.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_BYTES 36u
#define HOST_BYTES 64u

struct message {
	struct tandem_rec_host_clock record;
	char text[HOST_BYTES + BOOT_BYTES];
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t boot_id_read(char *text)
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t count = fd < 0 ? 0 : read(fd, text, BOOT_BYTES);

	if (fd >= 0)
		close(fd);
	return count > 0 ? (size_t)count : 0;
}

/* linux/timex.h: the frequency has 16 bits behind the point, in ppm. */
static int64_t frequency_ppb(long frequency)
{
	return (int64_t)frequency * 1000 / 65536;
}

void lttng_host_clock_write(void)
{
	struct lttng_event *event = lttng_event_get(TANDEM_EVENT_host_clock, LTTNG_ENTRY);
	struct timex kernel = {.modes = 0};
	struct message message;
	struct tandem_rec_host_clock *record = &message.record;
	char host[HOST_BYTES + 1] = "";
	int state;

	if (!event || !lttng_event_is_enabled(event))
		return;
	state = adjtimex(&kernel);
	if (state < 0)
		return;
	memset(&message, 0, sizeof(message));
	record->begin = clock_ns(CLOCK_MONOTONIC);
	record->realtime_ns = clock_ns(CLOCK_REALTIME);
	record->until = clock_ns(CLOCK_MONOTONIC);
	record->max_error_ns = kernel.maxerror > 0 ? (uint64_t)kernel.maxerror * 1000 : 0;
	record->frequency_ppb = frequency_ppb(kernel.freq);
	record->status = (uint32_t)kernel.status;
	record->state = (uint32_t)state;
	gethostname(host, HOST_BYTES);
	record->host_count = (uint16_t)strlen(host);
	memcpy(message.text, host, record->host_count);
	record->boot_id_count = (uint16_t)boot_id_read(message.text + record->host_count);
	lttng_event_write(event, (const uint8_t *)record + sizeof(record->head),
			  sizeof(*record) - sizeof(record->head) + record->host_count +
				  record->boot_id_count);
}
