/* SPDX-License-Identifier: MIT */
#include "core/stream/bus_error.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "core/control.h"

#define MAPPINGS 4096u

static struct {
	uint8_t *_Atomic base;
	uint64_t bytes;
	_Atomic bool *gone;
} mappings[MAPPINGS];

static struct tandem_control control_copy;
static void (*on_replaced)(uint8_t *base, uint64_t bytes);

/* The page in one step, as other threads look at it. */
static bool replace_control(void *place)
{
	struct tandem_control *page = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return false;
	memcpy(page, &control_copy, sizeof(*page));
	page->recording = 0;
	page->state = TANDEM_STATE_STOPPED;
	return mremap(page, TANDEM_CONTROL_BYTES, TANDEM_CONTROL_BYTES,
		      MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED;
}

static bool replace_stream(const uint8_t *address)
{
	for (uint32_t i = 0; i < MAPPINGS; i++) {
		uint8_t *base = atomic_load(&mappings[i].base);

		if (!base || address < base || address >= base + mappings[i].bytes)
			continue;
		if (mmap(base, mappings[i].bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
			 0) == MAP_FAILED)
			return false;
		atomic_store(mappings[i].gone, true);
		on_replaced(base, mappings[i].bytes);
		return true;
	}
	return false;
}

static bool replace(uint8_t *address)
{
	uint8_t *session = (uint8_t *)atomic_load(&tandem_session);
	uint8_t *control = (uint8_t *)&tandem_control;

	if (address >= control && address < control + TANDEM_CONTROL_BYTES)
		return replace_control(control);
	if (address >= session && address < session + TANDEM_CONTROL_BYTES)
		return replace_control(session);
	return replace_stream(address);
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	struct sigaction none = {.sa_handler = SIG_DFL};
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 || !replace(info->si_addr)) {
		/* The access is made again, and ends as it would have; a signal that was
		 * sent is sent again. */
		sigaction(number, &none, NULL);
		if (info->si_code <= 0)
			raise(number);
	}
	errno = saved;
}

void bus_error_watch(void (*replaced)(uint8_t *base, uint64_t bytes))
{
	struct sigaction before, ours = {.sa_sigaction = on_bus_error,
					 .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	on_replaced = replaced;
	memcpy(&control_copy, &tandem_control, sizeof(control_copy));
	sigemptyset(&ours.sa_mask);
	if (!sigaction(SIGBUS, NULL, &before) && !(before.sa_flags & SA_SIGINFO) &&
	    before.sa_handler == SIG_DFL)
		sigaction(SIGBUS, &ours, NULL);
}

void bus_error_add(uint8_t *base, uint64_t bytes, _Atomic bool *gone)
{
	for (uint32_t i = 0; i < MAPPINGS; i++) {
		uint8_t *none = NULL;

		if (atomic_load(&mappings[i].base))
			continue;
		/* Taken with an address that no access has, until it is complete. */
		if (!atomic_compare_exchange_strong(&mappings[i].base, &none,
						    (uint8_t *)UINTPTR_MAX))
			continue;
		mappings[i].bytes = bytes;
		mappings[i].gone = gone;
		atomic_store(&mappings[i].base, base);
		return;
	}
}

void bus_error_remove(const uint8_t *base)
{
	for (uint32_t i = 0; i < MAPPINGS; i++)
		if (atomic_load(&mappings[i].base) == base) {
			atomic_store(&mappings[i].base, NULL);
			return;
		}
}
