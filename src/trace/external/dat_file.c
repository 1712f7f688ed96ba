/* SPDX-License-Identifier: MIT */
#include "trace/external/dat_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/gpu_tracepoints.h"
#include "trace/external/format_text.h"
#include "util/array.h"

#define MAGIC "\x17\x08\x44tracing"

enum { OPTION_TRACECLOCK = 4, OPTION_UNAME = 5 };

static int damaged(struct dat_file *dat, const char *words)
{
	return error_add_at(dat->error, -EBADMSG, dat->path, (uint64_t)(dat->at - dat->bytes), "%s",
			    words);
}

static const uint8_t *field_bytes(struct dat_file *dat, uint64_t bytes)
{
	const uint8_t *at = dat->at;

	if (bytes > (uint64_t)(dat->end - dat->at))
		return NULL;
	dat->at += bytes;
	return at;
}

/* A number of 2, 4 or 8 bytes; ~0 at the end of the file. */
static uint64_t field_number(struct dat_file *dat, unsigned bytes)
{
	const uint8_t *at = field_bytes(dat, bytes);
	uint64_t number = 0;

	if (!at)
		return UINT64_MAX;
	for (unsigned i = 0; i < bytes; i++)
		number |= (uint64_t)at[dat->big ? bytes - 1 - i : i] << (8 * i);
	return number;
}

static const char *field_string(struct dat_file *dat)
{
	const uint8_t *end = memchr(dat->at, 0, (size_t)(dat->end - dat->at));
	const char *string = (const char *)dat->at;

	if (!end)
		return NULL;
	dat->at = end + 1;
	return string;
}

static bool field_word(struct dat_file *dat, const char *word)
{
	const char *string = field_string(dat);

	return string && !strcmp(string, word);
}

static const struct {
	const char *system, *name;
	enum external_kind kind;
	const char *fields[6];
} known[] = {
	{"sched",
	 "sched_switch",
	 EXTERNAL_SWITCH,
	 {"prev_pid", "next_pid", "prev_state", "prev_comm", "next_comm", "prev_prio"}},
	{"sched", "sched_waking", EXTERNAL_WAKING, {"pid", "target_cpu"}},
	{"sched", "sched_wakeup", EXTERNAL_WAKEUP, {"pid", "target_cpu"}},
	{"sched", "sched_wakeup_new", EXTERNAL_WAKEUP_NEW, {"pid", "target_cpu"}},
	{"sched", "sched_migrate_task", EXTERNAL_MIGRATE, {"pid", "orig_cpu", "dest_cpu"}},
	{"sched", "sched_process_fork", EXTERNAL_FORK, {"child_pid", "parent_pid", "child_comm"}},
	{"sched", "sched_process_exit", EXTERNAL_EXIT, {"pid"}},
	{"task", "task_rename", EXTERNAL_TASK, {"pid", "newcomm"}},
};

enum { KNOWN = sizeof(known) / sizeof(*known) };

static int kind_add(struct dat_file *dat, struct tep_event *event, enum external_kind kind,
		    const char *const *fields, const struct external_format *format)
{
	struct dat_kind *row;

	if (array_reserve(&dat->kinds, &dat->kind_capacity, dat->kind_count + 1,
			  sizeof(*dat->kinds)))
		return -ENOMEM;
	row = &dat->kinds[dat->kind_count++];
	*row = (struct dat_kind){.event = event, .kind = kind};
	if (format)
		row->format = *format;
	for (int i = 0; fields && i < 6 && fields[i]; i++)
		row->fields[i] = tep_find_field(event, fields[i]);
	return 0;
}

/* "name: sched_switch" is the first line of a description. */
static void event_name(const char *text, uint64_t bytes, char out[64])
{
	static const char key[] = "name: ";
	size_t length = 0;

	out[0] = '\0';
	if (bytes < sizeof(key) || memcmp(text, key, sizeof(key) - 1))
		return;
	text += sizeof(key) - 1;
	bytes -= sizeof(key) - 1;
	while (length < bytes && text[length] != '\n')
		length++;
	dat_copy_word(out, 64, text, length);
}

static int parse_driver(struct dat_file *dat, struct tep_event *event, const char *text,
			uint64_t bytes)
{
	struct external_format format = {(uint32_t)event->id, event->system, event->name,
					 strndup(text, bytes)};
	int status = format.text ? kind_add(dat, event, EXTERNAL_DRIVER, NULL, &format) : -ENOMEM;

	if (status)
		free((void *)(uintptr_t)format.text);
	return status;
}

/* Sections that are of no use here. */
static int skip_sized(struct dat_file *dat, unsigned size_bytes, const char *what)
{
	return field_bytes(dat, field_number(dat, size_bytes)) ? 0 : damaged(dat, what);
}

static int parse_format(struct dat_file *dat, const char *system)
{
	uint64_t bytes = field_number(dat, 8);
	const char *text = (const char *)field_bytes(dat, bytes);
	struct tep_event *event;
	size_t which = 0;
	char called[64], *checked;

	if (!text)
		return damaged(dat, "the description of an event is cut off");
	event_name(text, bytes, called);
	while (which < KNOWN &&
	       (strcmp(known[which].system, system) || strcmp(known[which].name, called)))
		which++;
	if (which == KNOWN && !(gpu_tracepoints_system(system) && gpu_tracepoints_wanted(called)))
		return 0;
	/* What can't be parsed is left out. */
	checked = format_text_check(text, bytes);
	if (checked)
		tep_parse_event(dat->tep, checked, strlen(checked), system);
	free(checked);
	event = tep_find_event_by_name(dat->tep, system, called);
	if (!event)
		return 0;
	return which < KNOWN ? kind_add(dat, event, known[which].kind, known[which].fields, NULL)
			     : parse_driver(dat, event, text, bytes);
}

static int parse_formats(struct dat_file *dat)
{
	uint64_t count = field_number(dat, 4);
	int status = 0;

	/* ftrace's own events: functions, prints. */
	for (; count && count != UINT64_MAX && !status; count--) {
		if (!field_bytes(dat, field_number(dat, 8)))
			status = damaged(dat, "the events of ftrace are cut off");
	}
	count = status ? 0 : field_number(dat, 4);
	for (; count && !status; count--) {
		const char *system = field_string(dat);
		uint64_t events = system ? field_number(dat, 4) : UINT64_MAX;

		if (events == UINT64_MAX)
			return damaged(dat, "the systems of events are cut off");
		for (; events && !status; events--)
			status = parse_format(dat, system);
	}
	return status;
}

/* "local [mono] boot": the one in brackets was chosen. */
static void option_clock(struct dat_file *dat, const char *text, size_t bytes)
{
	const char *open = memchr(text, '[', bytes);
	const char *close = open ? memchr(open, ']', bytes - (size_t)(open - text)) : NULL;

	if (close)
		dat_copy_word(dat->clock, sizeof(dat->clock), open + 1, (size_t)(close - open - 1));
	else
		dat_copy_word(dat->clock, sizeof(dat->clock), text, strnlen(text, bytes));
}

/* "Linux HOST RELEASE VERSION MACHINE" */
static void option_uname(struct dat_file *dat, const char *text, size_t bytes)
{
	char line[512], *rest, *word;

	dat_copy_word(line, sizeof(line), text, strnlen(text, bytes));
	if (!strtok_r(line, " ", &rest))
		return;
	word = strtok_r(NULL, " ", &rest);
	if (word)
		dat_copy_word(dat->host, sizeof(dat->host), word, strlen(word));
	word = strtok_r(NULL, " ", &rest);
	if (word)
		dat_copy_word(dat->release, sizeof(dat->release), word, strlen(word));
}

static int parse_options(struct dat_file *dat)
{
	for (;;) {
		uint64_t id = field_number(dat, 2), bytes;
		const char *text;

		if (id == 0)
			return 0;
		bytes = field_number(dat, 4);
		text = (const char *)field_bytes(dat, bytes);
		if (!text)
			return damaged(dat, "the options are cut off");
		if (id == OPTION_TRACECLOCK)
			option_clock(dat, text, bytes);
		else if (id == OPTION_UNAME)
			option_uname(dat, text, bytes);
	}
}

static int parse_cpus(struct dat_file *dat)
{
	dat->cpus = calloc(dat->cpu_count + 1, sizeof(*dat->cpus));
	if (!dat->cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < dat->cpu_count; i++) {
		uint64_t offset = field_number(dat, 8), bytes = field_number(dat, 8);
		struct dat_cpu *cpu = &dat->cpus[i];

		if (offset > dat->size || bytes > dat->size - offset)
			return damaged(dat, "a CPU's data is outside of the file");
		cpu->next = dat->bytes + offset;
		cpu->end = cpu->next + bytes;
		cpu->pages = kbuffer_alloc(tep_get_long_size(dat->tep) == 4 ? KBUFFER_LSIZE_4
									    : KBUFFER_LSIZE_8,
					   dat->big ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
		if (!cpu->pages)
			return -ENOMEM;
	}
	return 0;
}

static int parse_header(struct dat_file *dat)
{
	const uint8_t *magic = field_bytes(dat, sizeof(MAGIC) - 1);
	const char *version = magic ? field_string(dat) : NULL;
	const uint8_t *order;

	if (!magic || memcmp(magic, MAGIC, sizeof(MAGIC) - 1) || !version)
		return error_add(dat->error, -EINVAL,
				 "%s: neither a folder with LTTng's traces nor "
				 "a file of trace-cmd",
				 dat->path);
	if (strcmp(version, "6")) {
		error_set_hint(dat->error, "trace-cmd convert --file-version 6 -i %s -o FILE",
			       dat->path);
		return error_add(dat->error, -ENOTSUP,
				 "%s: a file of trace-cmd in version %.8s, not "
				 "6",
				 dat->path, version);
	}
	order = field_bytes(dat, 2);
	dat->page_bytes = (uint32_t)field_number(dat, 4);
	if (!order || order[0] || (order[1] != 4 && order[1] != 8) || dat->page_bytes < 4096 ||
	    dat->page_bytes > 1u << 20)
		return damaged(dat, "from a machine of another byte order, or damaged");
	tep_set_long_size(dat->tep, order[1]);
	tep_set_page_size(dat->tep, (int)dat->page_bytes);
	if (!field_word(dat, "header_page"))
		return damaged(dat, "the description of a page is missing");
	/* Nothing in it that is not known already. */
	if (skip_sized(dat, 8, "the description of a page is cut off"))
		return -EBADMSG;
	tep_parse_header_page(dat->tep, (char *)"", 0, order[1]);
	if (!field_word(dat, "header_event"))
		return damaged(dat, "the description of an event's header is missing");
	return skip_sized(dat, 8, "the description of an event's header is cut off");
}

static int read_header(struct dat_file *dat)
{
	const uint8_t *mark;
	int status = parse_header(dat);

	if (!status)
		status = parse_formats(dat);
	if (!status)
		status = skip_sized(dat, 4, "the kernel's symbols are cut off");
	if (!status)
		status = skip_sized(dat, 4, "the formats of prints are cut off");
	if (!status)
		status = skip_sized(dat, 8, "the names of threads are cut off");
	if (status)
		return status;
	dat->cpu_count = (uint32_t)field_number(dat, 4);
	if (dat->cpu_count > 65536)
		return damaged(dat, "it has no sensible number of CPUs");
	mark = field_bytes(dat, 10);
	if (mark && !memcmp(mark, "options  ", 10)) {
		status = parse_options(dat);
		mark = status ? NULL : field_bytes(dat, 10);
	}
	if (status)
		return status;
	if (!mark || memcmp(mark, "flyrecord", 10))
		return damaged(dat, "it holds no events");
	return parse_cpus(dat);
}

static int map_file(struct dat_file *dat)
{
	/* A pipe would be waited for. */
	int fd = open(dat->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	void *at = MAP_FAILED;

	if (fd < 0)
		return error_add(dat->error, -errno, "%s: %s", dat->path, strerror(errno));
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return error_add(dat->error, -EINVAL, "%s: neither a file nor a folder", dat->path);
	}
	/* Private and writable: libtraceevent wants to mark what it reads. */
	if (status.st_size)
		at = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return error_add(dat->error, -EINVAL, "%s: %s", dat->path,
				 status.st_size ? strerror(errno) : "the file is empty");
	dat->bytes = dat->at = at;
	dat->size = (size_t)status.st_size;
	dat->end = dat->bytes + dat->size;
	dat->tep = tep_alloc();
	tep_set_loglevel(TEP_LOG_NONE);
	return dat->tep ? 0 : -ENOMEM;
}

int dat_file_open(struct dat_file *dat)
{
	int status = map_file(dat);

	return status ? status : read_header(dat);
}

void dat_file_close(struct dat_file *dat)
{
	for (uint32_t i = 0; dat->cpus && i < dat->cpu_count; i++) {
		if (dat->cpus[i].pages)
			kbuffer_free(dat->cpus[i].pages);
	}
	for (size_t i = 0; i < dat->kind_count; i++)
		free((void *)(uintptr_t)dat->kinds[i].format.text);
	free(dat->cpus);
	free(dat->kinds);
	if (dat->tep)
		tep_free(dat->tep);
	if (dat->bytes)
		munmap((void *)(uintptr_t)dat->bytes, dat->size);
}
