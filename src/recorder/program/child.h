/* SPDX-License-Identifier: MIT */
/* The program as a child of the recorder: in its process group and on its
 * terminal, with its files and its signal dispositions, so that it notices
 * nothing of being a child.
 *
 * What the terminal sends (Ctrl-C, Ctrl-\, Ctrl-Z) reaches both; the recorder
 * ignores the first two, and stops once the program has stopped. What is sent to
 * the recorder alone with kill(1) (TERM, HUP, USR1, USR2, TSTP) is passed on.
 *
 * One thread. The recorder keeps none of the files that it inherited but
 * standard error: a reader of the program's output sees its end in time.
 */
#ifndef TANDEM_RECORDER_CHILD_H
#define TANDEM_RECORDER_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* What the recorder does while it waits: `work` is called at once, whenever fd
 * is readable, and after the ms that it returned (-1: no need to). */
struct poll_task {
	int fd; /* -1: none */
	int (*work)(void *user);
	void *user;
};

/* The program gets the limit of descriptors that there is now, whatever the recorder's is when
 * it starts. */
void child_files_keep(void);

/* From here on signals wait: Ctrl-C and what is passed on. For what has to be undone if one comes
 * before the program is there; child_start() goes on from there. */
void child_signals_hold(void);

/* Whether one that would end the recorder waits. */
bool child_signals_wait(void);

/* Instead of child_start(): they are delivered now. */
void child_signals_let(void);

/* Starts `path` with these arguments. Returns 0 or the -errno of exec. */
int child_start(pid_t *pid, const char *path, char **arguments, char **environment);

/* Waits for its end, passing signals on; `task` may be NULL. Returns its wait
 * status. */
int child_wait(pid_t pid, const struct poll_task *task);

/* Ends this process as the child ended: by its exit status or its signal. */
_Noreturn void child_imitate_end(int wait_status);

#endif
