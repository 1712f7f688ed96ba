#include "core/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/system.h"

struct tandem_control tandem_control;
char tandem_session_dir[TANDEM_PATH_BYTES];

static int control_check(const struct tandem_control *control)
{
	if (control->magic != TANDEM_CONTROL_MAGIC || control->version != TANDEM_CONTROL_VERSION)
		return -EPROTO;
	if (control->window_bytes < 4096 || control->window_bytes % 4096)
		return -EPROTO;
	return 0;
}

int tandem_control_attach(void)
{
	char path[TANDEM_PATH_BYTES + 16];
	const char *dir = getenv(TANDEM_ENV_SESSION);
	struct stat status;
	void *page;
	int fd, error;

	if (getauxval(AT_SECURE))
		return -EPERM;
	if (!dir || dir[0] != '/' || strlen(dir) >= TANDEM_PATH_BYTES)
		return -ENOENT;
	strcpy(path, dir);
	strcat(path, "/control");

	fd = system_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) || status.st_size < (off_t)TANDEM_CONTROL_BYTES) {
		system_close(fd);
		return -EPROTO;
	}
	/* Looked at before it takes the place of our own page: once mapped
	 * there, whatever it says is believed. */
	page = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		error = -errno;
	} else {
		error = control_check(page);
		munmap(page, TANDEM_CONTROL_BYTES);
	}
	if (!error && mmap(&tandem_control, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		error = -errno;
	system_close(fd);
	if (!error)
		strcpy(tandem_session_dir, dir);
	return error;
}

void tandem_lost(enum tandem_loss reason, uint64_t count)
{
	atomic_fetch_add_explicit(&tandem_control.lost[reason], count, memory_order_relaxed);
}
