/* SPDX-License-Identifier: MIT */
#include "core/dormant.h"

#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "format/ticks.h"
#include "schema/ids.h"
#include "schema/system_folder.h"
#include "util/counter_check.h"
#include "util/system.h"

#define DOMAIN_HEADERS
#define DOMAIN(...)
#include "schema/domains.def"
#undef DOMAIN
#undef DOMAIN_HEADERS

/* As `tandem record` has it by default. */
#define MAX_STRING_BYTES 1024u
#define SUBBUFFER_BYTES (1024u * 1024)
#define EXIT_WAIT_MS 2000u
#define INTERVAL_MS 100u

bool tandem_dormant;

static uint32_t mask_of(const uint8_t *on, size_t count)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < count; i++)
		mask |= (uint32_t)on[i] << i;
	return mask;
}

/* Of each row (schema/domain.h) its choices alone, and of these what is on. */
#define ON(word, on, needs, description) on,
#define CHOICES(LIST)                                     \
	({                                                \
		static const uint8_t list[] = {LIST(ON)}; \
		mask_of(list, sizeof(list));              \
	})
#define VARIABLES(...) 0
#define MARKS(...) 0
#define NOTICES(...) 0
#define PAGES(...) 0

static void page_fill(struct tandem_control *page)
{
	struct row {
		uint32_t choices;
		const char *title, *part, *prefixes, *verb, *group, *item, *queue, *multiprocessor;
		const char *use_callback, *use_pinned, *use_wait, *pinned, *program_binary, *batch;
		const char *fewer_registers, *prefetch, *set_callback, *entry_library;
		uint32_t command_ns, call_ns;
		uint8_t runtime, mangled, variables, marks, notices, more_pages;
	};

	*page = (struct tandem_control){
		.clock_source = counter_doubt() ? TANDEM_CLOCK_MONOTONIC : TANDEM_CLOCK_COUNTER,
		.device_timing = 1,
		.max_string_bytes = MAX_STRING_BYTES,
		.exit_wait_ms = EXIT_WAIT_MS,
		.subbuffer_bytes = SUBBUFFER_BYTES,
		.magic = TANDEM_CONTROL_MAGIC,
		.version = TANDEM_CONTROL_VERSION,
		.state = TANDEM_STATE_PAUSED,
		.args_level = TANDEM_ARGS_BASIC,
	};
#define DOMAIN(number, name, ...)                                           \
	page->domain[number].choices = ((struct row){__VA_ARGS__}).choices; \
	page->domain[number].interval_ms = INTERVAL_MS;                     \
	page->domains |= (uint64_t)1 << (number);
#include "schema/domains.def"
#undef DOMAIN
}

static int page_open(int folder, uint32_t uid)
{
	struct tandem_control page;
	int fd = system_page_open(folder, uid);

	if (fd != -ENOENT)
		return fd;
	page_fill(&page);
	/* Another process may be faster. */
	system_page_make(folder, &page);
	return system_page_open(folder, uid);
}

/* A recorder that was killed has left it on: nobody holds the lock. Nothing is stored into what is no
 * page of this version. */
static void page_check(int fd)
{
	_Atomic uint64_t off = 0;
	struct tandem_control page;

	if (pread(fd, &page, sizeof(page), 0) != (ssize_t)sizeof(page) ||
	    page.magic != TANDEM_CONTROL_MAGIC || page.version != TANDEM_CONTROL_VERSION ||
	    !page.recording || syscall(SYS_flock, fd, LOCK_SH | LOCK_NB))
		return;
	/* Where it can't be written, it stays on. */
	(void)!pwrite(fd, &off, sizeof(off), 0);
	syscall(SYS_flock, fd, LOCK_UN);
}

int tandem_dormant_open(char *session)
{
	const char *base = getenv(TANDEM_ENV_SYSTEM);
	uint32_t uid = (uint32_t)syscall(SYS_geteuid);
	int folder, fd;

	if (!base)
		return -ENOENT;
	folder = system_folder_open(base, uid, true);
	if (folder < 0)
		return folder;
	fd = page_open(folder, uid);
	system_close(folder);
	if (fd < 0)
		return fd;
	page_check(fd);
	system_folder_path(session, base, uid, SYSTEM_SESSION);
	tandem_dormant = true;
	return fd;
}
