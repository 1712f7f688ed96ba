/* SPDX-License-Identifier: MIT */
/* tandem pause, resume, stop: a store or two into the control page of a running
 * session, which the next traced call sees. */
#include "cli/cli.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/options.h"
#include "recorder/target.h"

/* Who sleeps on the word (a domain whose device must be told) hears it now, and so
 * does the recorder, which collects the kernel's side. */
static void wake(const struct target *target)
{
	syscall(SYS_futex, &target->control->recording, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	target_nudge(target);
}

/* Takes the session from one state to another. Returns the state that it was
 * in; it has changed only if that is not `to` and not stopped. */
static enum tandem_session_state change_state(struct tandem_control *control,
					      enum tandem_session_state to)
{
	uint32_t state = atomic_load(&control->state);

	while (state != to && state != TANDEM_STATE_STOPPED &&
	       !atomic_compare_exchange_weak(&control->state, &state, to))
		;
	return (enum tandem_session_state)state;
}

static int pause_session(struct target *target)
{
	switch (change_state(target->control, TANDEM_STATE_PAUSED)) {
	case TANDEM_STATE_STOPPED:
		return cli_error("%s was stopped for good", target->directory);
	case TANDEM_STATE_PAUSED:
		cli_note("%s is paused already", target->directory);
		return CLI_DONE;
	case TANDEM_STATE_RECORDING:
		break;
	}
	atomic_store(&target->control->recording, 0);
	wake(target);
	cli_note("paused %s", target->directory);
	return CLI_DONE;
}

static int resume_session(struct target *target)
{
	switch (change_state(target->control, TANDEM_STATE_RECORDING)) {
	case TANDEM_STATE_STOPPED:
		return cli_error("%s was stopped for good: record the program anew",
				 target->directory);
	case TANDEM_STATE_RECORDING:
		cli_note("%s is being recorded already", target->directory);
		return CLI_DONE;
	case TANDEM_STATE_PAUSED:
		break;
	}
	/* Objects that were made meanwhile are not described yet: whoever sees
	 * the mask must see the new statedump too. */
	atomic_fetch_add(&target->control->statedump, 1);
	atomic_store(&target->control->recording, target->control->domains);
	wake(target);
	cli_note("resumed %s", target->directory);
	return CLI_DONE;
}

static int stop_session(struct target *target)
{
	if (change_state(target->control, TANDEM_STATE_STOPPED) == TANDEM_STATE_STOPPED) {
		cli_note("%s is stopped already", target->directory);
		return CLI_DONE;
	}
	atomic_store(&target->control->recording, 0);
	wake(target);
	cli_note("stopped %s", target->directory);
	return CLI_DONE;
}

static int steer(const struct command *command, int (*act)(struct target *target), int argc,
		 char **argv)
{
	int status, first = options_parse(command, argc, argv, NULL, NULL);
	struct error error = ERROR_INIT;
	struct target target;

	if (first < 0)
		return options_status(first);
	if (argc - first != 1) {
		cli_error("%s takes one session: its directory or a process number", command->name);
		return cli_usage(command->name);
	}
	if (target_open(&target, argv[first], TARGET_STEER, &error))
		return cli_fail(&error);
	if (target_is_alive(&target))
		status = act(&target);
	else
		status = cli_error("nothing records into %s any more", target.directory);
	target_close(&target);
	return status;
}

const struct command command_pause = {
	.name = "pause",
	.usage = "DIR|PID",
	.about = "Stops recording at once, until `tandem resume`. The program runs on, at next to\n"
		 "no cost. The session is named by its directory, by the number of a process that\n"
		 "is being recorded, or by that of its `tandem record`.\n",
	.column = 15,
	.operands = OPERAND_SESSION,
};

const struct command command_resume = {
	.name = "resume",
	.usage = "DIR|PID",
	.about = "Goes on recording after `tandem pause` or `tandem record --start-paused`.\n",
	.column = 15,
	.operands = OPERAND_SESSION,
};

const struct command command_stop = {
	.name = "stop",
	.usage = "DIR|PID",
	.about = "Stops recording for good. The program runs on; its session is complete and can\n"
		 "be read.\n",
	.column = 15,
	.operands = OPERAND_SESSION,
};

int cmd_pause(int argc, char **argv)
{
	return steer(&command_pause, pause_session, argc, argv);
}

int cmd_resume(int argc, char **argv)
{
	return steer(&command_resume, resume_session, argc, argv);
}

int cmd_stop(int argc, char **argv)
{
	return steer(&command_stop, stop_session, argc, argv);
}
