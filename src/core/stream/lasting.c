/* SPDX-License-Identifier: MIT */
#include "core/stream/lasting.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "core/call/launch_config.h"
#include "core/object.h"
#include "core/process.h"
#include "core/sandbox/fdtable.h"
#include "core/sandbox/sandbox.h"
#include "core/stream/bus_error.h"
#include "core/stream/stream.h"
#include "format/directory.h"
#include "schema/descriptions.h"
#include "util/system.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

#define RESERVE_BYTES 65536u
#define LIMIT_BYTES (1u << 20) /* of an area, as long as no more is alive */
/* How often somebody else's turn is waited for: it takes a copy of all at most. */
#define TRIES 100000u

/* All of this is whose turn it is. */
static const struct tandem_thread *_Atomic turn;
static struct descriptions store;
static int failed;	 /* -errno of the first try: there is no file */
static uint64_t session; /* to which they belong (core/control.h) */
static uint64_t reserved[2];
static _Atomic bool gone; /* somebody has cut the file; what is mapped is memory */

/* Objects that are alive, each as its type and number; open addressing. */
static struct {
	uint64_t *keys;
	uint64_t slots, used, counted;
	uint64_t types; /* 1 << type: of which it is known what is alive */
} live;

static uint64_t key_of(unsigned type, uint32_t number)
{
	return (uint64_t)(type + 1) << 32 | number;
}

static uint64_t *live_slot(uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15u >> 20 & (live.slots - 1);

	while (live.keys[at] && live.keys[at] != key)
		at = (at + 1) & (live.slots - 1);
	return &live.keys[at];
}

static void live_count(unsigned type, uint32_t number)
{
	(void)number;
	live.types |= (uint64_t)1 << type;
	live.counted++;
}

/* Others make objects meanwhile: those are described after this. */
static void live_add(unsigned type, uint32_t number)
{
	uint64_t *slot = live_slot(key_of(type, number));

	if (*slot || live.used * 4 > live.slots * 3)
		return;
	*slot = key_of(type, number);
	live.used++;
}

static void each_live(void (*found)(unsigned type, uint32_t number))
{
	tandem_objects_each(found);
	launch_configs_each(found);
}

static int live_begin(void *user)
{
	(void)user;
	memset(&live, 0, sizeof(live));
	each_live(live_count);
	for (live.slots = 1024; live.slots < live.counted * 2;)
		live.slots *= 2;
	live.keys = sandbox_map(live.slots * sizeof(*live.keys));
	if (!live.keys)
		return -ENOMEM;
	each_live(live_add);
	return 0;
}

static void live_end(void *user)
{
	(void)user;
	sandbox_unmap(live.keys, live.slots * sizeof(*live.keys));
}

static enum description_state live_state(void *user, const struct tandem_record *record)
{
	unsigned type = tandem_id_object(record->id);
	uint32_t number;

	(void)user;
	if (!type || !(live.types >> type & 1))
		return DESCRIPTION_UNKNOWN;
	memcpy(&number, record + 1, sizeof(number));
	return *live_slot(key_of(type, number)) ? DESCRIPTION_LIVE : DESCRIPTION_GONE;
}

static int area_reserve(void *user, unsigned area, uint64_t bytes)
{
	uint8_t *base = (uint8_t *)store.header + DESCRIPTIONS_HEADER_BYTES +
			area * store.header->area_bytes;
	uint64_t until = (bytes + RESERVE_BYTES - 1) & ~(uint64_t)(RESERVE_BYTES - 1);

	(void)user;
	if (bytes <= reserved[area])
		return 0;
	if (until > store.header->area_bytes)
		return -ENOSPC;
	/* Where the kernel has no such thing, a full disk takes the names (bus_error.h). */
	if (sandbox_allows(SANDBOX_POPULATE) &&
	    madvise(base + reserved[area], until - reserved[area], MADV_POPULATE_WRITE) &&
	    errno != EINVAL)
		return errno == EFAULT ? -ENOSPC : -errno;
	reserved[area] = until;
	return 0;
}

static const struct descriptions_rules rules = {
	.reserve = area_reserve,
	.copy_begin = live_begin,
	.state = live_state,
	.copy_end = live_end,
};

/* In a child of fdtable_run(). */
static int file_make(void *data)
{
	static const char zeros[DESCRIPTIONS_HEADER_BYTES];
	char path[TANDEM_PATH_BYTES + 64];
	uint64_t area = DESCRIPTIONS_AREA_BYTES;
	void **base = data;
	int fd, error;

	tandem_process_path(path, DIRECTORY_DESCRIPTIONS, 1, 0);
	fd = system_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fd;
	error = system_write_all(fd, zeros, sizeof(zeros));
	while (!error && syscall(SYS_ftruncate, fd, (off_t)descriptions_file_bytes(area))) {
		area /= 4;
		if (area < DESCRIPTIONS_AREA_LEAST_BYTES)
			error = -errno;
	}
	if (!error) {
		*base = mmap(NULL, descriptions_file_bytes(area), PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
		error = *base == MAP_FAILED ? -errno : 0;
	}
	system_close(fd);
	if (error) {
		syscall(SYS_unlinkat, AT_FDCWD, path, 0);
		return error;
	}
	descriptions_init(&store, *base, area, LIMIT_BYTES);
	return 0;
}

static void store_close(void)
{
	if (store.header) {
		bus_error_remove((uint8_t *)store.header);
		sandbox_unmap(store.header, descriptions_file_bytes(store.header->area_bytes));
	}
	memset(&store, 0, sizeof(store));
	memset(reserved, 0, sizeof(reserved));
	failed = 0;
	atomic_store(&gone, false);
}

static int store_open(void)
{
	void *base;
	int error;

	if ((store.header || failed) && session != tandem_session_id())
		store_close();
	if (store.header || failed)
		return failed;
	session = tandem_session_id();
	error = tandem_process_open();
	if (!error)
		error = sandbox_allows(SANDBOX_CHILD) ? fdtable_run(file_make, &base) : -EPERM;
	if (error)
		return failed = error;
	bus_error_add(base, descriptions_file_bytes(store.header->area_bytes), &gone);
	/* For when the disk is full. */
	area_reserve(NULL, 0, RESERVE_BYTES);
	area_reserve(NULL, 1, RESERVE_BYTES);
	return 0;
}

static bool turn_take(const struct tandem_thread *thread)
{
	for (unsigned tries = 0; tries < TRIES; tries++) {
		const struct tandem_thread *nobody = NULL;

		if (atomic_compare_exchange_weak(&turn, &nobody, thread))
			return true;
		if (tries > 100)
			sched_yield();
	}
	return false;
}

void tandem_lasting_keep(struct tandem_thread *thread)
{
	const struct tandem_record *record = thread->lasting;
	uintptr_t busy = thread->busy;
	int saved = errno, error = -EAGAIN;

	thread->after &= ~TANDEM_AFTER_LASTING;
	/* A handler's records keep out, as it may make a description. */
	if (!busy)
		tandem_busy_set(thread);
	if (turn_take(thread)) {
		error = store_open();
		if (!error)
			error = gone ? -EIO : descriptions_add(&store, record, &rules);
		atomic_store(&turn, NULL);
	}
	tandem_barrier();
	thread->busy = busy;
	if (error)
		tandem_lost(error == -ENOSPC || error == -EDQUOT ? TANDEM_LOSS_disk_full
								 : TANDEM_LOSS_io_error,
			    1);
	errno = saved;
}

void tandem_lasting_abandon(const struct tandem_thread *thread)
{
	if (atomic_load(&turn) == thread)
		atomic_store(&turn, NULL);
}

void tandem_lasting_forget(void)
{
	store_close();
	atomic_store(&turn, NULL);
}
