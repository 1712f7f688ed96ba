# SPDX-License-Identifier: MIT
"""Writes wrappers.c, extensions.h and custom.h: what the program calls instead of OpenCL."""

import re

from c_text import declare, head, params, wrap

# Parameters that need no place on the stack (x86-64; more on other machines).
# With more, compilers copy them around before two calls but not before one.
REGISTERS = 6
# Drivers of one extension function that get wrappers.
SLOTS = 4


def names(call):
    return [param.name for param in call.function.params]


def body_write(call):
    """body_F(): a recorded call."""
    function, rule = call.function, call.rule
    void = function.c == "void"
    returned = [] if void else ["\t%s;" % declare(function.c, "ret")]
    declarations, before, after = ["\tstruct tandem_call call;"], [], []
    arguments = names(call)
    error = "ret" if function.c == "int32_t" else "0"
    if function.param("errcode_ret"):
        declarations.append("\tint32_t error_local = 0, error;")
        declarations.append("\tint32_t *error_at = errcode_ret ? errcode_ret : &error_local;")
        arguments[arguments.index("errcode_ret")] = "error_at"
        after.append("\terror = *error_at;")
        error = "error"
    if "before" in rule:
        if re.search(r"\bbefore\b", rule.get("after", "")):
            declarations.append("\tuint64_t before = %s;" % rule["before"])
        else:
            before.append("\t%s;" % rule["before"])
    begin = names(call)
    if call.cls == "enqueue":
        queue = rule.get("queue", "command_queue")
        declarations.append("\tstruct opencl_command command;")
        passed = "command.event"
        if rule.get("event") == "required":  # what the program left out is not put in its place
            queue = "event ? %s : NULL" % queue
        before.append("\topencl_command_begin(&command, OPENCL_EVENT_%s, %s, event);" % (call.name, queue))
        begin.append("command.op")
        arguments[arguments.index("event")] = passed
    before.append(wrap("opencl_begin_%s(" % call.name, ["&call"] + begin, ");", 1))
    real = wrap("%sreal(" % ("" if void else "ret = "), arguments or [""], ");", 1)
    if call.cls == "enqueue":
        after.append("\ttandem_call_end(&call, %s);" % error)
        kernel = rule.get("kernel") or ("kernel" if function.param("kernel") else "NULL")
        blocking = next((param.name for param in function.params
                         if param.name.startswith("blocking")), "0")
        after.append(wrap("opencl_command_end(", [
            "&command", error, rule["kind"] if "(" in rule["kind"] else "TANDEM_OPERATION_KIND_" + rule["kind"], rule.get("bytes", "0"),
            kernel, blocking], ");", 1))
    elif call.returned in ("object", "op"):
        width = "uint32_t" if call.returned == "object" else "uint64_t"
        made = rule.get("created", "tandem_object_assign(TANDEM_KIND(opencl, %s), ret)" % call.object)
        declarations.append("\t%s number = 0;" % width)
        declarations.append("\tuint64_t end;")
        after.insert(0, "\tend = tandem_ticks();")
        after.append("\tif (ret)\n\t\tnumber = %s;" % re.sub(r"\s+", " ", made))
        after.append("\topencl_end_%s(&call, %s, end, number, ret);"
                     % ("object" if call.returned == "object" else "pointer", error))
    elif call.returned == "pointer":
        after.append("\topencl_end_pointer(&call, %s, tandem_ticks(), (uintptr_t)ret, ret);" % error)
    else:
        after.append("\ttandem_call_end(&call, %s);" % error)
    if "after" in rule:
        after.append("\t%s;" % re.sub(r"\s+", " ", rule["after"]))
    if not void:
        after.append("\treturn ret;")
    # Extension functions share one body over all slots.
    out = [wrap("static %s%s(" % ("NOINLINE " if call.extension else "inline ",
                                  declare(function.c, "body_" + call.name)),
                params_of(call), ")"), "{"]
    return out + declarations + returned + [""] + before + [real] + after + ["}\n"]


def params_of(call):
    declared = [text for text in params(call.function) if text != "void"]
    return ["opencl_pfn_%s real" % call.name] + declared


# What decides whether a wrapper leaves the straight way (rules: test).
TESTS = {None: "opencl_recording", "hiding": "opencl_recording_or_hiding",
         "session": "opencl_in_session"}


def wrapper_write(call, name, real):
    """record_F() and wrap_F(). The recorded call is a function of its own with the wrapper's
    parameters, so that the wrapper needs no frame and ends in one of two jumps. `name` is a
    format for both their names."""
    function = call.function
    test = TESTS[call.rule.get("test")]
    body = ("opencl_custom_" if "custom" in call.rule else "body_") + call.name
    record, wrapper = (name % (word + call.name) for word in ("record_", "wrap_"))
    void = function.c == "void"
    returns = "" if void else "return "
    out = [wrap("static NOINLINE %s(" % declare(function.c, record), params(function), ")"),
           "{",
           wrap("%s%s(" % (returns, body), [real] + names(call), ");", 1),
           "}\n",
           wrap("static %s(" % declare(function.c, wrapper), params(function), ")"), "{"]
    if len(function.params) > REGISTERS:
        out.append("\topencl_pfn_%s to = %s() ? %s :\n\t\t\t%s;\n" % (call.name, test, record, real))
        return out + [wrap("%sto(" % returns, names(call), ");", 1), "}\n"]
    direct = wrap("%s%s(" % (returns, real), names(call) or [""], ");", 2)
    recorded = wrap("%s%s(" % (returns, record), names(call) or [""], ");", 2 if void else 1)
    if void:
        return out + ["\tif (tandem_likely(!%s()))" % test, direct, "\telse", recorded, "}\n"]
    return out + ["\tif (tandem_likely(!%s()))" % test, direct, recorded, "}\n"]


def wrappers_c(calls, sources):
    out = [head("What a program calls instead of OpenCL: straight through unless recording, else "
                "a record around the real call. Behaviour lives in the hooks (hooks.h), which "
                "opencl.rules names.", sources), """\
#include "domains/opencl/gen/custom.h"
#include "domains/opencl/gen/next.h"
#include "domains/opencl/gen/records.h"
#include "domains/opencl/hooks.h"
#include "schema/gen/core_records.h"

#define NOINLINE __attribute__((noinline))

/* The program's linker finds these; nothing of ours calls them. */
#define EXPORT(name)                                                           \\
	extern __typeof__(wrap_##name) name                                    \\
		__attribute__((alias("wrap_" #name), visibility("default")))
"""]
    for call in calls:
        if "custom" not in call.rule:
            out += body_write(call)
        if not call.extension:
            out += wrapper_write(call, "%s", "opencl_next." + call.name)
            out[-1] = "}\nEXPORT(%s);\n" % call.name
    out.append("void *const opencl_wraps[OPENCL_FN_COUNT] = {")
    out += ["\t[OPENCL_FN_%s] = (void *)wrap_%s," % (call.name, call.name)
            for call in calls if not call.extension]
    out.append("};\n\n/* Each driver of an extension function has wrappers of its own. */")
    for slot in range(SLOTS):
        out.append("#define SLOT %d\n#define IN_SLOT(name) name##_s%d\n"
                   "#include \"domains/opencl/gen/extensions.h\"\n"
                   "#undef IN_SLOT\n#undef SLOT\n" % (slot, slot))
    out.append("void *const *const opencl_ext_wrap[OPENCL_SLOTS] = {")
    out += ["\text_wrap_s%d," % slot for slot in range(SLOTS)]
    out.append("};\n_Static_assert(OPENCL_SLOTS == %d, \"as many as are included above\");" % SLOTS)
    return "\n".join(out) + "\n"


def extensions_h(calls, sources):
    out = [head("The wrappers of extension functions for one driver's functions: no header of its "
                "own, but included by wrappers.c once for each SLOT. IN_SLOT(name) is a name there.",
                sources)]
    extensions = [call for call in calls if call.extension]
    for call in extensions:
        out += wrapper_write(call, "IN_SLOT(%s)", "opencl_ext_real[SLOT]." + call.name)
    out.append("static void *const IN_SLOT(ext_wrap)[OPENCL_EXTENSION_COUNT] = {")
    out += ["\t(void *)IN_SLOT(wrap_%s)," % call.name for call in extensions]
    out.append("};")
    return "\n".join(out) + "\n"


def custom_h(calls, sources):
    out = [head("Functions whose recorded call is written by hand (opencl.rules: custom): each "
                "begins its record with opencl_begin_*(), calls `real`, ends the record, and "
                "returns what the program shall see.", sources), """\
#ifndef TANDEM_DOMAINS_OPENCL_GEN_CUSTOM_H
#define TANDEM_DOMAINS_OPENCL_GEN_CUSTOM_H

#include "domains/opencl/gen/next.h"

#pragma GCC visibility push(hidden)
"""]
    for call in calls:
        if "custom" in call.rule:
            out.append(wrap("%s(" % declare(call.function.c, "opencl_custom_" + call.name),
                            params_of(call), ");"))
    out.append("\n#pragma GCC visibility pop\n\n#endif")
    return "\n".join(out) + "\n"
