/* SPDX-License-Identifier: MIT */
/* A session for the tests of src/core: a folder with a control page, as
 * `tandem record` makes it, attached to by this process. */
#ifndef TESTS_CORE_SESSION_H
#define TESTS_CORE_SESSION_H

#include <stdint.h>

struct session_test {
	char dir[256];
};

/* Runs `test` in a child process that is attached to a new session under
 * $TANDEM_TMP, with packets of about `subbuffer_bytes` and a limit of
 * `limit_bytes` (0: none). What it left is in session->dir. Returns the child's
 * wait status. */
int session_test_run(struct session_test *session, uint32_t subbuffer_bytes, uint64_t limit_bytes,
		     void (*test)(void));

/* First thing in main(): in such a child, runs the test and does not return. */
void session_test_child(int argc, char **argv);

/* Sum of records with this id in every stream and window of every process of
 * the session; exits with a message at a packet that is not whole. Duplicates
 * (a packet both in stream-K and window-K) count once. */
uint64_t session_test_count(const struct session_test *session, uint16_t id);

/* In the child: a number for whoever looks at the session afterwards. */
void leave_number(uint64_t number);
uint64_t session_test_number(const struct session_test *session);

/* Losses of this reason. */
uint64_t session_test_lost(const struct session_test *session, unsigned reason);

extern int session_test_failures;

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			session_test_failures++;                                        \
		}                                                                       \
	} while (0)

#endif
