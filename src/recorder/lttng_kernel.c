/* SPDX-License-Identifier: MIT */
#include "recorder/lttng_kernel.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/lttng_command.h"
#include "util/text.h"

#define CHANNEL "tandem-kernel"
#define GROUP "tracing" /* who may use the daemon of root's */
#define GROUPS_MOST 1024
#define LISTED_MOST (16 << 20) /* a kernel has some 2,000 tracepoints, with 80 B each */

/* The first one is what all the rest is for. */
static const char *const events[] = {
	"sched_switch",
	"sched_waking",
	"sched_wakeup",
	"sched_wakeup_new",
	"sched_migrate_task",
	"sched_process_fork",
	"sched_process_exec",
	"sched_process_exit",
	"sched_process_free",
	/* Who is there already. */
	"lttng_statedump_process_state",
};

/* As /etc/group has it: what else says who is in a group takes libraries to ask. */
static bool in_group(const char *name)
{
	FILE *file = fopen("/etc/group", "re");
	const struct group *group = NULL;
	gid_t groups[GROUPS_MOST];
	int count = getgroups(GROUPS_MOST, groups);
	bool in = false;

	while (file && (group = fgetgrent(file)) && strcmp(group->gr_name, name) != 0)
		;
	for (int i = 0; group && i < count; i++)
		in |= groups[i] == group->gr_gid;
	in |= group && getegid() == group->gr_gid;
	if (file)
		fclose(file);
	return in;
}

/* LTTng says the same of a tracer that is not there and of one that the user may not use. */
static void explain(char note[LTTNG_KERNEL_NOTE_BYTES], const char *why)
{
	const char *fix = "install lttng-modules (lttng-modules-dkms), `modprobe lttng-tracer`, "
			  "and restart lttng-sessiond, all as root";

	if (geteuid() && !in_group(GROUP))
		fix = "as root, start lttng-sessiond where lttng-modules is installed, and `usermod "
		      "-aG " GROUP "` this user, who then logs in again";
	snprintf(note, LTTNG_KERNEL_NOTE_BYTES, "LTTng's session has no kernel events: %s; %s", why,
		 fix);
}

static char *content(int fd)
{
	struct stat file;
	size_t bytes = fstat(fd, &file) ? 0 : (size_t)file.st_size, used = 0;
	char *text = bytes <= LISTED_MOST ? malloc(bytes + 1) : NULL;
	ssize_t count;

	while (text && used < bytes &&
	       (count = pread(fd, text + used, bytes - used, (off_t)used)) > 0)
		used += (size_t)count;
	if (text)
		text[used] = '\0';
	return text;
}

/* "      sched_switch (loglevel: TRACE_EMERG (0)) (type: tracepoint)" */
static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ' ' || at[-1] == '\n') && at[length] == ' ')
			return true;
	return false;
}

static void choose(struct text *chosen, const char *list)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (is_listed(list, events[i]))
			text_format(chosen, "%s%s", chosen->length ? "," : "", events[i]);
}

/* What it says without a tracer: "Error: Unable to list kernel events: Kernel tracer not
 * available". */
static const char *last_words(char *said)
{
	size_t length = strlen(said);
	char *line, *colon;

	while (length && said[length - 1] == '\n')
		said[--length] = '\0';
	line = strrchr(said, '\n');
	line = line ? line + 1 : said;
	colon = strrchr(line, ':');
	line = colon && colon[1] == ' ' ? colon + 2 : line;
	return *line ? line : "lttng list --kernel failed";
}

/* The events that the tracer has of those, in `chosen`: none, and a note, without a tracer. Asked
 * first, as the daemon may break off (2.13.9 does) when it is told to enable a channel it can't. */
static int ask(struct text *chosen, char note[LTTNG_KERNEL_NOTE_BYTES], struct error *error)
{
	int fd = memfd_create("lttng", MFD_CLOEXEC);
	int status = fd < 0 ? -errno
			    : lttng_command_into((char *const[]){(char *)"lttng", (char *)"list",
								 (char *)"--kernel", NULL},
						 fd, LTTNG_PATIENCE_S);
	char *said = status == -ETIMEDOUT || fd < 0 ? NULL : content(fd);

	if (fd >= 0)
		close(fd);
	if (status == -ETIMEDOUT)
		return lttng_command_unanswered(error, "list", LTTNG_PATIENCE_S);
	if (status || !said)
		explain(note, said && status > 0 && WIFEXITED(status) ? last_words(said)
								      : "lttng list failed");
	else
		choose(chosen, said);
	if (!*note && !is_listed(said, events[0]))
		explain(note, "its tracer has no sched_switch");
	free(said);
	return 0;
}

static int enable(const struct lttng_kernel_request *request, const char *list, struct error *error)
{
	/* Rings can't be copied from a pipe. */
	char *const channel[] = {(char *)"lttng",
				 (char *)"enable-channel",
				 (char *)"--kernel",
				 (char *)"--session",
				 (char *)(uintptr_t)request->session,
				 (char *)(uintptr_t)request->size,
				 (char *)(uintptr_t)request->count,
				 (char *)CHANNEL,
				 request->rings ? (char *)"--output=mmap" : NULL,
				 NULL};
	char *const event[] = {(char *)"lttng",
			       (char *)"enable-event",
			       (char *)"--kernel",
			       (char *)"--session",
			       (char *)(uintptr_t)request->session,
			       (char *)"--channel=" CHANNEL,
			       (char *)(uintptr_t)list,
			       NULL};
	int status = lttng_command(channel, LTTNG_PATIENCE_S, error);

	return status ? status : lttng_command(event, LTTNG_PATIENCE_S, error);
}

int lttng_kernel_enable(const struct lttng_kernel_request *request,
			char note[LTTNG_KERNEL_NOTE_BYTES], struct error *error)
{
	struct text chosen = TEXT_INIT;
	struct error own = ERROR_INIT;
	int status;

	*note = '\0';
	status = ask(&chosen, note, error);
	if (!status && chosen.failed)
		status = -ENOMEM;
	if (!status && !*note)
		status = enable(request, chosen.data, &own);
	text_free(&chosen);
	if (own.count && status == -ETIMEDOUT) {
		*error = own;
	} else if (own.count) {
		explain(note, own.causes[0]);
		status = 0;
	}
	return status;
}
