/* SPDX-License-Identifier: MIT */
#include "schema/metadata.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "format/directory.h"
#include "format/ticks.h"
#include "schema/schema.h"
#include "schema/schema_file.h"
#include "util/system.h"

#ifndef TANDEM_VERSION
#define TANDEM_VERSION "0"
#endif

/* The kernel's: 15 and a NUL. */
#define NAME_BYTES 16

/* The text that differs from process to process; the rest is constant. */
struct head {
	char text[16384];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct head *head, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(head->text + head->length, sizeof(head->text) - head->length, format,
			   arguments);
	va_end(arguments);
	if (length > 0)
		head->length += (size_t)length;
	if (head->length >= sizeof(head->text))
		head->length = sizeof(head->text) - 1;
}

/* A TSDL string literal; what can't stand in one becomes a question mark. */
static void put_string(struct head *head, const char *name, const char *value, size_t length)
{
	put(head, "\t%s = \"", name);
	for (size_t i = 0; i < length && head->length + 64 < sizeof(head->text); i++) {
		unsigned char c = (unsigned char)value[i];

		if (c == '"' || c == '\\')
			put(head, "\\%c", c);
		else
			put(head, "%c", c < 32 || c == 127 ? '?' : c);
	}
	put(head, "\";\n");
}

static void put_command(struct head *head)
{
	static char command[4096];
	int fd = system_open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
	ssize_t length = fd < 0 ? 0 : read(fd, command, sizeof(command));

	if (fd >= 0)
		system_close(fd);
	while (length > 0 && !command[length - 1])
		length--;
	for (ssize_t i = 0; i < length; i++)
		if (!command[i])
			command[i] = ' ';
	put_string(head, "command", command, length > 0 ? (size_t)length : 0);
}

static void put_boot(struct head *head)
{
	char boot[40];

	system_read_text(SYSTEM_BOOT_ID, boot, sizeof(boot));
	if (*boot)
		put_string(head, "boot_id", boot, strlen(boot));
}

/* A process is called as its first thread. Another one may ask, and the caller may be a child
 * of the process: then that is its parent, by the number that this /proc knows. */
static void process_name(const struct tandem_metadata *metadata, char name[NAME_BYTES])
{
	char stat[512], comm[NAME_BYTES + 1], path[32] = "/proc/self/comm", *at;
	int parent = 0;

	memcpy(name, metadata->thread_name, NAME_BYTES);
	if (*name && metadata->tid == metadata->pid)
		return;
	if (getpid() != metadata->pid) {
		system_read_text("/proc/self/stat", stat, sizeof(stat));
		at = strrchr(stat, ')');
		if (!at || sscanf(at + 1, " %*c %d", &parent) != 1)
			return;
		snprintf(path, sizeof(path), "/proc/%d/comm", parent);
	}
	system_read_text(path, comm, sizeof(comm));
	if (*comm)
		memcpy(name, comm, NAME_BYTES);
}

static void put_environment(struct head *head, const struct tandem_metadata *metadata)
{
	char comm[NAME_BYTES];
	struct utsname host;

	process_name(metadata, comm);
	if (uname(&host))
		strcpy(host.nodename, "?");
	put(head, "env {\n");
	put(head, "\ttandem = \"%s\";\n\tschema = \"%s\";\n", TANDEM_VERSION, tandem_schema_hash);
	put(head, "\tpid = %d;\n\tppid = %d;\n", metadata->pid, metadata->ppid);
	put_string(head, "procname", comm, strnlen(comm, sizeof(comm)));
	put_string(head, "hostname", host.nodename, strlen(host.nodename));
	put_boot(head);
	put_command(head);
	put(head, "\targs_level = %u;\n\tdevice_timing = %u;\n\tclock_source = %u;\n",
	    metadata->control->args_level, metadata->control->device_timing,
	    metadata->control->clock_source);
	put(head, "%s};\n\n", metadata->environment ? metadata->environment : "");
}

/* Absolute time is CLOCK_REALTIME at the session's start, so that readers that
 * know no better show the time of day. Exact conversion to CLOCK_MONOTONIC is
 * by the pairs in each packet (schema/record.h). */
static void put_clock(struct head *head, const struct tandem_control *control)
{
	uint64_t hz = control->ticks_hz ? control->ticks_hz : 1000000000u;
	uint64_t ticks = control->start_ticks;
	uint64_t ns = ticks / hz * 1000000000u +
		      (uint64_t)((unsigned __int128)(ticks % hz) * 1000000000u / hz);
	uint64_t zero = control->start_realtime_ns > ns ? control->start_realtime_ns - ns : 0;
	uint64_t seconds = zero / 1000000000u;
	uint64_t rest = (uint64_t)((unsigned __int128)(zero % 1000000000u) * hz / 1000000000u);

	put(head,
	    "clock {\n\tname = ticks;\n\tdescription = \"%s\";\n\tfreq = %llu;\n"
	    "\toffset_s = %llu;\n\toffset = %llu;\n\tabsolute = TRUE;\n};\n\n",
	    control->clock_source == TANDEM_CLOCK_MONOTONIC ? "CLOCK_MONOTONIC"
							    : "time-stamp counter",
	    (unsigned long long)hz, (unsigned long long)seconds, (unsigned long long)rest);
}

static const char stream_class[] =
	"typealias integer { size = 64; align = 64; signed = false; map = clock.ticks.value; }"
	" := ticks_t;\n"
	"struct packet_context {\n"
	"\tinteger { size = 64; align = 8; map = clock.ticks.value; } timestamp_begin;\n"
	"\tinteger { size = 64; align = 8; map = clock.ticks.value; } timestamp_end;\n"
	"\tu64 content_size;\n\tu64 packet_size;\n\tu64 packet_seq_num;\n\tu64 events_discarded;\n"
	"\tu64 monotonic_ns;\n\tu64 ticks;\n\tu32 ticks_error;\n\tu32 tid;\n"
	"\tinteger { size = 8; align = 8; signed = false; encoding = UTF8; } thread_name[16];\n"
	"};\n\n"
	"stream {\n\tid = 0;\n"
	"\tevent.header := struct {\n\t\tticks_t timestamp;\n\t\tu16 id;\n\t};\n"
	"\tevent.context := struct {\n\t\tu16 size;\n\t};\n"
	"\tpacket.context := struct packet_context;\n};\n\n";

static void put_trace(struct head *head, const uint8_t uuid[16])
{
	put(head, "/* CTF 1.8 */\n\n%s\n", tandem_tsdl_types);
	put(head, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n\tuuid = \"");
	for (int i = 0; i < 16; i++)
		put(head, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	put(head, "\";\n\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu8 uuid[16];\n"
		  "\t\tu32 stream_id;\n\t\tu64 stream_instance_id;\n\t};\n};\n\n");
}

static int metadata_put(int fd, const struct tandem_metadata *metadata)
{
	/* Not on the stack, which may be a signal handler's. */
	static struct head head;
	static struct schema_file schema;
	int error;

	head.length = 0;
	put_trace(&head, metadata->uuid);
	put_environment(&head, metadata);
	put_clock(&head, metadata->control);
	error = system_write_all(fd, head.text, head.length);
	if (!error)
		error = system_write_all(fd, stream_class, sizeof(stream_class) - 1);
	schema_file_open(&schema, metadata->session);
	for (unsigned number = 0; !error && number < TANDEM_DOMAINS; number++)
		if (metadata->domains >> number & 1)
			error = schema_file_copy(&schema, number, fd);
	schema_file_close(&schema);
	return error;
}

int tandem_metadata_write(const struct tandem_metadata *metadata)
{
	char hidden[TANDEM_PATH_BYTES + 64], path[TANDEM_PATH_BYTES + 64];
	int fd, error;

	if (metadata->control->args_level > TANDEM_ARGS_FULL)
		return -EPROTO;
	strcpy(stpcpy(path, metadata->dir), "/" DIRECTORY_METADATA);
	strcpy(stpcpy(hidden, metadata->dir), "/.metadata");
	fd = system_open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fd;
	error = metadata_put(fd, metadata);
	system_close(fd);
	if (!error && syscall(SYS_renameat, AT_FDCWD, hidden, AT_FDCWD, path))
		error = -errno;
	if (error)
		syscall(SYS_unlinkat, AT_FDCWD, hidden, 0);
	return error;
}
