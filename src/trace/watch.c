/* SPDX-License-Identifier: MIT */
#include "trace/watch.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile sig_atomic_t alive;

static void on_time(int signal_number)
{
	if (!alive) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	}
	alive = 0;
}

void watch_begin(unsigned seconds)
{
	struct itimerval timer = {.it_interval.tv_sec = seconds, .it_value.tv_sec = seconds};
	struct sigaction action = {.sa_handler = on_time, .sa_flags = SA_RESTART};

	alive = 1;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

void watch_alive(void)
{
	alive = 1;
}
