/* SPDX-License-Identifier: MIT */
/* Something is done after so many instructions, by the processor's single steps: in a signal
 * handler, on x86-64 alone. */
#ifndef TESTS_TRACER_STEP_H
#define TESTS_TRACER_STEP_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

static volatile unsigned steps, target;
static void (*volatile at_target)(void);
static sigjmp_buf out;

static void stepped(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	if (++steps != target)
		return;
#if defined(__x86_64__)
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
#endif
	at_target();
}

static void switched(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
#if defined(__x86_64__)
	if (signal == SIGUSR1)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
#endif
}

static inline void leave(void)
{
	siglongjmp(out, 1);
}

/* false: `what` has fewer instructions than that. */
static inline bool run_to(unsigned instruction, void (*what)(void), void (*then)(void))
{
	steps = 0;
	target = instruction;
	at_target = then;
	if (!sigsetjmp(out, 1)) {
		raise(SIGUSR1);
		what();
		raise(SIGUSR2);
	}
	return steps >= instruction;
}

static inline void steps_begin(void)
{
	struct sigaction step = {.sa_sigaction = stepped, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct sigaction toggle = {.sa_sigaction = switched, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &step, NULL);
	sigaction(SIGUSR1, &toggle, NULL);
	sigaction(SIGUSR2, &toggle, NULL);
}

#endif
