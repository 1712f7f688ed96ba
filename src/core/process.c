/* SPDX-License-Identifier: MIT */
#include "core/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "core/control.h"
#include "core/dormant.h"
#include "core/sandbox/fdtable.h"
#include "core/sandbox/sandbox.h"
#include "core/ticks.h"
#include "format/directory.h"
#include "schema/metadata.h"
#include "util/system.h"

enum { PROCESS_NONE, PROCESS_OPENING, PROCESS_OPEN };

uint8_t tandem_process_uuid[16];

static _Atomic int process_state;
_Atomic uint32_t tandem_process_forks;
static _Atomic uint64_t process_domains = TANDEM_DOMAIN_BIT(core);
static _Atomic uint64_t process_described; /* those whose events the metadata has */
static _Atomic uint64_t process_session;   /* in which it is open */
static char process_dir[TANDEM_PATH_BYTES];

void tandem_process_path(char *path, const char *name, uint32_t number, uint32_t part)
{
	char *at = stpcpy(path, process_dir);

	*at++ = '/';
	directory_put(at, name, number, part);
}

/* The session's directory, of at most `bytes`; where the process waited for one, what the link
 * says now. Returns its length or -errno. */
static long session_dir(char *path, size_t bytes)
{
	long length = (long)strlen(tandem_session_dir);

	if (tandem_dormant) {
		length = syscall(SYS_readlinkat, AT_FDCWD, tandem_session_dir, path, bytes);
		if (length < 0)
			return -errno;
		return (size_t)length < bytes && length > 0 && path[0] == '/' ? length : -EINVAL;
	}
	if ((size_t)length >= bytes)
		return -ENAMETOOLONG;
	memcpy(path, tandem_session_dir, (size_t)length);
	return length;
}

/* process-PID, or process-PID.N where an exec or a reused pid was before. */
static int process_make_dir(uint32_t pid)
{
	long length = session_dir(process_dir, sizeof(process_dir) - 32);
	char *at;

	if (length < 0)
		return (int)length;
	at = process_dir + length;
	*at++ = '/';
	for (uint32_t n = 0; n < 100000; n++) {
		directory_put(at, DIRECTORY_PROCESS, pid, n);
		if (!syscall(SYS_mkdirat, AT_FDCWD, process_dir, 0700))
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* In a child of fdtable_run(). */
static int process_make(void *data)
{
	const struct tandem_metadata *metadata = data;
	int error = process_make_dir((uint32_t)metadata->pid);

	if (error)
		return error;
	error = tandem_metadata_write(metadata);
	/* The next try makes it again. */
	if (error)
		syscall(SYS_unlinkat, AT_FDCWD, process_dir, AT_REMOVEDIR);
	return error;
}

static int process_describe(void *data)
{
	return tandem_metadata_write(data);
}

static int process_run(int (*function)(void *data), uint64_t domains)
{
	struct tandem_metadata metadata = {
		.dir = process_dir,
		.session = tandem_session_dir,
		.uuid = tandem_process_uuid,
		.control = &tandem_control,
		.domains = domains,
	};

	if (!sandbox_allows(SANDBOX_CHILD))
		return -EPERM;
	metadata.pid = (int)getpid();
	metadata.ppid = (int)getppid();
	if (sandbox_allows(SANDBOX_THREAD)) {
		metadata.tid = (int)syscall(SYS_gettid);
		prctl(PR_GET_NAME, metadata.thread_name, 0, 0, 0);
	}
	return fdtable_run(function, &metadata);
}

static int process_begin(void)
{
	uint64_t domains = atomic_load(&process_domains);
	int error;

	atomic_store(&process_session, tandem_session_id());
	if (!sandbox_allows(SANDBOX_CHILD))
		return -EPERM;
	/* getrandom() could cancel the thread. */
	if (syscall(SYS_getrandom, tandem_process_uuid, sizeof(tandem_process_uuid),
		    GRND_NONBLOCK) < 0) {
		uint64_t ticks = tandem_ticks();

		memcpy(tandem_process_uuid, &ticks, sizeof(ticks));
	}
	error = process_run(process_make, domains);
	if (error)
		return error;
	atomic_store(&process_described, domains);
	atomic_fetch_add(&tandem_session->processes, 1);
	return 0;
}

/* It is open in a session that is over, and another one has begun. */
static bool is_over(void)
{
	return tandem_dormant && atomic_load(&process_session) != tandem_session_id();
}

int tandem_process_open(void)
{
	bool waited = false;
	int state, error;

	while ((state = atomic_load(&process_state)) != PROCESS_OPEN || is_over()) {
		if (!tandem_session_dir[0])
			return -ENOENT;
		if (state == PROCESS_OPENING) {
			/* Another thread is at it: a few hundred microseconds at most, and
			 * perhaps one more after it (tandem_process_uses). */
			waited = true;
			sched_yield();
		} else if (waited) {
			return -EAGAIN;
		} else if (atomic_compare_exchange_strong(&process_state, &state,
							  PROCESS_OPENING)) {
			error = process_begin();
			atomic_store(&process_state, error ? PROCESS_NONE : PROCESS_OPEN);
			return error;
		}
	}
	return 0;
}

void tandem_process_expects(unsigned domain)
{
	if (atomic_load(&process_state) == PROCESS_NONE)
		atomic_fetch_or(&process_domains, (uint64_t)1 << domain);
}

int tandem_process_uses(unsigned domain)
{
	uint64_t bit = (uint64_t)1 << domain;
	int open = PROCESS_OPEN, error = 0;

	if (atomic_load(&process_state) == PROCESS_OPEN && atomic_load(&process_described) & bit)
		return 0;
	atomic_fetch_or(&process_domains, bit);
	if (is_over())
		return 0;
	/* Whoever is opening the process may have read the mask before. */
	while (!atomic_compare_exchange_weak(&process_state, &open, PROCESS_OPENING)) {
		if (open == PROCESS_NONE)
			return 0;
		if (open == PROCESS_OPENING)
			sched_yield();
		open = PROCESS_OPEN;
	}
	if (!(atomic_load(&process_described) & bit)) {
		uint64_t domains = atomic_load(&process_domains);

		error = process_run(process_describe, domains);
		if (!error)
			atomic_store(&process_described, domains);
	}
	atomic_store(&process_state, PROCESS_OPEN);
	return error;
}

void tandem_process_forget(void)
{
	atomic_store(&process_state, PROCESS_NONE);
	atomic_fetch_add(&tandem_process_forks, 1);
}
