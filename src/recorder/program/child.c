/* SPDX-License-Identifier: MIT */
#include "recorder/program/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recorder/target.h"

static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP};

enum { PASSED_COUNT = sizeof(passed_on) / sizeof(*passed_on) };

static void waited_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGCONT);
	sigaddset(set, TARGET_NUDGE);
	for (int i = 0; i < PASSED_COUNT; i++)
		sigaddset(set, passed_on[i]);
}

/* What the recorder has opened itself closes on exec; what it inherited can't
 * have been so, or it would not be here. */
static void close_inherited(void)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);
		int flags = fd > 2 ? fcntl(fd, F_GETFD) : FD_CLOEXEC;

		if (flags >= 0 && !(flags & FD_CLOEXEC))
			close(fd);
	}
	if (folder)
		closedir(folder);
}

/* Standard input and output to nowhere, every other file of the caller's but
 * standard error shut. */
static void let_files_go(void)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nowhere >= 0) {
		dup2(nowhere, 0);
		dup2(nowhere, 1);
		if (nowhere > 2)
			close(nowhere);
	}
	close_inherited();
}

struct start {
	const char *path;
	char **arguments, **environment;
	struct sigaction on_child; /* as the caller of tandem left it */
	sigset_t mask;
};

static struct rlimit files_before; /* the program's; 0: the recorder's are the same */

void child_files_keep(void)
{
	if (getrlimit(RLIMIT_NOFILE, &files_before))
		files_before.rlim_cur = 0;
}

/* Between vfork() and exec: on the recorder's memory, with signals of its own.
 * The pipe closes with exec, or says why there was none. */
static void __attribute__((noinline)) become(const struct start *start, int report)
{
	int error;

	sigaction(SIGCHLD, &start->on_child, NULL);
	sigprocmask(SIG_SETMASK, &start->mask, NULL);
	if (files_before.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &files_before);
	execve(start->path, start->arguments, start->environment);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/* Returns the child's number, or -errno. */
static pid_t start_child(const struct start *start)
{
	int ends[2], error = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = vfork();
	if (pid == 0)
		become(start, ends[1]);
	if (pid < 0)
		error = errno;
	close(ends[1]);
	if (pid > 0 && read(ends[0], &error, sizeof(error)) == (ssize_t)sizeof(error))
		waitpid(pid, NULL, 0);
	close(ends[0]);
	return error ? -error : pid;
}

static struct {
	bool held;
	sigset_t before; /* the mask that the program gets */
} signals_held;

void child_signals_hold(void)
{
	sigset_t blocked;

	if (signals_held.held)
		return;
	waited_signals(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGQUIT);
	sigprocmask(SIG_BLOCK, &blocked, &signals_held.before);
	signals_held.held = true;
}

bool child_signals_wait(void)
{
	static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	bool waits = false;
	sigset_t set;

	sigpending(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		waits |= sigismember(&set, ending[i]) == 1;
	return waits;
}

void child_signals_let(void)
{
	if (signals_held.held)
		sigprocmask(SIG_SETMASK, &signals_held.before, NULL);
	signals_held.held = false;
}

int child_start(pid_t *pid, const char *path, char **arguments, char **environment)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct start start = {path, arguments, environment, by_default, {{0}}};

	/* Blocked before the program exists: a Ctrl-C in between waits until the
	 * recorder ignores it, and the program has its own. */
	child_signals_hold();
	start.mask = signals_held.before;
	/* An inherited SIG_IGN would have the kernel reap the program before we
	 * see how it ended. */
	sigaction(SIGCHLD, &by_default, &start.on_child);

	*pid = start_child(&start);
	if (*pid < 0) {
		child_signals_let();
		return (int)*pid;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN); /* the last line may find no reader */
	let_files_go();
	return 0;
}

/* Whether it was stopped by its terminal or by itself, and has not been
 * continued since. */
static bool has_stopped(pid_t pid)
{
	siginfo_t info = {.si_pid = 0};

	return !waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) && info.si_pid &&
	       (info.si_status == SIGTSTP || info.si_status == SIGTTIN ||
		info.si_status == SIGTTOU);
}

/* Stops the recorder as Ctrl-Z would have. Only when the program has stopped: a
 * shell that sees us stop gives its prompt, and a program that is not there yet
 * would still read what is typed at it. */
static void stop_as_well(void)
{
	static const struct timespec at_once;
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigtimedwait(&stop, NULL, &at_once);
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
	raise(SIGTSTP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
}

static void pass_on(pid_t pid, const siginfo_t *info)
{
	/* What the kernel sends to the terminal's foreground the program has
	 * too. Of a terminal that hangs up it tells the session's leader alone,
	 * which is the recorder in `xterm -e tandem record ...`. */
	if (info->si_code <= 0 || getsid(0) == getpid())
		kill(pid, info->si_signo);
}

/* The next signal, between whose arrivals the task is done. */
static int next_signal(const sigset_t *set, siginfo_t *info, const struct poll_task *task,
		       int signals)
{
	static const struct timespec at_once;
	struct pollfd files[] = {{.fd = signals, .events = POLLIN},
				 {.fd = task ? task->fd : -1, .events = POLLIN}};

	if (signals < 0)
		return sigwaitinfo(set, info);
	for (;;) {
		int ms = task->work(task->user);

		if (poll(files, 2, ms) < 0 && errno != EINTR)
			return sigwaitinfo(set, info);
		if (files[0].revents)
			return sigtimedwait(set, info, &at_once);
	}
}

int child_wait(pid_t pid, const struct poll_task *task)
{
	bool stopped = false;
	siginfo_t info;
	sigset_t set;
	int signals, status;

	waited_signals(&set);
	signals = task ? signalfd(-1, &set, SFD_CLOEXEC) : -1;
	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended == pid || (ended < 0 && errno != EINTR)) {
			if (signals >= 0)
				close(signals);
			return ended == pid ? status : 255 << 8; /* as if it had exited with 255 */
		}
		if (next_signal(&set, &info, task, signals) < 0)
			continue;
		if (info.si_signo == SIGCHLD) {
			stopped = has_stopped(pid);
			if (stopped)
				stop_as_well();
		} else if (info.si_signo == SIGCONT) {
			if (stopped)
				kill(pid, SIGCONT);
			stopped = false;
		} else if (info.si_signo != TARGET_NUDGE) {
			pass_on(pid, &info);
		}
	}
}

void child_imitate_end(int wait_status)
{
	static const struct rlimit no_core;
	int signal_number = WTERMSIG(wait_status);
	sigset_t set;

	if (!WIFSIGNALED(wait_status))
		exit(WEXITSTATUS(wait_status));
	/* The program's core file is the one that matters. */
	setrlimit(RLIMIT_CORE, &no_core);
	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
	exit(128 + signal_number);
}
