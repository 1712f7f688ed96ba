/* SPDX-License-Identifier: MIT */
/* Streams: what is committed is in the files, whatever becomes of the process. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/call/call.h"
#include "schema/gen/core_records.h"
#include "session.h"

#define ID TANDEM_EVENT_none
#define WINDOW (64u * 1024u)
#define LATE 0x7eadbeef /* a result that no other call has */

static void record_calls(unsigned count)
{
	struct tandem_call call;

	for (unsigned i = 0; i < count; i++) {
		if (tandem_call_begin(&call, ID, 24))
			tandem_call_commit(&call);
		tandem_call_end(&call, (int32_t)i);
	}
}

static void plain(void)
{
	record_calls(100000);
}

static void killed(void)
{
	record_calls(77777);
	kill(getpid(), SIGKILL);
}

static void leaves_at_once(void)
{
	record_calls(5);
	_exit(0);
}

static void *thread_main(void *count)
{
	record_calls(*(unsigned *)count);
	return NULL;
}

static void many_threads(void)
{
	pthread_t threads[64];
	unsigned count = 1000;

	for (int i = 0; i < 64; i++)
		pthread_create(&threads[i], NULL, thread_main, &count);
	for (int i = 0; i < 64; i++)
		pthread_join(threads[i], NULL);
}

/* A thread goes on after main has returned. */
static void *endless(void *unused)
{
	(void)unused;
	for (;;)
		record_calls(1);
	return NULL;
}

static void outlived(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, endless, NULL);
	record_calls(10000);
}

static void forks(void)
{
	record_calls(1000);
	for (int i = 0; i < 3; i++) {
		if (!fork()) {
			record_calls(10000);
			exit(0);
		}
	}
	while (wait(NULL) > 0) {
	}
	record_calls(1000);
}

/* A fork inside a call: the child comes back through the call's end, whose
 * record is the parent's. */
static void forks_in_call(void)
{
	struct tandem_call call;

	record_calls(10);
	if (tandem_call_begin(&call, ID, 24))
		tandem_call_commit(&call);
	if (!fork()) {
		tandem_call_end(&call, 1);
		record_calls(10);
		tandem_call_end(&call, 1);
		exit(0);
	}
	wait(NULL);
	tandem_call_end(&call, 0);
}

/* The call's record leaves the window before the call ends. */
static void ends_late(void)
{
	struct tandem_call call;

	record_calls(1);
	if (tandem_call_begin(&call, ID, 24))
		tandem_call_commit(&call);
	record_calls(100000);
	tandem_call_end(&call, LATE);
}

static volatile sig_atomic_t ticked;

static void on_alarm(int number)
{
	(void)number;
	record_calls(1);
	ticked++;
}

static void interrupted(void)
{
	struct sigaction action = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &action, NULL);
	ualarm(50, 50);
	while (ticked < 2000)
		record_calls(100);
	ualarm(0, 0);
}

static void long_records(void)
{
	for (uint32_t bytes = 16; bytes <= UINT16_MAX; bytes += 997) {
		struct tandem_record *record = tandem_record_begin(ID, bytes);

		if (record) {
			memset(record + 1, 1, bytes - sizeof(*record));
			tandem_record_commit();
		}
	}
}

static void no_files(void)
{
	struct rlimit before, none;

	record_calls(10);
	getrlimit(RLIMIT_NOFILE, &before);
	none = (struct rlimit){3, before.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	record_calls(100000);
	setrlimit(RLIMIT_NOFILE, &before);
}

static void check_late_end(const struct session_test *session)
{
	char command[512];

	/* Exactly one record of 24 bytes holds the result that was stored late. */
	snprintf(
		command, sizeof(command),
		"test $(cat %s/process-*/stream-* | LC_ALL=C grep -aoP '\\x18\\x00\\xef\\xbe\\xad\\x7e' | "
		"wc -l) = 1",
		session->dir);
	CHECK(!system(command));
}

int main(int argc, char **argv)
{
	struct session_test session;

	session_test_child(argc, argv);
	CHECK(session_test_run(&session, WINDOW, 0, plain) == 0);
	CHECK(session_test_count(&session, ID) == 100000);

	CHECK(WTERMSIG(session_test_run(&session, WINDOW, 0, killed)) == SIGKILL);
	CHECK(session_test_count(&session, ID) == 77777);

	CHECK(session_test_run(&session, WINDOW, 0, leaves_at_once) == 0);
	CHECK(session_test_count(&session, ID) == 5);

	CHECK(session_test_run(&session, WINDOW, 0, many_threads) == 0);
	CHECK(session_test_count(&session, ID) == 64000);

	CHECK(session_test_run(&session, WINDOW, 0, outlived) == 0);
	CHECK(session_test_count(&session, ID) >= 10000);

	CHECK(session_test_run(&session, WINDOW, 0, forks) == 0);
	CHECK(session_test_count(&session, ID) == 32000);

	CHECK(session_test_run(&session, WINDOW, 0, forks_in_call) == 0);
	CHECK(session_test_count(&session, ID) == 21);

	CHECK(session_test_run(&session, WINDOW, 0, ends_late) == 0);
	CHECK(session_test_count(&session, ID) == 100002);
	check_late_end(&session);

	CHECK(session_test_run(&session, WINDOW, 0, interrupted) == 0);
	CHECK(session_test_count(&session, ID) >= 2000);

	CHECK(session_test_run(&session, 1024 * 1024, 0, long_records) == 0);
	CHECK(session_test_count(&session, ID) == 66);
	CHECK(session_test_lost(&session, TANDEM_LOSS_too_large) == 0);

	/* In windows of 16 KiB at most, long records are lost and counted. */
	CHECK(session_test_run(&session, 16384, 0, long_records) == 0);
	CHECK(session_test_count(&session, ID) +
		      session_test_lost(&session, TANDEM_LOSS_too_large) ==
	      66);
	CHECK(session_test_lost(&session, TANDEM_LOSS_too_large) > 0);

	/* Nothing more than the limit, and nothing lost uncounted. */
	CHECK(session_test_run(&session, 16384, 100000, plain) == 0);
	CHECK(session_test_count(&session, ID) +
		      session_test_lost(&session, TANDEM_LOSS_size_limit) ==
	      100000);
	CHECK(session_test_lost(&session, TANDEM_LOSS_size_limit) > 90000);

	CHECK(session_test_run(&session, WINDOW, 0, no_files) == 0);
	CHECK(session_test_count(&session, ID) +
		      session_test_lost(&session, TANDEM_LOSS_io_error) ==
	      100010);
	return session_test_failures ? 1 : 0;
}
