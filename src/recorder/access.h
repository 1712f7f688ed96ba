/* SPDX-License-Identifier: MIT */
/* What a recording will get of the kernel's events, for whoever asks before there is one. */
#ifndef TANDEM_RECORDER_ACCESS_H
#define TANDEM_RECORDER_ACCESS_H

enum recorder_scope {
	RECORDER_SCOPE_NONE,
	RECORDER_SCOPE_PROGRAM, /* its own context switches and samples */
	RECORDER_SCOPE_MACHINE, /* the whole machine's scheduler */
};

struct recorder_access {
	enum recorder_scope scope;
	int paranoid;  /* perf_event_paranoid; -1: not read */
	char fix[192]; /* the command by which root allows all of it; "": nothing is missing */
};

/* Any thread. */
void recorder_access(struct recorder_access *access);

#endif
