/* SPDX-License-Identifier: MIT */
#include "core/sandbox/seccomp_filter.h"

#include <stdbool.h>
#include <string.h>

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
};

/* False: the instruction is none. */
static bool compute(struct machine *machine, const struct sock_filter *instruction)
{
	uint32_t by = BPF_SRC(instruction->code) == BPF_X ? machine->x : instruction->k;
	uint32_t *a = &machine->a;

	switch (BPF_OP(instruction->code)) {
	case BPF_ADD:
		*a += by;
		return true;
	case BPF_SUB:
		*a -= by;
		return true;
	case BPF_MUL:
		*a *= by;
		return true;
	case BPF_DIV:
		*a = by ? *a / by : 0;
		return by;
	case BPF_AND:
		*a &= by;
		return true;
	case BPF_OR:
		*a |= by;
		return true;
	case BPF_XOR:
		*a ^= by;
		return true;
	case BPF_LSH:
		*a <<= by & 31;
		return true;
	case BPF_RSH:
		*a >>= by & 31;
		return true;
	case BPF_NEG:
		*a = 0 - *a;
		return true;
	default:
		return false;
	}
}

static bool load(struct machine *machine, const struct sock_filter *instruction,
		 const struct seccomp_data *data)
{
	uint32_t *to = BPF_CLASS(instruction->code) == BPF_LD ? &machine->a : &machine->x;

	switch (instruction->code & ~BPF_CLASS(instruction->code)) {
	case BPF_W | BPF_ABS:
		if (to != &machine->a || instruction->k > sizeof(*data) - sizeof(*to))
			return false;
		memcpy(to, (const char *)data + instruction->k, sizeof(*to));
		return true;
	case BPF_W | BPF_LEN:
		*to = sizeof(*data);
		return true;
	case BPF_IMM:
		*to = instruction->k;
		return true;
	case BPF_MEM:
		if (instruction->k >= BPF_MEMWORDS)
			return false;
		*to = machine->memory[instruction->k];
		return true;
	default:
		return false;
	}
}

static bool store(struct machine *machine, const struct sock_filter *instruction)
{
	if (instruction->k >= BPF_MEMWORDS)
		return false;
	machine->memory[instruction->k] =
		BPF_CLASS(instruction->code) == BPF_ST ? machine->a : machine->x;
	return true;
}

/* How many instructions to pass over. */
static uint32_t jump(const struct machine *machine, const struct sock_filter *instruction)
{
	uint32_t with = BPF_SRC(instruction->code) == BPF_X ? machine->x : instruction->k;
	bool taken;

	switch (BPF_OP(instruction->code)) {
	case BPF_JA:
		return instruction->k;
	case BPF_JEQ:
		taken = machine->a == with;
		break;
	case BPF_JGT:
		taken = machine->a > with;
		break;
	case BPF_JGE:
		taken = machine->a >= with;
		break;
	case BPF_JSET:
		taken = machine->a & with;
		break;
	default:
		return UINT32_MAX;
	}
	return taken ? instruction->jt : instruction->jf;
}

uint32_t seccomp_filter_run(const struct sock_filter *program, unsigned length,
			    const struct seccomp_data *data)
{
	struct machine machine = {0};

	/* Jumps lead forward only, so it ends. */
	for (uint64_t at = 0; at < length; at++) {
		const struct sock_filter *instruction = &program[at];
		bool good = true;

		switch (BPF_CLASS(instruction->code)) {
		case BPF_LD:
		case BPF_LDX:
			good = load(&machine, instruction, data);
			break;
		case BPF_ST:
		case BPF_STX:
			good = store(&machine, instruction);
			break;
		case BPF_ALU:
			good = compute(&machine, instruction);
			break;
		case BPF_JMP:
			at += jump(&machine, instruction);
			break;
		case BPF_RET:
			return BPF_RVAL(instruction->code) == BPF_A ? machine.a : instruction->k;
		default: /* BPF_MISC */
			if (BPF_MISCOP(instruction->code) == BPF_TAX)
				machine.x = machine.a;
			else
				machine.a = machine.x;
		}
		if (!good)
			break;
	}
	return SECCOMP_RET_KILL_PROCESS;
}
