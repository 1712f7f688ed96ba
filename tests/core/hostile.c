/* SPDX-License-Identifier: MIT */
/* What programs do to themselves: they close every descriptor, lock themselves in, give up
 * their rights, leave handlers by siglongjmp(). Nothing of that is disturbed by recording,
 * and what is recorded and what is lost add up. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/call/call.h"
#include "core/stream/stream_file.h"
#include "schema/gen/core_records.h"
#include "session.h"

#define ID TANDEM_EVENT_none
#define WINDOW (64u * 1024u)
#define CALLS 300000u

static void record_calls(unsigned count)
{
	struct tandem_call call;

	for (unsigned i = 0; i < count; i++) {
		if (tandem_call_begin(&call, ID, 24))
			tandem_call_commit(&call);
		tandem_call_end(&call, 0);
	}
}

static void *record_few(void *unused)
{
	(void)unused;
	record_calls(100);
	return NULL;
}

static void run_thread(void)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, record_few, NULL));
	pthread_join(thread, NULL);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One thread closes everything and opens a file of its own, again and again, while others
 * record and come and go. */
static _Atomic int closing_ends;

static void *record_on(void *unused)
{
	(void)unused;
	while (!closing_ends)
		record_calls(1000);
	return NULL;
}

static void *threads_come_and_go(void *unused)
{
	(void)unused;
	while (!closing_ends)
		run_thread();
	return NULL;
}

static void closes_all(void)
{
	char path[] = "/tmp/tandem-hostile-XXXXXX", found[64];
	pthread_t threads[3];
	unsigned rounds = 0;
	int fd = mkstemp(path);
	double end;

	CHECK(fd >= 0);
	close(fd);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, record_on, NULL);
	pthread_create(&threads[2], NULL, threads_come_and_go, NULL);
	for (end = seconds() + 3; seconds() < end && !session_test_failures; rounds++) {
		struct stat status;

		syscall(SYS_close_range, 3u, ~0u, 0u);
		fd = open(path, O_RDWR | O_TRUNC);
		CHECK(fd >= 0 && write(fd, "mine", 4) == 4);
		for (int i = 0; i < 20; i++)
			CHECK(!fstat(fd, &status) && status.st_size == 4 && status.st_blocks <= 8);
		CHECK(pread(fd, found, sizeof(found), 0) == 4 && !memcmp(found, "mine", 4));
		CHECK(!close(fd));
	}
	closing_ends = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	unlink(path);
	CHECK(rounds > 100);
}

/* Whoever calls one of `count` numbers dies; or who calls another, where `only`. */
static void forbid(const unsigned *numbers, unsigned count, bool only)
{
	struct sock_filter filter[64] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	unsigned length = 1;

	for (unsigned i = 0; i < count; i++) {
		filter[length++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[i], 0, 1);
		filter[length++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, only ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS);
	}
	filter[length++] = (struct sock_filter)BPF_STMT(
		BPF_RET | BPF_K, only ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW);
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		     &(struct sock_fprog){.len = (unsigned short)length, .filter = filter}));
}

static void no_open(void)
{
	static const unsigned numbers[] = {
		SYS_openat,
#ifdef SYS_open
		SYS_open,
#endif
		SYS_mkdirat, SYS_renameat, SYS_fallocate, SYS_ftruncate,
	};

	record_calls(10);
	forbid(numbers, sizeof(numbers) / sizeof(*numbers), false);
	record_calls(CALLS);
	run_thread();
	run_thread();
}

/* Nothing was recorded before. */
static void no_open_at_all(void)
{
	static const unsigned numbers[] = {SYS_openat, SYS_mkdirat};

	forbid(numbers, 2, false);
	record_calls(CALLS);
	run_thread();
}

/* Whoever makes one of these calls dies; the number is in the environment. */
static void no_call(void)
{
	unsigned number = (unsigned)atoi(getenv("HOSTILE_CALL"));

	record_calls(10);
	forbid(&number, 1, false);
	record_calls(CALLS);
}

static const struct {
	const char *name;
	int number;
} calls_of_ours[] = {
	{"madvise", SYS_madvise},
	{"rt_sigprocmask", SYS_rt_sigprocmask},
	{"clone", SYS_clone},
	{"wait4", SYS_wait4},
	{"mmap", SYS_mmap},
	{"munmap", SYS_munmap},
	{"openat", SYS_openat},
	{"close", SYS_close},
	{"pwritev", SYS_pwritev},
	{"write", SYS_write},
	{"ftruncate", SYS_ftruncate},
	{"renameat", SYS_renameat},
	{"truncate", SYS_truncate},
	{"newfstatat", SYS_newfstatat},
	{"unlinkat", SYS_unlinkat},
	{"futex", SYS_futex},
	{"gettid", SYS_gettid},
	{"prctl", SYS_prctl},
	{"getpid", SYS_getpid},
	{"getrandom", SYS_getrandom},
	{"prlimit64", SYS_prlimit64},
	{"process_vm_readv", SYS_process_vm_readv},
	{"fallocate", SYS_fallocate},
	{"sched_yield", SYS_sched_yield},
	{"fstat", SYS_fstat},
	{"close_range", 436},
	{"sigaltstack", SYS_sigaltstack},
};

/* No call but the last one. */
static void only_exit(void)
{
	static const unsigned numbers[] = {SYS_exit_group};

	record_calls(10);
	forbid(numbers, 1, true);
	record_calls(CALLS);
}

static void only_exit_at_all(void)
{
	static const unsigned numbers[] = {SYS_exit_group};

	forbid(numbers, 1, true);
	record_calls(CALLS);
}

/* By seccomp(2), for all threads: one that records already, and one that begins then. */
static _Atomic int steps;

static void *record_in_steps(void *first)
{
	if (first)
		record_calls(10);
	steps++;
	while (steps < 3) {
	}
	record_calls(CALLS / 4);
	steps++;
	/* A thread's end is more than the filter lets pass. */
	while (steps) {
	}
	return NULL;
}

static void forbid_for_all(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	pthread_t thread;

	record_calls(10);
	CHECK(!pthread_create(&thread, NULL, record_in_steps, (void *)(uintptr_t)1));
	CHECK(!pthread_create(&thread, NULL, record_in_steps, NULL));
	while (steps < 2) {
	}
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
		       &(struct sock_fprog){.len = 4, .filter = filter}));
	steps++;
	record_calls(CALLS / 4);
	while (steps < 5) {
	}
}

/* What installs none changes nothing. */
static void no_filter(void)
{
	struct sock_filter odd[] = {BPF_STMT(BPF_RET | BPF_X, 0)};

	record_calls(10);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (void *)16) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		    &(struct sock_fprog){.len = 1, .filter = odd}) == -1 &&
	      errno == EINVAL);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1u << 30, NULL) == -1 &&
	      errno == EINVAL);
	CHECK(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0);
	/* All six arguments arrive. */
	CHECK(syscall(SYS_mmap, NULL, 4096l, (long)PROT_READ, (long)MAP_PRIVATE, -1l, 4096l) ==
		      -1 &&
	      errno == EBADF);
	record_calls(CALLS);
	run_thread();
}

static void another_user(void)
{
	record_calls(10);
	CHECK(!setgid(65534) && !setuid(65534));
	record_calls(CALLS);
	run_thread();
}

static void another_root(void)
{
	char path[] = "/tmp/tandem-root-XXXXXX";

	record_calls(10);
	CHECK(mkdtemp(path) && !chroot(path) && !chdir("/"));
	record_calls(CALLS);
	run_thread();
}

static void no_descriptors(void)
{
	struct rlimit none = {3, 3};

	record_calls(10);
	CHECK(!setrlimit(RLIMIT_NOFILE, &none));
	record_calls(CALLS);
	run_thread();
	run_thread();
}

static void small_files(void)
{
	struct rlimit limit = {1 << 20, 1 << 20};

	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	record_calls(CALLS);
	run_thread();
}

/* Going beyond the limit is a signal, which a child of ours would have got, were there one. */
static void small_files_later(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct rlimit limit = {40000, 40000};

	record_calls(10);
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		     &(struct sock_fprog){.len = 4, .filter = filter}));
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	record_calls(CALLS);
}

/* Nobody will ever write into it. */
static void schema_is_pipe(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/schema", getenv("TANDEM_SESSION"));
	CHECK(!unlink(path) && !mkfifo(path, 0600));
	alarm(20);
	record_calls(10);
}

/* The name of the stream's file now means another one, which is nobody's to write. */
static void file_replaced(void)
{
	char path[512], kept[512], found[1024];
	struct stat status;
	FILE *other;

	record_calls(10);
	snprintf(path, sizeof(path), "%s/process-%d/stream-1", getenv("TANDEM_SESSION"), getpid());
	snprintf(kept, sizeof(kept), "%s/kept", getenv("TANDEM_SESSION"));
	CHECK(!stat(path, &status) && !rename(path, kept));
	other = fopen(path, "w");
	CHECK(other && !ftruncate(fileno(other), status.st_size));
	for (off_t at = 0; at < 4 << 20; at += (off_t)sizeof(found)) {
		memset(found, 'x', sizeof(found));
		CHECK(fwrite(found, 1, sizeof(found), other) == sizeof(found));
	}
	CHECK(!fclose(other));
	record_calls(CALLS / 2);
	tandem_stream_close();
	stream_files_close();
	other = fopen(path, "r");
	CHECK(other && !fstat(fileno(other), &status) && status.st_size >= 4 << 20);
	for (off_t at = 0; at < 4 << 20; at += (off_t)sizeof(found)) {
		CHECK(fread(found, 1, sizeof(found), other) == sizeof(found));
		for (unsigned i = 0; i < sizeof(found); i++)
			CHECK(found[i] == 'x');
	}
	CHECK(!fclose(other) && !rename(kept, path));
}

/* A kernel that reserves no pages by madvise(): before 5.14. */
static void old_kernel(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 23, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		     &(struct sock_fprog){.len = 6, .filter = filter}));
	record_calls(CALLS);
	run_thread();
}

/* A handler that interrupted a record leaves it for good. */
static sigjmp_buf jump;
static _Atomic unsigned begun, completed, jumps, interrupted_records;

/* For the process that looks at the session. */
static void leave_numbers(unsigned first, unsigned second, unsigned third)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/numbers", getenv("TANDEM_SESSION"));
	file = fopen(path, "w");
	CHECK(file && fprintf(file, "%u %u %u", first, second, third) > 0 && !fclose(file));
}

static void take_numbers(const struct session_test *session, unsigned numbers[3])
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/numbers", session->dir);
	file = fopen(path, "r");
	CHECK(file && fscanf(file, "%u %u %u", &numbers[0], &numbers[1], &numbers[2]) == 3 &&
	      !fclose(file));
}

static void on_alarm(int number)
{
	(void)number;
	if (tandem_thread.busy)
		interrupted_records++;
	jumps++;
	siglongjmp(jump, 1);
}

__attribute__((noinline)) static void record_deep(unsigned depth)
{
	volatile char room[512];

	room[0] = (char)depth;
	if (depth) {
		record_deep(depth - 1);
	} else {
		for (int i = 0; i < 1000; i++) {
			struct tandem_call call;
			void *record;

			begun++;
			record = tandem_call_begin(&call, ID, 24);
			if (record) {
				tandem_call_commit(&call);
				completed++;
			}
		}
	}
	room[1] = room[0];
}

static void left_by_jump(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval timer = {{0, 200}, {0, 200}};
	volatile unsigned round = 0;

	begun = completed = 1;
	record_calls(1);
	sigaction(SIGALRM, &action, NULL);
	sigsetjmp(jump, 1);
	if (!round)
		setitimer(ITIMER_REAL, &timer, NULL);
	while (interrupted_records < 300 && jumps < 60000)
		record_deep(round++ % 7);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	/* It records on, at whatever depth. */
	for (unsigned i = 0; i < 7; i++)
		record_deep(i);
	CHECK(interrupted_records >= 10);
	leave_numbers(begun, completed, interrupted_records);
}

/* One that returns finds its record as it was, however many calls it makes. */
static void on_alarm_calls(int number)
{
	(void)number;
	record_calls(3);
	jumps++;
}

static void returns_from_handler(void)
{
	struct sigaction action = {.sa_handler = on_alarm_calls};
	struct itimerval timer = {{0, 100}, {0, 100}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (unsigned i = 0; i < 3000; i++)
		record_calls(1000);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	leave_numbers(3000 * 1000 + 3 * jumps, 0, 0);
}

/* A thread that records in the destructor of another key. */
static pthread_key_t late_key;

static void late_destructor(void *value)
{
	uintptr_t times = (uintptr_t)value;

	record_calls(10);
	if (times > 1)
		pthread_setspecific(late_key, (void *)(times - 1));
}

static void *record_late(void *unused)
{
	(void)unused;
	pthread_setspecific(late_key, (void *)(uintptr_t)3);
	record_calls(10);
	return NULL;
}

static void records_late(void)
{
	pthread_t thread;

	pthread_key_create(&late_key, late_destructor);
	pthread_create(&thread, NULL, record_late, NULL);
	pthread_join(thread, NULL);
	CHECK(tandem_control.threads == 1);
}

/* Somebody cuts the session's files. */
static void cut_file(const char *pattern)
{
	char command[1024];

	snprintf(command, sizeof(command), "truncate -s 0 %s/%s", getenv("TANDEM_SESSION"),
		 pattern);
	CHECK(!system(command));
}

static void control_cut(void)
{
	record_calls(1000);
	cut_file("control");
	CHECK(!tandem_recording());
	record_calls(CALLS);
	run_thread();
}

static void stream_cut(void)
{
	record_calls(1000);
	cut_file("process-*/stream-1");
	record_calls(CALLS);
	run_thread();
	CHECK(tandem_control.lost[TANDEM_LOSS_io_error] == 1);
}

/* A SIGBUS of the program's own. */
static void own_file_cut(void)
{
	char path[] = "/tmp/tandem-own-XXXXXX", *own;
	int fd = mkstemp(path);

	record_calls(1000);
	CHECK(fd >= 0 && !unlink(path) && !ftruncate(fd, 4096));
	own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(own != MAP_FAILED && !ftruncate(fd, 0));
	*(volatile char *)own = 1;
}

static void bus_error_sent(void)
{
	record_calls(1000);
	raise(SIGBUS);
}

static void on_own(int number)
{
	(void)number;
	_exit(7);
}

static void own_handler(void)
{
	signal(SIGBUS, on_own);
	record_calls(1000);
	cut_file("control");
	record_calls(1000);
}

static uint64_t lost(const struct session_test *session)
{
	uint64_t sum = 0;

	for (unsigned reason = 0; reason < TANDEM_LOSS_COUNT; reason++)
		sum += session_test_lost(session, reason);
	return sum;
}

/* All of `calls` are recorded or counted, at least `kept` of them recorded. */
static void expect(const char *name, void (*test)(void), uint64_t calls, uint64_t kept)
{
	struct session_test session;
	int status = session_test_run(&session, WINDOW, 0, test);
	uint64_t found = session_test_count(&session, ID), missing = lost(&session);

	if (status || found + missing != calls || found < kept) {
		fprintf(stderr, "%s: status %d, %llu recorded, %llu lost of %llu\n", name, status,
			(unsigned long long)found, (unsigned long long)missing,
			(unsigned long long)calls);
		session_test_failures++;
	}
}

#ifdef __SANITIZE_ADDRESS__ /* whose runtime asks for the signal stack when a program ends */
#define ADDRESS_SANITIZER 1
#else
#define ADDRESS_SANITIZER 0
#endif
#ifdef __SANITIZE_THREAD__
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

/* Calls of left_by_jump() until it is back where it was: deeper ones may find the frame of a handler that was
 * left, on CPUs with small ones (without AVX-512), until they overwrite it. */
#define CALLS_UNTIL_BACK (6 * 1000)

/* What is lost is counted, and little. */
static void expect_jumps(void)
{
	struct session_test session;
	unsigned numbers[3] = {0};
	uint64_t found, missing;

	CHECK(session_test_run(&session, WINDOW, 0, left_by_jump) == 0);
	take_numbers(&session, numbers);
	found = session_test_count(&session, ID);
	missing = lost(&session);
	/* The thread sanitizer's handlers are not to be seen on the stack: there it takes longer
	 * until a thread is taken for left (core/stream/interrupted.c). */
	if (found < numbers[1] || found + missing > numbers[0] ||
	    (missing > (uint64_t)numbers[2] * CALLS_UNTIL_BACK && !THREAD_SANITIZER)) {
		fprintf(stderr,
			"jumps: %llu recorded, %llu lost of %u begun, %u completed, %u "
			"interrupted\n",
			(unsigned long long)found, (unsigned long long)missing, numbers[0],
			numbers[1], numbers[2]);
		session_test_failures++;
	}
}

static void expect_returns(void)
{
	struct session_test session;
	unsigned numbers[3] = {0};

	CHECK(session_test_run(&session, WINDOW, 0, returns_from_handler) == 0);
	take_numbers(&session, numbers);
	CHECK(session_test_count(&session, ID) + lost(&session) == numbers[0]);
}

static void expect_filters(void)
{
	for (size_t i = 0; i < sizeof(calls_of_ours) / sizeof(*calls_of_ours); i++) {
		char number[16];

		if (ADDRESS_SANITIZER && calls_of_ours[i].number == SYS_sigaltstack)
			continue;
		snprintf(number, sizeof(number), "%d", calls_of_ours[i].number);
		setenv("HOSTILE_CALL", number, 1);
		expect(calls_of_ours[i].name, no_call, CALLS + 10, 170000);
	}
	if (ADDRESS_SANITIZER)
		return;
	expect("only exit", only_exit, CALLS + 10, 170000);
	expect("only exit at all", only_exit_at_all, CALLS, 0);
	expect("forbidden for all", forbid_for_all, CALLS / 4 * 3 + 20, CALLS / 4 + 1000);
}

int main(int argc, char **argv)
{
	struct session_test session;

	session_test_child(argc, argv);
	/* The leak checker wants rights that these have given up, and SIGBUS is ours. */
	setenv("ASAN_OPTIONS", "detect_leaks=0:handle_sigbus=0", 1);
	CHECK(session_test_run(&session, WINDOW, 0, closes_all) == 0);
	/* What the files that were open before hold: 4 MiB of calls of 24 bytes. */
	/* The file that was open before holds 4 MiB of calls of 24 bytes, and threads to come
	 * have files that were made ready. */
	expect("no open", no_open, CALLS + 210, 170200);
	expect("no open at all", no_open_at_all, CALLS + 100, 0);
	/* What its runtime calls by itself is forbidden, too. */
	if (!THREAD_SANITIZER)
		expect_filters();
	expect("no filter", no_filter, CALLS + 110, CALLS + 110);
	if (!getuid()) {
		expect("another user", another_user, CALLS + 110, 170000);
		expect("another root", another_root, CALLS + 110, 170000);
	}
	expect("no descriptors", no_descriptors, CALLS + 210, CALLS + 210);
	expect("small files", small_files, CALLS + 100, CALLS + 100);
	expect("small files later", small_files_later, CALLS + 10, 170000);
	expect("schema is a pipe", schema_is_pipe, 10, 10);
	expect("file replaced", file_replaced, CALLS / 2 + 10, CALLS / 2 + 10);
	expect("old kernel", old_kernel, CALLS + 100, CALLS + 100);
	CHECK(session_test_run(&session, WINDOW, 0, control_cut) == 0);
	/* What was recorded before is gone with the file, and one record with the page. */
	expect("stream cut", stream_cut, CALLS + 100, CALLS + 99);
	CHECK(WTERMSIG(session_test_run(&session, WINDOW, 0, own_file_cut)) == SIGBUS);
	CHECK(WTERMSIG(session_test_run(&session, WINDOW, 0, bus_error_sent)) == SIGBUS);
	CHECK(WEXITSTATUS(session_test_run(&session, WINDOW, 0, own_handler)) == 7);
	expect_jumps();
	expect_returns();
	expect("records late", records_late, 40, 40);
	return session_test_failures ? 1 : 0;
}
