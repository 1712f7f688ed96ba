/* SPDX-License-Identifier: MIT */
#include "recorder/session/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder/session/schema_text.h"
#include "schema/tsdl.h"
#include "util/system.h"

/* In one write: the file system then makes pages by the dozen. */
static int write_domains(int fd, uint64_t domains, enum tandem_args_level level)
{
	struct iovec parts[1 + TANDEM_DOMAINS];
	struct text index = TEXT_INIT;
	size_t at = (size_t)__builtin_popcountll(domains) * TANDEM_SCHEMA_INDEX_BYTES;
	int count = 1, error = -ENOMEM;

	for (unsigned number = 0; number < TANDEM_DOMAINS; number++) {
		const struct schema_text *text = &schema_texts[level][number];

		if (!(domains >> number & 1))
			continue;
		tandem_tsdl_index(&index, tandem_domain_get(number), at, text->bytes);
		parts[count].iov_base = (void *)(uintptr_t)text->data;
		parts[count++].iov_len = text->bytes;
		at += text->bytes;
	}
	parts[0].iov_base = index.data;
	parts[0].iov_len = index.length;
	if (!index.failed)
		error = system_pwritev(fd, parts, count, 0);
	text_free(&index);
	return error;
}

static void *write_file(void *user)
{
	struct schema_writing *writing = user;

	writing->error = write_domains(writing->fd, writing->domains, writing->level);
	close(writing->fd);
	return NULL;
}

/* With all signals blocked: they are for the thread that waits for the program. */
static bool thread_start(struct schema_writing *writing)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&writing->thread, NULL, write_file, writing);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

int schema_write_start(struct schema_writing *writing, const char *path,
		       const struct tandem_control *control)
{
	*writing = (struct schema_writing){
		.domains = control->domains | TANDEM_DOMAIN_BIT(core) | TANDEM_DOMAIN_BIT(kernel),
		.level = (enum tandem_args_level)control->args_level,
		.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600),
	};
	if (writing->fd < 0)
		return -errno;
	writing->running = thread_start(writing);
	if (!writing->running)
		write_file(writing);
	return 0;
}

int schema_write_wait(struct schema_writing *writing)
{
	if (writing->running)
		pthread_join(writing->thread, NULL);
	writing->running = false;
	return writing->error;
}
