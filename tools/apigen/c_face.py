# SPDX-License-Identifier: MIT
"""Writes a header of ROCTracer's, NAME_prof_str.h: its numbers of the domain's functions, and the
struct that callbacks get (the rules' line `backend tabled ... face=HEADER`)."""

from c_args import members
from c_text import head

# ROCTracer's struct has this struct's bytes behind the pointer to it.
VALUES = {("hsa_amd_memory_async_copy_rect", "range"): "uint32_t range__val[3]"}


def lines_of(call):
    version = call.function.versions[0]
    handles = {argument.name for argument in version.arguments
               if argument.kind == "struct" and argument.bytes == 8}
    for line in members(version):
        if "between_" in line:
            continue
        name = line.split()[-1].lstrip("*").partition("[")[0]
        if name in handles:
            yield "struct {\n\t\t\t\tuint64_t handle;\n\t\t\t} %s" % name
        else:
            yield line
        if (call.function.name, name) in VALUES:
            yield VALUES[call.function.name, name]


# What ROCTracer's header of the domain says: where its numbers come from, types that functions
# return (type, member), whether a word of the tool's follows.
FACES = {
    "hsa": ("ROCTracer's numbers of HSA's functions, in the order of the tables that HSA hands to its "
            "tools, and what callbacks of ACTIVITY_DOMAIN_HSA_API get.",
            (("int32_t", "hsa_status_t_retval"), ("uint32_t", "uint32_t_retval"),
             ("uint64_t", "uint64_t_retval"), ("int64_t", "hsa_signal_value_t_retval")), True),
    "kfd": ("ROCTracer's numbers of libhsakmt's functions, 0 to 80 as in ROCTracer 4.1 and then those "
            "that came later, and what callbacks of ACTIVITY_DOMAIN_KFD_API get.",
            (("uint32_t", "HSAKMT_STATUS_retval"),), False),
}


def prof_str_h(domain, calls, sources):
    """`calls` in the order of their numbers, which ROCTracer's follow from 0."""
    what, returned, has_data = FACES[domain]
    calls = sorted(calls, key=lambda call: call.number)
    first = calls[0].number
    assert [call.number for call in calls] == list(range(first, first + len(calls)))
    upper = domain.upper()
    guard = "TANDEM_ROCTRACER_%s_PROF_STR_H" % upper
    out = [head(what + " Types are words of the same size: %s's headers are not needed." %
                ("HSA" if domain == "hsa" else "libhsakmt"), sources),
           "#ifndef %s\n#define %s\n" % (guard, guard),
           "#include <stddef.h>\n#include <stdint.h>\n", "enum %s_api_id_t {" % domain]
    out += ["\t%s_API_ID_%s = %d," % (upper, call.function.name, call.number - first) for call in calls]
    out += ["\n\t%s_API_ID_NUMBER = %d,\n\t%s_API_ID_ANY = %d\n};\n" %
            (upper, len(calls), upper, len(calls) + 1),
            "typedef struct %s_api_data_t {" % domain, "\tuint64_t correlation_id;", "\tuint32_t phase;",
            "\tunion { /* at exit, of what returns a status */"]
    out += ["\t\t%s %s;" % member for member in returned]
    out += ["\t};", "\tunion {"]
    for call in calls:
        lines = list(lines_of(call))
        if lines:
            out += ["\t\tstruct {"] + ["\t\t\t%s;" % line for line in lines]
            out += ["\t\t} %s;" % call.function.name]
    out += ["\t} args;"]
    if has_data:
        out += ["\tuint64_t *phase_data; /* a word that travels from entry to exit */"]
    out += ["} %s_api_data_t;\n" % domain, "#endif"]
    return "\n".join(out) + "\n"
