/* SPDX-License-Identifier: MIT */
#include "recorder/session/clock.h"

#include "util/counter_check.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#if defined(__x86_64__) || defined(__i386__)

/* What the machine says of the counter's rate, or 0. The kernel's own figure
 * (the perf ring buffer's time_mult) would do, but the first perf event of a
 * machine costs milliseconds to open. */
static uint64_t counter_hz(const char **origin)
{
	unsigned eax = 0, ebx = 0, ecx = 0, edx, most = __get_cpuid_max(0, NULL);

	/* CPUID 15h: crystal's Hz, times EBX / EAX. */
	if (most >= 0x15)
		__cpuid(0x15, eax, ebx, ecx, edx);
	if (eax && ebx && ecx) {
		*origin = "CPUID leaf 15h";
		return (uint64_t)ecx * ebx / eax;
	}
	/* The hypervisors' leaf of timing: kHz of the counter in EAX. Each question takes a
	 * hypervisor 4 us to answer. */
	if (most)
		__cpuid(1, eax, ebx, ecx, edx);
	if (ecx & 1u << 31) {
		__cpuid(0x40000000, eax, ebx, ecx, edx);
		if (eax >= 0x40000010 && eax < 0x40010000) {
			__cpuid(0x40000010, eax, ebx, ecx, edx);
			if (eax) {
				*origin = "the hypervisor";
				return (uint64_t)eax * 1000;
			}
		}
	}
	return 0;
}

#elif defined(__aarch64__)

static uint64_t counter_hz(const char **origin)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	*origin = "CNTFRQ_EL0";
	return hz;
}

#else

static uint64_t counter_hz(const char **origin)
{
	(void)origin;
	return 0;
}

#endif

void clock_choose(enum clock_request request, struct clock_source *source)
{
	const char *doubt = request == CLOCK_AUTO ? counter_doubt() : NULL;

	if (request == CLOCK_MONOTONIC_NS || doubt) {
		*source = (struct clock_source){
			.source = TANDEM_CLOCK_MONOTONIC,
			.reason = doubt ? doubt : "asked for",
			.ticks_hz = 1000000000u,
			.origin = "CLOCK_MONOTONIC is in ns",
		};
		return;
	}
	*source = (struct clock_source){
		.source = TANDEM_CLOCK_COUNTER,
		.reason = request == CLOCK_AUTO ? "invariant, and the kernel's own clock source"
						: "asked for",
	};
	source->ticks_hz = counter_hz(&source->origin);
}

void clock_pair_read(enum tandem_clock_source source, struct clock_pair *pair)
{
	pair->width_ns = UINT64_MAX;
	for (int i = 0; i < 8; i++) {
		uint64_t before = counter_clock_ns(CLOCK_MONOTONIC);
		uint64_t ticks = ticks_read(source);
		uint64_t realtime = counter_clock_ns(CLOCK_REALTIME);
		uint64_t after = counter_clock_ns(CLOCK_MONOTONIC);

		if (after - before >= pair->width_ns)
			continue;
		pair->width_ns = after - before;
		pair->monotonic_ns = before + (after - before) / 2;
		pair->ticks = ticks;
		pair->realtime_ns = realtime;
	}
}

void clock_rate(struct clock_source *source, const struct clock_pair *early,
		struct clock_pair *late)
{
	uint64_t span;

	if (source->ticks_hz)
		return;
	while (late->monotonic_ns - early->monotonic_ns < CLOCK_RATE_SPAN_NS)
		clock_pair_read(source->source, late);
	span = late->monotonic_ns - early->monotonic_ns;
	source->ticks_hz =
		(uint64_t)((double)(late->ticks - early->ticks) * 1e9 / (double)span + 0.5);
	source->origin = "measured";
	source->error_ppm = (double)(early->width_ns + late->width_ns) / 2 / (double)span * 1e6;
}
