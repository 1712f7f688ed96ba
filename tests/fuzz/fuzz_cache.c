/* SPDX-License-Identifier: MIT */
/* Fuzz target of the cache of readers (trace/session/cache.c) and of the imports in it
 * (trace/external/lttng/lttng_import.c): folders that an older build, a cleaner of caches, a full
 * disk or another program has left, and other readers at the same time.
 *
 * An input is a sequence of steps: what is done, with which of the names below, with how much of
 * the input as its content. Whatever they do, a reader gets the whole import; one that is open
 * stays whole unless the steps went for it; nothing outside of the cache is changed, and no folder
 * is used that others may write.
 *
 * The conversion itself is this file's: it writes a session that is the same each time. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "scratch.h"
#include "trace/external/lttng/lttng_import.h"
#include "trace/session/cache.h"
#include "trace/session/session_open.h"
#include "util/folder/tree_remove.h"

#define READERS 3u
#define STEPS_MOST 60u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* What the conversion writes. */
static const struct {
	const char *name, *text; /* NULL: a folder */
} made[] = {
	{"session.json", "{\"program\": \"made\", \"ticks_hz\": 1000000000}"},
	{"process-77", NULL},
	{"process-77/metadata", "env {\n\tpid = 77;\n\targs_level = 1;\n"
				"\tprocname = \"synthetic\";\n};\n"
				"clock {\n\tfreq = 1000000000;\n};\n"},
	{"process-77/stream-1", "stream"},
	{"control", "page"},
};
#define MADE (sizeof(made) / sizeof(*made))

static char trace[200], outside[200], cache[200], folder[256];

/* Where a step does something: below the cache. "%" is the session's folder, "@" the import. */
static const char *const places[] = {
	"@/complete",
	"@/control",
	"@/session.json",
	"@/process-77/stream-1",
	"@/process-77/metadata",
	"@/process-77",
	"@/process-78",
	"@/process-77/stream-2",
	"@/problem",
	"@/kernel",
	"@",
	"%/import.part-abcdef",
	"%/import-0000000000000000",
	"%/import.part-abcdef/control",
	"%/path",
	"%/timeline.index",
	"%/import",
	"%",
	"/tandem",
	"/tandem/0123456789abcdef",
	"/tandem/0123456789abcdef/path",
	"/tandem/0123456789abcdef/import-1",
	"/tandem/0123456789abcdef/import-1/deep",
	"/tandem/0123456789abcdef/timeline.index.part",
	"/tandem/0123456789abcdef/other",
	"",
};

static _Thread_local bool trying;

/* Nobody is waited for: it is this process that holds the locks. */
int nanosleep(const struct timespec *pause, struct timespec *rest)
{
	return trying ? 0 : (int)syscall(SYS_nanosleep, pause, rest);
}

/* A temporary folder is removed here in any case: its guard (temporary_folder.c) only takes time. */
pid_t fork(void)
{
	errno = EAGAIN;
	return -1;
}

static void put(const char *path, const char *text)
{
	const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	ssize_t count = (ssize_t)strlen(text);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	/* A conversion takes longer than the clock of the file system ticks. */
	if (fd < 0 || write(fd, text, (size_t)count) != count || futimens(fd, times))
		abort();
	close(fd);
}

int lttng_convert(const char *from, const char *to, const struct lttng_modules *modules,
		  struct error *error)
{
	char path[1024];

	(void)from;
	(void)modules;
	(void)error;
	for (size_t i = 0; i < MADE; i++) {
		snprintf(path, sizeof(path), "%s/%s", to, made[i].name);
		if (made[i].text)
			put(path, made[i].text);
		else if (mkdir(path, 0700))
			abort();
	}
	return 0;
}

int lttng_convert_into(const char *from, const char *to, const char *module, struct error *error)
{
	(void)from;
	(void)to;
	(void)module;
	(void)error;
	return -ENOTSUP;
}

pid_t lttng_convert_begin(const char *from, const char *to, const char *module, int *fd,
			  struct error *error)
{
	*fd = -1;
	return lttng_convert_into(from, to, module, error);
}

int lttng_convert_end(const char *from, pid_t child, int fd, struct error *error)
{
	(void)from;
	(void)child;
	(void)fd;
	(void)error;
	return -ENOTSUP;
}

static void fail(const char *what, const char *path)
{
	fprintf(stderr, "cache: %s: %s\n", what, path);
	abort();
}

static bool is_as_made(const char *path, const char *text)
{
	char found[256];
	int fd = open(path, (text ? 0 : O_DIRECTORY) | O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	ssize_t count = fd >= 0 && text ? read(fd, found, sizeof(found)) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0 &&
	       (!text || (count == (ssize_t)strlen(text) && !memcmp(found, text, strlen(text))));
}

/* The import is as the conversion made it. */
static void check_whole(const char *session)
{
	static const char *const too_many[] = {"process-78", "process-77/stream-2", "kernel"};
	char path[1024];

	for (size_t i = 0; i < MADE; i++) {
		snprintf(path, sizeof(path), "%s/%s", session, made[i].name);
		if (!is_as_made(path, made[i].text))
			fail("an import is used that is not whole", path);
	}
	for (size_t i = 0; i < sizeof(too_many) / sizeof(*too_many); i++) {
		snprintf(path, sizeof(path), "%s/%s", session, too_many[i]);
		if (!faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
			fail("an import is used that has too much", path);
	}
}

/* The folders that hold the import are this user's, and nobody else's to write. */
static void check_private(const char *session)
{
	struct stat status;
	char path[1024];

	if (strncmp(session, folder, strlen(folder)))
		return;
	snprintf(path, sizeof(path), "%s/tandem", cache);
	if (lstat(path, &status) || !S_ISDIR(status.st_mode) || status.st_mode & 022)
		fail("a folder is used that others may write", path);
	if (lstat(folder, &status) || !S_ISDIR(status.st_mode) || status.st_mode & 022)
		fail("a folder is used that others may write", folder);
}

struct reader {
	struct lttng_import import;
	bool open, spoilt;
};

static void reader_open(struct reader *reader)
{
	const struct lttng_modules modules = {NULL, NULL};
	struct trace_problems problems = {.tell = NULL};
	struct trace_session session;
	struct error error = ERROR_INIT;

	if (lttng_import_make(&reader->import, trace, &modules, &error))
		fail("no import", error.count ? error.causes[0] : "");
	reader->open = true;
	reader->spoilt = false;
	check_whole(reader->import.session);
	check_private(reader->import.session);
	if (reader->import.problem[0])
		fail("a problem that there is not", reader->import.problem);
	if (!trace_session_open(&session, reader->import.session, &problems, &error))
		trace_session_close(&session);
	trace_problems_free(&problems);
}

static void reader_close(struct reader *reader)
{
	if (!reader->open)
		return;
	/* Whoever came later has removed nothing of it. */
	if (!reader->spoilt)
		check_whole(reader->import.session);
	lttng_import_close(&reader->import);
	reader->open = false;
}

/* The import as it is called now, or a name that there is none of. */
static void import_name(char *path, size_t bytes, const struct reader *readers)
{
	for (unsigned i = 0; i < READERS; i++)
		if (readers[i].open &&
		    !strncmp(readers[i].import.session, folder, strlen(folder))) {
			snprintf(path, bytes, "%s", readers[i].import.session);
			return;
		}
	snprintf(path, bytes, "%s/import-none", folder);
}

static void place_name(char *path, size_t bytes, const char *place, const struct reader *readers)
{
	size_t length;

	if (*place == '@')
		import_name(path, bytes, readers);
	else
		snprintf(path, bytes, "%s", *place == '%' ? folder : cache);
	length = strlen(path);
	snprintf(path + length, bytes - length, "%s", place + (*place == '@' || *place == '%'));
}

static void write_at(const char *path, int flags, const struct scratch_part *content)
{
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | (flags & ~O_TRUNC), 0600);
	struct stat status;

	/* Another name of the file outside: it is not for the steps to change. */
	if (fd < 0 || fstat(fd, &status) || status.st_nlink > 1) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (flags & O_TRUNC && ftruncate(fd, 0) && errno != EINVAL)
		fail("cannot be cut", path);
	if (write(fd, content->data, content->bytes) < 0 && errno != EAGAIN && errno != EISDIR)
		fail("the disk is full", path);
	close(fd);
}

static void chmod_here(const char *path, mode_t mode)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0)
		fchmod(fd, mode);
	if (fd >= 0)
		close(fd);
}

static void change_trace(uint8_t how)
{
	const struct timespec times[2] = {{.tv_sec = how}, {.tv_sec = how}};
	char path[300];

	snprintf(path, sizeof(path), "%s/metadata", trace);
	if (utimensat(AT_FDCWD, path, times, 0))
		abort();
}

/* Whether the place is in the cache, and not behind a link that a step has made. */
static bool is_in_cache(const char *path)
{
	char parent[1024], *slash, *real;
	bool inside;

	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	*slash = '\0';
	real = realpath(parent, NULL);
	inside = real && (!strncmp(real, cache, strlen(cache)) || !strcmp(path, cache));
	free(real);
	return inside;
}

/* What comes to the cache from elsewhere. */
static void meddle(uint8_t what, const char *path, const struct scratch_part *content, int *locked,
		   uint8_t choice)
{
	static const mode_t modes[] = {0700, 0777, 0755, 0720};
	char to[1024];
	int fd;

	switch (what) {
	case 0:
		write_at(path, O_CREAT | O_TRUNC, content);
		break;
	case 1:
		write_at(path, 0, content);
		break;
	case 2:
		mkdir(path, 0700);
		break;
	case 3:
		tree_remove(path);
		if (symlink(choice % 2 ? outside : "/nowhere", path))
			break;
		break;
	case 4:
		tree_remove(path);
		mkfifo(path, 0600);
		break;
	case 5:
		remove(path);
		break;
	case 6:
		tree_remove(path);
		break;
	case 7:
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
		if (fd >= 0 && *locked < 0 &&
		    !flock(fd, (choice % 2 ? LOCK_EX : LOCK_SH) | LOCK_NB))
			*locked = fd;
		else if (fd >= 0)
			close(fd);
		break;
	case 8:
		chmod_here(path, modes[choice % 4]);
		break;
	case 9:
		tree_remove(path);
		snprintf(to, sizeof(to), "%s/kept", outside);
		if (link(to, path))
			break;
		break;
	case 10:
		snprintf(to, sizeof(to), "%s/moved-%u", cache, choice % 3u);
		if (rename(path, to))
			break;
		break;
	default:
		break;
	}
}

static void check_outside(void)
{
	char path[300], text[16] = "";
	struct stat status;
	int fd;

	snprintf(path, sizeof(path), "%s/kept", outside);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &status) || read(fd, text, sizeof(text)) != 4 ||
	    memcmp(text, "kept", 4))
		fail("a file outside of the cache was changed", path);
	close(fd);
	snprintf(path, sizeof(path), "%s/import-1/control", outside);
	if (access(path, F_OK))
		fail("a file outside of the cache was removed", path);
}

static void make_all(void)
{
	struct reader first;
	char *found;

	snprintf(trace, sizeof(trace), "%s/trace", scratch());
	snprintf(outside, sizeof(outside), "%s/outside", scratch());
	snprintf(cache, sizeof(cache), "%s/cache", scratch());
	scratch_folder("trace");
	scratch_folder("outside");
	scratch_folder("outside/import-1");
	scratch_put("outside/import-1/control", "", 0);
	scratch_put("outside/kept", "kept", 4);
	scratch_put("trace/metadata", "lttng", 5);
	setenv("XDG_CACHE_HOME", cache, 1);
	setenv("TMPDIR", scratch(), 1);
	found = trace_cache_folder(trace);
	if (!found)
		abort();
	snprintf(folder, sizeof(folder), "%s", found);
	free(found);
	memset(&first, 0, sizeof(first));
	reader_open(&first);
	reader_close(&first);
}

static void step(struct reader *readers, int *locked, uint8_t what, uint8_t choice,
		 const struct scratch_part *content)
{
	struct reader *reader = &readers[choice % READERS];
	char path[1024];

	if (what < 4) {
		reader_close(reader);
		reader_open(reader);
	} else if (what == 4) {
		reader_close(reader);
	} else if (what == 5) {
		change_trace(choice);
	} else if (what == 6) {
		free(trace_cache_folder(choice % 2 ? outside : trace));
	} else if (what == 7) {
		if (*locked >= 0)
			close(*locked);
		*locked = -1;
	} else {
		place_name(path, sizeof(path), places[choice % (sizeof(places) / sizeof(*places))],
			   readers);
		if (is_in_cache(path))
			meddle((what - 8) % 11, path, content, locked, choice / 32);
		for (unsigned i = 0; i < READERS; i++)
			readers[i].spoilt = true;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct reader readers[READERS];
	struct scratch_part content;
	int locked = -1;

	if (!*trace)
		make_all();
	trying = true;
	tree_remove(cache);
	change_trace(0);
	for (unsigned i = 0; bytes >= 2 && i < STEPS_MOST; i++) {
		uint8_t what = data[0] % 19, choice = data[1];

		data += 2;
		bytes -= 2;
		content = (struct scratch_part){data, 0};
		if (what == 8 || what == 9)
			content = scratch_part(&data, &bytes);
		step(readers, &locked, what, choice, &content);
	}
	for (unsigned i = 0; i < READERS; i++)
		reader_close(&readers[i]);
	if (locked >= 0)
		close(locked);
	check_outside();
	trying = false;
	return 0;
}
