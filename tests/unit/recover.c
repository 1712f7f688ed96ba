/* SPDX-License-Identifier: MIT */
/* Whether a session's processes have left it: a lease says so, and no guess. */
#include "recorder/session/recover.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char directory[] = "/tmp/tandem-recover-XXXXXX";
static char path[sizeof(directory) + 16];

static struct tandem_control *page_map(void)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *page = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return page == MAP_FAILED ? NULL : page;
}

/* A process that has mapped the page and closed its descriptor, as traced ones do. */
static pid_t process_start(void)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		page_map();
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ends[1]);
	CHECK(read(ends[0], &byte, 1) == 1);
	close(ends[0]);
	return pid;
}

int main(void)
{
	static const char zeros[TANDEM_CONTROL_BYTES];
	struct tandem_control *control;
	pid_t other;
	int fd;

	CHECK(mkdtemp(directory) != NULL);
	snprintf(path, sizeof(path), "%s/control", directory);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK(write(fd, zeros, sizeof(zeros)) == (ssize_t)sizeof(zeros));
	close(fd);

	other = process_start();
	control = page_map();
	control->used_bytes = 17;
	CHECK(!session_is_left(directory, control));
	CHECK(control->used_bytes == 17);
	munmap(control, TANDEM_CONTROL_BYTES);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);

	control = page_map();
	CHECK(control->used_bytes == 17);
	/* The page has to be this process's own: else nobody knows whether leases see it. */
	if (!session_is_left(directory, control)) {
		printf("no leases on this file system\n");
		return 77;
	}
	/* Its copy, which the file does not see. */
	control->used_bytes = 18;
	munmap(control, TANDEM_CONTROL_BYTES);
	control = page_map();
	CHECK(control->used_bytes == 17);

	munmap(control, TANDEM_CONTROL_BYTES);
	CHECK(!session_is_left("/nonexistent", control));
	unlink(path);
	rmdir(directory);
	return check_status();
}
