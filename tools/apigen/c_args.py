# SPDX-License-Identifier: MIT
"""Writes args.h: a struct of each function's arguments, with the types that cross the ABI."""

import re

from c_text import declare, head

VALUES = {("int", 1): "int8_t", ("int", 2): "int16_t", ("int", 4): "int32_t", ("int", 8): "int64_t",
          ("uint", 1): "uint8_t", ("uint", 2): "uint16_t", ("uint", 4): "uint32_t",
          ("uint", 8): "uint64_t", ("float", 4): "float", ("float", 8): "double"}
# C's words, which an argument's name may be in another language.
KEYWORDS = {"default", "register", "signed", "unsigned", "restrict"}


def guarded(name, what, sources, body):
    guard = "TANDEM_DOMAINS_%s_GEN_ARGS_H" % name.upper()
    return "\n".join([head(what, sources), "#ifndef %s\n#define %s\n" % (guard, guard),
                      "#include <stddef.h>\n#include <stdint.h>\n"] + body + ["#endif"]) + "\n"


def wrapped_args_h(calls, sources):
    """For functions that are wrapped: the arguments in their order, then what they returned."""
    body = []
    for call in calls:
        members = [declare(param.c, param.name) for param in call.function.params]
        if call.function.c != "void":
            members.append(declare(call.function.c, "returned"))
        if members:
            body += ["struct opencl_args_%s {" % call.name]
            body += ["\t%s;" % member for member in members] + ["};\n"]
    return guarded("opencl", "The arguments of each function, by their names in the specification, "
                   "and last what it returned: of no meaning before the call has. Handles are "
                   "addresses; words are parameters whose types differ between revisions of an "
                   "extension. A function without either has no struct.", sources, body)


def member(argument):
    name = argument.name + "_" if argument.name in KEYWORDS else argument.name
    if argument.kind == "pointer":
        return declare("const void *" if argument.type.startswith("const ") else "void *", name)
    if argument.kind == "text":
        return declare("const char *", name)
    if argument.kind == "struct":
        return "uint8_t %s[%d]" % (name, argument.bytes)
    return declare(VALUES[argument.kind, argument.bytes], name)


def members(version):
    """With the bytes between them, so that each is where CUPTI's struct has it."""
    at, lines = 0, []
    for argument in version.arguments:
        if argument.offset > at:
            lines.append("uint8_t between_%d[%d]" % (at, argument.offset - at))
        lines.append(member(argument))
        at = argument.offset + argument.bytes
    return lines


def called_args_h(functions, sources):
    """For functions whose arguments a tool's library hands over: its own layout."""
    body = []
    for function in functions:
        seen = {}
        for version in function.versions:
            lines = tuple(members(version))
            if not lines:
                continue
            if lines in seen:
                body.append("#define cuda_args_%s cuda_args_%s\n" % (version.name, seen[lines]))
                continue
            seen[lines] = version.name
            body.append("struct cuda_args_%s {" % version.name)
            body += ["\t%s;" % line for line in lines] + ["};\n"]
    return guarded("cuda", "The arguments of each version of a function, by their names in CUDA's "
                   "headers, laid out as CUPTI hands them over (its structs NAME_params); a version "
                   "that has the same is another name for it. Handles are addresses, structs that are "
                   "passed by value are bytes. A function without arguments has no struct.",
                   sources, body)


def called_args_test(functions, sources):
    """tests/gen/cuda_args.c"""
    out = [head("Static asserts: each argument is where the struct of CUPTI's headers has it, and as "
                "large. Structs that the headers do not have are left out: cuda_args.py defines "
                "DECLARED_NAME for those that they have.", sources), """\
#include <stddef.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>

#ifdef DECLARED
#include DECLARED
#include "domains/cuda/gen/args.h"

#define SAME(params, ours, theirs, name)                                       \\
	_Static_assert(offsetof(params, theirs) == offsetof(struct ours, name) && \\
			       sizeof(((params *)0)->theirs) == sizeof(((struct ours *)0)->name), \\
		       #ours " " #name)
"""]
    for function in functions:
        for version in function.versions:
            if not version.arguments:
                continue
            out.append("#ifdef DECLARED_%s" % version.name)
            for argument in version.arguments:
                name = re.match(r".*?(\w+)(\[\d+\])?$", member(argument))[1]
                out.append("SAME(%s_params, cuda_args_%s, %s, %s);"
                           % (version.name, version.name, argument.name, name))
            out.append("#endif")
    out.append("#endif")
    return "\n".join(out) + "\n"
