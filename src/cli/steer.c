/* SPDX-License-Identifier: MIT */
/* tandem pause, resume, stop: a store or two into the control page of a running
 * session, which the next traced call sees. */
#include "cli/cli.h"

#include "cli/options/options.h"
#include "recorder/steering.h"
#include "recorder/target.h"

static int pause_session(struct target *target)
{
	switch (steering_pause(target->control)) {
	case TANDEM_STATE_STOPPED:
		return cli_error("%s was stopped for good", target->directory);
	case TANDEM_STATE_PAUSED:
		cli_note("%s is paused already", target->directory);
		return CLI_DONE;
	case TANDEM_STATE_RECORDING:
		break;
	}
	target_nudge(target);
	cli_note("paused %s", target->directory);
	return CLI_DONE;
}

static int resume_session(struct target *target)
{
	switch (steering_resume(target->control)) {
	case TANDEM_STATE_STOPPED:
		return cli_error("%s was stopped for good: record the program again",
				 target->directory);
	case TANDEM_STATE_RECORDING:
		cli_note("%s is being recorded already", target->directory);
		return CLI_DONE;
	case TANDEM_STATE_PAUSED:
		break;
	}
	target_nudge(target);
	cli_note("resumed %s", target->directory);
	return CLI_DONE;
}

static int stop_session(struct target *target)
{
	if (steering_stop(target->control) == TANDEM_STATE_STOPPED) {
		cli_note("%s is stopped already", target->directory);
		return CLI_DONE;
	}
	target_nudge(target);
	cli_note("stopped %s", target->directory);
	return CLI_DONE;
}

static int steer(const struct command *command, int (*act)(struct target *target), int argc,
		 char **argv)
{
	struct error error = ERROR_INIT;
	struct target target;
	const char *session;
	int status = options_parse_session(command, argc, argv, NULL, NULL, &session);

	if (status)
		return options_status(status);
	if (target_open(&target, session, TARGET_STEER, &error))
		return cli_fail(&error);
	if (target_is_alive(&target) && target.control->external)
		status = cli_error("LTTng records %s: `lttng list` names its session, and `lttng "
				   "stop` and `lttng start` pause and resume it",
				   target.directory);
	else if (target_is_alive(&target))
		status = act(&target);
	else
		status = cli_error("nothing records into %s any more", target.directory);
	target_close(&target);
	return status;
}

const struct command command_pause = {
	.name = "pause",
	.usage = "[DIR|PID]",
	.about = "Stops recording at once, until `tandem resume`. The program runs on, at next to\n"
		 "no cost. The session is named by its directory, by the number of a process that\n"
		 "is being recorded, or by that of its `tandem record`.\n",
	.column = 15,
	.operands = OPERAND_SESSION,
};

const struct command command_resume = {
	.name = "resume",
	.usage = "[DIR|PID]",
	.about = "Goes on recording after `tandem pause` or `tandem record --start-paused`.\n",
	.column = 15,
	.operands = OPERAND_SESSION,
};

const struct command command_stop = {
	.name = "stop",
	.usage = "[DIR|PID]",
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
