/* SPDX-License-Identifier: MIT */
#include "core/control.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/dormant.h"
#include "format/ticks.h"
#include "util/system.h"

struct tandem_control tandem_control;
struct tandem_control *_Atomic tandem_session = &tandem_control;
char tandem_session_dir[TANDEM_PATH_BYTES];

static int control_check(const struct tandem_control *control)
{
	if (control->magic != TANDEM_CONTROL_MAGIC || control->version != TANDEM_CONTROL_VERSION)
		return -EPROTO;
	if (control->subbuffer_bytes < 4096 || control->subbuffer_bytes % 4096)
		return -EPROTO;
	return 0;
}

/* Puts the page in the place of our own. Looked at before: once it is mapped there, whatever
 * it says is believed. */
static int control_map(int fd)
{
	struct stat status;
	void *page;
	int error;

	if (fstat(fd, &status) || status.st_size < (off_t)TANDEM_CONTROL_BYTES)
		return -EPROTO;
	page = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	error = control_check(page);
	munmap(page, TANDEM_CONTROL_BYTES);
	if (!error && mmap(&tandem_control, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		error = -errno;
	return error;
}

static int session_open(const char *dir)
{
	char path[TANDEM_PATH_BYTES + 16];

	if (dir[0] != '/' || strlen(dir) >= TANDEM_PATH_BYTES)
		return -ENOENT;
	strcpy(stpcpy(path, dir), "/control");
	return system_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
}

int tandem_control_attach(void)
{
	const char *dir = getenv(TANDEM_ENV_SESSION);
	char waiting[TANDEM_PATH_BYTES];
	int fd, error;

	if (getauxval(AT_SECURE))
		return -EPERM;
	fd = dir ? session_open(dir) : tandem_dormant_open(waiting);
	if (fd < 0)
		return fd;
	error = control_map(fd);
	system_close(fd);
	if (!error)
		strcpy(tandem_session_dir, dir ? dir : waiting);
	return error;
}

void tandem_lost(enum tandem_loss reason, uint64_t count)
{
	atomic_fetch_add_explicit(&tandem_session->lost[reason], count, memory_order_relaxed);
}

static _Atomic bool has_copy;

/* The page that every call looks at becomes a copy of the session's, at once for all
 * threads: mremap() puts one mapping in the place of another. */
static int copy_make(void)
{
	void *shared = mremap(&tandem_control, 0, TANDEM_CONTROL_BYTES, MREMAP_MAYMOVE);
	struct tandem_control *copy;

	if (shared == MAP_FAILED)
		return -errno;
	copy = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (copy == MAP_FAILED) {
		munmap(shared, TANDEM_CONTROL_BYTES);
		return -ENOMEM;
	}
	memcpy(copy, shared, TANDEM_CONTROL_BYTES);
	tandem_session = shared;
	if (mremap(copy, TANDEM_CONTROL_BYTES, TANDEM_CONTROL_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		   &tandem_control) == MAP_FAILED)
		return -errno;
	has_copy = true;
	return 0;
}

void tandem_control_refresh(void)
{
	if (has_copy)
		atomic_store_explicit(&tandem_control.statedump,
				      atomic_load(&tandem_session->statedump),
				      memory_order_relaxed);
}

static atomic_flag changing = ATOMIC_FLAG_INIT;

void tandem_control_forked(void)
{
	atomic_flag_clear(&changing);
}

void tandem_control_want(uint64_t domains, bool operations)
{
	int saved = errno;

	while (atomic_flag_test_and_set(&changing))
		sched_yield();
	if (!tandem_session_dir[0]) {
		tandem_control.device_timing |= operations;
		atomic_store(&tandem_control.recording, domains);
	} else if (domains) {
		if (has_copy || !copy_make())
			atomic_store(&tandem_control.recording, domains | tandem_session->domains);
	} else if (has_copy) {
		has_copy = false;
		if (mremap(tandem_session, 0, TANDEM_CONTROL_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			   &tandem_control) == MAP_FAILED)
			has_copy = true;
	}
	atomic_flag_clear(&changing);
	errno = saved;
}
